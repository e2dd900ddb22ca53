"""Any argument either works or raises an error of ours that names the mistake, and none leaves parked work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conftest import LocalWorker
from support.talk import talk
from turnfold import Section, Turnfold, TurnfoldError

TEXTS = (
    "", " ", "\n", "\0", "a\0b", "\ud800", "x\udfffy", "\ufeff", "\x1b[31m", "😀" * 50, "%_\\'\"--;DROP TABLE turn",
    "\u202eمرحبا", "日本語のデータベース", "a" * 300_000,
)  # fmt: skip
OTHERS = (
    None,
    5,
    -1,
    2.5,
    True,
    float("nan"),
    float("inf"),
    2**63,
    10**30,
    b"x",
    [],
    {},
    [None],
    [5],
    {1: 2},
    object(),
)

Call = Callable[[Turnfold, Any], object]


def searches(value: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "call-1", "name": "search", "input": {"query": value}, **more}


CALLS: dict[str, Call] = {
    "query": lambda tf, value: tf.context("c", budget_tokens=600, query=value),
    "query of a vector": lambda tf, value: tf.context("c", budget_tokens=600, query="note", query_vector=value),
    "system": lambda tf, value: tf.context("c", budget_tokens=200_000, system=value),
    "section": lambda tf, value: tf.context("c", budget_tokens=600, system=[Section(name=value, text=value)]),
    "flags": lambda tf, value: tf.context("c", budget_tokens=600, flags=value),
    "task": lambda tf, value: tf.context("c", budget_tokens=200_000, task=value),
    "budget": lambda tf, value: tf.context("c", budget_tokens=value),
    "reserve": lambda tf, value: tf.context("c", budget_tokens=600, reserve_tokens=value),
    "policy": lambda tf, value: tf.context("c", budget_tokens=600, policy=value),
    "counter": lambda tf, value: tf.context("c", budget_tokens=600, count_tokens=value),
    "expand in a context": lambda tf, value: tf.context("c", budget_tokens=600, expand=[value]),
    "expand as a list": lambda tf, value: tf.context("c", budget_tokens=600, expand=value),
    "marker": lambda tf, value: tf.expand("c", value),
    "marker of a level": lambda tf, value: tf.expand("c", f"L1:{value}"),
    "marker of turns": lambda tf, value: tf.expand("c", f"L0:turns-1-{value}"),
    "marker that goes on": lambda tf, value: tf.expand("c", f"L0:turn-1+{value}"),
    "size of an expansion": lambda tf, value: tf.expand("c", "L0:turn-1", max_tokens=value),
    "search": lambda tf, value: tf.search("c", value),
    "limit": lambda tf, value: tf.search("c", "note", limit=value),
    "types": lambda tf, value: tf.anchors("c", types=value),
    "states": lambda tf, value: tf.anchors("c", states=value),
    "anchor": lambda tf, value: tf.resolve_anchor("c", value),
    "reference": lambda tf, value: tf.resolve(value),
    "reference of ours": lambda tf, value: tf.resolve(f"ctx_{value}"),
    "context": lambda tf, value: tf.reference(value),
    "goal": lambda tf, value: tf.configure("c", goal=value),
    "constraints": lambda tf, value: tf.configure("c", constraints=value),
    "a constraint": lambda tf, value: tf.configure("c", constraints=[value]),
    "settings": lambda tf, value: tf.configure("c", settings=value),
    "a setting": lambda tf, value: tf.configure("other", settings={"segment_max_turns": value}),
    "tenant": lambda tf, value: tf.for_tenant(value).status("c"),
    "conversation": lambda tf, value: tf.status(value),
    "form of tools": lambda tf, value: tf.tools(value),
    "query of a model": lambda tf, value: tf.handle_tool_call("c", searches(value)),
    "tool of a model": lambda tf, value: tf.handle_tool_call("c", searches("note", name=value)),
    "size of a result": lambda tf, value: tf.handle_tool_call("c", searches("note"), max_tokens=value),
    "turn": lambda tf, value: tf.append("other", value),
    "role": lambda tf, value: tf.append("other", {"role": value, "content": "x"}),
    "content": lambda tf, value: tf.append("other", {"role": "user", "content": value}),
    "part": lambda tf, value: tf.append("other", {"role": "user", "content": [value]}),
    "text of a part": lambda tf, value: tf.append(
        "other", {"role": "user", "content": [{"type": "text", "text": value}]}
    ),
    "type of a part": lambda tf, value: tf.append("other", {"role": "user", "content": [{"type": value}]}),
    "name": lambda tf, value: tf.append("other", {"role": "user", "content": "x", "name": value}),
    "id": lambda tf, value: tf.append("other", {"role": "user", "content": "x", "turn_id": value}),
    "time": lambda tf, value: tf.append("other", {"role": "user", "content": "x", "created_at": value}),
    "importance": lambda tf, value: tf.append("other", {"role": "user", "content": "x", "importance": value}),
    "calls": lambda tf, value: tf.append("other", {"role": "assistant", "content": None, "tool_calls": value}),
    "call": lambda tf, value: tf.append("other", {"role": "assistant", "content": None, "tool_calls": [value]}),
    "call of a result": lambda tf, value: tf.append("other", {"role": "tool", "content": "x", "tool_call_id": value}),
    "metadata": lambda tf, value: tf.append("other", {"role": "user", "content": "x", "metadata": value}),
    "in metadata": lambda tf, value: tf.append("other", {"role": "user", "content": "x", "metadata": {"a": value}}),
    "extra field": lambda tf, value: tf.append("other", {"role": "user", "content": "x", "extra": value}),
}  # fmt: skip


def test_no_input_ends_in_an_error_that_is_not_ours(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", talk("wrong", 60))
    tf.append("other", {"role": "user", "content": "Kept."})
    local.settle()
    wrong: list[str] = []
    accepted = 0
    for name, call in CALLS.items():
        for value in (*TEXTS, *OTHERS):
            try:
                call(tf, value)
            except TurnfoldError as error:
                if not str(error).strip():
                    wrong.append(f"{name} {value!r:.40}: an error without words")
            except Exception as error:  # noqa: BLE001 - what is looked for
                wrong.append(f"{name} {value!r:.40}: {type(error).__name__}: {error!s:.120}")
            else:
                accepted += 1
    local.settle()

    assert not wrong, "\n".join(wrong)
    assert accepted > 100
    for conversation in ("c", "other"):
        status = tf.status(conversation)
        assert (status.inbox, status.parked) == (0, 0)
        assert tf.context(conversation, budget_tokens=2_000).tokens <= 2_000
    assert tf.expand("other", "L0:turn-1").turns[0].content == "Kept."
