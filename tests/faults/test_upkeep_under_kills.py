"""Reshards, refinement, retention and erasure survive kill -9 of the command, workers and servers at any moment."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from conftest import workers_of
from support import chaos_strikes as strikes
from support.chaos import FOUR_WORKERS, Chaos, Plan
from support.child_processes import child_environment
from support.remnants import traces
from support.stored import broken_invariants
from support.talk import talk
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.contract.tasks import Queue, Task
from turnfold.errors import Unavailable
from turnfold.redis.doorbell import CeleryPublisher, producer_app
from turnfold.settings import Settings
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.operate import migrate
from turnfold_worker.operate.digest import digest
from turnfold_worker.testing.model_server import OpenAIServer

pytestmark = [pytest.mark.long, pytest.mark.processes, pytest.mark.timeout(1500)]

KEPT, SHORT, PEOPLE = "kept", "short", "people"
"""Tenants: the first and the last keep their turns' words, the second one for a moment only."""
KEEP_DAYS = 1e-5
ROUNDS, CONVERSATIONS, TURNS = 5, 4, 80

Conversations = Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]


@dataclass
class People:
    """People who write to conversations, some of them shared, and who are forgotten one after the other."""

    client: Turnfold
    words: list[str] = field(default_factory=list)
    """Words of the forgotten; each was used by one forgotten person alone."""
    others: dict[str, list[str]] = field(default_factory=dict)
    """Contents by the people who stay, by conversation."""
    error: BaseException | None = None
    stopped: threading.Event = field(default_factory=threading.Event)

    def live(self) -> None:
        chance = random.Random("people")
        try:
            for number in range(ROUNDS):
                self._meet(f"ana{number}x", f"shared {number}", f"alone {number}", chance)
        except BaseException as error:
            self.error = error
            raise

    def _meet(self, ana: str, shared: str, alone: str, chance: random.Random) -> None:
        kept = self.others[shared] = []
        self.words.append(ana)
        for part in range(3):
            for who, name in ((ana, shared), ("ben", shared), (ana, alone)):
                turns = [
                    {**turn, "turn_id": f"{part}-{who == ana}-{place}", "content": f"{who}: {turn['content']}"}
                    for place, turn in enumerate(talk(f"{name} {part} {who}", chance.randint(1, 9)))
                ]
                self._repeated(lambda name=name, turns=turns, who=who: self.client.append(name, turns, subject=who))
                kept += [turn["content"] for turn in turns if who != ana]
            self.stopped.wait(chance.uniform(0, 0.5))
        self.forget(ana)
        self.stopped.wait(chance.uniform(0, 1))

    def forget(self, ana: str) -> None:
        self._repeated(lambda: self.client.forget(subject=ana, timeout_seconds=0))

    def _repeated(self, call: Callable[[], object]) -> None:
        while True:
            try:
                call()
            except Unavailable:
                self.stopped.wait(0.05)
            else:
                return


def command(chaos: Chaos, *arguments: str) -> subprocess.Popen[bytes]:
    environment = child_environment(
        TURNFOLD_REDIS_URL=chaos.redis_url,
        TURNFOLD_BROKER_URL=chaos.redis.url,
        TURNFOLD_DATABASE_URL=chaos._database_url,
    )
    words = [sys.executable, "-c", "from turnfold_worker.cli import main; main()", *arguments]
    with (chaos.folder / f"{arguments[0]}.log").open("ab") as output:
        return subprocess.Popen(words, env=environment, stdout=output, stderr=output)


def killed_reshard(chaos: Chaos, chance: random.Random) -> str:
    """Start or resume a reshard; kill it, unless done, within a second of its announcement to the servers."""
    under_way = "SELECT COUNT(*) FROM meta WHERE key = 'reshard_to'"
    begins = () if _count(chaos, under_way) else (str(chance.choice((4, 16, 64))),)
    reshard = command(chaos, "reshard", *begins)
    wait_until(lambda: _count(chaos, under_way) or reshard.poll() is not None, timeout_seconds=240)
    with suppress(subprocess.TimeoutExpired):
        reshard.wait(chance.uniform(0, 1))
    reshard.kill()
    reshard.wait()
    return "reshard"


def expiry(chaos: Chaos, chance: random.Random) -> str:
    publisher = CeleryPublisher(producer_app(chaos.redis.url, timeout_seconds=1))
    publisher.publish(Task.EXPIRE, expires_seconds=60)
    publisher.close()
    return "expiry"


def _count(chaos: Chaos, query: str) -> int:
    with chaos._engine.begin() as connection:
        return int(connection.scalar(text(query)) or 0)


WORDS_LEFT = f"SELECT COUNT(*) FROM conversation WHERE tenant = '{SHORT}' AND words_since IS NOT NULL"
WORK_LEFT = "SELECT COUNT(*) FROM job WHERE state IN ('due', 'running')"

STRIKES = [
    strikes.pool_child, expiry, killed_reshard, strikes.redis_process, expiry, strikes.worker_parent, killed_reshard,
    strikes.postgresql_process, expiry, strikes.whole_worker, killed_reshard, strikes.pool_child, expiry,
]  # fmt: skip


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_nothing_is_lost_and_nothing_that_was_erased_is_left(server_folder: Path, database: str) -> None:
    conversations: Conversations = {
        ((KEPT, SHORT)[n % 2], f"conversation {n}"): talk(f"upkeep {n}", TURNS) for n in range(CONVERSATIONS)
    }
    with OpenAIServer() as model:
        environment = {
            "TURNFOLD_ATTEMPTS": "20", "TURNFOLD_KEEP_LEVEL0_DAYS": str(KEEP_DAYS), "TURNFOLD_CALL_SECONDS": "10",
            "TURNFOLD_OPENAI_BASE_URL": model.base_url, "TURNFOLD_REFINE_IDLE_SECONDS": "1",
            "TURNFOLD_REFINE_SEGMENTS": "2", "TURNFOLD_REFINE_ATTEMPTS": "50",
        }  # fmt: skip
        plan = Plan(
            conversations=conversations, strikes=STRIKES, seed=5, database=database, environment=environment,
            redis_servers=2, workers=(*FOUR_WORKERS, ("refine-1", (Queue.REFINE,), 2)),
        )  # fmt: skip
        with Chaos(server_folder, plan) as chaos:
            _check(chaos, conversations, model)


def _check(chaos: Chaos, conversations: Conversations, model: OpenAIServer) -> None:
    for tenant in (KEPT, PEOPLE):
        assert command(chaos, "quota", "set", tenant, "--retention-days", "0").wait(240) == 0
    settings = Settings(
        redis_url=chaos.redis_url, database_url=chaos._database_url, tenant=PEOPLE, timeout_seconds=2
    )  # fmt: skip
    with Turnfold(settings=settings) as client:
        people = People(client)
        thread = threading.Thread(target=people.live, daemon=True)
        thread.start()
        outcome = chaos.run(timeout_seconds=500)
        thread.join(240)
        assert people.error is None
        assert command(chaos, "reshard", "--timeout", "200").wait(240) == 0, (chaos.folder / "reshard.log").read_text()
        for word in people.words:
            assert client.forget(subject=word, timeout_seconds=240).completed
        expiry(chaos, random.Random())
        wait_until(lambda: not _count(chaos, WORDS_LEFT), timeout_seconds=240, what="old words are gone")
        wait_until(lambda: not _count(chaos, WORK_LEFT), timeout_seconds=240, what="all is refined")
        print(f"\n{outcome}")  # noqa: T201 - how much was disturbed is part of the result
        assert outcome.strikes["reshard"] == STRIKES.count(killed_reshard)
        assert broken_invariants(chaos._engine) == {}
        assert not outcome.parked
        assert _count(chaos, "SELECT COUNT(*) FROM model_note") > 0
        for server in chaos.servers:
            with server.client() as redis:
                assert [trace for word in people.words for trace in traces(chaos._engine, redis, word)] == []
        assert people.others
        for name, kept in people.others.items():
            assert [turn.content for turn in client.turns(name, limit=1_000) if turn.content] == kept
    digests = {address: digest(chaos._engine, *address) for address in conversations}
    assert digests == _undisturbed(chaos.folder / "undisturbed", model, conversations)


def _undisturbed(folder: Path, model: OpenAIServer, conversations: Conversations) -> dict[tuple[str, str], str]:
    """Return digests of the same turns, folded, refined and expired by one undisturbed worker."""
    folder.mkdir()
    url = f"sqlite:///{folder / 'turnfold.db'}"
    migrate.upgrade(url)
    with RedisServer(folder / "redis") as server, workers_of(server.url, url) as make_worker:
        local = make_worker(
            openai_base_url=model.base_url, keep_level0_days=KEEP_DAYS, refine_idle_seconds=0, refine_segments=2  # type: ignore[arg-type]
        )  # fmt: skip
        with local.write_engine.begin() as connection:
            connection.execute(text(f"INSERT INTO tenant_quota (tenant, retention_days) VALUES ('{KEPT}', 0)"))
        with Turnfold(settings=Settings(redis_url=server.url, database_url=url, doorbell=False)) as client:
            for (tenant, name), turns in conversations.items():
                client.for_tenant(tenant).append(name, turns)
        local.settle()

        def expired() -> bool:
            local.worker.expire()
            with local.engine.begin() as connection:
                return not connection.scalar(text(WORDS_LEFT))

        wait_until(expired, what="old words are gone")
        return {address: local.digest(address[1], address[0]) for address in conversations}
