"""Over HTTP, turns go in and contexts come out, next to real workers."""

from __future__ import annotations

import httpx
import pytest

from support.gateway import Gateway, path_of
from turnfold import Turnfold

pytestmark = pytest.mark.processes

TURNS = [
    {"role": "user", "content": "Decision: we use PostgreSQL 16 with one replica.", "turn_id": "m-1"},
    {"role": "assistant", "content": "Noted. I will send the estimate by Friday.", "turn_id": "m-2"},
]


def test_a_conversation_lives(http: httpx.Client, tf: Turnfold) -> None:
    appended = http.post(path_of("conv-1", "turns"), json={"turns": TURNS})
    tf.wait("conv-1")
    read = http.post(path_of("conv-1", "context"), json={"budget_tokens": 1000})

    assert (appended.status_code, appended.json()) == (202, {"turn_ids": ["m-1", "m-2"]})
    assert read.status_code == 200
    assert read.json()["text"] == tf.context("conv-1", budget_tokens=1000).text
    assert "PostgreSQL 16" in read.json()["text"]


def test_a_repeat_of_the_same_ids_doubles_nothing(http: httpx.Client, tf: Turnfold) -> None:
    for _ in range(3):
        http.post(path_of("conv-1", "turns"), json={"turns": TURNS})

    assert [turn.turn_id for turn in tf.turns("conv-1")] == ["m-1", "m-2"]


@pytest.mark.parametrize("conversation", ["team/chat 1", "a%2Fb", "ünï/çødé?#", "../.."])
def test_an_id_is_any_text(http: httpx.Client, tf: Turnfold, conversation: str) -> None:
    appended = http.post(path_of(conversation, "turns"), json={"turns": TURNS})

    assert appended.status_code == 202
    assert len(tf.turns(conversation)) == 2


@pytest.mark.parametrize("key", [None, "x", "tfk_nothing", "tfk_0123456789ab_" + "x" * 43])
def test_without_a_valid_key_there_is_nothing(gateway: Gateway, key: str | None) -> None:
    with gateway.client(key) as client:
        answer = client.post(path_of("conv-1", "context"), json={"budget_tokens": 1000})

    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert "turnfold keys create" in answer.json()["remedy"]


def test_a_key_opens_what_its_scopes_say(gateway: Gateway, tenant: str) -> None:
    with gateway.client(gateway.key(tenant, "append")) as client:
        appended = client.post(path_of("conv-1", "turns"), json={"turns": TURNS})
        read = client.post(path_of("conv-1", "context"), json={"budget_tokens": 1000})

    assert (appended.status_code, read.status_code) == (202, 403)
    assert "--scope read" in read.json()["remedy"]


def test_a_budget_that_is_too_small_says_what_is_needed(http: httpx.Client) -> None:
    answer = http.post(
        path_of("conv-1", "context"), json={"budget_tokens": 3, "system": "You are a careful architect."}
    )

    assert answer.status_code == 422
    problem = answer.json()
    assert (problem["type"], problem["status"]) == ("urn:turnfold:problem:invalid-budget", 422)
    assert http.post(
        path_of("conv-1", "context"),
        json={"budget_tokens": problem["needed_tokens"], "system": "You are a careful architect."},
    ).is_success
