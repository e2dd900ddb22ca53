"""A statement that a model marks as overtaken is superseded: contexts show what replaced it, next to the old value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from conftest import Filling, LocalWorker, refinery_of
from support.refinery import SHORT_SEGMENTS, Refinery
from support.talk import talk
from turnfold import Turnfold
from turnfold.contract.records import Anchor, AnchorState
from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
from turnfold_worker.offline import fold
from turnfold_worker.testing import model_replies as scribe
from turnfold_worker.testing.model_server import OpenAIServer
from turnfold_worker.wiring.models import refine_target

_OLD = "The caterer for the opening must never cost more than 900 euros."
_NEW = "The board was generous, so 1,400 is what we can spend on the caterer now."
_FOOD = "The food for the party must never cost more than 1,400, the board says."
_NEWEST = "The sponsor called, so 1,650 is the most for the food of the party."
_AT = (3, 30)
_BEGAN = datetime(2026, 5, 4, 9, tzinfo=UTC)


def _turns(words: Sequence[str] = (_OLD, _NEW), at: Sequence[int] = _AT) -> list[dict[str, Any]]:
    turns = [dict(turn) for turn in talk("c", 60)]
    for place, (seq, said) in enumerate(zip(at, words, strict=True)):
        turns[seq] = {"role": "user", "name": "Ines", "content": said, "turn_id": f"caterer-{place}"}
    return [turn | {"created_at": _BEGAN + timedelta(hours=at)} for at, turn in enumerate(turns)]


def _says(*pairs: tuple[str, str]) -> Callable[[dict[str, Any]], str]:
    """Return a model that recognizes overtaken statements and what replaces them."""

    def answer(request: dict[str, Any]) -> str:
        reply = scribe.answer(request)
        user, body = request["messages"][1]["content"], json.loads(reply)
        for old, new in pairs:
            kept = re.search(rf"<<(\d+): {re.escape(old[:25])}", user)
            spoken = re.search(rf"#(\d+) Ines: [^\n]*{re.escape(new[:30])}", user)
            if kept is not None and spoken is not None and "segments" in body:
                claim = {"before": int(kept[1]), "turn": int(spoken[1]), "quote": new}
                body["segments"][-1]["overtaken"] += [claim, {**claim, "quote": "1,400 is what nobody said"}]
        return json.dumps(body)

    return answer


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds and refines the talk with a model that finds the old words overtaken."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        with OpenAIServer(_says((_OLD, _NEW))) as server:
            refinery_of(tf, make_worker, server).fold("c", _turns())

    return fill


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """The model that refined the talk."""
    with OpenAIServer(_says((_OLD, _NEW))) as server:
        yield server


def _budget(refinery: Refinery, conversation: str = "c", **options: Any) -> dict[str, Anchor]:
    """Return the anchors of turns about the caterer by turn id; where both exist, the model's."""
    anchors = refinery.tf.anchors(conversation, **({"states": [*AnchorState]} | options))
    anchors = sorted(anchors, key=lambda anchor: anchor.refined)
    return {anchor.turn_id or "": anchor for anchor in anchors if (anchor.turn_id or "").startswith("caterer")}


def _check_count(refinery: Refinery) -> None:
    with refinery.local.engine.begin() as connection:
        in_force = connection.scalar(text("SELECT COUNT(*) FROM anchor WHERE state = 0 AND filler >= 0"))
    assert refinery.tf.status("c").anchors == in_force


def _standing(refinery: Refinery, **options: Any) -> list[str]:
    context = refinery.tf.context("c", budget_tokens=1_500, query=False, **options)
    return [line for line in context.text.splitlines() if "caterer" in line]


def test_the_new_words_stand_with_the_old_ones_beside_them(refinery: Refinery) -> None:
    old, new = _budget(refinery)["caterer-0"], _budget(refinery)["caterer-1"]
    assert (old.state, old.related) == (AnchorState.SUPERSEDED, new.id)
    assert (new.refined, new.replaces, new.type) == (True, old.id, old.type)
    assert old.valid_to == new.said_on
    assert [*_budget(refinery, states=[AnchorState.ACTIVE])] == ["caterer-1"]
    lines = _standing(refinery)
    assert any(_NEW.rstrip(".") in line and "900 euros" in line for line in lines)
    assert [line for line in lines if "900" in line] == [line for line in lines if "1,400" in line]
    assert refinery.used("c")["quotes_refused"] == 1
    _check_count(refinery)


@pytest.mark.parametrize("speakers", [None, ["Ines", "Ana", "assistant"]])
def test_beside_a_question_no_note_says_the_old_words(refinery: Refinery, speakers: list[str] | None) -> None:
    def lines() -> list[str]:
        context = refinery.tf.context("c", budget_tokens=500, query="What may the caterer cost?", speakers=speakers)
        return [line for line in context.text.splitlines() if "900" in line and "1,400" not in line]

    assert lines() == []
    refinery.tf.resolve_anchor("c", _budget(refinery)["caterer-1"].id, dismiss=True)
    refinery.local.settle()
    assert lines() != []


def test_its_note_is_superseded(refinery: Refinery) -> None:
    (note,) = [note for note in refinery.tf.notes("c", written_by="rules", states=None) if "900 euros" in note.text]
    assert note.state is AnchorState.SUPERSEDED


def test_what_the_rules_found_is_as_it_is_without_a_model(refinery: Refinery) -> None:
    alone = fold(_turns(), conversation_id="c", settings=SHORT_SEGMENTS)
    assert refinery.local.digest("c") == alone.digest()


def test_on_an_earlier_day_the_old_words_held(refinery: Refinery) -> None:
    day = _BEGAN + timedelta(hours=_AT[0] + 1)
    assert _budget(refinery, as_of=day)["caterer-0"].state is AnchorState.ACTIVE
    assert any(_OLD.rstrip(".") in line for line in _standing(refinery, as_of=day))
    later = _BEGAN + timedelta(days=2)
    assert _budget(refinery, as_of=later)["caterer-0"].state is AnchorState.SUPERSEDED
    assert not any(line.lstrip("- ").startswith(_OLD[:30]) for line in _standing(refinery, as_of=later))


def test_without_the_turn_the_old_words_hold_again(refinery: Refinery) -> None:
    refinery.server.answer = scribe.answer
    refinery.tf.edit("c", turn_id="caterer-1", content="The board was generous with its praise of the menu.")
    refinery.local.settle()
    assert _budget(refinery)["caterer-0"].state is AnchorState.ACTIVE


def test_without_the_model_the_old_words_hold_again(refinery: Refinery) -> None:
    target = refine_target(refinery.local.worker.settings)
    SqlRefinementAdmin(refinery.local.write_engine, target).undo(1)
    assert _budget(refinery)["caterer-0"].state is AnchorState.ACTIVE


def test_what_the_rules_close_later_is_counted_once(refinery: Refinery) -> None:
    more = [turn | {"turn_id": f"more-{n}"} for n, turn in enumerate(talk("more", 16))]
    correction = "Correction: the caterer for the opening must never cost more than 1,250 euros, not 900 euros."
    more[2] = {"role": "user", "name": "Ines", "content": correction, "turn_id": "more-2"}
    refinery.tf.append("c", more)
    refinery.fold_only()
    _check_count(refinery)


def test_a_person_has_the_last_word(refinery: Refinery) -> None:
    old = _budget(refinery)["caterer-0"]
    refinery.tf.resolve_anchor("c", old.id, dismiss=True)
    refinery.local.settle()
    assert _budget(refinery)["caterer-0"].state is AnchorState.DISMISSED
    _check_count(refinery)


def test_words_that_a_person_dismisses_end_nothing(refinery: Refinery) -> None:
    refinery.tf.resolve_anchor("c", _budget(refinery)["caterer-1"].id, dismiss=True)
    refinery.local.settle()
    assert _budget(refinery)["caterer-0"].state is AnchorState.ACTIVE
    with refinery.local.write_engine.begin() as connection:
        connection.execute(text("UPDATE job SET state = 'due', attempts = 0 WHERE kind = 'refine'"))
    refinery.go_on()
    assert "due" not in refinery.states
    states = {turn_id: anchor.state for turn_id, anchor in _budget(refinery).items()}
    assert states == {"caterer-0": AnchorState.ACTIVE, "caterer-1": AnchorState.DISMISSED}


def test_each_statement_names_the_words_that_took_its_place(refinery: Refinery) -> None:
    hall, grown = "The hall for the opening must never seat fewer than 80 guests.", "120 is what the hall seats now."
    refinery.server.answer = _says((_OLD, _NEW), (hall, grown))
    refinery.fold("d", _turns((_OLD, hall, f"Now {grown} {_NEW}"), (3, 4, 30)))
    anchors = sorted(refinery.tf.anchors("d", states=[*AnchorState]), key=lambda anchor: anchor.refined)
    by_text = {anchor.text: anchor for anchor in anchors}
    for old, new in ((_OLD, _NEW), (hall, grown)):
        assert by_text[old].related == by_text[new].id
        assert by_text[new].replaces == by_text[old].id


def test_what_a_rewind_cut_off_ends_nothing(refinery: Refinery) -> None:
    ids = [row[0] for row in refinery.query("SELECT turn_id FROM turn ORDER BY seq")]
    refinery.tf.rewind("c", after=ids[_AT[1] - 10])
    refinery.local.settle()
    assert [(anchor.state, anchor.related) for anchor in _budget(refinery).values()] == [(AnchorState.ACTIVE, None)]


def test_words_that_took_the_place_of_others_are_over_when_others_take_theirs(refinery: Refinery) -> None:
    refinery.server.answer = _says((_OLD, _FOOD), (_FOOD, _NEWEST))
    refinery.fold("d", _turns((_OLD, _FOOD, _NEWEST), (3, 25, 40)))
    latest = _budget(refinery, "d")
    over, stands = latest["caterer-1"], latest["caterer-2"]
    assert (over.refined, over.state, over.related) == (True, AnchorState.SUPERSEDED, stands.id)
    standing = _budget(refinery, "d", states=[AnchorState.ACTIVE])
    assert [*standing] == ["caterer-2"]
    refinery.server.answer = _says((_OLD, _FOOD))
    refinery.tf.edit("d", turn_id="caterer-2", content="The sponsor called about the music of the party.")
    refinery.local.settle()
    again = _budget(refinery, "d")["caterer-1"]
    assert (again.id, again.state, again.related) == (over.id, AnchorState.ACTIVE, None)


def test_what_is_over_since_a_late_segment_is_read_as_what_is_over_since_an_early_one(refinery: Refinery) -> None:
    old = _budget(refinery)["caterer-0"]
    with refinery.local.write_engine.begin() as connection:
        connection.execute(text("UPDATE anchor SET filler = -20000 WHERE id = :id"), {"id": old.id})
    assert _budget(refinery, ids=[old.id])["caterer-0"].state is AnchorState.SUPERSEDED
    assert refinery.tf.context("c", budget_tokens=1_000, as_of=_BEGAN + timedelta(days=2)).text
