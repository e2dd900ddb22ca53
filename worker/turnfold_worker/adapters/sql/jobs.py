"""The job table: leases, tries, and parked work."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    Update,
    and_,
    bindparam,
    case,
    literal_column,
    or_,
    select,
    update,
)

from turnfold.contract.records import ConversationId, JobId
from turnfold.contract.tables import ConversationRow, JobRow, table
from turnfold.contract.tasks import JobKind, JobState
from turnfold.database.database_clock import now_milliseconds
from turnfold_worker.adapters.sql.turns import insert_new
from turnfold_worker.errors import DIED
from turnfold_worker.ports.messages import Fold, FoldClaim, RefoldClaim

MAX_ERROR: Final = 500

SECOND_ROUND_MILLISECONDS: Final = 600_000
"""Delay after which a segment whose workers died is folded again automatically, once: the cause may be gone."""

_conversation = table(ConversationRow)
_job = table(JobRow)

# Literals: a partial index is not used for a bound parameter.
DUE: Final = _job.c.state == literal_column("'due'")
RUNNING: Final = _job.c.state == literal_column("'running'")
PARKED: Final = _job.c.state == literal_column("'parked'")


def fold_job(conversation: ConversationId) -> ColumnElement[bool]:
    """Match the one job to fold a conversation."""
    return and_(_job.c.conversation == conversation, _job.c.kind == str(JobKind.COMPRESS))


RUNNING_FOLD: Final = and_(RUNNING, _job.c.kind == literal_column(f"'{JobKind.COMPRESS}'"))
RUNNING_REFOLD: Final = and_(RUNNING, _job.c.kind == literal_column(f"'{JobKind.REFOLD}'"))
_COUNT_SUCCESS: Final = (
    update(_job)
    .where(_job.c.conversation == bindparam("of_conversation"), _job.c.kind == str(JobKind.COMPRESS))
    .values(
        attempts=1, error=None,
        lease_until=case(
            (
                and_(RUNNING, _job.c.claim == bindparam("by_claim")),
                now_milliseconds() + bindparam("lease", type_=BigInteger),
            ),
            else_=_job.c.lease_until,
        ),
    )
)  # fmt: skip


_CLAIMED: Final = (
    _job.c.conversation == bindparam("of_conversation"), _job.c.kind == str(JobKind.COMPRESS),
    _job.c.claim == bindparam("by_claim"),
)  # fmt: skip
_OURS: Final = select(_job.c.id).where(*_CLAIMED)
_FINISH: Final = update(_job).where(*_CLAIMED).values(state=str(JobState.DONE), claim=None, attempts=0, error=None)


def lapsed(lease_milliseconds: int) -> ColumnElement[bool]:
    """Match a lease that expired, or that ends later than any lease can, since the clock was set back."""
    now = now_milliseconds()
    return and_(RUNNING, or_(_job.c.lease_until <= now, _job.c.lease_until > now + 2 * lease_milliseconds))


def taken_by(token: str | BindParameter[str], lease_milliseconds: int) -> dict[str, Any]:
    """Return the values of a claimed job. The try is counted before any work, so a deadly one counts too."""
    return {
        "state": str(JobState.RUNNING), "claim": token, "attempts": _job.c.attempts + 1,
        "lease_until": now_milliseconds() + lease_milliseconds,
    }  # fmt: skip


def release(connection: Connection, claimed: FoldClaim, *, error: str | None, delay_milliseconds: int) -> None:
    """Give a fold job back."""
    values: dict[str, Any] = {
        "state": str(JobState.DUE), "claim": None, "not_before": now_milliseconds() + delay_milliseconds,
    }  # fmt: skip
    if error is None:
        # The end of a time slice is not a failed try.
        values["attempts"] = one_less()
    else:
        # A first try, shared with other jobs, is counted once it has failed.
        values |= {"error": error[:MAX_ERROR], "attempts": case((_job.c.attempts > 0, _job.c.attempts), else_=1)}
    connection.execute(update(_job).where(fold_job(claimed.conversation), _job.c.claim == claimed.claim).values(values))


def give_back(connection: Connection, job: ColumnElement[bool], token: str) -> None:
    """Revert a claim, if it still exists: an outage kept its worker from giving it back."""
    connection.execute(
        update(_job)
        .where(job, _job.c.claim == token)
        .values(state=str(JobState.DUE), claim=None, not_before=now_milliseconds(), attempts=one_less())
    )


def one_less() -> ColumnElement[int]:
    """Return the tries of a job minus the one that was counted at the claim."""
    return case((_job.c.attempts > 0, _job.c.attempts - 1), else_=0)


def is_ours(connection: Connection, claimed: FoldClaim) -> bool:
    """Whether a claimed fold job was neither claimed by another worker nor given back."""
    return connection.execute(_OURS, _claim_of(claimed)).first() is not None


def finish(connection: Connection, claimed: FoldClaim) -> None:
    """Close a fold job, if it is still ours."""
    connection.execute(_FINISH, _claim_of(claimed))


def _claim_of(claimed: FoldClaim) -> dict[str, Any]:
    return {"of_conversation": claimed.conversation, "by_claim": claimed.claim}


def count_success(connection: Connection, fold: Fold, claim: str, *, lease_milliseconds: int) -> None:
    """Reset the tries and the lease of a fold job after a closed segment; plain words make a parked refold job."""
    conversation, node = fold.tail.conversation, fold.nodes[0]
    if fold.refold_error is not None:
        attempts = connection.scalar(select(_job.c.attempts).where(fold_job(conversation)))
        add_refold(
            connection, conversation, node.node.idx, input_hash=node.source_hash.hex(), state=JobState.PARKED,
            attempts=attempts or 0, error=fold.refold_error,
        )  # fmt: skip
    # 1: the worker is at the next segment already, and may die there.
    connection.execute(
        _COUNT_SUCCESS, {"of_conversation": conversation, "by_claim": claim, "lease": lease_milliseconds}
    )


def add_refold(
    connection: Connection,
    conversation: ConversationId,
    idx: int,
    *,
    input_hash: str,
    state: JobState,
    attempts: int = 0,
    error: str | None = None,
) -> bool:
    """Make a job to fold a closed segment again; False where one for the same input exists."""
    tenant = connection.scalar(select(_conversation.c.tenant).where(_conversation.c.id == conversation))
    made = connection.scalar(
        insert_new(connection, _job)
        .values(
            conversation=conversation, tenant=tenant, kind=str(JobKind.REFOLD), subject=idx, input_hash=input_hash,
            state=str(state), attempts=attempts, error=error and error[:MAX_ERROR], not_before=now_milliseconds(),
        )
        .on_conflict_do_nothing()
        .returning(_job.c.id)
    )  # fmt: skip
    return made is not None


def refold_job(job: JobId) -> ColumnElement[bool]:
    """Match a job to fold a closed segment again."""
    return and_(_job.c.id == job, _job.c.kind == str(JobKind.REFOLD))


def claim_refold(
    connection: Connection, job: JobId, token: str, *, lease_milliseconds: int, round_of: int
) -> RefoldClaim | None:
    """Claim a job to fold a segment again. A job that kills its workers gets `round_of` tries until it is parked."""
    row = connection.execute(
        update(_job)
        .where(
            refold_job(job),
            or_(DUE, and_(lapsed(lease_milliseconds), _job.c.attempts % round_of != 0)),
        )
        .values(taken_by(token, lease_milliseconds))
        .returning(_job.c.conversation, _job.c.subject)
    ).first()  # fmt: skip
    return None if row is None else RefoldClaim(job, ConversationId(row.conversation), row.subject, token)


def release_refold(connection: Connection, claimed: RefoldClaim, *, error: str | None) -> None:
    """Park the job with an error; without one it becomes due again, and the try is not counted."""
    values: dict[str, Any] = {"claim": None, "not_before": now_milliseconds()}
    if error is None:
        values |= {"state": str(JobState.DUE), "attempts": one_less()}
    else:
        values |= {"state": str(JobState.PARKED), "error": error[:MAX_ERROR]}
    connection.execute(update(_job).where(_job.c.id == claimed.job, _job.c.claim == claimed.claim).values(values))


def killed_once(round_of: int) -> ColumnElement[bool]:
    """Match a refold job that was parked because its workers died in the first round of tries."""
    refold = _job.c.kind == str(JobKind.REFOLD)
    return and_(refold, PARKED, _job.c.attempts <= round_of, _job.c.error.like(f"{DIED}%"))


def give_second_rounds(connection: Connection, *, round_of: int) -> None:
    """Make refold jobs due that were parked a while ago because workers died in the first round of tries.

    An external kill may hit the same segment twice; a fault of the segment itself hits again.
    """
    connection.execute(
        update(_job)
        .where(killed_once(round_of), _job.c.not_before <= now_milliseconds() - SECOND_ROUND_MILLISECONDS)
        .values(state=str(JobState.DUE), not_before=now_milliseconds())
    )


def park_killers(connection: Connection, *, lease_milliseconds: int, round_of: int) -> None:
    """Park refold jobs whose workers died as often as allowed."""
    connection.execute(_parked_killers(lease_milliseconds, round_of))


@lru_cache(maxsize=16)
def _parked_killers(lease_milliseconds: int, round_of: int) -> Update:
    """Cached, since each sweep runs the statement with the same settings."""
    return (
        update(_job)
        .where(_job.c.kind == str(JobKind.REFOLD), lapsed(lease_milliseconds), _job.c.attempts % round_of == 0)
        .values(state=str(JobState.PARKED), claim=None, not_before=now_milliseconds(), error=DIED)
    )
