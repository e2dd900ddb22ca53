"""Checks of the invariants and of the surroundings, by query: `turnfold doctor`. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Engine, select, text

from turnfold.contract.records import FAN_OUT
from turnfold.contract.tables import SCHEMA_VERSION
from turnfold.errors import TurnfoldError, Unavailable
from turnfold.inbox import translated as redis_translated
from turnfold.reader import translated as sql_translated
from turnfold_worker import migrate
from turnfold_worker.adapters.database_clock import now_milliseconds
from turnfold_worker.inspection import waiting_totals

if TYPE_CHECKING:
    import redis

LEAST_REDIS: Final = (6, 2)
SLOW_INBOX_SECONDS: Final = 60.0
"""Age of an inbox entry from which no worker seems to be draining."""
STUCK_JOB_MILLISECONDS: Final = 300_000
"""How long a job may be due, or its lease over, before nobody seems to be folding."""
MOST_EXAMPLES: Final = 5
MOST_VIOLATIONS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One check and what came of it."""

    check: str
    ok: bool
    detail: str
    remedy: str = ""
    """What to do; empty when all is well."""


def diagnose(database_url: str, engine: Callable[[], Engine], client: redis.Redis) -> list[Finding]:
    """Every check, those of the database first. A check that cannot be made is a finding too."""
    findings = [_attempt("schema", lambda: [check_schema(database_url, engine())])]
    if all(finding.ok for group in findings for finding in group):
        findings.append(_attempt("database", lambda: check_database(engine())))
    findings.append(_attempt("redis", lambda: check_redis(client)))
    return [finding for group in findings for finding in group]


def _attempt(name: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    try:
        return look()
    except TurnfoldError as error:
        remedy = "start it, or correct its URL" if isinstance(error, Unavailable) else "see the message"
        return [Finding(check=name, ok=False, detail=str(error), remedy=remedy)]


def check_schema(database_url: str, engine: Engine) -> Finding:
    """The database is at the revision and version of this code, without drift."""
    drift = migrate.check(database_url)
    if not drift:
        with sql_translated(), engine.begin() as connection:
            version = connection.scalar(text("SELECT value FROM meta WHERE key = 'schema_version'"))
        if version != str(SCHEMA_VERSION):
            drift = [f"meta.schema_version is {version}, this version needs {SCHEMA_VERSION}"]
    return Finding(
        check="schema",
        ok=not drift,
        detail="; ".join(drift) or f"revision {migrate.head()}, version {SCHEMA_VERSION}",
        remedy="run `turnfold migrate`; when that changes nothing, the tables were changed by hand" if drift else "",
    )


@dataclass(frozen=True, slots=True)
class _Query:
    """A query whose rows are violations: the conversation's surrogate id, then what is wrong."""

    check: str
    says: str
    sql: str
    remedy: str


_DAMAGE: Final = (
    "the rows were changed from outside or this is a defect: keep a copy of the database and report it; a new "
    "import of the conversation under another id gives correct rows"
)

_INVARIANTS: Final = (
    _Query(
        "I1 coverage: segments and chapters are contiguous",
        "node begins away from the end of the one before",
        """SELECT conversation, height, idx FROM (
             SELECT conversation, height, idx, first_seq,
                    LAG(last_seq, 1, 0) OVER (PARTITION BY conversation, height ORDER BY idx) AS previous
             FROM node) AS x WHERE first_seq <> previous + 1""",
        _DAMAGE,
    ),
    _Query(
        "I1 coverage: segments end where the open tail begins",
        "closed_seq or node_count differ from the segments",
        """SELECT c.id, c.closed_seq, c.node_count FROM conversation AS c
           LEFT JOIN (SELECT conversation, MAX(last_seq) AS last, COUNT(*) AS number, MAX(idx) AS highest
                      FROM node WHERE height = 0 GROUP BY conversation) AS n ON n.conversation = c.id
           WHERE c.closed_seq <> COALESCE(n.last, 0) OR c.node_count <> COALESCE(n.number, 0)
              OR COALESCE(n.highest, -1) <> COALESCE(n.number, 0) - 1""",
        _DAMAGE,
    ),
    _Query(
        "I1 coverage: each chapter spans exactly its children",
        "chapter differs from its children, or is missing",
        f"""SELECT p.conversation, p.height, p.idx FROM
            (SELECT conversation, height + 1 AS height, idx / {FAN_OUT} AS idx, MIN(first_seq) AS first_seq,
                    MAX(last_seq) AS last_seq
             FROM node GROUP BY conversation, height + 1, idx / {FAN_OUT} HAVING COUNT(*) = {FAN_OUT}) AS p
            LEFT JOIN node AS n ON n.conversation = p.conversation AND n.height = p.height AND n.idx = p.idx
            WHERE n.idx IS NULL OR n.first_seq <> p.first_seq OR n.last_seq <> p.last_seq""",  # noqa: S608 - a constant
        _DAMAGE,
    ),
    _Query(
        "I3 order: turns are numbered 1, 2, 3 …",
        "turn_count differs from the turns",
        """SELECT c.id, c.turn_count FROM conversation AS c
           LEFT JOIN (SELECT conversation, COUNT(*) AS number, MAX(seq) AS highest, MIN(seq) AS lowest
                      FROM turn GROUP BY conversation) AS t ON t.conversation = c.id
           WHERE c.turn_count <> COALESCE(t.number, 0) OR c.turn_count <> COALESCE(t.highest, 0)
              OR COALESCE(t.lowest, 1) <> 1 OR c.fold_seq > c.turn_count""",
        _DAMAGE,
    ),
    _Query(
        "I2 verbatim: every anchor is a slice of its turn",
        "anchor differs from its turn",
        """SELECT a.conversation, a.id FROM anchor AS a
           LEFT JOIN turn AS t ON t.conversation = a.conversation AND t.seq = a.seq
           WHERE t.seq IS NULL OR (t.state = 0
             AND substr(t.content, a.start_offset + 1, a.end_offset - a.start_offset) <> a.body)""",
        _DAMAGE,
    ),
    _Query(
        "levels: every node has its words at levels 1, 2 and 3",
        "node lacks a level",
        """SELECT n.conversation, n.height, n.idx FROM node AS n
           LEFT JOIN level AS l ON l.conversation = n.conversation AND l.height = n.height AND l.idx = n.idx
             AND l.refined = 0
           GROUP BY n.conversation, n.height, n.idx HAVING COUNT(l.level) <> 3""",
        _DAMAGE,
    ),
    _Query(
        "folding: nothing waits without a job",
        "conversation has turns that nobody will fold",
        """SELECT c.id, c.fold_seq, c.turn_count FROM conversation AS c WHERE c.fold_seq < c.turn_count
           AND NOT EXISTS (SELECT 1 FROM job AS j WHERE j.conversation = c.id AND j.kind = 'compress'
                           AND j.state IN ('due', 'running'))""",
        "append one more turn to the conversation: it makes a new job",
    ),
    _Query(
        "jobs: somebody works on what is due",
        "job is overdue",
        """SELECT conversation, kind, state FROM job
           WHERE (state = 'due' AND not_before < :long_ago) OR (state = 'running' AND lease_until < :long_ago)""",
        "start workers (`turnfold up`, or celery with -Q turnfold.compress,turnfold.maintenance)",
    ),
    _Query(
        "parked: no work waits for a person",
        "job or inbox entry is parked",
        """SELECT conversation, kind, error FROM job WHERE state = 'parked'
           UNION ALL SELECT conversation, 'entry', error FROM parked_entry""",
        "look at the errors in `job` and `parked_entry`; later turns are not held up by them",
    ),
)


def check_database(engine: Engine) -> list[Finding]:
    """The invariants that are queries, and jobs that nobody works on."""
    with sql_translated(), engine.begin() as connection:
        now = connection.scalar(select(now_milliseconds())) or 0
        parameters = {"long_ago": now - STUCK_JOB_MILLISECONDS}
        return [_ask(connection, query, parameters) for query in _INVARIANTS]


def _ask(connection: Connection, query: _Query, parameters: dict[str, int]) -> Finding:
    statement = text(query.sql)
    rows = connection.execute(statement, parameters if ":long_ago" in query.sql else {}).fetchmany(MOST_VIOLATIONS)
    return _finding(query, rows, _names(connection, rows))


def _finding(query: _Query, rows: Sequence[Any], names: dict[int, str]) -> Finding:
    if not rows:
        return Finding(check=query.check, ok=True, detail="none found")
    examples = ", ".join(
        f"{names.get(row[0], row[0])} {'/'.join(str(value) for value in row[1:])}".strip()
        for row in rows[:MOST_EXAMPLES]
    )
    number = f"{len(rows)}{'+' if len(rows) == MOST_VIOLATIONS else ''}"
    return Finding(check=query.check, ok=False, detail=f"{number} × {query.says}: {examples}", remedy=query.remedy)


def _names(connection: Connection, rows: Sequence[Any]) -> dict[int, str]:
    names = {}
    for row in rows[:MOST_EXAMPLES]:
        found = connection.execute(
            text("SELECT tenant, external_id FROM conversation WHERE id = :id"), {"id": row[0]}
        ).first()
        if found is not None:
            names[row[0]] = f"{found[0]}:{found[1]}"
    return names


def check_redis(client: redis.Redis) -> list[Finding]:
    """Redis answers, is new enough, keeps what it is given, and is drained."""
    with redis_translated("checking it"):
        # INFO, because managed servers often forbid CONFIG.
        about = client.info()
    version = str(about.get("redis_version", "0.0"))
    new_enough = tuple(int(part) for part in version.split(".")[:2]) >= LEAST_REDIS
    policy = str(about.get("maxmemory_policy", "unknown"))
    limited = int(about.get("maxmemory", 0)) > 0
    keeps = policy == "noeviction" or not limited
    persists = bool(about.get("aof_enabled"))
    return [
        Finding(
            check="redis: version",
            ok=new_enough,
            detail=version,
            remedy="" if new_enough else f"upgrade to {'.'.join(map(str, LEAST_REDIS))} or newer",
        ),
        Finding(
            check="redis: persistence",
            ok=persists,
            detail=f"append-only file {'on' if persists else 'off'}",
            remedy="" if persists else "turn `appendonly` on: turns in the inbox are lost when Redis restarts",
        ),
        Finding(
            check="redis: eviction",
            ok=keeps,
            detail=f"{policy}{'' if limited else ', no memory limit'}",
            remedy="" if keeps else "set `maxmemory-policy noeviction`: an evicted inbox is lost turns",
        ),
        _check_inboxes(client),
    ]


def _check_inboxes(client: redis.Redis) -> Finding:
    waiting = waiting_totals(client)
    oldest = max((totals.oldest_seconds for totals in waiting), default=0.0)
    drained = oldest < SLOW_INBOX_SECONDS
    entries = sum(totals.entries for totals in waiting)
    return Finding(
        check="inbox: somebody stores what is appended",
        ok=drained,
        detail=f"{entries} entries wait, the oldest for {oldest:.0f} s",
        remedy=""
        if drained
        else "start workers (`turnfold up`, or celery with -Q turnfold.ingest,turnfold.maintenance)",
    )
