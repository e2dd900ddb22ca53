"""The README tells the truth about settings."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from turnfold_worker.settings import WorkerSettings

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [field.name for field in fields(WorkerSettings)])
def test_every_setting_is_in_the_readmes_table(name: str) -> None:
    assert f"| `TURNFOLD_{name.upper()}` |" in README


def test_every_setting_of_the_table_exists() -> None:
    known = {f"TURNFOLD_{field.name.upper()}" for field in fields(WorkerSettings)} | {"TURNFOLD_STATE_DIR"}
    listed = {line.split("`")[1] for line in README.splitlines() if line.startswith("| `TURNFOLD_")}
    assert listed == known
