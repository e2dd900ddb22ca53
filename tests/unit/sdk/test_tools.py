"""Tool schemas suit each provider, calls of every form are answered, and nothing a model sends raises."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.talk import talk
from turnfold import TOOL_NAMES, InvalidInput
from turnfold.tokens import estimate_tokens
from turnfold_worker.offline import FoldedConversation, fold

FORMS = ("openai", "responses", "anthropic")


@pytest.fixture(scope="module")
def folded() -> Iterator[FoldedConversation]:
    with fold(talk("tools", 120), conversation_id="c", settings={"segment_max_turns": 8}) as conversation:
        yield conversation


def call(form: str, name: object, arguments: object) -> dict[str, Any]:
    if form == "anthropic":
        return {"type": "tool_use", "id": "call-1", "name": name, "input": arguments}
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    if form == "responses":
        return {"type": "function_call", "call_id": "call-1", "name": name, "arguments": written}
    return {"type": "function", "id": "call-1", "function": {"name": name, "arguments": written}}


def said(answer: dict[str, Any]) -> str:
    text = answer["output"] if "output" in answer else answer["content"]
    assert isinstance(text, str)
    return text


def test_every_value_of_a_schema_is_plain_json(folded: FoldedConversation) -> None:
    (anchors,) = [tool["input_schema"] for tool in folded.tools("anthropic") if tool["name"] == "anchors"]
    assert {type(value) for name in ("types", "states") for value in anchors["properties"][name]["items"]["enum"]} == {
        str
    }


class ClientObject:
    """The kind of object that provider clients hand over: one that dumps itself."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def model_dump(self) -> dict[str, Any]:
        return self._values


def test_schemas_have_the_form_that_each_provider_takes(folded: FoldedConversation) -> None:
    openai, responses, anthropic = (folded.tools(form) for form in ("openai", "responses", "anthropic"))
    assert tuple(tool["function"]["name"] for tool in openai) == TOOL_NAMES
    assert tuple(tool["name"] for tool in responses) == tuple(tool["name"] for tool in anthropic) == TOOL_NAMES
    for chat, response, claude in zip(openai, responses, anthropic, strict=True):
        assert chat["type"] == response["type"] == "function"
        assert chat["function"]["parameters"] == response["parameters"] == claude["input_schema"]
        jsonschema.Draft202012Validator.check_schema(claude["input_schema"])
    openai[0]["function"]["parameters"]["properties"].clear()
    assert folded.tools("openai")[0]["function"]["parameters"]["properties"]


def test_an_unknown_form_names_the_forms(folded: FoldedConversation) -> None:
    with pytest.raises(InvalidInput, match="openai, responses or anthropic"):
        folded.tools("gemini")  # type: ignore[arg-type]


@pytest.mark.parametrize("form", FORMS)
def test_a_marker_of_a_context_is_expanded_word_for_word(folded: FoldedConversation, form: str) -> None:
    marker = folded.context(budget_tokens=800).markers[0].replace("L1:", "L0:").replace("L2:", "L0:")
    text = said(folded.handle_tool_call(call(form, "expand", {"marker": f"[… →{marker}]"})))
    turns = folded.expand(marker, max_tokens=1_900).turns
    assert turns
    assert all(turn.content in text for turn in turns[:-1])
    assert "word for word" in text


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("openai", {"role": "tool", "tool_call_id": "call-1"}),
        ("responses", {"type": "function_call_output", "call_id": "call-1"}),
        ("anthropic", {"type": "tool_result", "tool_use_id": "call-1"}),
    ],
)
def test_the_answer_has_the_form_of_the_call_given_as_dict_or_as_a_clients_object(
    folded: FoldedConversation, form: str, expected: dict[str, str]
) -> None:
    asked = call(form, "search", {"query": "migration", "limit": 3})
    answer = folded.handle_tool_call(asked)
    assert {**answer, **expected} == answer
    assert said(answer).count("\n") == 3
    assert folded.handle_tool_call(ClientObject(asked)) == answer


def test_a_long_expansion_goes_on_to_its_end(folded: FoldedConversation) -> None:
    marker, seen = "L0:turns-1-60", ""
    for _ in range(200):
        text = said(folded.handle_tool_call(call("openai", "expand", {"marker": marker}), max_tokens=300))
        seen += text
        *_, last = text.splitlines()
        if not last.startswith("[goes on →"):
            break
        marker = last.removeprefix("[goes on →").removesuffix("]")
    assert all(turn["content"][-20:] in seen for turn in talk("tools", 120)[:60])


def test_a_long_list_of_anchors_goes_on_to_its_end(folded: FoldedConversation) -> None:
    everything = folded.anchors()
    lines: list[str] = []
    for _ in range(len(everything)):
        arguments = {"skip": len(lines)}
        text = said(folded.handle_tool_call(call("openai", "anchors", arguments), max_tokens=200))
        *found, last = text.splitlines()
        lines += found if "more: call anchors with skip=" in last else [*found, last]
        if "more: call anchors with skip=" not in last:
            break
        assert f"skip={len(lines)}," in last
    assert len(lines) == len(everything)
    assert all(anchor.text in line for anchor, line in zip(everything, lines, strict=True))


def test_each_anchor_is_told_with_its_turn_its_day_and_who_said_it(folded: FoldedConversation) -> None:
    everything = {(anchor.turn_seq, anchor.text): anchor for anchor in folded.anchors(states=None)}
    assert all(anchor.speaker and anchor.role and anchor.turn_id for anchor in everything.values())
    text = said(folded.handle_tool_call(call("openai", "anchors", {"types": ["decision"]})))
    (decision,) = [anchor for anchor in folded.anchors(types=["decision"]) if anchor.text in text][:1]
    day = f", {decision.day}" if decision.day else ""
    assert f"[decision, turn {decision.turn_seq}{day}] {decision.speaker}: " in text


def test_a_marker_with_the_words_of_another_node_is_answered_with_its_own(folded: FoldedConversation) -> None:
    name = folded.segments[0].node.marker_name
    text = said(folded.handle_tool_call(call("openai", "expand", {"marker": "L1:nope-1"})))
    assert f"L1:{name}" in text


def test_anchors_are_told_by_type_and_state(folded: FoldedConversation) -> None:
    text = said(folded.handle_tool_call(call("anthropic", "anchors", {"types": ["decision"], "states": ["active"]})))
    assert text.splitlines()
    assert all(line.startswith("[decision, turn ") for line in text.splitlines() if "more:" not in line)


@pytest.mark.parametrize(
    ("name", "arguments", "remedy"),
    [
        ("expand", {}, "copied from the notes; it is missing"),
        ("expand", {"marker": 7}, "it is 7"),
        ("expand", {"marker": "L1:made-up-4096"}, "Or use search"),
        ("expand", {"marker": "the first part"}, "copy one from a context"),
        ("expand", "{not json", "not JSON"),
        ("expand", "[1]", "not an object"),
        ("search", {"query": " "}, "words to look for"),
        ("search", {"query": "x", "limit": 0}, "at least 1"),
        ("anchors", {"types": ["promise"]}, "commitment, decision"),
        ("anchors", {"skip": "all"}, "whole number"),
        ("anchors", {"type": "decision"}, "anchors takes no 'type': use types, states, skip"),
        ("search", {"q": "x"}, "search takes no 'q': use query, limit"),
        ("expand", {"marker": "L0:turn-1", "max_tokens": 9}, "expand takes no 'max_tokens': use marker"),
        ("delete_everything", {}, "expand, search, anchors"),
        (None, {}, "expand, search, anchors"),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_what_is_wrong_with_a_call_is_told_to_the_model_with_the_remedy(
    folded: FoldedConversation, form: str, name: object, arguments: object, remedy: str
) -> None:
    answer = folded.handle_tool_call(call(form, name, arguments))
    assert remedy in said(answer)
    assert said(answer).startswith("Error: ")
    assert answer.get("is_error", form != "anthropic")


@pytest.mark.parametrize(
    "given", [None, "expand", 3, {}, {"type": "text", "text": "hi"}, {"function": {"name": "expand"}}, object()]
)
def test_what_is_no_call_is_the_programs_fault(folded: FoldedConversation, given: object) -> None:
    with pytest.raises(InvalidInput, match="tool_calls"):
        folded.handle_tool_call(given)


@pytest.mark.parametrize("most", [0, 99, True, 2.5])
def test_a_result_needs_room(folded: FoldedConversation, most: Any) -> None:
    with pytest.raises(InvalidInput, match="at least 100"):
        folded.handle_tool_call(call("openai", "search", {"query": "x"}), max_tokens=most)


def test_words_that_nobody_said_are_not_found(folded: FoldedConversation) -> None:
    assert "try other words" in said(folded.handle_tool_call(call("openai", "search", {"query": "zzyzx qwfp"})))


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_markers = st.sampled_from(["L0:turns-1-200", "L1:turns-1-200", "L1:3", "L2:c1-1", "L0:turn-9+4", "L3:turns-5-60"])
_arguments = (
    st.fixed_dictionaries({}, optional={
        "marker": _markers | _values, "query": st.sampled_from(["migration", "Mara"]) | _values, "limit": _values,
        "skip": st.integers(0, 40) | _values, "types": _values, "states": _values, "why": _values,
    }) | _values
)  # fmt: skip


@examples(150)
@given(
    form=st.sampled_from(FORMS), name=st.sampled_from(TOOL_NAMES) | st.text(max_size=9), arguments=_arguments,
    most=st.integers(100, 3_000),
)  # fmt: skip
def test_no_argument_raises_and_no_answer_exceeds_its_room(
    folded: FoldedConversation, form: str, name: str, arguments: object, most: int
) -> None:
    answer = folded.handle_tool_call(call(form, name, arguments), max_tokens=most)
    assert said(answer).strip()
    assert estimate_tokens(said(answer)) <= most
