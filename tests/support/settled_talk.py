"""Settle the anchors of a talk without storage; every earlier anchor is a candidate."""

from __future__ import annotations

from typing import Final

from turnfold.contract.records import Anchor, AnchorState, StoredTurn
from turnfold_worker.pipeline.anchors.deduplicate import Merged, merge
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.anchors.reports import with_reports
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn

SETTINGS: Final = FoldSettings()


def merged(turns: list[StoredTurn], earlier: tuple[Anchor, ...] = ()) -> Merged:
    """Return the anchors of a segment, settled with each other and with earlier ones."""
    readings = [read_turn(turn) for turn in turns]
    drafts = with_reports(extract_anchors(readings, SETTINGS), readings)
    return merge(drafts, earlier, next_id=len(earlier) + 1, node_idx=0, settings=SETTINGS)


def states(result: Merged) -> list[AnchorState]:
    """Return the states of the new anchors, in order."""
    return [anchor.state for anchor in result.new]
