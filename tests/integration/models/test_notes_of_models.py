"""Where a model wrote notes, these are read, with the turns that they rest on; without it the rules' again."""

from __future__ import annotations

from support.refinery import SHORT_SEGMENTS, Refinery
from support.talk import talk
from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
from turnfold_worker.offline import fold
from turnfold_worker.wiring.models import refine_target


def test_a_models_notes_stand_in_the_place_of_the_rules(refinery: Refinery) -> None:
    turns = [{**turn, "turn_id": f"m-{number}"} for number, turn in enumerate(talk("c", 60), 1)]
    refinery.fold("c", turns)
    notes = refinery.tf.notes("c", states=None, min_importance=0)
    written = [note for note in notes if note.written_by == "model"]
    rows = refinery.query("SELECT body, turns, importance FROM model_note WHERE height = 0 ORDER BY idx, place")
    assert sorted(note.text for note in written) == sorted(body for body, *_ in rows)
    assert written
    for note in written:
        seqs = [int(turn_id.removeprefix("m-")) for turn_id in note.turn_ids]
        assert note.turn_seq == seqs[0]
        assert {turn.turn_id for turn in refinery.tf.expand("c", note.marker).turns} >= set(note.turn_ids)
        assert note.importance > 0
        assert note.origin in {"user", "assistant"}
    refined = {note.turn_seq for note in written}
    segments = refinery.query("SELECT first_seq, last_seq FROM node WHERE height = 0 ORDER BY idx")
    for first, last in segments:
        of_segment = [note for note in notes if first <= note.turn_seq <= last]
        assert {note.written_by for note in of_segment} == {
            "model" if refined & set(range(first, last + 1)) else "rules"
        }
    of_model = refinery.tf.notes("c", states=None, min_importance=0, written_by="model")
    assert of_model == written
    refined_segment = next(segment for segment in refinery.tf.segments("c", words=True) if segment.model_words)
    assert refined_segment.words[1] != refined_segment.model_words[1]
    of_rules = refinery.tf.notes("c", states=None, min_importance=0, written_by="rules")
    SqlRefinementAdmin(refinery.local.worker.store._engine, refine_target(refinery.local.worker.settings)).undo(1)  # type: ignore[attr-defined]
    with fold(turns, conversation_id="c", settings=SHORT_SEGMENTS) as rules:
        assert refinery.tf.notes("c", states=None, min_importance=0) == rules.notes(states=None, min_importance=0)
        assert [note.text for note in of_rules] == [note.text for note in rules.notes(states=None, min_importance=0)]
