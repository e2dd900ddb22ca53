"""The cost of a query is bounded by that of its ends, whatever the query and the conversation contain."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.long_queries import (
    KILOBYTE,
    MEGABYTE,
    SCRAPS,
    TALKS,
    Read,
    asked_of,
    reads_of,
    repeated,
)
from turnfold.contract.text import ends_of
from turnfold.testing import LocalTurnfold, in_memory


@pytest.fixture(scope="module")
def clients() -> Iterator[dict[str, LocalTurnfold]]:
    """A client with a folded conversation for each talk."""
    opened = {talk: in_memory() for talk in TALKS}
    clients = {talk: manager.__enter__() for talk, manager in opened.items()}
    for talk, tf in clients.items():
        tf.append("c", [{"role": "user", "content": content} for content in TALKS[talk]])
        tf.fold_now()
    yield clients
    for manager in opened.values():
        manager.__exit__(None, None, None)


def calls_of(read: Read, query: str) -> int:
    """Count the Python and C calls of a read, which are the same on each machine."""
    calls = 0

    def tell(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(tell)
    try:
        read(query)
    finally:
        sys.setprofile(None)
    return calls


@examples(50)
@given(talk=st.sampled_from(sorted(TALKS)), scraps=st.lists(st.sampled_from(SCRAPS), min_size=1, max_size=4))
def test_a_megabyte_is_asked_for_in_no_more_steps_than_its_ends(
    clients: dict[str, LocalTurnfold], talk: str, scraps: list[str]
) -> None:
    asked = asked_of(partial(repeated, "".join(scraps)))
    calls = {
        name: (min(calls_of(read, asked(KILOBYTE)) for _ in range(2)), *calls_of_ends_and_all(read, asked))
        for name, read in reads_of(clients[talk]).items()
    }
    # Linear up to the ends, which are three times as many code points; the ends may match more, too.
    assert {name: row for name, row in calls.items() if row[1] > 5 * row[0] + 1_000} == {}
    assert {name: row for name, row in calls.items() if row[2] > 1.1 * row[1] + 1_000} == {}


@pytest.mark.parametrize("talk", sorted(TALKS))
def test_what_was_said_is_asked_for_again_in_no_more_steps_than_its_ends(
    clients: dict[str, LocalTurnfold], talk: str
) -> None:
    asked = asked_of(partial(repeated, "\n".join(TALKS[talk])))
    calls = {name: calls_of_ends_and_all(read, asked) for name, read in reads_of(clients[talk]).items()}
    assert {name: row for name, row in calls.items() if row[1] > 1.1 * row[0] + 1_000} == {}


def calls_of_ends_and_all(read: Read, asked: Callable[[int], str]) -> tuple[int, int]:
    """Count the calls of a read for the ends of a megabyte and for all of it, once its words are cached."""
    read(asked(MEGABYTE))
    return calls_of(read, ends_of(asked(MEGABYTE))), calls_of(read, asked(MEGABYTE))
