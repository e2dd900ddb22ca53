"""Summarizes test reports (pytest, unittest, jest, mocha, go test, cargo test, Maven, TAP): totals, failures, why."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.statements import Lines, Statement, counted, state

_MOST_FAILED: Final = 24
_MOST_REASONS: Final = 5
"""Maximum number of reasons shown per failure."""
_SUITE: Final = " \u203a "
"""Separator between a suite and its test in jest's reports."""

_TOTAL: Final = lazy_pattern(
    r"=+ (?P<banner>.{0,200}\d (?:passed|failed|errors?|skipped|xfailed|deselected|warnings?).{0,80}?) ?=*$"
    r"|(?P<plain>test result: .+|Tests:\s+\d.+|Test Suites:\s+\d.+|Ran \d+ tests? in .+|FAILED \(.+\)"
    r"|.{0,12}Tests run: \d.+|.{0,12}BUILD (?:SUCCESS|FAILURE)"
    r"|\s*\d+ (?:passed|failed)(?:,| in) .+|\s{0,4}\d+ (?:passing|failing|pending).*|\d+ examples?, \d+ failures?.*"
    r"|(?:FAIL|ok)\s*\t\S+\t.*|# (?:tests|pass|fail) \d+)$"
)
_FAILED: Final = lazy_pattern(
    r"(?:FAILED|ERROR) (?P<summary>\S+(?:::\S+|\.py)(?: - .*)?)$"
    r"|(?P<verbose>\S+::\S+) (?:FAILED|ERROR)"
    r"|\s{0,12}--- FAIL: (?P<go>\S+)(?: \([\d.]+s\))?"
    r"|test (?P<cargo>\S+) \.\.\. FAILED"
    r"|\s{0,12}[✕✗✘×] (?P<mark>.+?)(?: \(\d+ ?ms\))?$"
    r"|\s{0,4}● (?P<jest>.+)$"
    r"|not ok \d+ (?:- )?(?P<tap>.+)$"
    r"|(?:FAIL|ERROR): (?P<unit>\w+ \([\w.]+\))"
    r"|\s{0,2}FAIL  ?(?P<file>\S+\.\w+)"
    r"|\[ERROR\] +(?P<maven>\w[\w.$]*\.\w+:\d+ .+)$"
)
_PASSED: Final = lazy_pattern(
    r"PASSED \S|\S+::\S+ PASSED|\s{0,12}--- PASS: |test \S+ \.\.\. ok$|\s{0,12}[✓✔] |ok \d+ |\s{0,2}PASS  ?\S+\.\w+$"
)
_SKIPPED: Final = lazy_pattern(r"SKIPPED |\S+::\S+ SKIPPED|\s{0,12}--- SKIP: |test \S+ \.\.\. ignored|\s{0,12}○ ")
_REASON: Final = lazy_pattern(
    r"E   \s*(?P<pytest>\S.*)$"
    r"|(?P<place>[\w./\\@+-]{1,200}\.\w{1,5}:\d+: \S.*)$"
    r"|\s{1,12}(?P<got>(?:Expected|Received|expected|actual|got|want|left|right|- Expected|\+ Received)\b.{0,20}:.*)$"
    r"|\s*(?P<panic>thread '.*' panicked at .*|panic: .*|assertion .*failed.*)$"
    r"|\s{2,12}(?P<line>\S+\.(?:go|rs|rb|exs):\d+: .*)$"
    r"|\s+at .*\((?P<frame>[^()\s]{1,200}:\d+:\d+)\)$"
    r"|(?P<raised>[\w.]*(?:Error|Exception)(?:: .*)?)$"
)


def summarize_report(lines: Lines) -> list[Statement]:
    """State totals, failures and their reasons, in the order of the report; totals are worth most."""
    statements: list[Statement] = []
    failed: dict[str, int] = {}
    passed = skipped = reasons = totals = 0
    for line in lines.kept:
        if total := _TOTAL.match(line):
            totals += _is_count(line)
            statements.append(state(_whole(total), 120 if _is_count(line) else 70))
        elif failure := _FAILED.match(line):
            name = _whole(failure)
            test = name.split(" - ", 1)[0]
            if " - " in name or (test not in failed and len(failed) < _MOST_FAILED):
                statements.append(state(f"failed {name}", 110 - min(len(failed), 25)))
            failed.setdefault(test, len(failed))
            reasons = 0
        elif _PASSED.match(line):
            passed += 1
        elif _SKIPPED.match(line):
            skipped += 1
        elif reasons < _MOST_REASONS and (reason := _REASON.match(line)):
            reasons += 1
            statements.append(state(_whole(reason), 90 - min(len(failed), 20) - reasons))
    statements = _without_repeats(statements)
    if not totals:
        counts = [(len(failed), "failed"), (passed, "passed"), (skipped, "skipped")]
        statements.append(state(", ".join(f"{count} {how}" for count, how in counts if count) or "no tests", 120))
    else:
        statements.append(state(counted(lines.count, "line"), 1))
    return statements


def _is_count(line: str) -> bool:
    return not line.startswith(("ok", "FAIL\t"))


def _whole(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group), "").strip()


def _without_repeats(failures: list[Statement]) -> list[Statement]:
    """Drop repeated failures: a report's summary lists them again with a reason (` - why`) or with their suite."""
    texts = dict.fromkeys(statement.text for statement in failures)
    repeated = {text.split(" - ", 1)[0] for text in texts if " - " in text}
    repeated |= {"failed " + text.rsplit(_SUITE, 1)[1] for text in texts if _SUITE in text}
    return [statement for statement in failures if statement.text not in repeated]
