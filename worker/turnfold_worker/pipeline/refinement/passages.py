"""Sentences and clauses of a source: their words, what they deny, and whom they are about."""

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
"""A question tag after a statement."""
_ASKED_OF_YOU: Final = lazy_pattern(r"(?i)[ ,]{0,3}(?:want|wanna|care|fancy|feel like|interested|ready|up for)(?!\w)")
"""The beginning of a part of a question that leaves out its 'you'."""
REQUEST: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:(?:can|could|will) you|would you (?!like|want|prefer|say)|please|help me)(?!\w)"
)
"""Phrases that ask the listener to do something."""
_OF_ME: Final = lazy_pattern(r"(?i) to(?!\w)")
_LIKE_WORD: Final = 0.75
_EXCLAIMED: Final = lazy_pattern(r"\W*\w+[,!]")
_OWNED: Final = frozenset({"my", "our", "your"})
_NO_SUBJECTS: Final = frozenset({"my", "mine", "me", "myself", "our", "ours", "us", "ourselves", "your", "yours"})
_ONLY_SUBJECTS: Final = FIRST - _NO_SUBJECTS
_PAUSE: Final = lazy_pattern(r"[,;:.!?(\[\u2013\u2014]")
_UNHELD: Final = 0.5
"""Confidence that a word belongs to its speaker without an 'I'."""
_ASKED: Final = 0.8
"""Confidence that a word of a question belongs to the person asked."""


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
        """All forms of its content words."""
        telling = (word.text for word in self.words if is_telling(word.text))
        return frozenset(form for word in telling for form in forms(word))

    @cached_property
    def plain(self) -> frozenset[str]:
        """Its words and figures in lower case, unstemmed."""
        return frozenset(WORD.findall(self.text.lower()))

    def names(self, word: str) -> bool:
        """Return whether a lower-case name occurs here with a capital, or at all if no word here has one.

        An ordinary word that is exclaimed at the beginning does not count: 'Certainly!'.
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
        """The text after the negation, up to the end of what the negation covers."""
        match = DENIES.search(self.text)
        behind = REACH.split(self.text[match.end() :])[0] if match else ""
        factive = FACTIVE.match(behind)
        return Passage(factive.group() if factive else behind, self.seq, self.speaker)

    def affirms(self, words: Iterable[str]) -> bool:
        """Return whether some words include the verb of a negation that affirms: 'forget' of 'never forget'."""
        verbs = [match.group().split()[-1] for match in AFFIRMS.finditer(self.text)]
        return any(not forms(verb.lower()).isdisjoint(forms(word)) for verb in verbs for word in words)

    def has(self, word: str) -> bool:
        """Return whether a word occurs here in some form, or as a synonym."""
        return not self.shapes.isdisjoint(forms(word)) or not self.shapes.isdisjoint(meanings(word))

    @cached_property
    def speaks_of_self(self) -> bool:
        """Whether the passage is about its speaker: 'I have not', or a leading 'Haven't'."""
        return any(word.text in FIRST for word in self.words) or bool(NO_SUBJECT.match(self.text))

    def shared(self, words: Iterable[str]) -> int:
        """Return how many of some words occur here."""
        return sum(map(self.has, words))

    def closeness(self, words: Iterable[str]) -> float:
        """Return how similar the passage is to some words: a form of a word counts more than a synonym."""
        return sum(
            ONE_WORD if not self.shapes.isdisjoint(forms(word)) else self.has(word) * _LIKE_WORD * ONE_WORD
            for word in words
        )

    def votes(self, word: str, speakers: Sequence[str], *, said: bool) -> dict[str, float]:
        """Return to whom a word belongs here, with a confidence; with `said`, to the speaker alone."""
        votes: dict[str, float] = {}
        for shapes, held in self._held(tuple(speakers)):
            weight = float(not shapes.isdisjoint(forms(word))) or _LIKE_WORD * (not shapes.isdisjoint(meanings(word)))
            for owner, surely in ({self.speaker: 1.0} if said else held).items() if weight else ():
                votes[owner] = max(votes.get(owner, 0.0), weight * surely)
        return votes

    def _held(self, speakers: tuple[str, ...]) -> list[tuple[frozenset[str], dict[str, float]]]:
        """Return the forms of each content word, with the people it may belong to and a confidence for each.

        A word belongs to the person meant by the 'I' or 'you' before, to both for 'I sent you a map'; a 'you' applies
        up to the end of its clause. A word before the first pronoun may belong to the speaker, to the person asked, or
        to the person that the text goes on to mention.
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
        """Return whether a part of a question begins with a word that implies a 'you': 'want to come?'."""
        return self.asks and bool(_ASKED_OF_YOU.match(self.text, word.start))

    def _means_its_subject(self, word: Word, end: int) -> bool:
        """Return whether a pronoun is the subject of what follows, as in 'like me to come'."""
        return word.text in _ONLY_SUBJECTS or (word.text in ("me", "us") and bool(_OF_ME.match(self.text, end)))

    def is_of_third(self, word: str) -> bool:
        """Return whether a word belongs to a 'he' or 'she', if that is the last pronoun before the word."""
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
        """Return the people that the claimed words are about, by the pronoun before each; empty if none has one."""
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
    """Yield the sentences or statements of turns, given as (number, speaker, text)."""
    for seq, speaker, content in turns:
        for sentence in sentences_of(content):
            asks = sentence.rstrip().endswith("?") and not _TAG.search(sentence)
            pieces = statements_of(sentence) if clauses else [sentence]
            for place, piece in enumerate(pieces, 1):
                yield Passage(piece, seq, speaker, asks and place == len(pieces))
