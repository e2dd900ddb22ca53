"""A tenant's own quotas apply to the next append of any producer and survive the loss of Redis's data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis
from click.testing import CliRunner, Result
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.places import shard_of
from support.refinery import Refinery
from turnfold import QuotaExceeded, Settings, Turnfold
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.tables import HIDDEN_PREFIX
from turnfold.redis.quotas import Quotas
from turnfold_worker.adapters.sql.tenant_quotas import SqlTenantQuotas
from turnfold_worker.cli import main

TURN = {"role": "user", "content": "We must use PostgreSQL."}
SIZE = len(json.dumps(TURN, separators=(",", ":")))

Run = Callable[..., Result]


@pytest.fixture
def run(redis_url: str, database_url: str) -> Run:
    def run_command(*arguments: str) -> Result:
        servers = ("--redis-url", redis_url, "--database-url", database_url)
        return CliRunner().invoke(main, [*servers, *arguments])

    return run_command


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as found:
        yield found


def quota_of(run: Run, tenant: str = "acme") -> dict[str, Any]:
    quota: dict[str, Any] = json.loads(run("quota", "show", tenant, "--json").output)["quota"]
    return quota


def test_a_tenants_own_bound_holds_for_the_next_append_of_a_producer_without_settings(tf: Turnfold, run: Run) -> None:
    tf.append("c", [TURN] * 2)
    shown = run("quota", "set", "acme", "--turns-a-day", "3")
    assert (shown.exit_code, shown.output) == (0, "set for tenant acme: turns a day 3\n")
    tf.append("c", [TURN] * 3)
    with pytest.raises(QuotaExceeded, match=r"'acme' has appended 3 turns .*`turnfold quota set`"):
        tf.append("c", TURN)
    assert tf.status("c").inbox == 5
    tf.for_tenant("other").append("c", [TURN] * 9)


def test_it_is_known_without_a_round_trip_more_where_no_tenant_has_one(
    tf: Turnfold, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    counting = Quotas._call

    def counted(self: Quotas, tenant: str, *sizes: int) -> Any:
        calls.append(tenant)
        return counting(self, tenant, *sizes)

    monkeypatch.setattr(Quotas, "_call", counted)
    tf.append("c", TURN)
    assert calls == []
    run("quota", "set", "acme", "--turns-a-day", "9")
    calls.clear()
    tf.append("c", TURN)
    tf.append("c", TURN)
    tf.for_tenant("other").append("c", TURN)
    assert calls == ["acme", "acme"]
    run("quota", "clear", "acme")
    tf.append("c", TURN)
    calls.clear()
    tf.append("c", TURN)
    assert calls == []


def test_a_tenant_that_may_append_any_number_costs_no_round_trip_more(
    tf: Turnfold, run: Run, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    counting = Quotas._call

    def counted(self: Quotas, tenant: str, *sizes: int) -> Any:
        calls.append(tenant)
        return counting(self, tenant, *sizes)

    monkeypatch.setattr(Quotas, "_call", counted)
    run("quota", "set", "acme", "--turns-a-day", "0", "--stored-bytes", "0")
    tf.append("c", TURN)
    assert calls == []
    assert client.hgetall(keys.quota("acme")) == {b"turns": b"0", b"stored": b"0"}
    run("quota", "set", "acme", "--turns-a-day", "1")
    with pytest.raises(QuotaExceeded):
        tf.append("c", [TURN] * 2)
    run("quota", "clear", "acme")
    assert client.exists(keys.quota("acme"), keys.bounded(0)) == 0


def test_an_import_above_the_quota_says_so_in_the_words_of_the_shell(run: Run, tmp_path: Path) -> None:
    run("quota", "set", "acme", "--turns-a-day", "2")
    file = tmp_path / "c.jsonl"
    file.write_text(f"{json.dumps(TURN)}\n" * 3)
    refused = run("--tenant", "acme", "import", str(file))
    assert refused.exit_code == 4, refused.output
    assert "again in " in refused.output
    assert "error.turns" not in refused.output


def test_zero_frees_a_tenant_from_the_settings(settings: Settings, run: Run) -> None:
    with Turnfold(settings=replace(settings, tenant_turns_a_day=1)) as tf:
        tf.append("c", TURN)
        with pytest.raises(QuotaExceeded):
            tf.append("c", TURN)
        run("quota", "set", "acme", "--turns-a-day", "0")
        tf.append("c", [TURN] * 9)
        run("quota", "clear", "acme")
        with pytest.raises(QuotaExceeded):
            tf.append("c", [TURN] * 2)


def test_numbers_that_are_not_named_stay_and_clear_takes_all(tf: Turnfold, run: Run) -> None:
    run("quota", "set", "acme", "--bytes-a-day", str(2 * SIZE))
    run("quota", "set", "acme", "--retention-days", "30")
    tf.append("c", [TURN] * 2)
    quota = quota_of(run)
    assert quota["bytes_a_day"] == {"most": 2 * SIZE, "set_by": "turnfold quota", "used": 2 * SIZE}
    assert (quota["retention_days"]["most"], quota["turns_a_day"]["set_by"]) == (30, "TURNFOLD_TENANT_TURNS_A_DAY")
    assert "acme" in run("quota", "show").output
    assert run("quota", "clear", "acme").output == "cleared: the settings apply to tenant acme\n"
    assert run("quota", "clear", "acme").output == "tenant acme had no quota\n"
    assert json.loads(run("quota", "show", "--json").output) == {"quotas": []}
    tf.append("c", [TURN] * 9)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["set", "acme"], "give at least one limit: --turns-a-day"),
        (["set", "acme", "--turns-a-day", "-1"], "-1 is not in the range"),
        (["set", "a\n", "--turns-a-day", "1"], "control characters"),
        (["set", "acme", "--retention-days", "40000"], "not in the range"),
    ],
)
def test_what_makes_no_sense_is_refused(run: Run, arguments: list[str], said: str) -> None:
    shown = run("quota", *arguments)
    assert shown.exit_code == 2
    assert said in shown.output


def test_stored_bytes_are_those_of_the_turns_in_sql_and_in_the_inbox(
    tf: Turnfold, local: LocalWorker, run: Run, engine: Engine
) -> None:
    tf.append("c", [{**TURN, "turn_id": f"t-{number}"} for number in range(20)])
    local.settle()
    tf.append("c", TURN)
    run("quota", "set", "acme", "--stored-bytes", str(10_000))
    with engine.begin() as connection:
        words = connection.execute(text("SELECT SUM(LENGTH(content) + LENGTH(turn_id)) FROM turn")).scalar()
    assert words is not None
    assert words + SIZE <= quota_of(run)["stored_bytes"]["used"] <= words + SIZE + 99


def test_a_tenant_that_stores_as_much_as_it_may_appends_again_after_it_made_room(
    tf: Turnfold, local: LocalWorker, run: Run, client: redis.Redis
) -> None:
    tf.append("c", [TURN] * 20)
    local.settle()
    run("quota", "set", "acme", "--stored-bytes", str(25 * SIZE))
    tf.append("d", [TURN] * 3)
    with pytest.raises(QuotaExceeded, match=r"stores \d+ bytes of turns, .*`forget` conversations") as met:
        tf.append("d", [TURN] * 20)
    assert met.value.retry_after_seconds == 60
    tf.forget("c", timeout_seconds=0)
    local.settle()
    measure_anew(local, client)
    tf.append("d", [TURN] * 20)
    with pytest.raises(QuotaExceeded):
        tf.append("d", [TURN] * 20)
    measure_anew(local, client)
    with pytest.raises(QuotaExceeded):
        tf.append("d", [TURN] * 20)


def measure_anew(local: LocalWorker, client: redis.Redis) -> None:
    """Let a minute pass and measure again."""
    client.delete(keys.QUOTAS, keys.SWEEP)
    local.worker.sweep_in_turn()


def test_a_tenant_of_whom_all_is_forgotten_is_one_only_until_its_rows_are_deleted(
    tf: Turnfold, local: LocalWorker
) -> None:
    tf.append("gone", {"role": "user", "content": "Hello."})
    tf.for_tenant("other").append("kept", {"role": "user", "content": "Hello."})
    tf.for_tenant("other").append("gone", {"role": "user", "content": "Hello."})
    local.drain()
    quotas = SqlTenantQuotas(local.engine)
    assert quotas.tenants(standing_only=True) == quotas.tenants() == ["acme", "other"]
    with local.write_engine.begin() as connection:
        hidden = {"name": HIDDEN_PREFIX + "0"}
        connection.execute(text("UPDATE conversation SET external_id = :name WHERE external_id = 'gone'"), hidden)
    assert quotas.tenants(standing_only=True) == ["other"]
    assert quotas.tenants() == ["acme", "other"]


def test_what_a_change_makes_shorter_counts_no_longer(tf: Turnfold, local: LocalWorker, run: Run) -> None:
    tf.append("c", [{"role": "user", "content": "x" * 5_000, "turn_id": f"t-{number}"} for number in range(4)])
    local.settle()
    run("quota", "set", "acme", "--stored-bytes", "100000")
    assert quota_of(run)["stored_bytes"]["used"] > 20_000
    tf.delete("c", "t-0")
    tf.edit("c", "t-1", content="short")
    tf.rewind("c", after="t-2")
    local.settle()
    run("quota", "set", "acme", "--stored-bytes", "100000")
    assert 5_000 < quota_of(run)["stored_bytes"]["used"] < 5_200


def test_the_setting_measures_every_tenant(
    tf: Turnfold,
    make_worker: Callable[..., LocalWorker],
    client: redis.Redis,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    local = make_worker(tenant_stored_bytes=1_000_000)
    for tenant in ("acme", "other"):
        tf.for_tenant(tenant).append("c", [TURN] * 5)
    local.settle()
    measure_anew(local, client)
    assert {tenant: int(client.hget(keys.stored(tenant), "size") or 0) >= 5 * 23 for tenant in ("acme", "other")} == {
        "acme": True, "other": True,
    }  # fmt: skip


def test_quotas_hold_again_after_redis_lost_all_that_it_held(
    tf: Turnfold, local: LocalWorker, run: Run, client: redis.Redis
) -> None:
    run("quota", "set", "acme", "--turns-a-day", "3", "--stored-bytes", str(50 * SIZE))
    client.flushdb()
    local.worker.sweep_in_turn()
    assert client.sismember(keys.bounded(shard_of(Address("acme", "c"))), "acme")
    tf.append("c", [TURN] * 3)
    with pytest.raises(QuotaExceeded):
        tf.append("c", TURN)


def test_while_redis_is_away_a_quota_is_kept_and_it_is_said_when_it_holds(
    database_url: str, engine: Engine, run: Run
) -> None:
    away = ["--redis-url", "redis://127.0.0.1:1/0", "--database-url", database_url]
    shown = CliRunner().invoke(main, [*away, "quota", "set", "acme", "--turns-a-day", "3"])
    assert shown.exit_code == 0
    assert "a worker will publish the limits" in shown.output
    assert quota_of(run)["turns_a_day"]["most"] == 3


def test_words_are_kept_as_long_as_their_tenants_quota_says(make_refinery: Callable[..., Refinery], run: Run) -> None:
    refinery = make_refinery(refine="off", keep_level0_days=30)
    for tenant in ("acme", "short", "ever"):
        Refinery(refinery.tf.for_tenant(tenant), refinery.local, refinery.server, []).fold("c", 24)
    with refinery.local.write_engine.begin() as connection:
        connection.execute(text("UPDATE node SET closed_at = closed_at - 20 * CAST(86400000 AS BIGINT)"))
        connection.execute(text("UPDATE conversation SET words_since = words_since - 20 * CAST(86400000 AS BIGINT)"))
    run("quota", "set", "short", "--retention-days", "7")
    run("quota", "set", "ever", "--retention-days", "0")
    assert refinery.local.worker.expire() > 0
    assert emptied(refinery) == {"short"}
    with refinery.local.write_engine.begin() as connection:
        connection.execute(text("UPDATE node SET closed_at = closed_at - 20 * CAST(86400000 AS BIGINT)"))
        connection.execute(text("UPDATE conversation SET words_since = words_since - 20 * CAST(86400000 AS BIGINT)"))
    assert refinery.local.worker.expire() > 0
    assert emptied(refinery) == {"short", "acme"}


def emptied(refinery: Refinery) -> set[str]:
    """Return the tenants of which words were removed."""
    rows = refinery.query(
        "SELECT DISTINCT c.tenant FROM turn t JOIN conversation c ON c.id = t.conversation WHERE t.state = 2"
    )
    return {row[0] for row in rows}


def test_a_retention_of_a_tenants_own_needs_no_setting(make_refinery: Callable[..., Refinery], run: Run) -> None:
    refinery = make_refinery(refine="off")
    refinery.fold("c", 24)
    with refinery.local.write_engine.begin() as connection:
        connection.execute(text("UPDATE node SET closed_at = closed_at - 864000000"))
        connection.execute(text("UPDATE conversation SET words_since = words_since - 864000000"))
    run("quota", "set", "acme", "--retention-days", "7")
    assert refinery.local.worker.expire() > 0
    run("quota", "clear", "acme")
    assert refinery.local.worker.expire() == 0


def test_a_tenant_over_its_model_budget_has_the_rules_notes_until_it_may_use_more(
    make_refinery: Callable[..., Refinery], run: Run
) -> None:
    refinery = make_refinery(refine="on")
    run("quota", "set", "acme", "--model-tokens-a-day", "10")
    refinery.fold("c", 24)
    assert refinery.server.requests == []
    assert {error for _, _, error in refinery.jobs if error} == {
        "the tenant's daily cap is reached: its quota, see `turnfold quota show`"
    }
    assert refinery.tf.notes("c")
    assert {note.written_by for note in refinery.tf.notes("c")} == {"rules"}
    assert "model tokens today (UTC): 0 of 10 (set by turnfold quota)" in run("--tenant", "acme", "usage").output
    run("quota", "set", "acme", "--model-tokens-a-day", "1000000")
    refinery.go_on()
    assert "model" in {note.written_by for note in refinery.tf.notes("c")}
    assert quota_of(run)["model_tokens_a_day"]["used"] > 10
