"""What a summary of structured content is made of: the lines of a text, and statements about it with their worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.text import whole_numbers
from turnfold_worker.pipeline.language.plain_lines import one_line

LONGEST_STATEMENT: Final = 160
"""Code points of a statement at most."""
LONGEST_LINE: Final = 400
"""Code points of a line that are read."""
MAX_STATEMENTS: Final = 60
LONGEST_PACK: Final = 70
"""Code points up to which several short values share a statement: larger packs would be dropped as a whole."""
_ROOM_FOR_MORE: Final = 14
_SHORT_LABEL: Final = 32
_HEAD: Final = 200_000
_TAIL: Final = 100_000
_MOST_LINES: Final = 4_000
_MOST_BAD: Final = 40

BAD: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:\w{0,40}errors?|\w{0,40}exceptions?|fatal|fail(?:ed|ure|ures|s)?|panic|denied|not found|no such"
    r"|cannot|could not|undefined|traceback|timed? ?out|unable to|refused|no matches|rejected|aborted|conflict|missing)"
    r"(?!\w)"
)
"""A line that says that something went wrong."""
_NOTHING_BAD: Final = lazy_pattern(
    r"(?i)(?<![\w.])(?:no|0|without|zero) (?:errors?|failures?|failed|conflicts?|exceptions?|fatal|warnings?)(?!\w)"
    r"|(?:errors?|failures?|failed|exceptions?)(?: ?[:=] ?)(?:0|none|false|null)(?!\w)"
)
RESULT: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:\d{1,9} (?:passed|failed|errors?|warnings?|skipped|tests?|matches|rows?|files? changed|results?"
    r"|packages?|problems?|vulnerabilities)|found \d{1,9}|build (?:success|failed)\w*|exit(?:ed)? (?:code|status|with)"
    r"|exit \d{1,3}|tests run|total|success\w*|ok|done|completed|installed)(?!\w)"
)
"""A line that says how something ended."""

_REMINDER: Final = lazy_pattern(
    r"(?P<did>(?:updated|created|changed|replaced|reverted|matched|matches)[.!]) Please (?:re-?(?:view|read|check)|"
    r"check|look|note|narrow|read|verify)(?!\w)[^\d`'\"]*$"
)
"""Behind what a tool did, words for whoever uses it that are the same each time."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One line about a text. Of statements that do not all fit, the worthiest stay, in their order."""

    text: str
    worth: int


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a text that hold something, each cut at `LONGEST_LINE`."""

    kept: tuple[str, ...]
    count: int
    """Lines of the whole text, blank ones and those that were not read included."""


T = TypeVar("T")
Summarizer = Callable[[Lines], list[Statement]]


def read_lines(text: str) -> Lines:
    """Lines of a text; of a very long one the head, the tail, and between them what went wrong."""
    count = text.count("\n") + (not text.endswith("\n"))
    middle: list[str] = []
    parts = [text]
    if len(text) > _HEAD + _TAIL:
        parts = [text[:_HEAD], text[-_TAIL:]]
        middle = _bad_lines(text, _HEAD, len(text) - _TAIL)
    sections = [parts[0].splitlines(), middle, *(part.splitlines() for part in parts[1:])]
    lines = [line for lines in sections for line in lines if line and not line.isspace()]
    if len(lines) > _MOST_LINES:
        half = _MOST_LINES // 2
        bad = [line for line in lines[half:-half] if BAD.search(line[:LONGEST_LINE])][:_MOST_BAD]
        lines = [*lines[:half], *bad, *lines[-half:]]
    return Lines(tuple(_without_reminder(line[:LONGEST_LINE]) for line in lines), count)


def _without_reminder(line: str) -> str:
    return _REMINDER.sub(r"\g<did>", line) if " Please " in line else line


def _bad_lines(text: str, start: int, end: int) -> list[str]:
    bad_lines: list[str] = []
    while len(bad_lines) < _MOST_BAD:
        match = BAD.search(text, start, end)
        if match is None:
            break
        begin = max(
            text.rfind("\n", match.start() - LONGEST_LINE // 2, match.start()) + 1, match.start() - LONGEST_LINE // 2
        )
        stop = text.find("\n", match.end(), match.end() + LONGEST_LINE)
        stop = match.end() + LONGEST_LINE // 2 if stop < 0 else stop
        bad_lines.append(text[begin:stop])
        start = stop
    return bad_lines


def is_bad(line: str) -> bool:
    """True for a line that says that something went wrong; not for `0 errors`."""
    return bool(BAD.search(line)) and bool(BAD.search(_NOTHING_BAD.sub("", line)))


def shown(text: str, longest: int = LONGEST_STATEMENT) -> str:
    """The text as one line that holds no marker of ours and is no longer than itself."""
    line = one_line(text[: 4 * longest]).replace("→ L", "\u203aL").strip()
    return line if len(line) <= longest else line[: whole_numbers(line, longest - 1)].rstrip() + "…"


def state(text: str, worth: int) -> Statement:
    """A statement of any text."""
    return Statement(shown(text), worth)


def lists(label: str, names: Iterable[str], *, worth: int, most: int = 40) -> list[Statement]:
    """Statements that list distinct names after a label, which a later one shortens, and how many more there are."""
    distinct = list(dict.fromkeys(shown(name) for name in names))
    if not distinct:
        return []
    rows = [shown(label)]
    again = label if len(label) <= _SHORT_LABEL else f"…{label[-_SHORT_LABEL:]}"
    joint = " "
    for name in distinct[:most]:
        if len(rows[-1]) + len(joint) + len(name) > LONGEST_STATEMENT - _ROOM_FOR_MORE and joint == ", ":
            rows.append(f"{again} {name}")
        else:
            rows[-1] += joint + name
        joint = ", "
    if len(distinct) > most:
        rows[-1] = f"{rows[-1][: LONGEST_STATEMENT - _ROOM_FOR_MORE]} and {len(distinct) - most} more"
    return [state(row, worth - i) for i, row in enumerate(rows)]


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "match"), counted(3, "match"), counted(2, "file")
    ('1 match', '3 matches', '2 files')
    """
    plural = noun[:-1] + "ies" if noun.endswith("ry") else noun + ("es" if noun.endswith(("ch", "x", "s")) else "s")
    return f"{count} {noun if count == 1 else plural}"


def spread(lines: Sequence[T], most_lines: int) -> list[T]:
    """At most so many of them, the first ones and the last."""
    return list(lines) if len(lines) <= most_lines else [*lines[: most_lines - 1], lines[-1]]
