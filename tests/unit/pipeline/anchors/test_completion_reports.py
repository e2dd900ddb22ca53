"""A promise is resolved only by a report of the promised deed itself that is told as news."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.settled_talk import merged, states
from support.wild_turns import said, talk
from turnfold.contract.records import AnchorState
from turnfold_worker.pipeline.anchors.statements.completion_reports import does, does_it

HOTEL = "I'll book the hotel in Lyon."


@pytest.mark.parametrize(
    ("promise", "report"),
    [
        (HOTEL, "The hotel is booked."),
        (HOTEL, "Hotel's booked!"),
        (HOTEL, "I've reserved the hotel, it has a garden."),
        (HOTEL, "The booking of the hotel is done."),
        ("I'll book a table for four.", "Table booked for 7 pm."),
        ("I'll send the signed contract to the notary.", "I've sent the contract this morning."),
        ("Can you send me the invoice?", "I've emailed the invoice to you."),
        ("I'll fix the login bug tomorrow.", "The fix for the login bug is merged."),
        ("Please write the release notes.", "The release notes are finished."),
        ("I'll pick up the kids at 4.", "Kids are picked up."),
    ],
)
def test_a_report_of_the_deed_settles_the_promise(promise: str, report: str) -> None:
    assert does(report, promise)
    assert states(merged(talk(f"user: {promise}", "assistant: Fine.", f"user: {report}")))[0] is AnchorState.RESOLVED


@pytest.mark.parametrize(
    ("promise", "report"),
    [
        (HOTEL, "The hotel is booked out."),
        (HOTEL, "The hotel is fully booked until June."),
        (HOTEL, "Booking is usually done by the client."),
        (HOTEL, "Hotels are booked through the portal."),
        (HOTEL, "I booked the flight to Lyon."),
        (HOTEL, "I thought I booked the hotel, but I was wrong."),
        ("I'll send the contract.", "Last year I sent the contract late."),
        ("I'll send the contract.", "The contract was sent back."),
        ("I'll send the contract.", "We always sent the contract by mail."),
        ("I'll send the signed contract to the notary.", "I've sent the unsigned contract to Ben."),
        ("I'll send the slides to Ana.", "The slides are ready."),
        ("I'll review the pull request for the parser.", "The parser is deployed."),
        ("I'll fix the login bug.", "The login page is deployed, the bug is still there."),
        ("I'll pay the rent on Friday.", "Rent is paid by the tenant."),
        ("I'll call the dentist tomorrow.", "The dentist called."),
        ("I'll update the docs.", "The docs were last updated in 2021."),
    ],
)
def test_what_tells_of_something_else_settles_nothing(promise: str, report: str) -> None:
    assert not does(report, promise)
    together = merged(talk(f"user: {promise}", "assistant: Fine.", f"user: {report}"))
    assert states(together)[0] is AnchorState.ACTIVE
    earlier = merged(talk(f"user: {promise}")).new
    assert all(one.state is not AnchorState.RESOLVED for one in merged([said(report, seq=9)], earlier).changed)


def test_a_report_without_a_thing_is_about_the_last_such_promise() -> None:
    talked = talk("user: I'll send the draft to Ana.", "user: I'll send the invoice to Ben.", "user: Sent it just now.")
    assert states(merged(talked)) == [AnchorState.ACTIVE, AnchorState.RESOLVED]
    talked = talk(f"user: {HOTEL}", "assistant: Great.", "user: Booked it.")
    assert states(merged(talked)) == [AnchorState.RESOLVED]
    assert does_it("I checked, and they show a timeout.", "I'll check the logs tonight.")
    assert not does_it("I booked a table.", HOTEL)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_are_compared_without_an_error(report: str, promise: str) -> None:
    for compared in (does, does_it):
        assert compared(report, f"I'll {promise}") in {True, False}


def test_a_report_in_the_next_segment_is_about_the_last_promise_of_any_segment() -> None:
    earlier = merged(talk("user: I'll send the draft to Ana.")).new
    later = talk("user: Can you send the invoice?", "assistant: Sent.")
    found = merged([replace(turn, seq=turn.seq + 1) for turn in later], earlier)
    assert (states(found), found.changed) == ([AnchorState.RESOLVED], ())
    found = merged([said("I never sent it.", seq=2)], earlier)
    assert (found.new, found.changed) == ((), ())
