"""The newest commits have subjects that say one thing in one line."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEWEST = 100
LONGEST = 72
ON_MAIN_ALREADY = {"Begin a gateway: turns and contexts over HTTP, with keys bound to tenants"}
"""One character too long, and not to be changed any more."""


def subjects() -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("no history: an archive of the source")
    command = ["git", "-c", f"safe.directory={ROOT}", "log", "--no-merges", "-n", str(NEWEST), "--format=%s"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        pytest.skip(f"no history that git can read: {run.stderr.strip()}")
    return run.stdout.splitlines()


def is_faulty(subject: str) -> bool:
    return (
        len(subject) > LONGEST or not subject[:1].isupper() or subject.endswith(".")
        or re.search(r"(?i)\b(wip|fixup|squash)\b", subject) is not None
    )  # fmt: skip


@pytest.mark.parametrize(
    "subject", ["wip", "WIP", "Wip: rooms", "fixup! Name the rooms", "name the rooms", "Name the rooms.", "A" * 73]
)
def test_a_stopgap_and_a_careless_subject_are_told(subject: str) -> None:
    assert is_faulty(subject)


def test_a_subject_is_short_begins_with_a_capital_and_is_no_stopgap() -> None:
    newest = subjects()
    assert newest
    assert [subject for subject in newest if is_faulty(subject) and subject not in ON_MAIN_ALREADY] == []
