"""What was done with tools: each call as it was made, and how it ended.

action    a call of a tool, or the command in a turn that a tool's turn answers, with the outcome in a few words
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from turnfold.contract.text import whole_numbers

MOST_ACTIONS: Final = 24
"""Actions that a node keeps, beside looks that brought nothing."""
MOST_VAIN_LOOKS: Final = 12
"""Looks that brought nothing which a node keeps."""
MOST_FINDS: Final = 2
"""Looks that brought a list of files which a node keeps."""


class Action(NamedTuple):
    """One thing that was done, by the turn that did it."""

    seq: int
    ended_seq: int
    """The turn that says how it ended; 0 while none does."""
    did: str
    """The call or the command, one line."""
    about: str
    """The path of the file that it is about, in full where its result says it; empty when none is named."""
    ended: str
    """How it ended, one line; empty while that is not known."""
    failed: bool
    looked: bool
    """It only looked at something: nothing was run and nothing changed."""
    changed: bool = False
    """It wrote the file that it is about."""
    found: tuple[str, ...] = ()
    """Paths of the files that a look listed."""

    def shown(self, *, ended: bool = True, longest: int = 0) -> str:
        """As a line with its newline; with or without how it ended, each half clipped to so many code points if any."""
        about = f" in {self.file}" if self.file and self.file not in self.did else ""
        did, outcome = self.did, self.ended
        if longest:
            did, outcome = clipped(did, longest), clipped(outcome, longest)
        how = f"; {'failed' if self.failed else 'result'}: {outcome}" if ended and outcome else ""
        return f"turn {self.seq}: {did}{about}{how}\n"

    @property
    def file(self) -> str:
        """The file that it is about, without folders."""
        return self.about.rpartition("/")[2]

    @property
    def is_vain(self) -> bool:
        """Whether it looked for something that is not there."""
        return self.looked and self.failed

    @property
    def kind(self) -> str:
        """What it is kept for."""
        return "vain" if self.is_vain else "find" if self.found else "look" if self.looked else "work"

    @property
    def target(self) -> tuple[str, str]:
        """What it does, and to what: done again without failing, it mends an earlier failure."""
        return (self.did.split(maxsplit=1)[0], self.file) if self.file else (self.did, "")


def kept_actions(actions: Sequence[Action]) -> tuple[Action, ...]:
    """Of actions in order those that go on to matter: the last one, and the newest that did something or failed.

    What was done again word for word goes, and a failure once the same was done to the same file and did not fail.
    """
    kept: list[Action] = []
    mended: set[tuple[str, str]] = set()
    again: set[tuple[str, str]] = set()
    left = {"work": MOST_ACTIONS, "vain": MOST_VAIN_LOOKS, "find": MOST_FINDS, "look": 1}
    for action in reversed(actions):
        is_mended = action.failed and action.target in mended
        is_told = (action.did, action.file) in again
        if not action.failed:
            mended.add(action.target)
        if (kept and (action.kind == "look" or is_mended or is_told)) or not left[action.kind]:
            continue
        kept.append(action)
        again.add((action.did, action.file))
        left[action.kind] -= 1
    return tuple(reversed(kept))


def clipped(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: whole_numbers(text, longest - 1)].rstrip()}…"


def pack_actions(actions: Iterable[Action]) -> list[list[Any]]:
    """Actions as rows of JSON."""
    return [list(action) for action in actions]


def unpack_actions(rows: Any) -> tuple[Action, ...]:
    """Actions from what `pack_actions` made."""
    return tuple(action._replace(found=tuple(action.found)) for action in (Action(*row) for row in rows or ()))
