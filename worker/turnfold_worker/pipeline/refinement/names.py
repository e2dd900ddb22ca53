"""Check the names of a note: each must occur in its cited turns as written, and speakers must speak or be addressed."""

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
"""Names with inner capitals, which may be next to other words like plain words."""


class Names:
    """The names in some sentences."""

    def __init__(
        self, sentences: Sequence[Passage], wide: Sequence[tuple[int, str, str]], speakers: Sequence[str]
    ) -> None:
        """`wide` are all turns shown in the request, as (number, speaker, text)."""
        self._sentences = sentences
        self._wide = wide
        self._speakers = speakers
        text = " ".join([*(sentence.text for sentence in sentences), *speakers])
        self._spaced = spaced(text)

    def is_addressed(self, name: str, *, seqs: Sequence[int]) -> bool:
        """Return whether a speaker said one of the turns, or is addressed or named in one."""
        named = [passage for passage in self._sentences if passage.seq in seqs]
        return any(
            not passage.speaker
            or is_participant(name, [passage.speaker])
            or passage.names(name)
            or any(word.text in ADDRESSES for word in passage.words)
            for passage in named
        )

    def is_torn(self, sentence: str, words: Sequence[Word], place: int) -> bool:
        """Return whether a name and the next word occur nowhere together: 'New Lisbon' where 'New York' was said."""
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
        """Return whether a name occurs in a turn that the note cites, or near other words of its sentence."""
        parts = WORD.findall(word)
        other_words = [other for other in content_words(sentence) if other != word]
        for place, passage in enumerate(self._sentences):
            if not all(passage.names(part) for part in parts):
                continue
            if passage.seq in seqs or not passage.seq or self._is_referred_to(passage, seqs):
                return True
            # A cited turn may refer to a name in the turn right before: there, one word nearby is enough.
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
        """Return whether a cited turn refers back to a passage that has a name, by an 'it' in each turn since then.

        An answer needs no 'it' if its question has one.
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
        """Return whether a name is joined to a speaker who mentioned it somewhere: 'Ana and Ben' for Ana's 'we'."""
        beside = re.search(rf"(\w+) and {re.escape(name)}(?!\w)", sentence, re.IGNORECASE)
        if beside is None or not is_participant(beside[1], self._speakers):
            return False
        said = (text for _, speaker, text in self._wide if is_participant(beside[1], [speaker]))
        return all(map(Passage("\n".join(said), 0, "").names, WORD.findall(name)))
