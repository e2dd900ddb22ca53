"""A query finds a model's note by words that occur only in the note, as long as the note exists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from sqlalchemy import text

from support.refinery import SHORT_SEGMENTS, Refinery
from support.talk import talk
from turnfold.contract.records import Origin
from turnfold_worker.adapters.sql import model_notes as sql_model_notes
from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
from turnfold_worker.offline import FoldedConversation, fold
from turnfold_worker.pipeline.refinement.notes import ModelNote
from turnfold_worker.wiring.models import refine_target

NOTE = "Mara wants a zeppelin for the launch"
ASKED = "Who wants the zeppelin?"


@pytest.fixture
def folded() -> Iterator[FoldedConversation]:
    with fold(talk("c", 72), settings=SHORT_SEGMENTS) as folded:
        yield folded


def write(folded: FoldedConversation, idx: int, *texts: str) -> None:
    """Replace the notes on a segment with notes of a model."""
    engine, conversation = folded._engine, folded._conversation
    with engine.begin() as connection:
        first_seq = connection.scalar(text("SELECT first_seq FROM node WHERE height = 0 AND idx = :idx"), {"idx": idx})
        notes = [
            ModelNote(
                turns=(first_seq,),
                speaker="Mara",
                role="user",
                origin=Origin.USER,
                said_on=None,
                text=words,
                importance=4,
            )
            for words in texts
        ]
        sql_model_notes.replace(
            connection, conversation, 0, idx, notes, model="m", prompt_version="notes-1", source_hash=b""
        )
        connection.execute(text("UPDATE conversation SET revision = revision + 1"))


def rows(folded: FoldedConversation) -> Sequence[int]:
    with folded._engine.begin() as connection:
        names = ("model_passage", "model_posting", "model_note")
        return [connection.scalar(text(f"SELECT COUNT(*) FROM {name}")) or 0 for name in names]


def found(folded: FoldedConversation) -> bool:
    return "zeppelin" in folded.context(budget_tokens=600, query=ASKED).text


@pytest.mark.parametrize("idx", [0, 5, 9])
def test_a_query_finds_a_note_by_a_word_that_only_a_model_used(folded: FoldedConversation, idx: int) -> None:
    assert not found(folded)
    assert "zeppelin" not in " ".join(turn["content"] for turn in talk("c", 72))
    write(folded, idx, "The launch is on Friday", NOTE)
    assert found(folded)
    assert [hit.first_seq for hit in folded.search("zeppelin")] == [folded.segments[idx].first_seq]


def test_a_note_that_is_written_again_is_found_by_its_new_words_alone(folded: FoldedConversation) -> None:
    write(folded, 5, NOTE)
    write(folded, 5, "Mara wants an airship for the launch")
    assert not found(folded)
    assert folded.search("zeppelin") == []
    assert "airship" in folded.context(budget_tokens=600, query="Who wants the airship?").text


def test_nothing_is_left_of_notes_that_are_removed(folded: FoldedConversation) -> None:
    write(folded, 5, NOTE)
    write(folded, 9, NOTE)
    write(folded, 5)
    assert found(folded)
    write(folded, 9)
    assert not found(folded)
    assert rows(folded) == [0, 0, 0]


def test_other_queries_are_answered_as_without_a_model(folded: FoldedConversation) -> None:
    asked = "What was decided about the launch?"
    before = folded.context(budget_tokens=600, query=asked).text
    write(folded, 5, "zeppelin")
    assert folded.context(budget_tokens=600, query=asked).text == before


def test_notes_of_a_model_are_found_as_they_are_written_and_gone_when_they_are_undone(refinery: Refinery) -> None:
    refinery.fold("c", [{**turn, "turn_id": f"m-{number}"} for number, turn in enumerate(talk("c", 60), 1)])
    written = refinery.query("SELECT DISTINCT idx FROM model_note WHERE height = 0 ORDER BY idx")
    assert refinery.query("SELECT idx FROM model_passage ORDER BY idx") == written
    assert refinery.count("model_posting") > 0
    refinery.tf.edit("c", "m-3", content="The zeppelin is mine.")
    refinery.fold_only()
    first = refinery.query("SELECT idx FROM node WHERE height = 0 AND first_seq <= 3 AND last_seq >= 3")
    assert first[0] not in refinery.query("SELECT idx FROM model_passage")
    SqlRefinementAdmin(refinery.local.worker.store._engine, refine_target(refinery.local.worker.settings)).undo(1)  # type: ignore[attr-defined]
    assert (refinery.count("model_passage"), refinery.count("model_posting")) == (0, 0)
