"""What was denied in some turns, and whether a note denies that and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

from turnfold_worker.pipeline.language.quantities import WORD
from turnfold_worker.pipeline.refinement.claims import (
    DENIES,
    Passage,
    is_telling,
    passages_of,
    sentences_of,
    words_of,
)

_SUPPORT: Final = 0.5
_FEW: Final = 2
_PLAIN_NO: Final = re.compile(r"(?i)\W{0,8}(?:(?:oh|well|hm{1,9})\W{1,8})?(?:no|nah|nope|not|never|none)(?: \w+)?[,.!]")
"""How an answer begins that denies what was asked."""


class Denials:
    """The denials of some turns."""

    def __init__(self, lines: Sequence[tuple[int, str, str]]) -> None:
        """`lines` are (number, speaker, words) of the turns."""
        self._lines = lines

    @cached_property
    def _sentences(self) -> list[Passage]:
        return list(passages_of(self._lines, clauses=False))

    @cached_property
    def _clauses(self) -> list[Passage]:
        return list(passages_of(self._lines, clauses=True))

    def support(self, words: Sequence[str], claim: str) -> bool:
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
        for passage in (*self._clauses, *self._sentences, *self._answered_no):
            if passage.shared(words) < _SUPPORT * len(words):
                continue
            if behind is not None and any(word.text == f"un{behind}" for word in passage.words):
                return True
            if passage.withheld is not None and (behind is None or passage.withheld.has(behind)):
                return True
        return False

    @cached_property
    def _answered_no(self) -> list[Passage]:
        """Questions that the next turn answers by a plain no, as denials of whoever answers."""
        found = []
        for asked, answer in pairwise(self._lines):
            if _PLAIN_NO.match(answer[2]):
                found += [
                    Passage(f"not {sentence}", answer[0], answer[1])
                    for sentence in sentences_of(asked[2])
                    if sentence.rstrip().endswith("?")
                ]
        return found

    def all_deny(self, words: Sequence[str], seqs: Sequence[int]) -> bool:
        """Whether all that was said with most of these words was a denial of them."""
        if not words:
            return False
        told = (*(passage for passage in self._clauses if not passage.asks), *self._answered_no)
        shared = [(passage.shared(words), passage) for passage in told]
        most = max((count for count, _ in shared), default=0)
        if most < min(_FEW, len(words)):
            return False
        best = [passage for count, passage in shared if count == most]
        best = [passage for passage in best if passage.seq in seqs] or best
        return all(DENIES.search(passage.text) and passage.denied.shared(words) > 0 for passage in best) and (
            any(passage.denies for passage in best) or any(passage.affirms(words) for passage in best)
        )


def _end_of_negation(text: str) -> int:
    match = DENIES.search(text)
    return match.end() if match else 0
