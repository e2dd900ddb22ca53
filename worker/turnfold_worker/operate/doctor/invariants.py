"""Invariants as queries: each is empty while its invariant holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import BigInteger, Connection, Engine, bindparam, select, text

from turnfold.contract.records import FAN_OUT
from turnfold.contract.tables import HIDDEN_PREFIX, UtcDateTime
from turnfold.database.database_clock import now_milliseconds
from turnfold.database.failures import translated
from turnfold_worker.operate.doctor.finding import Finding

STUCK_JOB_MILLISECONDS: Final = 300_000
"""How long a job may be due, or its lease over, before nobody seems to be folding."""
MOST_EXAMPLES: Final = 5
MOST_VIOLATIONS: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Query:
    """A query whose rows are violations: `conversation`, then what is wrong."""

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
        """SELECT c.id AS conversation, c.closed_seq, c.node_count FROM conversation AS c
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
        """SELECT c.id AS conversation, c.turn_count FROM conversation AS c
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
        "I7 no model needed: every node has the rules' words at levels 1, 2 and 3",
        "node lacks a level",
        """SELECT n.conversation, n.height, n.idx FROM node AS n
           LEFT JOIN level AS l ON l.conversation = n.conversation AND l.height = n.height AND l.idx = n.idx
             AND l.refined = 0
           GROUP BY n.conversation, n.height, n.idx HAVING COUNT(l.level) <> 3""",
        _DAMAGE,
    ),
    _Query(
        "I5 determinism: what a conversation counts is what it has",
        "anchor_count, anchor_tokens or next_anchor differ from the anchors",
        """SELECT c.id AS conversation, c.anchor_count, c.anchor_tokens FROM conversation AS c
           LEFT JOIN (SELECT conversation, SUM(CASE WHEN state = 0 THEN 1 ELSE 0 END) AS number,
                             SUM(CASE WHEN state = 0 THEN tokens ELSE 0 END) AS tokens, MAX(id) AS highest
                      FROM anchor WHERE refined = 0 GROUP BY conversation) AS a ON a.conversation = c.id
           WHERE c.anchor_count <> COALESCE(a.number, 0) OR c.anchor_tokens <> COALESCE(a.tokens, 0)
              OR c.next_anchor <= COALESCE(a.highest, 0)""",
        _DAMAGE,
    ),
    _Query(
        "I8 tenancy: every job is of its conversation's tenant",
        "job names another tenant than its conversation",
        """SELECT j.conversation, j.kind FROM job AS j JOIN conversation AS c ON c.id = j.conversation
           WHERE j.tenant <> c.tenant""",
        _DAMAGE,
    ),
    _Query(
        "folding: nothing waits without a job",
        "conversation has turns that nobody will fold",
        """SELECT c.id AS conversation, c.fold_seq, c.turn_count FROM conversation AS c WHERE c.fold_seq < c.turn_count
           AND NOT EXISTS (SELECT 1 FROM job AS j WHERE j.conversation = c.id AND j.kind = 'compress'
                           AND j.state IN ('later', 'due', 'running'))""",
        "append one more turn to the conversation: it makes a new job",
    ),
    _Query(
        "jobs: somebody works on what is due",
        "job is overdue",
        """SELECT conversation, kind, state FROM job
           WHERE kind <> 'refine'
             AND ((state IN ('later', 'due') AND not_before < :long_ago)
                  OR (state = 'running' AND lease_until < :long_ago))""",
        "start workers (`turnfold up`, or celery with -Q turnfold.compress,turnfold.maintenance)",
    ),
    _Query(
        "erasure: nothing but conversations is kept",
        "row holds a name and nothing else",
        """SELECT c.id AS conversation FROM conversation AS c WHERE c.revision = 0 AND c.created_at < :an_hour_ago""",
        "`turnfold forget` it again: its worker died at the moment at which it was forgotten",
    ),
    _Query(
        "parked: no work waits for a person",
        "job or inbox entry is parked",
        """SELECT conversation, kind, error FROM job WHERE state = 'parked'
           UNION ALL SELECT conversation, 'entry', error FROM parked_entry WHERE state = 'parked'""",
        "`turnfold jobs list` shows it; then `turnfold jobs retry` or `skip`; nothing else is held up by it",
    ),
)


def check_invariants(engine: Engine) -> list[Finding]:
    """The invariants that are queries, and jobs that nobody works on."""
    with translated(), engine.begin() as connection:
        now = connection.scalar(select(now_milliseconds())) or 0
        parameters = {
            "long_ago": now - STUCK_JOB_MILLISECONDS,
            "an_hour_ago": datetime.fromtimestamp(now / 1_000, UTC) - timedelta(hours=1),
        }
        return [_ask(connection, query, parameters) for query in _INVARIANTS]


def _ask(connection: Connection, query: _Query, parameters: Mapping[str, int | datetime]) -> Finding:
    # Of a conversation that is being erased, only a part is left.
    statement = text(
        f"SELECT found.* FROM ({query.sql}) AS found JOIN conversation AS its ON its.id = found.conversation "  # noqa: S608 - constants
        f"WHERE its.external_id NOT LIKE '{HIDDEN_PREFIX}%'"
    )
    wanted = [
        bindparam(name, value, type_=UtcDateTime if isinstance(value, datetime) else BigInteger)
        for name, value in parameters.items()
        if f":{name}" in query.sql
    ]
    rows = connection.execute(statement.bindparams(*wanted)).fetchmany(MOST_VIOLATIONS)
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
