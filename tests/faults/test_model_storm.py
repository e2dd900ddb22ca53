"""While 60 conversations are folded, read and refined, 30 % of model calls fail at random without lasting harm."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from support.refinery import Refinery
from support.stored import broken_invariants
from support.talk import talk
from support.waiting import wait_until
from turnfold.contract.tasks import Task
from turnfold_worker.adapters.openai import model as openai_model
from turnfold_worker.testing import model_server as behaves
from turnfold_worker.testing.messages import deliver
from turnfold_worker.testing.model_server import Behaviour, OpenAIServer, Request
from turnfold_worker.use_cases import refine as refine_module
from turnfold_worker.wiring import Worker

CONVERSATIONS = 60
TURNS = 44
READ_SECONDS = 0.02
"""Pause between two reads, so that they accompany the load instead of causing it."""
THREADS = 16
FAILING = 0.3
SEED = "storm"


def lying(change: Callable[[dict[str, Any]], object]) -> Behaviour:
    """A complete, valid reply whose content `change` falsifies."""

    def changed(content: str) -> str:
        body = json.loads(content)
        change(body)
        return json.dumps(body)

    return Behaviour(change=changed)


def _told(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the first segment of a reply that has notes, or its chapter."""
    return [told for told in body.get("segments", [body]) if told.get("notes")][:1]


def _invent(body: dict[str, Any]) -> None:
    for told in _told(body):
        told["notes"] = [{**told["notes"][0], "text": "Brunhilde pays 987654 euros."}]
        for quote in told.get("quotes", [])[:1]:
            quote["quote"] = "Brunhilde pays 987654 euros."


def _swap(body: dict[str, Any]) -> None:
    for told in _told(body):
        for note in told["notes"]:
            note["turns"] = [turn + 1 for turn in note["turns"]]


def _stretch(body: dict[str, Any]) -> None:
    for told in _told(body):
        told["notes"] *= 8


KINDS = (
    behaves.RATE_LIMITED, behaves.NO_QUOTA, behaves.SERVER_ERROR, behaves.error(503), behaves.HTML,
    Behaviour(delay_seconds=5), behaves.DRIPPING, behaves.DROPPED, behaves.CUT_SHORT, behaves.BROKEN_BODY,
    behaves.WRONG_SCHEMA, behaves.NOT_JSON, behaves.FENCED, behaves.REFUSAL, behaves.TRUNCATED, behaves.NO_CHOICES,
    behaves.NO_USAGE, lying(_invent), lying(_swap), lying(_stretch),
)  # fmt: skip
GIVEN_UP = (behaves.REFUSAL, behaves.TRUNCATED)
"""Failures after which a group may keep the notes of the rules."""
LOST = (behaves.DRIPPING, behaves.CUT_SHORT, behaves.NO_CHOICES)
"""Failures that are billed although no answer could be read; only the storm causes their cost."""


class Weather:
    """Chooses how each request is answered, as if dealing shuffled packs of cards, one pack for each purpose.

    Each pack contains every failure once, so that the cost of a storm does not depend on which purpose failed how
    often.
    """

    def __init__(self, seed: str) -> None:
        self.given: Counter[int] = Counter()
        """How often each of `KINDS` was dealt."""
        self._packs: dict[str, list[int]] = {}
        self._chance = random.Random(seed)
        self._lock = threading.Lock()

    def choose(self, request: Request) -> Behaviour:
        with self._lock:
            pack = self._packs.setdefault(request["response_format"]["json_schema"]["name"], [])
            if not pack:
                pack += range(round(len(KINDS) / FAILING))
                self._chance.shuffle(pack)
            card = pack.pop()
            if card >= len(KINDS):
                return behaves.OK
            self.given[card] += 1
            return KINDS[card]


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_storm_harms_nobody_and_costs_little(
    make_refinery: Callable[..., Refinery], openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_model, "QUOTA_SECONDS", 0.3)
    monkeypatch.setattr(refine_module, "FIRST_DELAY_SECONDS", 0.02)
    refinery = make_refinery(
        call_seconds=3,
        circuit_failures=6,
        circuit_seconds=0.3,
        refine_attempts=30,
        republish_seconds=5,
    )
    names = [f"storm-{number}" for number in range(CONVERSATIONS)]
    weather = Weather(SEED)
    openai_server.choose = weather.choose
    read: list[str] = []
    failed: list[BaseException] = []
    over = threading.Event()

    def read_on() -> None:
        chance = random.Random(1)
        try:
            while not over.wait(READ_SECONDS):
                name = chance.choice(names)
                context = refinery.tf.context(name, budget_tokens=600, policy=chance.choice(("balanced", "recency")))
                assert context.tokens <= 600
                read.append(context.text)
        except BaseException as error:
            failed.append(error)
            raise

    reader = threading.Thread(target=read_on)
    reader.start()
    with ThreadPoolExecutor(THREADS) as threads:
        for name in names:
            refinery.append(name, talk(name, TURNS))
        _work(refinery, threads)
        wait_until(
            lambda: _work(refinery, threads) or set(refinery.states) <= {"done", "skipped"},
            timeout_seconds=400, what="every job is done",
        )  # fmt: skip
    over.set()
    reader.join(90)
    assert failed == []
    assert len(read) > 100
    assert len(weather.given) == len(KINDS), "every way of failing took place"
    _check_words(refinery, read)
    minimum = _minimum(refinery)
    paid = openai_server.billed
    lost = sum(tokens for behaviour, tokens in openai_server.bills if behaviour in LOST)
    assert paid - lost <= 1.06 * minimum, f"{paid} tokens paid, {lost} of them lost, {minimum} would have done"
    unrefined = refinery.count(
        "job j WHERE kind = 'refine' AND state = 'done' AND NOT EXISTS (SELECT 1 FROM node n WHERE "
        "n.conversation = j.conversation AND refined > 0)"
    )
    allowed = sum(weather.given[KINDS.index(kind)] for kind in GIVEN_UP)
    assert unrefined <= allowed
    assert broken_invariants(refinery.local.engine) == {}


def _work(refinery: Refinery, threads: ThreadPoolExecutor) -> None:
    """Deliver every message; refine in threads, as a refine worker does."""
    refinery.make_due()
    refinery.local.worker.sweep()
    waiting = refinery.local.messages.waiting
    while waiting:
        task, argument = waiting.popleft()
        if task is not Task.REFINE:
            deliver(refinery.local.worker, task, argument)
    for call in [threads.submit(_refine, refinery.local.worker) for _ in range(THREADS)]:
        call.result()


def _refine(worker: Worker) -> None:
    while worker.refine() != "nothing was due":
        pass


def _check_words(refinery: Refinery, read: list[str]) -> None:
    stored = [body for _, _, _, body in refinery.levels()]
    stored += [row[0] for row in refinery.query("SELECT body FROM anchor UNION ALL SELECT body FROM model_note")]
    for text in (*read, *stored):
        for wrong in ("Brunhilde", "987654", "<html>", "said by the server", "Sure! Here is", "I can't help", "HTTP "):
            assert wrong not in text


def _minimum(refinery: Refinery) -> int:
    """Return what the same questions cost when each is answered well at the first try."""
    first = {
        request["messages"][1]["content"]: request
        for request in refinery.server.requests
        if request["response_format"]["json_schema"]["name"] != "repair"
    }
    with OpenAIServer() as calm:
        for request in first.values():
            calm.completion(request, behaves.OK)
        return calm.billed
