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
_RANGE: Final = lazy_pattern(r"^\w{1,20} (?:\S{1,200} )?(?P<first>\d{1,7})[:,-](?P<last>\d{1,7})(?!\w) ?")
"""An editor's command for lines by number."""
_LONGEST_GONE: Final = 80
"""Code points from which a line that is gone may have been clipped when it was kept."""
_OLD_SHARE: Final = 2
"""Of the code points of what an edit wrote, one in so many are for what stood there before."""


def in_force(edits: Sequence[Action]) -> list[Action]:
    """Edits of a file in order, without the lines that later ones took away or wrote again."""
    edits_in_force: list[Action] = []
    over: set[str] = set()
    for edit in reversed(edits):
        own = [line for line in edit.wrote if line[1:].strip() not in over or line == GAP_LINE]
        has_news = any(line[:1] == NEW_LINE for line in own)
        is_over = ALL_OF_FILE in over or (bool(edit.wrote) and not has_news)
        edits_in_force.append(edit._replace(wrote=() if is_over else tuple(own), did="" if is_over else edit.did))
        over.update(edit.gone)
        over.update(line[1:].strip() for line in edit.wrote if line[:1] == NEW_LINE)
    return edits_in_force[::-1]


def told_lines(edit: Action, limit: int, latest: Action, *, old: bool = True) -> str:
    """What an edit wrote, line by line, in place of which lines, and with `old` what stood there; else its command."""
    turn_line = "" if edit is latest else f"\n  turn {edit.seq}"
    if not edit.wrote:
        return f"{turn_line}: {clipped(edit.did, limit)}"
    place = line_range(edit)
    where = f", in place of {place}" if place and (_old(edit) or place != "line 1") else ""
    lines = "".join(f"\n{_INDENT}{text}" if text else "" for text in _clipped_lines(edit.wrote, limit))
    gone = "".join(f"\n{_INDENT}{text}" for text in _old_lines(edit, limit // _OLD_SHARE)) if old else ""
    return f"{turn_line}{where}:{lines}" + (f"\n  instead of:{gone}" if gone else "")


def told_in_one_line(edit: Action, limit: int, *, old: bool) -> str:
    """What an edit wrote, and with `old` what stood there, each in at most so many code points; else its command."""
    new = " ".join(line[1:].strip() for line in edit.wrote if line[:1] == NEW_LINE)
    if not new:
        return clipped(_RANGE.sub("", edit.did), limit)
    gone = " ".join(_old_lines(edit, limit)) if old else ""
    return clipped(new, limit) + (f" (instead of {clipped(gone, limit)})" if gone else "")


def line_range(edit: Action) -> str:
    """The lines that an editor's command names: `lines 4-6`; empty where it names none."""
    named = _RANGE.match(edit.did)
    if named is None:
        return ""
    first, last = int(named["first"]), int(named["last"])
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _old(edit: Action) -> list[str]:
    """Lines that an edit took away, as far as they were seen."""
    return [] if ALL_OF_FILE in edit.gone else list(edit.gone)


def _old_lines(edit: Action, max_chars: int) -> Iterator[str]:
    """The first of them, whole lines of at most so many code points but for the first; a mark where there are more."""
    left = max_chars
    for place, line in enumerate(_old(edit)):
        if place and len(line) > left:
            yield _GAP
            return
        left -= len(line)
        yield clipped(line, max(1, max_chars)) if len(line) < _LONGEST_GONE else f"{clipped(line, max_chars)} …"


def _clipped_lines(wrote: Sequence[str], max_chars: int) -> Iterator[str]:
    """Whole lines of at most so many code points, the new ones first, and marks where some are left out."""
    sizes = [len(line.strip()) for line in wrote]
    shown_places = set(range(len(wrote)))
    if sum(sizes) > max_chars:
        new = [at for at, line in enumerate(wrote) if line[:1] == NEW_LINE and sizes[at] > 1]
        shown_places, left = set(), max_chars
        for at in sorted(new, key=lambda at: bool(_TELLS_LEAST.match(wrote[at][1:]))):
            if sizes[at] > left and shown_places:
                break
            shown_places.add(at)
            left -= sizes[at]
    skipped: list[str] = []
    for at, line in enumerate(wrote):
        if at not in shown_places or line == GAP_LINE:
            skipped.append(line)
            continue
        yield from _between(skipped)
        yield line[1:]
        skipped = []
    yield from _between(skipped)


def _between(skipped: Sequence[str]) -> Sequence[str]:
    """A mark for lines that are left out; themselves where they are as short."""
    kept_lines = [line[1:] for line in skipped if line == GAP_LINE or line[1:].strip()]
    if GAP_LINE not in skipped and sum(len(line.strip()) for line in kept_lines) <= _SHORT_GAP:
        return kept_lines
    return [_GAP] if kept_lines else []


__all__ = ["in_force", "line_range", "told_in_one_line", "told_lines"]
