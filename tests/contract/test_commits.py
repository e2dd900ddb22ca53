"""The newest commits have one-line subjects that name one change."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEWEST = 100
LONGEST = 72
ON_MAIN_ALREADY = {"Begin a gateway: turns and contexts over HTTP, with keys bound to tenants"}
"""One character too long, but already on main."""
ONE_CHANGE_FROM = "2026-11-29"
"""Commits from this day on name one change; earlier ones on main may name two."""


def subjects() -> list[tuple[str, str]]:
    """Return the day (YYYY-MM-DD) and the subject of each of the newest commits."""
    if not (ROOT / ".git").exists():
        pytest.skip("no history: an archive of the source")
    command = ["git", "-c", f"safe.directory={ROOT}", "log", "--no-merges", "-n", str(NEWEST), "--format=%cs %s"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        pytest.skip(f"no history that git can read: {run.stderr.strip()}")
    return [(line[:10], line[11:]) for line in run.stdout.splitlines()]


def is_faulty(subject: str) -> bool:
    return (
        len(subject) > LONGEST or not subject[:1].isupper() or subject.endswith(".")
        or re.search(r"(?i)\b(wip|fixup|squash)\b", subject) is not None
    )  # fmt: skip


def names_two_changes(subject: str) -> bool:
    """Return whether ", and" joins a second change; a plain "and" may join nouns, and a list has an earlier comma."""
    return re.match(r"[^,]*, and ", subject) is not None


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Name the rooms, and move the keys", True),
        ("Name the rooms of Redis and PostgreSQL", False),
        ("Read Redis, PostgreSQL, and SQLite alike", False),
    ],
)
def test_a_second_change_is_told_from_a_second_noun(subject: str, expected: bool) -> None:
    assert names_two_changes(subject) is expected


@pytest.mark.parametrize(
    "subject", ["wip", "WIP", "Wip: rooms", "fixup! Name the rooms", "name the rooms", "Name the rooms.", "A" * 73]
)
def test_a_stopgap_and_a_careless_subject_are_told(subject: str) -> None:
    assert is_faulty(subject)


def test_a_subject_is_short_begins_with_a_capital_and_is_no_stopgap() -> None:
    newest = subjects()
    assert newest
    assert [subject for _, subject in newest if is_faulty(subject) and subject not in ON_MAIN_ALREADY] == []
    assert [subject for day, subject in newest if day >= ONE_CHANGE_FROM and names_two_changes(subject)] == []
