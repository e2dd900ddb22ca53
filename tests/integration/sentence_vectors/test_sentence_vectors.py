"""The real sentence model computes each vector once; vectors are stored and never recomputed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.places import shard_of
from turnfold import Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.passages import PLACES, passages_among
from turnfold.contract.vectors import NO_VECTOR, Vector, cosine, differing, numbers_of, rounded
from turnfold.database.engines import connect
from turnfold.errors import InvalidInput, InvalidSettings
from turnfold.search.turn_scores import near_passages
from turnfold.settings import Settings
from turnfold_worker.adapters import sentence_embedder
from turnfold_worker.adapters.sentence_embedder import (
    DEFAULT_MODEL,
    MAX_WORD_PIECES,
    SentenceTransformerEmbedder,
    weights_of,
)
from turnfold_worker.cli import main
from turnfold_worker.errors import ModelAway, StoreAway
from turnfold_worker.offline import fold
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.use_cases.fold import with_vectors
from turnfold_worker.wiring import build

pytestmark = pytest.mark.daily_on("sqlite")

WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the default model's weights, as its authors publish it."""


class Counting:
    """An embedder that counts its requests."""

    def __init__(self, embedder: SentenceTransformerEmbedder) -> None:
        self.model = embedder.model
        self.texts: list[str] = []
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.texts += texts
        return self._embedder.embed(texts)


def near(first: Vector, second: Vector) -> float:
    return cosine(numbers_of(first), numbers_of(second))


@pytest.mark.usefixtures("embedder")
def test_the_packaged_weights_are_those_that_their_authors_publish() -> None:
    weights = Path(weights_of(DEFAULT_MODEL), "model.safetensors")
    assert hashlib.sha256(weights.read_bytes()).hexdigest() == WEIGHTS


def test_texts_that_mean_the_same_are_near_each_other(embedder: SentenceTransformerEmbedder) -> None:
    car, auto, soup = embedder.embed(["The car broke down.", "The automobile stopped working.", "I like tomato soup."])
    assert near(car, auto) > 0.7
    assert near(car, soup) < 0.3


def test_blank_texts_have_no_direction_and_repeats_have_one(embedder: SentenceTransformerEmbedder) -> None:
    first, blank, second = embedder.embed(["Hello there.", " \n", "Hello there."])
    assert blank == NO_VECTOR
    assert first == second
    assert len(first) == 384


def test_rounding_and_company_hardly_turn_a_vector(embedder: SentenceTransformerEmbedder) -> None:
    texts = [f"Order {i} ships to warehouse {i % 7} on day {i}." for i in range(40)]
    exact = SentenceTransformerEmbedder(bfloat16=False).embed(texts)
    together = embedder.embed(texts)
    assert min(near(a, b) for a, b in zip(exact, together, strict=True)) > 0.999
    assert near(embedder.embed(texts[:1])[0], together[0]) > 0.999


def test_the_straight_way_gives_the_vectors_of_the_library(embedder: SentenceTransformerEmbedder) -> None:
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(weights_of(embedder.model), device="cpu")
    library.max_seq_length = MAX_WORD_PIECES
    texts = [
        "Hi!",
        "Der Zug fährt um 9 Uhr.",
        "日本語の文",
        "🦜 [CLS] \u200b x" * 9,
        "word " * 100,
        *LONG.split(".")[:-1],
    ]
    theirs = [rounded(numbers) for numbers in library.encode(texts).tolist()]
    exact = SentenceTransformerEmbedder(bfloat16=False)
    for mine, least in ((exact.embed(texts), 0.99999), (embedder.embed(texts), 0.999)):
        assert min(near(a, b) for a, b in zip(mine, theirs, strict=True)) > least
    alone = [vector for text in texts for vector in exact.embed([text])]
    assert min(near(a, b) for a, b in zip(alone, theirs, strict=True)) > 0.99999


def test_a_model_that_pools_in_another_way_is_left_to_its_library(
    tmp_path: Path, embedder: SentenceTransformerEmbedder
) -> None:
    from sentence_transformers import SentenceTransformer

    from turnfold_worker.adapters.bert import bert_of

    library = SentenceTransformer(weights_of(embedder.model), device="cpu")
    library[1].pooling_mode = "cls"
    library.save(str(tmp_path), create_model_card=False)
    library.max_seq_length = MAX_WORD_PIECES
    assert bert_of(library, bfloat16=False) is None
    texts = ["The car broke down.", "I like tomato soup."]
    mine = SentenceTransformerEmbedder(str(tmp_path), bfloat16=False).embed(texts)
    for vector, numbers, other in zip(mine, library.encode(texts).tolist(), embedder.embed(texts), strict=True):
        assert near(vector, rounded(numbers)) > 0.9999
        assert near(vector, other) < 0.99


def test_what_is_said_again_and_again_is_computed_once_and_what_is_kept_is_bounded(
    monkeypatch: pytest.MonkeyPatch, embedder: SentenceTransformerEmbedder
) -> None:
    monkeypatch.setattr(sentence_embedder, "KEPT", 2)
    mine, computed = SentenceTransformerEmbedder(), list[str]()

    def compute(texts: list[str]) -> list[Vector]:
        computed.extend(texts)
        return [vector for said in texts for vector in embedder.embed([said])]

    monkeypatch.setattr(mine, "_encode", compute)
    long = "This is said at such length that nobody says it in the same words again."
    first = mine.embed(["Yes.", long, "Okay."])
    assert mine.embed(["Okay.", "Yes.", long]) == [first[2], first[0], first[1]]
    assert computed == ["Yes.", long, "Okay.", long]
    mine.embed(["Sure."])
    assert mine.embed(["Okay.", "Yes."]) == [first[2], first[0]]
    assert computed[4:] == ["Sure.", "Yes."]


def test_vectors_come_in_the_order_of_the_texts_however_they_are_batched(
    monkeypatch: pytest.MonkeyPatch, embedder: SentenceTransformerEmbedder
) -> None:
    monkeypatch.setattr(sentence_embedder, "BATCH", 6)
    texts = [f"{'really ' * (number * 7 % 40)}remark {number}" for number in range(11)]
    vectors = embedder.embed(texts)
    assert min(near(vector, embedder.embed([text])[0]) for text, vector in zip(texts, vectors, strict=True)) > 0.999


def test_hostile_texts_are_embedded(embedder: SentenceTransformerEmbedder) -> None:
    texts = ["\ufffd" * 9, "🦜" * 4000, "a" * 100_000, "نص بالعربية", "→L1:x-1 [CLS] [SEP]", "\u200b", "日本語の文"]
    assert all(len(vector) in {0, 384} for vector in embedder.embed(texts))


@pytest.mark.usefixtures("embedder")
def test_a_model_that_cannot_be_had_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelAway, match="TURNFOLD_EMBEDDING_MODEL"):
        SentenceTransformerEmbedder(str(tmp_path / "nowhere")).embed(["Hi."])


def test_without_the_packages_the_switch_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_embedder, "find_spec", lambda name: None)
    with pytest.raises(InvalidSettings, match=r"pip install 'turnfold-worker\[semantic\]'"):
        fold([{"role": "user", "content": "Hi."}], semantic=True)


def test_a_worker_beside_which_torch_is_missing_says_so_before_it_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_embedder, "find_spec", lambda name: None if name == "torch" else object())
    with pytest.raises(
        InvalidSettings, match=r"torch cannot be imported: pip install .* or turn them off: TURNFOLD_SEMANTIC=off"
    ):
        build(WorkerSettings(semantic=True))


def test_nothing_heavy_is_imported_before_the_first_text() -> None:
    program = (
        "import sys, turnfold_worker.offline, turnfold_worker.tasks\n"
        "from turnfold_worker.wiring import sentence_embedder\n"
        "from turnfold_worker.settings import WorkerSettings\n"
        "assert sentence_embedder(WorkerSettings(semantic=True)) is not None\n"
        "assert not {'torch', 'numpy', 'sentence_transformers', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ, timeout=120)


def counted(engine: Engine) -> int:
    with engine.begin() as connection:
        return int(connection.execute(text("SELECT COUNT(*) FROM turn_vector")).scalar_one())


def stored_vectors(engine: Engine) -> set[Vector]:
    with engine.connect() as connection:
        return {Vector(bytes(row.vector)) for row in connection.execute(text("SELECT vector FROM turn_vector"))}


def test_a_turn_is_embedded_once_however_often_its_conversation_is_folded(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine, embedder: SentenceTransformerEmbedder
) -> None:
    asked = Counting(embedder)
    local = make_worker(embedder=asked)
    for number in range(6):
        tf.append("c", {"role": "user", "content": f"Remark number {number} about the garden."})
        local.settle()
    assert asked.texts == [f"Remark number {number} about the garden." for number in range(6)]
    assert counted(engine) == 6


def test_the_stored_vector_is_believed_until_the_turn_says_something_else(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], database_url: str, embedder: SentenceTransformerEmbedder
) -> None:
    local = make_worker()
    engine = connect(database_url, write=True, timeout_seconds=10)
    tf.append("c", [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}])
    local.settle()
    store, asked = local.worker.store, Counting(embedder)
    with engine.begin() as connection:
        conversation = connection.execute(text("SELECT id FROM conversation")).scalar_one()
    tail = store.tail(conversation, 10)
    assert tail is not None
    mark = Vector(bytes(range(100)))
    held = store.keep_turn_vectors(conversation, asked.model, [(tail.turns[0], mark)])
    assert held == {1: mark}
    vectors = with_vectors(tail, store, asked).vectors
    assert vectors[1] == mark
    assert asked.texts == ["two"]
    with engine.begin() as connection:
        connection.execute(text("UPDATE turn SET content = 'other', content_hash = :h WHERE seq = 1"), {"h": b"x" * 16})
    assert store.turn_vectors(conversation, asked.model, 1, 2).keys() == {2}
    engine.dispose()


@pytest.mark.parametrize("verb", ["edit", "delete"])
def test_what_a_turn_said_before_stands_in_no_vector(
    tf: Turnfold,
    make_worker: Callable[..., LocalWorker],
    engine: Engine,
    embedder: SentenceTransformerEmbedder,
    verb: str,
) -> None:
    """This covers both stored vectors and one computed by an earlier fold that is stored only now."""
    local = make_worker(embedder=embedder)
    tf.append("c", [{"role": "user", "content": word, "turn_id": word} for word in ("quokka", "numbat")])
    local.settle()
    with engine.connect() as connection:
        conversation = connection.execute(text("SELECT id FROM conversation")).scalar_one()
    seen = local.worker.store.tail(conversation, 10)
    assert seen is not None
    assert stored_vectors(engine) == set(embedder.embed(["quokka", "numbat"]))
    if verb == "edit":
        tf.edit("c", "quokka", content="bilby")
    else:
        tf.delete("c", "quokka")
    local.worker.drain(shard_of(Address("acme", "c")))
    assert stored_vectors(engine) == set(embedder.embed(["numbat"]))
    local.settle()
    left = {*embedder.embed(["numbat", *(["bilby"] if verb == "edit" else [])])}
    assert stored_vectors(engine) - {NO_VECTOR} == left
    late = [(seen.turns[0], embedder.embed(["quokka"])[0]), (seen.turns[1], embedder.embed(["numbat"])[0])]
    with local.write_engine.begin() as connection:
        connection.execute(text("DELETE FROM turn_vector"))
    local.worker.store.keep_turn_vectors(conversation, embedder.model, late)
    assert stored_vectors(engine) == set(embedder.embed(["numbat"]))


def test_a_text_on_which_the_model_fails_costs_no_other_turn_its_vector(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine
) -> None:
    class Fragile:
        model = "fragile"

        def embed(self, texts: Sequence[str]) -> list[Vector]:
            if "poison" in texts:
                raise LookupError
            return [Vector(text.encode()) for text in texts]

    local = make_worker()
    tf.append("c", [{"role": "user", "content": content} for content in ("one", "poison", "two")])
    local.settle()
    with engine.begin() as connection:
        conversation = connection.execute(text("SELECT id FROM conversation")).scalar_one()
    tail = local.worker.store.tail(conversation, 10)
    assert tail is not None
    with pytest.raises(LookupError):
        with_vectors(tail, local.worker.store, Fragile())
    assert with_vectors(tail, local.worker.store, Fragile(), total=True).vectors == {1: b"one", 3: b"two"}


def test_a_forgotten_conversations_vectors_are_gone_and_none_come_back(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine, embedder: SentenceTransformerEmbedder
) -> None:
    local = make_worker(embedder=embedder)
    tf.append("c", {"role": "user", "content": "Remember the garden."})
    local.settle()
    with engine.begin() as connection:
        conversation = connection.execute(text("SELECT id FROM conversation")).scalar_one()
    tail = local.worker.store.tail(conversation, 10)
    assert tail is not None
    tf.forget("c", timeout_seconds=0)
    local.settle()
    assert counted(engine) == 0
    assert signs_of(engine, conversation) == []
    assert local.worker.store.keep_turn_vectors(conversation, "m", [(tail.turns[0], Vector(b"x"))]) == {}


def signs_of(engine: Engine, conversation: int) -> list[tuple[int, bytes]]:
    with engine.begin() as connection:
        rows = connection.execute(
            text("SELECT idx, signs FROM passage_signs WHERE conversation = :c ORDER BY idx"), {"c": conversation}
        )
        return [(row.idx, bytes(row.signs)) for row in rows]


LONG = " ".join(
    f"The {thing} of the workshop were counted by {who} on the last day of the fair." for thing, who in zip(
        ("hammers", "ladders", "paint tins", "saws", "gloves", "drills", "screws", "lamps"),
        ("Mara", "Omar", "Priya", "Sven", "Ines", "Tariq", "Lena", "Hugo"),
        strict=True,
    )
)  # fmt: skip


def test_each_passage_has_the_signs_of_what_it_says_and_a_turn_that_is_one_shares_its_turns(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine, embedder: SentenceTransformerEmbedder
) -> None:
    asked = Counting(embedder)
    turns = [LONG, *(f"Remark number {i} about the garden." for i in range(40))]
    tf.append("c", [{"role": "user", "content": turn} for turn in turns])
    make_worker(embedder=asked).settle()
    with engine.begin() as connection:
        conversation = connection.execute(text("SELECT id FROM conversation")).scalar_one()
        bundles = [(row.bundle, row.body) for row in connection.execute(text("SELECT bundle, body FROM passage"))]
    stored = {number for number, _ in passages_among(bundles, range(2**31))}
    blocks = [signs for _, signs in signs_of(engine, conversation)]
    codes = {number: code for block in blocks for _, number, code in differing(embedder.embed([LONG])[0], block)}
    assert codes.keys() == stored
    parts = [number for number in stored if number // PLACES == 1]
    assert len(parts) > 1
    more = asked.texts[len(turns) :]
    assert asked.texts[: len(turns)] == turns
    assert len(more) == len(parts)
    assert all(part in LONG for part in more[:1])
    near = near_passages(embedder.embed(["Who counted the ladders?"])[0], blocks)
    assert max(near, key=near.__getitem__) in parts


def test_while_the_model_is_away_the_fold_waits_and_loses_nothing(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], embedder: SentenceTransformerEmbedder
) -> None:
    class Away:
        model = embedder.model

        def embed(self, texts: Sequence[str]) -> list[Vector]:
            message = "no weights"
            raise ModelAway(message)

    tf.append("c", [{"role": "user", "content": f"line {i}"} for i in range(3)])
    away = make_worker(embedder=Away(), republish_seconds=0.001)
    with pytest.raises((ModelAway, StoreAway)):
        away.settle()
    local = make_worker(embedder=embedder, republish_seconds=0.001)
    local.settle()
    assert tf.status("c").folded == 3


def test_a_question_in_other_words_finds_what_answers_it(embedder: SentenceTransformerEmbedder) -> None:
    filler = [f"The weekly report number {i} was filed in folder {i} by the office." for i in range(80)]
    turns = [*filler[:40], "Oh, and my automobile is a crimson coupé, bought in Turin.", *filler[40:]]
    query = "Which colour does the car of the office have?"
    with fold([{"role": "user", "content": turn} for turn in turns], semantic=True) as folded:
        assert "crimson" in folded.context(budget_tokens=300, query=query).text


REPORTS = [f"The weekly report number {i} was filed in folder {i} by the office." for i in range(60)]
REPORTS[30] = "Oh, and my automobile is a crimson coupé, bought in Turin from three brothers who repair old trams."
COLOUR = "Which colour does the car of the office have?"


def test_a_querys_vector_reads_the_vectors_that_workers_keep(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], embedder: SentenceTransformerEmbedder
) -> None:
    tf.append("c", [{"role": "user", "content": turn} for turn in REPORTS])
    make_worker(embedder=embedder).settle()
    vector = numbers_of(embedder.embed([COLOUR])[0])
    assert "crimson" in tf.context("c", budget_tokens=300, query=COLOUR, query_vector=vector).text


def test_the_command_line_uses_the_model_where_the_switch_is_on(
    settings: Settings, tf: Turnfold, make_worker: Callable[..., LocalWorker], embedder: SentenceTransformerEmbedder,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    turns = [{"role": "user", "content": turn} for turn in REPORTS]
    tf.append("c", turns)
    local = make_worker(embedder=embedder)
    local.settle()
    file = tmp_path / "c.jsonl"
    file.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")
    for name in ("REDIS_URL", "DATABASE_URL", "TENANT"):
        monkeypatch.setenv(f"TURNFOLD_{name}", getattr(settings, name.lower()))
    said = {}
    for switch in ("on", "off"):
        monkeypatch.setenv("TURNFOLD_SEMANTIC", switch)
        asked = CliRunner().invoke(main, ["context", "c", "--budget", "300", "--query", COLOUR])
        digest = CliRunner().invoke(main, ["fold", str(file), "--digest"]).stdout.strip()
        said[switch] = "crimson" in asked.stdout, digest == local.digest("c")
    assert said == {"on": (True, True), "off": (False, False)}


def test_a_querys_vector_of_another_model_is_refused_with_what_to_do(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], embedder: SentenceTransformerEmbedder
) -> None:
    tf.append("c", [{"role": "user", "content": f"Report {i} lies in folder {i} of the office."} for i in range(60)])
    make_worker(embedder=embedder).settle()
    for length in (1, 383, 768):
        refused = f"query_vector has {length} dimensions, .* have 384: compute it with their model"
        with pytest.raises(InvalidInput, match=refused):
            tf.context("c", budget_tokens=300, query="Which folder?", query_vector=[1.0] * length)
    assert tf.context("c", budget_tokens=300, query="Which folder?", query_vector=[1.0] * 384).text
