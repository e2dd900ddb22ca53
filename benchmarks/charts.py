"""Line charts as SVG by hand: a figure of a document needs no library."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

Line = Sequence[tuple[float, float]]
"""Points (x, y)."""

_COLOURS: Final = ("#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df", "#57606a", "#bf3989", "#0a7ea4")
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 760, 420, 70, 40, 250, 50
_STYLE: Final = "font-family='system-ui, sans-serif' font-size='12' fill='#24292f'"


class _Axis:
    """Where a value stands between the two ends of an axis, from 0 to 1, and what is written along it."""

    def __init__(self, marks: Sequence[float], scale: Callable[[float], float], form: str) -> None:
        self.marks = marks
        self._scale = scale
        self._low, self._high = scale(marks[0]), scale(marks[-1])
        self._form = form

    def share(self, value: float) -> float:
        return (self._scale(value) - self._low) / (self._high - self._low)

    def label(self, mark: float) -> str:
        return format(mark, self._form)


def log_chart(title: str, x_name: str, y_name: str, series: Mapping[str, Line]) -> str:
    """A line a name over two logarithmic axes: every coordinate is above 0."""
    points = [point for line in series.values() for point in line]
    x_axis, y_axis = _decades([x for x, _ in points], ",.0f"), _decades([y for _, y in points], "g")
    return _chart(title, (x_name, x_axis), (y_name, y_axis), series)


def percent_chart(title: str, x_name: str, y_name: str, series: Mapping[str, Line]) -> str:
    """A line a name, y from 0 to 100 over x from 0 on, to the next ten."""
    last = max(x for line in series.values() for x, _ in line)
    tens = [10.0 * ten for ten in range(math.ceil(last / 10) + 1)]
    x_axis, y_axis = _Axis(tens, float, ".0f"), _Axis([0, 20, 40, 60, 80, 100], float, ".0f")
    return _chart(title, (x_name, x_axis), (y_name, y_axis), series)


def _decades(values: Sequence[float], form: str) -> _Axis:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return _Axis([10.0**power for power in range(low, max(high, low + 1) + 1)], math.log10, form)


def _chart(title: str, across: tuple[str, _Axis], up: tuple[str, _Axis], series: Mapping[str, Line]) -> str:
    (x_name, x_axis), (y_name, y_axis) = across, up
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            round(_LEFT + x_axis.share(x) * (right - _LEFT), 1),
            round(bottom - y_axis.share(y) * (bottom - _TOP), 1),
        )

    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {_HEIGHT}' role='img' aria-label='{title}'>",
        "<rect width='100%' height='100%' fill='#ffffff'/>",
        f"<text x='{_LEFT}' y='22' {_STYLE} font-weight='600'>{title}</text>",
        f"<text x='{_LEFT}' y='{_HEIGHT - 10}' {_STYLE}>{x_name}</text>",
        f"<text x='{_LEFT - 60}' y='{_TOP - 6}' {_STYLE}>{y_name}</text>",
    ]
    for mark in x_axis.marks:
        x, _ = at(mark, y_axis.marks[0])
        parts.append(f"<line x1='{x}' y1='{_TOP}' x2='{x}' y2='{bottom}' stroke='#eaeef2'/>")
        parts.append(f"<text x='{x}' y='{bottom + 18}' text-anchor='middle' {_STYLE}>{x_axis.label(mark)}</text>")
    for mark in y_axis.marks:
        _, y = at(x_axis.marks[0], mark)
        parts.append(f"<line x1='{_LEFT}' y1='{y}' x2='{right}' y2='{y}' stroke='#eaeef2'/>")
        parts.append(f"<text x='{_LEFT - 8}' y='{y + 4}' text-anchor='end' {_STYLE}>{y_axis.label(mark)}</text>")
    for i, (name, line) in enumerate(series.items()):
        parts += _line([at(x, y) for x, y in sorted(line)], _COLOURS[i % len(_COLOURS)])
        y = _TOP + 16 * i + 8
        parts.append(
            f"<rect x='{right + 14}' y='{y - 9}' width='10' height='10' fill='{_COLOURS[i % len(_COLOURS)]}'/>"
        )
        parts.append(f"<text x='{right + 30}' y='{y}' {_STYLE}>{name}</text>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _line(places: Sequence[tuple[float, float]], colour: str) -> list[str]:
    path = " ".join(f"{x},{y}" for x, y in places)
    return [
        f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>",
        *(f"<circle cx='{x}' cy='{y}' r='3' fill='{colour}'/>" for x, y in places),
    ]
