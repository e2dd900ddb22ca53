"""Summarizes logs: time span, lines per level, and each distinct error and warning with its count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.statements import Lines, Statement, is_bad, spread, state

_STAMP: Final = lazy_pattern(
    r"\[?(?:time=\"?|ts=\"?)?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    r"|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d|\d\d:\d\d:\d\d(?:[.,]\d{1,6})?)\"?\]?[ :,|-]*"
)
_ACCESS: Final = lazy_pattern(r"\S+ - \S+ \[([^\]]{10,40})\] ")
_LEVEL: Final = lazy_pattern(
    r"(?i)(?<![\w/])(trace|debug|info|notice|warn(?:ing)?|error|fatal|critical|severe|panic)(?![\w/])"
)
_STATUS: Final = lazy_pattern(r'" ([1-5]\d\d) ')
_CHANGING: Final = lazy_pattern(
    r"0x[0-9a-fA-F]+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-f]{12,64}|\d+"
)
_NAMES: Final = {"warning": "warn", "severe": "error", "critical": "fatal", "panic": "fatal"}
_ORDER: Final = ("fatal", "error", "warn", "notice", "info", "debug", "trace")
_WORTH: Final = {"fatal": 105, "error": 100, "warn": 80}
_LOOKED: Final = 60
"""Code points after the timestamp that are searched for the level."""
_MOST_SHOWN: Final = 12


@dataclass(slots=True)
class _Event:
    """A group of lines that differ only in numbers and ids."""

    text: str
    level: str
    times: int
    same: bool
    """True while all lines of the group are equal after their timestamps."""
    first: str
    last: str
    place: int


def summarize_log(lines: Lines) -> list[Statement]:
    """State the span and the counts, then distinct events in order; errors are worth most."""
    levels: dict[str, int] = {}
    events: dict[str, _Event] = {}
    stamps: list[str] = []
    for place, line in enumerate(lines.kept):
        stamp, rest = _stamped(line)
        if stamp:
            stamps.append(stamp)
        level = _level(rest)
        levels[level] = levels.get(level, 0) + 1
        template = f"{_status(rest)}{level} {_CHANGING.sub('#', rest)}"
        known = events.get(template)
        if known is None:
            events[template] = _Event(rest, level, 1, True, stamp, stamp, place)  # noqa: FBT003 - a field
        else:
            known.times += 1
            known.same = known.same and known.text == rest
            known.last = stamp or known.last
    span = f" from {stamps[0]} to {stamps[-1]}" if len(stamps) > 1 else ""
    counts = ", ".join(f"{levels[level]} {level}" for level in _ORDER if levels.get(level))
    statements = [state(f"log of {lines.count} lines{span}{': ' if counts else ''}{counts}", 110)]
    return [*statements, *_told(list(events.values()))]


def _stamped(line: str) -> tuple[str, str]:
    match = _STAMP.match(line)
    if match:
        return match.group(1), line[match.end() :]
    access = _ACCESS.match(line)
    return (access.group(1), line[access.end() :]) if access else ("", line)


def _level(rest: str) -> str:
    match = _LEVEL.search(rest[:_LOOKED])
    if match:
        name = match.group(1).lower()
        return _NAMES.get(name, name)
    status = _status(rest)
    if status:
        return {"5": "error", "4": "warn"}.get(status[0], "")
    return "error" if is_bad(rest) else ""


def _status(rest: str) -> str:
    """Return the HTTP status in a line of an access log, or an empty string."""
    match = _STATUS.search(rest)
    return match.group(1) if match else ""


def _told(events: list[_Event]) -> list[Statement]:
    """Select bad events by level; of the others the first, the last and the rarest."""
    bad = [event for event in events if event.level in _WORTH]
    bad = sorted(spread(bad, 2 * _MOST_SHOWN), key=lambda event: (-_WORTH[event.level], event.place))[:_MOST_SHOWN]
    calm = [event for event in events if event.level not in _WORTH]
    rare = sorted(calm, key=lambda event: (event.times, event.place))[:_MOST_SHOWN]
    worth = {event.place: _WORTH[event.level] - i for i, event in enumerate(bad)}
    worth.update({event.place: 50 - i for i, event in enumerate(rare)})
    for event in (*calm[:1], *events[-1:]):
        worth[event.place] = max(worth.get(event.place, 0), 70)
    return [state(_said(event), worth[event.place]) for event in events if event.place in worth]


def _said(event: _Event) -> str:
    when = f"{event.first} " if event.first else ""
    if event.times == 1:
        return f"{when}{event.text}"
    until = f"to {event.last} " if event.last and event.last != event.first else ""
    return f"{event.times} times {when}{until}{event.text if event.same else f'like: {event.text}'}"
