"""Contexts and anchors as of a past day, folded in this process."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.contract.records import AnchorState
from turnfold.errors import InvalidInput
from turnfold_worker.offline import FoldedConversation, fold

_FIRST: Final = datetime(2026, 5, 1, 9, tzinfo=UTC)
_TALK: Final = (
    "The choir rehearsal needs more chairs than the hall has.",
    "We could borrow some from the school next door.",
    "My bicycle has a flat tyre again, it must be the glass on the bridge.",
    "A new inner tube is cheap and quickly fitted.",
    "The lemon cake came out dry, I blame the oven.",
    "Put a bowl of water beside it the next time.",
)


def day(number: int) -> datetime:
    return _FIRST + timedelta(days=number)


def folded(*said: str) -> FoldedConversation:
    """Fold a conversation of one turn per day."""
    return fold(
        {"role": "user" if at % 2 == 0 else "assistant", "content": text, "created_at": day(at).isoformat()}
        for at, text in enumerate(said)
    )


def long_talk() -> FoldedConversation:
    talk = [_TALK[at % len(_TALK)] for at in range(40)]
    return folded(
        "The budget for the offsite is 2,000 euros.", "Noted.", *talk, "The budget for the offsite is 3,500 euros.",
        "Noted.", *talk,
    )  # fmt: skip


def test_a_value_that_was_closed_later_holds_on_the_days_before() -> None:
    with long_talk() as conversation:
        then = conversation.context(budget_tokens=300, query="What is the budget for the offsite?", as_of=day(41))
        assert "2,000 euros" in then.text
        assert "3,500" not in then.text
        now = conversation.context(budget_tokens=300, query="What is the budget for the offsite?")
        assert "3,500 euros" in now.text
        assert "is 2,000 euros" not in now.text


def test_without_a_query_what_was_in_force_stands_in_the_notes_of_the_day() -> None:
    with long_talk() as conversation:
        assert "2,000 euros" in conversation.context(budget_tokens=300, query=False, as_of=day(41)).text
        after = conversation.context(budget_tokens=300, query=False, as_of=day(60)).text
        assert "3,500 euros (before: 2,000, until 12 June)" in after
        assert after.count("2,000") == 1


def test_anchors_have_the_states_and_the_days_of_then() -> None:
    with folded("We're using Kafka for the event bus.", "Fine.", "We're using RabbitMQ for the event bus.") as talk:
        [then] = talk.anchors(as_of=day(1))
        assert (then.text, then.state) == ("We're using Kafka for the event bus.", AnchorState.ACTIVE)
        assert (then.valid_from, then.valid_to) == (day(0).date(), None)
        kafka, rabbit = talk.anchors(states=None, as_of=day(2))
        assert (kafka.state, kafka.valid_to) == (AnchorState.SUPERSEDED, day(2).date())
        assert (rabbit.state, rabbit.valid_from) == (AnchorState.ACTIVE, day(2).date())


def test_a_statement_holds_from_the_day_that_it_names() -> None:
    with folded("We must use the new gate from 20 May 2026 on.", "OK.") as talk:
        days = [anchor.valid_from for anchor in talk.anchors(states=None)]
        assert days == [datetime(2026, 5, 20, tzinfo=UTC).date()]


def test_the_whole_day_counts() -> None:
    with folded("We're using Kafka for the event bus.", "Fine.") as talk:
        midnight = day(0).replace(hour=0)
        assert "Kafka" in talk.context(budget_tokens=300, as_of=midnight).text
        assert talk.anchors(as_of=midnight)


def test_a_day_before_the_first_turn_is_empty() -> None:
    with folded(*_TALK) as talk:
        made = talk.context(budget_tokens=300, as_of=day(-1))
        assert not made.text.strip()
        assert made.coverage is None
        assert talk.anchors(states=None, as_of=day(-1)) == []


def test_the_newest_user_turn_of_the_day_steers() -> None:
    with folded(*_TALK, *_TALK, "How do we mend the bicycle tyre?", "With a new inner tube.", *_TALK) as talk:
        then = talk.context(budget_tokens=260, as_of=day(12))
        assert "[more notes]" in then.text
        assert "mend the bicycle" in then.text
        assert "dry" not in then.text.partition("mend the bicycle")[2]


def test_a_day_without_a_time_zone_is_refused() -> None:
    with folded(*_TALK) as talk:
        naive = day(0).replace(tzinfo=None)
        with pytest.raises(InvalidInput, match="time zone"):
            talk.context(budget_tokens=300, as_of=naive)
        with pytest.raises(InvalidInput, match="time zone"):
            talk.anchors(as_of=naive)


def test_a_day_cannot_be_asked_for_together_with_markers() -> None:
    with folded(*_TALK) as talk, pytest.raises(InvalidInput, match="call Turnfold"):
        talk.context(budget_tokens=300, as_of=day(1), expand=["L0:turn-6"])


_TURNS: Final = st.lists(
    st.sampled_from((*_TALK, "The rent is 900 euros.", "The rent is 950 euros.", "Who pays the rent?", "ok")),
    min_size=1, max_size=24,
)  # fmt: skip


@examples(60)
@given(said=_TURNS, budget=st.sampled_from((120, 400)))
def test_a_day_after_all_turns_is_as_no_day(said: list[str], budget: int) -> None:
    with folded(*said) as talk:
        then = talk.context(budget_tokens=budget, as_of=day(len(said)))
        assert then.text == talk.context(budget_tokens=budget).text
        assert talk.anchors(states=None, as_of=day(len(said))) == talk.anchors(states=None)


@examples(60)
@given(said=_TURNS)
def test_later_days_only_add_turns(said: list[str]) -> None:
    with folded(*said) as talk:
        days = [day(number) for number in range(len(said))]
        made = [talk.context(budget_tokens=200, as_of=one) for one in days]
        assert max(context.tokens for context in made) <= 200
        assert [context.coverage and context.coverage.last_seq for context in made] == list(range(1, len(said) + 1))
        newest = [max((one.turn_seq for one in talk.anchors(states=None, as_of=then)), default=0) for then in days]
        assert newest == sorted(newest)
        assert all(seq <= number for number, seq in enumerate(newest, 1))


@examples(60)
@given(said=_TURNS, number=st.integers(0, 23))
def test_the_turns_of_a_day_are_those_of_a_conversation_that_ended_then(said: list[str], number: int) -> None:
    with folded(*said) as talk, folded(*said[: number + 1]) as ended:
        then = {anchor.text for anchor in talk.anchors(as_of=day(number))}
        assert then == {anchor.text for anchor in ended.anchors()}


@pytest.mark.parametrize("edge", [datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC)])
@pytest.mark.parametrize("hours", [-23, -1, 0, 1, 23])
def test_the_edges_of_the_calendar_are_days_too(edge: datetime, hours: int) -> None:
    as_of = edge.replace(tzinfo=timezone(timedelta(hours=hours)))
    with folded("We use Kafka as our queue, that is decided.") as talk:
        told = "Kafka" in talk.context(budget_tokens=300, as_of=as_of).text
        assert told == bool(talk.anchors(as_of=as_of)) == (edge.year > 1)
