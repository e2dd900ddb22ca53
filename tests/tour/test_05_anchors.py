"""Anchors: what must never be lost, word for word.

Workers extract hard constraints, standing instructions, preferences, decisions, corrections, commitments, unresolved
questions and critical facts. An anchor is an exact slice of its turn, never a paraphrase: `turn_seq`, `start` and `end`
locate the slice. It also records the speaker, the day, and the factors of its score.
"""

from __future__ import annotations

from support.examples_folder import example
from turnfold import AnchorType, Turnfold


def test_anchors_are_the_words_that_were_said(turnfold: Turnfold) -> None:
    turns = example()
    turnfold.append("conv", turns)
    turnfold.wait("conv")
    anchors = turnfold.anchors("conv", states=None)
    assert {anchor.type for anchor in anchors} == set(AnchorType)
    for anchor in anchors:
        turn = turns[anchor.turn_seq - 1]
        assert anchor.text == turn["content"][anchor.start : anchor.end]
        assert (anchor.turn_id, anchor.speaker, anchor.role) == (
            turn["turn_id"], turn.get("name", turn["role"]), turn["role"],
        )  # fmt: skip
        assert anchor.day.endswith("March 2026")
        assert anchor.factors
    decisions = turnfold.anchors("conv", types={"decision"})
    assert any("PostgreSQL 16" in decision.text for decision in decisions)
    limits = turnfold.anchors("conv", types={"constraint"})
    assert any("no exceptions" in limit.text for limit in limits)
    assert min(limit.rank for limit in limits) > max(decision.rank for decision in decisions)
