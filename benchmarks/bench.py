"""Shared parts of the benchmarks: made talk, a client with a worker on one database, floors by plain drivers."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import redis
from databases import Place
from sqlalchemy import Engine

from support.places import NEW_LAYOUT, servers
from turnfold import Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.tables import ConversationRow, TurnRow, table
from turnfold.database.engines import connect
from turnfold.redis.connections import connect as connect_redis
from turnfold.wire.decode import decode_turn
from turnfold_worker.adapters.redis.inbox import RedisInbox
from turnfold_worker.adapters.sql.turns import turn_row
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.wiring import Worker, sql_store


def question(number: int) -> str:
    """Return a question about the made talk."""
    subjects = ("seat api", "refund page", "login job", "report test")
    return f"What did we decide about the {subjects[number % 4]} for customer {37 * number}?"


class Nobody:
    """A publisher that discards messages, because the benchmark calls the worker itself."""

    def drain(self, shard: int) -> None: ...

    def erase(self, shard: int) -> None: ...

    def work(self, kind: Any) -> None: ...


def talk(count: int) -> Iterator[dict[str, str]]:
    """Yield made talk with changing subjects, numbers, decisions and questions."""
    chance = random.Random(7)  # noqa: S311 - made talk, the same at every run
    subjects = [f"{a} {b}" for a in ("seat", "refund", "login", "report") for b in ("api", "page", "job", "test")]
    verbs = ("must finish within", "should stay under", "may cost at most", "takes about")
    days = ("Monday", "Friday", "14 May")
    for number in range(count):
        subject = subjects[number // 23 % len(subjects)]
        said = (
            f"We decided: the {subject} {chance.choice(verbs)} {chance.randrange(5, 900)} ms for customer {number}.",
            f"Can you check the {subject} in src/{subject.replace(' ', '_')}.py, and tell me what fails?",
            f"I'll rewrite the {subject} by {chance.choice(days)}; it never retries more than {number % 7} times.",
            f"The {subject} looks fine to me. Thanks for looking into it so quickly today.",
        )
        yield {"role": "assistant" if number % 2 else "user", "content": chance.choice(said), "turn_id": f"t{number}"}


class Bench:
    """A database with a client and a worker."""

    def __init__(self, place: Place) -> None:
        self.place = place
        settings = WorkerSettings(
            redis_url=place.redis_url, database_url=place.database_url, slice_seconds=3_600, doorbell=False,
            max_inbox_turns=10_000_000,
        )  # fmt: skip
        self.write = connect(place.database_url, write=True, timeout_seconds=60)
        self.read = connect(place.database_url, write=False, timeout_seconds=60)
        client = connect_redis(place.redis_url, timeout_seconds=10)
        inbox = RedisInbox(servers(client, NEW_LAYOUT), lease_seconds=600, sweep_seconds=3)
        self.worker = Worker(settings, inbox, sql_store(settings, self.write, self.read), Nobody())
        self.client = Turnfold(settings=settings)
        self.tf = self.client.for_tenant(place.name)

    def close(self) -> None:
        self.client.close()
        self.write.dispose()
        self.read.dispose()

    def drain(self) -> float:
        """Store everything that was appended; return the seconds it took."""
        begun = time.perf_counter()
        for shard in NEW_LAYOUT.all():
            self.worker.drain(shard)
        return time.perf_counter() - begun


def drain_row(bench: Bench, conversations: int, turns: int) -> dict[str, Any]:
    """Drain `turns` turns of each of many conversations, and insert as many rows with the plain driver."""
    made = list(talk(turns))
    begun = time.perf_counter()
    for number in range(conversations):
        bench.tf.append(f"drain-{turns}-{number}", made)
    appended = time.perf_counter() - begun
    taken = bench.drain()
    floor = _floor_of_a_drain(bench, conversations, turns)
    total = conversations * turns
    return {
        "database": bench.place.name, "conversations": conversations, "turns each": turns,
        "append turns/s": round(total / appended), "drain turns/s": round(total / taken),
        "floor turns/s": round(total / floor), "share of the floor": round(floor / taken, 2),
    }  # fmt: skip


def row_id(engine: Engine, tenant: str, name: str) -> int:
    rows = table(ConversationRow)
    with engine.begin() as connection:
        found = connection.execute(rows.select().where(rows.c.tenant == tenant, rows.c.external_id == name)).one()
    return int(found.id)


def floor_of_a_read(bench: Bench, conversation: int) -> Any:
    """Return a call that makes one Redis round trip and one indexed SELECT of 60 rows."""
    client = redis.Redis.from_url(bench.place.redis_url)
    # A connection of its own that never returns to the pool.
    plain: Any = bench.read.pool._creator()  # type: ignore[attr-defined]  # noqa: SLF001
    postgresql = bench.read.dialect.name == "postgresql"
    if postgresql:
        plain.autocommit = True
    driver = plain.cursor()
    mark = "%s" if postgresql else "?"
    statement = f"SELECT * FROM turn WHERE conversation = {mark} ORDER BY seq DESC LIMIT 60"  # noqa: S608 - ours

    def look() -> None:
        client.ping()
        driver.execute(statement, (conversation,))
        driver.fetchall()

    return look


def _floor_of_a_drain(bench: Bench, conversations: int, turns: int) -> float:
    """Insert the same rows with nothing but SQLAlchemy's executemany, 50 conversations a commit; return the seconds."""
    rows = table(TurnRow)
    address = Address("floor", f"floor-{turns}")
    (conversation,) = bench.worker.store.resolve([address])
    turn = decode_turn(b'{"role":"user","content":"We decided: the seat api takes about 5 ms."}', seq=0, turn_id="t")
    begun = time.perf_counter()
    number = 0
    for first in range(0, conversations, 50):
        block = []
        for _ in range(min(50, conversations - first) * turns):
            number += 1
            block.append({**turn_row(conversation, number, turn), "turn_id": f"t{number}"})
        with bench.write.begin() as connection:
            connection.execute(rows.insert(), block)
    return time.perf_counter() - begun
