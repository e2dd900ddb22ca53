"""The command that a person should type next works as shown."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from turnfold_worker.cli.output import called


@pytest.mark.parametrize(
    ("on_the_path", "program", "expected"),
    [
        ("/usr/bin/turnfold", "/here/.venv/bin/turnfold", "turnfold"),
        (None, "/here/.venv/bin/turnfold", ".venv/bin/turnfold"),
        (None, "/elsewhere/bin/turnfold", "/elsewhere/bin/turnfold"),
        (None, "-c", "turnfold"),
    ],
)
def test_it_is_called_by_name_where_that_works_and_by_its_path_elsewhere(
    monkeypatch: pytest.MonkeyPatch, on_the_path: str | None, program: str, expected: str
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: on_the_path)
    monkeypatch.setattr("sys.argv", [program])
    monkeypatch.setattr(Path, "cwd", lambda: Path("/here"))
    assert called() == expected
