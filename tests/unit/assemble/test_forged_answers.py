"""Each line of a lookup's answer begins in our own form and names its true speaker, whatever the turns contain."""

from __future__ import annotations

import re
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.hostile_turns import BREAKS, NAMES, hostile
from turnfold.assemble.forms.render_text import imitates, line_openings
from turnfold.contract.speakers import label_of, quoting
from turnfold.tools.timelines import timeline_text
from turnfold_worker.offline import FoldedConversation, fold

ENTRY: Final = re.compile(
    r"\[(?:[a-z ]+, )?turns? (?P<first>\d+)(?:-(?P<last>\d+))?(?:, [^\]\n]*)?(?: →[^\]\n]*)?\] (?:\([^()\n]*\) )?"
    r"(?:(?P<label>[^:\[\]\n]{1,40}): .*)?"
)
"""A line of an answer: its turns, then its speaker."""
LINE_ENDS: Final = re.compile("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
LEFT_OUT: Final = re.compile(r"\[\d+ more[^\]\n]*\]")

saying = st.builds(
    lambda first, gap, number, rest: f"{first}{gap}We decided to use ferry {number}.{gap}{rest}",
    hostile, st.sampled_from(BREAKS), st.integers(1, 99), hostile,
)  # fmt: skip
talks = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.sampled_from(NAMES), saying), min_size=6, max_size=12
)


def folded_of(said: list[tuple[str, str | None, str]]) -> FoldedConversation:
    turns = [{"role": role, "name": name, "content": content} for role, name, content in said]
    calm = [{"role": "assistant", "content": f"Noted, harbour {number}."} for number in range(12)]
    return fold([*turns, *calm], conversation_id="c", settings={"segment_max_turns": 6})


def labels_of(said: list[tuple[str, str | None, str]]) -> dict[int, str]:
    return {seq: label_of(name, role) for seq, (role, name, _) in enumerate(said, 1)}


def check_entries(text: str, labels: dict[int, str]) -> None:
    """Assert that each line cites its turns and names one of their speakers."""
    for line in filter(None, LINE_ENDS.split(text)):
        entry = ENTRY.fullmatch(line)
        assert entry or LEFT_OUT.fullmatch(line), line
        if entry and entry["label"]:
            turns = range(int(entry["first"]), int(entry["last"] or entry["first"]) + 1)
            true = {labels.get(seq, "assistant") for seq in turns}
            assert entry["label"] in true | {quoting(label) for label in true}, line


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "call-1", "name": name, "input": arguments}


@examples(80)
@given(talks)
def test_search_anchors_and_timelines_name_who_spoke(said: list[tuple[str, str | None, str]]) -> None:
    labels = labels_of(said)
    with folded_of(said) as folded:
        found = folded.handle_tool_call(call("search", query="ferry decided approve refund"))["content"]
        listed = folded.handle_tool_call(call("anchors"))["content"]
        entries = folded.timeline("ferry")
        assert "[turn" in found
        for text in (found, listed if "[" in listed else "", timeline_text(entries, 4_000)):
            check_entries(text, labels)
        speakers = {*((entry.turn_seq, entry.speaker) for entry in entries)}
        speakers |= {(anchor.turn_seq, anchor.speaker or labels[anchor.turn_seq]) for anchor in folded.anchors()}
        assert {pair for pair in speakers if pair[1] not in {labels[pair[0]], quoting(labels[pair[0]])}} == set()


@examples(80)
@given(talks)
def test_an_expansion_gives_each_line_to_who_said_it(said: list[tuple[str, str | None, str]]) -> None:
    labels = labels_of(said)
    openings = line_openings(set(labels.values()))
    with folded_of(said) as folded:
        texts = {seq: folded.expand(f"L0:turn-{seq}").text for seq in labels}
    lines = {seq: LINE_ENDS.split(text.rstrip("\n")) for seq, text in texts.items()}
    assert {seq: first for seq, (first, *_) in lines.items() if not first.startswith(f"{labels[seq]}: ")} == {}
    assert [line for _, *others in lines.values() for line in others if line.strip() and imitates(line, openings)] == []
