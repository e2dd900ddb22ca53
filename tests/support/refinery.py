"""A worker in this process with a model on a real HTTP server, and helpers that fold, refine and inspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from support.talk import talk
from turnfold import Turnfold
from turnfold.contract.tasks import Task
from turnfold_worker.testing.messages import deliver
from turnfold_worker.testing.model_server import OpenAIServer

COUNTERS = (
    "requests", "failed", "repaired", "cached_replies", "input_tokens", "output_tokens", "cost_micros", "quotes_kept",
    "quotes_refused", "notes_kept", "notes_refused", "skipped",
)  # fmt: skip

if TYPE_CHECKING:
    from conftest import LocalWorker

SHORT_SEGMENTS = {"segment_max_turns": 6, "segment_min_turns": 4}
GROUP_TURNS = 50
"""Turns that fill a chapter of such short segments, plus a few."""


@dataclass
class Refinery:
    """A client, a worker in this process, and a model."""

    tf: Turnfold
    local: LocalWorker
    server: OpenAIServer
    slept: list[float]
    """Pauses that the worker requested, in seconds."""

    def append(self, conversation: str, turns: Sequence[Mapping[str, Any]] | int = GROUP_TURNS) -> None:
        """Append turns to a conversation of short segments."""
        self.tf.configure(conversation, settings=SHORT_SEGMENTS)
        self.tf.append(conversation, talk(conversation, turns) if isinstance(turns, int) else list(turns))

    def fold(self, conversation: str, turns: Sequence[Mapping[str, Any]] | int = GROUP_TURNS) -> None:
        """Append, store and fold turns in short segments, and refine what is due."""
        self.append(conversation, turns)
        self.local.settle()

    def fold_only(self) -> None:
        """Store and fold everything; leave refine jobs waiting."""
        for shard in self.local.worker.inbox.waiting():
            self.local.worker.drain(shard)
        waiting = self.local.messages.waiting
        for _ in range(len(waiting)):
            task, argument = waiting.popleft()
            if task is Task.COMPRESS:
                deliver(self.local.worker, task, argument)
        waiting.clear()

    def query(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        with self.local.engine.begin() as connection:
            return [tuple(row) for row in connection.execute(text(sql), values)]

    def count(self, sql: str, **values: Any) -> int:
        return int(self.query(f"SELECT COUNT(*) FROM {sql}", **values)[0][0])

    @property
    def jobs(self) -> list[tuple[str, int, str | None]]:
        """(state, attempts, error) of each refine job."""
        return [
            (row[0], row[1], row[2])
            for row in self.query("SELECT state, attempts, error FROM job WHERE kind = 'refine' ORDER BY id")
        ]

    @property
    def states(self) -> list[str]:
        return [state for state, _, _ in self.jobs]

    def levels(self, refined: int = 1) -> list[tuple[int, int, int, str]]:
        """Return (height, idx, level, words) of each row."""
        return [
            (row[0], row[1], row[2], row[3])
            for row in self.query(
                "SELECT height, idx, level, body FROM level WHERE refined = :r "
                "ORDER BY conversation, height, idx, level",
                r=refined,
            )
        ]

    def used(self, conversation: str | None = None) -> dict[str, int]:
        """Return the sums of the usage counters over all models."""
        names = COUNTERS
        sums = ", ".join(f"COALESCE(SUM({name}), 0)" for name in names)
        if conversation is None:
            rows = self.query(f"SELECT {sums} FROM tenant_usage WHERE model <> ''")
        else:
            rows = self.query(
                f"SELECT {sums} FROM usage u JOIN conversation c ON c.id = u.conversation WHERE c.external_id = :e",
                e=conversation,
            )
        return {name: int(value) for name, value in zip(names, rows[0], strict=True)}

    def make_due(self) -> None:
        """Make postponed refine jobs due."""
        engine = self.local.write_engine
        with engine.begin() as connection:
            connection.execute(text("UPDATE job SET not_before = 0 WHERE kind = 'refine' AND state = 'due'"))

    def go_on(self) -> None:
        """Continue as if time had passed: postponed jobs are due, and circuits are closed."""
        self.forget_limits()
        self.make_due()
        self.local.settle()

    def forget_limits(self) -> None:
        """Delete the state of circuits and pauses, as if their time were over."""
        client = self.local.client
        for key in client.scan_iter("tf:{m:*"):
            client.delete(key)
