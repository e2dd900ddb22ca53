"""A tool's words are shown, found and filtered as the tool's, in both providers' forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from turnfold_worker.offline import FoldedConversation, fold

LOOK_UPS = 16
RULE = "You must never sail the ketch in more than {} knots of wind."
BUDGETS = (400, 1_200, 4_000)
LONG = "Sheet and halyard are checked each morning. " * 400
"""Longer than a read fetches the parts of."""


def openai_turns(number: int, page: str) -> list[dict[str, Any]]:
    call = {"id": f"k{number}", "type": "function", "function": {"name": "look", "arguments": ""}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"k{number}", "content": page},
    ]


def anthropic_turns(number: int, page: str) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"k{number}", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": f"k{number}", "content": page}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def talk(form: Callable[[int, str], list[dict[str, Any]]]) -> FoldedConversation:
    said: list[dict[str, Any]] = []
    for number in range(1, LOOK_UPS + 1):
        page = f"Logbook page {number}: {RULE.format(20 + number)} {LONG if number == LOOK_UPS else ''}".strip()
        said += [
            {"role": "user", "content": f"Which wind does page {number} of the logbook allow for Ines?"},
            *form(number, page),
            {"role": "assistant", "content": f"Page {number} of the logbook names a limit."},
        ]
    turns = [{**turn, "turn_id": f"t{seq}"} for seq, turn in enumerate(said, 1)]
    return fold(turns, conversation_id="c", settings={"segment_max_turns": 8})


@pytest.fixture(scope="module")
def openai() -> Iterator[FoldedConversation]:
    with talk(openai_turns) as folded:
        yield folded


@pytest.fixture(scope="module")
def anthropic() -> Iterator[FoldedConversation]:
    with talk(anthropic_turns) as folded:
        yield folded


@pytest.mark.parametrize("query", [None, "Which wind does page 7 allow?", "never sail the ketch in 36 knots of wind"])
@pytest.mark.parametrize("budget", BUDGETS)
def test_no_line_gives_a_tools_words_to_a_person(
    openai: FoldedConversation, anthropic: FoldedConversation, budget: int, query: str | None
) -> None:
    for folded in (openai, anthropic):
        context = folded.context(budget_tokens=budget, query=query)
        lines = [line for line in context.text.splitlines() if "Logbook page" in line]
        assert lines
        assert not [line for line in lines if "user" in line.split("Logbook page")[0]]
        for form in ("openai", "anthropic"):
            said = [message["content"] for message in context.messages(form) if message["role"] == "user"]
            assert not [content for content in said if str(content).startswith("Logbook page")]


def test_words_of_people_alone_are_free_of_a_tools(openai: FoldedConversation, anthropic: FoldedConversation) -> None:
    for folded in (openai, anthropic):
        of_speaker = folded.context(budget_tokens=4_000, speakers=["user"])
        for context in (of_speaker, folded.context(budget_tokens=4_000, origins=["user"])):
            assert "Which wind" in context.text
            assert "never sail" not in context.text


def test_search_names_the_tool(openai: FoldedConversation, anthropic: FoldedConversation) -> None:
    query = "never sail the ketch"
    for folded in (openai, anthropic):
        hits = folded.search(query)
        assert {(hit.speaker, str(hit.origin)) for hit in hits if "ketch" in hit.snippet} == {("tool", "tool")}
        assert {str(hit.origin) for hit in folded.search("logbook ketch", origins=["user"])} == {"user"}
        assert not [hit for hit in folded.search(query, origins=["user"]) if "ketch" in hit.snippet]
        assert not [hit for hit in folded.search(query, speakers=["user"]) if "ketch" in hit.snippet]
    assert [hit.snippet for hit in anthropic.search(query)] == [hit.snippet for hit in openai.search(query)]


def test_reads_of_both_forms_name_the_same_speakers(openai: FoldedConversation, anthropic: FoldedConversation) -> None:
    def said(folded: FoldedConversation) -> list[Any]:
        return [
            [(note.turn_seq, note.speaker, note.role, note.origin, note.text) for note in folded.notes()],
            [(anchor.turn_seq, anchor.speaker, anchor.role, anchor.text) for anchor in folded.anchors()],
            [(entry.turn_seq, entry.speaker, entry.origin) for entry in folded.timeline()],
            [folded.expand("L0:turns-1-8").text],
        ]

    assert said(anthropic) == said(openai)
    assert "tool: Logbook page 1" in anthropic.expand("L0:turns-1-8").text
