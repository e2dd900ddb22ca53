"""Notes on segments, shown with those on their chapter, state only what the chapter's notes do not."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.notes import FIRST_OF_CHAPTER, Covered
from turnfold.contract.records import Origin
from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.refinement.notes import ModelNote
from turnfold_worker.pipeline.refinement.outline_notes import in_place_of, on_chapters
from turnfold_worker.pipeline.refinement.untold import BETWEEN_ITEMS, untold

CHAPTER = "ran charity race for hospice 20 May; sailing trip 8 July: seals, mast broke; dog Luna"
WORDS = st.sampled_from(
    ["race", "hospice", "charity", "seals", "mast", "Luna", "Bergen", "quay", "20", "8", "May", "oats"]
)
ITEMS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
BRIEFS = st.lists(ITEMS, min_size=1, max_size=5).map(BETWEEN_ITEMS.join)


def stems(text: str) -> frozenset[str]:
    return frozenset(note_stems(text))


@pytest.mark.parametrize(
    ("brief", "left"),
    [
        ("charity race for hospice 20 May", ""),
        ("ran charity race for hospice 20 May; new running shoes in purple", "new running shoes in purple"),
        ("charity race for hospice 21 May", "charity race for hospice 21 May"),
        ("sailing trip 8 July: mast broke, Tom afraid", "sailing trip 8 July: mast broke, Tom afraid"),
        ("charity race 20 May; made wishes", "charity race 20 May; made wishes"),
        ("charity race 20 May; Bruno too", "charity race 20 May; Bruno too"),
        ("oats", "oats"),
        ("bakes rye bread for neighbours", "bakes rye bread for neighbours"),
        ("", ""),
    ],
)
def test_what_a_note_on_the_chapter_tells_is_not_said_again(brief: str, left: str) -> None:
    assert untold(brief, [CHAPTER, "married in Bergen"]) == left


@pytest.mark.parametrize(
    ("item", "chapter"),
    [
        ("did not approve refund for Omar", "will approve refund for Omar"),
        ("never eats gluten bread", "eats gluten bread daily"),
        ("eats gluten bread daily", "never eats gluten bread daily"),
        ("works at bakery in town no longer", "works at bakery in town"),
        ("quit job at bakery", "started job at bakery"),
        ("saw three seals", "saw two seals"),
        ("deployed without tests", "deployed with tests"),
        ("approves refunds if Omar signs", "approves refunds; Omar signs letters"),
    ],
)
def test_what_contradicts_a_note_on_the_chapter_is_left(item: str, chapter: str) -> None:
    assert untold(item, [chapter]) == item


@given(BRIEFS, st.lists(ITEMS, max_size=3))
def test_whole_items_are_left_in_order_and_no_name_or_number_is_lost(brief: str, chapter: list[str]) -> None:
    left = untold(brief, chapter)
    rest = iter(brief.split(BETWEEN_ITEMS))
    assert not left or all(item in rest for item in left.split(BETWEEN_ITEMS))
    assert untold(left, chapter) == left
    assert stems(brief) <= stems(left).union(*map(stems, chapter))
    assert untold(brief, []) == brief


def note(seq: int, brief: str, *, speaker: str = "Ana") -> ModelNote:
    return ModelNote(
        turns=(seq,), speaker=speaker, role="user", origin=Origin.USER, said_on=date(2026, 5, 14),
        text=f"{brief} and what else was said of it at length.", brief=brief, importance=3,
    )  # fmt: skip


def test_notes_on_a_chapter_of_the_cover_stand_before_segments_too() -> None:
    cover = [Covered(1, 0, 1, 80, 800, "c"), Covered(0, 8, 81, 90, 100, "s8")]
    noted = [in_place_of((), [note(2, CHAPTER)]), in_place_of((), [note(82, "charity race")])]
    (chapter,), (segment,) = on_chapters(cover, noted, {(1, 0): [note(2, CHAPTER)]})
    assert chapter.place >= FIRST_OF_CHAPTER > segment.place
    assert chapter.worth > segment.worth
    assert on_chapters(cover[1:], noted[1:], {}) == []


def test_only_what_the_same_speaker_tells_counts() -> None:
    cover = [Covered(0, idx, 1 + 10 * idx, 10 + 10 * idx, 100, f"s{idx}") for idx in range(2)]
    again = "charity race for hospice 20 May"
    below = [in_place_of((), [note(2, again), note(3, again, speaker="Bo")]), in_place_of((), [note(12, again)])]
    told = on_chapters(cover, below, {(1, 0): [replace(note(2, CHAPTER), turns=(2, 3, 12))]})
    assert [[(one.speaker, one.text) for one in notes if one.place < FIRST_OF_CHAPTER] for notes in told] == [
        [("Bo", again)], [],
    ]  # fmt: skip
    assert [[one.text for one in notes if one.place >= FIRST_OF_CHAPTER] for notes in told] == [
        [f"{CHAPTER} and what else was said of it at length."], [],
    ]  # fmt: skip


def test_notes_on_chapters_of_two_heights_with_one_number_both_stand() -> None:
    cover = [Covered(1, 1, 65, 128, 800, "c1"), Covered(0, 0, 129, 136, 100, "s0")]
    noted = [in_place_of((), [note(66, "charity race")]), in_place_of((), [note(130, "oats")])]
    written = {(2, 0): [note(66, "sailing trip")], (1, 0): [note(130, "rye bread")]}
    shown = [[one.place >= FIRST_OF_CHAPTER for one in notes] for notes in on_chapters(cover, noted, written)]
    assert shown == [[False, True], [False, True]]
