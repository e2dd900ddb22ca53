"""A timeline lists topics in the order of their occurrence, each entry with its days and a marker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from conftest import Filling, LocalWorker
from turnfold import Turnfold
from turnfold.contract.records import AnchorState
from turnfold.errors import InvalidInput, UnknownConversation
from turnfold.tools.timelines import timeline_line

pytestmark = pytest.mark.daily_on("sqlite")

MENTIONS = {
    3: "The rent of the flat is 900 euros a month.",
    9: "I paid the rent yesterday.",
    17: "The rent will rise to 940 euros in June.",
}
FILLER = "Line {}: the lamp of room {} was counted again by Mara, who keeps the list of all lamps of the house."


def turn_of(day: int, words: str) -> dict[str, str]:
    return {"role": "user", "content": words, "created_at": f"2026-03-{day:02}T09:00:00Z"}


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds a conversation of twenty days, three of which mention the rent."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        for day in range(1, 21):
            turns = [FILLER.format(20 * day + i, 20 * day + i) for i in range(12)]
            if day in MENTIONS:
                turns.insert(7, MENTIONS[day])
            tf.append("c", [turn_of(day, words) for words in turns])
        make_worker().settle()

    return fill


@pytest.fixture
def folded(tf: Turnfold) -> Turnfold:
    """A client whose conversation "c" is folded."""
    return tf


def test_a_timeline_has_the_first_mentions_in_order_with_their_days(folded: Turnfold) -> None:
    first, paid, rises = folded.timeline("c", "rent")

    assert (first.text, first.day, first.day_meant) == (MENTIONS[3].rstrip("."), "3 March 2026", None)
    assert (paid.day, paid.day_meant, paid.meant_from) == ("9 March 2026", "8 March 2026", date(2026, 3, 8))
    assert (rises.meant_from, rises.is_plan, rises.speaker) == (date(2026, 6, 1), True, "user")
    for entry, said in zip((first, paid, rises), MENTIONS.values(), strict=True):
        assert said in folded.expand("c", entry.marker).text


@pytest.mark.parametrize("later", [0, 20], ids=["open tail", "folded"])
def test_what_is_reported_as_done_is_no_plan_in_a_timeline(folded: Turnfold, local: LocalWorker, later: int) -> None:
    plan, report = "I will send the lease to Bo tomorrow.", "I've sent the lease to Bo."
    said = [(21, plan), *[(21, FILLER.format(i, i)) for i in range(500, 520)]]
    folded.append("c", [turn_of(day, words) for day, words in said])
    local.settle()
    (planned,) = folded.timeline("c", "lease Bo")
    assert (planned.text, planned.is_plan) == ("I will send the lease to Bo on 22 March 2026", True)

    said = [(23, report), *[(23, FILLER.format(i, i)) for i in range(600, 600 + later)]]
    folded.append("c", [turn_of(day, words) for day, words in said])
    local.settle()
    done, sent = folded.timeline("c", "lease Bo")
    assert done == replace(planned, is_plan=False, state=AnchorState.RESOLVED)
    assert (sent.state, sent.is_plan) == (AnchorState.ACTIVE, False)
    assert "22 March 2026, done " in timeline_line(done)


def test_a_timeline_of_nothing_has_what_tells_most(folded: Turnfold) -> None:
    entries = folded.timeline("c", limit=10)

    seqs = [entry.turn_seq for entry in entries]
    assert seqs == sorted(set(seqs))
    assert 0 < len(entries) <= 10
    assert set(MENTIONS) & {int(entry.day.split()[0]) for entry in entries}


def test_pages_of_a_timeline_hold_every_entry_once_in_order(folded: Turnfold) -> None:
    whole = folded.timeline("c", after=0, limit=200)
    pages, after = [], 0
    while page := folded.timeline("c", after=after, limit=7):
        pages.append(page)
        after = page[-1].turn_seq
    entries = [entry for page in pages for entry in page]
    assert len(pages) > 3
    assert [len(page) for page in pages[:-1]] == [7] * (len(pages) - 1)
    assert entries[: len(whole)] == whole
    assert [entry.turn_seq for entry in entries] == sorted({entry.turn_seq for entry in entries})
    assert len(entries) > len(folded.timeline("c"))


def test_pages_of_a_timeline_with_a_query_go_on_where_the_last_ended(folded: Turnfold) -> None:
    whole = folded.timeline("c", "rent", after=0)
    first = folded.timeline("c", "rent", after=0, limit=2)
    rest = folded.timeline("c", "rent", after=first[-1].turn_seq)
    assert [*first, *rest] == whole
    assert {entry.text for entry in folded.timeline("c", "rent")} <= {entry.text for entry in whole}
    assert folded.timeline("c", "rent", after=whole[-1].turn_seq) == []


def test_each_entry_has_the_id_of_its_turn(folded: Turnfold) -> None:
    entries = folded.timeline("c", "rent", limit=3)
    turns = {turn.seq: turn.turn_id for turn in folded.turns("c", limit=1_000)}
    assert entries
    assert [entry.turn_id for entry in entries] == [turns[entry.turn_seq] for entry in entries]


def test_a_time_in_the_query_chooses(folded: Turnfold) -> None:
    (first, *_) = folded.timeline("c", "rent last week", limit=1, now=datetime(2026, 3, 16, tzinfo=UTC))

    assert first.day == "9 March 2026"


def test_what_is_deleted_came_never_up(folded: Turnfold) -> None:
    paid = folded.timeline("c", "rent")[1]
    turn = folded.expand("c", paid.marker).turns[0]
    folded.delete("c", turn.turn_id)

    assert [entry.day for entry in folded.timeline("c", "rent")] == ["3 March 2026", "17 March 2026"]


def test_what_makes_no_timeline_is_refused(folded: Turnfold) -> None:
    with pytest.raises(InvalidInput, match="query must be non-empty text"):
        folded.timeline("c", " ")
    with pytest.raises(InvalidInput, match="at most 200"):
        folded.timeline("c", "rent", limit=201)
    with pytest.raises(InvalidInput, match="after"):
        folded.timeline("c", "rent", after=-1)
    with pytest.raises(UnknownConversation):
        folded.timeline("nobody")
