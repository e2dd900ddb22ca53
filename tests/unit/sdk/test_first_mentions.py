"""A timeline selects first mentions, from all parts of a conversation."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.notes import Note
from turnfold.contract.passages import number_of
from turnfold.contract.records import AnchorState
from turnfold.search.first_mentions import first_mentions, spread
from turnfold.tools.timelines import timeline_line
from turnfold_worker.offline import fold


def test_each_stretch_of_a_conversation_has_its_best_answers() -> None:
    early = {number_of(seq, 0): 1_000 - seq for seq in range(1, 40)}
    late = {number_of(seq, 0): 90 for seq in range(900, 905)}

    ranked = spread({**early, **late}, last_seq=1_000)

    best = sorted(ranked, key=ranked.__getitem__, reverse=True)[:40]
    assert set(late) & set(best)


numbers = st.integers(1, 500).map(lambda seq: number_of(seq, 0))


@given(st.dictionaries(numbers, st.integers(1, 9_999), min_size=1))
def test_scores_keep_their_order_within_a_stretch_and_nothing_is_lost(scores: dict[int, int]) -> None:
    ranked = spread(scores, last_seq=20)

    assert ranked.keys() == scores.keys()
    assert all(ranked[number] >= scores[number] for number in scores)
    assert max(ranked.values()) == max(scores.values())


def said(seq: int, text: str) -> Note:
    return Note(seq, 0, "Ana", "user", "", text, 5)


def test_the_first_mention_stands_for_later_ones() -> None:
    first, other, again = said(2, "The rent is 900 euros"), said(5, "The boat leaks"), said(9, "Rent: 900 euros")

    assert first_mentions([other, again], [again, other, first]) == [other, first]


words = st.lists(st.sampled_from(["rent", "boat", "roof", "garden", "cat", "euros"]), min_size=1, max_size=4)
talk = st.lists(words, min_size=1, max_size=12).map(
    lambda found: [said(seq, " ".join(text)) for seq, text in enumerate(found, 1)]
)


@given(talk, st.data())
def test_first_mentions_are_candidates_and_none_twice(candidates: list[Note], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(candidates), unique=True))

    firsts = first_mentions(chosen, candidates)

    assert len(firsts) == len(set(firsts))
    assert set(firsts) <= set(candidates)
    assert all(first <= note for first, note in zip(firsts, chosen, strict=False) if len(firsts) == len(chosen))
    assert len(firsts) <= len(chosen)
    assert bool(firsts) == bool(chosen)


def test_a_first_mention_that_holds_no_longer_stands_with_its_day_and_says_so() -> None:
    talk = [
        "The budget for the offsite is 2,000 euros.",
        "We want vegetarian food on Friday.",
        "The budget for the offsite is 3,500 euros.",
        "Who brings the tents?",
    ]
    days = (f"2026-05-0{day}T09:00:00+00:00" for day in range(1, 9))
    turns = [{"role": "user", "content": text, "created_at": day} for text, day in zip(talk, days, strict=False)]
    for told in (turns[:3], turns):
        with fold(told) as folded:
            first, second = folded.timeline("budget for the offsite")

        assert (first.day, first.state, first.turn_seq) == ("1 May 2026", AnchorState.SUPERSEDED, 1)
        assert "2,000" in first.text
        assert (second.day, second.state, second.turn_seq) == ("3 May 2026", AnchorState.ACTIVE, 3)
        assert ", no longer holds " in timeline_line(first)
        assert "no longer" not in timeline_line(second)


def test_without_a_query_a_timeline_has_what_holds_no_longer_too() -> None:
    talk = [
        "The budget for the offsite is 2,000 euros.",
        "We want vegetarian food on Friday.",
        "We own a camper van.",
        "The budget for the offsite is 3,500 euros.",
        "We sold the camper van.",
        "Who brings the tents?",
    ]
    turns = [
        {"role": "user", "content": text, "created_at": f"2026-05-0{day}T09:00:00+00:00"}
        for day, text in enumerate(talk, 1)
    ]
    with fold(turns) as folded:
        entries = folded.timeline()
        few = folded.timeline(limit=4)

    states = {entry.turn_seq: entry.state for entry in entries}
    assert (states[1], states[3]) == (AnchorState.SUPERSEDED, AnchorState.SUPERSEDED)
    assert states[2] is states[4] is AnchorState.ACTIVE
    assert [entry.turn_seq for entry in entries] == sorted(states)
    assert [entry.state for entry in few].count(AnchorState.SUPERSEDED) == 1
