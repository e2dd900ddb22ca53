"""Expanding: every marker leads back to the original words.

Lines of a context end in markers such as `→L1:refunds-7`. `expand` returns the text behind a marker without a model
call, for as long as the conversation exists. For models without tools, `context(expand=[…])` puts that text into the
context itself, within the same budget.
"""

from __future__ import annotations

import pytest

from support.examples_folder import example
from turnfold import Turnfold, UnknownMarker


def test_markers_expand_to_what_was_left_out(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    context = turnfold.context("conv", budget_tokens=800)
    assert context.markers
    for marker in context.markers:
        assert turnfold.expand("conv", marker).text
    verbatim = turnfold.expand("conv", "L0:turns-1-3")
    assert [turn.content for turn in verbatim.turns] == [turn["content"] for turn in example()[:3]]
    inline = turnfold.context("conv", budget_tokens=800, expand=["L0:turns-1-3"])
    assert str(verbatim.turns[0].content) in inline.text
    assert inline.tokens <= 800
    with pytest.raises(UnknownMarker, match="copy"):
        turnfold.expand("conv", "L1:made-up-4096")
