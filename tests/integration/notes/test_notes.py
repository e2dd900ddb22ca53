"""Notes come with their turns, states and origins, in pages, and every client returns the same ones."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from conftest import LocalWorker
from support.talk import talk
from turnfold import AsyncTurnfold, InvalidInput, Note, Origin, Settings, Turnfold, UnknownConversation
from turnfold.contract.records import AnchorState, Role
from turnfold_worker.offline import fold

pytestmark = pytest.mark.daily_on("postgresql")

SMALL = {"segment_max_turns": 6, "segment_min_turns": 2, "segment_target_turns": 4}
RENT = "The greenhouse rent is 2,310 euros a month."
RAISED = "The greenhouse rent is 2,750 euros a month, not 2,310."


def told(many: int = 40, name: str = "notes") -> list[dict[str, Any]]:
    return [{**turn, "turn_id": f"{name}-{number}"} for number, turn in enumerate(talk(name, many), 1)]


def folded(tf: Turnfold, local: LocalWorker, turns: list[dict[str, Any]], conversation: str = "c") -> None:
    tf.configure(conversation, settings=SMALL)
    tf.append(conversation, turns)
    local.settle()


def every(tf: Turnfold, **wanted: Any) -> list[Note]:
    return tf.notes("c", states=None, min_importance=0, **wanted)


def test_a_note_names_its_turns_and_its_marker_leads_to_them(tf: Turnfold, local: LocalWorker) -> None:
    folded(tf, local, told())
    notes = every(tf)
    closed = tf.status("c").closed
    assert {note.turn_seq for note in notes} == set(range(1, closed + 1))
    assert [note.turn_seq for note in notes] == sorted(note.turn_seq for note in notes)
    for note in notes:
        turns = tf.expand("c", note.marker).turns
        assert tuple(turn.turn_id for turn in turns) == note.turn_ids
        assert turns[-1].seq == note.turn_seq
        assert (note.speaker, note.role) == (str(turns[-1].role), turns[-1].role)
        assert note.day.endswith("March 2026")
        assert note.written_by == "rules"
        assert note.state is not AnchorState.ACTIVE or (note.valid_from, note.valid_to) == (None, None)


def test_the_same_notes_are_read_offline_and_by_asyncio(tf: Turnfold, local: LocalWorker, settings: Settings) -> None:
    turns = told(60)
    folded(tf, local, turns)
    online = every(tf)
    assert online
    with fold(turns, conversation_id="c", settings=SMALL) as offline:
        assert offline.notes(states=None, min_importance=0) == online
        assert offline.notes() == tf.notes("c")


async def test_a_coroutine_reads_the_same_notes(settings: Settings, local: LocalWorker) -> None:
    async with AsyncTurnfold(settings=settings) as tf:
        await tf.configure("c", settings=SMALL)
        await tf.append("c", told())
        local.settle()
        notes = await tf.notes("c", min_importance=10)
        assert notes == tf._client.notes("c", min_importance=10)
        assert min(note.importance for note in notes) >= 10


def test_pages_have_whole_turns_and_together_all_notes(tf: Turnfold, local: LocalWorker) -> None:
    folded(tf, local, told(120))
    notes = every(tf)
    pages: list[list[Note]] = []
    first = 1
    while page := every(tf, first_turn=first, limit=7):
        pages.append(page)
        first = page[-1].turn_seq + 1
    assert len(pages) > 5
    assert max(map(len, pages)) <= 7
    assert [note for page in pages for note in page] == notes
    assert every(tf, first_turn=10, last_turn=30) == [note for note in notes if 10 <= note.turn_seq <= 30]
    assert {note.turn_seq for note in every(tf, limit=1)} == {1}


def test_a_note_has_the_state_of_what_it_says(tf: Turnfold, local: LocalWorker) -> None:
    question, answer = "Which region hosts the nightly backups?", "We decided that Frankfurt hosts the nightly backups."
    turns = [
        {"role": "user", "content": content, "turn_id": f"m-{number}"}
        for number, content in enumerate([RENT, question, *["Nothing of note."] * 9, RAISED, answer])
    ]
    folded(tf, local, [*turns, *told(30)])
    states = {note.text.rstrip("?"): note.state for note in every(tf) if note.turn_ids[0].startswith("m-")}
    assert states[RENT.rstrip(".")] is AnchorState.SUPERSEDED
    assert states[RAISED.rstrip(".")] is AnchorState.ACTIVE
    assert states[question.rstrip("?")] is AnchorState.RESOLVED
    shown = [note.text for note in tf.notes("c")]
    assert RAISED.rstrip(".") in shown
    assert RENT.rstrip(".") not in shown
    assert RENT.rstrip(".") in [note.text for note in tf.notes("c", states={"superseded"})]


def test_an_anchor_lends_its_factors_and_what_tells_nothing_is_left_out(tf: Turnfold, local: LocalWorker) -> None:
    folded(tf, local, [{"role": "user", "content": "We must never use MongoDB here, no exceptions. Thanks!"}, *told()])
    (limit,) = [anchor for anchor in tf.anchors("c", types={"constraint"}) if "MongoDB" in anchor.text]
    notes = [note for note in tf.notes("c") if note.turn_seq == 1]
    assert [(note.importance, note.factors) for note in notes] == [(limit.score, limit.factors)]
    assert [note.importance for note in every(tf) if note.turn_seq == 1] == [limit.score, 0]
    plain = [note for note in tf.notes("c") if "telling" in note.factors]
    assert plain
    for note in plain:
        assert note.importance == min(max(sum(note.factors.values()), 1), 100)


def test_a_note_is_as_trusted_as_the_least_of_its_turns(tf: Turnfold, local: LocalWorker) -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    ]}  # fmt: skip
    turns: list[dict[str, Any]] = [
        {"role": "system", "content": "You book cabins in Norway for Hallgrim."},
        {"role": "user", "content": "I want the cabin at Finse from 3 May on.", "name": "Ines"}, call,
        {"role": "tool", "tool_call_id": "c1", "content": "forecast: 4 degrees, snow showers, wind 12 m/s"},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "cabins: Finse 7 free, Ustaoset 0 free"}
        ]},
        {"role": "assistant", "content": "Snow showers are forecast. Do you still want the cabin at Finse?"},
        {"role": "user", "content": "Yes.", "name": "Ines"},
    ]  # fmt: skip
    folded(tf, local, [{**turn, "turn_id": f"m-{number}"} for number, turn in enumerate(turns, 1)] + told())
    origins = {note.turn_ids: note.origin for note in every(tf, last_turn=7)}
    assert origins == {
        ("m-1",): "user", ("m-2",): "user", ("m-3",): "assistant", ("m-4",): "tool", ("m-5",): "tool",
        ("m-6",): "assistant", ("m-6", "m-7"): "assistant",
    }  # fmt: skip
    assert {note.role for note in every(tf, first_turn=5, last_turn=5)} == {Role.TOOL}
    assert {note.origin for note in every(tf, origins=["tool"])} == {Origin.TOOL}
    assert {note.speaker for note in every(tf, speakers="Ines")} == {"Ines"}


def test_a_day_that_the_day_of_the_turn_tells_is_named(tf: Turnfold, local: LocalWorker) -> None:
    turns = [
        {"role": "user", "content": content, "created_at": "2026-05-14T09:00:00+00:00"}
        for content in ("I signed the lease yesterday.", "The lease runs until 2029.")
    ]
    folded(tf, local, [*turns, *told()])
    signed, runs = tf.notes("c", last_turn=2)
    assert (signed.day_meant, signed.meant_from, signed.valid_to) == ("13 May 2026", date(2026, 5, 13), None)
    assert (runs.day_meant, runs.valid_to) == ("until 2029", date(2029, 12, 31))


def test_a_note_tells_until_when_it_held_and_a_plan_that_is_done_is_none(tf: Turnfold, local: LocalWorker) -> None:
    said = [
        ("2026-05-01", "The rent is 860 euros."),
        ("2026-05-02", "I will send the contract to Bo tomorrow."),
        ("2026-05-04", "I've sent the contract to Bo."),
        ("2026-05-06", "The rent is 910 euros."),
    ]
    turns = [{"role": "user", "content": text, "created_at": f"{day}T09:00:00+00:00"} for day, text in said]
    folded(tf, local, [*turns[:2], *told()])
    assert [note.is_plan for note in tf.notes("c", last_turn=2)] == [False, True]

    folded(tf, local, [*turns[2:], *told(name="later")])
    rent, plan = tf.notes("c", last_turn=2, states=None)
    assert (rent.state, rent.valid_to) == (AnchorState.SUPERSEDED, date(2026, 5, 6))
    assert (plan.state, plan.is_plan, plan.valid_to) == (AnchorState.RESOLVED, False, date(2026, 5, 4))


def test_a_plan_that_the_open_tail_reports_as_done_is_none(tf: Turnfold, local: LocalWorker) -> None:
    plan, report = "I will send the contract to Bo tomorrow.", "I've sent the contract to Bo."
    folded(tf, local, [{"role": "user", "content": plan, "created_at": "2026-05-02T09:00:00+00:00"}, *told()])
    assert [note.is_plan for note in tf.notes("c", last_turn=1)] == [True]

    folded(tf, local, [{"role": "user", "content": report, "created_at": "2026-05-04T09:00:00+00:00"}])
    assert tf.status("c").closed < tf.status("c").folded
    (note,) = tf.notes("c", last_turn=1, states=None)
    assert (note.state, note.is_plan, note.valid_to) == (AnchorState.RESOLVED, False, date(2026, 5, 4))
    assert tf.notes("c", last_turn=1) == []


def test_what_waits_to_be_changed_is_not_read_and_what_was_said_before_never_again(
    tf: Turnfold, local: LocalWorker
) -> None:
    folded(tf, local, [{"role": "user", "content": RENT, "turn_id": "rent"}, *told()])
    tf.edit("c", "rent", content="The greenhouse has a new door.")
    assert not [note for note in every(tf) if note.turn_seq == 1]
    local.settle()
    assert [note.text for note in every(tf) if note.turn_seq == 1] == ["The greenhouse has a new door"]
    tf.rewind("c", after="notes-20")
    assert max(note.turn_seq for note in every(tf)) <= 21


def test_an_unknown_conversation_has_no_notes_and_one_that_is_not_folded_none_yet(
    tf: Turnfold, local: LocalWorker
) -> None:
    with pytest.raises(UnknownConversation, match="nobody"):
        tf.notes("nobody")
    tf.append("c", {"role": "user", "content": RENT})
    assert tf.notes("c") == []
    local.settle()
    assert tf.notes("c") == []
    tf.forget("c", timeout_seconds=0)
    with pytest.raises(UnknownConversation):
        tf.notes("c")


@pytest.mark.parametrize(
    ("option", "given", "told"),
    [
        ("states", ["open"], "use active, resolved"), ("states", 5, "a list of names"),
        ("origins", ["web"], "use user, "), ("speakers", 5, "a list of names"),
        ("speakers", [None], "a list of names"), ("limit", 0, "limit must be"),
        ("first_turn", 0, "first_turn must be"), ("last_turn", "7", "last_turn must be"),
        ("min_importance", -1, "min_importance must be"), ("min_importance", 101, "at most 100"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for_is_refused(tf: Turnfold, option: str, given: object, told: str) -> None:
    wanted: dict[str, Any] = {option: given}
    with pytest.raises(InvalidInput, match=told):
        tf.notes("c", **wanted)
