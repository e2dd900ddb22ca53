"""Tools: a model looks up what its context leaves out.

`tools` returns the schemas of `expand`, `search` and `anchors` in a provider's format. `handle_tool_call` answers a
call; if the call is invalid, the answer tells the model what to correct.
"""

from __future__ import annotations

from support.examples_folder import example
from turnfold import Turnfold


def test_a_model_looks_up_what_its_notes_leave_out(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    assert [tool["function"]["name"] for tool in turnfold.tools("openai")] == ["expand", "search", "anchors"]
    call = {
        "id": "call-1",
        "type": "function",
        "function": {"name": "search", "arguments": '{"query": "Okralink fee"}'},
    }
    answer = turnfold.handle_tool_call("conv", call)
    assert (answer["role"], answer["tool_call_id"]) == ("tool", "call-1")
    marker = answer["content"].split("→")[1].split("]")[0]
    block = {"type": "tool_use", "id": "toolu-1", "name": "expand", "input": {"marker": marker}}
    assert "Okralink" in turnfold.handle_tool_call("conv", block)["content"]
    block["input"] = {"marker": "the part about fees"}
    assert "copy one from a context" in turnfold.handle_tool_call("conv", block)["content"]
