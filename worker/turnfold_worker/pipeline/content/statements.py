"""Building blocks of summaries of structured content: the lines of a text, and statements about it with their worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.text import whole_numbers
from turnfold_worker.pipeline.language.plain_lines import one_line

LONGEST_STATEMENT: Final = 160
"""Maximum code points of a statement."""
LONGEST_LINE: Final = 400
"""Maximum code points read from a line."""
MAX_STATEMENTS: Final = 60
LONGEST_PACK: Final = 70
"""Maximum code points of a statement packed with several short values: larger ones would be dropped as a whole."""
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
"""Words of a line that reports that something went wrong."""
_NOTHING_BAD: Final = lazy_pattern(
    r"(?i)(?<![\w.])(?:no|0|without|zero) (?:errors?|failures?|failed|conflicts?|exceptions?|fatal|warnings?)(?!\w)"
    r"|(?:errors?|failures?|failed|exceptions?)(?: ?[:=] ?)(?:0|none|false|null)(?!\w)"
)
RESULT: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:\d{1,9} (?:passed|failed|errors?|warnings?|skipped|tests?|matches|rows?|files? changed|results?"
    r"|packages?|problems?|vulnerabilities)|found \d{1,9}|build (?:success|failed)\w*|exit(?:ed)? (?:code|status|with)"
    r"|exit \d{1,3}|tests run|total|success\w*|ok|done|completed|installed)(?!\w)"
)
"""Words of a line that reports how something ended."""

_REMINDER: Final = lazy_pattern(
    r"(?P<did>(?:updated|created|changed|replaced|reverted|matched|matches)[.!]) Please (?:re-?(?:view|read|check)|"
    r"check|look|note|narrow|read|verify)(?!\w)[^\d`'\"]*$"
)
"""A boilerplate reminder that a tool appends to its result."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One line about a text. When not all statements fit, those with the highest worth are kept, in their order."""

    text: str
    worth: int


@dataclass(frozen=True, slots=True)
class Lines:
    """The non-blank lines of a text, each truncated to `LONGEST_LINE`."""

    kept: tuple[str, ...]
    count: int
    """Number of lines of the whole text, including blank and unread ones."""


T = TypeVar("T")
Summarizer = Callable[[Lines], list[Statement]]


def read_lines(text: str) -> Lines:
    """Read the lines of a text; of a very long one, the head, the tail, and the error lines between them."""
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
    """True for a line that reports that something went wrong; not for `0 errors`."""
    return bool(BAD.search(line)) and bool(BAD.search(_NOTHING_BAD.sub("", line)))


def shown(text: str, longest: int = LONGEST_STATEMENT) -> str:
    """Render a text as one line without markers, truncated to `longest` code points with an ellipsis."""
    line = one_line(text[: 4 * longest]).replace("→ L", "\u203aL").strip()
    return line if len(line) <= longest else line[: whole_numbers(line, longest - 1)].rstrip() + "…"


def state(text: str, worth: int) -> Statement:
    """Make a statement of any text."""
    return Statement(shown(text), worth)


def lists(label: str, names: Iterable[str], *, worth: int, most: int = 40) -> list[Statement]:
    """List distinct names after a label, in as many statements as needed, with a count of those beyond `most`.

    Statements after the first shorten a long label.
    """
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
    """Render a count with its noun.

    >>> counted(1, "match"), counted(3, "match"), counted(2, "file")
    ('1 match', '3 matches', '2 files')
    """
    plural = noun[:-1] + "ies" if noun.endswith("ry") else noun + ("es" if noun.endswith(("ch", "x", "s")) else "s")
    return f"{count} {noun if count == 1 else plural}"


def spread(lines: Sequence[T], most_lines: int) -> list[T]:
    """Return at most `most_lines` of the lines: the first ones and the last."""
    return list(lines) if len(lines) <= most_lines else [*lines[: most_lines - 1], lines[-1]]
