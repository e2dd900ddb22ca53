"""The outline of an agent's conversation does not depend on the batches in which turns are folded, or folded again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from support.examples import examples
from support.in_memory import InMemory
from turnfold.contract.outlines import Outline, unpack_outline

Turns = list[dict[str, Any]]


def page(number: int) -> Turns:
    """Return a page that a tool fetched, whose statements are those of no participant."""
    call = {"name": "fetch_url", "arguments": json.dumps({"url": f"https://example.com/{number}"})}
    words = f"The mayor said that bridge {number} will be closed in May. The ferry costs {number} euros."
    return [
        {
            "role": "assistant", "content": "I look it up.",
            "tool_calls": [{"id": f"call {number}", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": f"call {number}", "name": "fetch_url", "content": words},
    ]  # fmt: skip


def command(number: int) -> Turns:
    """Return a tool's command in a fence, with words of its own, and the output."""
    word = ("find_file", "search_dir", "edit")[number % 3]
    return [
        {"role": "assistant", "content": f"Let me look.\n\n```\n{word} src/cache_{number}.py\nend_of_edit\n```"},
        {
            "role": "tool",
            "name": "terminal",
            "content": f"[File: src/cache_{number}.py (120 lines total)]\nclass Cache:",
        },
    ]


def words(number: int) -> Turns:
    said = ("We decided to use Kafka.", "Actually, the budget is 900 euros, not 800.", "Forget Kafka, we use Redis.")
    return [{"role": "user", "content": said[number % 3]}]


parts = st.lists(
    st.builds(lambda make, number: make(number), st.sampled_from([page, command, words]), st.integers(0, 9)),
    min_size=1,
)


def folded(turns: Turns, cuts: Sequence[int]) -> tuple[Outline, str, str]:
    """Fold turns in batches, then once more without new ones; return the outline, and the digests before and after."""
    conversation = InMemory()
    for begin, end in pairwise([0, *sorted(cuts), len(turns)]):
        conversation.append(turns[begin:end])
        conversation.settle()
    before = conversation.digest()
    with conversation.engine.begin() as connection:
        connection.execute(text("UPDATE job SET state = 'due'"))
    conversation.settle()
    with conversation.engine.connect() as connection:
        rows = connection.execute(text("SELECT part, body FROM outline ORDER BY part")).all()
    outline = unpack_outline([(row.part, row.body) for row in rows])
    assert outline is not None
    after = conversation.digest()
    conversation.close()
    return outline, before, after


@given(parts.map(lambda made: [{**turn, "turn_id": f"t{at}"} for at, turn in enumerate(chain(*made))]), st.data())
@examples(30)
def test_batches_change_nothing(turns: Turns, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(1, len(turns)), unique=True), label="cuts")
    whole, *digests = folded(turns, [])
    in_batches, *others = folded(turns, cuts)
    assert in_batches == whole
    assert len({*digests, *others}) == 1


def test_pages_of_an_open_tail_are_named_once_however_often_it_is_folded() -> None:
    turns = [{**turn, "turn_id": f"t{at}"} for at, turn in enumerate(chain(*map(page, range(7))))]
    outline, *digests = folded(turns, range(1, len(turns)))
    assert len(set(digests)) == 1
    assert len(outline.outside) == len(set(outline.outside))
    assert outline.last_seq < outline.outside[-1], "the tail has some"


def test_commands_that_the_names_hold_are_not_told_again_for_the_tail() -> None:
    turns = [{**turn, "turn_id": f"t{at}"} for at, turn in enumerate(chain(*map(command, range(9))))]
    outline, *digests = folded(turns, range(1, len(turns)))
    assert len(set(digests)) == 1
    assert any(name.startswith("(commands:") for name in outline.names)
    assert not any(name.startswith("(commands:") for name in outline.tail_names)
