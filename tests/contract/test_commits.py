"""The newest commits have subjects that say one thing in one line."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEWEST = 100
LONGEST = 72


def subjects() -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("no history: an archive of the source")
    command = ["git", "-c", f"safe.directory={ROOT}", "log", "--no-merges", "-n", str(NEWEST), "--format=%s"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        pytest.skip(f"no history that git can read: {run.stderr.strip()}")
    return run.stdout.splitlines()


def test_a_subject_is_short_begins_with_a_capital_and_is_no_stopgap() -> None:
    faulty = [
        subject
        for subject in subjects()
        if len(subject) > LONGEST or not subject[:1].isupper() or subject.endswith(".")
        or re.search(r"(?i)\b(wip|fixup|squash)\b", subject)
    ]  # fmt: skip
    assert faulty == []
