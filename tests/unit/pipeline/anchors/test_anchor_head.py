"""The head adds commitments to the rules' and doubts promises next to assigned work, in talk of three or more."""

from __future__ import annotations

from base64 import b85encode
from dataclasses import replace
from math import inf

import pytest
from hypothesis import HealthCheck, assume, given

from support.examples import examples
from support.wild_turns import said, wild_turns
from turnfold.contract.records import Importance, Role, StoredTurn
from turnfold_worker.pipeline.anchors.dialogue_acts.turn_acts import BARE_VALUE
from turnfold_worker.pipeline.anchors.extraction import extract_anchors, segment_acts
from turnfold_worker.pipeline.anchors.heads import head as anchor_head
from turnfold_worker.pipeline.anchors.heads.evidence import CUES, WORD, evidence_of
from turnfold_worker.pipeline.anchors.heads.head import (
    BY_ITSELF,
    HEAD,
    MANY,
    NEAR,
    RUN,
    WINDOWS,
    Head,
    head,
    head_from,
    in_a_group,
    in_runs,
    scores_of,
    with_head,
)
from turnfold_worker.pipeline.anchors.rules import statement_rules
from turnfold_worker.pipeline.anchors.rules.rule import ENOUGH, PERHAPS, Act, Found
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import Reading, read_turn


def segment(*turns: tuple[str, str]) -> list[Reading]:
    """Read turns, each given as a speaker and a text."""
    return [
        read_turn(
            StoredTurn(
                seq=seq, turn_id=str(seq), role=Role.ASSISTANT if speaker == "assistant" else Role.USER,
                name=None if speaker in {"user", "assistant"} else speaker, content=text, tokens=9,
            )
        )
        for seq, (speaker, text) in enumerate(turns, start=1)
    ]  # fmt: skip


def added(readings: list[Reading]) -> list[tuple[int, str]]:
    """Return the commitments that the head adds to those of the rules: turn, words."""
    done = with_head(readings, segment_acts(readings))
    assert all(one.act is Act.COMMITMENT for found in done for one in found if one.rule == HEAD)
    return [
        (reading.turn.seq, reading.text(one.span))
        for reading, found in zip(readings, done, strict=True)
        for one in found
        if one.rule == HEAD
    ]


def packed_of(*weights: int) -> str:
    """Encode weights as they are stored."""
    return b85encode(bytes(weights)).decode()


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a head that finds a commitment wherever it may judge."""
    monkeypatch.setattr(anchor_head, "head", lambda: Head(9.0, {}))


@given(wild_turns(most=8))
@examples(60)
def test_the_head_adds_what_is_said_in_the_turn_and_loses_nothing(turns: list[StoredTurn]) -> None:
    readings = [read_turn(turn) for turn in turns]
    rules = segment_acts(readings)
    done = with_head(readings, rules)
    assert done == with_head(readings, rules)
    for reading, before, after in zip(readings, rules, done, strict=True):
        doubted = [
            replace(one, points=min(one.points, PERHAPS)) if one.act is Act.COMMITMENT else one for one in before
        ]
        by_rule = [one for one in after if one.rule != HEAD]
        sure = {one.act for one in before if one.points >= ENOUGH}
        assert [one for one in by_rule if one.act in sure] in (
            [one for one in before if one.act in sure], [one for one in doubted if one.act in sure]
        )  # fmt: skip
        for one in after:
            if one.rule == HEAD:
                assert ENOUGH <= one.points <= 100
                assert 0 <= one.span.start < one.span.end <= len(reading.turn.content)
                assert not any(other.act is one.act and other.points >= ENOUGH for other in before)


@given(wild_turns(most=8))
@examples(40, suppress_health_check=[HealthCheck.filter_too_much])
def test_two_people_hear_no_head(turns: list[StoredTurn]) -> None:
    readings = [read_turn(turn) for turn in turns if turn.name in {None, turns[0].name}]
    rules = segment_acts(readings)
    assume(len({reading.speaker for reading in readings if not reading.tool}) == 2)
    assert with_head(readings, rules) == rules


def test_work_given_out_at_the_end_of_a_meeting_is_found() -> None:
    readings = segment(
        ("Ana", "Okay, that was it for today."), ("Omar", "Yeah."),
        ("Ana", "So until the next meeting we have thirty minutes."),
        ("Ana", "The industrial designer will look at the working design,"), ("Omar", "Okay."),
        ("Ana", "and you, Li, at the user interface."), ("Li", "Mm-hmm."),
        ("Ana", "You will get specific instructions by e-mail."), ("Li", "Good, thank you."),
    )  # fmt: skip
    assert {turn for turn, _ in added(readings)} >= {4, 8}


def test_the_same_words_between_two_are_not_judged() -> None:
    readings = segment(
        ("Ana", "The industrial designer will look at the working design,"), ("Omar", "Okay, fine then.")
    )
    assert added(readings) == []


GIVEN_OUT = (
    ("Ana", "So until the next meeting we have thirty minutes."),
    ("Ana", "The industrial designer will look at the working design,"), ("Omar", "Okay."),
    ("Ana", "and you, Li, will be working on the user interface."), ("Li", "Mm-hmm."),
    ("Ana", "And you will prepare the questionnaire for the next meeting."),
    ("Ana", "You two will be working together on the next design."),
    ("Ana", "You will get specific instructions by e-mail."), ("Li", "Good, thank you."),
)  # fmt: skip
BEFORE = (
    ("Omar", "I think the blue case looked nice on the screen."), ("Li", "Yeah, but it was not so cheap."),
    ("Omar", "People liked the red one more than the blue one, I guess."), ("Ana", "Hmm, why is that?"),
) * 5  # fmt: skip
PROMISE = ("Omar", "I'll put the other slides into that folder.")


def points_of_promises(readings: list[Reading]) -> list[int]:
    """Return the final points of the promises that the rules found."""
    done = with_head(readings, segment_acts(readings))
    return [one.points for found in done for one in found if one.act is Act.COMMITMENT and one.rule != HEAD]


def test_beside_work_given_out_a_promise_in_passing_is_in_doubt() -> None:
    (alone,) = points_of_promises(segment(PROMISE, ("Ana", "Right."), ("Li", "So it is blue.")))
    assert alone >= ENOUGH
    readings = segment(PROMISE, *BEFORE, *GIVEN_OUT)
    assert points_of_promises(readings)[:1] == [PERHAPS]
    assert points_of_promises(segment(PROMISE, *BEFORE)) == [alone]
    kept = {draft.turn_seq for draft in extract_anchors(readings, FoldSettings())}
    assert 1 not in kept
    assert len(kept) >= MANY


def test_a_promise_in_doubt_is_kept_by_what_it_names_and_by_its_mark() -> None:
    naming = segment(("Omar", "I'll send the slides to Maria Lopez by Friday 9:30."), *BEFORE, *GIVEN_OUT)
    assert points_of_promises(naming)[:1] == [PERHAPS]
    assert 1 in {draft.turn_seq for draft in extract_anchors(naming, FoldSettings())}
    readings = segment(PROMISE, *BEFORE, *GIVEN_OUT)
    marked = read_turn(replace(readings[0].turn, importance=Importance.HIGH))
    assert 1 in {draft.turn_seq for draft in extract_anchors([marked, *readings[1:]], FoldSettings())}


def test_a_run_has_enough_turns_near_each_other() -> None:
    assert in_runs([]) == in_runs([4, 5]) == in_runs([0, NEAR, 2 * NEAR + 1]) == frozenset()
    assert in_runs([4, 5, 6]) == {4, 5, 6}
    assert in_runs([0, NEAR, 2 * NEAR, 99 * NEAR]) == {NEAR}


@pytest.mark.parametrize(("score", "turns", "found"), [
    (BY_ITSELF, 1, 0), (BY_ITSELF + 0.1, 1, 1), (0.1, RUN - 1, 0), (0.1, RUN, RUN), (0.0, RUN, 0),
])  # fmt: skip
def test_a_turn_by_itself_must_be_surer(monkeypatch: pytest.MonkeyPatch, score: float, turns: int, found: int) -> None:
    monkeypatch.setattr(anchor_head, "head", lambda: Head(score - 9, {"turn": {"act fact": 0.0, "word blue": 9.0}}))
    others = [("Ana", "So it goes."), ("Omar", "That is right."), ("Li", "It will be fine.")]
    readings = segment(*others, *[("Ana", "The case is blue.")] * turns)
    assert len(added(readings)) == found


@given(wild_turns(most=8))
@examples(40)
def test_evidence_lies_between_nothing_and_one(turns: list[StoredTurn]) -> None:
    readings = [read_turn(turn) for turn in turns]
    evidence = evidence_of(readings, segment_acts(readings))
    assert len(evidence) == len(turns)
    for about in evidence:
        assert all(0 <= much <= 1 for much in about.values())


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    ("turns", "judged"),
    [
        ([("Ana", "So."), ("Omar", "The case is blue."), ("Li", "Fine.")], True),
        ([("Ana", "So."), ("Omar", "The case."), ("Li", "Fine.")], False),
        ([("Ana", "So."), ("Omar", "The case is blue.")], False),
        ([("Ana", "The case is blue.")], False),
        ([("user", "The case is blue."), ("assistant", "Fine.")], False),
    ],
)
def test_the_head_judges_only_talk_such_as_it_was_trained_on(turns: list[tuple[str, str]], judged: bool) -> None:
    assert bool(added(segment(*turns))) is judged


@pytest.mark.usefixtures("eager")
def test_what_is_added_is_the_clause_that_comes_nearest() -> None:
    remark = "A long remark about nothing in particular here. Room 418 at 9:30."
    readings = segment(("Ana", remark), ("Omar", "So."), ("Li", "Fine."))
    assert added(readings) == [(1, "Room 418 at 9:30.")]
    weak = Found(Act.COMMITMENT, ENOUGH - 5, readings[0].sentences[0], "some rule")
    done, *_ = with_head(readings, [[weak], [], []])
    assert [(one.rule, one.span) for one in done] == [(HEAD, weak.span)]


def test_a_score_is_a_weighted_sum_over_a_turn_and_the_means_of_its_neighbours() -> None:
    stored = head_from(
        {
            "bias": 1.0,
            "names": "a|b",
            "evidence": {"turn": (0.5, packed_of(4, 0)), "three before": (2.0, packed_of(0, 3))},
        },
    )
    evidence = [{"a": 1.0, "b": 0.5}, {"b": 1.0}, {}]
    assert scores_of(stored, evidence) == pytest.approx([1 + 2, 1 + 3, 1 + 4.5])


def test_windows_lie_beside_the_turn_or_are_the_turn() -> None:
    assert WINDOWS
    for first, last in WINDOWS.values():
        assert first <= last
        assert (first == last == 0) or last < 0 or first > 0


def test_the_shipped_weights_speak_of_evidence_that_there_is() -> None:
    rules = {f"rule {rule.name}" for rule in statement_rules.RULES}
    rules |= {
        f"rule {name}" for name in ("done", "question mark", "question words", "answer", "exact", "mended", BARE_VALUE)
    }
    rules |= {f"rule {name}" for name in ("yes to a proposal", "no to a proposal", "yes to a request")}
    rules |= {f"rule {name}" for name in ("no to a request", "goes along with a request")}
    known = rules | {f"cue {name}" for name in CUES} | {f"act {act}" for act in Act}
    known |= {"share", "goes on", "went on", "words", "3 words", "6 words", "12 words"}
    assert -inf < head().bias < inf
    assert head().evidence.keys() <= WINDOWS.keys()
    names = {name for weights in head().evidence.values() for name in weights}
    assert {name for name in names if not name.startswith(WORD)} <= known


def test_a_tool_is_not_judged() -> None:
    tool = read_turn(said("exit 0", role=Role.TOOL))
    assert not any(in_a_group([tool]))
