"""What an agent was asked to do: the user's requests of a conversation in which tools work.

request    what a user asked for, in their own words, with a mark where some are left out
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Request(NamedTuple):
    """What a user asked for."""

    seq: int
    """The turn that says it."""
    speaker: str
    text: str
    """Whole paragraphs, items and blocks of the turn, in order."""
    rules: tuple[str, ...] = ()
    """Sentences of the turn that bind, in order; shown before what explains the task."""


def kept_requests(requests: Sequence[Request]) -> tuple[Request, ...]:
    """Of requests in order the first, which the work began with, and the newest."""
    return tuple(dict.fromkeys((*requests[:1], *requests[-1:])))


def unpack_requests(rows: Any) -> tuple[Request, ...]:
    """Requests from rows of JSON."""
    return tuple(request._replace(rules=tuple(request.rules)) for request in (Request(*row) for row in rows or ()))
