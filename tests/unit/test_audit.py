"""An audit that could look nothing up is no pass."""

from __future__ import annotations

import runpy
import tomllib
from pathlib import Path

import pytest

AUDIT = runpy.run_path(str(Path(__file__).parents[2] / "ops" / "audit.py"))
ROOT = Path(__file__).parents[2]
NAMES = [tomllib.loads(file.read_text())["project"]["name"] for file in sorted(ROOT.glob("*/pyproject.toml"))]
OURS = {"name": "turnfold", "skip_reason": "Dependency not found on PyPI"}
CLEAN = {"name": "redis", "version": "8.1.0", "vulns": []}
SKIPPED = {"name": "alembic", "skip_reason": "the service does not answer"}
VULNERABLE = {"name": "click", "version": "8.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["8.1"]}]}


def test_no_distribution_of_this_repository_is_looked_up() -> None:
    assert set(NAMES) == AUDIT["OURS"]


@pytest.mark.parametrize(
    ("dependencies", "code", "said"),
    [
        ([OURS, CLEAN], 0, "no advisory is about any of 1 packages"),
        ([CLEAN, VULNERABLE, SKIPPED], 1, "click 8.0: PYSEC-1, fixed in 8.1"),
        ([CLEAN, SKIPPED], 2, "NOT AUDITED: 1 of 2 packages could not be looked up"),
        ([OURS], 2, "NOT AUDITED"),
    ],
)
def test_a_report_is_judged_by_what_it_does_not_say_too(
    dependencies: list[dict[str, object]], code: int, said: str
) -> None:
    judged, lines = AUDIT["judged"](dependencies)
    assert judged == code
    assert said in lines[0]
