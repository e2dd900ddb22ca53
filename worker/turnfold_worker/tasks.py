"""Celery's entry points: take ids, call one use case. Every task may run twice, late, or at once with itself.

The return value of a task is not stored: a sentence of ids and numbers for Flower and the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnfold.contract.shards import MOST_IDS, MOST_SHARDS
from turnfold.contract.tasks import Task, shown
from turnfold_worker.celery_app import app
from turnfold_worker.errors import BadMessage, WorkerError

if TYPE_CHECKING:
    from turnfold_worker.wiring import Worker


def _worker() -> Worker:
    # Imported here, because beat, Flower and `celery inspect` import the tasks too. See `preload` for workers.
    from turnfold_worker.wiring import worker

    return worker()


def _number(value: object, *, below: int = 2**63) -> int:
    """Validate an argument, which anyone who can write to the broker may have sent. Raises `BadMessage`."""
    if type(value) is not int or not 0 <= value < below:
        raise BadMessage(f"an argument must be a whole number from 0 to {below - 1}, not {type(value).__name__}")
    return value


@app.task(name=str(Task.DRAIN), throws=(WorkerError,))
def drain(*shards: int) -> str:
    """Store the ready entries of the inboxes of some shards."""
    if not 1 <= len(shards) <= MOST_SHARDS:
        raise BadMessage(f"a drain takes 1 to {MOST_SHARDS} shards, not {len(shards)}")
    numbers = dict.fromkeys(_number(shard, below=MOST_IDS) for shard in shards)
    drained = _worker().drain(*numbers)
    done = f"turns stored: {drained.turns}" if drained.conversations else "nothing was ready"
    return f"{shown(Task.DRAIN, *numbers)}, {done}"


@app.task(name=str(Task.COMPRESS), throws=(WorkerError,))
def compress(conversation: int | None = None) -> str:
    """Fold some of the due conversations, tenant by tenant; a named one becomes due now."""
    hurried = None if conversation is None else _number(conversation)
    folded = _worker().fold_due(hurried)
    numbers = ", ".join(map(str, folded.conversations)) or "none were due"
    return f"conversations folded: {numbers}; segments: {folded.segments}"


@app.task(name=str(Task.REFOLD), throws=(WorkerError,))
def refold() -> str:
    """Fold one closed segment again by the rules."""
    written = _worker().refold()
    if written is None:
        return "nothing was due"
    return "folded by the rules" if written else "nothing was written"


@app.task(name=str(Task.REFINE), throws=(WorkerError,))
def refine() -> str:
    """Let models rewrite the notes of a few closed segments."""
    return _worker().refine()


@app.task(name=str(Task.RECONSTRUCT), throws=(WorkerError,))
def reconstruct(conversation: int, height: int, idx: int) -> str:
    """Let a model reconstruct turns that retention removed."""
    node = _number(conversation), _number(height), _number(idx)
    return f"{shown(Task.RECONSTRUCT, *node)}, {_worker().reconstruct(*node)}"


# Without events: sweeps run every few seconds, and would crowd the work they ring for out of Flower.
@app.task(name=str(Task.SWEEP), throws=(WorkerError,), send_events=False)
def sweep() -> str:
    """Ring for ready inboxes and due jobs."""
    swept = _worker().sweep_in_turn()
    return f"drains requested: {swept.shards}, jobs due: {', '.join(swept.jobs) or 'none'}"


@app.task(name=str(Task.EXPIRE), throws=(WorkerError,))
def expire() -> str:
    """Remove the text of turns whose retention period is over."""
    return f"turns whose text was removed: {_worker().expire()}"


@app.task(name=str(Task.ERASE), throws=(WorkerError,))
def erase(shard: int) -> str:
    """Delete the rows of forgotten conversations."""
    number = _number(shard, below=MOST_IDS)
    return f"{shown(Task.ERASE, number)}, conversations erased: {_worker().erase(number)}"
