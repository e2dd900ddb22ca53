"""The examples in docstrings produce the output that they show."""

from __future__ import annotations

import doctest
import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("producer_sdk", "worker", "gateway")
IN_A_FOLDER_OF_THEIR_OWN = {"turnfold.frameworks.google_adk"}
"""Modules whose framework is installed in a separate folder: `support.adk_folder`."""


def modules_with_examples() -> list[str]:
    paths = [path for source in SOURCES for path in sorted((ROOT / source).glob("turnfold*/**/*.py"))]
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts[1:]).removesuffix(".__init__")
        for path in paths
        if ">>> " in path.read_text(encoding="utf-8")
    ]


@pytest.mark.parametrize("name", sorted({*modules_with_examples()} - IN_A_FOLDER_OF_THEIR_OWN))
def test_the_examples_of_a_module_hold(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module(name)
    assert doctest.testmod(sys.modules[name]).failed == 0, capsys.readouterr().out


def test_modules_with_examples_are_found() -> None:
    assert {"turnfold.testing", "turnfold_worker.offline", "turnfold.dates.numbers"} <= {*modules_with_examples()}


def test_a_wrong_example_is_found() -> None:
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    said: list[str] = []
    assert doctest.DocTestRunner().run(wrong, out=said.append).failed == 1
    assert "Expected:\n    3" in "".join(said)
