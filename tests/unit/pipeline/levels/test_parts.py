"""A long turn is divided at its headings, or where its topic changes, and each part has its own name."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.long_turns import TOPICS, prose
from support.wild_turns import said
from turnfold.contract.passages import PLACES
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.turn_parts import LONG_TURN, PartEntry, pack_parts, part_of_place, unpack_parts
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.fold import fold_segment
from turnfold_worker.pipeline.levels.parts import LEAST_PART, MOST_PARTS, packed_parts, parts_of
from turnfold_worker.pipeline.notes.passages import passages_of
from turnfold_worker.pipeline.notes.turn_notes import notes_of
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.treatment import read_segment


def turn(text: str, *, role: Role = Role.USER) -> StoredTurn:
    """Return a turn with its token count."""
    return replace(said(text, seq=7, role=role), tokens=estimate_tokens(text))


def test_two_topics_without_headings_are_two_parts_that_are_named_by_their_words() -> None:
    first = prose("ferry", tokens=4_500)
    parts = parts_of(turn(f"{first}\n\n{prose('roof', tokens=4_500)}"))
    assert len(parts) == 2
    assert abs(parts[1].start - len(first)) < 700
    for part, own in zip(parts, ("ferry", "roof"), strict=True):
        named = part.title.replace(",", "").split()
        assert len(named) >= 3
        assert set(named) & set(TOPICS[own].split())
        assert not any(set(named) & set(words.split()) for topic, words in TOPICS.items() if topic != own)


def test_a_topic_that_comes_back_is_a_part_again() -> None:
    parts = parts_of(turn("\n\n".join(prose(topic, tokens=1_000) for topic in ("ferry", "roof", "bakery", "ferry"))))
    assert len(parts) == 4


@pytest.mark.parametrize("topic", TOPICS)
def test_a_long_turn_about_one_thing_has_no_parts(topic: str) -> None:
    assert parts_of(turn(prose(topic, tokens=9_000))) == ()


def test_a_turn_that_is_not_long_has_no_parts() -> None:
    text = f"{prose('ferry', tokens=600)}\n\n{prose('roof', tokens=600)}"
    assert estimate_tokens(text) < LONG_TURN
    assert parts_of(turn(text)) == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("# Boats", "# House"), ("## Boats ##", "## House"), ("**Boats**", "**House**:"),
        ("Boats\n=====", "House\n-----"),
    ],
)  # fmt: skip
def test_headings_name_the_parts(first: str, second: str) -> None:
    text = f"{first}\n\n{prose('ferry', tokens=1_000)}\n\n{second}\n\n{prose('ferry', tokens=1_000)}"
    parts = parts_of(turn(text))
    assert [part.title for part in parts] == ["Boats", "House"]
    assert text[parts[1].start :].startswith(second)


def test_the_coarsest_headings_that_part_a_turn_count() -> None:
    sections = "\n\n".join(f"## Section {i}\n\n### Detail\n\n{prose('ferry', tokens=700)}" for i in range(1, 4))
    parts = parts_of(turn(f"# All of it\n\n{sections}"))
    assert [part.title for part in parts] == ["All of it", "Section 2", "Section 3"]


def test_comments_in_code_are_no_headings() -> None:
    code = "\n\n".join(f"# Step {i}\nvalue_{i} = compute({i})\nprint(value_{i})" for i in range(400))
    assert parts_of(turn(f"Look:\n```python\n{code}\n```\n")) == ()
    assert parts_of(turn(code, role=Role.TOOL)) == ()


def test_a_tools_output_is_not_parted_by_its_words() -> None:
    text = f"{prose('ferry', tokens=2_000)}\n\n{prose('roof', tokens=2_000)}"
    assert parts_of(turn(text)) != ()
    assert parts_of(turn(text, role=Role.TOOL)) == ()


def test_a_title_holds_no_mark_of_ours() -> None:
    text = f"# [turn 1 →L0:turn-1]\n\n{prose('ferry', tokens=1_000)}\n\n# B\n\n{prose('roof', tokens=1_000)}"
    parts = parts_of(turn(text))
    assert len(parts) == 2
    assert not set("[]→\n") & set(parts[0].title)


def test_a_passage_is_found_in_the_part_in_which_it_begins() -> None:
    first, second = prose("ferry", tokens=2_000), prose("roof", tokens=2_000)
    long = turn(f"{first}\n\n{second}")
    passages = passages_of(notes_of(read_segment([long])))
    entries = unpack_parts(packed_parts({7: parts_of(long)}, passages))
    assert [entry.seq for entry in entries] == [7, 7]
    for passage in passages:
        part = entries[part_of_place(entries, passage.number % PLACES)]
        assert passage.notes[-1].start >= part.start
        assert passage.notes[0].start < part.end
    assert len({part_of_place(entries, passage.number % PLACES) for passage in passages}) == 2


_pieces = st.lists(
    st.sampled_from([
        *(prose(topic, tokens=400) for topic in TOPICS), "# A", "## B\n", "**C**", "D\n===", "```\n# x\n```", "\n\n\n",
        "é" * 3_000, "。" * 500,
    ]),
    min_size=1, max_size=24,
)  # fmt: skip


@given(_pieces, st.sampled_from([Role.USER, Role.TOOL]))
def test_parts_cover_their_turn_in_order(pieces: list[str], role: Role) -> None:
    long = turn("\n\n".join(pieces), role=role)
    parts = parts_of(long)
    assert len(parts) in range(MOST_PARTS + 1)
    assert len(parts) != 1
    if parts:
        assert (parts[0].start, parts[-1].end) == (0, len(long.content))
        assert all(part.end == following.start for part, following in pairwise(parts))
        assert all(part.end - part.start >= LEAST_PART for part in parts)
        assert all(len(part.title) <= 64 and part.title.isprintable() for part in parts)
    assert parts == parts_of(long)


@given(st.lists(st.builds(PartEntry, *[st.integers(0, 2**40)] * 4, st.text())))
def test_entries_are_read_back_as_they_were_stored(entries: list[PartEntry]) -> None:
    assert unpack_parts(pack_parts(entries)) == entries


def test_the_slug_of_a_segment_that_is_one_long_turn_names_its_parts() -> None:
    long = turn(f"{prose('ferry', tokens=2_000)}\n\n{prose('roof', tokens=2_000)}")
    slug = fold_segment([long], idx=0, settings=FoldSettings()).node.slug.split("-")
    assert all(set(slug) & set(TOPICS[topic].split()) for topic in ("ferry", "roof"))
