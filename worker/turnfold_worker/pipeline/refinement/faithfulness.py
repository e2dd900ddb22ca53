"""Whether a model's note says only what was said: words, numbers, names, dates, negations, speakers.

A check of words, not of meaning, and of one note at a time: what it refuses is left out alone. Each claim is held
against the turns that it names and those beside them; a word has to stand there in some form, or one that means the
same. What it must not do is to let an invented figure, a name out of nowhere, a turned-round 'not' or another
person's promise into a context.
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
"""Turns before a named one that may hold what it refers to: a question, an antecedent."""
_AHEAD: Final = 2


class Evidence:
    """What was said in some turns, looked at once for many notes."""

    def __init__(self, turns: Sequence[StoredTurn], kept: Iterable[str] = ()) -> None:
        """`kept` are further texts that may be relied on, such as what is left of turns that were removed."""
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
        """Why a note about some turns is refused; empty for a faithful one."""
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
        """What a note says the other way round than the turns that it names."""
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
        """Why a longer text about all of it is refused, such as a reconstruction."""
        scope = Scope(self._turns, self._turns, self._speakers, self._kept)
        return list(dict.fromkeys((*scope.facts(text, ()), *scope.polarity(text))))

    def mentions(self, tag: str) -> bool:
        """Whether every word of a tag was said."""
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


__all__ = ["Evidence", "Unfaithful"]
