"""Anchors compared by the real sentence model: what means the same is kept once, what differs in a value is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from conftest import LocalWorker
from turnfold import Turnfold
from turnfold.contract.vectors import cosine, numbers_of
from turnfold_worker.adapters.sentence_embedder import SentenceTransformerEmbedder
from turnfold_worker.offline import fold

FILLER = [f"Nothing of note, part {part}." for part in ("one", "two", "three", "four", "five", "six", "seven", "eight")]


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder()


def turns(*texts: str) -> list[dict[str, str]]:
    said = [*texts[:1], *FILLER[:4], *texts[1:], *FILLER]
    return [{"role": "user", "turn_id": f"t{i}", "content": content} for i, content in enumerate(said)]


def states(*texts: str, semantic: bool) -> list[str]:
    with fold(turns(*texts), settings={"segment_max_turns": 4}, semantic=semantic) as folded:
        found = {anchor.text: str(anchor.state) for anchor in folded.anchors(states=None)}
    return [found[each] for each in texts]


def test_what_means_the_same_is_kept_once_and_the_shorter_stays() -> None:
    longer, shorter = "We decided on monthly payments to the supplier.", "We decided to pay the supplier every month."
    assert states(longer, shorter, semantic=False) == ["active", "active"]
    assert states(longer, shorter, semantic=True) == ["duplicate", "active"]
    assert states(shorter, longer, semantic=True) == ["active", "duplicate"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The search latency must be < 150 ms.", "The checkout latency must be < 250 ms."),
        ("You must restart the gateway after the update.", "You must not restart the gateway after the update."),
        ("We decided to give Ana the production keys.", "We decided to give Omar the production keys."),
        ("We decided to deploy before the summit.", "We decided to deploy after the summit."),
    ],
)
def test_a_number_a_name_or_a_negation_keeps_two_anchors_apart(
    embedder: SentenceTransformerEmbedder, first: str, second: str
) -> None:
    assert "duplicate" not in states(first, second, semantic=True)


def test_the_model_alone_would_merge_another_number_and_a_negation(embedder: SentenceTransformerEmbedder) -> None:
    """Why values, names and negations are compared apart."""
    first, second, third, fourth = embedder.embed([
        "The search latency must be < 150 ms.", "The search latency must be < 250 ms.",
        "You must restart the gateway.", "You must not restart the gateway.",
    ])  # fmt: skip
    assert cosine(numbers_of(first), numbers_of(second)) > 0.85
    assert cosine(numbers_of(third), numbers_of(fourth)) > 0.85


def test_vectors_of_anchors_are_stored_once_and_believed(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], embedder: SentenceTransformerEmbedder, engine: Engine
) -> None:
    local = make_worker(embedder=embedder)
    tf.configure("c", settings={"segment_max_turns": 4, "segment_min_turns": 2})
    tf.append(
        "c", turns("We decided on monthly payments to the supplier.", "We decided to pay the supplier every month.")
    )
    local.settle()
    assert [anchor.text for anchor in tf.anchors("c")] == ["We decided to pay the supplier every month."]
    with engine.begin() as connection:
        assert connection.execute(text("SELECT COUNT(*) FROM anchor_vector")).scalar_one() == 2
    tf.forget("c", timeout_seconds=0)
    local.settle()
    with engine.begin() as connection:
        assert connection.execute(text("SELECT COUNT(*) FROM anchor_vector")).scalar_one() == 0
