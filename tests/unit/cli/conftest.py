from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from turnfold_worker.cli import main

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs `turnfold` with arguments, isolated from every real server and state folder."""
    for name in ("TURNFOLD_REDIS_URL", "TURNFOLD_DATABASE_URL", "TURNFOLD_BROKER_URL", "TURNFOLD_TENANT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TURNFOLD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("TURNFOLD_TIMEOUT_SECONDS", "1")

    def invoke(*arguments: object, **options: Any) -> Result:
        return CliRunner().invoke(main, [str(argument) for argument in arguments], **options)

    return invoke


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, object], Path]:
    """A function that writes a file: text and bytes as given, a list as one JSON object per line."""

    def to_file(name: str, content: object) -> Path:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        else:
            assert isinstance(content, Sequence)
            path.write_text("".join(json.dumps(line) + "\n" for line in content), encoding="utf-8")
        return path

    return to_file


def chat(*contents: str) -> list[Mapping[str, str]]:
    """Return turns of a user and an assistant, alternately."""
    roles = ("user", "assistant")
    return [{"role": roles[i % 2], "content": content} for i, content in enumerate(contents)]
