"""What was done with tools: each call as it was made, and how it ended.

action    a call of a tool, or the command in a turn that a tool's turn answers, with the outcome in a few words
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from turnfold.contract.text import whole_numbers

MOST_ACTIONS: Final = 16
"""Actions that a node keeps."""


class Action(NamedTuple):
    """One thing that was done, by the turn that did it."""

    seq: int
    ended_seq: int
    """The turn that says how it ended; 0 while none does."""
    did: str
    """The call or the command, one line."""
    about: str
    """The file that it is about, without folders; empty when none is named."""
    ended: str
    """How it ended, one line; empty while that is not known."""
    failed: bool
    looked: bool
    """It only looked at something: nothing was run and nothing changed."""

    def shown(self, *, ended: bool = True, longest: int = 0) -> str:
        """As a line with its newline; with or without how it ended, each half clipped to so many code points if any."""
        about = f" in {self.about}" if self.about and self.about not in self.did else ""
        did, outcome = self.did, self.ended
        if longest:
            did, outcome = _clipped(did, longest), _clipped(outcome, longest)
        how = f"; {'failed' if self.failed else 'result'}: {outcome}" if ended and outcome else ""
        return f"turn {self.seq}: {did}{about}{how}\n"

    @property
    def target(self) -> tuple[str, str]:
        """What it does, and to what: done again without failing, it mends an earlier failure."""
        return (self.did.split(maxsplit=1)[0], self.about) if self.about else (self.did, "")


def kept_actions(actions: Sequence[Action]) -> tuple[Action, ...]:
    """Of actions in order those that somebody who goes on has to know: the last one, and the newest that did something.

    What was done again word for word goes, and a failure once the same was done to the same file and did not fail.
    """
    kept: list[Action] = []
    mended: set[tuple[str, str]] = set()
    again: set[tuple[str, str]] = set()
    for action in reversed(actions):
        if kept and (
            action.looked or (action.failed and action.target in mended) or (action.did, action.about) in again
        ):
            continue
        kept.append(action)
        again.add((action.did, action.about))
        if len(kept) == MOST_ACTIONS:
            break
        if not action.failed:
            mended.add(action.target)
    return tuple(reversed(kept))


def _clipped(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: whole_numbers(text, longest - 1)].rstrip()}…"


def pack_actions(actions: Iterable[Action]) -> list[list[Any]]:
    """Actions as rows of JSON."""
    return [list(action) for action in actions]


def unpack_actions(rows: Any) -> tuple[Action, ...]:
    """Actions from what `pack_actions` made."""
    return tuple(Action(*row) for row in rows or ())
