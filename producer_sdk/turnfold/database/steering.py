"""What the newest user turn steers a context to, where no query is given. Pure."""

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
"""Telling words without which a text that asks nothing steers nothing."""


def steering_text(
    stored: Sequence[StoredTurn], waiting: Iterable[StoredTurn], *, task: str | None = None
) -> str | None:
    """The task, and the words of the newest user turn among the last ones; None where nothing is to be looked for.

    `stored` are the newest stored turns in order, `waiting` those of the inbox that are not among them.
    """
    ends = [ends_of(text) for text in (task, _newest_words(stored, waiting)) if text]
    return "\n".join(filter(says_something, ends)) or None


def _newest_words(stored: Sequence[StoredTurn], waiting: Iterable[StoredTurn]) -> str | None:
    last = [*chain(stored[max(0, len(stored) - LAST_TURNS) :], waiting)][-LAST_TURNS:]
    newest = next((turn for turn in reversed(last) if turn.role is Role.USER and turn.state is TurnState.STORED), None)
    return None if newest is None else newest.content


def says_something(text: str) -> bool:
    """True where a text has words that can be looked for: 'thanks', 'bye' and 'yes' have none, 'Go on' too few.

    >>> says_something("Thanks, no worries, take care!"), says_something("OK, do number 3"), says_something("Redis?")
    (False, True, True)
    """
    telling = {term for term in terms(text) if term not in PLEASANTRIES}
    return len(telling) >= _LEAST_TERMS or (bool(telling) and "?" in text)
