"""No public name is removed without a line in the CHANGELOG."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.public_names import MODULES, importable, public_names

LISTED = (Path(__file__).parent / "public_names.txt").read_text(encoding="utf-8").splitlines()
UNRELEASED = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n## [0")[0]
REMEDY = "write tests/contract/public_names.txt anew: cd tests && python -m support.public_names"


def test_a_name_that_is_gone_is_in_the_changelog() -> None:
    gone = sorted(set(LISTED) - set(public_names()))
    unsaid = [name for name in gone if f"`{name}`" not in UNRELEASED]
    assert unsaid == [], f"say in CHANGELOG what became of these, each in backticks, then {REMEDY}"


def test_a_new_name_is_listed() -> None:
    assert sorted(set(public_names()) - set(LISTED)) == [], REMEDY


@pytest.mark.parametrize("module", MODULES)
def test_what_docs_import_from_is_there(module: str) -> None:
    assert importable(module)
