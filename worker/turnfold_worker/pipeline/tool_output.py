"""A tool's output in a few short statements: its errors, its result line, its paths, its size. No model, any format."""

from __future__ import annotations

import re
from typing import Final

from turnfold_worker.pipeline.facts import FactKind
from turnfold_worker.pipeline.reading import Reading, one_line

MAX_STATEMENT: Final = 160
"""Code points of a statement at most."""
_LINES_READ: Final = 2_000
_MAX_ERRORS: Final = 2
_MAX_PATHS: Final = 4
_MAX_NAMES: Final = 8
_TELLING: Final = 5
_LONGEST_NAME: Final = 60
_SHORT_LINES: Final = 3

_BAD: Final = re.compile(
    r"(?i)(?<!\w)(?:\w{0,40}error|\w{0,40}exception|fatal|fail(?:ed|ure|s)?|panic|denied|not found|no such|cannot"
    r"|could not|undefined|traceback|timed? ?out|unable to|refused|no matches)(?!\w)"
)
_RESULT: Final = re.compile(
    r"(?i)(?<!\w)(?:\d{1,9} (?:passed|failed|errors?|warnings?|skipped|tests?|matches|rows?|files? changed|results?)"
    r"|found \d{1,9}|build (?:success|failed)\w*|exit(?:ed)? (?:code|status|with)|tests run|total|success\w*|ok)(?!\w)"
)


def tool_statements(reading: Reading) -> tuple[str, ...]:
    """What a tool said, most telling first, each one line."""
    content = reading.turn.content
    lines = [line for line in content[:50_000].split("\n", _LINES_READ)[:_LINES_READ] if line.strip()]
    if not lines:
        return ("no output",)
    if len(lines) <= _SHORT_LINES and len(content) <= MAX_STATEMENT * 2:
        return tuple(dict.fromkeys(_statement(line) for line in lines))
    bad = [line for line in lines if _BAD.search(line[:400])][:_MAX_ERRORS]
    results = [line for line in lines if _RESULT.search(line[:400]) and line not in bad]
    shown = [_statement(line) for line in bad]
    shown += [_statement(line) for line in results[-1:]]
    shown += [_statement(lines[0])] if not shown else []
    paths = reading.facts.texts(FactKind.PATH)
    if paths:
        more = f" and {len(paths) - _MAX_PATHS} more" if len(paths) > _MAX_PATHS else ""
        shown.append("paths " + ", ".join(one_line(path)[:100] for path in paths[:_MAX_PATHS]) + more)
    names = [name for name in reading.facts.texts(FactKind.IDENTIFIER) if _TELLING <= len(name) <= _LONGEST_NAME]
    if names:
        shown.append("names " + ", ".join(one_line(name) for name in names[:_MAX_NAMES]))
    count = content.count("\n") + 1
    return (*dict.fromkeys(shown), f"{count} lines")


def _statement(line: str) -> str:
    shown = one_line(line[: 4 * MAX_STATEMENT])
    return shown if len(shown) <= MAX_STATEMENT else shown[: MAX_STATEMENT - 1].rstrip() + "…"
