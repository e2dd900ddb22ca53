"""A segment folded again with the sentence model has the same rows and vectors, whatever the batches were."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.platforms import EVERYTHING, POISON, Platform, append_unreadable, talk
from support.stored import broken_invariants
from turnfold.contract.passages import PLACES
from turnfold.contract.vectors import Vector
from turnfold.database.engines import connect
from turnfold.search.turn_scores import near_passages
from turnfold_worker.adapters.sentence_embedder import SentenceTransformerEmbedder

pytestmark = pytest.mark.daily_on("sqlite")

TURNS = 42
POISONED = 20
LONGER = "We decided on monthly payments to the supplier."
SHORTER = "We decided to pay the supplier every month."
"""A paraphrase of `LONGER`, which only the model can recognize."""
UNTOLD = "the cheapest one with two bathrooms"
"""A statement that no rule recognizes but the head on sentence vectors does."""
SETTINGS = {"segment_max_turns": 5, "segment_min_turns": 2}


class Once:
    """The real model, called once for each text, so that vectors do not depend on the batch."""

    def __init__(self, embedder: SentenceTransformerEmbedder) -> None:
        self.model = embedder.model
        self.known: dict[str, Vector] = {}
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        for said in dict.fromkeys(texts):
            if said not in self.known:
                self.known[said] = self._embedder.embed([said])[0]
        return [self.known[said] for said in texts]


@pytest.fixture(scope="module")
def once(embedder: SentenceTransformerEmbedder) -> Once:
    return Once(embedder)


@pytest.fixture
def semantic(platform: Platform, make_worker: Callable[..., LocalWorker], once: Once) -> Platform:
    """A platform whose worker has the real sentence model."""
    return replace(platform, local=make_worker(embedder=once, republish_seconds=0.001))


def append(platform: Platform, conversation: str, *, batch: int) -> None:
    """Append the talk, one turn of which fails the rules, and fold it batch by batch."""
    platform.tf.configure(conversation, settings=SETTINGS)
    turns = talk(TURNS, poison=POISONED)
    turns[2]["content"] = LONGER
    turns[POISONED]["content"] = f"{POISON}. {SHORTER}"
    turns[POISONED + 2]["content"] = UNTOLD
    for start in range(0, TURNS, batch):
        platform.tf.append(conversation, turns[start : start + batch])
        platform.local.settle()


def vectors(engine: Engine, conversation: str, table: str = "turn_vector", key: str = "seq") -> dict[object, bytes]:
    """Return the stored vectors of a conversation."""
    asked = text(
        f"SELECT {key}, vector FROM {table} v JOIN conversation c ON c.id = v.conversation WHERE c.external_id = :e"
    )
    with engine.begin() as connection:
        return {_plain(row[0]): bytes(row[1]) for row in connection.execute(asked, {"e": conversation})}


def _plain(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value


def test_a_segment_folded_again_is_as_if_it_had_never_failed_and_keeps_its_vectors(
    semantic: Platform, engine: Engine
) -> None:
    semantic.break_rules()
    append(semantic, "c", batch=TURNS)
    before = vectors(engine, "c")
    assert before.keys() == set(range(1, TURNS + 1))
    semantic.mend_rules()
    append(semantic, "undisturbed", batch=TURNS)
    assert semantic.rows("c") != semantic.rows("undisturbed")
    (decided,) = semantic.retry()
    assert decided.done
    semantic.local.settle()
    assert semantic.rows("c") == semantic.rows("undisturbed")
    assert vectors(engine, "c") == before == vectors(engine, "undisturbed")
    meant = vectors(engine, "c", "anchor_vector", "text_hash")
    assert meant.items() >= vectors(engine, "undisturbed", "anchor_vector", "text_hash").items()
    assert len(meant) == 2
    states = {one.text: str(one.state) for one in semantic.tf.anchors("c", states=None)}
    assert (states[LONGER], states[SHORTER]) == ("duplicate", "active")
    assert states[UNTOLD] == "active"
    assert semantic.parked.find(EVERYTHING) == []
    assert broken_invariants(engine) == {}


def signs(engine: Engine, conversation: str) -> list[tuple[int, bytes]]:
    """Return the binary signs of a conversation's passages, by segment."""
    asked = text(
        "SELECT idx, signs FROM passage_signs s JOIN conversation c ON c.id = s.conversation "
        "WHERE c.external_id = :e ORDER BY idx"
    )
    with engine.begin() as connection:
        return [(row.idx, bytes(row.signs)) for row in connection.execute(asked, {"e": conversation})]


def mended(database_url: str, said: str) -> None:
    """Make the parked entry readable."""
    write = connect(database_url, write=True, timeout_seconds=5)
    body = json.dumps({"role": "user", "content": said}).encode()
    with write.begin() as connection:
        connection.execute(text("UPDATE parked_entry SET payload = :b"), {"b": body})
    write.dispose()


def test_a_segment_folded_again_has_the_signs_of_its_passages(semantic: Platform, engine: Engine) -> None:
    semantic.break_rules()
    append(semantic, "c", batch=TURNS)
    before = signs(engine, "c")
    semantic.mend_rules()
    append(semantic, "undisturbed", batch=TURNS)
    semantic.retry()
    semantic.local.settle()
    whole = signs(engine, "undisturbed")
    assert len(before) == len(whole) - 1, "of a segment in plain words no passage is known"
    assert signs(engine, "c") == whole


def test_a_turn_that_became_readable_after_its_segment_closed_is_found_by_what_it_means(
    semantic: Platform, redis_url: str, database_url: str, engine: Engine, once: Once
) -> None:
    said = "My automobile is a crimson coupe from Turin."
    semantic.tf.configure("c", settings=SETTINGS)
    semantic.tf.append("c", talk(20))
    semantic.local.settle()
    append_unreadable(redis_url, "c", "bad", b"{")
    semantic.local.settle()
    semantic.tf.append("c", talk(120)[20:])
    semantic.local.settle()
    assert 21 in vectors(engine, "c"), "the placeholder was embedded"
    assert vectors(engine, "c")[21] != once.embed([said])[0]
    mended(database_url, said)
    (decided,) = semantic.retry()
    assert decided.done
    semantic.local.settle()
    assert vectors(engine, "c")[21] == once.embed([said])[0]
    (question,) = once.embed(["Which colour is the car?"])
    near = near_passages(question, [block for _, block in signs(engine, "c")])
    assert max(near, key=near.__getitem__) // PLACES == 21


def test_batches_change_neither_a_fold_nor_a_refold_with_vectors(semantic: Platform, engine: Engine) -> None:
    semantic.break_rules()
    for conversation, batch in (("one", 1), ("some", 7), ("all", TURNS)):
        append(semantic, conversation, batch=batch)
    broken = {semantic.local.digest(conversation) for conversation in ("one", "some", "all")}
    assert len(broken) == 1
    semantic.mend_rules()
    assert len(semantic.retry()) == 3
    semantic.local.settle()
    assert len({semantic.local.digest(conversation) for conversation in ("one", "some", "all")} - broken) == 1
    assert vectors(engine, "one") == vectors(engine, "some") == vectors(engine, "all")


def test_folding_again_what_was_folded_changes_no_digest(semantic: Platform) -> None:
    semantic.break_rules()
    append(semantic, "c", batch=9)
    semantic.mend_rules()
    semantic.retry()
    assert semantic.local.worker.refold() is True
    digest = semantic.local.digest("c")
    assert semantic.local.worker.refold() is None
    semantic.local.settle()
    assert semantic.local.digest("c") == digest


def test_a_worker_without_the_model_folds_again_by_words_and_leaves_the_vectors(
    semantic: Platform, make_worker: Callable[..., LocalWorker], engine: Engine
) -> None:
    semantic.break_rules()
    append(semantic, "c", batch=TURNS)
    before = vectors(engine, "c")
    semantic.mend_rules()
    semantic.retry()
    make_worker(republish_seconds=0.001).settle()
    semantic.local.settle()
    assert semantic.tf.status("c").parked == 0
    assert vectors(engine, "c") == before
    assert broken_invariants(engine) == {}
    append(semantic, "undisturbed", batch=TURNS)
    nodes = [row for row in semantic.rows("c")["nodes"] if row[0] == 0]
    assert nodes == [row for row in semantic.rows("undisturbed")["nodes"] if row[0] == 0]
