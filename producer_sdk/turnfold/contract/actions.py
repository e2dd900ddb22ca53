"""What was done with tools: each call as it was made, and how it ended.

action    a call of a tool, or the command in a turn that a tool's turn answers, with the outcome in a few words
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.text import whole_numbers

MOST_ACTIONS: Final = 24
"""Actions that a node keeps, beside looks that brought nothing."""
MOST_VAIN_LOOKS: Final = 12
"""Looks that brought nothing which a node keeps."""
MOST_FINDS: Final = 2
"""Looks that brought a list of files which a node keeps."""
MOST_OPENED: Final = 8
"""Looks at a file which a node keeps, one a file."""
NEW_LINE: Final = "+"
"""Stands before a line of `wrote` that no output showed before."""
OLD_LINE: Final = " "
GAP_LINE: Final = "…"
"""Stands for lines of `wrote` that are left out."""
ALL_OF_FILE: Final = "*"
"""In `gone`: nothing that was written before stands."""
_LONGEST_WROTE: Final = 6_000
"""Code points of what the newest changes wrote that a node keeps."""
_ABSENT: Final = lazy_pattern(
    r"(?i)(?:^|[\s;:])([\w./+-]{1,80}): (?:command )?not found|no module named '?([\w.]{1,80})"
    r"|no such file or directory:? ['\"]?([\w./-]{1,80})|(?<![\w./-])([\w./-]{1,80})['\"]?: no such file"
    r"|(?:directory|file|command|module|path) ['\"]?([\w./-]{1,80})['\"]? (?:was )?(?:not found|does not exist)"
)
"""What an error says is not there."""
_SOUGHT: Final = lazy_pattern(r"[\"']([^\"'\s]{3,120})[\"']")
"""What a look in vain looked for."""


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
    wrote: tuple[str, ...] = ()
    """Lines that it wrote into the file as they stand then, each behind its mark."""
    gone: tuple[str, ...] = ()
    """Lines, without indentation, that stand no more."""

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
        if not self.looked:
            return "work"
        if self.is_vain:
            return "vain"
        if self.found:
            return "find"
        return "open" if self.about and self.ended_seq else "look"

    @property
    def absent(self) -> frozenset[str]:
        """What it says is not there."""
        if not self.failed:
            return frozenset()
        if self.looked and (sought := _SOUGHT.search(self.did)):
            return frozenset((sought[1].strip("*"),))
        named = (name for match in _ABSENT.finditer(self.ended) for name in match.groups() if name)
        return frozenset(name.rstrip(".:") for name in named)

    def shows(self, name: str) -> bool:
        """Whether it is a sign that what bears the name is there."""
        if self.failed or not self.ended_seq or (self.looked and self.ended in {"", "no output"}):
            return False
        where = (self.about, *self.found) if self.changed else (self.did, self.about, *self.found)
        return any(_is_word(name, text) for text in where)

    @property
    def target(self) -> tuple[str, str]:
        """What it does, and to what: done again without failing, it mends an earlier failure."""
        return (self.did.split(maxsplit=1)[0], self.file) if self.file else (self.did, "")


def kept_actions(actions: Sequence[Action]) -> tuple[Action, ...]:
    """Of actions in order those that go on to matter: the last one, and the newest that did something or failed.

    What was done again word for word goes, a failure once the same was done to the same file and did not fail, and
    what says that something is not there once it is.
    """
    kept: list[Action] = []
    later: list[Action] = []
    mended: set[tuple[str, str]] = set()
    again: set[tuple[str, str]] = set()
    opened: set[str] = set()
    left = {
        "work": MOST_ACTIONS, "vain": MOST_VAIN_LOOKS, "find": MOST_FINDS, "open": MOST_OPENED, "look": 1,
    }  # fmt: skip
    room = _LONGEST_WROTE
    for action in reversed(actions):
        is_over = action.failed and (action.target in mended or _is_there(action.absent, later))
        is_told = (action.did, action.file) in again
        if not action.failed:
            mended.add(action.target)
            later.append(action)
        is_passing = kept and (action.kind == "look" or (action.kind == "open" and action.about in opened))
        if (kept and (is_over or is_told)) or is_passing or not left[action.kind]:
            continue
        room -= sum(map(len, action.wrote))
        kept.append(action if room >= 0 or not action.wrote else action._replace(wrote=()))
        again.add((action.did, action.file))
        opened.add(action.about)
        left[action.kind] -= 1
    return tuple(reversed(kept))


def _is_there(names: frozenset[str], later: Sequence[Action]) -> bool:
    """Whether what was done later shows all names, if there are any."""
    return bool(names) and all(any(action.shows(name) for action in later) for name in names)


def _is_word(name: str, text: str) -> bool:
    """Whether a text holds a name that is not a part of a longer one.

    >>> _is_word("fare.py", "src/fare.py"), _is_word("fare", "open welfare.py"), _is_word("fare", "fare_rules")
    (True, False, False)
    """
    at = text.find(name)
    while at >= 0:
        around = chain(text[max(0, at - 1) : at], text[at + len(name) : at + len(name) + 1])
        if not any(sign.isalnum() or sign == "_" for sign in around):
            return True
        at = text.find(name, at + 1)
    return False


def is_same_file(path: str, other: str) -> bool:
    """Whether one path is the other from a folder on."""
    long, short = (path, other) if len(path) >= len(other) else (other, path)
    return f"/{long}".endswith(f"/{short.lstrip('./')}")


def clipped(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: whole_numbers(text, longest - 1)].rstrip()}…"


def unpack_actions(rows: Any) -> tuple[Action, ...]:
    """Actions from rows of JSON."""
    return tuple(
        action._replace(found=tuple(action.found), wrote=tuple(action.wrote), gone=tuple(action.gone))
        for action in (Action(*row) for row in rows or ())
    )
