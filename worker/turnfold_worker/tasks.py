"""Celery's entry points: take ids, call one use case. Every task may run twice, late, or at once with itself."""

from __future__ import annotations

from turnfold.contract.tasks import Task
from turnfold_worker.celery_app import app
from turnfold_worker.errors import WorkerError
from turnfold_worker.wiring import worker


@app.task(name=str(Task.DRAIN), throws=(WorkerError,))
def drain(shard: int) -> str:
    """Store what is ready in a shard's inboxes."""
    drained = worker(app).drain(shard)
    return f"{drained.conversations} conversations, {drained.turns} turns"


@app.task(name=str(Task.COMPRESS), throws=(WorkerError,))
def compress(conversation: int) -> str:
    """Fold what a conversation has stored."""
    return f"{worker(app).compress(conversation)} segments"


@app.task(name=str(Task.SWEEP), throws=(WorkerError,))
def sweep() -> str:
    """Ring for what is ready or due."""
    swept = worker(app).sweep()
    return f"{swept.shards} shards, {swept.folds} folds"


@app.task(name=str(Task.ERASE), throws=(WorkerError,))
def erase(shard: int) -> str:
    """Delete the rows of forgotten conversations."""
    return f"{worker(app).erase(shard)} conversations"
