"""`Turnfold(redact=…)` removes text before it is stored or sent anywhere."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections import UserList
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from conftest import LocalWorker
from support.remnants import traces
from turnfold import AsyncTurnfold, Turn, Turnfold
from turnfold.errors import InvalidInput, InvalidSettings, InvalidTurn
from turnfold.settings import Settings
from turnfold.wire.redaction import redacted

SECRET = "zebra4711"


def hide(text: str) -> str:
    return re.sub(SECRET, "[hidden]", text)


def test_no_text_of_a_turn_an_edit_or_a_goal_is_stored_with_it(
    settings: Settings, local: LocalWorker, redis_server: object, redis_url: str
) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": f'{{"q": "{SECRET}"}}'}}
    with (
        Turnfold(settings=settings, redact=hide) as tf,
        redis.Redis.from_url(redis_url, decode_responses=True) as client,
    ):
        tf.append("c", [
            {"role": "user", "content": f"My code is {SECRET}.", "turn_id": "t1", "name": SECRET},
            Turn(role="user", content=f"Again {SECRET}.", metadata={"note": [SECRET]}),
            {"role": "user", "content": [{"type": "text", "text": f"And {SECRET}."}]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": SECRET},
        ])  # fmt: skip
        tf.configure("c", goal=f"Find {SECRET}", constraints=[f"Never say {SECRET}"])
        assert traces(local.engine, client, SECRET) == []
        local.settle()
        tf.edit("c", "t1", content=f"My new code is {SECRET}.")
        local.settle()
        assert traces(local.engine, client, SECRET) == []
        assert [turn.content for turn in tf.turns("c")][:2] == ["My new code is [hidden].", "Again [hidden]."]
        assert tf.for_tenant("acme").turns("c") == tf.turns("c")


def test_what_fails_in_it_stores_nothing_and_quotes_nothing(settings: Settings) -> None:
    def broken(text: str) -> str:
        raise ValueError(text)

    with Turnfold(settings=settings, redact=broken) as tf:
        with pytest.raises(InvalidInput, match="ValueError") as refused:
            tf.append("c", {"role": "user", "content": SECRET})
        assert SECRET not in str(refused.value)
        assert refused.value.__cause__ is None
        assert refused.value.__suppress_context__
        assert tf.status("c").inbox == 0
    nothing = Turnfold(settings=settings, redact=lambda _: None)  # type: ignore[arg-type,return-value]
    with nothing as tf, pytest.raises(InvalidInput, match="must return text"):
        tf.append("c", {"role": "user", "content": SECRET})


def test_every_form_in_which_words_come_is_looked_through() -> None:
    document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": SECRET}}
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in SECRET)
    call = {"id": "c1", "function": {"name": "look", "arguments": f'{{"q": "{escaped}", "n": 1}}'}}
    broken = {"id": "c2", "function": {"name": "look", "arguments": f'{{"q": "{SECRET}'}}
    turn = {
        "role": "user", "content": UserList([document]), "tool_calls": (call, broken),
        "metadata": {"id": SECRET, "data": SECRET, "type": [SECRET], "other": {"format": "a", "data": SECRET}},
    }  # fmt: skip
    found = redacted(turn, hide)
    assert SECRET not in json.dumps(found)
    assert json.loads(found["tool_calls"][0]["function"]["arguments"]) == {"q": "[hidden]", "n": 1}
    assert found["metadata"]["other"] == {"format": "a", "data": "[hidden]"}


def test_nothing_of_a_calls_arguments_passes_for_an_id_or_a_kind() -> None:
    given = {"id": SECRET, "type": SECRET, "role": [SECRET], "at": {"format": "x", "data": SECRET}}
    twice = f'{{"card": "{SECRET}", "card": "x", "at": {{"q": 1}}}}'
    turn = {
        "role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "pay", "input": given}],
        "tool_calls": [
            {"id": "c2", "function": {"name": "pay", "arguments": text}} for text in (json.dumps(given), twice)
        ],
    }  # fmt: skip
    found = redacted(turn, hide)
    assert SECRET not in json.dumps(found)
    assert found["content"][0]["id"] == "c1"
    assert json.loads(found["tool_calls"][1]["function"]["arguments"]) == {"card": "x", "at": {"q": 1}}


def test_words_that_are_said_to_be_bytes_are_read() -> None:
    said = f"The word is {SECRET}."
    turn = {"role": "user", "content": [{"type": "document", "source": {"type": "base64", "data": said}}]}
    assert SECRET not in json.dumps(redacted(turn, hide))


@pytest.mark.parametrize("said", [f"my {SECRET} card", f"{SECRET}\tcard", f"a{SECRET}" + "b" * (-len(SECRET) % 4)])
def test_only_what_can_be_base64_passes_for_it(said: str) -> None:
    turn = {"role": "user", "content": [{"type": "document", "source": {"type": "base64", "data": said}}]}
    assert SECRET not in json.dumps(redacted(turn, hide))


@pytest.mark.parametrize("data", ["AAAA", "QUJD\nREVG", "QUJD\r\nREU=\r\n", "-_-_QQ=="])
def test_bytes_are_left_as_they_are(data: str) -> None:
    turn = {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": data}}]}
    assert redacted(turn, lambda _: "[hidden]")["content"][0]["source"]["data"] == data


def test_what_is_nested_too_deep_is_refused_as_without_it() -> None:
    deep: object = SECRET
    for _ in range(2_000):
        deep = [deep]
    with pytest.raises(InvalidTurn, match="levels deep"):
        redacted({"role": "user", "content": "x", "metadata": {"deep": deep}}, hide)


def test_ids_kinds_and_pictures_are_left_as_they_are() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    turn = {"role": "user", "turn_id": "a", "content": [picture, {"type": "text", "text": "a"}]}
    found = redacted(turn, str.upper)
    assert found == {"role": "user", "turn_id": "a", "content": [picture, {"type": "text", "text": "A"}]}


def test_the_asynchronous_client_takes_it_too(settings: Settings) -> None:
    async def said() -> str:
        async with AsyncTurnfold(client=Turnfold(settings=settings, redact=hide)) as tf:
            await tf.append("c", {"role": "user", "content": f"It is {SECRET}."})
            return (await tf.context("c", budget_tokens=300)).text

    assert "It is [hidden]." in asyncio.run(said())


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Install a package that offers redactors; returns the name of its module, which is unique."""
    module = f"privacy_{uuid.uuid4().hex}"
    (tmp_path / f"{module}.py").write_text(
        f"def redact(text):\n    return text.replace({SECRET!r}, '[hidden]')\nnot_callable = 7\n"
    )
    info = tmp_path / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[turnfold.redactors]\nacme = {module}:redact\nbroken = {module}:absent\nseven = {module}:not_callable\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return module


def test_a_package_offers_a_redactor_to_every_producer(
    settings: Settings, local: LocalWorker, offered: str, redis_url: str
) -> None:
    with (
        Turnfold(settings=replace(settings, redactor="acme")) as tf,
        redis.Redis.from_url(redis_url, decode_responses=True) as client,
    ):
        tf.append("c", {"role": "user", "content": f"My code is {SECRET}."})
        tf.for_tenant("other").append("c", {"role": "user", "content": f"Ours is {SECRET}."})
        assert traces(local.engine, client, SECRET) == []
        local.settle()
        assert tf.turns("c")[0].content == "My code is [hidden]."
        assert traces(local.engine, client, SECRET) == []


@pytest.mark.parametrize(
    ("name", "why"), [("absent", "installed: .*acme"), ("broken", "cannot be imported"), ("seven", "is not a callable")]
)
def test_a_redactor_that_is_not_there_stops_the_client(settings: Settings, offered: str, name: str, why: str) -> None:
    with pytest.raises(InvalidSettings, match=f"TURNFOLD_REDACTOR={name}.*{why}"):
        Turnfold(settings=replace(settings, redactor=name))


def test_a_callable_of_ones_own_goes_before_the_installed_one(settings: Settings) -> None:
    with Turnfold(settings=replace(settings, redactor="nobody offers this"), redact=hide) as tf:
        assert tf._redacted(SECRET) == "[hidden]"
