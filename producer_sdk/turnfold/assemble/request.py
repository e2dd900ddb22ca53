"""A caller's request for a context: budget, query, policy and options, checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final, Literal

from turnfold.assemble.forms.markers import parse_marker
from turnfold.assemble.policy import BALANCED, Policy
from turnfold.assemble.scope import EVERYTHING, Scope
from turnfold.assemble.sections import Section, flags_of, system_text
from turnfold.contract.records import Origin
from turnfold.contract.text import clean, ends_of
from turnfold.contract.vectors import DEFAULT_MODEL, NO_VECTOR, Vector, rounded
from turnfold.dates.validity import checked_as_of
from turnfold.errors import InvalidBudget, InvalidInput
from turnfold.search.query_times import check_now
from turnfold.tokens import ESTIMATOR, Counter
from turnfold.wire.whole_numbers import whole_number

_MOST_TOKENS: Final = 10**12
"""More tokens than any conversation has: shares of a budget are computed as floats, which have a limit."""

Query = str | Literal[False] | None
"""Query of a read: a question, None for the newest user turn, False for no subject."""

MOST_EXPANDED: Final = 8
"""Maximum number of markers in one request: each costs one more read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Budget and options of one read. Raises `InvalidBudget` or `InvalidInput` for values that make no sense."""

    budget_tokens: int
    query: str | None = None
    """Subject of the next answer; content that matches it is shown in more detail."""
    steered: bool = False
    """Without a query, the newest user turn takes its place."""
    query_vector: Vector = NO_VECTOR
    """Embedding of the query, by the model that embedded the turns; only its direction counts."""
    vector_model: str = DEFAULT_MODEL
    system: str | None = None
    """System text of the caller, always shown in full, before the system turns of the conversation."""
    task: str | None = None
    """Task, always shown in full, after the system text."""
    reserve_tokens: int = 0
    """Tokens of the budget to keep free for what the caller adds."""
    policy: Policy = BALANCED
    counter: Counter = ESTIMATOR
    sections_left_out: tuple[str, ...] = ()
    """Sections of the system text that did not fit."""
    now: datetime | None = None
    """Time of the query, from which 'last week' counts; None: the time of the newest turn."""
    scope: Scope = EVERYTHING
    """Origins and speakers whose words may be shown."""
    as_of: datetime | None = None
    """Day at whose end the shown statements held; None: no limit in time."""
    expand: tuple[str, ...] = ()
    """Markers to expand inline, within `policy.expand_share` of the budget."""

    def __post_init__(self) -> None:
        whole_number("budget_tokens", self.budget_tokens, least=1, error=partial(InvalidBudget, needed_tokens=1))
        whole_number("reserve_tokens", self.reserve_tokens, least=0)
        for name in ("query", "system", "task"):
            text = getattr(self, name)
            if text is not None and not isinstance(text, str):
                other = " or None; query may also be False" if name == "query" else " or None"
                raise InvalidInput(f"{name} must be text{other}, not {type(text).__name__}")
        check_now(self.now)
        if checked_as_of(self.as_of) is not None and self.expand:
            msg = "expand cannot be combined with as_of: it shows turns of any day"
            raise InvalidInput(msg, remedy="leave one of them out, or call Turnfold.expand")
        _check_markers(self.expand)
        if self.expand and not self.scope.is_all:
            msg = "expand cannot be combined with origins or speakers: it shows turns of every speaker"
            raise InvalidInput(msg, remedy="leave out either expand, or origins and speakers")

    @property
    def usable_tokens(self) -> int:
        """Maximum tokens of the context itself, without the reserve; may be negative."""
        return min(self.budget_tokens - self.reserve_tokens, _MOST_TOKENS)


def request_of(  # noqa: PLR0913 - a read's options, all by name
    *,
    budget_tokens: int,
    query: Query,
    system: str | Iterable[Section] | None,
    flags: Iterable[str],
    task: str | None,
    reserve_tokens: int,
    policy: Policy,
    counter: Counter,
    expand: Iterable[str],
    query_vector: Iterable[float] | None = None,
    vector_model: str = DEFAULT_MODEL,
    now: datetime | None = None,
    origins: Iterable[Origin | str] | None = None,
    speakers: Iterable[str] | None = None,
    as_of: datetime | None = None,
) -> Request:
    """Build the request of a caller; sections of a system text are joined for its budget and counter.

    `query` None: the newest user turn steers the selection; False: nothing does. Required sections may take all of
    the budget, the others as much as `policy.system_share` leaves them.
    """
    plain = clean(system) if isinstance(system, str) else None
    query_text = ends_of(query) if isinstance(query, str) else None if query is False else query
    is_steered = query is None and policy.steered_share > 0
    request = Request(
        budget_tokens=budget_tokens, query=query_text, steered=is_steered, system=plain, reserve_tokens=reserve_tokens,
        task=clean(task) if isinstance(task, str) else task,
        policy=policy, counter=counter, expand=asked_markers(expand), query_vector=_vector(query_text, query_vector),
        vector_model=vector_model, now=now, scope=Scope.checked(origins, speakers), as_of=as_of,
    )  # fmt: skip
    if system is None or isinstance(system, str):
        if flags_of(flags, what="flags"):
            msg = "flags only select sections"
            raise InvalidInput(msg, remedy="give system as a list of turnfold.Section, or no flags")
        return request
    usable = max(0, request.usable_tokens)
    made = system_text(
        system, flags=flags, budget_tokens=usable, optional_tokens=int(policy.system_share * usable), counter=counter
    )
    return replace(request, system=made.text and clean(made.text), sections_left_out=made.left_out)


def _vector(query: str | None, numbers: object) -> Vector:
    """Convert a query's embedding to its stored form. Raises `InvalidInput` for anything else, or without a query."""
    if numbers is None:
        return NO_VECTOR
    try:
        vector = rounded(float(number) for number in numbers)  # type: ignore[attr-defined]  # what cannot is refused
    except (TypeError, ValueError):
        vector = NO_VECTOR
    if vector == NO_VECTOR or not query:
        msg = "query_vector must be the numbers of the query's embedding, and needs query="
        raise InvalidInput(msg)
    return vector


def asked_markers(markers: object) -> tuple[str, ...]:
    """Check the markers to expand and drop duplicates. Raises `InvalidInput` for anything but a list of texts."""
    if isinstance(markers, str) or not isinstance(markers, Iterable):
        msg = 'expand must be a list of markers, such as ["L1:auth-options-17"]'
        raise InvalidInput(msg)
    distinct = tuple(markers)
    _check_markers(distinct)
    return tuple(dict.fromkeys(distinct))


def _check_markers(markers: tuple[object, ...]) -> None:
    for marker in markers:
        if not isinstance(marker, str):
            msg = f"a marker must be text such as L1:auth-options-17, not {type(marker).__name__}"
            raise InvalidInput(msg)
        parse_marker(marker)
    if (many := len(set(markers))) > MOST_EXPANDED:
        msg = f"expand takes at most {MOST_EXPANDED} markers, not {many}"
        raise InvalidInput(msg, remedy="expand the others with Turnfold.expand")
