"""A folded segment is a function of its turns, the plain fold never fails, and chapters need stored rows alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import HOSTILE, said, talk, wild_text, wild_turns
from turnfold.contract.records import Importance, Method, Role, StoredTurn
from turnfold.tokens import MESSAGE_TOKENS, estimate_tokens
from turnfold_worker.pipeline.fold import FoldedNode, fold_segment, plain_fold
from turnfold_worker.pipeline.notes.passages import MAX_POSTINGS
from turnfold_worker.pipeline.roll_up import MAX_DETAILED, roll_up
from turnfold_worker.pipeline.settings import FoldSettings

SETTINGS = FoldSettings()


def folded(turns: list[StoredTurn], idx: int = 0) -> FoldedNode:
    return fold_segment(turns, idx=idx, settings=SETTINGS)


@given(wild_turns(most=12))
@examples(60)
def test_the_same_turns_give_the_same_node(turns: list[StoredTurn]) -> None:
    assert folded(turns) == folded([replace(turn) for turn in turns])


@given(wild_turns(most=12))
@examples(60)
def test_a_node_counts_its_turns_and_its_rows_fit_the_tables(turns: list[StoredTurn]) -> None:
    found = folded(turns)
    assert (found.node.first_seq, found.node.last_seq) == (turns[0].seq, turns[-1].seq)
    assert found.node.tokens[0] == sum(turn.tokens + MESSAGE_TOKENS for turn in turns)
    assert 0 <= found.node.importance <= 100
    assert json.loads(json.dumps(found.facts)) == found.facts
    assert len(found.source_hash) == 16
    assert len(found.postings) == len({one.term for one in found.postings}) <= MAX_POSTINGS
    assert all(0 < len(one.term) <= 64 and 1 <= one.weight <= 32_767 for one in found.postings)
    assert all(before.weight >= after.weight for before, after in pairwise(found.postings))


_FOLD_AND_PRINT = """
import sys
sys.path[:0] = {path!r}
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.fold import fold_segment
from turnfold_worker.pipeline.settings import FoldSettings
texts = [
    'We decided to use PostgreSQL 16 with Ana and Omar.',
    'Actually the Zürich office must not exceed 40 seats.',
    'I will send src/app/main.py and max_tokens=5 by 14 May 2026.',
] * 4
turns = [StoredTurn(seq=i, turn_id=str(i), role=Role.USER, content=t, tokens=20) for i, t in enumerate(texts, start=1)]
print(fold_segment(turns, idx=0, settings=FoldSettings()))
"""


@pytest.mark.long
def test_hash_seeds_do_not_reach_the_output() -> None:
    script = _FOLD_AND_PRINT.format(path=sys.path)
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1", "42")
    }
    assert len(outputs) == 1


@given(st.lists(st.tuples(st.sampled_from(list(Role)), wild_text, st.one_of(st.none(), wild_text)), max_size=12))
@examples(120)
def test_the_plain_fold_never_fails(turns: list[tuple[Role, str, str | None]]) -> None:
    stored = [said(text, seq=i, role=role, name=name) for i, (role, text, name) in enumerate(turns, start=1)]
    found = plain_fold(stored, idx=3)
    assert found.method is Method.PLAIN
    assert found.node.idx == 3
    assert not found.drafts
    assert not found.postings
    for text in found.levels.values():
        assert text.endswith("\n")
        assert all(line[0].isalpha() for line in text[:-1].split("\n"))
        assert "→L" not in text
    if stored:
        assert list(found.node.tokens) == sorted(found.node.tokens, reverse=True)


def test_the_plain_fold_shows_the_head_the_tail_and_counts() -> None:
    turns = talk("user: First of all, hello. " + "word " * 50, "assistant: The end of it. " + "word " * 50)
    text = plain_fold(turns, idx=0).levels[1]
    assert text.startswith("user: First of all, hello.")
    assert "assistant: The end of it." in text
    assert "turns without summary: 2" in text


@pytest.mark.parametrize("scrap", HOSTILE[::3])
def test_a_megabyte_turn_folds_quickly(scrap: str) -> None:
    turn = said(scrap * (1_000_000 // len(scrap)))
    before = time.thread_time()
    folded([turn])
    plain_fold([turn], idx=0)
    assert time.thread_time() - before < 5


@pytest.mark.parametrize(
    "text",
    [
        "我们决定使用数据库。发布日期是五月七日。" * 30,
        "قررنا استخدام قاعدة البيانات. الموعد يوم 7 مايو. " * 30,
        "🎉 👩‍👩‍👧 ok 🎉 " * 60,
    ],
    ids=["cjk", "rtl", "emoji"],
)
def test_other_scripts_degrade_gracefully(text: str) -> None:
    found = folded([said(text), said(text, seq=2, role=Role.ASSISTANT)])
    assert found.node.tokens[1] <= found.node.tokens[0]
    assert all(found.levels[level][0].isalpha() for level in (1, 2, 3))


def test_marks_of_the_caller_raise_a_nodes_importance() -> None:
    plain, marked = said("The vault code changed."), said("The vault code changed.", importance=Importance.PIN)
    assert folded([marked]).node.importance > folded([plain]).node.importance


def children(turns: list[StoredTurn]) -> list[FoldedNode]:
    step = max(1, len(turns) // 8)
    nodes = [folded(turns[i : i + step], idx) for idx, i in enumerate(range(0, step * 8, step)) if turns[i : i + step]]
    return [nodes[min(i, len(nodes) - 1)] for i in range(8)]


@given(wild_turns(most=24))
@examples(30)
def test_a_chapter_is_bounded_and_needs_only_what_is_stored(turns: list[StoredTurn]) -> None:
    nodes = children(turns)
    stored = [
        replace(node, drafts=(), postings=(), passages=(), facts=json.loads(json.dumps(node.facts))) for node in nodes
    ]
    chapter = roll_up(stored, height=1, idx=0)
    assert chapter == roll_up(nodes, height=1, idx=0)
    assert list(chapter.node.tokens) == sorted(chapter.node.tokens, reverse=True)
    assert chapter.node.tokens[1] <= MAX_DETAILED
    assert chapter.node.tokens[1:] == tuple(estimate_tokens(chapter.levels[level]) for level in (1, 2, 3))
    assert all(
        line[0].isalpha() or line[0] == "[" for text in chapter.levels.values() for line in text[:-1].split("\n")
    )
    assert (chapter.drafts, chapter.postings) == ((), ())


def test_chapters_of_chapters_stay_bounded() -> None:
    sentences = [
        "We decided to move warehouse {n} to Rotterdam. ",
        "The crane {n} must not lift more than {n} tons. ",
        "Ana inspected dock {n} twice. ",
    ]
    level = [folded([said(sentences[i % 3].format(n=i * 7) * 4, seq=i)], i) for i in range(512)]
    for height in (1, 2, 3):
        level = [roll_up(level[i : i + 8], height=height, idx=i // 8) for i in range(0, len(level), 8)]
        assert all(one.node.tokens[1] <= MAX_DETAILED and one.node.tokens[3] <= 30 for one in level)
    assert level[0].node.first_seq == 0
    assert "inspected" in level[0].levels[3] + level[0].levels[1]
