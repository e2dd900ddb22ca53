"""Recognizes the kind of content of a text by the look of its lines. One pass of one regex, linear."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.statements import Lines

_FIRST: Final = 120
"""Number of lines at the beginning that are checked."""
_LAST: Final = 40
"""Number of lines at the end that are checked."""


class Kind(StrEnum):
    """A kind of content that has its own summary."""

    JSON = "json"
    DIFF = "diff"
    TEST_REPORT = "test report"
    TRACE = "stack trace"
    LOG = "log"
    MATCHES = "matches"
    LISTING = "listing"
    TABLE = "table"
    SQL = "sql"
    SHELL = "shell"
    CODE = "code"
    PAIRS = "key-value"
    TEXT = "text"


_LEVEL: Final = "(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE|PANIC)"
_COMMANDS: Final = (
    "git|cd|npm|npx|yarn|pnpm|pip3?|python3?|docker|kubectl|helm|terraform|make|cmake|cargo|go|ls|cat|grep|rg|sed|awk"
    "|curl|wget|mkdir|rm|cp|mv|export|source|apt-get|apt|brew|chmod|chown|ssh|scp|tar|unzip|echo|pytest|mvn|gradle"
)
_WORDS_OF_CODE: Final = (
    "import|from|def|class|async|public|private|protected|static|final|return|const|let|var|package|using|func|fn|impl"
    "|pub|use|struct|enum|interface|export|if|else|for|while|try|except|catch|\\#include|@\\w+"
)
_LOOKS: Final = lazy_pattern(
    rf"""
  (?P<total>=+[ ].{{0,200}}\d[ ](?:passed|failed|errors?|skipped|xfailed|deselected|warnings?).{{0,80}}
    | test[ ]result:[ ] | Tests:[ ]+\d | Test[ ]Suites:[ ]+\d | (?:\[\w+\][ ])?Tests[ ]run:[ ]\d
    | Ran[ ]\d+[ ]tests?[ ]in | \d+[ ](?:passed|failed)(?:,|[ ]in)[ ] | [ ]{{0,4}}\d+[ ](?:passing|failing|pending)
    | \d+[ ]examples?,[ ]\d+[ ]failures? | (?:ok|FAIL|---)[ ]*\t[\w./-]+\t(?:[\d.]+s|\(cached\)|\[))
| (?P<test>(?:FAILED|PASSED|ERROR|SKIPPED|XFAIL|XPASS)[ ]\S+(?:::|\.py)
    | \S+::\S+[ ](?:PASSED|FAILED|ERROR|SKIPPED|XFAIL) | [ ]{{0,12}}---[ ](?:FAIL|PASS|SKIP):[ ] | ===[ ]RUN[ ]
    | test[ ]\S+[ ]\.\.\.[ ](?:ok|FAILED|ignored) | running[ ]\d+[ ]tests? | [ ]{{0,12}}[✓✔✕✗✘×●○][ ]\S
    | [ ]{{0,2}}(?:PASS|FAIL)[ ]{{1,2}}\S+\.\w+ | (?:not[ ])?ok[ ]\d+(?:[ ]|$) | (?:FAIL|ERROR):[ ]\w+[ ]\(
    | ----[ ]\S+[ ]stdout[ ]----)
| (?P<hunk>diff[ ]--git[ ] | @@[ ]-\d+(?:,\d+)?[ ]\+\d+(?:,\d+)?[ ]@@ | Index:[ ]\S)
| (?P<frame>[ \t]+File[ ]"[^"]{{1,300}}",[ ]line[ ]\d+ | [ \t]+at[ ].{{1,250}}[:(]\d+(?::\d+)?\)?[ \t]*$
    | [ \t]+at[ ][\w.$<>]+\(.{{1,80}}\)$ | [ \t]*from[ ]\S{{1,250}}:\d+:in[ ] | goroutine[ ]\d+[ ]\[
    | \t\S{{1,250}}\.go:\d+ | [ ]{{2,6}}\d+:[ ]+[\w<>:]+:: | [ ]{{10,24}}at[ ]\S{{1,250}}:\d+
    | [ \t]+\.\.\.[ ]\d+[ ](?:more|common[ ]frames))
| (?P<raised>Traceback[ ]\(most[ ]recent | Caused[ ]by:[ ] | Exception[ ]in[ ]thread[ ] | panic:[ ]
    | thread[ ]'[^']{{0,100}}'[ ]
    | (?:Uncaught[ ])?[\w.$]{{0,200}}(?:Error|Exception|Interrupt|Exit|Warning)(?::[ ]|$))
| (?P<log>\[?\d{{4}}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d | [A-Z][a-z]{{2}}[ ]{{1,2}}\d{{1,2}}[ ]\d\d:\d\d:\d\d
    | \[?\d\d:\d\d:\d\d[.,\]Z ] | \[?{_LEVEL}\]?[ :\t] | \S+[ ]-[ ]\S+[ ]\[\d\d/\w{{3}}/\d{{4}}
    | (?:time|ts|level)=\S+[ ])
| (?P<listed>total[ ]\d+$ | [dlbcps-][rwxsStT-]{{9}}[ .+@] | [ \t\u00a0│|]*(?:[├└]─|[|`+]--)
    | (?:\./|/|~/|\.\./)?[\w.@+-]{{1,100}}(?:/[\w.@+ -]{{1,100}}){{0,20}}(?:\.\w{{1,10}}|/)[ ]*(?:\([^()]{{1,40}}\))?$)
| (?P<match>(?:[A-Za-z]:)?[\w./\\@+~-]{{1,250}}[:-]\d{{1,7}}[:-] | Found[ ]\d+[ ]match
    | [Ll]ine[ ]\d+: | [\w./@+~-]{{0,200}}[\w-]\.\w{{1,6}}:[ \t]*\S)
| (?P<ruled>[ \t]*\|.{{0,390}}\|[ \t]*$ | [ \t]*[-=+|:]{{1,40}}[-=+|: ]{{3,390}}$)
| (?P<prompt>(?:\$|>|%|\u276f|➜|PS[ ]\S{{1,80}}>|[\w.-]{{1,40}}@[\w.:~/-]{{1,100}}[$\#]
    | \(?[\w-]{{1,20}}\)?[ ]?\$ | bash[\w.-]{{0,10}}[$\#])[ ]\S)
| (?P<command>(?:sudo[ ])?(?:{_COMMANDS}|\./\w[\w.-]*)(?:[ ][^=:]|$))
| (?P<numbered>[ \t]{{0,8}}\d{{1,6}}(?:[:|\t→]|[ ]{{2}})[^\d])
| (?P<code>[ \t]{{0,60}}(?:{_WORDS_OF_CODE})(?:[ ({{].{{0,200}})?$ | .{{0,300}}[;{{}}][ \t]*$
    | [ \t]{{0,60}}(?:\#|//|/\*|\*/|\*)[ ]?.{{0,300}}$ | [ \t]{{4,60}}.{{0,300}}[)=(:,\]][ \t]*$)
| (?P<pair>[ \t]*(?:[-*•][ ])?["']?[\w][\w .()/-]{{0,48}}["']?[ \t]*(?::[ \t]|=|:$)(?![=]) | \[[\w. -]{{1,60}}\]$)
""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Look:
    """Counts of the lines by look, a group name of `_LOOKS`."""

    lines: Lines
    counts: dict[str, int]
    total: int

    def some(self, *looks: str) -> int:
        return sum(self.counts.get(look, 0) for look in looks)

    def share(self, *looks: str) -> float:
        return self.some(*looks) / self.total


_RULES: Final[tuple[tuple[Kind, Callable[[_Look], bool]], ...]] = (
    (Kind.DIFF, lambda look: look.some("hunk") > 0),
    (Kind.TEST_REPORT, lambda look: look.some("total") > 0 or look.some("test") > 1),
    (Kind.LOG, lambda look: look.some("log") > 2 and look.share("log") >= 0.5),
    (Kind.TRACE, lambda look: look.some("frame") > 0 and look.some("raised") > 0),
    (Kind.TRACE, lambda look: look.some("frame") > 2),
    (Kind.LOG, lambda look: look.some("log") > 2 and look.share("log") >= 0.3),
    (Kind.SQL, lambda look: is_sql(look.lines)),
    (Kind.MATCHES, lambda look: look.total > 1 and look.share("match") >= 0.5),
    (Kind.TABLE, lambda look: look.some("ruled") > 2 and look.share("ruled") >= 0.5),
    (Kind.TABLE, lambda look: look.some("ruled") > 0 and _has_rule(look.lines)),
    (Kind.LISTING, lambda look: look.total > 1 and look.share("listed") >= 0.5),
    (Kind.TABLE, lambda look: bool(separator(look.lines))),
    (Kind.SHELL, lambda look: look.some("prompt") > 0 or look.share("command") >= 0.5),
    (Kind.CODE, lambda look: look.total > 1 and look.share("code", "numbered") >= 0.5),
    (Kind.CODE, lambda look: look.some("numbered") > 4 and look.share("numbered") >= 0.3),
    (
        Kind.PAIRS,
        lambda look: look.total > 1 and look.some("pair") > look.some("code") and look.share("pair", "listed") >= 0.5,
    ),
)
"""The first rule that matches decides. JSON is detected before, by parsing."""


def recognize(lines: Lines) -> Kind:
    """Return the kind of the lines."""
    if not lines.kept:
        return Kind.TEXT
    counts: dict[str, int] = {}
    kept = lines.kept
    looked_at = kept if len(kept) <= _FIRST + _LAST else (*kept[:_FIRST], *kept[-_LAST:])
    for line in looked_at:
        match = _LOOKS.match(line)
        if match and match.lastgroup:
            counts[match.lastgroup] = counts.get(match.lastgroup, 0) + 1
    look = _Look(lines, counts, len(looked_at))
    return next((kind for kind, holds in _RULES if holds(look)), Kind.TEXT)


_SQL: Final = lazy_pattern(
    r"\s*(?:(?P<select>(?i:select|with)\s.{1,400}\s(?i:from)\s)|(?i:insert\s+into\s|update\s+[\w.\"`]+\s+set\s|delete\s+from\s"
    r"|create\s+(?:or\s+replace\s+)?(?:temp\w*\s+|unique\s+|materialized\s+)?(?:table|index|view|database|function|trigger"
    r"|schema|extension|type)\s|alter\s+table\s|drop\s+(?:table|index|view|database)\s|explain\s+(?:analyze\s+)?select\s"
    r"|begin\s*;))"
)
_SQL_MARK: Final = lazy_pattern(r"SELECT|WITH|;\s*$|\s(?i:where|join|group by|order by)\s|\*|=")


def is_sql(lines: Lines) -> bool:
    """True for lines that begin with an SQL statement; prose such as `select one from the list` lacks SQL's marks."""
    head = [line for line in lines.kept[:12] if not line.lstrip().startswith("--")]
    text = " ".join(head)[:2_000]
    match = _SQL.match(text)
    return match is not None and (match["select"] is None or bool(_SQL_MARK.search(text)))


def _has_rule(lines: Lines) -> bool:
    """True for a table with a rule such as `---+---` under its header, the sign of one without outer bars."""
    return any("-+-" in line or "-|-" in line or "|--" in line or "--|" in line for line in lines.kept[1:4])


def separator(lines: Lines) -> str:
    """Return the separator of comma-, tab- or semicolon-separated values, or an empty string for other texts."""
    head = lines.kept[:20]
    if len(head) < 3 or sum(line.rstrip().endswith((".", "!", "?")) for line in head) > len(head) // 2:
        return ""  # Sentences contain commas, too.
    for mark in (",", "\t", ";"):
        counts = [line.count(mark) for line in head]
        alike = sum(count >= counts[0] for count in counts)
        if counts[0] and alike == len(head) and counts.count(counts[0]) > len(head) // 2 and _header(head[0], mark):
            return mark
    return ""


def _header(line: str, mark: str) -> bool:
    """True for a line of cells that are short and distinct, as in a header, and no sentences."""
    cells = [cell.strip(" \"'") for cell in line.split(mark)]
    return len(set(cells)) == len(cells) and all(0 < len(cell) <= 40 and len(cell.split()) <= 4 for cell in cells)
