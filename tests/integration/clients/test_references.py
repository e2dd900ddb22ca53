"""A reference is a short id of a context that any process can resolve, until it expires or its conversation is gone."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import redis

from conftest import Filling, LocalWorker
from support.talk import talk
from support.waiting import wait_until
from turnfold import AsyncTurnfold, InvalidInput, Settings, Turnfold, UnknownConversation, UnknownReference
from turnfold.read.references import MOST_REFERENCES

pytestmark = pytest.mark.daily_on("sqlite")

TURNS = talk("references", 60)


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds a conversation."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        tf.append("c", TURNS)
        make_worker().settle()

    return fill


@pytest.fixture
def folded(tf: Turnfold) -> Turnfold:
    """A client of the conversation."""
    return tf


@pytest.fixture
def raw(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


def kept(client: redis.Redis) -> list[bytes]:
    return [*client.scan_iter("tf:*:ctx:*"), *client.scan_iter("tf:*:refs:*")]


def test_a_reference_resolves_in_another_process_to_the_same_bytes(folded: Turnfold, settings: Settings) -> None:
    context = folded.context("c", budget_tokens=900, query="migration", system="Be terse.")
    reference = context.reference()
    assert reference.startswith("ctx_")
    assert len(reference) == 32
    script = (
        "import sys; from turnfold import Turnfold; found = Turnfold.from_env().resolve(sys.argv[1]); "
        "print(found.fingerprint, found.tokens, found.request('openai')['messages'][0]['content'][:9])"
    )
    environment = {
        **os.environ, "TURNFOLD_REDIS_URL": settings.redis_url, "TURNFOLD_DATABASE_URL": settings.database_url,
        "TURNFOLD_TENANT": settings.tenant,
    }  # fmt: skip
    said = subprocess.run(
        [sys.executable, "-c", script, reference], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == [context.fingerprint, str(context.tokens), "Be", "terse."]
    assert folded.resolve(reference) == context


def test_equal_contexts_have_one_reference_and_others_another(folded: Turnfold) -> None:
    reference = folded.context("c", budget_tokens=900).reference()
    assert folded.context("c", budget_tokens=900).reference() == reference
    assert folded.context("c", budget_tokens=901).reference() != reference
    folded.append("c", TURNS[0])
    assert folded.context("c", budget_tokens=900).reference() != reference
    assert folded.resolve(reference).reference() == reference


def test_a_reference_is_of_one_tenant(folded: Turnfold) -> None:
    context = folded.context("c", budget_tokens=900)
    reference = context.reference()
    other = folded.for_tenant("other")
    with pytest.raises(UnknownReference):
        other.resolve(reference)
    with pytest.raises(UnknownConversation):
        other.reference(context)
    other.append("c", TURNS)
    assert other.context("c", budget_tokens=900).reference() != reference


def test_a_reference_ends_after_its_lifetime(settings: Settings, folded: Turnfold, raw: redis.Redis) -> None:
    with Turnfold(settings=replace(settings, reference_seconds=1)) as brief:
        reference = brief.context("c", budget_tokens=900).reference()
        assert brief.resolve(reference).coverage is not None
        wait_until(lambda: not kept(raw), what="the reference is gone")
        with pytest.raises(UnknownReference, match="make the context again"):
            brief.resolve(reference)
    folded.context("c", budget_tokens=900).reference()
    assert all(86_000 < raw.ttl(name) <= 86_400 for name in kept(raw))


def test_only_the_newest_references_of_a_conversation_are_kept(folded: Turnfold, raw: redis.Redis) -> None:
    found = [folded.context("c", budget_tokens=300 + n).reference() for n in range(MOST_REFERENCES + 3)]
    assert len(set(found)) == MOST_REFERENCES + 3
    assert len(list(raw.scan_iter("tf:*:ctx:*"))) == MOST_REFERENCES
    for ended in found[:3]:
        with pytest.raises(UnknownReference):
            folded.resolve(ended)
    assert folded.resolve(found[-1]).tokens


def test_forgetting_ends_the_references_of_the_conversation_at_once(folded: Turnfold, raw: redis.Redis) -> None:
    folded.append("d", TURNS[:3])
    reference = folded.context("c", budget_tokens=900).reference()
    other = folded.context("d", budget_tokens=900).reference()
    folded.forget("c", timeout_seconds=0)
    with pytest.raises(UnknownReference):
        folded.resolve(reference)
    assert folded.resolve(other).coverage is not None
    folded.forget("d", timeout_seconds=0)
    assert not kept(raw)


@pytest.mark.parametrize("erased", [False, True])
@pytest.mark.parametrize("written_again", [False, True])
def test_a_context_of_a_forgotten_conversation_cannot_be_kept(
    folded: Turnfold, local: LocalWorker, raw: redis.Redis, erased: bool, written_again: bool
) -> None:
    context = folded.context("c", budget_tokens=900)
    folded.forget("c", timeout_seconds=0)
    if written_again:
        folded.append("c", TURNS[:5])
    if erased:
        local.settle()
    with pytest.raises(UnknownConversation, match="forgotten since"):
        context.reference()
    assert not kept(raw)


def test_a_context_of_the_inbox_alone_is_kept_until_it_is_forgotten(
    tf: Turnfold, local: LocalWorker, raw: redis.Redis
) -> None:
    tf.append("new", TURNS[:4])
    context = tf.context("new", budget_tokens=900)
    reference = context.reference()
    local.settle()
    assert context.reference() == reference
    tf.forget("new", timeout_seconds=0)
    local.settle()
    tf.append("new", TURNS[4:8])
    with pytest.raises(UnknownConversation):
        context.reference()
    assert not kept(raw)


def test_a_context_from_another_process_is_kept_by_a_client(folded: Turnfold) -> None:
    context = folded.context("c", budget_tokens=900)
    copied = pickle.loads(pickle.dumps(context))  # noqa: S301 - our own bytes
    with pytest.raises(InvalidInput, match=r"Turnfold\.reference"):
        copied.reference()
    assert folded.reference(copied) == context.reference()


@pytest.mark.parametrize("reference", ["", "ctx_", "ctx_ff" + "0" * 26, "ctx_00" + "0" * 26, "*", "ctx_00" + "*" * 26])
def test_what_is_no_reference_is_refused(tf: Turnfold, reference: str) -> None:
    with pytest.raises(UnknownReference):
        tf.resolve(reference)


@pytest.mark.parametrize("given", [None, 7, b"ctx_"])
def test_what_is_no_text_is_refused(tf: Turnfold, given: Any) -> None:
    with pytest.raises(InvalidInput, match="must be text such as"):
        tf.resolve(given)
    with pytest.raises(InvalidInput, match="takes a Context"):
        tf.reference(given)


def test_nobodys_context_is_not_kept(tf: Turnfold, raw: redis.Redis) -> None:
    with pytest.raises(UnknownConversation):
        tf.context("nobody", budget_tokens=500).reference()
    assert not kept(raw)


async def test_coroutines_keep_and_resolve_without_blocking(settings: Settings) -> None:
    async with AsyncTurnfold(settings=settings) as tf:
        await tf.append("new", TURNS[:4])
        context = await tf.context("new", budget_tokens=900)
        assert await tf.resolve(await tf.reference(context)) == context
