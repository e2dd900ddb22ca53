"""The origin of the words in a turn is recognized, in both providers' forms."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.origins import origin_of, turn_origin
from turnfold.contract.records import Origin, Role, StoredTurn
from turnfold.contract.speakers import MAX_SPEAKER, quoting
from turnfold_worker.pipeline.turns.voices import origin_of_turns, voices_of


def told(seq: int, role: Role, content: str, **more: Any) -> StoredTurn:
    return StoredTurn(seq=seq, turn_id=f"t{seq}", role=role, content=content, **more)


def openai_call(name: str, arguments: str) -> list[StoredTurn]:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return [
        told(1, Role.ASSISTANT, "", parts={"tool_calls": [call]}),
        told(2, Role.TOOL, "the result", parts={"tool_call_id": "c1"}),
    ]


def anthropic_call(name: str, **given: str) -> list[StoredTurn]:
    use = {"type": "tool_use", "id": "c1", "name": name, "input": given}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "the result"}
    return [
        told(1, Role.ASSISTANT, "", parts={"content": [use]}),
        told(2, Role.USER, "the result", parts={"content": [result]}),
    ]


@pytest.mark.parametrize(
    "turns",
    [
        openai_call("web_fetch", '{"page": "pricing"}'),
        openai_call("openUrl", "{}"),
        openai_call("read", '{"source": "https://example.org/pricing"}'),
        openai_call("bash", '{"command": "curl -s https://example.org | head"}'),
        anthropic_call("BrowserNavigate"),
        anthropic_call("open", target="http://example.org"),
        [told(1, Role.USER, "go"), told(2, Role.TOOL, "the result", name="browse")],
    ],
)
def test_a_fetched_page_is_of_outside(turns: list[StoredTurn]) -> None:
    assert voices_of(turns)[2] == "outside"
    assert origin_of_turns(turns, voices_of(turns)) is Origin.OUTSIDE


@pytest.mark.parametrize(
    "turns",
    [
        openai_call("run_tests", '{"path": "tests"}'),
        openai_call("fetch_orders", '{"table": "orders"}'),
        openai_call("bash", '{"command": "cat README.md"}'),
        anthropic_call("edit", text="see https://example.org"),
        [told(1, Role.USER, "go"), told(2, Role.TOOL, "the result", name="weather")],
    ],
)
def test_what_a_tool_works_out_is_the_tools(turns: list[StoredTurn]) -> None:
    assert voices_of(turns)[2] == "tool"
    assert origin_of_turns(turns, voices_of(turns)) is Origin.TOOL


def test_a_mail_that_a_person_pastes_is_of_outside() -> None:
    mail = "Here is the mail I got:\n\nFrom: Tom <tom@example.org>\nSubject: Rent\n\nThe rent is 900 from May on."
    pasted, own = told(1, Role.USER, mail), told(2, Role.USER, "The rent is 800.")
    voices = voices_of([pasted, own])
    assert voices == {1: "user", 2: "user"}
    assert origin_of_turns([own], voices) is Origin.USER
    assert origin_of_turns([own, pasted], voices) is Origin.OUTSIDE


@given(st.sampled_from(Role))
def test_a_plain_turn_has_the_origin_of_its_role(role: Role) -> None:
    turn = told(1, role, "words")
    assert turn_origin(turn) is origin_of(voices_of([turn])[1])
    assert turn_origin(turn) is {Role.ASSISTANT: Origin.ASSISTANT, Role.TOOL: Origin.TOOL}.get(role, Origin.USER)


@given(st.text(max_size=MAX_SPEAKER))
def test_a_label_of_quoted_words_is_no_longer_than_others_and_not_the_speakers(label: str) -> None:
    assert len(quoting(label)) <= MAX_SPEAKER
    assert quoting(label) != label
