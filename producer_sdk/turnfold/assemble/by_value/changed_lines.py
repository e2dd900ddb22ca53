"""The lines of a changed file as they stand after its edits, whole or clipped to those that are new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from turnfold.assemble.forms.markers import ARROW, turns_marker
from turnfold.contract.actions import ALL_OF_FILE, GAP_LINE, NEW_LINE, OLD_LINE, Action, clipped
from turnfold.contract.lazy_patterns import lazy_pattern

_BESIDE: Final = 2
"""Lines that are shown before and after a new one, where not all are."""
_TELLS_LEAST: Final = lazy_pattern(r"\s{0,40}(?:(?:import|from|package|using|use|require|include)\b|#|//|/?\*|--|<!--)")
"""Imports, which their use tells, and comments."""
_INDENT: Final = "    "
_RANGE: Final = lazy_pattern(r"^\w{1,20} (?:\S{1,200} )?(?P<first>\d{1,7})[:,-](?P<last>\d{1,7})(?!\w) ?")
"""An editor's command for lines by number."""
_LONGEST_COMMON: Final = 2
"""Code points up to which a line, like a bracket, is none of its own."""
_FEWEST_OWN: Final = 0.4
"""Of the lines that an edit wrote: where fewer stand nowhere in later edits, what it wrote was written anew."""
_CHANGED_LINE: Final = "\N{NOT SIGN}"
"""Stands for a line that a later edit seems to have taken away."""
_OLD_SHARE: Final = 2
"""Of the code points of what an edit wrote, one in so many are for what stood there before."""


def in_force(edits: Sequence[Action]) -> list[Action]:
    """Edits of a file in order: nothing of one that later ones wrote anew, a mark for each line that they took away."""
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
    """What an edit wrote, line by line, in place of which lines, and with `old` what stood there; else its command."""
    turn_line = "" if edit is latest else f"\n  turn {edit.seq}"
    if not edit.wrote:
        return f"{turn_line}: {clipped(edit.did, limit)}"
    place = line_range(edit)
    where = f", in place of {place}" if place and (_old(edit) or place != "line 1") else ""
    lines = "".join(f"\n{_INDENT}{text}" for text in _clipped_lines(edit, limit))
    gone = "".join(f"\n{_INDENT}{text}" for text in _old_lines(edit, limit // _OLD_SHARE)) if old else ""
    return f"{turn_line}{where}:{lines}" + (f"\n  instead of:{gone}" if gone else "")


def told_in_one_line(edit: Action, limit: int, *, old: bool) -> str:
    """What an edit wrote, and with `old` what stood there, each in at most so many code points; else its command."""
    new = " ".join(line[1:].strip() for line in edit.wrote if line[:1] == NEW_LINE)
    if not new:
        return clipped(_RANGE.sub("", edit.did), limit)
    gone = " ".join(text.strip() for text in _old_lines(edit, limit)) if old else ""
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
    """The first of them, whole lines of at most so many code points but for the first; a mark for those left out."""
    left, old = max_chars, _old(edit)
    for place, line in enumerate(old):
        if place and len(line) > left:
            yield _mark(old[place:])
            return
        left -= len(line)
        yield _mark([line]) if line[:1] == GAP_LINE else clipped(line, max(1, max_chars))


def _clipped_lines(edit: Action, max_chars: int) -> Iterator[str]:
    """Whole lines of at most so many code points, from the first new one that tells most on; marks for the others."""
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
    """Where lines stand that are new, or beside a new one, from the first that tells on, as far as there is room."""
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
    """What stands for lines that are left out: how many there are, and the marker of their turn."""
    if all(line == _CHANGED_LINE for line in lines):
        return f"[{GAP_LINE} {_counted(len(lines))}, may have changed since{marker}]"
    telling_lines = [line for line in lines if line.strip(NEW_LINE + OLD_LINE)]
    left_out = sum(int(line[1:] or 0) if line[:1] == GAP_LINE else 1 for line in telling_lines)
    return f"[{GAP_LINE} {_counted(left_out)}{marker}]" if left_out else f"[{GAP_LINE}{marker}]"


def _counted(lines: int) -> str:
    return f"{lines} line{'s' * (lines != 1)}"
