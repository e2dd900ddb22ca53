"""Anchors: what must never be lost, word for word.

Workers extract commitments, decisions, unresolved questions, critical facts and corrections. An anchor is a slice of
its turn, never a paraphrase, and keeps its place: `turn_seq`, `start` and `end`.
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
        assert anchor.text == turns[anchor.turn_seq - 1]["content"][anchor.start : anchor.end]
    decisions = turnfold.anchors("conv", types={"decision"})
    assert any("PostgreSQL 16" in decision.text for decision in decisions)
