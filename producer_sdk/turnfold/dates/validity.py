"""What held on a day: what was said by its end, and not yet closed then. Pure.

The smallest unit is the day, in UTC. A turn without a time counts as said with the turn before it.
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
"""States into which an anchor comes by another one."""


def checked_as_of(as_of: datetime | None) -> datetime | None:
    """The moment that a caller asks for. Raises `InvalidInput` for one without a time zone."""
    if as_of is not None and (not isinstance(cast("object", as_of), datetime) or as_of.tzinfo is None):
        raise InvalidInput("as_of must be a datetime with a time zone, such as datetime(2026, 5, 3, tzinfo=UTC)")
    return as_of


def day_after(as_of: datetime) -> datetime:
    """The end of the day of a moment, in UTC: what is said from then on was not said yet."""
    try:
        day = as_of.astimezone(UTC).date()
        return datetime.combine(day, time(), UTC) + timedelta(days=1)
    except OverflowError:
        return within_calendar(as_of)


def within_calendar(as_of: datetime) -> datetime:
    """A moment in UTC; at the calendar's ends the first or the last one that there is."""
    try:
        return as_of.astimezone(UTC)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC) if as_of.year > 1 else datetime.min.replace(tzinfo=UTC)


def with_last_days(
    anchors: Sequence[Anchor], days_of_others: Mapping[int, date | None] = MappingProxyType({})
) -> tuple[Anchor, ...]:
    """Anchors, those that are over with the day on which what closed them was said.

    `days_of_others`, by id, are of those that closed some and are not among them.
    """
    said_on = {**days_of_others, **{anchor.id: anchor.said_on for anchor in anchors}}
    return tuple(
        replace(anchor, valid_to=said_on.get(anchor.related) or anchor.valid_to)
        if anchor.related is not None and anchor.state in _CLOSED
        else anchor
        for anchor in anchors
    )


def closed_on(anchor: Anchor, closed_at: datetime | None) -> Anchor:
    """An anchor that is over, with the day on which what closed it was said, where that is known."""
    if closed_at is None or anchor.state not in _CLOSED:
        return anchor
    return replace(anchor, valid_to=as_utc(closed_at).date())


def anchors_up_to(anchors: Iterable[Anchor], last_seq: int) -> tuple[Anchor, ...]:
    """Anchors in the states that they had when turn `last_seq` was the newest one; `anchors` are all there are."""
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
    """An anchor as it was before anything closed it."""
    return replace(anchor, state=AnchorState.ACTIVE, related=None, valid_to=None)
