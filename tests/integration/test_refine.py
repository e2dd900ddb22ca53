"""With a model, chapters get its words; whatever it does, the rules' words stay as they are."""

from __future__ import annotations

from support.refinery import Refinery
from support.stored import broken_invariants


def test_a_finished_chapter_is_refined_in_two_calls(refinery: Refinery) -> None:
    refinery.fold("c")
    assert refinery.states == ["done"]
    assert refinery.server.purposes() == ["extract", "summarize"]
    models = [request["model"] for request in refinery.server.requests]
    assert models == ["gpt-4o", "gpt-4o-mini"]
    levels = refinery.levels()
    assert {(height, level) for height, _, level, _ in levels} == {(h, n) for h in (0, 1) for n in (1, 2, 3)}
    assert refinery.count("anchor WHERE refined = 1 AND id < 0") > 0
    assert broken_invariants(refinery.local.engine) == {}
