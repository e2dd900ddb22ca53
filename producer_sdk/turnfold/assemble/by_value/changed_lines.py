"""The lines of a changed file as they stand after its edits, whole or clipped to those that are new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from turnfold.contract.actions import ALL_OF_FILE, GAP_LINE, NEW_LINE, Action, clipped
from turnfold.contract.lazy_patterns import lazy_pattern

_GAP: Final = "[…]"
_SHORT_GAP: Final = 12
"""Code points of lines that are shown rather than marked as left out."""
_TELLS_LEAST: Final = lazy_pattern(r"\s{0,40}(?:(?:import|from|package|using|use|require|include)\b|#|//|/?\*|--|<!--)")
"""Imports, which their use tells, and comments."""
_INDENT: Final = "    "
_FROM_LINE: Final = lazy_pattern(r"^\w{1,20} (?:\S{1,200} )?(\d{1,7})[:,-]\d{1,7}\b")
"""An editor's command for lines by number."""


def in_force(edits: Sequence[Action]) -> list[Action]:
    """Edits of a file in order, without the lines that later ones took away or wrote again."""
    found: list[Action] = []
    over: set[str] = set()
    for edit in reversed(edits):
        own = [line for line in edit.wrote if line[1:].strip() not in over or line == GAP_LINE]
        has_news = any(line[:1] == NEW_LINE for line in own)
        is_over = ALL_OF_FILE in over or (bool(edit.wrote) and not has_news)
        found.append(edit._replace(wrote=() if is_over else tuple(own), did="" if is_over else edit.did))
        over.update(edit.gone)
        over.update(line[1:].strip() for line in edit.wrote if line[:1] == NEW_LINE)
    return found[::-1]


def told_lines(edit: Action, most: int, latest: Action) -> str:
    """What an edit wrote, line by line, else its command."""
    before = "" if edit is latest else f"\n  turn {edit.seq}"
    if not edit.wrote:
        return f"{before}: {clipped(edit.did, most)}"
    line = _FROM_LINE.match(edit.did)
    where = f", from line {line[1]}" if line and line[1] != "1" else ""
    lines = "".join(f"\n{_INDENT}{text}" if text else "" for text in _clipped_lines(edit.wrote, most))
    return f"{before}{where}:{lines}"


def _clipped_lines(wrote: Sequence[str], most: int) -> Iterator[str]:
    """Whole lines of at most so many code points, the new ones first, and marks where some are left out."""
    sizes = [len(line.strip()) for line in wrote]
    shown = set(range(len(wrote)))
    if sum(sizes) > most:
        new = [at for at, line in enumerate(wrote) if line[:1] == NEW_LINE and sizes[at] > 1]
        shown, left = set(), most
        for at in sorted(new, key=lambda at: bool(_TELLS_LEAST.match(wrote[at][1:]))):
            if sizes[at] > left and shown:
                break
            shown.add(at)
            left -= sizes[at]
    skipped: list[str] = []
    for at, line in enumerate(wrote):
        if at not in shown or line == GAP_LINE:
            skipped.append(line)
            continue
        yield from _between(skipped)
        yield line[1:]
        skipped = []
    yield from _between(skipped)


def _between(skipped: Sequence[str]) -> Sequence[str]:
    """A mark for lines that are left out; themselves where they are as short."""
    told = [line[1:] for line in skipped if line == GAP_LINE or line[1:].strip()]
    if GAP_LINE not in skipped and sum(len(line.strip()) for line in told) <= _SHORT_GAP:
        return told
    return [_GAP] if told else []


__all__ = ["in_force", "told_lines"]
