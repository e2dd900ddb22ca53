"""Every tool answers odd, huge and wrongly typed arguments clearly and from the caller's tenant only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from mcp import Client

from conftest import Filling, LocalWorker
from support.talk import talk
from turnfold import AsyncTurnfold, Settings, Turnfold
from turnfold_gateway.mcp import arguments
from turnfold_gateway.mcp.failures import UNEXPECTED
from turnfold_gateway.mcp.reach import Reach
from turnfold_gateway.mcp.server import make_server, one_reach

FOREIGN = "pineapple"


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds a conversation of this tenant, and two of another one."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        tf.configure("c", settings={"segment_max_turns": 8})
        tf.append("c", talk("mcp", 40))
        for name in ("c", "secret"):
            tf.for_tenant("other").append(name, {"role": "user", "content": f"The word is {FOREIGN}."})
        make_worker().settle()

    return fill


def nested(depth: int) -> Any:
    inner: Any = "x"
    for _ in range(depth):
        inner = [inner]
    return inner


def turn(**parts: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "x", **parts}]


NUMBERS = (None, True, 0, -1, 5, 200, 2**31, 2**63, 10**100, 10**5_000, 0.5, 200.0, 1e300, float("nan"), float("inf"))
TEXTS = (
    "", " ", "\n", "\x00", "\u202e", "\u200b", "\ufeff", "a" * 201, "a" * 4_001, "é" * 200, "a" * 1_000_000, "600",
    "٦٠٠", "..", "../other/secret", "other/secret", "%6fther", "other\x1fsecret", "{other}", "tf:{00}:in",
    "'; DROP TABLE turn; --", "*", "%", "[", "](", "(?:a+)+$", "L0:turn-1", "L0:turns-1-100000000000000000000",
    "L0:turn--1", "L9:1", "L1:" + "a" * 5_000, "L1:1\n[end of record]", "<script>", "\U0001f600" * 100,
)  # fmt: skip
WHOLES = (
    [], {}, [None], [[]], ["wish"], ["decision"] * 1_000, {"$ref": "#"}, nested(150), turn() * 101, turn(content=""),
    turn(content=["x"]), turn(role="system"), turn(role="tool"), turn(turn_id="a\nb"), turn(name="\u202esystem"),
    turn(subject="ana"), turn(created_at="2020-01-01"), turn(content="x" * 3_000_000), turn(content="\x00"),
    [*turn(turn_id="t"), *turn(turn_id="t", content="other words")],
)  # fmt: skip
USUAL: dict[str, dict[str, Any]] = {
    "context": {"conversation_id": "c"}, "expand": {"conversation_id": "c", "marker": "L0:turn-1"},
    "search": {"conversation_id": "c", "query": "invoice"}, "anchors": {"conversation_id": "c"},
    "timeline": {"conversation_id": "c"}, "conversations": {}, "append": {"conversation_id": "new", "turns": turn()},
}  # fmt: skip


def calls_of(schema: dict[str, Any], usual: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the usual call with odd values for each argument and for an unknown one, then without each argument."""
    for name in (*schema["properties"], "tenant"):
        for odd in (*NUMBERS, *TEXTS, *WHOLES):
            yield {**usual, name: odd}
    for name in usual:
        yield {key: argument for key, argument in usual.items() if key != name}


@pytest.mark.daily_on("sqlite")
@pytest.mark.parametrize("tool", sorted(USUAL))
async def test_each_call_is_answered_clearly_and_from_the_callers_tenant(settings: Settings, tool: str) -> None:
    answered = 0
    async with AsyncTurnfold(settings=settings) as turnfold, Client(make_server(one_reach(Reach(turnfold)))) as client:
        (schema,) = [listed.input_schema for listed in (await client.list_tools()).tools if listed.name == tool]
        for given in calls_of(schema, USUAL[tool]):
            (content,) = (await client.call_tool(tool, given)).content
            assert UNEXPECTED not in content.text, given
            assert FOREIGN not in content.text, given
            assert len(content.text) < 20_000, given
            answered += 1
        after = await client.call_tool(tool, USUAL[tool])
    assert answered > 60
    assert not after.is_error


@pytest.mark.parametrize(
    ("tool", "given", "remedy"),
    [
        ("anchors", {"types": ["decision"] * 1_000_000}, "types: 1000000 are too many: 8 at most"),
        ("append", {"turns": [{"k": 1}] * 100_000}, "turns: 100000 are too many: 100 at most"),
        ("append", {"turns": [{f"k{n}": 1 for n in range(99)}]}, "turns[0]: 99 members are too many: use role"),
        ("context", {f"k{n}": 1 for n in range(100_000)}, "100001 members are too many: use conversation_id"),
    ],
)  # fmt: skip
async def test_what_has_too_many_members_is_refused_before_each_is_looked_at(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tool: str, given: dict[str, Any], remedy: str
) -> None:
    """Validating each member would take seconds, during which a gateway would answer no other request."""
    monkeypatch.delattr(arguments, "Draft202012Validator")
    async with AsyncTurnfold(settings=settings) as turnfold, Client(make_server(one_reach(Reach(turnfold)))) as client:
        answer = await client.call_tool(tool, {"conversation_id": "c", **given})
    assert answer.is_error
    assert remedy in answer.content[0].text
