"""Which groups of segments are refined first: the important, the large, and what is read."""

from __future__ import annotations

from support.refinery import Refinery
from support.talk import talk
from turnfold.contract.keys import READS


def due(refinery: Refinery) -> list[int]:
    """Due jobs in the order in which they would be done."""
    assert refinery.local.worker.refinements is not None
    refinery.make_due()
    return [int(job) for job in refinery.local.worker.refinements.due_refines(100)]


def test_the_important_and_the_large_come_first(refinery: Refinery) -> None:
    refinery.append("small", [{**turn, "content": turn["content"][:60]} for turn in talk("small", 60)])
    refinery.append("large", talk("large", 60))
    refinery.append("pinned", [{**turn, "importance": "pin"} if i == 3 else turn for i, turn in enumerate(talk(3, 60))])
    refinery.fold_only()
    order = due(refinery)
    priorities = dict(refinery.query("SELECT id, priority FROM job WHERE kind = 'refine'"))
    assert len(order) == len(priorities) >= 3
    assert [priorities[job] for job in order] == sorted(priorities.values(), reverse=True)
    assert len(set(priorities.values())) > 1


def test_what_is_expanded_comes_sooner_also_when_it_is_refined_again(refinery: Refinery) -> None:
    refinery.append("c", 400)
    refinery.fold_only()
    before = due(refinery)
    assert len(before) >= 4
    last = before[-1]
    ((subject,),) = refinery.query("SELECT subject FROM job WHERE id = :id", id=last)
    for _ in range(20):
        refinery.tf.expand("c", f"L1:{subject + 3}")
    refinery.tf.expand("c", f"L1:c1-{subject // 8 + 1}")
    refinery.local.worker.sweep()
    refinery.local.messages.waiting.clear()
    assert due(refinery)[0] == last
    reads = dict(refinery.query("SELECT idx, reads FROM node WHERE height = 0"))
    assert reads[subject + 2] == 21
    assert sum(reads.values()) == 20 + 8
    assert not refinery.local.worker.inbox._client.exists(READS)  # type: ignore[attr-defined]
    refinery.local.settle()
    priorities = dict(refinery.query("SELECT subject, priority FROM job WHERE kind = 'refine'"))
    assert max(priorities, key=lambda one: priorities[one]) == subject


def test_an_expansion_of_what_is_forgotten_meanwhile_counts_for_nobody(refinery: Refinery) -> None:
    refinery.append("c", 60)
    refinery.fold_only()
    refinery.tf.expand("c", "L1:1")
    refinery.tf.forget("c", timeout_seconds=0)
    refinery.local.settle()
    assert refinery.count("node") == 0
