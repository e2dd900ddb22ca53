"""Forms of be, do and have: those without which a sentence would say something else."""

# ruff: noqa: ARG001 - each rule is given the words, the bare words and the place
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.word_places import (
    DEGREES,
    DETERMINERS,
    NUMBER,
    Rule,
    after,
    before,
    ends,
    is_negation,
)

_MODALS: Final = listed(
    """
    will would can could may might must should shall won't wouldn't can't couldn't shouldn't mustn't cannot i'd you'd
    he'd she'd we'd they'd it'd i'll you'll he'll she'll we'll they'll it'll that'd that'll to
    """
)
_QUESTION_WORDS: Final = listed("what how when where why who which and or but so")
_PERSONS: Final = listed("i he she we they you")


def _is(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'I know what it is'."""
    return bool(i) and ends(words, i) and not words[i].endswith("?")


def _was(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'I was missing a part': now it is not; 'like I was in May'."""
    return after(bare, i).endswith("ing") or _is(words, bare, i) or _compares(bare, i)


def _does(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """As a verb of its own: 'we did it', 'did well', 'can do tricks', 'had such fun'; and before 'not' or 'to'."""
    if ends(words, i) or after(bare, i) == "too" or (before(bare, i) == "to" and bare[i] == "do"):
        return i > 1
    if after(bare, i) in {"not", "to", "such"} or "well" in bare[i + 1 : i + 3]:
        return True
    if bare[i] == "do" and before(bare, i) != "to" and before(bare, i) in _MODALS:
        return True
    return _compares(bare, i) or (after(bare, i) in DETERMINERS and not _asks(words, bare, i))


def _compares(bare: Sequence[str], i: int) -> bool:
    """'Like I did before', 'as they were'."""
    return i > 1 and bare[i - 2] in {"like", "as"} and bare[i - 1] in _PERSONS


def _asks(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Did you see it?', 'what does it cost?'."""
    return words[-1].endswith("?") and (i == 0 or before(bare, i) in _QUESTION_WORDS)


def _been(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'They've been …', 'never been there'."""
    one = before(bare, i)
    return one == "ever" or is_negation(one) or (one.endswith("'ve") and one not in {"i've", "we've"})


def _be(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'It will be late', 'much to be done'."""
    one = before(bare, i)
    if one in DEGREES or one in {"still", "probably", "always", "only", "then"}:
        return _be(words, bare, i - 1)
    return one in _MODALS or (bool(i) and is_negation(one))


def _am(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'10 AM'."""
    return "M" in words[i] or bool(NUMBER.match(before(words, i)))


VERBS: Final[Mapping[str, Rule]] = {
    **dict.fromkeys(("do", "does", "did", "have", "has", "had", "having"), _does),
    **dict.fromkeys(("is", "are"), _is),
    **dict.fromkeys(("was", "were"), _was),
    "been": _been,
    "be": _be,
    "am": _am,
}
