"""Check a note against the turns that it may draw on: words, figures, negations, speakers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import StoredTurn
from turnfold.contract.speakers import speaker_label
from turnfold_worker.pipeline.language.facts import Fact, FactKind, extract_facts
from turnfold_worker.pipeline.language.quantities import SPELLED, UNIT_NAMES, WORD
from turnfold_worker.pipeline.language.word_forms import forms, is_misspelt
from turnfold_worker.pipeline.refinement.claimed_days import without_dates
from turnfold_worker.pipeline.refinement.claims import (
    REPORTS,
    SAYINGS,
    Word,
    content_words,
    says_something,
    sentences_of,
    statements_of,
    words_of,
)
from turnfold_worker.pipeline.refinement.denials import Denials
from turnfold_worker.pipeline.refinement.figures import Figures, flat
from turnfold_worker.pipeline.refinement.names import Names
from turnfold_worker.pipeline.refinement.negations import (
    DENIES,
    LEANS_AWAY,
    NO,
    OPEN,
    OPEN_BEFORE,
    QUOTED,
    emphasis_of,
    without_emphasis,
)
from turnfold_worker.pipeline.refinement.passages import Passage, passages_of
from turnfold_worker.pipeline.refinement.spellings import parts_of_names, spaced, without_none
from turnfold_worker.pipeline.refinement.subjects import Subjects
from turnfold_worker.pipeline.refinement.unfaithful import Unfaithful
from turnfold_worker.pipeline.turns.reading import is_participant

READ: Final = 50_000
"""Code points that are read from the beginning of a turn."""
_DENIED_OR: Final = lazy_pattern(rf"(?i)(?<!\w)(?:{NO})(?!\w)[^,;.]{{0,30}}\s(?:or|nor)\s{{0,2}}\Z")
"""'Has not met or': the negation also covers what follows."""
_VERSION: Final = lazy_pattern(r"v?\d+(?:\.\d+)+")
_FIGURED: Final = lazy_pattern(r"(?<![^\W_])[^\W\d_]+\d+[^\W_]*|(?<![\w.])\d{2,4}s(?!\w)")
"""Words with a number in them, and decades."""
_ROOT: Final = 4
"""Minimum length of a shared root by which a capitalized word is recognized."""
_LONG: Final = 6
"""Minimum length of a word that may be misspelt."""
_FEW: Final = 2
_FARTHER: Final = 5
"""Number of turns before the near ones in which a word may occur, too."""
_EXACT: Final = (FactKind.IDENTIFIER, FactKind.PATH, FactKind.URL, FactKind.EMAIL, FactKind.ERROR)


class Scope:
    """The turns that a note may draw on."""

    def __init__(
        self,
        near: Sequence[StoredTurn],
        wide: Sequence[StoredTurn],
        speakers: Sequence[str],
        kept: Sequence[str],
        named: Sequence[int] = (),
    ) -> None:
        """`wide` are all turns shown in the request; `named` are the numbers a note cites, empty for all near turns."""
        self._near = near
        self._wide = wide
        self._speakers = speakers
        self._kept = kept
        self._seqs = frozenset(named) or frozenset([0, *(turn.seq for turn in near)])
        self.seqs = [turn.seq for turn in near]
        self._passages: dict[tuple[int, ...], Passage] = {}

    def speakers_of(self, seqs: Sequence[int]) -> list[str]:
        """Return the speakers and roles of the turns with the given numbers."""
        named = [turn for turn in self._near if turn.seq in seqs]
        return [*(speaker_label(turn) for turn in named), *(str(turn.role) for turn in named)]

    @cached_property
    def speakers(self) -> Subjects:
        """The attribution of sentences to speakers."""
        return Subjects(self._sentences, self._speakers)

    @cached_property
    def _names(self) -> Names:
        return Names(self._sentences, self._lines(self._wide), self._speakers)

    # Text of the turns

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
    def _flat(self) -> str:
        return flat(self._all_near.text)

    # Figures, identifiers, names

    def facts(self, text: str, seqs: Sequence[int]) -> Iterator[Unfaithful]:
        """Yield a problem for exact facts that were not said: numbers, identifiers, addresses."""
        undated = without_dates(text)
        if not Figures(self._lines([turn for turn in self._near if not seqs or turn.seq in seqs])).support(undated):
            yield Unfaithful.NUMBER
        if any(match.group().lower() not in self._figured for match in _FIGURED.finditer(undated)):
            yield Unfaithful.IDENTIFIER
        for fact in extract_facts(undated).all:
            if fact.kind in _EXACT and not self._has_exactly(fact):
                yield Unfaithful.IDENTIFIER

    @cached_property
    def _figured(self) -> frozenset[str]:
        return frozenset(match.group().lower() for match in _FIGURED.finditer(self._all_near.text))

    def _has_exactly(self, fact: Fact) -> bool:
        spelled = fact.text.partition(":")[0] if fact.kind is FactKind.ERROR else fact.text
        wanted = flat(spelled.removesuffix("()"))
        if _VERSION.fullmatch(wanted):
            return bool(re.search(rf"(?<![\d.]){re.escape(wanted.removeprefix('v'))}(?![\w]|\.\d)", self._flat))
        if wanted in self._flat:
            return True
        parts = WORD.findall(wanted)
        return fact.kind is FactKind.IDENTIFIER and bool(parts) and self._all_near.plain.issuperset(parts)

    # Words

    def words(self, text: str, seqs: Sequence[int]) -> Iterator[Unfaithful]:
        """Yield a problem for each word not said nearby; a few may come from earlier turns, which an 'it' refers to."""
        farther: set[str] = set()
        for sentence in sentences_of(text):
            words = words_of(sentence)
            for place, word in enumerate(words):
                if not says_something(word.text) or word.text in UNIT_NAMES or word.text in SPELLED:
                    continue
                speaker = is_participant(word.text, self._speakers)
                if speaker or (word.capital and (place > 0 or self.speakers.is_name(word.text))):
                    if self._is_of_identifier(sentence, words, place):
                        continue
                    known = self._names.is_addressed if speaker else partial(self._names.has, sentence=sentence)
                    if self._names.is_torn(sentence, words, place) or not known(word.text, seqs=seqs):
                        yield Unfaithful.NAME
                    continue
                if place and self._tells_of_words(words[place - 1], word.text):
                    continue
                if self._is_stranger(word) or not self._was_said(word.text, sentence, seqs):
                    farther.add(word.text)
                    if word.capital or len(farther) > _FEW or self._all_before.shapes.isdisjoint(forms(word.text)):
                        yield Unfaithful.WORD

    @cached_property
    def _all_before(self) -> Passage:
        """The text of a few turns before the near ones."""
        first = next((place for place, turn in enumerate(self._wide) if turn.seq == self.seqs[0]), 0)
        sentences_before = self._wide[max(0, first - _FARTHER) : first]
        return Passage("\n".join(line for *_, line in self._lines(sentences_before)), 0, "")

    def _was_said(self, word: str, sentence: str, seqs: Sequence[int]) -> bool:
        """Return whether a word occurs nearby in some form, or as a synonym in or right next to the cited turns."""
        if not self._all_near.shapes.isdisjoint(forms(word)) or self._named(tuple(seqs)).has(word):
            return True
        # 'Untested' restates 'not tested'.
        denied = word.removeprefix("un")
        if denied != word and any(passage.denies and passage.has(denied) for passage in self._clauses):
            return True
        return word in self._coined or self._is_part_of_compound(sentence, word) or self._is_misspelt(word)

    @cached_property
    def _coined(self) -> frozenset[str]:
        return parts_of_names(self._all_near.text)

    def _tells_of_words(self, speaker: Word, word: str) -> bool:
        """Return whether a word after a speaker's name reports that speaker's words."""
        tells = word in REPORTS or (word in SAYINGS and speaker.owns)
        return tells and is_participant(speaker.text, self._speakers)

    def _is_of_identifier(self, sentence: str, words: Sequence[Word], place: int) -> bool:
        """Return whether a hyphenated word is part of a name in code: 'Flask-Caching' for `flask_caching`."""
        return any(
            sentence[first.start + len(first.text) : second.start] == "-"
            and f"{first.text}_{second.text}" in self._flat
            for first, second in pairwise(words[max(0, place - 1) : place + _FEW])
        )

    def _is_stranger(self, word: Word) -> bool:
        """Return whether a capitalized word shares at most a short root with the turns: 'Peter' with 'pets'."""
        if not word.capital or {word.text, word.text.removesuffix("s")} & self._all_near.plain:
            return False
        return all(len(root) < _ROOT for root in forms(word.text) & self._all_near.shapes)

    def _is_part_of_compound(self, sentence: str, word: str) -> bool:
        """Return whether two adjacent words occur nearby as one, or the reverse: 'ice cream' as 'icecream'."""
        beside = (neighbour.text for neighbour in words_of(sentence) if neighbour.text != word)
        return word in self._joined or any(
            {f"{word}{other}", f"{other}{word}"} & self._all_near.plain for other in beside
        )

    @cached_property
    def _joined(self) -> frozenset[str]:
        """Each two adjacent words as one: 'board game' as 'boardgame'."""
        return frozenset(f"{first.text}{second.text}" for first, second in pairwise(self._all_near.words))

    def _is_misspelt(self, word: str) -> bool:
        """Return whether a word occurs nearby misspelt."""
        return len(word) >= _LONG and any(is_misspelt(written, word) for written in self._all_near.plain)

    def _named(self, seqs: tuple[int, ...]) -> Passage:
        if seqs not in self._passages:
            self._passages[seqs] = Passage("\n".join(line for *_, line in self._lines(self._beside(seqs))), 0, "")
        return self._passages[seqs]

    def _beside(self, seqs: Sequence[int]) -> list[StoredTurn]:
        """Return the turns with the given numbers and their direct neighbours; all turns if none has such a number."""
        places = [place for place, turn in enumerate(self._near) if turn.seq in seqs]
        return [
            turn
            for place, turn in enumerate(self._near)
            if not places or any(place - 1 <= at <= place + 1 for at in places)
        ]

    # Negations

    def polarity(self, text: str) -> Iterator[Unfaithful]:
        """Yield a problem for each denial that was not made, and each affirmation of what was only denied."""
        if any(quote in flat(text) for quote in self._denied_quotes):
            yield Unfaithful.AFFIRMATION
        text = without_none(QUOTED.sub(self._without_denial, text), self._spaced)
        for message in self._denying_messages:
            text = re.sub(rf"(?<!\w){re.escape(message)}(?!\w)", " ", text)
        for sentence in sentences_of(text):
            who, _ = self.speakers.of(sentence)
            for statement in statements_of(sentence):
                claim = without_emphasis(statement)
                words = self._told(claim)
                if len(words) == 1 and claim.strip(" .!").lower() == words[0]:
                    # A bare item of a list: its verb comes before.
                    continue
                if any(flat(emphasized) not in self._flat for emphasized in emphasis_of(statement)):
                    yield Unfaithful.NEGATION
                if DENIES.search(claim):
                    if not self._denials.support(words, claim, who):
                        yield Unfaithful.NEGATION
                    continue
                text_before = sentence[: sentence.find(statement)]
                claimed = (
                    "" if OPEN_BEFORE.search(text_before) or _DENIED_OR.search(text_before) else OPEN.split(claim)[0]
                )
                if self._is_denied(claimed):
                    yield Unfaithful.AFFIRMATION

    def _is_denied(self, statement: str) -> bool:
        """Return whether the source denies a statement."""
        if statement and self._denials.is_stripped(self._without_subject(statement)):
            return True
        return not LEANS_AWAY.search(statement) and self._denials.refute(self._told(statement), statement)

    def _without_denial(self, quote: re.Match[str]) -> str:
        """Blank out a quote that denies and occurs as written: 'is not iterable'."""
        denies = DENIES.search(quote.group()) and flat(quote["words"]) in self._flat
        return " " if denies else quote.group()

    @cached_property
    def _spaced(self) -> str:
        return spaced(self._all_near.text)

    @cached_property
    def _denying_quotes(self) -> list[str]:
        """Quotes that deny, such as error messages."""
        quotes = (quote["words"] for quote in QUOTED.finditer(self._all_near.text))
        return [quote for quote in quotes if DENIES.search(quote)]

    @cached_property
    def _denying_messages(self) -> list[str]:
        """Denying quotes that a note may repeat without quotation marks: those of several words."""
        return [quote for quote in self._denying_quotes if len(quote.split()) > _FEW + 1 and quote.strip() == quote]

    @cached_property
    def _denied_quotes(self) -> list[str]:
        """Denying quotes without their negation."""
        bare = (
            flat(DENIES.sub(" ", quote))
            for quote in self._denying_quotes
            if (no := DENIES.search(quote)) and no.end() < len(quote)
        )
        return [quote for quote in bare if quote.count(" ") >= _FEW]

    def _without_subject(self, statement: str) -> str:
        """Return a statement without a speaker's name at its beginning."""
        first, _, behind = statement.strip().partition(" ")
        return behind if is_participant(first, self._speakers) else statement

    def _told(self, claim: str) -> list[str]:
        return [word for word in content_words(claim) if not is_participant(word, self._speakers)]

    @cached_property
    def _denials(self) -> Denials:
        return Denials(self._lines(self._near), self._seqs)
