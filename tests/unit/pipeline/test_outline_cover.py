"""An outline covers all that is folded exactly once, as finely as its notes may cost; packing changes nothing."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from turnfold.contract.actions import Action
from turnfold.contract.coverage import taken, voices
from turnfold.contract.notes import Covered, Note, note_lines
from turnfold.contract.outlines import OUTLINE_TIERS, Outline, last_part, pack_outline, unpack_outline
from turnfold.contract.records import FAN_OUT
from turnfold.contract.words import WEIGHTS, digit_of, note_words
from turnfold_worker.pipeline.dates import day_label, resolve_relative_days
from turnfold_worker.pipeline.outline import COVER_TOKENS, NodeSize, choose_cover
from turnfold_worker.pipeline.quantities import date_words, quantity, value_of
from turnfold_worker.pipeline.rarity import LEAST, MOST, rarity_of
from turnfold_worker.pipeline.words import specific_words, telling_words, word_vector

from .wild_turns import wild_text


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[NodeSize], int]:
    """All nodes of a folded past with the tokens of their notes, and its last turn."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=150))
    tokens = draw(st.sampled_from([10, 300, 2_000, 9_000]))
    level: list[Covered] = []
    seq = 0
    for idx, size in enumerate(sizes):
        level.append(Covered(0, idx, seq + 1, seq + size, size * 10, "s"))
        seq += size
    nodes: list[Covered] = []
    while level:
        nodes += level
        groups = [level[i : i + FAN_OUT] for i in range(0, len(level) - FAN_OUT + 1, FAN_OUT)]
        level = [
            Covered(
                group[0].height + 1, group[0].idx // FAN_OUT, group[0].first_seq, group[-1].last_seq,
                sum(one.tokens for one in group), "c",
            )
            for group in groups
        ]  # fmt: skip
    return [NodeSize(one, draw(st.integers(0, tokens))) for one in nodes], seq


@given(trees())
@settings(max_examples=80, deadline=None)
def test_a_cover_holds_every_turn_once_and_opens_only_what_its_notes_allow(tree: tuple[list[NodeSize], int]) -> None:
    nodes, last_seq = tree
    cover = choose_cover(nodes, last_seq=last_seq)
    assert cover[0].first_seq == 1
    assert cover[-1].last_seq == last_seq
    assert all(before.last_seq + 1 == after.first_seq for before, after in pairwise(cover))
    cost = {(one.covered.height, one.covered.idx): one.note_tokens for one in nodes}
    spent = sum(cost[one.height, one.idx] for one in cover)
    by_key = {(one.covered.height, one.covered.idx): one.covered for one in nodes}
    for one in cover:
        children = [(one.height - 1, one.idx * FAN_OUT + i) for i in range(FAN_OUT)]
        if one.height and all(key in by_key for key in children):
            grown = spent - cost[one.height, one.idx] + sum(cost[key] for key in children)
            assert grown > COVER_TOKENS, "a finer cover would have done"
    assert cover == choose_cover(list(reversed(nodes)), last_seq=last_seq)


_words = st.sampled_from(["kestrel", "audit", "not", "4317", "zanzibar", "the", "fence", "Überweisung", "会議"])
notes = st.lists(
    st.builds(
        lambda seq, place, role, day, said, worth: Note(
            seq, place, {"user": "Ana", "assistant": "Bo", "tool": "tool"}[role], role, day, " ".join(said),
            2 + len(said), worth, "".join("9" for _ in note_words(" ".join(said))),
        ),
        st.integers(1, 40), st.integers(0, 5), st.sampled_from(["user", "assistant", "tool"]),
        st.sampled_from(["", "1 May 2026", "2 May 2026"]), st.lists(_words, min_size=1, max_size=8),
        st.integers(0, 300),
    ),
    max_size=40, unique_by=lambda note: (note.seq, note.place),
)  # fmt: skip


@given(notes, st.integers(0, 200), st.integers(0, 200))
@settings(deadline=None)
def test_notes_are_taken_once_within_the_budget_and_a_smaller_budget_takes_the_first(
    found: list[Note], one: int, other: int
) -> None:
    small, large = sorted((one, other))
    worths = [float(note.worth) for note in found]
    more = taken(found, worths, most_tokens=large, decay=0.5)
    places = [place for place, _ in more]
    assert len(places) == len(set(places))
    assert sum(found[place].tokens for place in places) <= large
    assert all(worths[place] > 0 for place in places)
    assert more == taken(found, worths, most_tokens=large, decay=0.5)
    less = [place for place, _ in taken(found, worths, most_tokens=small, decay=0.5)]
    assert sum(found[place].tokens for place in less) <= small
    first = next((i for i, (a, b) in enumerate(zip(less, places, strict=False)) if a != b), None)
    assert first is None or sum(found[place].tokens for place in places[: first + 1]) > small


@given(st.dictionaries(st.sampled_from(["user", "assistant", "tool", "system"]), st.integers(0, 10**6)))
def test_who_says_less_weighs_no_less(said: dict[str, int]) -> None:
    weights = voices(said)
    ordered = sorted((tokens, weights[role]) for role, tokens in said.items() if role in weights and role != "tool")
    assert all(before[1] >= after[1] for before, after in pairwise(ordered))


@given(notes, st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=5))
def test_an_outline_is_read_as_it_was_packed(found: list[Note], names: list[str]) -> None:
    kept = [note._replace(worth=0, weights="", gain=place) for place, note in enumerate(found)]
    outline = Outline(
        last_seq=40, cover=(Covered(0, 0, 1, 40, 400, "s"),), notes=tuple(kept), tail=tuple(kept[:3]), tail_seq=41,
        names=tuple(names), tail_names=tuple(names[:2]), said={"user": 7}, tool_percent=3,
        actions=(Action(3, 4, "make", "Makefile", "ok", failed=False, looked=False),),
        tail_actions=(Action(41, 0, "make it", "", "", failed=False, looked=True),),
    )  # fmt: skip
    parts = pack_outline(outline)
    assert unpack_outline(sorted(parts.items())) == outline
    assert unpack_outline([(number, body) for number, body in parts.items() if number]) is None
    assert [last_part(tokens) for tokens in range(0, 60_000, 500)] == sorted(
        last_part(tokens) for tokens in range(0, 60_000, 500)
    )
    assert last_part(10**9) == last_part(OUTLINE_TIERS[-1])


@given(notes)
def test_lines_say_every_note_once_in_the_order_of_the_turns(found: list[Note]) -> None:
    lines = note_lines(found)
    assert all(line.endswith("\n") for line in lines)
    text = "".join(lines)
    days = [line.strip()[1:-1] for line in lines if line.startswith("[")]
    assert set(days) == {note.day for note in found if note.day}
    assert sum(map(len, (note.text for note in found))) <= len(text)
    assert {line.partition(": ")[0] for line in lines if not line.startswith("[")} == {note.speaker for note in found}


@given(wild_text)
def test_words_have_bounded_weights_and_are_found_again(text: str) -> None:
    vector = word_vector(text)
    assert all(weight >= 0 for weight in vector.values())
    assert {word for word, _ in telling_words(text)} == {word for word in vector if word}
    assert specific_words(text) <= set(vector)
    assert len(note_words(text)) == len(set(note_words(text)))
    assert all(LEAST <= rarity_of(word) <= MOST for word in note_words(text) if word)


@given(st.floats(-5, 50, allow_nan=False))
def test_a_weight_is_a_digit_that_grows_with_it(weight: float) -> None:
    assert WEIGHTS[digit_of(weight)] <= WEIGHTS[digit_of(weight + 1)]
    assert 0 < WEIGHTS[digit_of(weight)] <= 12


@given(st.integers(0, 10**15), st.integers(0, 99))
def test_a_value_is_the_same_however_it_is_written(whole: int, cents: int) -> None:
    assert value_of(f"{whole:,}.{cents:02}") == value_of(f"{whole}.{cents:02}")
    assert value_of(value_of(f"{whole:,}")) == value_of(str(whole)) == str(whole)
    assert value_of(f"{whole}") != value_of(f"{whole + 1}")
    assert quantity(f"${whole}")[1] == quantity(f"{whole} dollars")[1] == "$"


@given(st.dates())
def test_a_day_is_the_same_in_every_form_and_a_date_stays_what_it_is(day: date) -> None:
    label = day_label(day)
    assert resolve_relative_days(label, day) == label
    assert date_words(label) == date_words(str(day))


@given(wild_text, st.dates())
def test_resolving_days_twice_is_resolving_them_once(text: str, day: date) -> None:
    once = resolve_relative_days(text, day)
    assert resolve_relative_days(once, day) == once
