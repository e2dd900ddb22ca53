"""The last four turns begin in every context, and the newest user turn is whole where it fits half of the budget."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.seals import SEALS
from turnfold.assemble import BALANCED, Context, Request, choose, finish
from turnfold.assemble.last_turns import LAST_TURNS
from turnfold.contract.notes import Note
from turnfold.contract.outlines import Outline
from turnfold.contract.records import ConversationId, Role, StoredTurn
from turnfold.contract.results import Head, Snapshot
from turnfold.tokens import estimate_tokens
from turnfold_worker.offline import fold

_BEGINNING = 12
"""Length of the beginning, in code points, by which a turn is recognized."""
_WORDS = "alpha bravo cedar delta ember fjord grove haven ivory jetty knoll larch".split()  # noqa: SIM905


def turn(seq: int, words: int, *, role: Role) -> StoredTurn:
    body = " ".join(_WORDS[(seq * 7 + at) % len(_WORDS)] for at in range(words))
    content = f"t{seq:03} begins {body}."
    return StoredTurn(seq=seq, turn_id=f"t{seq}", role=role, content=content, tokens=estimate_tokens(content))


def read(lengths: Sequence[int], budget: int, *, folded: int = 0) -> tuple[Context, list[StoredTurn]]:
    """Return a context and its turns, user and assistant alternately, of given lengths; `folded` have only notes."""
    turns = [turn(seq, words, role=Role.USER if seq % 2 else Role.ASSISTANT) for seq, words in enumerate(lengths, 1)]
    notes = [Note(one.seq, 0, "user", "user", "", f"note {one.seq} of the past", 7, gain=100) for one in turns[:folded]]
    outline = Outline(last_seq=0, tail=tuple(notes), tail_seq=folded)
    head = Head(
        id=ConversationId(1), turn_count=len(turns), closed_seq=0, fold_seq=0, node_count=0, anchor_count=0,
        anchor_tokens=0, revision=len(turns),
    )  # fmt: skip
    snapshot = Snapshot(conversation_id="c", seals=SEALS, head=head, turns=tuple(turns), outline=outline)
    request = Request(budget_tokens=budget)
    return finish(choose(snapshot, request), {}), turns


def recent(context: Context) -> str:
    return context.text.partition("[recent turns]\n")[2]


@examples(60)
@given(
    st.lists(st.integers(1, 400), min_size=30, max_size=60),
    st.integers(400, 6_000),
)
def test_the_last_four_turns_begin_in_every_context(lengths: list[int], budget: int) -> None:
    context, turns = read(lengths, budget, folded=len(lengths))
    shown = recent(context)
    assert [one.seq for one in turns[-LAST_TURNS:] if one.content[:_BEGINNING] not in shown] == []
    assert context.tokens <= budget


@examples(60)
@given(st.lists(st.integers(1, 400), min_size=30, max_size=60), st.integers(400, 6_000))
def test_the_newest_user_turn_is_whole_where_it_fits_half_of_the_budget(lengths: list[int], budget: int) -> None:
    context, turns = read(lengths, budget, folded=len(lengths))
    newest = next(one for one in reversed(turns) if one.role is Role.USER)
    beginnings = 40 * LAST_TURNS
    fits = newest.tokens + beginnings <= BALANCED.newest_share * budget
    assert not fits or newest.content in recent(context)


def test_long_last_turns_leave_seventy_parts_in_a_hundred_to_the_past() -> None:
    context, turns = read([40] * 296 + [2_000, 2_000, 2_000, 2_000], 2_000, folded=300)
    block = recent(context)
    assert estimate_tokens(block) <= BALANCED.recent_share * 2_000
    assert all(one.content[:_BEGINNING] in block for one in turns[-LAST_TURNS:])
    assert context.text.count(" of the past") > 100


@pytest.mark.parametrize("budget", [1_000, 2_000, 4_000])
def test_an_answer_that_the_newest_turn_points_to_is_there(budget: int) -> None:
    answer = "\n".join(f"{number}. Option number {number} costs {number * 111} euros." for number in range(1, 6))
    turns = [turn(seq, 30, role=Role.USER if seq % 2 else Role.ASSISTANT) for seq in range(1, 120)]
    said = (Role.ASSISTANT, answer), (Role.USER, "OK, do number 3")
    for seq, (role, content) in enumerate(said, 120):
        turns.append(
            StoredTurn(seq=seq, turn_id=f"t{seq}", role=role, content=content, tokens=estimate_tokens(content))
        )
    notes = tuple(Note(one.seq, 0, "user", "user", "", f"note {one.seq} of the past", 7, gain=100) for one in turns)
    head = Head(
        id=ConversationId(1), turn_count=121, closed_seq=0, fold_seq=0, node_count=0, anchor_count=0, anchor_tokens=0,
        revision=121,
    )  # fmt: skip
    outline = Outline(tail=notes, tail_seq=121)
    snapshot = Snapshot(conversation_id="c", seals=SEALS, head=head, turns=tuple(turns), outline=outline)
    request = Request(budget_tokens=budget)
    shown = recent(finish(choose(snapshot, request), {}))
    assert "3. Option number 3 costs 333 euros." in shown
    assert "OK, do number 3" in shown


def at_work(plan_words: int) -> list[dict[str, str]]:
    """Return an agent's log of long outputs whose newest agent turn has `plan_words` words."""
    output = "\n".join(f"{row}: fjord_{row} = haven_{row}" for row in range(60))
    turns = [{"role": "user", "content": "Please mend the tide table of the northern quay, it is an hour late."}]
    for step in range(12):
        turns.append({"role": "assistant", "content": f"STEP\nI look at part {step}.\n```\ncat part_{step}.py\n```"})
        turns.append({"role": "tool", "content": output})
    plan = " ".join(_WORDS[at % len(_WORDS)] for at in range(plan_words))
    turns[-2] = {"role": "assistant", "content": f"STEP\nNext I mend {plan}.\n```\nopen plan.py\n```"}
    return turns


@pytest.mark.parametrize("budget", [500, 1_000, 2_000])
def test_what_an_agent_does_next_is_whole(budget: int) -> None:
    turns = at_work(60)
    with fold(turns) as conversation:
        shown = recent(conversation.context(budget_tokens=budget, query=False))
    assert turns[-2]["content"] in shown
    assert "STEP [" not in shown


def test_a_plan_that_is_too_long_is_cut_and_no_heading_stands_for_a_turn() -> None:
    with fold(at_work(900)) as conversation:
        shown = recent(conversation.context(budget_tokens=500, query=False))
    assert "Next I mend alpha" in shown
    assert "assistant: STEP [" not in shown
