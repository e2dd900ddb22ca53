"""No regex takes more than linear time on any input."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import turnfold
from support import patterns

TESTS = Path(__file__).parent.parent


@pytest.mark.long
@pytest.mark.timeout(600)
def test_no_pattern_is_slow_on_any_repetition_of_its_own_alphabet() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "support.patterns"], cwd=TESTS, env=os.environ, check=True, capture_output=True,
        text=True, timeout=590,
    )  # fmt: skip
    assert done.stdout == ""


def test_no_pattern_is_slow_on_one_character_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "LENGTH", 10_000)
    monkeypatch.setattr(patterns, "SECONDS", 0.15)
    monkeypatch.setattr(patterns, "attacks", lambda *_: [("", unit) for unit in (" ", "1", ".")])
    unbounded = {name: one for name, one in patterns.patterns().items() if re.search(r"[*+]|,\}", one.pattern)}
    planted = {"planted": re.compile(r"\d[\d.,:%]* ([^\W\d_]+)")}
    assert [found.split(":")[0] for found in patterns.slow({**unbounded, **planted})] == ["planted"]


def test_every_pattern_of_the_packages_is_attacked() -> None:
    found = patterns.patterns()
    assert len(found) > 150
    for name in (
        "pipeline.language.facts._FACT",
        "pipeline.content.recognize._LOOKS",
        "contract.terms",
        "pipeline.anchors.rules.statement_rules",
    ):
        assert any(name in one for one in found)


def test_what_serves_a_framework_has_no_pattern_of_its_own() -> None:
    files = [*Path(turnfold.__path__[0], "frameworks").glob("*.py")]
    assert len(files) > 5
    assert [file.name for file in files if re.search(r"\bre\.|lazy_pattern", file.read_text(encoding="utf-8"))] == []


def test_no_pattern_of_anchors_holds_a_line_break_by_accident() -> None:
    found = {name: one.pattern for name, one in patterns.patterns().items() if ".anchors." in name}
    assert len(found) > 100
    assert [name for name, pattern in found.items() if "\n" in pattern] == []


def test_no_pattern_lost_a_quantifier_to_an_f_string() -> None:
    """In an f-string `{0, 200}` is a tuple, so that the pattern asks for the words `(0, 200)`."""
    assert [name for name, one in patterns.patterns().items() if re.search(r"\(\d+, \d*\)", one.pattern)] == []


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Python 3.11.2 lets `(?:…)++` match what none of its branches does; `(?>(?:…)+)` is equivalent and correct."""
    possessive = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+")
    assert possessive.search("(?:a|b)++")
    assert not possessive.search(r"(?>(?:a|b)+)|\)++")
    assert [name for name, one in patterns.patterns().items() if possessive.search(one.pattern)] == []


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("planted", r" +x"),
        ("planted", r"(?:a+)+b"),
        ("planted", r"\[[^\]]*\]"),
        (
            "turnfold_worker.pipeline.content.planted",
            r"\s*(?:[-*] )?([\w.@+ -]{1,100}(?:/[\w.@+ -]{1,100}){0,24}/?)\s*$",
        ),
    ],
)
def test_a_slow_pattern_is_found(monkeypatch: pytest.MonkeyPatch, name: str, pattern: str) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.1)
    assert len(list(patterns.slow({name: re.compile(pattern)}))) == 1
