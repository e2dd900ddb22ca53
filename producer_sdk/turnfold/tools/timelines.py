"""Render a timeline for a model: one line per entry, in the form of the other tools' answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.assemble.forms.markers import ARROW
from turnfold.assemble.forms.render_text import one_line
from turnfold.contract.records import AnchorState
from turnfold.contract.results import TimelineEntry
from turnfold.tokens import estimate_tokens

_OVER: Final = {AnchorState.SUPERSEDED: ", no longer holds", AnchorState.RESOLVED: ", done"}


def timeline_text(entries: Sequence[TimelineEntry], max_tokens: int) -> str:
    """Render as many entries as fit in `max_tokens` estimated tokens, and say after which turn the rest begins."""
    lines = [timeline_line(entry) for entry in entries]
    room, shown_entries = max_tokens, 0
    while shown_entries < len(lines) and (room := room - estimate_tokens(lines[shown_entries])) >= 0:
        shown_entries += 1
    left = len(lines) - shown_entries
    if not left:
        return "".join(lines)
    go_on = (
        f"call timeline with after={entries[shown_entries - 1].turn_seq}"
        if shown_entries
        else "search for something narrower"
    )
    return "".join(lines[:shown_entries]) + f"[{left} more entries: {go_on}, or give a query]\n"


def timeline_line(entry: TimelineEntry) -> str:
    """Render an entry with its turn, day, the time that it is about, marker, speaker and text."""
    day_said = f", {entry.day}" if entry.day else ""
    plan = " (plan)" if entry.is_plan else ""
    meant = f", about {one_line(entry.day_meant)}{plan}" if entry.day_meant else ""
    speaker = f"{entry.speaker}: " if entry.speaker else ""
    over = _OVER.get(entry.state, "")
    return f"[turn {entry.turn_seq}{day_said}{meant}{over} {ARROW}{entry.marker}] {speaker}{one_line(entry.text)}\n"
