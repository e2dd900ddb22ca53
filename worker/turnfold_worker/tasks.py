"""Celery's entry points: take ids, call one use case. Every task may run twice, late, or at once with itself.

What a task returns is stored nowhere: it is the sentence, made of ids and numbers, that Flower and the log show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnfold.contract.tasks import Task, shown
from turnfold_worker.celery_app import app
from turnfold_worker.errors import WorkerError

if TYPE_CHECKING:
    from turnfold_worker.wiring import Worker


def _worker() -> Worker:
    # Here, because beat, Flower and `celery inspect` import the tasks too. See `preload` for workers.
    from turnfold_worker.wiring import worker

    return worker(app)


@app.task(name=str(Task.DRAIN), throws=(WorkerError,))
def drain(shard: int) -> str:
    """Store what is ready in a shard's inboxes."""
    drained = _worker().drain(shard)
    done = f"turns stored: {drained.turns}" if drained.conversations else "nothing was ready"
    return f"{shown(Task.DRAIN, shard)}, {done}"


@app.task(name=str(Task.COMPRESS), throws=(WorkerError,))
def compress(conversation: int) -> str:
    """Fold what a conversation has stored: the one that is named, or one of a tenant whose turn it is."""
    folded = _worker().compress_in_turn(conversation)
    if folded is None:
        return f"{shown(Task.COMPRESS, conversation)}, nothing was due"
    return f"{shown(Task.COMPRESS, folded[0])}, segments folded: {folded[1]}"


@app.task(name=str(Task.REFOLD), throws=(WorkerError,))
def refold(job: int) -> str:
    """Fold one closed segment again, by the rules."""
    done = "folded by the rules" if _worker().refold(job) else "nothing was written"
    return f"{shown(Task.REFOLD, job)}, {done}"


@app.task(name=str(Task.REFINE), throws=(WorkerError,))
def refine(job: int) -> str:
    """Ask models for better words for a few closed segments."""
    return f"{shown(Task.REFINE, job)}, {_worker().refine(job)}"


@app.task(name=str(Task.RECONSTRUCT), throws=(WorkerError,))
def reconstruct(conversation: int, height: int, idx: int) -> str:
    """Ask a model for words in the place of turns that retention removed."""
    done = _worker().reconstruct(conversation, height, idx)
    return f"{shown(Task.RECONSTRUCT, conversation, height, idx)}, {done}"


# No events: it runs every few seconds, and would hide in Flower what it rings for, which is shown.
@app.task(name=str(Task.SWEEP), throws=(WorkerError,), send_events=False)
def sweep() -> str:
    """Ring for what is ready or due."""
    swept = _worker().sweep_in_turn()
    return f"drains rung for: {swept.shards}, folds rung for: {swept.folds}"


@app.task(name=str(Task.EXPIRE), throws=(WorkerError,))
def expire() -> str:
    """Remove the words of turns that are older than they are to be kept."""
    return f"turns without their words now: {_worker().expire()}"


@app.task(name=str(Task.ERASE), throws=(WorkerError,))
def erase(shard: int) -> str:
    """Delete the rows of forgotten conversations."""
    return f"{shown(Task.ERASE, shard)}, conversations erased: {_worker().erase(shard)}"
