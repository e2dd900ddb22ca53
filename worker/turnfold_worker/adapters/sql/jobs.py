"""The job table: who works on what, how often it was tried, and what waits for a person."""

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
"""After which a segment whose workers died is folded again by itself, once: what killed them may be gone by then."""

_conversation = table(ConversationRow)
_job = table(JobRow)

# Literals: a partial index is not used for a bound parameter.
DUE: Final = _job.c.state == literal_column("'due'")
RUNNING: Final = _job.c.state == literal_column("'running'")
PARKED: Final = _job.c.state == literal_column("'parked'")


def fold_job(conversation: ConversationId) -> ColumnElement[bool]:
    """The one job to fold a conversation."""
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
    """A lease that ended, or that ends later than any lease can: the clock was set back."""
    now = now_milliseconds()
    return and_(RUNNING, or_(_job.c.lease_until <= now, _job.c.lease_until > now + 2 * lease_milliseconds))


def taken_by(token: str | BindParameter[str], lease_milliseconds: int) -> dict[str, Any]:
    """Values of a claimed job. The attempt is counted before any work: what kills its worker is counted too."""
    return {
        "state": str(JobState.RUNNING), "claim": token, "attempts": _job.c.attempts + 1,
        "lease_until": now_milliseconds() + lease_milliseconds,
    }  # fmt: skip


def release(connection: Connection, claimed: FoldClaim, *, error: str | None, delay_milliseconds: int) -> None:
    """Give the job back."""
    values: dict[str, Any] = {
        "state": str(JobState.DUE), "claim": None, "not_before": now_milliseconds() + delay_milliseconds,
    }  # fmt: skip
    if error is None:
        # A slice that ended is not a failed try.
        values["attempts"] = one_less()
    else:
        # The first try, which others shared, is counted when it has failed.
        values |= {"error": error[:MAX_ERROR], "attempts": case((_job.c.attempts > 0, _job.c.attempts), else_=1)}
    connection.execute(update(_job).where(fold_job(claimed.conversation), _job.c.claim == claimed.claim).values(values))


def give_back(connection: Connection, job: ColumnElement[bool], token: str) -> None:
    """End a claim, if it is still there, as if it had never been: an outage kept its worker from saying so earlier."""
    connection.execute(
        update(_job)
        .where(job, _job.c.claim == token)
        .values(state=str(JobState.DUE), claim=None, not_before=now_milliseconds(), attempts=one_less())
    )


def one_less() -> ColumnElement[int]:
    """The attempts of a job without the one that was counted when it was taken."""
    return case((_job.c.attempts > 0, _job.c.attempts - 1), else_=0)


def is_ours(connection: Connection, claimed: FoldClaim) -> bool:
    """Whether a claimed fold job was taken by nobody else meanwhile, nor given back."""
    return connection.execute(_OURS, _claim_of(claimed)).first() is not None


def finish(connection: Connection, claimed: FoldClaim) -> None:
    """Close a fold job, if it is still ours."""
    connection.execute(_FINISH, _claim_of(claimed))


def _claim_of(claimed: FoldClaim) -> dict[str, Any]:
    return {"of_conversation": claimed.conversation, "by_claim": claimed.claim}


def count_success(connection: Connection, fold: Fold, claim: str, *, lease_milliseconds: int) -> None:
    """A segment was closed: the next one has all its tries and a whole lease; plain words are noted for a person."""
    conversation, node = fold.tail.conversation, fold.nodes[0]
    if fold.refold_error is not None:
        attempts = connection.scalar(select(_job.c.attempts).where(fold_job(conversation)))
        add_refold(
            connection, conversation, node.node.idx, input_hash=node.source_hash.hex(), state=JobState.PARKED,
            attempts=attempts or 0, error=fold.refold_error,
        )  # fmt: skip
    # 1: whoever closed this segment is at the next one already, and may die there.
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
    """Make a job to fold a closed segment again; False where there is one for the same input."""
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
    """A job to fold a closed segment again."""
    return and_(_job.c.id == job, _job.c.kind == str(JobKind.REFOLD))


def claim_refold(
    connection: Connection, job: JobId, token: str, *, lease_milliseconds: int, round_of: int
) -> RefoldClaim | None:
    """Take a job to fold a segment again. One that kills its workers has `round_of` tries until it is parked."""
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
    """Park the job with an error; without one it is due again, with its attempt."""
    values: dict[str, Any] = {"claim": None, "not_before": now_milliseconds()}
    if error is None:
        values |= {"state": str(JobState.DUE), "attempts": one_less()}
    else:
        values |= {"state": str(JobState.PARKED), "error": error[:MAX_ERROR]}
    connection.execute(update(_job).where(_job.c.id == claimed.job, _job.c.claim == claimed.claim).values(values))


def killed_once(round_of: int) -> ColumnElement[bool]:
    """A job to fold a segment again, parked because its workers died in the first round of tries."""
    refold = _job.c.kind == str(JobKind.REFOLD)
    return and_(refold, PARKED, _job.c.attempts <= round_of, _job.c.error.like(f"{DIED}%"))


def give_second_rounds(connection: Connection, *, round_of: int) -> None:
    """Make due what was parked a while ago because workers died, unless they died of it in a later round too.

    A kill from outside may strike the same segment twice; what is wrong with the segment itself strikes again.
    """
    connection.execute(
        update(_job)
        .where(killed_once(round_of), _job.c.not_before <= now_milliseconds() - SECOND_ROUND_MILLISECONDS)
        .values(state=str(JobState.DUE), not_before=now_milliseconds())
    )


def park_killers(connection: Connection, *, lease_milliseconds: int, round_of: int) -> None:
    """Park the jobs to fold again whose workers died as often as they may."""
    connection.execute(_parked_killers(lease_milliseconds, round_of))


@lru_cache(maxsize=16)
def _parked_killers(lease_milliseconds: int, round_of: int) -> Update:
    """Run by each sweep, in each worker with the same settings."""
    return (
        update(_job)
        .where(_job.c.kind == str(JobKind.REFOLD), lapsed(lease_milliseconds), _job.c.attempts % round_of == 0)
        .values(state=str(JobState.PARKED), claim=None, not_before=now_milliseconds(), error=DIED)
    )
