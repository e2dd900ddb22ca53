"""Text that occurs again anywhere later in a conversation is noted as a repeat."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Engine, event

from conftest import LocalWorker
from support.talk import talk
from turnfold import Turnfold
from turnfold.contract.records import ConversationId
from turnfold.testing import in_memory
from turnfold_worker.adapters.sql.repeats import MOST_EARLIER, earlier_turns
from turnfold_worker.offline import fold
from turnfold_worker.operate.digest import digest
from turnfold_worker.pipeline.turns.repeats import sought_marks

DUMP = "\n".join(f"[settings.{i}] value = {i * 7} # set by hand" for i in range(60))
CHANGED = DUMP.replace("[settings.9] value = 63", "[settings.9] value = 64")
FIRST, AGAIN, MANY = 5, 75, 100


def messages(first: str = DUMP, again: str = DUMP, *, role: str = "user") -> list[dict[str, Any]]:
    """Return a long talk in which a text occurs twice, far apart."""
    turns: list[dict[str, Any]] = [{**turn, "turn_id": f"t{i}"} for i, turn in enumerate(talk("far", MANY), start=1)]
    for at, text in ((FIRST, first), (AGAIN, again)):
        turns[at - 1] |= {"content": text, "role": role}
    return turns


def told(tf: Turnfold, seq: int = AGAIN) -> str:
    """Return all notes of a turn."""
    notes = tf.notes("c", states=None, min_importance=0, first_turn=seq, last_turn=seq)
    return "\n".join(note.text for note in notes)


@pytest.mark.parametrize(("again", "says"), [(DUMP, "[same as turn 5 "), (CHANGED, "[almost as turn 5, 97 % ")])
def test_a_turn_that_comes_again_much_later_is_told_as_a_repeat(again: str, says: str) -> None:
    with in_memory() as tf:
        tf.append("c", messages(again=again))
        tf.wait("c")
        assert told(tf).startswith(says)
        assert ("value = 64" in told(tf)) is (again is CHANGED)
        assert "settings.3" not in told(tf)
        assert "settings" in told(tf, FIRST)


def test_what_differs_is_no_repeat_of_anything() -> None:
    other = "\n".join(f"[limits.{i}] most = {i * 5} # measured" for i in range(60))
    with in_memory() as tf:
        tf.append("c", messages(again=other))
        tf.wait("c")
        assert "turn 5" not in told(tf)
        assert "limits" in told(tf)


def test_batches_change_nothing(tf: Turnfold, local: LocalWorker, engine: Engine) -> None:
    turns = messages(again=CHANGED)
    for at in range(0, MANY, 17):
        tf.append("c", turns[at : at + 17])
        local.fold()
    assert digest(engine, "acme", "c") == fold(turns).digest()


def test_an_edit_of_what_was_repeated_lets_the_repeat_speak_for_itself(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", messages())
    local.fold()
    assert told(tf).startswith("[same as turn 5 ")
    tf.edit("c", f"t{FIRST}", content="Never mind, I found it.")
    local.fold()
    assert "turn 5" not in told(tf)
    assert "settings" in told(tf)


def test_a_rewind_to_before_what_was_repeated_leaves_no_reference_to_it(tf: Turnfold, local: LocalWorker) -> None:
    turns = messages()
    tf.append("c", turns)
    local.fold()
    tf.rewind("c", after=f"t{FIRST - 1}")
    tf.append("c", [{**turn, "turn_id": f"new-{i}"} for i, turn in enumerate(turns[FIRST:])])
    local.fold()
    assert "same as" not in told(tf, AGAIN - 1)
    assert "settings" in told(tf, AGAIN - 1)


def test_what_a_fold_reads_for_repeats_does_not_grow_with_the_conversation(
    tf: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    """Every segment has the mark of a line that all listings share, but only a few segments are read."""
    shared = "total 42 entries, none of them hidden\nread by the owner\nwritten by nobody\n"
    listings = [
        {"role": "user", "content": shared + "\n".join(f"file {at}-{i} of folder {at}" for i in range(3)) * 8}
        for at in range(120)
    ]
    tf.append("c", listings)
    local.fold()
    turns = tf.expand("c", "L0:turns-100-104").turns
    assert len(turns) == 5
    with engine.connect() as connection:
        statements: list[str] = []
        event.listen(connection, "before_cursor_execute", lambda *of: statements.append(of[2]))
        found = earlier_turns(connection, ConversationId(1), sought_marks(turns), 10_000)
        assert 0 < len(found) <= MOST_EARLIER
        assert sum(one.startswith("SELECT") for one in statements) == 2
