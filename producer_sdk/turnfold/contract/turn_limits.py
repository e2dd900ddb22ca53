"""How many turns a context reads and how much of each, the same for turns of the inbox and of SQL. Pure.

`statements.turn_columns` says the same in SQL, so that a context does not change when its turns are stored.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Final, Self

from turnfold.contract.records import StoredTurn

TURNS_A_READ: Final = 200
"""Newest turns that a read looks at, of the inbox and of SQL."""

INSPECTED_SEGMENTS: Final = 200
"""Segments that a person sees at once unless told otherwise: those of some three thousand turns."""

LONG_PARTS: Final = 2 * 1_048_576
"""Characters of JSON up to which parts of the newest turns are read: an image costs the same however long it is."""

LONG_PARTS_TURNS: Final = 8
"""Newest turns of which long parts are read."""

LEAST_CAP: Final = 4_096
MOST_CAP: Final = 16 * 1_048_576
"""No turn is longer; SQL's functions take no larger numbers than 2**31 - 1."""
_CAP_A_TOKEN: Final = 8
"""Words, code and data have 1 to 5 characters a token: what is left out of a longer turn could not have been shown. All
that is read of one is looked through for what tells most."""


def cap_for(tokens: int) -> int:
    """Code points of a turn that are worth reading for a number of tokens."""
    return min(max(LEAST_CAP, tokens * _CAP_A_TOKEN), MOST_CAP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortening:
    """What is read of a turn: `head` and `tail` code points of a longer content, and parts up to a length."""

    head: int
    tail: int
    parts: int
    """Characters of JSON of the parts of an older turn."""
    long_parts: int
    """The same, of one of the newest turns."""
    newest_from: int
    """The first of the newest turns."""

    @classmethod
    def to(cls, cap: int, *, last_seq: int) -> Self:
        """At most `cap` code points of each turn up to `last_seq`, two thirds of them from its beginning."""
        return cls(
            head=cap - cap // 3, tail=cap // 3, parts=cap, long_parts=max(cap, LONG_PARTS),
            newest_from=last_seq - LONG_PARTS_TURNS + 1,
        )  # fmt: skip

    @property
    def cap(self) -> int:
        """Code points of a content that is read whole."""
        return self.head + self.tail

    @property
    def numbers(self) -> dict[str, int]:
        """As parameters of a statement."""
        return {
            "head": self.head, "tail": self.tail, "parts": self.parts, "long_parts": self.long_parts,
            "newest_from": self.newest_from,
        }  # fmt: skip

    def of(self, turn: StoredTurn) -> StoredTurn:
        """The turn as a context reads it."""
        if turn.parts is None and turn.metadata is None and len(turn.content) <= self.cap:
            return turn
        most_parts = self.long_parts if turn.seq >= self.newest_from else self.parts
        # As SQL holds it: in ASCII, with spaces after commas and colons.
        drops_parts = turn.parts is not None and len(json.dumps(turn.parts)) > most_parts
        is_long = len(turn.content) > self.cap
        return replace(
            turn,
            content=turn.content[: self.head] + turn.content[len(turn.content) - self.tail :]
            if is_long
            else turn.content,
            kept=self.head if is_long else None,
            parts=None if drops_parts else turn.parts,
            without_parts=drops_parts,
            metadata=None,
        )
