"""Draw line charts as SVG by hand: a figure of a document needs no library."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

Line = Sequence[tuple[float, float]]
"""Points (x, y)."""

NOBODY: Final[Mapping[str, str]] = {}
_COLOURS: Final = ("#1f6feb", "#1a7f37", "#9a6700", "#57606a", "#d1242f", "#8250df", "#bf3989", "#0a7ea4")
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 760, 420, 70, 48, 250, 50
_STYLE: Final = "font-family='system-ui, sans-serif' font-size='12' fill='#24292f'"


class _Axis:
    """An axis with its labels, which maps values to positions from 0 to 1."""

    def __init__(self, marks: Sequence[float], scale: Callable[[float], float], form: str) -> None:
        self.marks = marks
        self._scale = scale
        self._low, self._high = scale(marks[0]), scale(marks[-1])
        self._form = form

    def share(self, value: float) -> float:
        return (self._scale(value) - self._low) / (self._high - self._low)

    def label(self, mark: float) -> str:
        return format(mark, self._form)


def log_chart(
    title: str, x_name: str, y_name: str, series: Mapping[str, Line], *, dashed: Mapping[str, str] = NOBODY
) -> str:
    """Draw a line for each name over two logarithmic axes, on which every coordinate is above 0.

    `dashed` maps a name to the line whose colour it shares.
    """
    points = [point for line in series.values() for point in line]
    x_axis, y_axis = _decades([x for x, _ in points], ",.0f"), _decades([y for _, y in points], ",g")
    return _chart(title, (x_name, x_axis), (y_name, y_axis), series, dashed)


def headline_chart(title: str, x_name: str, y_name: str, series: Mapping[tuple[str, str], Line]) -> str:
    """Draw few lines as `log_chart` does, each with its name and a remark at its end."""
    points = [point for line in series.values() for point in line]
    axes = (x_name, _decades([x for x, _ in points], ",.0f")), (y_name, _decades([y for _, y in points], ",g"))
    parts, at = _frame(title, *axes)
    ends = _apart([at(*max(line))[1] for line in series.values()], least=38)
    for colour, ((name, remark), line), y in zip(_COLOURS, series.items(), ends, strict=False):
        parts += _line([at(*point) for point in sorted(line)], colour, width=3)
        x = _WIDTH - _RIGHT + 14
        parts.append(f"<text x='{x}' y='{y}' {_STYLE} font-weight='600' style='fill:{colour}'>{name}</text>")
        parts.append(f"<text x='{x}' y='{y + 15}' {_STYLE}>{remark}</text>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _apart(places: Sequence[float], *, least: float) -> list[float]:
    """Move places upwards until each is `least` from the next one below; their order stays."""
    moved = list(places)
    order = sorted(range(len(places)), key=places.__getitem__)
    for above, below in reversed(list(pairwise(order))):
        moved[above] = min(moved[above], moved[below] - least)
    return moved


def percent_chart(title: str, x_name: str, y_name: str, series: Mapping[str, Line]) -> str:
    """Draw a line for each name, y from 0 to 100, x from 0 to the next multiple of ten."""
    last = max(x for line in series.values() for x, _ in line)
    tens = [10.0 * ten for ten in range(math.ceil(last / 10) + 1)]
    x_axis, y_axis = _Axis(tens, float, ".0f"), _Axis([0, 20, 40, 60, 80, 100], float, ".0f")
    return _chart(title, (x_name, x_axis), (y_name, y_axis), series, NOBODY)


def _decades(values: Sequence[float], form: str) -> _Axis:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return _Axis([10.0**power for power in range(low, max(high, low + 1) + 1)], math.log10, form)


def _chart(
    title: str,
    across: tuple[str, _Axis],
    up: tuple[str, _Axis],
    series: Mapping[str, Line],
    dashed: Mapping[str, str],
) -> str:
    parts, at = _frame(title, across, up)
    # Raises for more lines than colours: lines of the same colour could not be told apart.
    colours = dict(zip((name for name in series if name not in dashed), _COLOURS, strict=False))
    right = _WIDTH - _RIGHT
    for row, (name, line) in enumerate(series.items()):
        colour, dashes = colours[dashed.get(name, name)], "stroke-dasharray='6 4'" if name in dashed else ""
        parts += _line([at(*point) for point in sorted(line)], colour, dashes)
        y = _TOP + 18 * row + 8
        parts.append(
            f"<line x1='{right + 12}' y1='{y - 4}' x2='{right + 34}' y2='{y - 4}' stroke='{colour}' stroke-width='3' "
            f"{dashes}/>"
        )
        parts.append(f"<text x='{right + 40}' y='{y}' {_STYLE}>{name}</text>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _frame(
    title: str, across: tuple[str, _Axis], up: tuple[str, _Axis]
) -> tuple[list[str], Callable[[float, float], tuple[float, float]]]:
    """Return the picture without its lines, and a function that places a point in it."""
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
        f"<text x='{_LEFT}' y='20' {_STYLE} font-weight='600'>{title}</text>",
        f"<text x='{_LEFT}' y='{_HEIGHT - 10}' {_STYLE}>{x_name}</text>",
        f"<text x='{_LEFT - 60}' y='{_TOP - 14}' {_STYLE}>{y_name}</text>",
    ]
    for mark in x_axis.marks:
        x, _ = at(mark, y_axis.marks[0])
        parts.append(f"<line x1='{x}' y1='{_TOP}' x2='{x}' y2='{bottom}' stroke='#eaeef2'/>")
        parts.append(f"<text x='{x}' y='{bottom + 18}' text-anchor='middle' {_STYLE}>{x_axis.label(mark)}</text>")
    for mark in y_axis.marks:
        _, y = at(x_axis.marks[0], mark)
        parts.append(f"<line x1='{_LEFT}' y1='{y}' x2='{right}' y2='{y}' stroke='#eaeef2'/>")
        parts.append(f"<text x='{_LEFT - 8}' y='{y + 4}' text-anchor='end' {_STYLE}>{y_axis.label(mark)}</text>")
    return parts, at


def _line(places: Sequence[tuple[float, float]], colour: str, dashes: str = "", *, width: int = 2) -> list[str]:
    path = " ".join(f"{x},{y}" for x, y in places)
    return [
        f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='{width}' {dashes}/>",
        *(f"<circle cx='{x}' cy='{y}' r='{width + 1}' fill='{colour}'/>" for x, y in places),
    ]
