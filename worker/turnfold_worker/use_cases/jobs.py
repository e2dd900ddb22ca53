"""`turnfold jobs`: a person decides about work that used up its tries. No other work waits for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from turnfold.contract.attention import Selection, Work, WorkKind, WorkState
from turnfold.contract.records import JobId
from turnfold.contract.tasks import JobKind
from turnfold.errors import InvalidTurn
from turnfold.wire.decode import decode_turn
from turnfold_worker.errors import Retryable, where
from turnfold_worker.ports.storage import Publisher

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.parked import SqlParkedWork


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The outcome for one piece of work."""

    work: Work
    done: bool
    outcome: str
    """A sentence."""


def retry(selection: Selection, *, parked: SqlParkedWork, publisher: Publisher) -> list[Decided]:
    """Fold segments again by the rules, and decode entries again. Jobs are made due: a worker does them."""
    works = parked.find(selection)
    jobs = [work for work in works if work.kind is not WorkKind.ENTRY]
    due = set(parked.make_due([JobId(work.row) for work in jobs]))
    made_due = {JobKind(work.kind) for work in jobs if work.row in due}
    decided = [
        _retry_entry(work, parked, made_due) if work.kind is WorkKind.ENTRY else _asked_for(work, done=work.row in due)
        for work in works
    ]
    for kind in made_due:
        publisher.work(kind)
    return decided


def _asked_for(work: Work, *, done: bool) -> Decided:
    return Decided(work=work, done=done, outcome="retry requested" if done else "no longer parked or due")


def _retry_entry(work: Work, parked: SqlParkedWork, made_due: set[JobKind]) -> Decided:
    entry = parked.entry(work.row)
    if entry is None:
        return Decided(work=work, done=False, outcome="no longer parked")
    if entry.seq is None:
        outcome = "an operation cannot be applied later than its position: repeat it, then skip this"
        return Decided(work=work, done=False, outcome=outcome)
    try:
        stored = parked.store_entry(work.row, decode_turn(entry.payload, seq=entry.seq, turn_id=entry.turn_id))
    except InvalidTurn as error:
        return _refused(work, str(error), parked)
    except Retryable:
        raise
    except Exception as error:  # noqa: BLE001 - one entry is kept from hurting its neighbours
        return _refused(work, where(error), parked)
    if stored is None:
        return Decided(work=work, done=False, outcome="no longer parked")
    if stored.due is not None:
        made_due.add(stored.due)
    outcome = "stored; its segment will be refolded" if stored.due is JobKind.REFOLD else "stored"
    return Decided(work=work, done=True, outcome=outcome)


def _refused(work: Work, error: str, parked: SqlParkedWork) -> Decided:
    parked.count_attempt(work.row, error)
    return Decided(work=work, done=False, outcome=f"still parked: {error}")


def skip(selection: Selection, *, parked: SqlParkedWork) -> list[Decided]:
    """Mark parked work as skipped: plain words and placeholders stay, rows stay as a record that no count includes."""
    works = parked.find(selection)
    skipped = {work.id for work in parked.skip([work for work in works if work.state is WorkState.PARKED])}
    return [_skipped(work, done=work.id in skipped) for work in works]


def _skipped(work: Work, *, done: bool) -> Decided:
    match work.kind:
        case WorkKind.REFOLD:
            outcome = "skipped: the segment keeps its plain words" if done else "no longer parked"
        case WorkKind.REFINE:
            outcome = "skipped: the rules' words stay" if done else "no longer parked"
        case WorkKind.ENTRY:
            outcome = "skipped: the placeholder stays" if done else "no longer parked"
        case WorkKind.COMPRESS:
            outcome = "folding cannot be skipped: it is retried automatically"
        case _:
            assert_never(work.kind)
    return Decided(work=work, done=done, outcome=outcome)
