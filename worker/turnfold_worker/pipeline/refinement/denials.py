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
    WITHHOLDS,
    Passage,
    is_telling,
    passages_of,
    sentences_of,
    words_of,
)

_SUPPORT: Final = 0.5
_FEW: Final = 2
_CODE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_REFERS: Final = re.compile(r"(?i)(?<!\w)(?:it|that|this|these|those|them|one)(?!\w)")
_PLAIN_NO: Final = re.compile(r"(?i)\W{0,8}(?:(?:oh|well|hm{1,9})\W{1,8})?(?:no|nah|nope|not|never|none)(?: \w+)?[,.!]")
"""How an answer begins that denies what was asked."""


class Denials:
    """The denials of some turns."""

    def __init__(self, lines: Sequence[tuple[int, str, str]]) -> None:
        """`lines` are (number, speaker, words) of the turns."""
        # A program with `NOT NULL` denies nothing.
        self._lines = [(seq, speaker, _CODE.sub(" ", text)) for seq, speaker, text in lines]

    @cached_property
    def _sentences(self) -> list[Passage]:
        return list(passages_of(self._lines, clauses=False))

    @cached_property
    def _clauses(self) -> list[Passage]:
        return list(passages_of(self._lines, clauses=True))

    def support(self, words: Sequence[str], claim: str, who: str | None = None) -> bool:
        """Whether something was denied that shares half of these words, and first what stands behind the negation.

        What another speaker denied of themselves denies nothing of `who`, the speaker that the claim is about.
        """
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
            if who and passage.speaker not in ("", who) and passage.speaks_of_self:
                continue
            if passage.shared(words) < _SUPPORT * len(words) and not (
                behind is not None and self._refers_to(passage, [word for word in words if not passage.has(word)])
            ):
                continue
            if behind is not None and WITHHOLDS.fullmatch(behind) and not DENIES.search(passage.text):
                # What is 'not missing' is there.
                continue
            if behind is not None and any(word.text == f"un{behind}" for word in passage.words):
                return True
            if passage.withheld is not None and (behind is None or passage.withheld.has(behind)):
                return True
        return False

    def _refers_to(self, passage: Passage, words: Sequence[str]) -> bool:
        """Whether what is denied is an 'it' for what the turn or the one before it names: half of some words."""
        if not words or not DENIES.search(passage.text) or not _REFERS.search(passage.denied.text):
            return False
        at = next((place for place, line in enumerate(self._lines) if line[0] == passage.seq), 0)
        before = Passage("\n".join(text for *_, text in self._lines[max(0, at - 1) : at + 1]), passage.seq, "")
        return before.shared(words) >= _SUPPORT * len(words)

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

    def all_deny(self, words: Sequence[str], seqs: Sequence[int], *, wished: re.Match[str] | None = None) -> bool:
        """Whether all that was said with most of these words was a denial of them.

        A wish is denied by a denied wish alone: who has not seen the sea may hope to see it.
        """
        if not words:
            return False
        told = (*(passage for passage in self._clauses if not passage.asks), *self._answered_no)
        shared = [(passage.shared(words), passage) for passage in told]
        most = max((count for count, _ in shared), default=0)
        if most < min(_FEW, len(words)):
            return False
        best = [passage for count, passage in shared if count == most]
        best = [passage for passage in best if passage.seq in seqs] or best
        if wished and not any(wished.group().lower() in passage.text.lower() for passage in best):
            return False
        return all(DENIES.search(passage.text) and passage.denied.shared(words) > 0 for passage in best) and (
            any(passage.denies for passage in best) or any(passage.affirms(words) for passage in best)
        )


def _end_of_negation(text: str) -> int:
    match = DENIES.search(text)
    return match.end() if match else 0
