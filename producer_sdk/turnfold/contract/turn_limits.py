"""Limits on how many turns a context reads and how much of each, equal for turns of the inbox and of SQL. Pure.

`statements.turn_columns` applies the same limits in SQL, so that storing a turn does not change a context.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Final, Self

from turnfold.contract.records import StoredTurn

TURNS_A_READ: Final = 200
"""Maximum number of newest turns in a read, of the inbox and of SQL."""

INSPECTED_SEGMENTS: Final = 200
"""Default number of segments that an inspection shows: those of some three thousand turns."""

LONG_PARTS: Final = 2 * 1_048_576
"""Maximum characters of JSON for parts of the newest turns: an image costs the same tokens at any length."""

LONG_PARTS_TURNS: Final = 8
"""Number of newest turns whose long parts are read."""

LEAST_CAP: Final = 4_096
MOST_CAP: Final = 16 * 1_048_576
"""No turn is longer; SQL functions take no numbers above 2**31 - 1."""
_CAP_A_TOKEN: Final = 8
"""Text, code and data have 1 to 5 characters per token: a truncated turn loses nothing that would fit the budget. The
whole text that is read is scanned for its most informative parts."""


def cap_for(tokens: int) -> int:
    """Return how many code points of a turn are worth reading for a number of tokens."""
    return min(max(LEAST_CAP, tokens * _CAP_A_TOKEN), MOST_CAP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortening:
    """Read limits of a turn: `head` and `tail` code points of a longer content, and a maximum length of its parts."""

    head: int
    tail: int
    parts: int
    """Maximum characters of JSON for the parts of an older turn."""
    long_parts: int
    """Maximum characters of JSON for the parts of one of the newest turns."""
    newest_from: int
    """Number of the first of the newest turns."""

    @classmethod
    def to(cls, cap: int, *, last_seq: int) -> Self:
        """Limit each turn up to `last_seq` to `cap` code points, two thirds of them from its beginning."""
        return cls(
            head=cap - cap // 3, tail=cap // 3, parts=cap, long_parts=max(cap, LONG_PARTS),
            newest_from=last_seq - LONG_PARTS_TURNS + 1,
        )  # fmt: skip

    @property
    def cap(self) -> int:
        """Maximum code points of a content that is read in full."""
        return self.head + self.tail

    @property
    def numbers(self) -> dict[str, int]:
        """The limits as parameters of a statement."""
        return {
            "head": self.head, "tail": self.tail, "parts": self.parts, "long_parts": self.long_parts,
            "newest_from": self.newest_from,
        }  # fmt: skip

    def of(self, turn: StoredTurn) -> StoredTurn:
        """Apply the limits to a turn."""
        if turn.parts is None and turn.metadata is None and len(turn.content) <= self.cap:
            return turn
        most_parts = self.long_parts if turn.seq >= self.newest_from else self.parts
        # Match SQL's length of JSON: ASCII, with spaces after commas and colons.
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
