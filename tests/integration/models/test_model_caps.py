"""Work waits, without loss, for a tenant's daily caps and for limits per minute."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine

from support.refinery import Refinery
from turnfold import Turnfold
from turnfold.contract.records import ConversationId
from turnfold.database.engines import connect
from turnfold.errors import InvalidSettings
from turnfold_worker.adapters.prices import KNOWN, read_prices
from turnfold_worker.adapters.sql.ledger import SqlLedger
from turnfold_worker.errors import ModelWaits
from turnfold_worker.pipeline.refinement.sources import ModelRequest, Purpose
from turnfold_worker.ports.models import Finish, ModelReply, Owner, Reservation, Used
from turnfold_worker.settings import WorkerSettings


def request(model: str = "gpt-4o", *, words: int = 100, seed: object = "") -> ModelRequest:
    return ModelRequest(
        purpose=Purpose.NOTES, model=model, prompt_version="p", system="s", user=f"word {seed} " * words,
        max_tokens=100,
    )  # fmt: skip


@pytest.fixture
def owner(tf: Turnfold, make_refinery: Callable[..., Refinery]) -> Owner:
    refinery = make_refinery(refine="off")
    refinery.tf.append("c", {"role": "user", "content": "Hello there, general."})
    refinery.local.settle()
    return Owner(ConversationId(refinery.query("SELECT id FROM conversation")[0][0]), "acme")


@pytest.fixture
def make_ledger(database_url: str, engine: Engine) -> Callable[..., SqlLedger]:
    def make(**caps: float) -> SqlLedger:
        write = connect(database_url, write=True, timeout_seconds=30)
        return SqlLedger(write, prices=KNOWN, **caps)  # type: ignore[arg-type]

    return make


def reply(asked: ModelRequest, output: int = 50) -> ModelReply:
    return ModelReply(
        content="{}", finish=Finish.STOP, used=Used(input_tokens=asked.input_tokens, output_tokens=output)
    )


def test_a_day_ends_at_its_cap_and_other_tenants_go_on(make_ledger: Callable[..., SqlLedger], owner: Owner) -> None:
    ledger = make_ledger(daily_tokens=2_000)
    done = 0

    def spend() -> None:
        nonlocal done
        for number in range(100):
            asked = request(seed=number)
            ledger.settle(ledger.reserve(owner, asked), asked, reply(asked))
            done += asked.input_tokens + 50

    with pytest.raises(ModelWaits, match="TURNFOLD_DAILY_TOKENS") as raised:
        spend()
    assert 1_000 < done <= 2_000
    assert 0 < raised.value.seconds <= 901
    ledger.reserve(Owner(owner.conversation, "other"), request())


def test_a_cap_in_dollars_counts_prices_and_the_share_of_cached_tokens(
    make_ledger: Callable[..., SqlLedger], owner: Owner
) -> None:
    ledger = make_ledger(daily_dollars=0.01)

    def spend() -> None:
        for number in range(100):
            asked = request(seed=number)
            ledger.settle(ledger.reserve(owner, asked), asked, reply(asked))

    with pytest.raises(ModelWaits, match="TURNFOLD_DAILY_DOLLARS"):
        spend()
    assert KNOWN["gpt-4o"].micros(input_tokens=1_000_000, cached_tokens=500_000, output_tokens=0) == 1_875_000


def test_many_calls_at_once_never_pass_the_cap(make_ledger: Callable[..., SqlLedger], owner: Owner) -> None:
    ledger = make_ledger(daily_tokens=5_000)

    def take(number: int) -> int:
        asked = request("gpt-4o" if number % 2 else "gpt-4o-mini", seed=number)
        try:
            reservation: Reservation = ledger.reserve(owner, asked)
        except ModelWaits:
            return 0
        return reservation.tokens

    with ThreadPoolExecutor(8) as pool:
        granted = list(pool.map(take, range(40)))
    assert 0 < sum(granted) <= 5_000
    assert sum(granted) > 3_500


def test_what_a_failed_call_reserved_is_given_back(make_ledger: Callable[..., SqlLedger], owner: Owner) -> None:
    ledger = make_ledger(daily_tokens=600)
    for number in range(20):
        ledger.release(ledger.reserve(owner, request(seed=number)), failed=True)


def test_a_reply_is_kept_once_and_found_again(make_ledger: Callable[..., SqlLedger], owner: Owner) -> None:
    ledger, asked = make_ledger(), request()
    assert ledger.cached(owner, asked) is None
    ledger.settle(ledger.reserve(owner, asked), asked, reply(asked))
    found = ledger.cached(owner, asked)
    assert found is not None
    assert (found.content, found.used.input_tokens) == ("{}", 0)
    assert ledger.cached(owner, request(seed="other")) is None
    assert ledger.cached(Owner(ConversationId(owner.conversation + 1), "acme"), asked) is None


@pytest.mark.daily_on("sqlite")
def test_jobs_that_meet_a_cap_wait_and_are_done_on_another_day(make_refinery: Callable[..., Refinery]) -> None:
    refinery = make_refinery(daily_tokens=100, refine_segments=8)
    refinery.fold("c")
    assert [(state, attempts) for state, attempts, _ in refinery.jobs] == [("due", 0)]
    assert "daily cap" in str(refinery.jobs[0][2])
    assert refinery.server.requests == []
    assert refinery.tf.status("c").parked == 0
    tomorrow = make_refinery(daily_tokens=0, refine_segments=8)
    tomorrow.go_on()
    assert set(tomorrow.states) == {"done"}


@pytest.mark.daily_on("sqlite")
def test_jobs_that_meet_a_limit_of_a_minute_wait_in_the_job_table(make_refinery: Callable[..., Refinery]) -> None:
    refinery = make_refinery(tokens_per_minute=1_000, republish_seconds=60, refine_segments=8)
    for name in ("c", "d", "e"):
        refinery.append(name)
    refinery.fold_only()
    refinery.local.settle()
    assert len(refinery.server.requests) < 6
    waiting = [error for state, _, error in refinery.jobs if state == "due"]
    assert waiting
    assert all("per minute is reached" in str(error) for error in waiting)


@pytest.mark.parametrize("text", ["gpt-4o", "gpt-4o=1/2", "=1/2/3", "x=a/b/c", "x=-1/2/3", "x=1/2/3,y"])
def test_prices_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(InvalidSettings, match="must look like"):
        read_prices(text)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"refine_segments": 3}, "1, 2, 4 or 8"), ({"refine": "maybe"}, "auto, on, off"),
        ({"call_seconds": 0}, "above 0"), ({"daily_tokens": -1}, "0 or more"), ({"call_attempts": 0}, "at least 1"),
        ({"openai_base_url": "localhost:8000"}, "http://"),
        ({"daily_dollars": 5.0, "extract_model": "my-model"}, "needs the price of my-model"),
    ],
)  # fmt: skip
def test_settings_that_cannot_work_are_refused_with_a_remedy(values: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidSettings, match=says):
        WorkerSettings(**values)  # type: ignore[arg-type]


def test_a_key_is_never_shown() -> None:
    assert "sk-secret" not in repr(WorkerSettings(openai_api_key="sk-secret"))
