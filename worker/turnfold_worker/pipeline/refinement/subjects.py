"""Whom the sentences of a note are about, and whether what they say of a speaker was said by them, or to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from turnfold_worker.pipeline.refinement.claims import (
    ONE_WORD,
    REPORTS,
    Passage,
    Word,
    content_words,
    sentences_of,
    words_of,
)
from turnfold_worker.pipeline.refinement.unfaithful import Unfaithful
from turnfold_worker.pipeline.turns.reading import is_participant

REFERS: Final = re.compile(r"(?i)(?<!\w)(?:it|that|this|there|these|those|them)(?!\w)")
"""Words that stand for a thing that was named before."""
_SUBJECT: Final = 4
"""Words of a sentence among which its subject is looked for."""
_PRONOUNS: Final = frozenset({"he", "she", "they"})
_SAME_SUBJECT: Final = frozenset({"when", "while", "because", "since", "as", "after", "before", "until", "if", "where"})
"""Words behind which a subject may be named again."""
_NAMED_SO: Final = r"(?i)(?<!\w)(?:i'm|i am|my name is|my name's|call me) {0}(?!\w)|\w, {0}[!,.]"
"""How a speaker's own name is told, or how they are called by it."""
_FEW: Final = 2
_ROLES: Final = {"user": "user", "assistant": "assistant", "ai": "assistant", "tool": "tool"}


class Subjects:
    """The speakers of some sentences, and what is said of whom in them."""

    def __init__(self, sentences: Sequence[Passage], speakers: Sequence[str]) -> None:
        self._sentences = sentences
        self._speakers = speakers

    def problems(self, text: str, seqs: Sequence[int]) -> Iterator[Unfaithful]:
        """Sentences that give one speaker the words of another."""
        for sentence in sentences_of(text):
            who, place = self.of(sentence)
            if who is not None and not self._is_about(sentence, who, place, seqs):
                yield Unfaithful.SPEAKER
            elif who is None and self._is_of_speaker(sentence):
                yield Unfaithful.NAME

    def _is_of_speaker(self, sentence: str) -> bool:
        """Whether a sentence begins with somebody's name, and a speaker said what it says of themselves."""
        told = words_of(sentence)
        if len(told) < _FEW or not told[0].capital or told[0].owns or not self.is_name(told[0].text):
            return False
        subject = told[0]
        if any(re.search(_NAMED_SO.format(re.escape(subject.text)), one.text) for one in self._sentences):
            return False
        words = [word for word in content_words(sentence) if word != subject.text]
        near = [(passage.closeness(words), passage) for passage in self._sentences]
        most = max((closeness for closeness, _ in near), default=0)
        best = [passage for closeness, passage in near if closeness == most]
        return most > 0 and all(
            passage.owners(words[:1], self._speakers) and not passage.names(subject.text) for passage in best
        )

    def _is_about(self, sentence: str, who: str, place: int, seqs: Sequence[int]) -> bool:
        """Whether what a sentence says of a speaker was said by them, or to them."""
        before, following = words_of(sentence)[:place], words_of(sentence)[place + 1 :]
        if any(
            word.capital and not word.owns and is_participant(word.text, [who]) and last.text not in _SAME_SUBJECT
            for last, word in pairwise(following)
        ):
            return False
        words = [word for word in content_words(sentence) if not is_participant(word, self._speakers)]
        near = [(passage.closeness(words), passage) for passage in self._sentences if passage.speaker]
        most = max((closeness for closeness, _ in near), default=0)
        best = [passage for closeness, passage in near if closeness == most]
        # What is said in a named turn comes before what is said again beside it in a word more.
        best = [passage for closeness, passage in near if closeness >= most - ONE_WORD and passage.seq in seqs] or best
        if self._is_shared(before, following):
            return bool(most)
        if self._told_alone(words, who, seqs):
            return True
        reports = bool(following) and following[0].text in REPORTS
        if not most or reports or any(word.capital and is_participant(word.text, self._speakers) for word in following):
            return any(passage.speaker == who for passage in best)
        return any(who in (passage.owners(words, self._speakers) or {passage.speaker}) for passage in best)

    def _told_alone(self, words: Sequence[str], who: str, seqs: Sequence[int]) -> bool:
        """Whether a speaker told something in a named turn, with a word that nobody else said near it.

        Or something of themselves and an 'it', which others may have named.
        """
        mine = [one for one in self._sentences if one.seq in seqs and one.speaker == who and not one.asks]
        others = [one for one in self._sentences if one.speaker and one.speaker != who]
        for one in mine:
            owners = one.owners(words, self._speakers)
            alone = any(one.has(word) and not any(other.has(word) for other in others) for word in words)
            if (alone and who in (owners or {who})) or (who in owners and REFERS.search(one.text)):
                return True
        return False

    def _is_shared(self, before: Sequence[Word], following: Sequence[Word]) -> bool:
        """Whether a subject is named together with another speaker: 'Ana and Ben', 'she and Ben'."""
        beside = following[1:2] if following[:1] and following[0].text == "and" else ()
        behind = before[-2:-1] if before and before[-1].text == "and" else ()
        return any(
            word.text in _PRONOUNS or (word.capital and not word.owns and is_participant(word.text, self._speakers))
            for word in (*beside, *behind)
        )

    def of(self, sentence: str) -> tuple[str | None, int]:
        """The speaker that a sentence begins with, and at which word."""
        words = words_of(sentence)
        for place, word in enumerate(words[:_SUBJECT]):
            # `user_id` and 'the User model' are things.
            named = sentence[word.start + len(word.text) :][:1] == "_" or (word.capital and place > 0)
            if word.text in _ROLES and named:
                continue
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

    def is_name(self, word: str) -> bool:
        """Whether a word at the beginning of a sentence is written with a capital elsewhere too, and never without."""
        written = [
            (place > 0, one.capital)
            for passage in self._sentences
            for place, one in enumerate(passage.words)
            if one.text == word
        ]
        return (True, True) in written and all(capital for _, capital in written)

    def is_anothers(self, text: str, seqs: Sequence[int], speaker: str) -> bool:
        """Whether a sentence without a name tells what another speaker said of themselves, and `speaker` did not."""
        for sentence in sentences_of(text):
            words = content_words(sentence)
            if len(words) < _FEW or self.of(sentence)[0] is not None:
                continue
            near = [(passage.closeness(words), passage) for passage in self._sentences if passage.speaker]
            most = max((closeness for closeness, _ in near), default=0)
            best = [passage for closeness, passage in near if closeness == most]
            told = {owner for passage in best for owner in passage.owners(words, self._speakers)}
            if told and all(passage.seq not in seqs for passage in best) and not is_participant(speaker, told):
                return True
        return False
