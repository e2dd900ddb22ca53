"""Tool actions: each call as it was made, with its outcome.

action    a tool call, or the command in a turn that a tool's turn answers, with its outcome in a few words
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.text import whole_numbers

MOST_ACTIONS: Final = 24
"""Changes and commands that a node keeps; lookups are counted separately."""
MOST_VAIN_LOOKS: Final = 12
"""Lookups without a result that a node keeps."""
MOST_FINDS: Final = 2
"""Lookups that returned a list of files that a node keeps."""
MOST_OPENED: Final = 8
"""Reads of a file that a node keeps, one per file."""
NEW_LINE: Final = "+"
"""Prefix of a line of `wrote` that no earlier output showed."""
OLD_LINE: Final = " "
GAP_LINE: Final = "…"
"""Placeholder for omitted lines of `wrote`."""
ALL_OF_FILE: Final = "*"
"""In `gone`: all earlier content of the file was replaced."""
_LONGEST_WROTE: Final = 6_000
"""Code points of `wrote` that a node keeps, newest changes first."""
_ABSENT: Final = lazy_pattern(
    r"(?i)(?:^|[\s;:])([\w./+-]{1,80}): (?:command )?not found|no module named '?([\w.]{1,80})"
    r"|no such file or directory:? ['\"]?([\w./-]{1,80})|(?<![\w./-])([\w./-]{1,80})['\"]?: no such file"
    r"|(?:directory|file|command|module|path) ['\"]?([\w./-]{1,80})['\"]? (?:was )?(?:not found|does not exist)"
)
"""Match the missing thing that an error message names."""
_SOUGHT: Final = lazy_pattern(r"[\"']([^\"'\s]{3,120})[\"']")
"""Match the quoted search term of a lookup."""


class Action(NamedTuple):
    """One action of an agent, with the turn that performed it."""

    seq: int
    ended_seq: int
    """The turn that reports the outcome; 0 if none does yet."""
    did: str
    """The call or command, on one line."""
    about: str
    """Path of the file concerned, in full if the result states it; empty if no file is named."""
    ended: str
    """The outcome, on one line; empty while unknown."""
    failed: bool
    looked: bool
    """Whether the action was a lookup: nothing was run and nothing changed."""
    changed: bool = False
    """Whether the action wrote to the file `about`."""
    found: tuple[str, ...] = ()
    """Paths that a lookup listed."""
    wrote: tuple[str, ...] = ()
    """Lines written into the file, each prefixed with its mark."""
    gone: tuple[str, ...] = ()
    """Lines, without indentation, that the action removed."""

    def shown(self, *, ended: bool = True, longest: int = 0) -> str:
        """Format the action as a line; `longest` > 0 clips the call and the outcome to that many code points each."""
        about = f" in {self.file}" if self.file and self.file not in self.did else ""
        did, outcome = self.did, self.ended
        if longest:
            did, outcome = clipped(did, longest), clipped(outcome, longest)
        how = f"; {'failed' if self.failed else 'result'}: {outcome}" if ended and outcome else ""
        return f"turn {self.seq}: {did}{about}{how}\n"

    @property
    def file(self) -> str:
        """Name of the file concerned, without folders."""
        return self.about.rpartition("/")[2]

    @property
    def is_vain(self) -> bool:
        """Whether a lookup failed to find its target."""
        return self.looked and self.failed

    @property
    def kind(self) -> str:
        """Category by which `kept_actions` limits the number of actions."""
        if not self.looked:
            return "work"
        if self.is_vain:
            return "vain"
        if self.found:
            return "find"
        return "open" if self.about and self.ended_seq else "look"

    @property
    def absent(self) -> frozenset[str]:
        """Names of the things that the action reports as missing."""
        if not self.failed:
            return frozenset()
        if self.looked and (sought := _SOUGHT.search(self.did)):
            return frozenset((sought[1].strip("*"),))
        named = (name for match in _ABSENT.finditer(self.ended) for name in match.groups() if name)
        return frozenset(name.rstrip(".:") for name in named)

    def shows(self, name: str) -> bool:
        """Whether the action is evidence that something named `name` exists."""
        if self.failed or not self.ended_seq or (self.looked and self.ended in {"", "no output"}):
            return False
        where = (self.about, *self.found) if self.changed else (self.did, self.about, *self.found)
        return any(_is_word(name, text) for text in where)

    @property
    def target(self) -> tuple[str, str]:
        """The command and its target: a later success with the same target supersedes a failure."""
        return (self.did.split(maxsplit=1)[0], self.file) if self.file else (self.did, "")


def kept_actions(actions: Sequence[Action]) -> tuple[Action, ...]:
    """Select the actions worth keeping, in order: always the last one, then the newest of each kind up to its limit.

    Dropped are exact repeats, failures that a later success with the same target mended, and reports of a missing thing
    that a later action shows to exist.
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
    """Whether later actions show that all of the names exist; False without names."""
    return bool(names) and all(any(action.shows(name) for action in later) for name in names)


def _is_word(name: str, text: str) -> bool:
    """Whether a text contains a name as a whole word, not as part of a longer one.

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
    """Whether one path is a suffix of the other, by whole path components."""
    long, short = (path, other) if len(path) >= len(other) else (other, path)
    return f"/{long}".endswith(f"/{short.lstrip('./')}")


def clipped(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: whole_numbers(text, longest - 1)].rstrip()}…"


def unpack_actions(rows: Any) -> tuple[Action, ...]:
    """Deserialize actions from rows of JSON."""
    return tuple(
        action._replace(found=tuple(action.found), wrote=tuple(action.wrote), gone=tuple(action.gone))
        for action in (Action(*row) for row in rows or ())
    )
