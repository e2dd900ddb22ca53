"""Times that notes refer to, stored with the passages of the rules' notes for the few notes that have one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Final, NamedTuple


class NoteTime(NamedTuple):
    """The time that a note refers to, where known."""

    day_meant: str | None = None
    """The time in words: '7 May 2026', 'since about November 2025'."""
    meant_from: date | None = None
    """First day of the event; None if unknown or open."""
    meant_to: date | None = None
    precision: str | None = None
    """Precision as stated: a `turnfold.contract.periods.Precision`, or 'recurring'."""
    is_plan: bool = False
    """Whether the event was still in the future when it was mentioned."""
    valid_from: date | None = None
    valid_to: date | None = None


UNKNOWN_TIME: Final = NoteTime()


def pack_times(times: Mapping[int, NoteTime]) -> str | None:
    """Serialize times as JSON, keyed by the place of their note; None if there are none."""
    if not times:
        return None
    packed = {
        str(place): [field.isoformat() if isinstance(field, date) else field for field in time]
        for place, time in sorted(times.items())
    }
    return json.dumps(packed, ensure_ascii=False, separators=(",", ":"))


def unpack_times(packed: str | None) -> dict[int, NoteTime]:
    """The inverse of `pack_times`."""
    return {int(place): _time(*values) for place, values in json.loads(packed or "{}").items()}


def _time(
    day_meant: str | None, meant_from: str | None, meant_to: str | None, precision: str | None, is_plan: bool,  # noqa: FBT001 - as it is stored
    valid_from: str | None, valid_to: str | None,
) -> NoteTime:  # fmt: skip
    return NoteTime(day_meant, _day(meant_from), _day(meant_to), precision, is_plan, _day(valid_from), _day(valid_to))


def _day(stored: str | None) -> date | None:
    return None if stored is None else date.fromisoformat(stored)
