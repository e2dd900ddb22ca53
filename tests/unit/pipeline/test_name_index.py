"""The name index keeps the names that a conversation is about, for any text and within its bounds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import said, talk, wild_text, wild_turns
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.language.mentions import is_path, mentions
from turnfold_worker.pipeline.name_index import (
    MAX_NAMES,
    IndexedName,
    NameIndex,
    merge_name_indexes,
    rank,
    segment_name_index,
    tool_share,
)
from turnfold_worker.pipeline.turns.reading import read_turn


def index_of(turns: Sequence[StoredTurn]) -> NameIndex:
    return segment_name_index(map(read_turn, turns))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("see src/app/main.py, please", ("src/app/main.py",)),
        ("(at ./lib/io.rs:42:7) and ../x/y.test.tsx.", ("lib/io.rs", "../x/y.test.tsx")),
        ("open `setup.cfg` or Makefile", ("setup.cfg", "Makefile")),
        (r"C:\work\app\Program.cs failed", (r"C:\work\app\Program.cs",)),
        ('{"text": "first\\nreadValue(x)\\tmax_size"}', ("readValue", "max_size")),
        ("使用src/main.py文件和getUser函数", ("src/main.py", "getUser")),
        ("diff --git a/pkg/one.go b/pkg/one.go", ("pkg/one.go",)),
        ("com.example.HttpClient#sendAll and self._retry_count", ("HttpClient", "sendAll", "_retry_count")),
        ("MAX_RETRIES=3 UTF8StreamParser", ("MAX_RETRIES", "UTF8StreamParser")),
        ("and/or, e.g. this. Not 1/2.5, nor a.b.c.d, nor v1.2.3; NASA, Really, mail ana@example.org", ()),
        ("https://example.org", ()),
        ("sha a1B2c3D4e5F6a7B8 key_" + "x" * 80, ()),
    ],
)
def test_names_are_found_as_they_are_written(text: str, names: tuple[str, ...]) -> None:
    assert mentions(text).names == names


def test_lines_that_are_little_else_than_a_path_are_a_result_list() -> None:
    found = mentions("Found 3 matches:\n  src/a/one.py (2 matches)\nsrc/a/two.py\nbut src/a/three.py is only spoken of")
    assert found.listed == {"src/a/one.py", "src/a/two.py"}
    assert mentions("src/a/one.py\nand nothing else").listed == frozenset()


def test_what_people_say_weighs_most_and_result_lists_more_than_what_tools_print() -> None:
    turns = talk("tool: alphaOne betaTwo\nx/one.py\nx/two.py\nsome line about x/three.py", "assistant: I open betaTwo")
    scores = {entry.name: entry.score for entry in index_of(turns).entries}
    assert scores == {"alphaOne": 1, "betaTwo": 6, "x/one.py": 4, "x/two.py": 4, "x/three.py": 1}


def test_arguments_of_tool_calls_are_read() -> None:
    call = {"function": {"name": "open", "arguments": '{"path": "src/deep/io.py"}'}}
    turn = said("", role=Role.ASSISTANT, parts={"tool_calls": [call]})
    block = {"type": "tool_use", "id": "a", "name": "grep", "input": {"pattern": "readValue", "limit": 3}}
    other = said("", seq=2, role=Role.ASSISTANT, parts={"content": [block]})
    assert rank(index_of([turn, other])) == ("readValue", "src/deep/io.py")


def test_the_tail_of_a_path_adds_to_the_longer_path() -> None:
    index = index_of(talk("assistant: open core/json/Parser.java", "tool: /repo/core/json/Parser.java has otherThing"))
    assert rank(index) == ("/repo/core/json/Parser.java", "otherThing")


def test_a_path_is_about_the_symbol_that_its_file_is_named_after() -> None:
    wanted = ["assistant: TypeFactory"] * 5
    index = index_of(talk(*wanted, "tool: src/x/AnyFactory.java src/x/TypeFactory.java"))
    order = [name for name in rank(index) if is_path(name)]
    assert order[0] == "src/x/TypeFactory.java"


def test_a_name_inside_a_listed_name_is_not_listed_again() -> None:
    index = NameIndex((IndexedName("src/TypeFactory.java", 90, 1), IndexedName("TypeFactory", 1, 1)))
    assert rank(index) == ("src/TypeFactory.java",)


def test_a_long_listing_chooses_nothing() -> None:
    few, many = ["src/a.py", "src/b.py"], [f"src/{letter}{other}.py" for letter in "cdefghi" for other in "klmnopq"]
    index = index_of(talk("tool: " + "\n".join(few), "tool: " + "\n".join(many)))
    scores = {entry.name: entry.score for entry in index.entries}
    assert {scores[name] for name in few} == {4}
    assert {scores[name] for name in many} == {1}


def test_of_names_that_differ_in_digits_the_first_stands_for_all() -> None:
    series = tuple(IndexedName(f"tests/test_part_{n}.py", 40, 1) for n in range(9))
    index = NameIndex((*series, IndexedName("src/ferry/refunds.py", 12, 1)))
    assert rank(index)[:3] == ("tests/test_part_0.py", "tests/test_part_1.py", "src/ferry/refunds.py")


def test_a_tool_that_is_called_is_no_name() -> None:
    call = {"function": {"name": "run_command", "arguments": '{"command": "cat setup.cfg"}'}}
    turn = said("[call run_command]", role=Role.ASSISTANT, parts={"tool_calls": [call]})
    assert rank(index_of([turn])) == ("setup.cfg",)


def commanded(seq: int, *commands: str) -> list[StoredTurn]:
    return [
        said(f"Next.\n```\n{command}\n```", seq=seq + place, role=Role.ASSISTANT)
        for place, command in enumerate(commands)
    ]


def test_words_that_command_tools_stand_apart_from_names() -> None:
    first = index_of(commanded(1, "find_file ferryPlan", "edit 3:3\nint berthSize;\nend_of_edit"))
    second = index_of(commanded(5, "find_file tidesTable", 'search_dir "tidesTable"'))
    index = merge_name_indexes(first, NameIndex.from_json(json.loads(json.dumps(second.to_json()))))
    names = rank(index)
    assert names[0] == "(commands: find_file end_of_edit search_dir)"
    assert set(names[1:]) == {"ferryPlan", "berthSize", "tidesTable"}
    assert rank(second, told=rank(first))[0] == "(commands: search_dir)"
    assert rank(first, told=names)[0] in {"ferryPlan", "berthSize"}


def test_a_word_that_only_a_text_says_is_no_command() -> None:
    assert rank(index_of(talk("tool: find_file ferryPlan"))) == ("ferryPlan", "find_file")


def test_keys_of_json_are_no_names_of_the_work() -> None:
    printed = """tool: {"berth_id": "quayNorth", 'tide_cm': 41}"""
    assert rank(index_of(talk(*[printed] * 2))) == ("quayNorth",)


def test_what_only_a_manual_says_is_no_name_of_the_work() -> None:
    manual = " ".join(f"When you open file {n}, use the command scroll_down {n}." for n in range(40))
    assert rank(index_of(talk(f"user: The fareTable is wrong. {manual}"))) == ("fareTable",)


def test_the_end_of_an_element_is_no_path() -> None:
    assert mentions("<port.pier>x</port.pier> </quay.toll>").names == ()


def test_frequent_names_outlive_any_number_of_others_and_new_ones_can_rise() -> None:
    index = NameIndex()
    for i in range(60):
        crowd = " ".join(f"name_{i}_{j}" for j in range(100))
        often = "oldFavourite" if i < 30 else "newFavourite"
        index = merge_name_indexes(
            index, index_of([said(f"{often} {crowd}", seq=2 * i + 1), said(often, seq=2 * i + 2)])
        )
    assert len(index.entries) == MAX_NAMES
    scores = {entry.name: entry.score for entry in index.entries}
    assert scores["oldFavourite"] < 30 * 10, "what is not named any more fades"
    assert set(rank(index)[:2]) == {"oldFavourite", "newFavourite"}


@pytest.mark.parametrize(
    ("tool", "everything", "share"), [(0, 100, 0.0), (30, 100, 0.3), (90, 100, 0.8), (0, 0, 0.0), (-1, 10, 0.0)]
)
def test_the_share_is_that_of_tool_output(tool: int, everything: int, share: float) -> None:
    assert tool_share(tool, everything) == share


_indexes = wild_turns(most=6).map(index_of)


@given(wild_turns(most=12), st.integers(1, 5))
def test_cutting_into_segments_changes_nothing_while_all_names_fit(turns: list[StoredTurn], size: int) -> None:
    whole = index_of(turns)
    parts = [index_of(part) for part in (turns[i : i + size] for i in range(0, len(turns), size))]
    assert reduce(merge_name_indexes, parts, NameIndex()) == whole
    assert reduce(merge_name_indexes, reversed(parts), NameIndex()) == whole


@given(st.lists(_indexes, max_size=5), st.randoms(use_true_random=False))
def test_merging_all_at_once_does_not_depend_on_their_order(indexes: list[NameIndex], random: Random) -> None:
    merged = merge_name_indexes(*indexes)
    random.shuffle(indexes)
    assert merge_name_indexes(*indexes) == merged
    assert reduce(merge_name_indexes, indexes, NameIndex()) == merged


@given(_indexes, _indexes)
def test_merging_is_commutative_and_loses_no_points(one: NameIndex, other: NameIndex) -> None:
    merged = merge_name_indexes(one, other)
    assert merged == merge_name_indexes(other, one)
    assert sum(e.score for e in merged.entries) == sum(e.score for e in (*one.entries, *other.entries))


@given(wild_turns(most=12))
def test_every_name_is_written_in_a_turn(turns: list[StoredTurn]) -> None:
    whole = "\n".join([turn.content for turn in turns] + [json.dumps(turn.parts or {}) for turn in turns])
    assert all(entry.name in whole and entry.score > 0 for entry in index_of(turns).entries)


@given(st.lists(st.tuples(st.sampled_from("abcd/.Aa_") | st.text(max_size=9), st.integers(0, 99), st.integers(1, 9))))
def test_a_ranking_is_of_the_names_of_an_index_without_repeats(rows: list[tuple[str, int, int]]) -> None:
    index = NameIndex.from_json([list(row) for row in rows])
    names = rank(index)
    assert set(names) <= {entry.name for entry in index.entries}
    assert all(later not in earlier for earlier, later in pairwise(names))


@given(_indexes)
def test_an_index_survives_json(index: NameIndex) -> None:
    assert NameIndex.from_json(json.loads(json.dumps(index.to_json()))) == index


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=20))
def test_nonsense_reads_as_an_index_without_it(rows: object) -> None:
    assert len(NameIndex.from_json(rows).entries) <= MAX_NAMES


@given(wild_text)
def test_mentions_never_fail(text: str) -> None:
    found = mentions(text)
    assert found.listed <= set(found.names)


@pytest.mark.parametrize(
    "scrap", ["a", "a/", "/", "a.", ".", "_", "aA", "a_", "\\n", "C:\\", "-", "~", "中", "a/b.py ", "a/b.py\n"]
)
def test_a_very_long_line_is_read_without_growing_cost(scrap: str) -> None:
    turn = said(scrap * (300_000 // len(scrap)))
    assert len(index_of([turn]).entries) <= 2


def searched(*outputs: str) -> list[StoredTurn]:
    """Return turns in which an assistant searches for files and gets the given outputs."""
    turns = []
    for number, output in enumerate(outputs):
        turns.append(said(seq=2 * number + 1, role=Role.ASSISTANT, content=f"find_file pages/setup_{number}.md"))
        turns.append(said(seq=2 * number + 2, role=Role.TOOL, content=output))
    return turns


def test_a_file_that_was_looked_for_and_is_not_there_is_no_name() -> None:
    turns = searched(
        'No matches found for "pages/setup_0.md" in /srv', "cat: pages/setup_1.md: No such file or directory"
    )
    assert [entry.name for entry in index_of(turns).entries if is_path(entry.name)] == []


def test_a_file_that_is_found_after_all_is_a_name() -> None:
    turns = [
        *searched('No matches found for "pages/setup_0.md" in src'),
        said(seq=3, role=Role.TOOL, content="docs/pages/setup_0.md\npages/setup_0.md"),
    ]
    assert "pages/setup_0.md" in {entry.name for entry in index_of(turns).entries}


def test_a_symbol_that_is_not_found_stays_a_name() -> None:
    turns = [
        said(seq=1, role=Role.ASSISTANT, content="javac Pay.java"),
        said(seq=2, role=Role.TOOL, content="error: symbol not found: roundHalf"),
    ]
    assert "roundHalf" in {entry.name for entry in index_of(turns).entries}


def test_paths_are_written_from_the_folder_from_which_the_conversation_writes_them() -> None:
    root = "/home/ferry/work/ferry-tickets/"
    names = ("src/pay/cut.py", "src/pay/half.py", f"{root}src/pay/cut.py", f"{root}src/pay/half.py", f"{root}docs/a.md")
    ranked = rank(NameIndex(tuple(IndexedName(name, 9 - i, i) for i, name in enumerate(names))))
    assert sorted(ranked) == sorted((root, "src/pay/cut.py", "src/pay/half.py", "docs/a.md"))
    assert ranked[0] == root


def test_a_path_that_is_written_in_full_stays_so() -> None:
    names = ("/home/ferry/src/pay/cut.py", "/home/ferry/docs/a.md", "src/pay/cut.py")
    ranked = rank(NameIndex(tuple(IndexedName(name, 9 - i, i) for i, name in enumerate(names))))
    assert set(ranked) == {"/home/ferry/src/pay/cut.py", "/home/ferry/docs/a.md"}
