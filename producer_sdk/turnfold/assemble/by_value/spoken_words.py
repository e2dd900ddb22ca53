"""The words of a statement without their marks, and whether one statement repeats another. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.notes import bare_words
from turnfold.contract.records import Anchor, AnchorType

_TURNS_ROUND: Final = frozenset({"not", "no", "never", "without", "cannot"})
_LEAST_LETTERS: Final = 4
"""Minimum number of letters of a content word."""
_LEAST_WORDS: Final = 3
_NEARLY_ALL: Final = 0.75


def _marks_of(word: str) -> tuple[bool, bool]:
    """Whether a word has a digit, and whether it is a negation."""
    return any(map(str.isdigit, word)), word in _TURNS_ROUND or word.endswith("n't")


_MARKS: Final = Remembered(_marks_of)


class SpokenWords(NamedTuple):
    """The words of an anchor by kind, sorted once: each is compared with many others."""

    speaker: str | None
    words: frozenset[str]
    numbers: frozenset[str]
    turning: frozenset[str]
    """Negations."""
    telling: frozenset[str]
    """Words that are long enough to carry content."""
    orders: bool
    """Whether the anchor instructs an assistant: similar orders for different occasions are different orders."""

    @classmethod
    def of(cls, anchor: Anchor) -> Self:
        """Sort the words of an anchor by kind."""
        words = frozenset(bare_words(anchor.text))
        return cls(
            anchor.speaker,
            words,
            frozenset([word for word in words if _MARKS[word][0]]),
            frozenset([word for word in words if _MARKS[word][1]]),
            frozenset([word for word in words if len(word) >= _LEAST_LETTERS]),
            anchor.type is AnchorType.INSTRUCTION,
        )

    def repeats(self, shown: SpokenWords) -> bool:
        """Whether `shown`, by the same speaker, has all numbers of this anchor and nearly all words of the shorter."""
        if self.speaker != shown.speaker or self.turning != shown.turning or not self.numbers <= shown.words:
            return False
        if self.orders:
            return self.telling <= shown.telling
        fewer = min(len(self.telling), len(shown.telling))
        return fewer >= _LEAST_WORDS and len(self.telling & shown.telling) >= _NEARLY_ALL * fewer
