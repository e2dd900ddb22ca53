"""Notes added to the lines of a context give the same text at the same cost as adding them all at once."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from turnfold.assemble.by_value.fitting import fitting_notes, with_whole
from turnfold.assemble.by_value.group_spans import GroupSpan, grouped, spans_of, with_more
from turnfold.assemble.forms.render_text import group_line
from turnfold.assemble.pricing import Pricing, Style
from turnfold.contract.notes import FIRST_WRITTEN, ChapterName, Covered, Note
from turnfold.contract.records import FAN_OUT
from turnfold.tokens import ESTIMATOR, estimate_tokens

SPANS = [GroupSpan(1, 9, "L2:turns-1-9"), GroupSpan(10, 19, "L2:turns-10-19"), GroupSpan(20, 30, "L1:end-3")]
STYLE = Style(short=False, openings=("[",))
DAYS = ("", "1 May 2026", "2 May 2026")
_notes = st.lists(
    st.builds(
        # All notes of a turn share one day.
        lambda seq, place, speaker, text: Note(seq, place, speaker, "user", DAYS[seq * 5 % 7 % 3], text, 4),
        st.integers(1, 30), st.integers(0, 3), st.sampled_from(["Ana", "Bo"]),
        st.sampled_from(["uses Celery", "ready?", "done;", "a (b)", "x == ()", "f(g(h))"]),
    ),
    max_size=30, unique_by=lambda note: (note.seq, note.place),
)  # fmt: skip


@given(_notes, st.integers(0, 30))
def test_groups_with_more_notes_are_those_of_all_notes(notes: list[Note], at: int) -> None:
    before = grouped(SPANS, notes[:at])
    found = with_more(before, notes[at:])
    assert found == grouped(SPANS, notes)
    first = min((note.seq for note in notes[at:]), default=31)
    assert all(one is other for one, other in zip(found, before, strict=True) if one.last_seq < first)


@given(_notes, st.integers(0, 30))
def test_notes_after_others_cost_what_all_cost_together(notes: list[Note], at: int) -> None:
    pricing = Pricing(ESTIMATOR, STYLE)
    together = fitting_notes(notes, SPANS, 10_000, pricing)
    first = fitting_notes(notes[:at], SPANS, 10_000, pricing)
    then = fitting_notes(notes[at:], SPANS, 10_000, pricing, standing=first.standing)
    assert first.notes + then.notes == together.notes == notes
    assert first.tokens + then.tokens == together.tokens


@given(_notes)
@example([Note(1, 0, "Ana", "user", DAYS[1], "uses Celery", 4), Note(24, 0, "Ana", "user", DAYS[1], "uses Celery", 4),
          Note(27, 0, "Ana", "user", DAYS[2], "uses Celery", 4)])  # fmt: skip
def test_notes_cost_what_their_lines_add_with_the_year_of_each_day_whatever_the_order_in_which_they_are_taken(
    notes: list[Note],
) -> None:
    pricing = Pricing(ESTIMATOR, STYLE)
    priced = [note._replace(tokens=estimate_tokens(note.text) + 1) for note in notes]
    taken = fitting_notes(priced, SPANS, 10_000, pricing)
    text = "".join(group.text for group in grouped(SPANS, taken.notes))
    lines = "".join(group_line(span.marker) for span in SPANS)
    years = sum(estimate_tokens(" 2026") for line in text.splitlines() if re.match(r"\[\d+ [A-Z][a-z]+\] ", line))
    closed = len(notes)
    assert 0 <= taken.tokens - (estimate_tokens(text) - estimate_tokens(lines)) <= years + closed
    assert sum(map(pricing.notes, grouped(SPANS, taken.notes))) == estimate_tokens(text)


@given(_notes, st.data())
def test_items_of_a_list_cost_what_their_lines_add_among_other_notes(notes: list[Note], data: st.DataObject) -> None:
    pricing = Pricing(ESTIMATOR, STYLE._replace(brief_from=FIRST_WRITTEN))
    items = data.draw(st.sets(st.sampled_from(range(len(notes))) if notes else st.nothing()))
    priced = [
        note._replace(place=FIRST_WRITTEN + at, text=f"{note.text} for long", brief=note.text, brief_tokens=4)
        if at in items else note
        for at, note in enumerate(notes)
    ]  # fmt: skip
    priced = [note._replace(tokens=estimate_tokens(note.text) + 1) for note in priced]
    priced = [note._replace(brief_tokens=estimate_tokens(note.brief) + 1) if note.brief else note for note in priced]
    at = data.draw(st.integers(0, len(notes)))
    first = fitting_notes(priced[:at], SPANS, 10_000, pricing)
    then = fitting_notes(priced[at:], SPANS, 10_000, pricing, standing=first.standing)
    shown = with_more(grouped(SPANS, first.notes), then.notes)
    assert shown == grouped(SPANS, [*first.notes, *then.notes])
    text = "".join(group.text for group in shown)
    lines = "".join(group_line(span.marker) for span in SPANS)
    years = sum(estimate_tokens(" 2026") for line in text.splitlines() if re.match(r"\[\d* ?[A-Z][a-z]+\] ", line))
    added = estimate_tokens(text) - estimate_tokens(lines)
    assert 0 <= first.tokens + then.tokens - added <= years + len(notes)
    assert sum(map(pricing.notes, shown)) == estimate_tokens(text)


def test_items_stand_by_months_and_speaker_before_what_was_said_each_day() -> None:
    items = [
        Note(seq, FIRST_WRITTEN, speaker, "user", day, text, 4, brief=text)
        for seq, speaker, day, text in (
            (2, "Bo", "8 May 2026", "moved to Bern, 1 May"), (4, "Ana", "9 May 2026", "dog: Luna"),
            (6, "Bo", "2 June 2026", "works at a bakery"), (8, "Bo", "", "likes rye"),
        )
    ]  # fmt: skip
    said = Note(3, 0, "Ana", "tool", "8 May 2026", "exit 0", 4)
    (group,) = grouped(SPANS[:1], [*items, said])
    assert group.text.splitlines()[1:] == [
        "Bo: likes rye", "[May 2026] Ana: dog: Luna", "Bo: moved to Bern, 1 May", "[June] Bo: works at a bakery",
        "[8 May] Ana: exit 0",
    ]  # fmt: skip
    (group,) = grouped([SPANS[0]._replace(months="May to June 2026")], [*items, said])
    assert group.text.splitlines()[1:] == [
        "[May to June 2026] Ana: dog: Luna", "Bo: moved to Bern, 1 May / works at a bakery / likes rye",
        "[8 May] Ana: exit 0",
    ]  # fmt: skip


def test_a_group_knows_the_months_of_its_turns() -> None:
    cover = [
        node(0, 0)._replace(first_day="2026-05-08", last_day="2026-05-09"), node(0, 1),
        node(0, 2)._replace(first_day="2026-12-30", last_day="2027-01-02"),
    ]  # fmt: skip
    spans = spans_of(cover, before=1_000, most_tokens=100, short=False)
    assert [span.months for span in spans] == ["May 2026", "", "December 2026 to January 2027"]
    joined_spans = spans_of(cover, before=1_000, most_tokens=12, short=False)
    assert [span.months for span in joined_spans] == [""]


@given(_notes)
def test_tight_budgets_show_and_price_the_brief_words(notes: list[Note]) -> None:
    both = [note._replace(brief="brief", brief_tokens=2) for note in notes]
    few = fitting_notes(both, SPANS, 10_000, Pricing(ESTIMATOR, STYLE._replace(brief_from=0)))
    many = fitting_notes(both, SPANS, 10_000, Pricing(ESTIMATOR, STYLE))
    assert {(note.text, note.tokens) for note in few.notes} <= {("brief", 2)}
    assert [note.text for note in many.notes] == [note.text for note in notes]


def node(height: int, idx: int, slug: str = "") -> Covered:
    size = 10 * FAN_OUT**height
    return Covered(height, idx, 1 + idx * size, (idx + 1) * size, 100, slug or f"s{idx}")


SEGMENTS = [node(0, idx) for idx in range(20)]
CHAPTERS = [ChapterName(1, 0, "quay-plan"), ChapterName(1, 1, "crane-tests")]


def markers(tokens: int, cover: list[Covered] = SEGMENTS, before: int = 1_000) -> list[str]:
    return [one.marker for one in spans_of(cover, CHAPTERS, before=before, most_tokens=tokens, short=False)]


def test_each_group_is_a_node_under_its_name_coarse_for_what_is_old() -> None:
    assert markers(1_000) == [f"L1:s{idx}-{idx + 1}" for idx in range(20)]
    assert markers(170) == ["L1:quay-plan-c1-1", *[f"L1:s{idx}-{idx + 1}" for idx in range(8, 20)]]
    assert markers(80) == [
        "L1:quay-plan-c1-1",
        "L1:crane-tests-c1-2",
        *[f"L1:s{idx}-{idx + 1}" for idx in range(16, 20)],
    ]


def test_what_there_is_no_line_for_is_one_range_of_turns() -> None:
    assert markers(50) == ["L1:quay-plan-c1-1", "L1:crane-tests-c1-2", "L2:turns-161-190", "L1:s19-20"]
    assert markers(5) == ["L2:turns-1-200"]
    assert markers(1_000, SEGMENTS[:2], before=15) == ["L1:s0-1", "L0:turns-11-15"]


@given(st.integers(0, 20), st.integers(1, 400), st.integers(0, 250))
def test_groups_cover_every_turn_once_in_as_many_lines_as_there_is_room_for(
    many: int, tokens: int, before: int
) -> None:
    spans = spans_of(SEGMENTS[:many], CHAPTERS, before=before, most_tokens=tokens, short=False)
    seqs = [seq for span in spans for seq in range(span.first_seq, span.last_seq + 1)]
    assert seqs == list(range(1, min(before, 10 * many) + 1))
    assert len(spans) <= max(1, tokens // 12)


@given(_notes, st.integers(0, 300))
def test_a_models_notes_are_whole_where_room_is_left_and_none_of_them_is_lost_for_that(
    notes: list[Note], room: int
) -> None:
    pricing = Pricing(ESTIMATOR, STYLE._replace(brief_from=FIRST_WRITTEN))
    written = [
        note._replace(
            place=FIRST_WRITTEN + at, text=f"{note.text} and tells how that came about", brief=note.text,
            brief_tokens=estimate_tokens(note.text) + 1, tokens=estimate_tokens(note.text) + 8,
        )
        for at, note in enumerate(notes)
    ]  # fmt: skip
    in_brief = fitting_notes(written, SPANS, room, pricing)
    widened = with_whole(in_brief, written, SPANS, room, pricing)
    assert widened.tokens <= room
    assert [note[:2] for note in widened.notes] == [note[:2] for note in in_brief.notes]
    plenty = with_whole(fitting_notes(written, SPANS, 10_000, pricing), written, SPANS, 10_000, pricing)
    assert plenty.notes == written
