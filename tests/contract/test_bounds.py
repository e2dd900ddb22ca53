"""docs/operations.md says of each table how far it grows."""

from __future__ import annotations

import re
from pathlib import Path

from turnfold.contract.keys import PERMANENT
from turnfold.contract.tables import Base

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
BOUNDS = PAGE.read_text().partition("## What grows, and how far")[2].partition("\n## ")[0]


def test_each_table_has_a_bound() -> None:
    named = set(re.findall(r"`([a-z_]+)`", BOUNDS))
    assert Base.metadata.tables.keys() - named == set()


def test_each_kind_of_key_without_a_lifetime_has_a_bound() -> None:
    named = set(re.findall(r"`tf:\{(?:SS|shards)\}:([a-z]+)", BOUNDS))
    assert set(PERMANENT) - named == set()
