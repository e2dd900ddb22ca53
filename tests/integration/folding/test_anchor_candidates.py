"""Words in a later segment reach the anchors of earlier ones through the store."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from conftest import LocalWorker
from turnfold import Anchor, Turnfold
from turnfold_worker.offline import fold

SEGMENT = 4
"""Turns of each segment."""


def folded(*segments: Sequence[dict[str, str]]) -> dict[str, Anchor]:
    """Return the anchors of segments of at most four turns each, by their text."""
    turns: list[dict[str, str]] = []
    for number, segment in enumerate([*segments, []]):
        filler = [{"role": "user", "content": f"Nothing of note, part {number}-{part}."} for part in range(SEGMENT)]
        turns += [*segment, *filler[len(segment) :]]
    with fold(turns, settings={"segment_max_turns": SEGMENT}) as result:
        return {anchor.text: anchor for anchor in result.anchors(states=None)}


def user(content: str) -> dict[str, str]:
    return {"role": "user", "content": content}


def assistant(content: str) -> dict[str, str]:
    return {"role": "assistant", "content": content}


def about_services(segments: int) -> list[list[dict[str, str]]]:
    """Return segments with an anchor in each turn, more than the newest anchors, which are always candidates."""
    return [
        [user(f"The gateway of service {name}-{part} listens on port {4000 + 10 * part + at}.") for at, name in names]
        for part in range(segments)
        for names in [list(enumerate(("ledger", "search", "billing", "mail")))]
    ]


def test_an_assistant_with_a_name_lifts_nothing_of_an_earlier_segment() -> None:
    rule, permission = "Never deploy on Fridays.", "You may deploy on Fridays now."
    robin = {"role": "assistant", "name": "Robin", "content": permission}
    assert folded([user(rule)], [robin])[rule].state == "active"
    assert folded([user(rule)], [user(permission)])[rule].state == "superseded"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Keep it short.", "Long answers are fine now."),
        ("Always answer in German.", "From now on answer in French."),
        ("Never use tabs.", "You may use tabs again."),
    ],
)
def test_a_rule_in_common_words_is_reached_however_much_was_said_since(earlier: str, later: str) -> None:
    found = folded([user(earlier)], *about_services(10), [user(later)])
    assert len(found) > 40
    assert (found[earlier].state, found[earlier].related) == ("superseded", found[later].id)
    assert found[later].replaces == found[earlier].id


def test_what_is_said_again_and_again_stays_one_anchor_however_much_was_said_between() -> None:
    decision, times = "We decided to keep PostgreSQL for the invoices.", 6
    talk = [segment for _ in range(times) for segment in ([user(decision)], *about_services(9))]
    turns = [turn for segment in talk for turn in [*segment, *[user("Nothing of note.")] * (SEGMENT - len(segment))]]
    with fold(turns, settings={"segment_max_turns": SEGMENT}) as result:
        said = [anchor for anchor in result.anchors(states=None) if anchor.text == decision]
    assert len(said) == times
    assert [anchor.state for anchor in said].count("active") == 1


def test_what_repeated_words_that_are_gone_is_itself_repeated_later(tf: Turnfold, local: LocalWorker) -> None:
    decision = "We decided to keep PostgreSQL for the invoices."

    def say(*segments: Sequence[dict[str, str]]) -> None:
        for segment in segments:
            tf.append("c", [*segment, *[user("Nothing of note.")] * (SEGMENT - len(segment))])
        local.settle()

    def states() -> list[str]:
        return [str(anchor.state) for anchor in tf.anchors("c", states=None) if anchor.text == decision]

    tf.configure("c", settings={"segment_max_turns": SEGMENT})
    say([{**user(decision), "turn_id": "first"}], [user(decision)], [])
    assert states() == ["active", "duplicate"]
    tf.edit("c", "first", content="Nothing was decided yet.")
    local.settle()
    assert states() == ["active"]
    say(*about_services(9), [user(decision)], [])
    assert states() == ["active", "duplicate"]


@pytest.mark.parametrize(
    ("asked", "report"),
    [
        ("Can you send the draft to Ana?", "Sent."),
        ("Please restart worker-3.", "Restarted it."),
        ("Can you book the hotel in Lyon?", "Hotel's booked!"),
    ],
)
def test_a_request_is_settled_by_the_first_few_words_of_the_next_segment(asked: str, report: str) -> None:
    between = [assistant("Sure, one moment."), user("Take your time."), assistant("Thanks.")]
    found = folded([user(asked), *between], [assistant(report), user("Thank you.")])
    assert (found[asked].state, found[asked].related) == ("resolved", found[report].id)
    assert found[report].state == "resolved"
    assert report not in folded([user("Hello."), *between], [assistant(report), user("Thank you.")])


def test_few_words_far_from_the_request_settle_nothing() -> None:
    asked = "Can you send the draft to Ana?"
    found = folded([user(asked)], *about_services(3), [assistant("Sent.")])
    assert found[asked].state == "active"
