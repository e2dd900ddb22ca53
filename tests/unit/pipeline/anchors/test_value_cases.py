"""Later values close earlier ones: labelled cases, written before the rules, half of them held out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from turnfold.contract.records import Anchor, AnchorState, AnchorType
from turnfold.contract.results import Note
from turnfold_worker.offline import FoldedConversation, fold

_FIRST: Final = datetime(2026, 5, 1, 9, tzinfo=UTC)
_GONE: Final = frozenset({AnchorState.SUPERSEDED, AnchorState.RESOLVED})
_MOST_WRONG: Final = 0.02
"""Largest share of the values still in force that may be closed wrongly."""
_LEAST_RIGHT: Final = {
    "value_cases": 0.97, "value_cases_held_out": 0.86, "change_cases": 0.95, "change_cases_held_out": 0.95,
    "told_cases_held_out": 0.97, "told_cases_second": 0.95,
    "validity_cases": 0.98, "validity_cases_held_out": 0.98, "register_cases": 0.86,
    "otherwise_cases": 0.9, "otherwise_cases_held_out": 0.95, "said_now_cases": 0.96, "said_now_cases_held_out": 0.8,
    "said_now_cases_second": 0.86, "settled_cases": 0.89, "settled_cases_held_out": 0.87,
}  # fmt: skip
"""Measured shares: lower bounds that may only rise."""


def cases_of(name: str) -> list[dict[str, Any]]:
    lines = Path(__file__).with_name(f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def folded(case: dict[str, Any]) -> FoldedConversation:
    apart = timedelta(**{case.get("apart", "days"): 1})
    return fold({"created_at": (_FIRST + at * apart).isoformat(), **turn} for at, turn in enumerate(case["turns"]))


class Kept(NamedTuple):
    """All anchors and notes of a conversation, whatever their states."""

    anchors: list[Anchor]
    notes: list[Note]


def is_gone(kept: Kept, value: dict[str, Any]) -> bool:
    """Return whether all anchors and notes that state a turn's value are closed."""
    states = [statement.state for statement in (*kept.anchors, *kept.notes) if is_about(statement, value)]
    return bool(states) and all(state in _GONE for state in states)


def faults(case: dict[str, Any]) -> Iterator[str]:
    with folded(case) as conversation:
        kept = Kept(conversation.anchors(states=None), conversation.notes(states=None))
        for kind, must_be_gone in (("closed", True), ("answered", True), ("stands", False), ("open", False)):
            yield from (kind for value in case[kind] if is_gone(kept, value) is not must_be_gone)
        yield from ("times" for labelled in case.get("times", ()) if not is_dated(kept, labelled))
        yield from ("by" for value in case["answered"] if "by" in value and closing_turn(kept, value) != value["by"])
        for kind, is_one in (("question", True), ("no_question", False)):
            yield from (kind for value in case.get(kind, ()) if is_open_question(conversation, value) is not is_one)


def closing_turn(kept: Kept, value: dict[str, Any]) -> int | None:
    """Return the turn that settled a labelled question, according to the question's anchor."""
    turn_of = {anchor.id: anchor.turn_seq for anchor in kept.anchors}
    return next((turn_of.get(anchor.related or 0) for anchor in kept.anchors if is_about(anchor, value)), None)


def is_open_question(conversation: FoldedConversation, value: dict[str, Any]) -> bool:
    questions = conversation.anchors(types={AnchorType.UNRESOLVED_QUESTION})
    return any(is_about(question, value) for question in questions)


def is_about(statement: Anchor | Note, value: dict[str, Any]) -> bool:
    return statement.turn_seq == value["seq"] and value["words"].lower() in statement.text.lower()


def is_dated(kept: Kept, labelled: dict[str, Any]) -> bool:
    """Return whether a note of a turn has the labelled days, precision and plan."""
    expected = tuple(labelled[key] for key in ("first", "last", "precision", "plan"))
    return any(
        (*(day and day.isoformat() for day in (note.meant_from, note.meant_to)), note.precision, note.is_plan)
        == expected
        for note in kept.notes
        if is_about(note, labelled)
    )


@pytest.mark.parametrize("name", _LEAST_RIGHT)
def test_values_are_closed_by_those_that_take_their_place_and_by_no_other(name: str) -> None:
    cases = cases_of(name)
    found = [list(faults(case)) for case in cases]
    standing = sum(len(case["stands"]) + len(case["open"]) for case in cases)
    wrong = sum(fault in {"stands", "open"} for of_case in found for fault in of_case)
    right = sum(not of_case for of_case in found) / len(cases)
    assert right >= _LEAST_RIGHT[name], (right, [case["turns"] for case, of in zip(cases, found, strict=True) if of])
    assert wrong <= _MOST_WRONG * standing
