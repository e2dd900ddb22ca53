"""Notes follow corrections, anchors settled by hand, rewinds and edits."""

from __future__ import annotations

from typing import Any

from conftest import LocalWorker
from support.talk import talk
from turnfold import Turnfold

SMALL = {"segment_max_turns": 6, "segment_min_turns": 2, "segment_target_turns": 4}
RENT = "The greenhouse rent is 2,310 euros a month."
ASKED = "How much is the greenhouse rent?"
CORRECTED = "The greenhouse rent is 2,750 euros a month, not 2,310."


def said(text: str, turn_id: str) -> dict[str, Any]:
    return {"role": "user", "name": "Ana", "content": text, "turn_id": turn_id}


def chatter(seed: str, many: int) -> list[dict[str, Any]]:
    return [{**turn, "turn_id": f"{seed}-{i}"} for i, turn in enumerate(talk(seed, many))]


def notes_shown(tf: Turnfold, conversation: str) -> str:
    """Return the part of a context before its recent turns, for the query `ASKED`."""
    return tf.context(conversation, budget_tokens=600, query=ASKED).text.partition("[recent turns]")[0]


def test_a_correction_in_the_open_tail_reaches_the_notes_of_what_is_folded(tf: Turnfold, local: LocalWorker) -> None:
    tf.configure("c", settings=SMALL)
    tf.append("c", [said(RENT, "rent"), *chatter("a", 40)])
    local.settle()
    assert "2,310" in notes_shown(tf, "c")
    tf.append("c", [said(CORRECTED, "corrected")])
    local.settle()
    shown = tf.context("c", budget_tokens=600).text
    assert CORRECTED in shown
    assert "2,310" not in shown.replace(CORRECTED, "")


def test_a_rewind_brings_back_what_the_turns_that_are_cut_off_had_overtaken(tf: Turnfold, local: LocalWorker) -> None:
    turns = [said(RENT, "rent"), *chatter("a", 40)]
    for name in ("c", "undisturbed"):
        tf.configure(name, settings=SMALL)
        tf.append(name, turns)
        local.settle()
    tf.append("c", [said(CORRECTED, "corrected")])
    local.settle()
    assert local.digest("c") != local.digest("undisturbed")
    tf.rewind("c", after="a-39")
    local.settle()
    assert local.digest("c") == local.digest("undisturbed")
    assert "2,310" in notes_shown(tf, "c")


def test_an_edit_of_a_correction_brings_back_what_it_had_overtaken(tf: Turnfold, local: LocalWorker) -> None:
    tf.configure("c", settings=SMALL)
    tf.append("c", [said(RENT, "rent"), *chatter("a", 10), said(CORRECTED, "corrected"), *chatter("b", 30)])
    local.settle()
    assert "2,310" not in notes_shown(tf, "c").replace("not 2,310", "")
    tf.edit("c", "corrected", content="The tulips came on Monday.")
    local.settle()
    assert "2,310" in notes_shown(tf, "c")
    assert "2,750" not in tf.context("c", budget_tokens=600).text


def test_a_note_of_an_anchor_that_a_person_dismissed_leaves(tf: Turnfold, local: LocalWorker) -> None:
    tf.configure("c", settings=SMALL)
    tf.append("c", [said(RENT, "rent"), *chatter("a", 40)])
    local.settle()
    (anchor,) = [one for one in tf.anchors("c") if "2,310" in one.text]
    assert "2,310" in notes_shown(tf, "c")
    tf.resolve_anchor("c", anchor.id, dismiss=True)
    local.settle()
    assert "2,310" not in notes_shown(tf, "c")
