"""Two real versions share one Redis and one PostgreSQL, from the older one alone to the newer one alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
from sqlalchemy import Engine, text

from support.celery_workers import CeleryWorker
from support.older_version import DIGEST, MIGRATE, SCHEMA, OlderVersion, oldest_compatible
from support.postgresql import PostgresqlServer
from support.stored import broken_invariants, judge, stored_turns
from support.talk import talk
from support.waiting import wait_until
from turnfold.contract.schema_range import SCHEMA_VERSION, SchemaRange
from turnfold.contract.tasks import Queue
from turnfold.database.engines import connect
from turnfold_worker import offline
from turnfold_worker.operate import migrate
from turnfold_worker.operate.digest import digest
from turnfold_worker.operate.schema.mismatch import serves

PRODUCER: Final = Path(__file__).parents[1] / "support" / "rounds_producer.py"
STORING: Final = (str(Queue.INGEST), str(Queue.MAINTENANCE))
FOLDING: Final = str(Queue.COMPRESS)
ROUNDS: Final = 8
TURNS_A_ROUND: Final = 6
CONVERSATIONS: Final = 4

Address = tuple[str, str]
Talks = Mapping[Address, list[dict[str, Any]]]


@pytest.fixture
def empty_url(postgresql_server: PostgresqlServer) -> Iterator[str]:
    """An empty PostgreSQL database."""
    name = f"rolling_{uuid4().hex}"
    yield postgresql_server.create(name)
    postgresql_server.drop(name)


class Rounds:
    """A producer process of either SDK version that appends a round of turns on request."""

    def __init__(self, talks: Talks, folder: Path, name: str, environment: Mapping[str, str]) -> None:
        file = folder / f"{name}.json"
        file.write_text(json.dumps([{"tenant": t, "id": c, "turns": turns} for (t, c), turns in talks.items()]))
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(PRODUCER), str(file)], env={**os.environ, **environment}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def append(self, number: int) -> None:
        """Append the turns of round `number`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        line = f"{(number - 1) * TURNS_A_ROUND} {number * TURNS_A_ROUND}\n"
        self._process.stdin.write(line)
        self._process.stdin.flush()
        assert self._process.stdout.readline() == line, "the producer ended"

    def end(self) -> None:
        self._process.communicate(timeout=120)


class Upgrade:
    """Workers and producers of two versions; each producer has its own conversations."""

    def __init__(self, older: OlderVersion, environment: Mapping[str, str], folder: Path, stack: ExitStack) -> None:
        self.database_url = environment["TURNFOLD_DATABASE_URL"]
        self.engine: Engine = connect(self.database_url, write=False, timeout_seconds=10)
        stack.callback(self.engine.dispose)
        self.talks = {
            (f"tenant-{n % 2}", f"conversation {n}"): talk(f"rolling {n}", ROUNDS * TURNS_A_ROUND)
            for n in range(CONVERSATIONS)
        }
        self.expected = {address: folded(address, turns) for address, turns in self.talks.items()}
        self._folder, self._stack = folder, stack
        of_older = {**environment, "PYTHONPATH": older.python_path}
        # Where the rules have changed since, the older version only stores and today's version folds.
        (_, conversation), turns = first = next(iter(self.talks.items()))
        older_digest = older.python("-c", DIGEST, conversation, standard_input=json.dumps(turns))
        queues = (*STORING, FOLDING) if older_digest == self.expected[first[0]] else STORING
        self.older = [self._worker(f"older-{n}", queues, of_older) for n in (1, 2)]
        self.newer = [self._worker(f"newer-{n}", (*STORING, FOLDING), environment) for n in (1, 2)]
        self._producers = [
            self._producer("older", 0, of_older),
            self._producer("newer", 1, environment),
        ]
        self.round = 0

    def _worker(self, name: str, queues: tuple[str, ...], environment: Mapping[str, str]) -> CeleryWorker:
        worker = CeleryWorker(name, queues, environment, self._folder)
        self._stack.callback(worker.kill)
        return worker

    def _producer(self, name: str, remainder: int, environment: Mapping[str, str]) -> Rounds:
        talks = {address: turns for n, (address, turns) in enumerate(self.talks.items()) if n % 2 == remainder}
        producer = Rounds(talks, self._folder, name, environment)
        self._stack.callback(producer.end)
        return producer

    def append_round(self) -> None:
        """Let each producer append a round, and wait until all of its turns are stored."""
        self.round += 1
        for producer in self._producers:
            producer.append(self.round)
        turns = self.round * TURNS_A_ROUND * CONVERSATIONS
        self.wait_for("SUM(turn_count)", turns)

    def wait_for(self, expression: str, turns: int) -> None:
        query = text(f"SELECT COALESCE({expression}, 0) FROM conversation")

        def is_reached() -> bool:
            with self.engine.connect() as connection:
                return bool(connection.scalar(query) == turns)

        wait_until(is_reached, what=f"{expression} is {turns}, logs are in {self._folder}")

    def served(self) -> SchemaRange | None:
        with self.engine.connect() as connection:
            return serves(connection)

    def drains_of(self, workers: list[CeleryWorker]) -> int:
        """Return how many drains of these workers stored turns."""
        return sum(worker.log.read_text().count("turns stored: ") for worker in workers if worker.log.exists())

    def wait_for_drains(self, workers: list[CeleryWorker], at_least: int, what: str) -> None:
        """Wait for `at_least` logged drains; a drain is logged after its commit, when its turns are already visible."""
        wait_until(lambda: self.drains_of(workers) >= at_least, what=what)


def folded(address: Address, turns: list[dict[str, Any]]) -> str:
    with offline.fold(turns, conversation_id=address[1]) as conversation:
        return conversation.digest()


def start(workers: list[CeleryWorker]) -> None:
    for worker in workers:
        worker.start(wait=False)
    for worker in workers:
        worker.wait_until_ready()


@contextmanager
def upgrade_of(older: OlderVersion, environment: Mapping[str, str], folder: Path) -> Iterator[Upgrade]:
    with ExitStack() as stack:
        yield Upgrade(older, environment, folder, stack)


@pytest.mark.long
@pytest.mark.postgresql
def test_nothing_is_lost_doubled_or_reordered_while_workers_of_two_versions_are_at_work(
    redis_url: str, empty_url: str, celery_environment: dict[str, str], tmp_path: Path
) -> None:
    older = oldest_compatible(tmp_path / "older")
    assert int(older.python("-c", SCHEMA)) < SCHEMA_VERSION, f"{older.commit} is as new as today's schema"
    older.python("-c", MIGRATE, empty_url)
    environment = {**celery_environment, "TURNFOLD_DATABASE_URL": empty_url, "TURNFOLD_FOLD_IDLE_SECONDS": "0.3"}
    with upgrade_of(older, environment, tmp_path) as upgrade:
        start(upgrade.older)
        upgrade.append_round()

        migrate.upgrade(empty_url)
        assert upgrade.served() == SchemaRange(1, SCHEMA_VERSION)
        before = upgrade.drains_of(upgrade.older)
        upgrade.append_round()
        upgrade.wait_for_drains(upgrade.older, before + 1, "the older version stores into the expanded schema")

        start(upgrade.newer)
        for _ in range(3):
            upgrade.append_round()
        upgrade.wait_for_drains(upgrade.newer, 1, "the newer version stores beside the older one")

        upgrade.older[0].stop()
        upgrade.append_round()
        upgrade.older[1].kill()
        upgrade.append_round()
        migrate.upgrade(empty_url, contract=True)
        assert upgrade.served() == SchemaRange(SCHEMA_VERSION, SCHEMA_VERSION)
        while upgrade.round < ROUNDS:
            upgrade.append_round()
        upgrade.wait_for("SUM(fold_seq)", ROUNDS * TURNS_A_ROUND * CONVERSATIONS)

        appended = {f"{t}/{c}": [turn["content"] for turn in turns] for (t, c), turns in upgrade.talks.items()}
        stored = {
            f"{t}/{c}": [content for _, _, content in stored_turns(upgrade.engine, t, c)] for t, c in upgrade.talks
        }
        assert judge(appended, stored).clean, judge(appended, stored)
        assert broken_invariants(upgrade.engine) == {}
        assert {address: digest(upgrade.engine, *address) for address in upgrade.talks} == upgrade.expected
        assert migrate.check(empty_url) == []
        with upgrade.engine.connect() as connection:
            kept = connection.scalar(text("SELECT COUNT(words_since) FROM conversation"))
        assert kept == CONVERSATIONS, "retention looks at each, whoever closed its segments"
