"""Every column of every table is part of the canonical state or excluded by name."""

from __future__ import annotations

import pytest

from turnfold.contract.canonical import CANONICAL_COLUMNS, RULES_ONLY
from turnfold.contract.tables import Base

NOT_CANONICAL_TABLES = {
    "anchor_vector": "as turn_vector, of anchors",
    "passage_signs": "as turn_vector, of passages",
    "turn_vector": "what a sentence model computed: no two processors agree to the last bit; what follows is canonical",
    "turn_memo": "what folds made of single turns: what follows from it is canonical",
    "access": "what was looked up: two runs over the same turns may be asked different things",
    "job": "work that is still to be done, not what came of it",
    "parked_entry": "what a person has to look at",
    "turn_change": "that a change was made: what it made of the turns is canonical",
    "rewound_turn": "ids of turns that are no more",
    "subject_turn": "whose turns they are: names of end users, whom nothing that is folded tells",
    "meta": "the database's own facts",
    "reply": "what models said",
    "model_batch": "what models are asked",
    "model_note": "what models wrote",
    "model_outline": "what is made of it",
    "model_passage": "as model_outline",
    "model_posting": "as model_outline",
    "usage": "what models did for a conversation",
    "tenant_usage": "what models did for a tenant",
    "tenant_quota": "what a tenant may use",
    "api_key": "who may call the gateway",
    "audit_entry": "what administrators did through it",
    "webhook_endpoint": "who is told of events",
    "webhook_delivery": "what they have yet to be told",
    "stored_size": "a measure, made again whenever the conversation has changed",
}

NOT_CANONICAL_COLUMNS = {
    "conversation": {
        "id",
        "tenant",
        "external_id",
        "revision",
        "edit_revision",
        "created_at",
        "updated_at",
        "expired_seq",
        "words_since",
        "system_turns",
        "unfolded_tokens",
        "refined_anchors",
        "refined_anchor_tokens",
        "refined_turns",
        "expansions_asked",
        "expansions_found",
        "often",
        "rules_version",
    },
    "turn": {"conversation", "turn_id"},
    "operation": {"conversation", "operation_id"},
    "node": {
        "conversation",
        "refined",
        "refined_tokens_1",
        "refined_tokens_2",
        "refined_tokens_3",
        "closed_at",
        "decided_seq",
        "segmenter",
    },
    "level": {"conversation", "refined", "model", "prompt_version", "source_hash"},
    "anchor": {"conversation", "filler", "refined", "model", "prompt_version"},
    "note_list": {"conversation"},
    "outline": {"conversation"},
    "passage": {"conversation"},
    "posting": {"conversation"},
    "block_list": {"conversation"},
    "part_list": {"conversation"},
    "repeat_mark": {"conversation"},
    "anchor_posting": {"conversation"},
}
"""Excluded: the rewind point of each segment; ids, both ours and the caller's; clocks; change counters; authorship; and
everything that models wrote."""


def columns(table: str) -> set[str]:
    return {column.name for column in Base.metadata.tables[table].columns}


@pytest.mark.parametrize("table", CANONICAL_COLUMNS)
def test_every_canonical_column_exists(table: str) -> None:
    assert set(CANONICAL_COLUMNS[table]) <= columns(table)
    assert len(set(CANONICAL_COLUMNS[table])) == len(CANONICAL_COLUMNS[table])


@pytest.mark.parametrize("table", CANONICAL_COLUMNS)
def test_every_column_of_a_canonical_table_is_canonical_or_left_out_by_name(table: str) -> None:
    assert columns(table) - set(CANONICAL_COLUMNS[table]) == NOT_CANONICAL_COLUMNS[table]


def test_every_table_is_canonical_or_left_out_by_name() -> None:
    assert set(Base.metadata.tables) - set(CANONICAL_COLUMNS) == set(NOT_CANONICAL_TABLES)


def test_every_table_of_a_conversation_goes_with_it() -> None:
    """An erasure deletes the conversation's row only: all other rows must cascade."""
    of_a_conversation = [table for table in Base.metadata.tables.values() if "conversation" in table.columns]
    others = Base.metadata.tables.keys() - {table.name for table in of_a_conversation}
    assert others == {
        "conversation", "meta", "tenant_usage", "tenant_quota", "model_batch", "api_key", "audit_entry",
        "webhook_endpoint", "webhook_delivery",
    }  # fmt: skip
    assert of_a_conversation
    for table in of_a_conversation:
        (key,) = table.columns["conversation"].foreign_keys
        assert (key.column.table.name, key.ondelete) == ("conversation", "CASCADE"), table.name


def test_tables_in_which_a_model_may_write_are_those_with_a_refined_column_in_their_key() -> None:
    assert {table for table in CANONICAL_COLUMNS if "refined" in columns(table)} == RULES_ONLY | {"node"}
