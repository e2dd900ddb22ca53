"""Templates and the functions they may call. Every inserted value is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from typing import Any, Final
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import Response

from turnfold_gateway.ui.safety import HEADERS, VERSION
from turnfold_gateway.ui.sessions import FORM_FIELD, PATH
from turnfold_gateway.ui.views import kinds, words

_AGES: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


@cache
def environment() -> Environment:
    """Return the template environment; templates are compiled on first use."""
    made = Environment(
        autoescape=True, loader=PackageLoader("turnfold_gateway.ui"), lstrip_blocks=True, trim_blocks=True,
        undefined=StrictUndefined,
    )  # fmt: skip
    made.filters |= {
        "age": age, "clip": words.clipped, "count": count, "day": day, "dollars": dollars, "label": kinds.label_of,
        "moment": moment, "plain": plain, "plural": plural, "visible": words.visible,
    }  # fmt: skip
    made.globals |= {
        "ANCHORS": kinds.ANCHORS, "FORM_FIELD": FORM_FIELD, "LEVELS": kinds.LEVELS, "PARTS": kinds.PARTS,
        "STATES": kinds.STATES, "UI": PATH, "VERSION": VERSION, "of": address_of, "query": query,
    }  # fmt: skip
    return made


def render(template: str, code: int = 200, /, **shown: Any) -> Response:
    """Render a page or a part of one."""
    content = environment().get_template(template).render(shown)
    # Text that cannot be encoded is never stored, but may come in a query string.
    return Response(content.encode("utf-8", "replace"), code, HEADERS, "text/html")


def address_of(conversation_id: str, *parts: object, **parameters: object) -> str:
    """Return the address of a page of a conversation.

    >>> address_of("team/chat 1", "segments", 7, budget=900)
    '/ui/c/team%2Fchat%201/segments/7?budget=900'
    """
    path = "/".join(quote(str(part), safe="", errors="replace") for part in (conversation_id, *parts))
    return f"{PATH}/c/{path}{query(parameters)}"


def query(parameters: Mapping[str, object]) -> str:
    """Return a query string of the parameters, omitting empty values."""
    given = {name: str(value) for name, value in parameters.items() if value not in {None, ""}}
    return f"?{urlencode(given, errors='replace')}" if given else ""


def plain(cut: words.Clip) -> words.Run:
    """Return the text of a clip as a run without a marker or anchor."""
    return words.Run(cut.text)


def count(number: float) -> str:
    """Format a number for people.

    >>> count(1204)
    '1,204'
    """
    return f"{number:,}"


def plural(number: int, noun: str) -> str:
    """Format a number with its noun.

    >>> plural(1, "turn"), plural(2_000, "turn")
    ('1 turn', '2,000 turns')
    """
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def dollars(micros: int) -> str:
    """Format millionths of a dollar as an amount."""
    return f"${micros / 1_000_000:,.4f}"


def age(seconds: float | None) -> str:
    """Format an age in its largest unit.

    >>> age(59.4), age(7_300)
    ('59 s', '2 hours')
    """
    if seconds is None:
        return "–"
    for size, unit in _AGES:
        if seconds >= size:
            return plural(int(seconds // size), unit)
    return f"{seconds:.0f} s"


def day(value: date | datetime | None) -> str:
    return "" if value is None else f"{value.day} {value:%B %Y}"


def moment(value: datetime | None) -> str:
    return "" if value is None else f"{value:%Y-%m-%d %H:%M}"
