"""The lines of a changed file as its edits left them, whole or clipped to the new ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from turnfold.assemble.forms.markers import ARROW, turns_marker
from turnfold.contract.actions import ALL_OF_FILE, GAP_LINE, NEW_LINE, OLD_LINE, Action, clipped
from turnfold.contract.lazy_patterns import lazy_pattern

_BESIDE: Final = 2
"""Lines shown before and after a new one, if not all are."""
_TELLS_LEAST: Final = lazy_pattern(r"\s{0,40}(?:(?:import|from|package|using|use|require|include)\b|#|//|/?\*|--|<!--)")
"""Imports, which their use reveals, and comments."""
_INDENT: Final = "    "
_RANGE: Final = lazy_pattern(r"^\w{1,20} (?:\S{1,200} )?(?P<first>\d{1,7})[:,-](?P<last>\d{1,7})(?!\w) ?")
"""An editor's command that addresses lines by number."""
_LONGEST_COMMON: Final = 2
"""Code points up to which a line, such as a bracket, is too common to identify an edit."""
_FEWEST_OWN: Final = 0.4
"""Share of an edit's new lines: if later edits leave no more than this untouched, the edit counts as rewritten."""
_CHANGED_LINE: Final = "\N{NOT SIGN}"
"""Placeholder for a line that a later edit seems to have removed."""
_OLD_SHARE: Final = 2
"""Divisor of the code points for an edit's new lines that gives those for the lines it replaced."""


def in_force(edits: Sequence[Action]) -> list[Action]:
    """Reduce a file's edits to what is in force: rewritten ones lose their lines, removed lines become placeholders."""
    edits_in_force: list[Action] = []
    gone: set[str] = set()
    again: set[str] = set()
    for edit in reversed(edits):
        new = _telling(line[1:] for line in edit.wrote if line[:1] == NEW_LINE)
        if ALL_OF_FILE in gone or (new and len(new - gone - again) <= _FEWEST_OWN * len(new)):
            edits_in_force.append(edit._replace(wrote=(), did=""))
        else:
            over = gone - again
            lines = (line if line[1:].strip() not in over else _CHANGED_LINE for line in edit.wrote)
            edits_in_force.append(edit._replace(wrote=tuple(lines)))
        gone |= {ALL_OF_FILE} if ALL_OF_FILE in edit.gone else _telling(edit.gone)
        again |= new
    return edits_in_force[::-1]


def _telling(lines: Iterable[str]) -> set[str]:
    return {bare for line in lines if len(bare := line.strip()) > _LONGEST_COMMON}


def told_lines(edit: Action, limit: int, latest: Action, *, old: bool = True) -> str:
    """Render an edit line by line, with its line range and, with `old`, the replaced lines; else its command."""
    turn_line = "" if edit is latest else f"\n  turn {edit.seq}"
    if not edit.wrote:
        return f"{turn_line}: {clipped(edit.did, limit)}"
    place = line_range(edit)
    where = f", in place of {place}" if place and (_old(edit) or place != "line 1") else ""
    lines = "".join(f"\n{_INDENT}{text}" for text in _clipped_lines(edit, limit))
    gone = "".join(f"\n{_INDENT}{text}" for text in _old_lines(edit, limit // _OLD_SHARE)) if old else ""
    return f"{turn_line}{where}:{lines}" + (f"\n  instead of:{gone}" if gone else "")


def told_in_one_line(edit: Action, limit: int, *, old: bool) -> str:
    """Render an edit on one line, with `old` also the replaced text, each up to `limit` code points; or its command."""
    new = " ".join(line[1:].strip() for line in edit.wrote if line[:1] == NEW_LINE)
    if not new:
        return clipped(_RANGE.sub("", edit.did), limit)
    gone = " ".join(text.strip() for text in _old_lines(edit, limit)) if old else ""
    return clipped(new, limit) + (f" (instead of {clipped(gone, limit)})" if gone else "")


def line_range(edit: Action) -> str:
    """Lines that an editor's command names: `lines 4-6`; empty if it names none."""
    named = _RANGE.match(edit.did)
    if named is None:
        return ""
    first, last = int(named["first"]), int(named["last"])
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _old(edit: Action) -> list[str]:
    """Lines that an edit removed, if known."""
    return [] if ALL_OF_FILE in edit.gone else list(edit.gone)


def _old_lines(edit: Action, max_chars: int) -> Iterator[str]:
    """The first removed lines within `max_chars` code points, whole but for the first; a mark for those left out."""
    left, old = max_chars, _old(edit)
    for place, line in enumerate(old):
        if place and len(line) > left:
            yield _mark(old[place:])
            return
        left -= len(line)
        yield _mark([line]) if line[:1] == GAP_LINE else clipped(line, max(1, max_chars))


def _clipped_lines(edit: Action, max_chars: int) -> Iterator[str]:
    """Whole lines within `max_chars` code points, from the first informative new line on; marks for the others."""
    wrote = edit.wrote
    shown_places = set(range(len(wrote)))
    if sum(len(line.strip()) for line in wrote) > max_chars:
        shown_places = set(_places_within(wrote, max_chars))
    marker = f" {ARROW}{turns_marker(edit.seq, edit.seq)}"
    skipped: list[str] = []
    for place, line in enumerate((*wrote, "")):
        is_last = place == len(wrote)
        if not is_last and (place not in shown_places or line[:1] in {GAP_LINE, _CHANGED_LINE}):
            skipped.append(line)
            continue
        if any(line[1:].strip() or line == _CHANGED_LINE for line in skipped):
            yield _mark(skipped, marker)
            marker = ""
        if line[1:].strip():
            yield line[1:]
        skipped = []


def _places_within(wrote: Sequence[str], max_chars: int) -> Iterator[int]:
    """Places of new lines and their neighbours, from the first informative one on, while there is room."""
    new = [place for place, line in enumerate(wrote) if line[:1] == NEW_LINE and line[1:].strip()]
    first = next((place for place in new if not _TELLS_LEAST.match(wrote[place][1:])), new[0] if new else 0)
    while first and wrote[first - 1][:1] == OLD_LINE:
        first -= 1
    near = {place + step for place in new for step in range(-_BESIDE, _BESIDE + 1)}
    left = max_chars
    for count, place in enumerate(sorted(place for place in near if first <= place < len(wrote))):
        left -= len(wrote[place].strip())
        if left < 0 and count:
            return
        yield place


def _mark(lines: Sequence[str], marker: str = "") -> str:
    """Mark for omitted lines: how many there are, and the marker of their turn."""
    if all(line == _CHANGED_LINE for line in lines):
        return f"[{GAP_LINE} {_counted(len(lines))}, may have changed since{marker}]"
    telling_lines = [line for line in lines if line.strip(NEW_LINE + OLD_LINE)]
    left_out = sum(int(line[1:] or 0) if line[:1] == GAP_LINE else 1 for line in telling_lines)
    return f"[{GAP_LINE} {_counted(left_out)}{marker}]" if left_out else f"[{GAP_LINE}{marker}]"


def _counted(lines: int) -> str:
    return f"{lines} line{'s' * (lines != 1)}"
