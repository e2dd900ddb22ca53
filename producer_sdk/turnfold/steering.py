"""What the newest user turn steers a context to, where no query is given. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from turnfold.contract.records import Role, StoredTurn, TurnState
from turnfold.contract.terms import stem, terms

NEWEST: Final = 4
"""Last turns among which a user turn still steers."""

_LONGEST: Final = 2_000
"""Code points of either end of a longer turn that are looked at: a pasted document is about its ends."""

_SAYS_NOTHING: Final = frozenset(
    map(
        stem,
        """
        absolutely agreed alright amazing much many lot sound help awesome bye cheers cool correct exactly fine good goodbye great haha hello hey
        hi hmm indeed lol love lovely maybe morning nice night nope ok okay perfect please right sorry sure thank
        thanks thx true understood welcome wonderful wow yep yes no not got it
        """.split(),
    )
)  # fmt: skip


def steering_text(stored: Sequence[StoredTurn], waiting: Iterable[StoredTurn]) -> str | None:
    """The words of the newest user turn among the last `NEWEST`; None where it says nothing to look for.

    `stored` are the newest stored turns in order, `waiting` those of the inbox that are not among them.
    """
    last = [*chain(stored[max(0, len(stored) - NEWEST) :], waiting)][-NEWEST:]
    newest = next((turn for turn in reversed(last) if turn.role is Role.USER and turn.state is TurnState.STORED), None)
    if newest is None:
        return None
    words = newest.content
    if len(words) > 2 * _LONGEST:
        words = f"{words[:_LONGEST]}\n{words[-_LONGEST:]}"
    return words if says_something(words) else None


def says_something(text: str) -> bool:
    """True where a text has a word that can be looked for: 'thanks', 'bye' and 'yes' have none.

    >>> says_something("Thanks, that sounds great!"), says_something("OK, do number 3")
    (False, True)
    """
    return not _SAYS_NOTHING.issuperset(terms(text))
