"""Requests of users to an agent, in conversations with tool calls.

request    a user's request verbatim, with marks for omissions
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Request(NamedTuple):
    """A request of a user."""

    seq: int
    """The turn with the request."""
    speaker: str
    text: str
    """Whole paragraphs, items and blocks of the turn, in order."""
    rules: tuple[str, ...] = ()
    """Binding sentences of the turn, in order; shown before the rest of the task."""


def kept_requests(requests: Sequence[Request]) -> tuple[Request, ...]:
    """Select the first request, which started the work, and the newest."""
    return tuple(dict.fromkeys((*requests[:1], *requests[-1:])))


def unpack_requests(rows: Any) -> tuple[Request, ...]:
    """Deserialize requests from rows of JSON."""
    return tuple(request._replace(rules=tuple(request.rules)) for request in (Request(*row) for row in rows or ()))
