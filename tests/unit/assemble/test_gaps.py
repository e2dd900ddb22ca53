"""A line between raw turns of different days states how many days passed, and its tokens are counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from turnfold.assemble.forms.render_text import day_line, day_line_after
from turnfold_worker.offline import fold

START = datetime(2026, 5, 1, 9, tzinfo=UTC)


def at(days: int) -> datetime:
    return START + timedelta(days=days)


def test_days_between_two_turns_are_told() -> None:
    turns = [
        {"role": "user", "content": "We sold the van.", "created_at": at(0).isoformat()},
        {"role": "assistant", "content": "Noted.", "created_at": at(1).isoformat()},
        {"role": "user", "content": "And the boat.", "created_at": at(8).isoformat()},
    ]
    with fold(turns, conversation_id="c") as folded:
        text = folded.context(budget_tokens=500, query=False).text

    assert "[1 May 2026]\nuser: We sold the van." in text
    assert "[2 May 2026]\nassistant: Noted." in text
    assert "[9 May 2026, 7 days later]\nuser: And the boat." in text


@given(st.integers(0, 4_000), st.integers(0, 4_000))
def test_only_a_later_day_is_told_to_be_later(before: int, day: int) -> None:
    line = day_line_after(day_line(at(day)), day_line(at(before)))

    assert ("later" in line) == (day - before > 1)
    assert line.startswith(day_line(at(day))[:-2])
