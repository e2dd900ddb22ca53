"""Words as the rules look at them: in lower case, without what speech adds to them."""

from __future__ import annotations

import re
from operator import eq
from typing import Final

from turnfold.contract.remembered import Remembered

QUESTION_MARKS: Final = ("?", "\uff1f", "؟")
_SPACED: Final = tuple((f" {mark}", mark) for mark in ",.?!;:")
"""A space before a mark, and what stands instead."""
_SPLIT: Final = re.compile(r" ?' ?(?=(?:s|ll|m|re|ve|d|t)\b)")
_FILLER: Final = "u[hm]{1,4}|e[hr]m?|m{2,6}|hm{1,4}"
_FILLERS: Final = re.compile(rf"(?<!\w)(?:{_FILLER}|uh-huh|mm-hmm)(?!\w)[,.]?\s?|\b\w{{1,3}}- ?(?=\w)")
_IS_FILLER: Final = Remembered(lambda spoken: re.search(rf"(?<!\w)(?:{_FILLER})(?!\w)", spoken) is not None)
_SPOKEN: Final = re.compile(r"[\w']+")
_REPEATED: Final = re.compile(r"(?<![\w'])([\w']{1,12})(?: \1){1,6}(?![\w'])")


def plain_words(text: str) -> str:
    """Lower case, one line, straight apostrophes, no space before a comma or inside `I ' ll`."""
    said = " ".join(text.lower().replace("\u2019", "'").split())
    if " '" in said or "' " in said:
        said = _SPLIT.sub("'", said)
    for spaced, mark in _SPACED:
        said = said.replace(spaced, mark)
    return said


def without_fillers(said: str) -> str:
    """Without the 'uh' and the repeated words of speech."""
    spoken = _SPOKEN.findall(said)
    # Most talk has no filler and repeats no word, and to look at its words is cheaper than the patterns.
    if "-" in said or any(map(_IS_FILLER.__getitem__, spoken)):
        said = _FILLERS.sub("", said)
        spoken = _SPOKEN.findall(said)
    said = " ".join(said.replace("o_k", "ok").split())
    return _REPEATED.sub(r"\1", said) if any(map(eq, spoken, spoken[1:])) else said


def is_question(said: str) -> bool:
    """Whether it ends in a question mark."""
    return said.rstrip("\"')*_ ").endswith(QUESTION_MARKS)
