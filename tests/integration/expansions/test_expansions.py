"""Each marker expands at every level, in pages where the text does not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from conftest import LocalWorker
from support.talk import talk
from turnfold import Expansion, Turnfold, UnknownConversation, UnknownMarker
from turnfold.assemble import parse_marker
from turnfold.contract.keys import Address
from turnfold.contract.records import Node
from turnfold.database.read_transaction import ReadTransaction
from turnfold.database.reader import Reader
from turnfold.testing import LocalTurnfold, in_memory
from turnfold.tokens import estimate_tokens
from turnfold_worker.operate import conversation_tree as trees

TURNS = talk("expansions", 330)


@pytest.fixture(scope="module")
def folded() -> Iterator[LocalTurnfold]:
    """A client whose conversation "c" has chapters, all in SQL; the tests only read."""
    with in_memory(tenant="acme") as tf:
        tf.configure("c", settings={"segment_max_turns": 6})
        tf.append("c", TURNS)
        tf.fold_now()
        yield tf


def tree(tf: LocalTurnfold) -> list[tuple[Node, dict[int, str]]]:
    return Reader(tf.engine).read(lambda look: trees.tree(look, Address("acme", "c")))


def pages(tf: Turnfold, marker: str, *, max_tokens: int | None = None) -> list[Expansion]:
    """Return all pages of an expansion."""
    found = [tf.expand("c", marker, max_tokens=max_tokens)]
    while found[-1].next_marker is not None:
        assert found[-1].truncated
        assert len(found) < 9_000
        found.append(tf.expand("c", found[-1].next_marker, max_tokens=max_tokens))
    return found


def test_notes_lead_to_the_words_that_they_are_of(folded: LocalTurnfold) -> None:
    notes = folded.expand("c", f"L1:{tree(folded)[0][0].marker_name}")
    assert notes.verbatim_marker is not None
    words = folded.expand("c", notes.verbatim_marker)
    assert (words.first_seq, words.last_seq, words.level) == (notes.first_seq, notes.last_seq, 0)
    assert words.verbatim_marker is None


def test_every_node_expands_at_every_level_to_its_words(folded: LocalTurnfold) -> None:
    nodes = tree(folded)
    assert {node.height for node, _ in nodes} >= {0, 1}
    for node, words in nodes:
        for level in (1, 2, 3):
            expansion = folded.expand("c", f"L{level}:{node.marker_name}")
            assert expansion.text == words[level]
            assert (expansion.level, expansion.first_seq, expansion.last_seq) == (level, node.first_seq, node.last_seq)
            assert expansion.tokens == estimate_tokens(expansion.text)
            assert not expansion.truncated


def test_a_node_at_level_zero_is_its_turns_verbatim(folded: LocalTurnfold) -> None:
    nodes = tree(folded)
    assert {node.height for node, _ in nodes} >= {0, 1}
    for node, _ in nodes:
        shown = [turn for page in pages(folded, f"L0:{node.marker_name}") for turn in page.turns]
        assert [turn.content for turn in shown] == [t["content"] for t in TURNS[node.first_seq - 1 : node.last_seq]]


def test_a_marker_may_leave_its_words_out_and_wrapping_and_case_are_forgiven(folded: Turnfold) -> None:
    plain = folded.expand("c", "L2:3")
    name = next(node.marker_name for node, _ in tree(folded) if (node.height, node.idx) == (0, 2))
    assert name != "3"
    for spelling in (f"L2:{name}", f"[… →L2:{name.upper()}]", " →L2:3 ", "[L2:3]"):
        assert folded.expand("c", spelling) == plain


def test_a_marker_with_the_words_of_another_node_names_the_one_that_its_number_is_of(folded: Turnfold) -> None:
    names = {(node.height, node.idx): node.marker_name for node, _ in tree(folded)}
    for given, meant in (("L1:nope-3", f"L1:{names[0, 2]}"), ("L2:nope-c1-1", f"L2:{names[1, 0]}")):
        with pytest.raises(UnknownMarker, match=meant) as caught:
            folded.expand("c", given)
        assert caught.value.suggestion == meant
        assert folded.expand("c", meant).text
        with pytest.raises(UnknownMarker, match=meant):
            folded.context("c", budget_tokens=800, expand=[given])


@pytest.mark.parametrize("last", [1, 7, 150, 330])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_range_is_shown_by_nodes_and_markers_that_cover_it_without_a_gap(
    folded: Turnfold, level: int, last: int
) -> None:
    expansion = folded.expand("c", f"L{level}:turns-1-{last}")
    assert (expansion.first_seq, expansion.last_seq) == (1, last)
    if expansion.level == 0:
        assert [turn.seq for turn in expansion.turns] == list(range(1, last + 1))
        return
    covered = 0
    for line in expansion.text.splitlines():
        if line.startswith("[turns ") and "→" in line:
            first, _, until = line.removeprefix("[turns ").split()[0].partition("-")
            assert int(first) == covered + 1
            covered = int(until)
            assert parse_marker(line[line.index("→") :])
    assert covered == last


def test_a_range_of_one_chapter_goes_one_step_finer(folded: LocalTurnfold) -> None:
    chapter = next(node for node, _ in tree(folded) if node.height == 1)
    expansion = folded.expand("c", f"L2:turns-{chapter.first_seq}-{chapter.last_seq}")
    assert expansion.text.count("→L1:") == 8


@pytest.mark.parametrize("max_tokens", [1, 7, 60, 500, None])
def test_pages_of_turns_show_each_word_once_and_in_order(folded: Turnfold, max_tokens: int | None) -> None:
    marker = {1: "L0:turns-1-6", 7: "L0:turns-1-20"}.get(max_tokens or 0, "L0:turns-1-330")
    found = pages(folded, marker, max_tokens=max_tokens)
    words: dict[int, str] = {}
    for page in found:
        for turn in page.turns:
            words[turn.seq] = words.get(turn.seq, "") + turn.content
    assert list(words) == list(range(1, found[-1].last_seq + 1))
    assert list(words.values()) == [turn["content"] for turn in TURNS[: len(words)]]
    assert all(earlier.last_seq <= later.first_seq <= earlier.last_seq + 1 for earlier, later in pairwise(found))
    assert all(len(page.turns) <= 200 for page in found)
    if max_tokens is not None:
        assert all(page.tokens <= max_tokens for page in found)


def test_a_turn_that_is_cut_goes_on_where_it_was_cut(tf: Turnfold, local: LocalWorker) -> None:
    wild, long = "数据库 🚀\n[turns 1-9] " * 900, TURNS[1]["content"] * 40
    given = [TURNS[0]["content"], wild, "", long, "x" * 3_000, "The end."]
    tf.append("c", [{"role": "tool", "tool_call_id": "c1", "content": content} for content in given])
    for _ in range(2):
        found = pages(tf, "L0:turns-1-6", max_tokens=300)
        assert re.fullmatch(r"L0:turns-2-6\+\d+", str(found[1].next_marker))
        for seq, content in enumerate(given, 1):
            assert "".join(turn.content for page in found for turn in page.turns if turn.seq == seq) == content
        assert all(page.tokens <= 300 for page in found)
        assert all(page.truncated for page in found[:-1])
        local.settle()


def test_a_marker_behind_the_end_of_its_turn_is_unknown(folded: Turnfold) -> None:
    length = len(TURNS[16]["content"])
    assert folded.expand("c", f"L0:turn-17+{length - 1}").turns[0].content == TURNS[16]["content"][-1]
    for offset in (length, length + 5):
        with pytest.raises(UnknownMarker, match="turn 17 has"):
            folded.expand("c", f"L0:turn-17+{offset}")


def test_a_small_expansion_reads_little_of_long_turns(tf: Turnfold, local: LocalWorker, reader: Reader) -> None:
    said = [{"type": "text", "text": "word " * 6_000}, {"type": "audio", "x": "A" * 20_000}]
    tf.append("c", [{"role": "user", "content": said}] * 20)
    local.settle()
    read: list[int] = []

    def look(transaction: ReadTransaction) -> None:
        head = transaction.head(Address("acme", "c"))
        assert head is not None
        pieces = transaction.turns_between(head, 1, 20, offset=0, cap=4_096, most=20)
        read.extend(len(piece.turn.content) for piece in pieces)
        assert [piece.turn.parts is None for piece in pieces] == [False] + [True] * 19
        assert all(piece.turn.without_parts for piece in pieces[1:])

    reader.read(look)
    assert read == [4_096] * 20
    assert tf.expand("c", "L0:turns-1-20", max_tokens=100).tokens <= 100
    assert tf.expand("c", "L0:turn-7").turns[0].parts is not None


def test_a_level_that_does_not_fit_is_cut_and_leads_to_its_turns(folded: Turnfold) -> None:
    whole = folded.expand("c", "L1:c1-1")
    cut = folded.expand("c", "L1:c1-1", max_tokens=whole.tokens // 2)
    assert cut.truncated
    assert cut.tokens <= whole.tokens // 2
    assert whole.text.startswith(cut.text.rstrip())
    assert cut.next_marker == f"L0:turns-{whole.first_seq}-{whole.last_seq}"


def test_one_turn_and_a_range_beyond_the_newest_one(folded: Turnfold) -> None:
    assert [turn.content for turn in folded.expand("c", "L0:turn-17").turns] == [TURNS[16]["content"]]
    beyond = folded.expand("c", "L0:turns-325-9999")
    assert (beyond.first_seq, beyond.last_seq, beyond.next_marker) == (325, 330, None)


@pytest.mark.parametrize(
    "marker",
    ["L1:9999", "L1:auth-options-9999", "L2:c1-99", "L1:c7-1", "L0:turn-331", "L0:turns-400-500", "L1:999999999999"],
)
def test_a_marker_of_something_that_does_not_exist_is_unknown(folded: Turnfold, marker: str) -> None:
    with pytest.raises(UnknownMarker, match=marker) as caught:
        folded.expand("c", marker)
    suggestion = caught.value.suggestion
    assert (suggestion is None) is (marker == "L1:c7-1")
    assert suggestion is None or folded.expand("c", suggestion).text


@pytest.mark.parametrize("marker", ["L1:1", "L0:c1-1"])
def test_before_anything_is_folded_there_are_no_segments(tf: Turnfold, marker: str) -> None:
    tf.append("c", TURNS[:2])
    with pytest.raises(UnknownMarker, match="does not exist"):
        tf.expand("c", marker)


def test_every_marker_of_a_context_expands(folded: Turnfold) -> None:
    for budget in (300, 1_000, 3_000):
        context = folded.context("c", budget_tokens=budget)
        assert context.markers
        for marker in context.markers:
            assert folded.expand("c", marker).text


# Inside a context


@pytest.mark.parametrize("policy", ["balanced", "recency"])
def test_a_context_shows_what_its_markers_stand_for_within_the_budget(folded: Turnfold, policy: str) -> None:
    marker = folded.context("c", budget_tokens=900, policy=policy).markers[0]
    target = re.sub("^L[0-3]", "L0", marker)
    first = folded.expand("c", target).turns[0]
    context = folded.context("c", budget_tokens=900, policy=policy, expand=[target])
    assert context.tokens <= 900
    assert f"word for word]\n[{first.created_at.day} March 2026]\n" in context.text  # type: ignore[union-attr]
    assert first.content in context.text
    assert target not in [left.reach for left in context.budget.left_out]


def test_each_level_of_a_segment_can_be_shown_in_a_context(folded: Turnfold) -> None:
    for level, how in enumerate(("word for word", "detailed", "brief", "tags")):
        expansion = folded.expand("c", f"L{level}:2")
        context = folded.context("c", budget_tokens=1_500, expand=[f"L{level}:2"])
        assert f"[turns {expansion.first_seq}-{expansion.last_seq}, {how}]" in context.text
        assert expansion.text.splitlines()[-1].strip() in context.text


def test_what_was_cut_goes_on_with_the_next_context(folded: Turnfold) -> None:
    marker, seen = "L0:turns-1-40", ""
    for _ in range(100):
        context = folded.context("c", budget_tokens=600, expand=[marker])
        assert context.tokens <= 600
        seen += context.text.split("[expanded")[1].split("[recent turns]")[0]
        going = [left.reach for left in context.budget.left_out if left.what.startswith("part of the text behind")]
        if not going:
            break
        (marker,) = going
    else:
        pytest.fail("the pages do not end")
    for turn in TURNS[:40]:
        assert turn["content"].split()[-1] in seen


def test_a_range_at_a_level_leads_on_to_its_segments(folded: Turnfold) -> None:
    context = folded.context("c", budget_tokens=3_000, expand=["L2:turns-1-100"])
    inside = [marker for marker in context.markers if f"→{marker}]" in context.text.split("[expanded")[1]]
    assert inside
    assert all(folded.expand("c", marker).text for marker in inside)


@pytest.mark.parametrize("marker", ["L1:made-up-4096", "L0:turn-9999", "L1:c5-1"])
def test_a_marker_that_stands_for_nothing_is_refused(folded: Turnfold, marker: str) -> None:
    with pytest.raises(UnknownMarker, match=r"does not exist|do not exist"):
        folded.context("c", budget_tokens=500, expand=[marker])


def test_nobodys_markers_stand_for_nothing(folded: Turnfold) -> None:
    with pytest.raises(UnknownConversation):
        folded.context("nobody", budget_tokens=500, expand=["L1:1"])
