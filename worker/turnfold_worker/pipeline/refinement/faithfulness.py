"""Whether a model's sentence says only what was said: numbers, names, identifiers, dates, negations, speakers.

A check of words, not of meaning: it refuses some true sentences, and that costs nothing, because the rules' words
stay. What it must not do is to let an invented figure, a name out of nowhere, a turned-round 'not' or another
person's promise into a context.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from turnfold.contract.records import StoredTurn
from turnfold.contract.speakers import speaker_label
from turnfold.contract.terms import stem, terms
from turnfold_worker.pipeline.language.common_words import is_common, weight
from turnfold_worker.pipeline.language.dates import as_utc, day_label, resolve_relative_days
from turnfold_worker.pipeline.language.facts import Fact, FactKind, extract_facts
from turnfold_worker.pipeline.language.quantities import DIGITS, SPELLED, WORD, date_words, quantity, value_of
from turnfold_worker.pipeline.refinement.sources import is_readable
from turnfold_worker.pipeline.turns.reading import is_participant


class Unfaithful(StrEnum):
    """Why a sentence is refused."""

    NUMBER = "a number that is not in the source"
    NAME = "a name that is not in the source"
    IDENTIFIER = "an identifier, path or address that is not in the source"
    DATE = "a date that is not in the source"
    NEGATION = "a negation that is not in the source"
    AFFIRMATION = "an affirmation of what the source denies"
    SPEAKER = "words of another speaker"
    TURN = "a turn that is not of this node"


_READ: Final = 50_000
"""Code points of a turn that are looked at from its beginning; of the rest only figures and names."""

_NO: Final = r"not|never|no|none|nobody|nothing|neither|nor|without|cannot|\w{2,8}n't"
_DENIES: Final = re.compile(rf"(?i)(?<!\w)(?:{_NO})(?!\w)")
_LEANS_AWAY: Final = re.compile(
    rf"(?i)(?<!\w)(?:{_NO}|refus\w*|declin\w*|reject\w*"
    r"|avoid\w*|forbid\w*|forbade|against|instead|rather|fail\w*|drop\w*|stop\w*|exclud\w*|ban|banned|unable|unless"
    r"|cancel\w*|abandon\w*|rul\w{1,3} out|miss\w*|lack\w*|except|dislike\w*|hate\w*|prevent\w*|disable\w*|remov\w*"
    r"|un\w{4,}|zero|too)(?!\w)"
)
_CLAUSE: Final = re.compile(r"[,;:.!?()\n]|\s[-–—]\s|\s(?:but|because|although|while|so)\s")
_OPENING: Final = re.compile(r"\A\W*([A-ZÀ-ÖØ-ÞΑ-ΩА-Я][\w'\u2019-]{2,40})")
_INFLECTED: Final = re.compile(r"(?:ed|ing|s|ly|tion|sion|ment|er|al|ity|ive|ance|ence|ness|able)\Z")
_SAYS: Final = re.compile(
    r"\A(?P<who>[^\W\d_][\w'\u2019-]*(?: [A-Z][\w'\u2019-]*)?)"
    r" (?:will|said|says|asked|asks|promised|promises|decided|decides|wants"
    r"|wanted|prefers|preferred|agreed|agrees|proposed|proposes|suggested|suggests|is going to|offered|offers|confirmed"
    r"|confirms|reported|reports|thinks|thought|explained|explains|noted|notes)(?!\w)"
)  # fmt: skip
_EXACT: Final = (FactKind.IDENTIFIER, FactKind.PATH, FactKind.URL, FactKind.EMAIL, FactKind.ERROR)
_TELLING: Final = 2
"""Weight from which a word says what a sentence is about: everyday words have 1."""
_SUPPORT: Final = 0.5
_STRONG: Final = 0.75
_FEW: Final = 2


@dataclass(frozen=True, slots=True)
class _Clause:
    words: frozenset[str]
    denies: bool
    leans_away: bool


def _clauses(text: str) -> Iterator[_Clause]:
    for piece in _CLAUSE.split(text):
        if piece and piece.strip():
            found = frozenset(_told(piece))
            yield _Clause(found, bool(_DENIES.search(piece)), bool(_LEANS_AWAY.search(piece)))


def _told(text: str) -> list[str]:
    """Words that tell what a text is about, as stems."""
    return [term for term in terms(text) if weight(term) >= _TELLING]


class Evidence:
    """What was said in some turns, looked at once for many sentences."""

    def __init__(self, turns: Sequence[StoredTurn], kept: Iterable[str] = ()) -> None:
        """`kept` are further texts that may be relied on, such as the rules' words of earlier segments."""
        self._turns = [turn for turn in turns if is_readable(turn)]
        self._of = {turn.seq: turn for turn in self._turns}
        self._kept = tuple(kept)

    def problems(self, text: str, turn_seq: int | None) -> list[Unfaithful]:
        """Why a sentence about a turn is refused; empty for a faithful one. `turn_seq` None: nobody's in particular."""
        found = [*self._facts(text), *self._polarity(text)]
        if turn_seq is not None:
            turn = self._of.get(turn_seq)
            if turn is None:
                found.append(Unfaithful.TURN)
            elif not self._may_be_said_by(text, turn):
                found.append(Unfaithful.SPEAKER)
        return list(dict.fromkeys(found))

    def mentions(self, tag: str) -> bool:
        """Whether every word of a tag was said."""
        words = terms(tag)
        return bool(words) and all(word in self._stems for word in words)

    # Facts

    def _facts(self, text: str) -> Iterator[Unfaithful]:
        for fact in extract_facts(text).all:
            if fact.kind is FactKind.NUMBER and not self._has_number(fact.text):
                yield Unfaithful.NUMBER
            elif fact.kind is FactKind.DATE and not self._has_date(fact.text):
                yield Unfaithful.DATE
            elif fact.kind is FactKind.NAME and not self._has_name(fact.text):
                yield Unfaithful.NAME
            elif fact.kind in _EXACT and not self._has_exactly(fact):
                yield Unfaithful.IDENTIFIER
        opening = _OPENING.match(text)
        if opening and not self._may_open(opening.group(1)):
            yield Unfaithful.NAME

    def _may_open(self, word: str) -> bool:
        """A capital at the beginning says little; only a word that looks like no inflected word is taken for a name."""
        lowered = word.lower()
        if is_common(lowered) or is_common(stem(lowered)) or _INFLECTED.search(lowered):
            return True
        return self._has_name(word)

    def _has_name(self, name: str) -> bool:
        if _flat(name) in self._flat:
            return True
        words = [word for word in WORD.findall(name.lower()) if not is_common(word)]
        return all(word in self._words or word.removesuffix("s") in self._words for word in words)

    def _has_exactly(self, fact: Fact) -> bool:
        wanted = _flat(fact.text.removesuffix("()"))
        return wanted in self._flat or (fact.kind is FactKind.IDENTIFIER and self._has_name(fact.text))

    def _has_number(self, shown: str) -> bool:
        value, unit = quantity(shown)
        units = self._quantities.get(value)
        return units is not None and (not unit or unit in units or "" in units)

    def _has_date(self, shown: str) -> bool:
        wanted = date_words(shown)
        if any(wanted <= known for known in self._dates):
            return True
        return not any(word.isdigit() for word in wanted) and wanted <= self._words

    @cached_property
    def _texts(self) -> list[str]:
        texts = [turn.content for turn in self._turns]
        return [*texts, *(speaker_label(turn) for turn in self._turns), *self._kept]

    @cached_property
    def _flat(self) -> str:
        return "\n".join(_flat(text) for text in self._texts)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word for text in self._texts for word in WORD.findall(text.lower()))

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(term for text in self._texts for term in terms(text))

    @cached_property
    def _quantities(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for text in self._texts:
            for match in DIGITS.finditer(text):
                found.setdefault(value_of(match.group()), set())
            for fact in extract_facts(text).of(FactKind.NUMBER):
                value, unit = quantity(fact.text)
                found.setdefault(value, set()).add(unit)
            for word in WORD.findall(text.lower()):
                if word in SPELLED:
                    found.setdefault(SPELLED[word], set()).add("")
        for units in found.values():
            # A figure inside an identifier or a date, without a unit of its own.
            if not units:
                units.add("")
        return found

    @cached_property
    def _dates(self) -> list[frozenset[str]]:
        days = [as_utc(turn.created_at).date() if turn.created_at else None for turn in self._turns]
        texts = [
            resolve_relative_days(turn.content[:_READ], day) if day else turn.content[:_READ]
            for turn, day in zip(self._turns, days, strict=True)
        ]
        said = {fact.text for text in (*texts, *self._texts) for fact in extract_facts(text).of(FactKind.DATE)} | {
            day_label(day) for day in days if day
        }
        return [date_words(shown) for shown in sorted(said)]

    # Negations

    def _polarity(self, text: str) -> Iterator[Unfaithful]:
        for claim in _clauses(text):
            if claim.denies and not self._denied(claim.words):
                yield Unfaithful.NEGATION
            elif not claim.leans_away and self._only_denied(claim.words):
                yield Unfaithful.AFFIRMATION

    def _denied(self, words: frozenset[str]) -> bool:
        """Whether something was denied that shares half of these words."""
        return any(said.leans_away and len(words & said.words) >= _SUPPORT * len(words) for said in self._said)

    def _only_denied(self, words: frozenset[str]) -> bool:
        """Whether all that was said with nearly these words was a denial."""
        if len(words) < _FEW:
            return False
        near = [said for said in self._said if len(words & said.words) >= _STRONG * len(words)]
        return bool(near) and all(said.denies for said in near)

    @cached_property
    def _said(self) -> list[_Clause]:
        return [clause for text in self._texts for clause in _clauses(text[:_READ])]

    # Speakers

    def _may_be_said_by(self, text: str, turn: StoredTurn) -> bool:
        """Whether the words are rather the speaker's of `turn`, or of whom the sentence names, than another's."""
        words = frozenset(_told(text))
        claimed = speaker_label(turn)
        said = _SAYS.match(text)
        others = list(self._words_of)
        if said and not _mentions(turn.content, said.group("who")):
            claimed = next((one for one in others if is_participant(said.group("who"), [one])), claimed)
        names = {part for one in others for part in terms(one)}
        words -= names
        if len(words) < _FEW:
            return True
        if len(words & self._words_of[claimed]) >= _SUPPORT * len(words):
            return True
        return not any(
            len(words & theirs) >= _STRONG * len(words) for one, theirs in self._words_of.items() if one != claimed
        )

    @cached_property
    def _words_of(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for turn in self._turns:
            found.setdefault(speaker_label(turn), set()).update(terms(turn.content[:_READ]))
        return {speaker: frozenset(words) for speaker, words in found.items()}


def _mentions(content: str, name: str) -> bool:
    return bool(re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", content[:_READ]))


def _flat(text: str) -> str:
    return " ".join(text.lower().replace("\u2019", "'").split())
