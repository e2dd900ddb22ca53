"""Contexts use a model's notes where there are some, with the turns behind them, and else those of the rules."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from support.refinery import SHORT_SEGMENTS, Refinery
from support.talk import talk
from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
from turnfold_worker.offline import fold
from turnfold_worker.testing import model_replies as scribe
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


def test_notes_on_chapters_stand_where_room_is_tight_and_nothing_is_asked(refinery: Refinery) -> None:
    def answer(request: Any) -> str:
        body = json.loads(scribe.answer(request))
        for told, words in (*((segment, 6) for segment in body.get("segments", ())), (body, 4)):
            for note in told.get("notes", ()):
                note["brief"] = " ".join(note["text"].split()[:words])
        return json.dumps(body)

    refinery.server.answer = answer
    refinery.fold("c", 70)
    of_chapters, of_segments = (
        {brief for (brief,) in refinery.query(f"SELECT brief FROM model_note WHERE height = {height} AND idx < 8")}
        - {None}
        for height in (1, 0)
    )
    only_of_chapters = of_chapters - of_segments
    assert only_of_chapters

    def shown(budget_tokens: int, **options: Any) -> bool:
        """Return whether the brief of a note on the chapter is shown."""
        context = refinery.tf.context("c", budget_tokens=budget_tokens, **options)
        return any(statement.text in only_of_chapters for statement in context.statements)

    assert shown(700, query=False)
    assert shown(700)
    assert not shown(700, query="Who owns the part of the invoice export?")
    assert not shown(700, query=False, speakers=["user"])
    assert not shown(700, query=False, as_of=datetime(2026, 3, 3, tzinfo=UTC))
    assert not shown(2_500, query=False)


def test_what_the_open_tail_takes_back_leaves_a_models_notes(refinery: Refinery) -> None:
    told = talk("c", 40)
    told[4]["content"] = "The budget of the Kestrel project is 2,000 euros."

    def note_it(body: dict[str, Any]) -> None:
        for segment in body["segments"]:
            if segment["segment"] == 1:
                note = {"turns": [5], "speaker": "user", "text": told[4]["content"], "brief": "", "importance": 5}
                segment["notes"].append(note)

    refinery.server.answer = scribe.changing(note_it)
    refinery.fold("c", told)
    assert _says(refinery, "2,000 euros")
    refinery.append("c", [{"role": "user", "content": "Actually, the budget of the Kestrel project is 3,500 euros."}])
    refinery.local.settle()
    assert not _says(refinery, "2,000 euros")


def _says(refinery: Refinery, words: str) -> bool:
    """Return whether any model-written note that contexts are built from contains the words."""
    return any(words in body for (body,) in refinery.query("SELECT body FROM model_outline"))
