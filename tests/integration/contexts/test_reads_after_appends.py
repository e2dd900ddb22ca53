"""Results computed from folded turns are reused until the next fold, and never after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from conftest import Filling, LocalWorker
from support.examples import examples
from support.talk import talk
from turnfold import Turnfold
from turnfold.database import value_read
from turnfold_worker.testing.local import in_memory

STORED = 60
BUDGET = 900
CALL = {"role": "assistant", "content": "", "tool_calls": [
    {"id": "1", "type": "function", "function": {"name": "seats", "arguments": '{"limit": 900}'}}
]}  # fmt: skip


@pytest.fixture(scope="module")
def filled() -> Filling:
    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        tf.append("c", talk(1, STORED))
        make_worker().settle()

    return fill


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of parts of each outline, appended when it is parsed."""
    outlines: list[int] = []
    unpack = value_read.unpack_outline

    def counted(parts: Iterator[tuple[int, str]]) -> object:
        outlines.append(len(listed := [*parts]))
        return unpack(listed)

    monkeypatch.setattr(value_read, "unpack_outline", counted)
    return outlines


def drain_after(tf: Turnfold, local: LocalWorker, content: str) -> None:
    tf.append("c", {"role": "user", "content": content})
    assert local.drain() == 1


def test_turns_that_are_stored_and_not_folded_leave_the_outline_parsed(
    tf: Turnfold, local: LocalWorker, parsed: list[int]
) -> None:
    contexts = [tf.context("c", budget_tokens=BUDGET)]
    assert len(parsed) == 1
    for content in ("The seat map may hold 900 seats.", "Which limit did we set for refunds?"):
        drain_after(tf, local, content)
        contexts.append(tf.context("c", budget_tokens=BUDGET))
        assert content in contexts[-1].text
    assert len(parsed) == 1
    local.settle()
    tf.context("c", budget_tokens=BUDGET)
    assert len(parsed) == 2


Step = tuple[str, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("say", "call", "drain", "fold", "edit", "delete", "rewind", "resolve")), st.integers(0, 9)
    ),
    min_size=4, max_size=14,
)  # fmt: skip


def taken(tf: Turnfold, local: Callable[[str], object], step: Step, ids: list[str]) -> None:
    """Apply a step to the conversation; without a target, a step changes nothing."""
    kind, number = step
    if kind == "say":
        ids += tf.append("c", {"role": "user", "content": f"The scanner needs {number + 2} batteries."}).turn_ids
    elif kind == "call":
        ids += tf.append("c", CALL).turn_ids
    elif kind in {"drain", "fold"}:
        local(kind)
    elif kind == "resolve":
        if anchors := tf.anchors("c", states=["active"]):
            tf.resolve_anchor("c", anchors[number % len(anchors)].id)
    elif ids:
        at = number % len(ids)
        if kind == "edit":
            tf.edit("c", ids[at], content=f"The scanner needs {number + 20} cables.")
        elif kind == "delete":
            tf.delete("c", ids.pop(at))
        else:
            tf.rewind("c", after=ids[at])
            del ids[at + 1 :]


@given(steps=STEPS)
@examples(12, suppress_health_check=[HealthCheck.too_slow])
def test_a_client_that_remembers_reads_what_one_reads_that_does_not(steps: Sequence[Step]) -> None:
    with in_memory() as tf:
        tf.append("c", talk(2, 40))
        tf.fold_now()
        ids: list[str] = []
        works = {"drain": tf.drain_now, "fold": tf.fold_now}
        for step in (("say", 0), *steps):
            taken(tf, lambda kind: works[kind](), step, ids)
            remembered = [tf.context("c", budget_tokens=budget, query=None) for budget in (300, BUDGET)]
            tf._resources.reader().forget_parsed()
            afresh = [tf.context("c", budget_tokens=budget, query=None) for budget in (300, BUDGET)]
            assert [made.fingerprint for made in remembered] == [made.fingerprint for made in afresh]
            assert [made.report for made in remembered] == [made.report for made in afresh]
            if step[1] % 2:
                # The next step finds a cache that was filled with a larger budget.
                tf.context("c", budget_tokens=4_000)
        assert tf.status("c").stored >= 40
