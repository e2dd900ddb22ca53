"""docs/operations.md states how far each table and each key without a lifetime can grow."""

from __future__ import annotations

import re
from pathlib import Path

from sqlalchemy import PrimaryKeyConstraint, UniqueConstraint

from turnfold.contract.keys import PERMANENT
from turnfold.contract.tables import Base

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
BOUNDS = PAGE.read_text().split("\n## What grows, and its bounds\n")[1].partition("\n## ")[0]


def test_each_table_has_a_bound() -> None:
    named = set(re.findall(r"`([a-z_]+)`", BOUNDS))
    assert Base.metadata.tables.keys() - named == set()


def test_each_kind_of_key_without_a_lifetime_has_a_bound() -> None:
    named = set(re.findall(r"`tf:\{(?:SS|shards)\}:([a-z]+)", BOUNDS))
    assert set(PERMANENT) - named == set()


def test_rows_of_a_conversation_can_lie_with_it_on_one_node() -> None:
    """Citus (docs/operations.md) requires its distribution column in each unique key."""
    keyed = {}
    for rows in Base.metadata.sorted_tables:
        unique = [key for key in rows.constraints if isinstance(key, PrimaryKeyConstraint | UniqueConstraint)]
        keys = [*unique, *(index for index in rows.indexes if index.unique)]
        if "conversation" in rows.columns:
            keyed[rows.name] = all("conversation" in key.columns for key in keys)
    assert {name for name, with_it in keyed.items() if not with_it} == {"job", "parked_entry"}
    assert len(keyed) > 20
