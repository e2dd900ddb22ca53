"""What was denied in some turns, and whether a note denies that and nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

from turnfold_worker.pipeline.language.quantities import WORD
from turnfold_worker.pipeline.refinement.claims import (
    DENIES,
    WISHES,
    WITHHOLDS,
    Passage,
    is_telling,
    passages_of,
    sentences_of,
    without_emphasis,
    words_of,
)

_SUPPORT: Final = 0.5
_FEW: Final = 2
_CODE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_REFERS: Final = re.compile(r"(?i)(?<!\w)(?:it|that|this|these|those|them|one|any|so|to)(?!\w)")
_PLAIN_NO: Final = re.compile(
    r"(?i)\W{0,8}(?:(?:oh|well|hm{1,9}|unfortunately|sadly)\W{1,8})?(?:(?:no|nah|nope|not|never|none)(?: \w+)?[,.!]"
    r"|i (?:think|guess|believe) not(?!\w)|i don['\u2019]?t think so(?!\w))"
)
"""How an answer begins that denies what was asked."""


class Denials:
    """The denials of some turns."""

    def __init__(self, lines: Sequence[tuple[int, str, str]], seqs: Collection[int]) -> None:
        """`lines` are (number, speaker, words) of the turns; `seqs` the numbers of those that count."""
        self._all = [(seq, speaker, without_emphasis(text)) for seq, speaker, text in lines]
        # A program with `NOT NULL` denies nothing.
        self._lines = [(seq, speaker, _CODE.sub(" ", text)) for seq, speaker, text in self._all]
        self._seqs = seqs

    @cached_property
    def _sentences(self) -> list[Passage]:
        return list(passages_of((line for line in self._all if line[0] in self._seqs), clauses=False))

    @cached_property
    def _clauses(self) -> list[Passage]:
        return list(passages_of((line for line in self._lines if line[0] in self._seqs), clauses=True))

    def support(self, words: Sequence[str], claim: str, who: str | None = None) -> bool:
        """Whether a claim denies what was denied, as often, and nothing was affirmed that is more like it.

        What another speaker denied of themselves denies nothing of `who`, the speaker that the claim is about.
        """
        claim = without_emphasis(claim)
        count = len(DENIES.findall(claim))
        behind = [word for word in (word.text for word in words_of(claim[_end_of_negation(claim) :])) if is_telling(word)]
        if not behind and not words:
            plain = set(WORD.findall(claim.lower()))
            figures = {word for word in plain if word.isdigit()}
            return any(
                len(DENIES.findall(passage.text)) == count
                and figures <= passage.plain
                and len(plain & passage.plain) >= _FEW
                for passage in self._clauses
            )
        closest = max((passage.shared(words) for passage in self._clauses if not WITHHOLDS.search(passage.text)), default=0)
        return any(
            passage.shared(words) >= closest - 1 and self._denies(passage, words, behind, count)
            for passage in (*self._clauses, *self._sentences, *self._answered_no)
            if not (who and passage.speaker not in ("", who) and passage.speaks_of_self)
        )

    def _denies(self, passage: Passage, words: Sequence[str], behind: Sequence[str], count: int) -> bool:
        """Whether a passage denies, at least `count` times, the first of the words that stand behind a negation.

        Or whether all that it denies is among them; of an 'it', whether it may be what half of the words name.
        """
        if passage.withheld is None or len(WITHHOLDS.findall(passage.text)) < count:
            return False
        if behind and WITHHOLDS.fullmatch(behind[0]) and not DENIES.search(passage.text):
            # What is 'not missing' is there.
            return False
        if behind and any(word.text == f"un{behind[0]}" for word in passage.words):
            return True
        if passage.withheld.has(behind[0]) if behind else passage.shared(words) >= _SUPPORT * len(words):
            return True
        denied = {word.text for word in passage.denied.words if is_telling(word.text)}
        if denied:
            claimed = Passage(" ".join(behind), passage.seq, "")
            return all(map(claimed.has, denied))
        return bool(_REFERS.search(passage.denied.text)) and self._around(passage).shared(words) >= _SUPPORT * len(words)

    def _around(self, passage: Passage) -> Passage:
        """The turn of a passage with the one before it."""
        at = next((place for place, line in enumerate(self._lines) if line[0] == passage.seq), 0)
        return Passage("\n".join(text for *_, text in self._lines[max(0, at - 1) : at + 1]), passage.seq, "")

    @cached_property
    def _answered_no(self) -> list[Passage]:
        """Questions that the next turn answers by a plain no, as denials of whoever answers.

        With the sentence before them, which an 'it' or 'one' in them may mean.
        """
        found = []
        for asked, answer in pairwise(self._lines):
            if answer[0] in self._seqs and _PLAIN_NO.match(answer[2]):
                sentences = sentences_of(asked[2])
                for place, sentence in enumerate(sentences):
                    if "?" in sentence:
                        before = sentences[place - 1] if place and _REFERS.search(sentence) else ""
                        found.append(Passage(f"not {sentence} {before}", answer[0], answer[1]))
        return found

    def refute(self, words: Sequence[str], claim: str) -> bool:
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
        wished = WISHES.search(claim)
        if wished and not any(wished.group().lower() in passage.text.lower() for passage in best):
            return False
        return all(DENIES.search(passage.text) and passage.denied.shared(words) > 0 for passage in best) and (
            any(passage.denies for passage in best) or any(passage.affirms(words) for passage in best)
        )


def _end_of_negation(text: str) -> int:
    match = DENIES.search(text)
    return match.end() if match else 0
