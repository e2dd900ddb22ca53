"""Offline: the same pipeline in a single process.

`fold` needs no server. It writes the same rows and builds the same contexts as the workers do, except for the seal,
which only an installation knows. Use it for tests, notebooks and evaluations.
"""

from __future__ import annotations

from support.examples_folder import example
from support.seals import unsealed
from turnfold import Turnfold
from turnfold_worker.offline import fold


def test_the_same_pipeline_runs_offline_and_gives_the_same_contexts(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    with fold(example(), conversation_id="conv") as offline:
        for budget in (500, 2_000):
            ours, theirs = turnfold.context("conv", budget_tokens=budget), offline.context(budget_tokens=budget)
            assert unsealed(ours.text) == unsealed(theirs.text)
            assert (ours.tokens, ours.markers) == (theirs.tokens, theirs.markers)
