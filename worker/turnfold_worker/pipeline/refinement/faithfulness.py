"""Check that a model's note says only what was said: words, numbers, names, dates, negations, speakers.

The check is lexical, not semantic, and judges one note at a time: a refused note is dropped alone. Each claim is
compared with the turns that the note cites and their neighbours; a word must occur there in some form or as a synonym.
Above all, no invented figure, unknown name, reversed negation or promise of another person may reach a context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from turnfold.contract.records import StoredTurn
from turnfold.contract.speakers import speaker_label
from turnfold.contract.terms import terms
from turnfold_worker.pipeline.refinement.claimed_days import ToldDays
from turnfold_worker.pipeline.refinement.conditions import drops_a_condition
from turnfold_worker.pipeline.refinement.directions import (
    has_another_unit_of_time,
    prefers_the_other,
    turns_a_change_round,
)
from turnfold_worker.pipeline.refinement.formulas import plain_formulas
from turnfold_worker.pipeline.refinement.opposites import says_the_opposite
from turnfold_worker.pipeline.refinement.orders import tells_an_order_as_done
from turnfold_worker.pipeline.refinement.scopes import READ, Scope
from turnfold_worker.pipeline.refinement.sources import is_readable
from turnfold_worker.pipeline.refinement.spellings import with_capitals
from turnfold_worker.pipeline.refinement.unfaithful import Unfaithful
from turnfold_worker.pipeline.refinement.withheld import affirms_what_was_withheld
from turnfold_worker.pipeline.turns.reading import is_participant

_BACK: Final = 3
"""Turns before a cited one that may contain what it refers to: a question, an antecedent."""
_AHEAD: Final = 2


class Evidence:
    """The text of some turns, prepared once for checking many notes."""

    def __init__(self, turns: Sequence[StoredTurn], kept: Iterable[str] = ()) -> None:
        """`kept` are further texts to rely on, such as what is left of removed turns."""
        self._turns = [
            replace(turn, content=with_capitals(plain_formulas(turn.content))) for turn in turns if is_readable(turn)
        ]
        self._place = {turn.seq: place for place, turn in enumerate(self._turns)}
        self._kept = tuple(kept)
        self._scopes: dict[tuple[int, ...], Scope] = {}
        self._days = ToldDays(self._turns, READ)

    @cached_property
    def _speakers(self) -> list[str]:
        return list(dict.fromkeys(speaker_label(turn) for turn in self._turns))

    def problems(self, text: str, seqs: Sequence[int], speaker: str | None = None) -> list[Unfaithful]:
        """Return the reasons to refuse a note about some turns; empty for a faithful note."""
        if not seqs or any(seq not in self._place for seq in seqs):
            return [Unfaithful.TURN]
        text = plain_formulas(text)
        scope = self._scope(seqs)
        problems = [
            *scope.facts(text, seqs),
            *scope.words(text, seqs),
            *scope.polarity(text),
            *scope.speakers.problems(text, seqs, speaker),
        ]
        turn_texts = [turn.content[:READ] for turn in self._turns if turn.seq in seqs]
        problems += self._turned_round(text, turn_texts, scope.seqs)
        if drops_a_condition(text, turn_texts, self._speakers):
            problems.append(Unfaithful.CONDITION)
        if tells_an_order_as_done(
            text, turn_texts, [turn.content[:READ] for turn in self._turns if turn.seq in scope.seqs]
        ):
            problems.append(Unfaithful.ORDER)
        if not self._days.supports(text, seqs, scope.seqs):
            problems.append(Unfaithful.DATE)
        if speaker is not None and (
            not is_participant(speaker, scope.speakers_of(seqs)) or scope.speakers.is_anothers(text, seqs, speaker)
        ):
            problems.append(Unfaithful.SPEAKER)
        return list(dict.fromkeys(problems))

    def _turned_round(self, text: str, turn_texts: Sequence[str], near: Sequence[int]) -> Iterator[Unfaithful]:
        """Yield a problem for each way in which a note reverses what its cited turns say."""
        around = [turn.content[:READ] for turn in self._turns if turn.seq in near]
        if (
            says_the_opposite(text, turn_texts, self._speakers, around)
            or affirms_what_was_withheld(text, turn_texts)
            or prefers_the_other(text, turn_texts)
        ):
            yield Unfaithful.AFFIRMATION
        if turns_a_change_round(text, turn_texts) or has_another_unit_of_time(text, turn_texts):
            yield Unfaithful.NUMBER

    def passage_problems(self, text: str) -> list[Unfaithful]:
        """Return the reasons to refuse a longer text about all turns, such as a reconstruction."""
        scope = Scope(self._turns, self._turns, self._speakers, self._kept)
        return list(dict.fromkeys((*scope.facts(text, ()), *scope.polarity(text))))

    def mentions(self, tag: str) -> bool:
        """Return whether every word of a tag occurs in the turns, their speakers or the kept texts."""
        words = terms(tag)
        return bool(words) and all(word in self._stems for word in words)

    @cached_property
    def _stems(self) -> frozenset[str]:
        texts = [*(turn.content for turn in self._turns), *self._speakers, *self._kept]
        return frozenset(term for text in texts for term in terms(text))

    def _scope(self, seqs: Sequence[int]) -> Scope:
        key = tuple(sorted(set(seqs)))
        if key not in self._scopes:
            near = {at for seq in key for at in self._around(seq)}
            turns = [self._turns[at] for at in sorted(near)]
            self._scopes[key] = Scope(turns, self._turns, self._speakers, self._kept, key)
        return self._scopes[key]

    def _around(self, seq: int) -> range:
        at = self._place[seq]
        return range(max(0, at - _BACK), min(len(self._turns), at + _AHEAD + 1))
