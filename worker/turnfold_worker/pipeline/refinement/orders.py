"""Detect a note that reports as done what was only requested or intended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern

_IRREGULAR: Final = {
    "bought": "buy", "brought": "bring", "built": "build", "chose": "choose", "drew": "draw", "gave": "give",
    "kept": "keep", "made": "make", "paid": "pay", "ran": "run", "sent": "send", "sold": "sell", "took": "take",
    "told": "tell", "went": "go", "wrote": "write",
}  # fmt: skip
_DONE: Final = lazy_pattern(
    rf"(?i)(?:^(?:\S{{1,40}} ){{0,3}}|(?<!\w)(?:has|have|had|was|were|been) )"
    rf"(?P<done>[a-z]{{2,20}}ed|{'|'.join(_IRREGULAR)})(?!\w)"
)
"""A verb by which a note reports something as done: after its subject or an auxiliary verb."""
_REPORTS: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:ask|requested|ordered|instruct|remind|want|need|plan|propos|suggest|recommend|advis|agree|promis|offer|if"
    r"|should|must|will|would|to be|not|never|no)\w{0,4}(?!\w)"
)
"""Words that keep a note from reporting something as done."""
_WANTED: Final = lazy_pattern(
    r"(?im)(?:^|[.!?;:\u2026]\s{1,3}|(?<!\w)(?:please|then|and|to|must|should|will|can you|could you|would you|let's"
    r"|let us)\s{1,3}|['\u2019]ll\s{1,3})(?=(?P<verb>[a-z]{2,20})(?!\w))"
)
"""An order, a request or an intention."""
_WORD: Final = lazy_pattern(r"[^\W\d_]{2,20}")
_CONSONANTS: Final = "bdgklmnprt"


def tells_an_order_as_done(note: str, told: Iterable[str], around: Iterable[str] = ()) -> bool:
    """Return whether a note reports something as done that the turns only request or announce.

    `told` are the texts of the cited turns, `around` those of neighbouring turns, which may mention that it was done.
    """
    if _REPORTS.search(note):
        return False
    turn_texts = list(told)
    wanted = frozenset().union(*map(_wanted, turn_texts))
    done = [match["done"].lower() for match in _DONE.finditer(note)]
    if not any(not wanted.isdisjoint(_bases(verb)) for verb in done):
        return False
    spoken = frozenset().union(*map(_words, (*turn_texts, *around)))
    return any(verb not in spoken and not wanted.isdisjoint(_bases(verb)) for verb in done)


@lru_cache(maxsize=256)
def _wanted(text: str) -> frozenset[str]:
    return frozenset(match["verb"].lower() for match in _WANTED.finditer(text))


@lru_cache(maxsize=256)
def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def _bases(done: str) -> Iterator[str]:
    """Yield the base forms that a past tense may have."""
    if done in _IRREGULAR:
        yield _IRREGULAR[done]
        return
    stem = done[:-2]
    yield stem
    yield f"{stem}e"
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] in _CONSONANTS:
        yield stem[:-1]
    if stem.endswith("i"):
        yield f"{stem[:-1]}y"
