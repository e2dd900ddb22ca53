"""Which anchors were active on a day: those stated by its end, and not closed by then. Pure.

The smallest unit is the day, in UTC. A turn without a time belongs to the day of the turn before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType
from typing import Final, cast

from turnfold.contract.periods import as_utc
from turnfold.contract.records import Anchor, AnchorState
from turnfold.errors import InvalidInput

_CLOSED: Final = frozenset({AnchorState.SUPERSEDED, AnchorState.RESOLVED})
BY_ANOTHER: Final = _CLOSED | {AnchorState.DUPLICATE}
"""States that an anchor gets because of another anchor."""


def checked_as_of(as_of: datetime | None) -> datetime | None:
    """Check a caller's `as_of`. Raises `InvalidInput` if it has no time zone."""
    if as_of is not None and (not isinstance(cast("object", as_of), datetime) or as_of.tzinfo is None):
        raise InvalidInput("as_of must be a datetime with a time zone, such as datetime(2026, 5, 3, tzinfo=UTC)")
    return as_of


def day_after(as_of: datetime) -> datetime:
    """Return the end of a moment's day in UTC, which is the first moment that is too late."""
    try:
        day = as_of.astimezone(UTC).date()
        return datetime.combine(day, time(), UTC) + timedelta(days=1)
    except OverflowError:
        return within_calendar(as_of)


def within_calendar(as_of: datetime) -> datetime:
    """Convert a moment to UTC, clamped to the first or last moment of the calendar."""
    try:
        return as_of.astimezone(UTC)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC) if as_of.year > 1 else datetime.min.replace(tzinfo=UTC)


def with_last_days(
    anchors: Sequence[Anchor], days_of_others: Mapping[int, date | None] = MappingProxyType({})
) -> tuple[Anchor, ...]:
    """Set `valid_to` of superseded and resolved anchors to the day of the anchor that closed them.

    `days_of_others` has, by id, the days of closing anchors that are not among `anchors`.
    """
    said_on = {**days_of_others, **{anchor.id: anchor.said_on for anchor in anchors}}
    return tuple(
        replace(anchor, valid_to=said_on.get(anchor.related) or anchor.valid_to)
        if anchor.related is not None and anchor.state in _CLOSED
        else anchor
        for anchor in anchors
    )


def closed_on(anchor: Anchor, closed_at: datetime | None) -> Anchor:
    """Set `valid_to` of a superseded or resolved anchor to the day on which it was closed, if that is known."""
    if closed_at is None or anchor.state not in _CLOSED:
        return anchor
    return replace(anchor, valid_to=as_utc(closed_at).date())


def anchors_up_to(anchors: Iterable[Anchor], last_seq: int) -> tuple[Anchor, ...]:
    """Return the anchors up to turn `last_seq`, in the states that they had when it was the newest turn.

    `anchors` has to contain all anchors that closed or replaced others.
    """
    every = tuple(anchors)
    seq_of = {anchor.id: anchor.turn_seq for anchor in every}
    return tuple(_as_it_was(anchor, seq_of, last_seq) for anchor in every if anchor.turn_seq <= last_seq)


def _as_it_was(anchor: Anchor, seq_of: dict[int, int], last_seq: int) -> Anchor:
    if anchor.replaces is not None and seq_of.get(anchor.replaces, 0) > last_seq:
        anchor = replace(anchor, replaces=None)
    if anchor.related is None or anchor.state not in BY_ANOTHER or seq_of.get(anchor.related, 0) <= last_seq:
        return anchor
    return reopened(anchor)


def reopened(anchor: Anchor) -> Anchor:
    """Return an anchor as it was before another one closed it."""
    return replace(anchor, state=AnchorState.ACTIVE, related=None, valid_to=None)
