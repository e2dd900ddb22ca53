"""The names of a note: whether they stand where it says, as one, and whether speakers were spoken to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.quantities import WORD
from turnfold_worker.pipeline.refinement.claims import ADDRESSES, Word, content_words, says_something
from turnfold_worker.pipeline.refinement.passages import Passage
from turnfold_worker.pipeline.refinement.spellings import spaced
from turnfold_worker.pipeline.refinement.subjects import REFERS
from turnfold_worker.pipeline.turns.reading import is_participant

_FEW: Final = 2
_COINED: Final = lazy_pattern(r"\w[a-z]*[A-Z]")
"""Names with capitals inside, which stand beside others as plain words do."""


class Names:
    """The names in some sentences."""

    def __init__(
        self, sentences: Sequence[Passage], wide: Sequence[tuple[int, str, str]], speakers: Sequence[str]
    ) -> None:
        """`wide` are all turns that a request showed, as (number, speaker, words)."""
        self._sentences = sentences
        self._wide = wide
        self._speakers = speakers
        text = " ".join([*(sentence.text for sentence in sentences), *speakers])
        self._spaced = spaced(text)

    def is_addressed(self, name: str, *, seqs: Sequence[int]) -> bool:
        """Whether a speaker said one of the turns, or is spoken to or named in them."""
        named = [passage for passage in self._sentences if passage.seq in seqs]
        return any(
            not passage.speaker
            or is_participant(name, [passage.speaker])
            or passage.names(name)
            or any(word.text in ADDRESSES for word in passage.words)
            for passage in named
        )

    def is_torn(self, sentence: str, words: Sequence[Word], place: int) -> bool:
        """Whether a name and the next word, written as one, stand nowhere together: 'New Lisbon' for 'New York'."""
        first, second = words[place : place + 2] if place + 1 < len(words) else (None, None)
        if first is None or second is None or not (first.capital and second.capital) or first.owns:
            return False
        between = sentence[first.start + len(first.text) : second.start]
        if between == " ":
            subject = is_participant(second.text, self._speakers)
            begins = not place or (place == 1 and not says_something(words[0].text))
            coined = any(_COINED.match(sentence, word.start) for word in (first, second))
            if (
                coined
                or (begins and (subject or not place))
                or (subject and place + _FEW < len(words) and not words[place + _FEW].capital)
            ):
                return False
        return between in (" ", "-", ".") and f" {first.text} {second.text} " not in self._spaced

    def has(self, word: str, *, sentence: str, seqs: Sequence[int]) -> bool:
        """Whether a name stands in a turn that the note names, or beside what it says of it."""
        parts = WORD.findall(word)
        other_words = [other for other in content_words(sentence) if other != word]
        for place, passage in enumerate(self._sentences):
            if not all(passage.names(part) for part in parts):
                continue
            if passage.seq in seqs or not passage.seq or self._is_referred_to(passage, seqs):
                return True
            # In the turn before those that are named it may be what they refer to.
            beside = 1 if passage.seq + 1 in seqs else _FEW
            around = [
                other_sentence
                for other_sentence in self._sentences[max(0, place - _FEW) : place + _FEW + 1]
                if other_sentence.seq == passage.seq
            ]
            if sum(any(other_sentence.has(other) for other_sentence in around) for other in other_words) >= min(
                beside, len(other_words)
            ):
                return True
        return self._is_of_their_we(word, sentence)

    def _is_referred_to(self, passage: Passage, seqs: Sequence[int]) -> bool:
        """Whether a named turn speaks of what is named shortly before it: each turn from there on has an 'it' for it.

        An answer needs none where its question has one.
        """
        named = min((seq for seq in seqs if seq > passage.seq), default=0)
        between = range(passage.seq + 1, named + 1)
        if not between:
            return False
        refer = [
            any(REFERS.search(sentence.text) for sentence in self._sentences if sentence.seq == seq) for seq in between
        ]
        asked = any(
            sentence.asks and REFERS.search(sentence.text) for sentence in self._sentences if sentence.seq == named - 1
        )
        return all(refer[:-1]) and (refer[-1] or (asked and len(refer) > 1))

    def _is_of_their_we(self, name: str, sentence: str) -> bool:
        """Whether a name stands beside a speaker, who said it somewhere: 'Ana and Ben' for Ana's 'we'."""
        beside = re.search(rf"(\w+) and {re.escape(name)}(?!\w)", sentence, re.IGNORECASE)
        if beside is None or not is_participant(beside[1], self._speakers):
            return False
        said = (text for _, speaker, text in self._wide if is_participant(beside[1], [speaker]))
        return all(map(Passage("\n".join(said), 0, "").names, WORD.findall(name)))
