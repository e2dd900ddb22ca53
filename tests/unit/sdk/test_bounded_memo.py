"""A bounded memo keeps the entries that were set last, in any order and however often they are set."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from support.examples import examples
from turnfold.contract.bounded_memo import LONGEST, NewestEntries, Remembered


@examples(200)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers())), st.integers(1, 5))
def test_the_entries_that_were_set_last_stay(entries: list[tuple[int, int]], most: int) -> None:
    newest: NewestEntries[int, int] = NewestEntries(most)
    for key, value in entries:
        newest[key] = value
    last_first = dict(reversed({key: (place, value) for place, (key, value) in enumerate(entries)}.items()))
    latest = sorted(last_first, key=lambda key: last_first[key][0], reverse=True)[:most]
    assert newest == {key: last_first[key][1] for key in latest}


@examples(100)
@given(st.lists(st.text(max_size=LONGEST + 2)), st.integers(1, 5))
def test_a_table_knows_what_its_function_says_and_holds_no_more_than_its_most(texts: list[str], most: int) -> None:
    table = Remembered(len, most)
    held: list[int] = []
    for text in texts:
        assert table[text] == len(text)
        held.append(len(table))
    assert max(held, default=0) <= most
    assert all(len(text) <= LONGEST for text in table)
