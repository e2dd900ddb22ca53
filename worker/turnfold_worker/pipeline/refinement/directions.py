"""Detect a note that swaps the ends of a change, the sides of a preference, or a measure's unit of time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.quantities import SPELLED
from turnfold_worker.pipeline.refinement.claims import content_words
from turnfold_worker.pipeline.refinement.passages import Passage

_CHANGE: Final = lazy_pattern(
    r"(?i)(?<!\w)from (?:the |an? )?(?P<old>[\w.:%\u20ac$-]{1,30})(?: [\w%-]{1,20}){0,3}?,? to (?:the |an? )?"
    r"(?P<new>[\w.:%\u20ac$-]{1,30})"
)
_CHOICE: Final = r"(?i)(?<!\w)(?:rather|prefer\w*|cho[os]\w+|pick\w*|select\w*)"
_BUT_NOT: Final = "than|instead of|over"
_RATHER: Final = lazy_pattern(rf"{_CHOICE}(?P<own> [^.!?;\n]{{2,80}}?) (?:{_BUT_NOT})(?P<other> [^.!?;\n]{{2,80}})")
_PREFERS: Final = lazy_pattern(rf"{_CHOICE}(?P<own> (?:(?! (?:{_BUT_NOT}|to) )[^.!?;\n]){{2,80}})")
_TIMED: Final = lazy_pattern(
    rf"(?i)(?<![\w.,])(?P<number>\d[\d,.]*|{'|'.join(SPELLED)})[ -]"
    r"(?:(?:[\w\u20ac$]{1,12} )?(?:a|an|per|each|every) )?"
    r"(?P<unit>second|minute|hour|day|night|week|month|quarter|year)s?(?!\w)"
)
_END: Final = lazy_pattern(r"(?i)(?<!\w)(?P<side>from|to) (?:the |an? )?(?P<value>[\w.:%\u20ac$-]{1,30})")


def turns_a_change_round(note: str, told: Iterable[str]) -> bool:
    """Return whether a note swaps the start and end of a change; `told` are the texts of the cited turns."""
    texts = list(told)
    changed = {
        side
        for text in texts
        for change in _CHANGE.finditer(text)
        for side in (("from", _bare(change["old"])), ("to", _bare(change["new"])))
    }
    if not changed:
        return False
    said = {(end["side"].lower(), _bare(end["value"])) for text in texts for end in _END.finditer(text)}
    claimed = {(end["side"].lower(), _bare(end["value"])) for end in _END.finditer(note)}
    return any(
        (side, value) not in said and ("to" if side == "from" else "from", value) in changed for side, value in claimed
    )


def has_another_unit_of_time(note: str, told: Iterable[str]) -> bool:
    """Return whether a number has another unit of time in a note than in the turns: 'two years' for 'two months'."""
    claimed = set(_timed(note))
    if not claimed:
        return False
    said = {measure for text in told for measure in _timed(text)}
    numbers = {number for number, _ in said}
    return any(number in numbers and (number, unit) not in said for number, unit in claimed)


def _timed(text: str) -> Iterator[tuple[str, str]]:
    for match in _TIMED.finditer(text):
        number = match["number"].lower()
        yield SPELLED.get(number) or number.replace(",", ""), match["unit"].lower()


def prefers_the_other(note: str, told: Sequence[str]) -> bool:
    """Return whether a note prefers the rejected option: 'would rather walk' for 'rather drive than walk'."""
    preferred = [words[-1] for match in _PREFERS.finditer(note) if (words := content_words(match["own"]))]
    return any(
        Passage(match["other"], 0, "").has(word) and not Passage(match["own"], 0, "").has(word)
        for word in preferred
        for text in told
        for match in _RATHER.finditer(text)
    )


def _bare(value: str) -> str:
    return value.lower().rstrip(".:-")
