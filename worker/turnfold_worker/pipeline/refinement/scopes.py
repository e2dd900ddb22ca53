"""The turns that a note may speak of, and what of it they do not bear out: words, figures, negations, speakers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Final

from turnfold.contract.records import StoredTurn
from turnfold.contract.speakers import speaker_label
from turnfold_worker.pipeline.language.facts import Fact, FactKind, extract_facts
from turnfold_worker.pipeline.language.quantities import DIGITS, SPELLED, UNIT_NAMES, WORD, quantity, value_of
from turnfold_worker.pipeline.language.word_forms import forms
from turnfold_worker.pipeline.refinement.claimed_days import without_dates
from turnfold_worker.pipeline.refinement.claims import (
    DENIES,
    LEANS_AWAY,
    REPORTS,
    Passage,
    content_words,
    is_telling,
    passages_of,
    says_something,
    sentences_of,
    statements_of,
    words_of,
)
from turnfold_worker.pipeline.turns.reading import is_participant


class Unfaithful(StrEnum):
    """Why a note is refused."""

    NUMBER = "a number that is not in the source"
    NAME = "a name that is not in the source"
    IDENTIFIER = "an identifier, path or address that is not in the source"
    DATE = "a date that is not in the source"
    NEGATION = "a negation that is not in the source"
    AFFIRMATION = "an affirmation of what the source denies"
    SPEAKER = "words of another speaker"
    TURN = "a turn that is not of this segment"
    WORD = "a word that is not in the source"


READ: Final = 50_000
"""Code points of a turn that are looked at from its beginning."""
_WIDE_WORDS: Final = 1
_SUBJECT: Final = 4
"""Words of a sentence among which its subject is looked for."""
_AROUND: Final = 40
"""Code points around a number in which stands what it counts."""
_STOP: Final = re.compile(r"[,;:.!?()\n]|\s(?:and|or|but|in|on|at|for|to|by|from|with|per|than|as|when|while)\s")
_COMPOUND: Final = re.compile(r"(?<![\w.])\d+(?:[:/x\u00d7]\d+)+(?!\w)")
"""Ratios, fractions and measures: their numbers belong together."""
_NAMED: Final = re.compile(r"(?<=[a-z,] )[A-Z]\w* \Z")
_ORDINAL: Final = re.compile(r"\A(?:st|nd|rd|th)(?!\w)")
_NUMERAL: Final = re.compile(rf"(?i)(?<!\w)(?:{DIGITS.pattern}|(?:{'|'.join(SPELLED)})(?!\w))")
_SUPPORT: Final = 0.5
_FEW: Final = 2
_EXACT: Final = (FactKind.IDENTIFIER, FactKind.PATH, FactKind.URL, FactKind.EMAIL, FactKind.ERROR)
_NOT_COUNTED: Final = frozenset({"one", "once", "half", "both"})
"""Spelled numbers that mostly count nothing."""
_ROLES: Final = {"user": "user", "assistant": "assistant", "ai": "assistant", "tool": "tool"}


class Scope:
    """The turns that a note may speak of."""

    def __init__(
        self, near: Sequence[StoredTurn], wide: Sequence[StoredTurn], speakers: Sequence[str], kept: Sequence[str]
    ) -> None:
        self._near = near
        self._wide = wide
        self._speakers = speakers
        self._kept = kept
        self.seqs = [turn.seq for turn in near]
        self._passages: dict[tuple[int, ...], Passage] = {}

    def speakers_of(self, seqs: Sequence[int]) -> list[str]:
        """Who said the turns of some numbers, and their roles."""
        named = [turn for turn in self._near if turn.seq in seqs]
        return [*(speaker_label(turn) for turn in named), *(str(turn.role) for turn in named)]

    def is_anothers(self, text: str, seqs: Sequence[int], speaker: str) -> bool:
        """Whether a sentence without a name tells what another speaker said of themselves, and `speaker` did not."""
        for sentence in sentences_of(text):
            words = content_words(sentence)
            if len(words) < _FEW or self._subject(sentence)[0] is not None:
                continue
            near = [(passage.closeness(words), passage) for passage in self._sentences if passage.speaker]
            most = max((closeness for closeness, _ in near), default=0)
            best = [passage for closeness, passage in near if closeness == most]
            told = {owner for passage in best for owner in passage.owners(words, self._speakers)}
            if told and all(passage.seq not in seqs for passage in best) and not is_participant(speaker, told):
                return True
        return False

    # What is read

    def _lines(self, turns: Sequence[StoredTurn]) -> list[tuple[int, str, str]]:
        lines = [(turn.seq, speaker_label(turn), turn.content[:READ]) for turn in turns]
        return [*lines, *((0, "", text) for text in self._kept)]

    @cached_property
    def _sentences(self) -> list[Passage]:
        return list(passages_of(self._lines(self._near), clauses=False))

    @cached_property
    def _clauses(self) -> list[Passage]:
        return list(passages_of(self._lines(self._near), clauses=True))

    @cached_property
    def _all_near(self) -> Passage:
        return Passage("\n".join([*(line for *_, line in self._lines(self._near)), *self._speakers]), 0, "")

    @cached_property
    def _all_wide(self) -> Passage:
        return Passage("\n".join(line for *_, line in self._lines(self._wide)), 0, "")

    @cached_property
    def _flat(self) -> str:
        return _flat(self._all_near.text)

    @cached_property
    def _quantities(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for *_, text in self._lines(self._near):
            for fact in extract_facts(text).of(FactKind.NUMBER):
                value, unit = quantity(fact.text)
                found.setdefault(value, set()).add(unit)
            for word in WORD.findall(text.lower()):
                if word in SPELLED:
                    found.setdefault(SPELLED[word], set()).add("")
            for match in DIGITS.finditer(text):
                # A figure inside an identifier or a date, without a unit of its own.
                found.setdefault(value_of(match.group()), {""})
        return found

    # Figures, identifiers, names

    def facts(self, text: str) -> Iterator[Unfaithful]:
        """What is stated exactly and was not said."""
        undated = without_dates(text)
        if any(_flat(match.group()) not in self._flat for match in _COMPOUND.finditer(undated)):
            yield Unfaithful.NUMBER
        for fact in extract_facts(undated).all:
            if fact.kind is FactKind.NUMBER and not self._has_number(fact.text, undated, fact.start):
                yield Unfaithful.NUMBER
            elif fact.kind in _EXACT and not self._has_exactly(fact):
                yield Unfaithful.IDENTIFIER
        for word in words_of(undated):
            if word.text in SPELLED and word.text not in _NOT_COUNTED:
                after = undated[word.start + len(word.text) :]
                if SPELLED[word.text] not in self._quantities or not self._counts(SPELLED[word.text], after):
                    yield Unfaithful.NUMBER

    def _has_number(self, shown: str, text: str, start: int) -> bool:
        value, unit = quantity(shown)
        units = self._quantities.get(value)
        if units is None or (unit and unit not in units and "" not in units):
            return False
        named = _NAMED.search(text, 0, start)
        if named:
            # A number behind a name is part of it.
            return _flat(named.group() + shown) in self._flat
        return bool(unit) or self._counts(value, text[start + len(shown) :])

    def _counts(self, value: str, after: str) -> bool:
        """Whether a number counts here what stands behind it, as far as that can be seen."""
        counted = [word.text for word in words_of(_STOP.split(_ORDINAL.sub("", after))[0])[:_FEW]]
        counted = [word for word in counted if says_something(word)]
        if not counted or quantity(f"{value} {counted[0]}")[1] in self._quantities.get(value, ()):
            return True
        return any(around.has(word) for around in self._counted.get(value, ()) for word in counted)

    @cached_property
    def _counted(self) -> dict[str, list[Passage]]:
        """By value, the words around each number."""
        found: dict[str, list[Passage]] = {}
        for seq, speaker, text in self._lines(self._near):
            for match in _NUMERAL.finditer(text):
                word = match.group().lower()
                value = SPELLED.get(word) or value_of(word)
                after = _STOP.split(text[match.end() : match.end() + _AROUND])[0]
                if not words_of(after):
                    after = _STOP.split(text[max(0, match.start() - _AROUND) : match.start()])[-1]
                found.setdefault(value, []).append(Passage(after, seq, speaker))
        return found

    def _has_exactly(self, fact: Fact) -> bool:
        wanted = _flat(fact.text.removesuffix("()"))
        if wanted in self._flat:
            return True
        parts = WORD.findall(wanted)
        return fact.kind is FactKind.IDENTIFIER and bool(parts) and self._all_near.plain.issuperset(parts)

    # Words

    def words(self, text: str, seqs: Sequence[int]) -> Iterator[Unfaithful]:
        """Words that were not said near the turns; one may stand a little farther away."""
        wide = 0
        for sentence in sentences_of(text):
            for place, word in enumerate(words_of(sentence)):
                name = word.capital and place > 0
                if not says_something(word.text) or word.text in UNIT_NAMES:
                    continue
                if is_participant(word.text, self._speakers):
                    continue
                if self._has_name(word.text, sentence, seqs) if name else self._was_said(word.text, seqs):
                    continue
                wide += 1
                if wide > _WIDE_WORDS or not self._stands_wide(word.text, name=name):
                    yield Unfaithful.NAME if name else Unfaithful.WORD

    def _was_said(self, word: str, seqs: Sequence[int]) -> bool:
        """Whether a word stands near in some form, or one that means the same in the turns themselves."""
        if not self._all_near.shapes.isdisjoint(forms(word)) or self._named(tuple(seqs)).has(word):
            return True
        # 'Untested' is what was not tested.
        denied = word.removeprefix("un")
        return denied != word and any(passage.denies and passage.has(denied) for passage in self._clauses)

    def _named(self, seqs: tuple[int, ...]) -> Passage:
        if seqs not in self._passages:
            places = [place for place, turn in enumerate(self._near) if turn.seq in seqs]
            turns = [
                turn for place, turn in enumerate(self._near) if any(place - 1 <= at <= place + 1 for at in places)
            ]
            self._passages[seqs] = Passage("\n".join(line for *_, line in self._lines(turns)), 0, "")
        return self._passages[seqs]

    def _stands_wide(self, word: str, *, name: bool) -> bool:
        if name:
            return all(map(self._all_wide.names, WORD.findall(word)))
        return not self._all_wide.shapes.isdisjoint(forms(word))

    def _has_name(self, word: str, sentence: str, seqs: Sequence[int]) -> bool:
        """Whether a name stands in a turn that the note names, or beside what it says of it."""
        parts = WORD.findall(word)
        others = [other for other in content_words(sentence) if other != word]
        for passage in self._sentences:
            if all(passage.names(part) for part in parts) and (
                passage.seq in seqs or not passage.seq or passage.shared(others) >= min(_FEW, len(others))
            ):
                return True
        return False

    # Negations

    def polarity(self, text: str, seqs: Sequence[int]) -> Iterator[Unfaithful]:
        """Denials that nobody made, and affirmations of what was only denied."""
        for claim in statements_of(text):
            words = [word for word in content_words(claim) if not is_participant(word, self._speakers)]
            if DENIES.search(claim):
                if not self._denied(words, claim):
                    yield Unfaithful.NEGATION
            elif not LEANS_AWAY.search(claim) and self._only_denied(words, seqs):
                yield Unfaithful.AFFIRMATION

    def _denied(self, words: Sequence[str], claim: str) -> bool:
        """Whether something was denied that shares half of these words, and first what stands behind the negation."""
        told = words_of(claim[_end_of_negation(claim) :])
        behind = next((word.text for word in told if is_telling(word.text)), None)
        if behind is None and not words:
            plain = set(WORD.findall(claim.lower()))
            figures = {word for word in plain if word.isdigit()}
            return any(
                len(DENIES.findall(passage.text)) == len(DENIES.findall(claim))
                and figures <= passage.plain
                and len(plain & passage.plain) >= _FEW
                for passage in self._clauses
            )
        for passage in (*self._clauses, *self._sentences):
            if passage.shared(words) < _SUPPORT * len(words):
                continue
            if behind is not None and any(word.text == f"un{behind}" for word in passage.words):
                return True
            if passage.withheld is not None and (behind is None or passage.withheld.has(behind)):
                return True
        return False

    def _only_denied(self, words: Sequence[str], seqs: Sequence[int]) -> bool:
        """Whether all that was said with most of these words was a denial of them."""
        if not words:
            return False
        shared = [(passage.shared(words), passage) for passage in self._clauses if not passage.asks]
        most = max((count for count, _ in shared), default=0)
        if most < min(_FEW, len(words)):
            return False
        best = [passage for count, passage in shared if count == most]
        best = [passage for passage in best if passage.seq in seqs] or best
        return all(DENIES.search(passage.text) and passage.denied.shared(words) > 0 for passage in best) and (
            any(passage.denies for passage in best) or any(passage.affirms(words) for passage in best)
        )

    # Speakers

    def subjects(self, text: str, seqs: Sequence[int]) -> Iterator[Unfaithful]:
        """Sentences that give one speaker the words of another."""
        for sentence in sentences_of(text):
            who, place = self._subject(sentence)
            if who is not None and not self._is_about(sentence, who, place, seqs):
                yield Unfaithful.SPEAKER

    def _is_about(self, sentence: str, who: str, place: int, seqs: Sequence[int]) -> bool:
        """Whether what a sentence says of a speaker was said by them, or to them."""
        following = words_of(sentence)[place + 1 :]
        if any(word.capital and not word.owns and is_participant(word.text, [who]) for word in following):
            return False
        words = [word for word in content_words(sentence) if not is_participant(word, self._speakers)]
        near = [(passage.closeness(words), passage) for passage in self._sentences if passage.speaker]
        most = max((closeness for closeness, _ in near), default=0)
        best = [passage for closeness, passage in near if closeness == most]
        best = [passage for passage in best if passage.seq in seqs] or best
        reports = bool(following) and following[0].text in REPORTS
        if not most or reports or any(word.capital and is_participant(word.text, self._speakers) for word in following):
            return any(passage.speaker == who for passage in best)
        told = {owner for passage in best for owner in passage.owners(words, self._speakers)}
        return who in (told or {passage.speaker for passage in best})

    def _subject(self, sentence: str) -> tuple[str | None, int]:
        """The speaker that a sentence begins with, and at which word."""
        words = words_of(sentence)
        for place, word in enumerate(words[:_SUBJECT]):
            role = (
                _ROLES.get(word.text)
                if not any(next_word.capital for next_word in words[place + 1 : place + 2])
                else None
            )
            for speaker in self._speakers:
                if role == speaker.lower() or (
                    word.capital and word.text not in _ROLES and is_participant(word.text, [speaker])
                ):
                    return speaker, place
        return None, 0


def _end_of_negation(text: str) -> int:
    match = DENIES.search(text)
    return match.end() if match else 0


def _flat(text: str) -> str:
    return " ".join(text.lower().replace("\u2019", "'").split())
