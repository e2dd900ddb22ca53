"""Parameters that pages read from a request."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, NamedTuple

from starlette.requests import Request

from turnfold import InvalidInput
from turnfold_gateway.inputs import whole_number

FRAGMENT: Final = "fragment"
"""Query parameter with which our script requests a part of a page."""
BUDGET_TOKENS: Final = 2_000
LARGEST_BUDGET: Final = 200_000
_LONGEST_QUERY: Final = 4_000


def is_fragment(request: Request) -> bool:
    return FRAGMENT in request.query_params


def conversation_of(request: Request) -> str:
    return str(request.path_params["conversation"])


def number_of(request: Request, name: str, default: int = 0) -> int:
    """Return a whole number from the query string; the default for anything else."""
    return whole(request.query_params.get(name, ""), default)


def whole(text: str, default: int) -> int:
    number = whole_number(text)
    return default if number is None else number


class ContextForm(NamedTuple):
    """Fields of the form for a context; empty strings mean not given."""

    budget: int = BUDGET_TOKENS
    query: str = ""
    policy: str = "balanced"
    as_of: str = ""

    @property
    def arguments(self) -> dict[str, object]:
        """Arguments for `context`. Raises `InvalidInput` for an invalid day."""
        return {
            "budget_tokens": min(max(self.budget, 1), LARGEST_BUDGET), "query": self.query or None,
            "policy": self.policy, "as_of": _day(self.as_of),
        }  # fmt: skip


def context_form(request: Request, suffix: str = "") -> ContextForm:
    """Return the fields of a form; `suffix` distinguishes two forms on a page."""
    given = {name: request.query_params.get(name + suffix, "").strip() for name in ContextForm._fields}
    return ContextForm(
        budget=whole(given["budget"], BUDGET_TOKENS), query=given["query"][:_LONGEST_QUERY],
        policy=given["policy"] or "balanced", as_of=given["as_of"],
    )  # fmt: skip


def _day(text: str) -> datetime | None:
    if not text:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError as error:
        raise InvalidInput(f"{text[:40]!r} is not a date", remedy="write it as 2026-03-06") from error
