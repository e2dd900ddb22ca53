"""A soak: its sizes, its waves, the memory of its workers, and the digests of an undisturbed run."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, Self

import psutil

from support.chaos import Chaos, Strike
from support.chaos_faults import POOLER_KILLED
from support.chaos_round import verdict_of
from support.chaos_strikes import pgbouncer_process, postgresql_process, redis_process
from support.talk import talk
from turnfold_worker import offline

PREFIX = "TURNFOLD_SOAK_"
STRIKES_A_WAVE = 2
LONGEST_WAVE_SECONDS = 3_600.0
FAULT = replace(
    POOLER_KILLED,
    # Strikes of a short wave come close to each other: two on one segment are chance, not poison.
    environment={"TURNFOLD_ATTEMPTS": "8", "TURNFOLD_FOLD_IDLE_SECONDS": "1"},
)
EVERY_STRIKE = tuple(FAULT.strikes)
SERVERS_ONLY = (redis_process, postgresql_process, pgbouncer_process)
"""Strikes that leave workers alive, so that their memory is measured over time."""
Workers = Sequence[tuple[str, Sequence[str], int]]
LOOK_SECONDS = 5.0


class Shape(NamedTuple):
    """The sizes, each read from the variable with the prefix `TURNFOLD_SOAK_` and its upper-case name."""

    turns: int = 1_200
    conversations: int = 120
    tenants: int = 20
    minutes: float = 6.0
    """Minutes until the soak counts as failed."""
    seed: int = 24
    most_mib: float = 400.0
    """Memory that one process of a worker may use at any time."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Raises `ValueError` if a value is no number, or if the sizes contradict each other."""
        given = {name: environment.get(PREFIX + name.upper()) for name in cls._fields}
        defaults = cls()
        shape = cls(**{name: type(getattr(defaults, name))(text) for name, text in given.items() if text is not None})
        if not 1 <= shape.tenants <= shape.conversations <= shape.turns:
            msg = f"{PREFIX}TENANTS <= {PREFIX}CONVERSATIONS <= {PREFIX}TURNS, and at least 1: {shape}"
            raise ValueError(msg)
        return shape

    def lengths(self) -> dict[tuple[str, str], int]:
        """Return (tenant, conversation) -> turns: half of the conversations have a quarter of them, or one each."""
        short = self.conversations // 2
        few = max(1, self.turns // (4 * max(1, short)))
        left, long = self.turns - few * short, self.conversations - short
        turns = [few] * short + [left // long + (number < left % long) for number in range(long)]
        return {(f"tenant-{n % self.tenants}", f"conversation {n}"): many for n, many in enumerate(turns)}

    def as_row(self) -> dict[str, Any]:
        return self._asdict()


class MemoryWatch:
    """Samples the resident memory of the workers' processes during a chaos."""

    def __init__(self, chaos: Chaos) -> None:
        self._chaos = chaos
        self._next = 0.0
        self.seen: list[tuple[float, float]] = []
        """(minutes since its start, MiB) of the oldest process at each look; a kill makes another one the oldest."""
        self.largest_mib = 0.0

    def look(self, _: int = 0) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + LOOK_SECONDS
        sizes = [_age_and_size(pid) for worker in self._chaos.workers for pid in worker.processes()]
        self.seen.append(max(sizes, default=(0.0, 0.0)))
        self.largest_mib = max(self.largest_mib, *(mib for _, mib in sizes), 0.0)


def _age_and_size(pid: int) -> tuple[float, float]:
    try:
        process = psutil.Process(pid)
        return (time.time() - process.create_time()) / 60, process.memory_info().rss / 2**20
    except psutil.NoSuchProcess:
        return 0.0, 0.0


class Stopped(Exception):  # noqa: N818 - no error: it goes on when it is run again
    """The time is over."""


class Soak:
    """A soak in waves of conversations on the same servers; `soak.json` in its folder lists the finished waves.

    When it is stopped within a wave, it repeats that wave: its producers append everything again, with the same
    ids.
    """

    def __init__(
        self, folder: Path, shape: Shape, *, database: str, workers: Workers, strikes: Sequence[Strike] = EVERY_STRIKE
    ) -> None:
        self._folder = folder
        self._shape = shape
        self._plan = replace(FAULT.plan({}, database=database, seed=shape.seed), redis_servers=2, workers=workers)
        self._strikes = strikes
        self._file = folder / "soak.json"
        self.waves = max(1, min(shape.tenants, shape.conversations // shape.tenants))
        self._addresses = [*shape.lengths().items()]
        self.rows: list[dict[str, Any]] = self._earlier_rows()
        """The result of each finished wave."""

    def _earlier_rows(self) -> list[dict[str, Any]]:
        if not self._file.exists():
            return []
        state = json.loads(self._file.read_text("utf-8"))
        if state["shape"] != self._shape.as_row():
            msg = f"{self._file} is of another soak, {state['shape']}: name another folder, or ask for the same sizes"
            raise ValueError(msg)
        rows: list[dict[str, Any]] = state["waves"]
        return rows

    @property
    def is_done(self) -> bool:
        return len(self.rows) == self.waves

    def conversations_of(self, wave: int) -> dict[tuple[str, str], list[dict[str, Any]]]:
        """Return a wave's conversations: neighbours of short and long ones alike, so that no tenant dominates."""
        half = len(self._addresses) // 2
        return {
            address: [{**turn, "turn_id": f"t{number}"} for number, turn in enumerate(talk(f"soak {address}", turns))]
            for of_length in (self._addresses[:half], self._addresses[half:])
            for address, turns in of_length[
                len(of_length) * wave // self.waves : len(of_length) * (wave + 1) // self.waves
            ]
        }

    def run(self, *, seconds: float, told: Callable[[dict[str, Any]], object] = lambda row: None) -> None:
        """Run until all waves are done, or raise `Stopped` when the time is over. `told` gets the row of each wave."""
        end = time.monotonic() + seconds
        if self.is_done:
            return
        with Chaos(self._folder, self._plan) as chaos:
            memory = MemoryWatch(chaos)

            def look(folded: int) -> None:
                memory.look(folded)
                if time.monotonic() > end:
                    raise Stopped

            while not self.is_done:
                row = self._wave(len(self.rows), chaos, memory, look)
                self.rows.append(row)
                # Write all of it or nothing, whenever the process ends.
                part = self._file.with_suffix(".part")
                part.write_text(json.dumps({"shape": self._shape.as_row(), "waves": self.rows}, indent=1), "utf-8")
                part.replace(self._file)
                told(row)

    def _wave(self, wave: int, chaos: Chaos, memory: MemoryWatch, look: Callable[[int], None]) -> dict[str, Any]:
        conversations = self.conversations_of(wave)
        chance = random.Random(f"{self._shape.seed} {wave}")
        strikes = chance.sample(self._strikes, min(STRIKES_A_WAVE, len(self._strikes)))
        chaos.goes_on_with(replace(self._plan, conversations=conversations, strikes=strikes, seed=chance.randrange(99)))
        outcome = chaos.run(timeout_seconds=LONGEST_WAVE_SECONDS, progress=look)
        undisturbed = undisturbed_digests(conversations, processes=1)
        verdict = outcome.verdict
        minutes, mib = memory.seen[-1]
        return {
            "wave": wave + 1, "turns": chaos.plan.turns, "conversations": len(conversations),
            "lost": len(verdict.lost), "doubled": len(verdict.doubled), "reordered": len(verdict.reordered),
            "unknown": len(verdict.unknown),
            "digests_differ": sum(undisturbed[address] != hashed for address, hashed in outcome.digests.items()),
            "other": verdict_of(outcome, undisturbed), "strikes": dict(outcome.strikes),
            "appends_repeated": outcome.appends_repeated, "seconds": round(outcome.seconds, 1),
            "oldest_process_minutes": round(minutes, 1), "oldest_process_mib": round(mib),
            "largest_process_mib": round(memory.largest_mib),
        }  # fmt: skip


def undisturbed_digests(
    conversations: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]], *, processes: int | None = None
) -> dict[tuple[str, str], str]:
    """Return the digest of each conversation when it is folded in one process, without Redis or Celery."""
    with ProcessPoolExecutor(processes or os.cpu_count(), mp_context=get_context("spawn")) as pool:
        digests = pool.map(_digest, ((name, said) for (_, name), said in conversations.items()), chunksize=16)
        return dict(zip(conversations, digests, strict=True))


def _digest(conversation: tuple[str, Sequence[Mapping[str, Any]]]) -> str:
    name, said = conversation
    with offline.fold(said, conversation_id=name) as folded:
        return folded.digest()
