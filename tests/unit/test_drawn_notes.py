"""Numbers, names and negations of a sampled note that its turn does not bear out are flagged."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from turnfold.assemble.diff import Statement

TURN = "We do not sell the kiln before Ana has seen it. It cost 300 euros last week."


@pytest.fixture
def drawn_notes(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    return importlib.import_module("drawn_notes")


def doubts(drawn_notes: ModuleType, told: str, turn: str = TURN) -> list[str]:
    return list(drawn_notes.doubts_of(drawn_notes.Drawn("c", Statement("note", told, 1, "user"), turn, "")))


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("we do not sell the kiln before Ana has seen it", []),
        ("The week before 3 May 2026, it cost 300 euros", []),
        ("it cost 400 euros", ["numbers ['400']"]),
        ("we do not sell the kiln before Omar has seen it", ["names ['Omar']"]),
        ("we sell the kiln", ["a negation lost"]),
    ],
)
def test_numbers_names_and_negations_are_doubted(drawn_notes: ModuleType, told: str, expected: list[str]) -> None:
    assert doubts(drawn_notes, told) == expected


def test_a_negation_that_nobody_said_is_doubted(drawn_notes: ModuleType) -> None:
    assert doubts(drawn_notes, "we never sell it", "We sell it.") == ["a negation that nobody said"]
