"""Every function that the ablation benchmark replaces exists where the benchmark looks for it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def ablations(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("retention_ablations")


def test_every_idea_that_can_be_taken_away_is_there(ablations: Any) -> None:
    ideas = [*ablations.IDEAS.items(), *ablations.QUERY_IDEAS.items()]
    gone = [
        (name, module, attribute)
        for name, idea in ideas
        for module, attribute, _ in idea.instead
        if not hasattr(importlib.import_module(module), attribute)
    ]
    assert gone == []
