"""`turnfold refine` and `turnfold usage`: refine, refine again after a change, in batches, and undo."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from support.refinery import SHORT_SEGMENTS, Refinery
from support.seals import unsealed
from support.talk import talk
from support.waiting import wait_until
from turnfold_worker.cli.group import main
from turnfold_worker.offline import fold
from turnfold_worker.testing.model_replies import read_request
from turnfold_worker.testing.model_server import OpenAIServer
from turnfold_worker.use_cases import refine_in_batches as batches_module

pytestmark = pytest.mark.daily_on("sqlite")

Run = Callable[..., Result]


@pytest.fixture
def run(redis_url: str, database_url: str, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("TURNFOLD_REDIS_URL", redis_url)
    monkeypatch.setenv("TURNFOLD_DATABASE_URL", database_url)
    monkeypatch.setenv("TURNFOLD_TENANT", "acme")
    monkeypatch.setenv("TURNFOLD_REFINE_SEGMENTS", "2")
    monkeypatch.setattr(batches_module, "POLL_SECONDS", 0.05)

    def run(*arguments: str, model: bool = True, **environment: str) -> Result:
        if model:
            environment["TURNFOLD_OPENAI_BASE_URL"] = openai_server.base_url
        return CliRunner().invoke(main, list(arguments), env=environment)

    return run


@contextmanager
def working(refinery: Refinery) -> Iterator[None]:
    """Run a worker next to the command."""
    over = threading.Event()

    def work() -> None:
        while not over.wait(0.02):
            refinery.local.settle()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(90)


def said(result: Result, code: int = 0) -> dict[str, Any]:
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def test_conversations_from_before_there_was_a_model_are_refined(
    make_refinery: Callable[..., Refinery], run: Run
) -> None:
    make_refinery(refine="off").fold("c", 72)
    refinery = make_refinery()
    assert refinery.states == []
    with working(refinery):
        found = said(run("refine", "c", "--json"))
    assert found["done"] + found["skipped"] >= found["asked"] >= 2, "it waits for all that it asked for"
    assert refinery.levels()
    wait_until(lambda: refinery.local.settle() or set(refinery.states) <= {"done", "skipped"})
    assert found["asked"] == refinery.server.purposes().count("notes") + refinery.states.count("skipped")
    with working(refinery):
        again = said(run("refine", "--all", "--json"))
    assert (again["asked"], again["done"]) == (0, refinery.states.count("done"))


def test_another_model_writes_everything_anew_and_nothing_twice(
    make_refinery: Callable[..., Refinery], run: Run
) -> None:
    refinery = make_refinery()
    refinery.fold("c")
    calls = len(refinery.server.requests)
    other = make_refinery(summarize_model="gpt-x")
    with working(other):
        said(run("refine", "c", "--json", TURNFOLD_SUMMARIZE_MODEL="gpt-x"))
    other.local.settle()
    assert refinery.query("SELECT DISTINCT model FROM level WHERE refined = 1 AND height = 1") == [("gpt-x",)]
    # Pairs of segments were answered before; the last segment had never been sent alone.
    assert sorted(request["model"] for request in refinery.server.requests[calls:]) == ["gpt-4o", "gpt-x"]
    assert refinery.count("node WHERE height = 0") % 2 == 1


def test_undoing_leaves_what_a_run_without_a_model_leaves(
    refinery: Refinery, make_refinery: Callable[..., Refinery], run: Run
) -> None:
    refinery.fold("c", 120)
    refined = refinery.tf.context("c", budget_tokens=900, policy="recency").text
    billed = refinery.server.billed
    found = said(run("refine", "c", "--undo", "--json", model=False))
    assert found["levels_removed"] > 0
    assert found["anchors_removed"] > 0
    plain = make_refinery(refine="off")
    alone = fold(talk("c", 120), conversation_id="c", settings=SHORT_SEGMENTS)
    for policy in ("recency", "balanced"):
        mine = plain.tf.context("c", budget_tokens=900, policy=policy)
        assert unsealed(mine.text) == unsealed(alone.context(budget_tokens=900, policy=policy).text)
    # The client generates an id for a turn without one, so ids differ.
    ours, theirs = plain.tf.anchors("c", states=None), alone.anchors(states=None)
    assert [replace(one, turn_id=None) for one in ours] == [replace(one, turn_id=None) for one in theirs]
    assert (refinery.levels(), refinery.states) == ([], [])
    with working(refinery):
        said(run("refine", "c", "--json"))
    refinery.local.settle()
    assert refinery.tf.context("c", budget_tokens=900, policy="recency").text == refined
    assert refinery.server.billed == billed, "what was answered before is not paid again"


def test_inspect_says_who_wrote_each_level_and_found_each_anchor(refinery: Refinery, run: Run) -> None:
    refinery.fold("c", 60)
    tree = " ".join(run("inspect", "c", "--levels", model=False).output.replace("│", " ").split())
    assert "L1 L2 L3 by gpt-4o-mini, chapter-5" in tree
    assert "L1 L2 L3 by gpt-4o, notes-8" in tree
    assert "[gpt-4o, notes-8]" in tree
    (chapter, *_) = said(run("inspect", "c", "--json", model=False))["branches"]
    (segment, *_) = chapter["children"]
    for branch in (chapter, segment):
        assert branch["provenance"]["1"]["method"] == "model"
        assert len(branch["provenance"]["1"]["source_hash"]) == 32
    made = {source["method"] for child in chapter["children"] for source in child["anchor_provenance"].values()}
    assert made == {"rules", "model"}
    run("refine", "c", "--undo", model=False)
    again = said(run("inspect", "c", "--json", model=False))
    assert "gpt-4o" not in json.dumps(again)


def test_usage_adds_up_by_day_model_and_conversation(refinery: Refinery, run: Run) -> None:
    refinery.fold("c", 60)
    refinery.fold("d", 24)
    rows = said(run("usage", "--json"))["usage"]
    assert {row["model"] for row in rows} == {"gpt-4o", "gpt-4o-mini"}
    assert sum(row["input_tokens"] + row["output_tokens"] for row in rows) == refinery.server.billed
    assert sum(row["cached_tokens"] for row in rows) > 0
    each = said(run("usage", "--each", "--json"))["usage"]
    assert {row["conversation_id"] for row in each} == {"c", "d"}
    assert sum(row["cost_micros"] for row in each) == sum(row["cost_micros"] for row in rows) > 0
    one = said(run("usage", "d", "--json"))["usage"]
    assert [row for row in each if row["conversation_id"] == "d"] == one
    table = run("usage", "--each")
    assert "gpt-4o-mini" in table.output
    assert "dollars" in table.output
    assert "no model was called" in run("--tenant", "other", "usage").output


def cost_of_notes(refinery: Refinery) -> int:
    """Return the cost of notes on segments; a cheaper model writes those on chapters."""
    return int(refinery.query("SELECT SUM(cost_micros) FROM tenant_usage WHERE model = 'gpt-4o'")[0][0])


def test_a_batch_asks_at_half_the_price_and_workers_find_the_answers(
    make_refinery: Callable[..., Refinery], run: Run
) -> None:
    make_refinery(refine="off").fold("c", 120)
    refinery = make_refinery()
    server = refinery.server
    submitted = run("refine", "--all", "--batch", "--no-wait")
    assert submitted.exit_code == 0, submitted.output
    assert len(server.batches) == 1
    refinery.local.settle()
    assert set(refinery.states) == {"batched"}
    assert server.requests == [], "nobody asks beside the batch"
    server.end_batches()
    with working(refinery):
        found = said(run("refine", "--all", "--batch", "--json"))
    refinery.local.settle()
    assert set(server.purposes()) <= {"chapter"}, "chapters follow when their segments are done"
    used = refinery.used()
    assert used["cached_replies"] == used["requests"] - len(server.requests) > 0
    assert found["done"] >= used["cached_replies"], "it waits for all of the batch"
    paid = cost_of_notes(refinery)
    single = make_refinery()
    with refinery.local.write_engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM tenant_usage")
    single.fold("e", [{**turn} for turn in talk("c", 120)])
    assert abs(2 * paid - cost_of_notes(single)) <= 0.05 * cost_of_notes(single)


def test_a_batch_that_was_left_is_gone_on_with_and_what_it_did_not_answer_is_asked_by_itself(
    make_refinery: Callable[..., Refinery], run: Run
) -> None:
    make_refinery(refine="off").fold("c", 72)
    refinery = make_refinery()
    run("refine", "c", "--batch", "--no-wait")
    over: list[Result] = []
    with working(refinery):
        thread = threading.Thread(target=lambda: over.append(run("refine", "c", "--batch", "--json")))
        thread.start()
        wait_until(lambda: refinery.server.batches)
        refinery.server.end_batches(failing=1)
        thread.join(90)
    done = said(over[0])["done"]
    refinery.local.settle()
    assert done >= refinery.used()["requests"] - refinery.server.purposes().count("chapter") > 1
    assert refinery.server.purposes().count("notes") == 1
    assert len(refinery.server.batches) == 1
    assert refinery.count("model_batch") == 0


def test_what_could_not_be_submitted_waits_for_no_batch(make_refinery: Callable[..., Refinery], run: Run) -> None:
    make_refinery(refine="off").fold("c", 72)
    refinery = make_refinery()
    refused = run("refine", "c", "--batch", "--no-wait", TURNFOLD_DAILY_TOKENS="1")
    assert refused.exit_code == 3, refused.output
    assert "TURNFOLD_DAILY_TOKENS" in refused.output
    assert set(refinery.states) == {"due"}
    submitted = run("refine", "c", "--batch", "--no-wait")
    assert submitted.exit_code == 0, submitted.output
    assert len(refinery.server.batches) == 1
    assert set(refinery.states) == {"batched"}


def test_a_batch_that_expires_costs_nothing_and_its_jobs_are_done_by_calls(
    make_refinery: Callable[..., Refinery], run: Run
) -> None:
    make_refinery(refine="off").fold("c")
    refinery = make_refinery()
    run("refine", "c", "--batch", "--no-wait")
    refinery.server.end_batches(status="expired")
    with working(refinery):
        said(run("refine", "c", "--batch", "--json"))
    refinery.local.settle()
    assert refinery.states.count("done") == len(refinery.server.requests) > 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["refine"], "give a conversation"), (["refine", "c", "--all"], "give a conversation"),
        (["refine", "--all", "--undo", "--batch"], "cannot be combined"), (["refine", "nobody"], "is not stored"),
        (["usage", "nobody"], "is not stored"),
    ],
)  # fmt: skip
def test_wrong_input_is_said_so(run: Run, arguments: list[str], says: str) -> None:
    result = run(*arguments)
    assert result.exit_code in {1, 2}
    assert says in result.output


def test_without_a_model_it_says_what_to_set(refinery: Refinery, run: Run) -> None:
    refinery.fold("c")
    result = run("refine", "c", model=False)
    assert result.exit_code != 0
    assert "TURNFOLD_OPENAI_API_KEY" in result.output


def test_a_parked_refinement_is_listed_retried_and_skipped(refinery: Refinery, run: Run) -> None:
    from turnfold_worker.testing import model_server as behaves

    refinery.server.then(behaves.error(400, "too_long"))
    refinery.fold("c")
    (job,) = said(run("jobs", "list", "--json"))["jobs"]
    assert (job["kind"], job["error"]) == ("refine", "HTTP 400 too_long")
    asked = read_request(refinery.server.requests[0]["messages"][1]["content"])
    assert job["subject"] == f"segments from {min(segment.number for segment in asked if segment.asked)}"
    retried = refinery.states.index("parked")
    assert said(run("jobs", "retry", job["id"], "--json"))["jobs"][0]["done"] is True
    refinery.local.settle()
    assert refinery.states[retried] == "done"
    assert set(refinery.states) <= {"done", "skipped"}
