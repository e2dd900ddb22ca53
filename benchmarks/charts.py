"""Line charts with logarithmic axes, as SVG by hand: a figure of a document needs no library."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

_COLOURS: Final = ("#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df", "#57606a", "#bf3989", "#0a7ea4")
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 760, 420, 70, 40, 250, 50
_STYLE: Final = "font-family='system-ui, sans-serif' font-size='12' fill='#24292f'"


def log_chart(title: str, x_name: str, y_name: str, series: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Points (x, y), both above 0, a line a name."""
    points = [point for line in series.values() for point in line]
    left, right = _decades([x for x, _ in points])
    low, high = _decades([y for _, y in points])

    def at(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - left) / (right - left)
        up = (math.log10(y) - low) / (high - low)
        return (
            round(_LEFT + across * (_WIDTH - _LEFT - _RIGHT), 1),
            round(_HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM), 1),
        )

    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {_HEIGHT}' role='img' aria-label='{title}'>",
        "<rect width='100%' height='100%' fill='#ffffff'/>",
        f"<text x='{_LEFT}' y='22' {_STYLE} font-weight='600'>{title}</text>",
        f"<text x='{_LEFT}' y='{_HEIGHT - 10}' {_STYLE}>{x_name}</text>",
        f"<text x='{_LEFT - 60}' y='{_TOP - 6}' {_STYLE}>{y_name}</text>",
    ]
    for power in range(left, right + 1):
        x, bottom = at(10**power, 10**low)
        parts.append(f"<line x1='{x}' y1='{_TOP}' x2='{x}' y2='{bottom}' stroke='#eaeef2'/>")
        parts.append(f"<text x='{x}' y='{bottom + 18}' text-anchor='middle' {_STYLE}>{10**power:,}</text>")
    for power in range(low, high + 1):
        x, y = at(10**left, 10**power)
        parts.append(f"<line x1='{x}' y1='{y}' x2='{_WIDTH - _RIGHT}' y2='{y}' stroke='#eaeef2'/>")
        parts.append(f"<text x='{x - 8}' y='{y + 4}' text-anchor='end' {_STYLE}>{10.0**power:g}</text>")
    for i, (name, line) in enumerate(series.items()):
        colour = _COLOURS[i % len(_COLOURS)]
        places = [at(x, y) for x, y in sorted(line)]
        path = " ".join(f"{x},{y}" for x, y in places)
        parts.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>")
        parts += [f"<circle cx='{x}' cy='{y}' r='3' fill='{colour}'/>" for x, y in places]
        y = _TOP + 16 * i + 8
        parts.append(f"<rect x='{_WIDTH - _RIGHT + 14}' y='{y - 9}' width='10' height='10' fill='{colour}'/>")
        parts.append(f"<text x='{_WIDTH - _RIGHT + 30}' y='{y}' {_STYLE}>{name}</text>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _decades(values: Sequence[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)
