"""Messages made by one provider become a request that the other accepts, without anything it rejects."""

from __future__ import annotations

from typing import Any

from tests.unit.assemble.test_contexts import read, snapshot_of, turn
from turnfold.assemble import Context, Request
from turnfold.contract.records import Role, StoredTurn
from turnfold.tokens import estimate_tokens

ROOM = Request(budget_tokens=4_000)


def asked(seq: int, call_id: str, *, name: str = "look", **call: object) -> StoredTurn:
    given = {"id": call_id, "type": "function", "function": {"name": name, "arguments": '{"q": "x"}'}, **call}
    return turn(seq, Role.ASSISTANT, "look x", parts={"tool_calls": [given]})


def answered(seq: int, call_id: str) -> StoredTurn:
    return turn(seq, Role.TOOL, f"found {seq}", parts={"tool_call_id": call_id})


def said(seq: int, role: Role, *blocks: dict[str, Any]) -> StoredTurn:
    return turn(seq, role, f"said {seq}", parts={"content": list(blocks)})


def blocks_in(context: Context, kind: str) -> list[dict[str, Any]]:
    messages = context.messages("anthropic")
    lists = [message["content"] for message in messages if isinstance(message["content"], list)]
    return [block for blocks in lists for block in blocks if block["type"] == kind]


def test_ids_that_repeat_are_told_apart_for_anthropic() -> None:
    groups = [one for seq in (1, 4, 7) for one in (turn(seq, Role.USER, "Look."), asked(seq + 1, "call_1"),
                                                   answered(seq + 2, "call_1"))]  # fmt: skip
    context = read(snapshot_of(*groups), ROOM)
    uses, results = blocks_in(context, "tool_use"), blocks_in(context, "tool_result")
    assert [block["id"] for block in uses] == ["call_1", "call_1_5", "call_1_8"]
    assert [block["tool_use_id"] for block in results] == ["call_1", "call_1_5", "call_1_8"]
    assert [message["tool_call_id"] for message in context.messages("openai") if message["role"] == "tool"] == [
        "call_1"
    ] * 3


def test_ids_and_names_of_other_servers_are_written_in_letters_that_anthropic_takes() -> None:
    snapshot = snapshot_of(asked(1, "functions.look:0", name="files.look"), answered(2, "functions.look:0"))
    context = read(snapshot, ROOM)
    (use,), (result,) = blocks_in(context, "tool_use"), blocks_in(context, "tool_result")
    assert use["id"] == result["tool_use_id"] == "functions_2elook_3a0"
    assert use["name"] == "files_look"
    call = context.messages("openai")[0]["tool_calls"][0]
    assert (call["id"], call["function"]["name"]) == ("functions.look:0", "files.look")


def test_calls_get_the_type_and_text_that_openai_asks_for_and_lose_their_place_in_a_stream() -> None:
    bare = {"id": "c1", "index": 0, "function": {"name": "look", "arguments": {"q": "ä"}}}
    snapshot = snapshot_of(turn(1, Role.ASSISTANT, "look", parts={"tool_calls": [bare]}), answered(2, "c1"))
    (call,) = read(snapshot, ROOM).messages("openai")[0]["tool_calls"]
    assert call == {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"q": "ä"}'}}
    assert "type" not in bare


def test_marks_for_a_providers_cache_are_left_to_the_request() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    use = {"type": "tool_use", "id": "u1", "name": "look", "input": {}, **mark}
    inner = [{"type": "text", "text": "found", **mark}, {"type": "text", "text": " "}]
    result = {"type": "tool_result", "tool_use_id": "u1", "content": inner, **mark}
    paper = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}, **mark}
    snapshot = snapshot_of(said(1, Role.ASSISTANT, use), said(2, Role.USER, result, paper))
    context = read(snapshot, ROOM)
    assert "cache_control" not in str(context.messages("anthropic"))
    assert blocks_in(context, "tool_result")[0]["content"] == [{"type": "text", "text": "found"}]
    assert blocks_in(context, "document")


def test_thoughts_are_replayed_signed_and_before_what_they_led_to() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    unsigned = {"type": "thinking", "thinking": "Hm."}
    answer = {"type": "text", "text": "Yes."}
    snapshot = snapshot_of(
        turn(1, Role.USER, "Why?"),
        said(2, Role.ASSISTANT, thought, unsigned, answer, thought),
        turn(3, Role.USER, "And?"),
        said(4, Role.ASSISTANT, thought),
    )
    assert read(snapshot, ROOM).messages("anthropic")[1:] == [
        {"role": "assistant", "content": [thought, answer]},
        {"role": "user", "content": "And?"},
    ]


def test_ids_that_were_changed_are_counted_as_they_are_sent() -> None:
    groups = [one for seq in range(1, 60, 2) for one in (asked(seq, "a.b:c"), answered(seq + 1, "a.b:c"))]
    for budget in range(200, 2_400, 100):
        context = read(snapshot_of(*groups), Request(budget_tokens=budget))
        uses = [block["id"] for block in blocks_in(context, "tool_use")]
        assert len(set(uses)) == len(uses)
        assert context.tokens <= budget
        assert context.budget.anthropic_tokens >= estimate_tokens(context.system)
