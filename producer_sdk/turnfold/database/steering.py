"""Steering: the search text that the newest user turn provides for a context without a query. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from turnfold.assemble.last_turns import LAST_TURNS
from turnfold.contract.records import Role, StoredTurn, TurnState
from turnfold.contract.terms import terms
from turnfold.contract.text import ends_of
from turnfold.search.matter import PLEASANTRIES

_LEAST_TERMS: Final = 2
"""Minimum number of content words for a text that is not a question to steer a context."""


def steering_text(
    stored: Sequence[StoredTurn], waiting: Iterable[StoredTurn], *, task: str | None = None
) -> str | None:
    """Join the task and the newest user turn among the last turns; None if neither is worth a search.

    `stored` are the newest stored turns in order, `waiting` those of the inbox that are not among them.
    """
    ends = [ends_of(text) for text in (task, _newest_words(stored, waiting)) if text]
    return "\n".join(filter(says_something, ends)) or None


def _newest_words(stored: Sequence[StoredTurn], waiting: Iterable[StoredTurn]) -> str | None:
    last = [*chain(stored[max(0, len(stored) - LAST_TURNS) :], waiting)][-LAST_TURNS:]
    newest = next((turn for turn in reversed(last) if turn.role is Role.USER and turn.state is TurnState.STORED), None)
    return None if newest is None else newest.content


def says_something(text: str) -> bool:
    """Whether a text has enough content words for a search: 'thanks', 'bye' and 'yes' have none, 'Go on' too few.

    >>> says_something("Thanks, no worries, take care!"), says_something("OK, do number 3"), says_something("Redis?")
    (False, True, True)
    """
    telling = {term for term in terms(text) if term not in PLEASANTRIES}
    return len(telling) >= _LEAST_TERMS or (bool(telling) and "?" in text)
