"""With the real sentence model, anchors of equal meaning are merged unless they differ in a value."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.examples import examples
from support.pairs import differing_pairs
from support.refinery import Refinery
from turnfold import Turnfold
from turnfold.contract.records import AnchorState, AnchorType
from turnfold.contract.vectors import cosine, numbers_of
from turnfold_worker.adapters.sentence_embedder import SentenceTransformerEmbedder
from turnfold_worker.offline import fold
from turnfold_worker.pipeline.anchors.deduplicate import merge
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.testing import model_replies as scribe

pytestmark = pytest.mark.usefixtures("embedder")

FILLER = [f"Nothing of note, part {part}." for part in ("one", "two", "three", "four", "five", "six", "seven", "eight")]

CHATTER = "The weather was fine, the birds were out, and nobody minded the noise of the street. " * 6


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


def test_what_a_model_quotes_twice_in_other_words_is_kept_once(
    make_refinery: Callable[..., Refinery], embedder: SentenceTransformerEmbedder
) -> None:
    longer, shorter = "We decided on monthly payments to the supplier.", "We decided to pay the supplier every month."

    def quoting(request: dict[str, Any]) -> str:
        body = json.loads(scribe.answer(request))
        told = {one.number: one.turns for one in scribe.read_request(request["messages"][1]["content"])}
        for segment in body.get("segments", ()):
            segment["quotes"] = [
                {"turn": numbers[0], "type": "decision", "quote": sentence}
                for numbers, _, words in told[segment["segment"]]
                for sentence in (longer, shorter)
                if sentence in words
            ]
        return json.dumps(body)

    refinery = make_refinery(embedder=embedder, refine_segments=1)
    refinery.server.answer = quoting
    refinery.tf.configure("c", settings={"segment_max_turns": 4, "anchor_threshold": 100})
    refinery.tf.append("c", turns(f"{longer} {CHATTER}", f"{shorter} {CHATTER}"))
    refinery.local.settle()
    found = {anchor.text: str(anchor.state) for anchor in refinery.tf.anchors("c", states=None) if anchor.refined}
    assert found == {longer: "duplicate", shorter: "active"}


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
    """This is why values, names and negations are compared separately."""
    first, second, third, fourth = embedder.embed([
        "The search latency must be < 150 ms.", "The search latency must be < 250 ms.",
        "You must restart the gateway.", "You must not restart the gateway.",
    ])  # fmt: skip
    assert cosine(numbers_of(first), numbers_of(second)) > 0.85
    assert cosine(numbers_of(third), numbers_of(fourth)) > 0.85


@given(st.lists(differing_pairs(), min_size=1, max_size=6))
@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_vectors_of_the_model_make_one_of_two_that_differ(
    embedder: SentenceTransformerEmbedder, pairs: list[tuple[str, str]]
) -> None:
    assert pairs
    for pair in pairs:
        vectors = dict(zip(pair, embedder.embed(pair), strict=True))
        drafts = [
            AnchorDraft(
                type=AnchorType.CRITICAL_FACT, text=said, turn_seq=seq, start=0, end=len(said), score=60, rank=90,
                tokens=9,
            )
            for seq, said in enumerate(pair, 1)
        ]  # fmt: skip
        for above in (FoldSettings().deduplicate_above, 0.2):
            merged = merge(
                drafts, (), next_id=1, node_idx=0, settings=FoldSettings(deduplicate_above=above), vectors=vectors
            )
            assert AnchorState.DUPLICATE not in [one.state for one in merged.new], pair
            assert [one.text for one in merged.new] == list(pair)


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
