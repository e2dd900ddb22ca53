"""The sentences and clauses of a source: what they say, deny, and of whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.quantities import WORD
from turnfold_worker.pipeline.language.word_forms import forms, is_ordinary, meanings
from turnfold_worker.pipeline.refinement.claims import (
    FIRST,
    SECOND,
    THIRD,
    Word,
    is_telling,
    says_something,
    sentences_of,
    statements_of,
    words_of,
)
from turnfold_worker.pipeline.refinement.negations import AFFIRMS, DENIES, FACTIVE, NO_SUBJECT, REACH, denies

ONE_WORD: Final = 4
_TAG: Final = lazy_pattern(r"(?i),? (?:right|no|huh|eh|yeah|ok|okay|correct)\? *\Z")
"""The end of a question that states."""
_ASKED_OF_YOU: Final = lazy_pattern(r"(?i)[ ,]{0,3}(?:want|wanna|care|fancy|feel like|interested|ready|up for)(?!\w)")
"""How a part of a question begins that leaves the 'you' out."""
REQUEST: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:(?:can|could|will) you|would you (?!like|want|prefer|say)|please|help me)(?!\w)"
)
"""How somebody asks for a deed."""
_OF_ME: Final = lazy_pattern(r"(?i) to(?!\w)")
_LIKE_WORD: Final = 0.75
_EXCLAIMED: Final = lazy_pattern(r"\W*\w+[,!]")
_OWNED: Final = frozenset({"my", "our", "your"})
_NO_SUBJECTS: Final = frozenset({"my", "mine", "me", "myself", "our", "ours", "us", "ourselves", "your", "yours"})
_ONLY_SUBJECTS: Final = FIRST - _NO_SUBJECTS
_PAUSE: Final = lazy_pattern(r"[,;:.!?(\[\u2013\u2014]")
_UNHELD: Final = 0.5
"""How surely a word belongs to whoever says it without an 'I'."""
_ASKED: Final = 0.8
"""How surely a word of a question belongs to whom it asks."""


@dataclass(frozen=True)
class Passage:
    """A sentence or clause of the source."""

    text: str
    seq: int
    speaker: str
    asks: bool = False
    """Whether it is part of a question."""

    @cached_property
    def words(self) -> list[Word]:
        return words_of(self.text)

    @cached_property
    def shapes(self) -> frozenset[str]:
        """All forms of all of its words."""
        telling = (word.text for word in self.words if is_telling(word.text))
        return frozenset(form for word in telling for form in forms(word))

    @cached_property
    def plain(self) -> frozenset[str]:
        """Its words and figures in lower case as they are."""
        return frozenset(WORD.findall(self.text.lower()))

    def names(self, word: str) -> bool:
        """Whether a name in lower case stands here as a name; in a text without capitals, as a word.

        An ordinary word that is exclaimed at the beginning is none: 'Certainly!'.
        """
        if word not in self.plain and word.removesuffix("s") not in self.plain:
            return False
        written = {
            word.text for place, word in enumerate(self.words)
            if word.capital and not (place == 0 and is_ordinary(word.text) and _EXCLAIMED.match(self.text))
        }  # fmt: skip
        return (
            word in written
            or word.removesuffix("s") in written
            or not word.isalpha()
            or not any(word_here.capital for word_here in self.words)
        )

    @cached_property
    def denies(self) -> bool:
        return denies(self.text)

    @cached_property
    def denied(self) -> Passage:
        """What stands behind the negation, as far as it reaches."""
        match = DENIES.search(self.text)
        behind = REACH.split(self.text[match.end() :])[0] if match else ""
        factive = FACTIVE.match(behind)
        return Passage(factive.group() if factive else behind, self.seq, self.speaker)

    def affirms(self, words: Iterable[str]) -> bool:
        """Whether some words hold the verb of a negation that affirms: 'forget' of 'never forget'."""
        verbs = [match.group().split()[-1] for match in AFFIRMS.finditer(self.text)]
        return any(not forms(verb.lower()).isdisjoint(forms(word)) for verb in verbs for word in words)

    def has(self, word: str) -> bool:
        """Whether a word stands here in some form, or one that means the same."""
        return not self.shapes.isdisjoint(forms(word)) or not self.shapes.isdisjoint(meanings(word))

    @cached_property
    def speaks_of_self(self) -> bool:
        """Whether it is about its speaker: 'I have not', or 'Have not' at its beginning."""
        return any(word.text in FIRST for word in self.words) or bool(NO_SUBJECT.match(self.text))

    def shared(self, words: Iterable[str]) -> int:
        """How many of some words stand here."""
        return sum(map(self.has, words))

    def closeness(self, words: Iterable[str]) -> float:
        """How near this comes to some words: more for a form of a word than for one that means the same."""
        return sum(
            ONE_WORD if not self.shapes.isdisjoint(forms(word)) else self.has(word) * _LIKE_WORD * ONE_WORD
            for word in words
        )

    def votes(self, word: str, speakers: Sequence[str], *, said: bool) -> dict[str, float]:
        """To whom a word belongs here, and how surely; with `said` to whoever said it."""
        votes: dict[str, float] = {}
        for shapes, held in self._held(tuple(speakers)):
            weight = float(not shapes.isdisjoint(forms(word))) or _LIKE_WORD * (not shapes.isdisjoint(meanings(word)))
            for owner, surely in ({self.speaker: 1.0} if said else held).items() if weight else ():
                votes[owner] = max(votes.get(owner, 0.0), weight * surely)
        return votes

    def _held(self, speakers: tuple[str, ...]) -> list[tuple[frozenset[str], dict[str, float]]]:
        """The forms of each telling word, with how surely it belongs to whom.

        That is whom the 'I' or 'you' before it means, both for 'I sent you a map'; what a 'you' does ends with its
        clause. Before the first of them it may be whoever speaks, or is asked, or the one of whom it goes on to speak.
        """
        if speakers not in self._holders:
            mine, yours = {self.speaker}, {speaker for speaker in speakers if speaker != self.speaker}
            unheld = dict.fromkeys(yours if self.asks and yours else mine, _UNHELD)
            holder = mine if NO_SUBJECT.match(self.text) and not self.asks else set()
            owner: set[str] = set()
            forms_held = []
            open_words: list[dict[str, float]] = []
            end = 0
            for word in self.words:
                if _PAUSE.search(self.text[end : word.start]):
                    open_words.clear()
                    holder, owner = (holder if holder == mine else set()), set()
                    holder = yours if self._asks_of_you(word) else holder
                end = word.start + len(word.text)
                if word.text in FIRST or word.text in SECOND:
                    meant = mine if word.text in FIRST else yours
                    owner = meant if word.text in _OWNED else set()
                    if not holder or self._means_its_subject(word, end):
                        holder = meant
                    elif word.text not in _NO_SUBJECTS:
                        holder = holder | meant
                    for open_holders in open_words:
                        open_holders.update(dict.fromkeys(meant, _UNHELD))
                    open_words.clear()
                elif not says_something(word.text):
                    owner = set()
                else:
                    held = dict.fromkeys(owner or holder, _ASKED if self.asks else 1.0) or dict(unheld)
                    forms_held.append((forms(word.text), held))
                    if not holder:
                        open_words.append(held)
            self._holders[speakers] = forms_held
        return self._holders[speakers]

    def _asks_of_you(self, word: Word) -> bool:
        """Whether a part of a question begins with a word for which a 'you' is left out: 'want to come?'."""
        return self.asks and bool(_ASKED_OF_YOU.match(self.text, word.start))

    def _means_its_subject(self, word: Word, end: int) -> bool:
        """Whether a person is the subject of what follows, as in 'like me to come'."""
        return word.text in _ONLY_SUBJECTS or (word.text in ("me", "us") and bool(_OF_ME.match(self.text, end)))

    def is_of_third(self, word: str) -> bool:
        """Whether a word belongs to a 'he' or 'she', the last person before it."""
        return any(not shapes.isdisjoint(forms(word)) for shapes in self._of_third)

    @cached_property
    def _of_third(self) -> list[frozenset[str]]:
        of_third = []
        is_third = False
        for word in self.words:
            if word.text in THIRD or word.text in FIRST or word.text in SECOND:
                is_third = word.text in THIRD
            elif is_third and says_something(word.text):
                of_third.append(forms(word.text))
        return of_third

    @cached_property
    def _holders(self) -> dict[tuple[str, ...], list[tuple[frozenset[str], dict[str, float]]]]:
        return {}

    def owners(self, claimed: Sequence[str], others: Iterable[str]) -> set[str]:
        """Of whom the claimed words are said here: by the person before each. Empty where nobody stands before them."""
        shapes = frozenset(form for word in claimed for form in (*forms(word), *meanings(word)))
        owners: set[str] = set()
        holder: set[str] = set()
        for word in self.words:
            if word.text in FIRST:
                holder = {self.speaker}
            elif word.text in SECOND:
                holder = set(others) - {self.speaker}
            elif says_something(word.text) and not shapes.isdisjoint(forms(word.text)):
                owners |= holder
        return owners


def passages_of(turns: Iterable[tuple[int, str, str]], *, clauses: bool) -> Iterator[Passage]:
    """The sentences or statements of turns, given as (number, speaker, words)."""
    for seq, speaker, content in turns:
        for sentence in sentences_of(content):
            asks = sentence.rstrip().endswith("?") and not _TAG.search(sentence)
            pieces = statements_of(sentence) if clauses else [sentence]
            for place, piece in enumerate(pieces, 1):
                yield Passage(piece, seq, speaker, asks and place == len(pieces))
