"""When what a note says was or holds: stored beside the rules' notes of a passage, for the few that tell it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Final, NamedTuple


class NoteTime(NamedTuple):
    """The time that a note speaks of, as far as it is known."""

    day_meant: str | None = None
    valid_from: date | None = None
    valid_to: date | None = None


UNKNOWN_TIME: Final = NoteTime()


def pack_times(times: Mapping[int, NoteTime]) -> str | None:
    """Times by the places of their notes, as JSON; None for none."""
    if not times:
        return None
    packed = {
        str(place): [time.day_meant, *(day and day.isoformat() for day in time[1:])]
        for place, time in sorted(times.items())
    }
    return json.dumps(packed, ensure_ascii=False, separators=(",", ":"))


def unpack_times(packed: str | None) -> dict[int, NoteTime]:
    """The inverse of `pack_times`."""
    return {
        int(place): NoteTime(day_meant, *(day and date.fromisoformat(day) for day in days))
        for place, (day_meant, *days) in json.loads(packed or "{}").items()
    }
