"""Invariants as SQL queries: each returns no rows while its invariant holds.

Queries about the rows of conversations run on a block of neighbouring ids at a time, so that none takes long. Queries
about waiting work run once over all conversations, using partial indexes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import BigInteger, Connection, bindparam, text

from turnfold.contract.records import FAN_OUT
from turnfold.contract.tables import HIDDEN_PREFIX, UtcDateTime
from turnfold_worker.operate.doctor.finding import Finding

STUCK_JOB_MILLISECONDS: Final = 300_000
"""How long a job may be overdue, or its lease expired, before it counts as stalled."""
FAR_AHEAD_MILLISECONDS: Final = 86_400_000
"""Longer than any job is delayed or leased: a due time further ahead means that a clock was set back."""
MOST_EXAMPLES: Final = 5
MOST_VIOLATIONS: Final = 1_000


@dataclass(frozen=True, slots=True)
class InvariantQuery:
    """A query whose rows are violations: `conversation`, then the offending values.

    `:first` and `:last`, where a query has them, are the lowest and the highest conversation id of a block.
    """

    check: str
    says: str
    sql: str
    remedy: str


_DAMAGE: Final = (
    "the rows were changed externally, or this is a bug: back up the database and report it; importing "
    "the conversation again under another id creates correct rows"
)

IN_BLOCKS: Final = (
    InvariantQuery(
        "I1 coverage: segments and chapters are contiguous",
        "node does not start where the previous one ends",
        """SELECT conversation, height, idx FROM (
             SELECT conversation, height, idx, first_seq,
                    LAG(last_seq, 1, 0) OVER (PARTITION BY conversation, height ORDER BY idx) AS previous
             FROM node WHERE conversation BETWEEN :first AND :last) AS x WHERE first_seq <> previous + 1""",
        _DAMAGE,
    ),
    InvariantQuery(
        "I1 coverage: segments end where the open tail begins",
        "closed_seq or node_count differ from the segments",
        """SELECT c.id AS conversation, c.closed_seq, c.node_count FROM conversation AS c
           LEFT JOIN (SELECT conversation, MAX(last_seq) AS last, COUNT(*) AS number, MAX(idx) AS highest
                      FROM node WHERE height = 0 AND conversation BETWEEN :first AND :last
                      GROUP BY conversation) AS n ON n.conversation = c.id
           WHERE c.id BETWEEN :first AND :last
             AND (c.closed_seq <> COALESCE(n.last, 0) OR c.node_count <> COALESCE(n.number, 0)
               OR COALESCE(n.highest, -1) <> COALESCE(n.number, 0) - 1)""",
        _DAMAGE,
    ),
    InvariantQuery(
        "I1 coverage: each chapter spans exactly its children",
        "chapter differs from its children, or is missing",
        f"""SELECT p.conversation, p.height, p.idx FROM
            (SELECT conversation, height + 1 AS height, idx / {FAN_OUT} AS idx, MIN(first_seq) AS first_seq,
                    MAX(last_seq) AS last_seq
             FROM node WHERE conversation BETWEEN :first AND :last
             GROUP BY conversation, height + 1, idx / {FAN_OUT} HAVING COUNT(*) = {FAN_OUT}) AS p
            LEFT JOIN node AS n ON n.conversation = p.conversation AND n.height = p.height AND n.idx = p.idx
              AND n.conversation BETWEEN :first AND :last
            WHERE n.idx IS NULL OR n.first_seq <> p.first_seq OR n.last_seq <> p.last_seq""",  # noqa: S608 - a constant
        _DAMAGE,
    ),
    InvariantQuery(
        "I3 order: turns are numbered 1, 2, 3 …",
        "turn_count differs from the turns",
        """SELECT c.id AS conversation, c.turn_count FROM conversation AS c
           LEFT JOIN (SELECT conversation, COUNT(*) AS number, MAX(seq) AS highest, MIN(seq) AS lowest
                      FROM turn WHERE conversation BETWEEN :first AND :last
                      GROUP BY conversation) AS t ON t.conversation = c.id
           WHERE c.id BETWEEN :first AND :last
             AND (c.turn_count <> COALESCE(t.number, 0) OR c.turn_count <> COALESCE(t.highest, 0)
               OR COALESCE(t.lowest, 1) <> 1 OR c.fold_seq > c.turn_count)""",
        _DAMAGE,
    ),
    InvariantQuery(
        "I2 verbatim: every anchor is a slice of its turn",
        "anchor differs from its turn",
        """SELECT a.conversation, a.id FROM anchor AS a
           LEFT JOIN turn AS t ON t.conversation = a.conversation AND t.seq = a.seq
             AND t.conversation BETWEEN :first AND :last
           WHERE a.conversation BETWEEN :first AND :last AND (t.seq IS NULL OR (t.state = 0
             AND substr(t.content, a.start_offset + 1, a.end_offset - a.start_offset) <> a.body))""",
        _DAMAGE,
    ),
    InvariantQuery(
        "I7 no model needed: every node has the rules' text at levels 1, 2 and 3",
        "node lacks a level",
        """SELECT n.conversation, n.height, n.idx FROM node AS n
           LEFT JOIN level AS l ON l.conversation = n.conversation AND l.height = n.height AND l.idx = n.idx
             AND l.refined = 0 AND l.conversation BETWEEN :first AND :last
           WHERE n.conversation BETWEEN :first AND :last
           GROUP BY n.conversation, n.height, n.idx
           HAVING COUNT(l.level) <> 3 AND NOT (COUNT(l.level) = 1 AND MAX(l.level) = 3 AND EXISTS (
             SELECT 1 FROM posting AS dropped WHERE dropped.conversation = n.conversation AND dropped.number = -1))""",
        _DAMAGE,
    ),
    InvariantQuery(
        "I5 determinism: each conversation's counts match its rows",
        "anchor_count, anchor_tokens or next_anchor differ from the anchors",
        """SELECT c.id AS conversation, c.anchor_count, c.anchor_tokens FROM conversation AS c
           LEFT JOIN (SELECT conversation, SUM(CASE WHEN state = 0 THEN 1 ELSE 0 END) AS number,
                             SUM(CASE WHEN state = 0 THEN tokens ELSE 0 END) AS tokens, MAX(id) AS highest
                      FROM anchor WHERE refined = 0 AND conversation BETWEEN :first AND :last
                      GROUP BY conversation) AS a ON a.conversation = c.id
           WHERE c.id BETWEEN :first AND :last
             AND (c.anchor_count <> COALESCE(a.number, 0) OR c.anchor_tokens <> COALESCE(a.tokens, 0)
               OR c.next_anchor <= COALESCE(a.highest, 0))""",
        _DAMAGE,
    ),
    InvariantQuery(
        "models: counts of refined turns are right",
        "refined_turns differs from the segments",
        """SELECT c.id AS conversation, c.refined_turns FROM conversation AS c
           LEFT JOIN (SELECT conversation, SUM(last_seq - first_seq + 1) AS turns FROM node
                      WHERE height = 0 AND refined <> 0 AND conversation BETWEEN :first AND :last
                      GROUP BY conversation) AS n ON n.conversation = c.id
           WHERE c.id BETWEEN :first AND :last AND c.refined_turns <> COALESCE(n.turns, 0)""",
        "run `turnfold migrate --contract` once no older worker is running: older workers do not count them",
    ),
    InvariantQuery(
        "I8 tenancy: every job has its conversation's tenant",
        "job has another tenant than its conversation",
        """SELECT j.conversation, j.kind FROM job AS j JOIN conversation AS c ON c.id = j.conversation
           WHERE j.conversation BETWEEN :first AND :last AND c.id BETWEEN :first AND :last
             AND j.tenant <> c.tenant""",
        _DAMAGE,
    ),
    InvariantQuery(
        "folding: unfolded turns have a job",
        "conversation has turns that no job will fold",
        """SELECT c.id AS conversation, c.fold_seq, c.turn_count FROM conversation AS c
           WHERE c.id BETWEEN :first AND :last AND c.fold_seq < c.turn_count
             AND NOT EXISTS (SELECT 1 FROM job AS j WHERE j.conversation = c.id
                             AND j.conversation BETWEEN :first AND :last AND j.kind = 'compress'
                             AND j.state IN ('later', 'due', 'running'))""",
        "append another turn to the conversation, which creates a new job",
    ),
    InvariantQuery(
        "retention: the age of stored text is known",
        "conversation has text that retention never removes",
        """SELECT c.id AS conversation, c.expired_seq FROM conversation AS c
           WHERE c.id BETWEEN :first AND :last AND c.closed_seq > c.expired_seq AND c.words_since IS NULL""",
        "run `turnfold migrate --contract` once no older worker is running: older workers do not record it",
    ),
    InvariantQuery(
        "erasure: no empty conversations are left",
        "row has a name and no data",
        """SELECT c.id AS conversation FROM conversation AS c
           WHERE c.id BETWEEN :first AND :last AND c.revision = 0 AND c.created_at < :an_hour_ago""",
        "run `turnfold forget` on it again: a worker died while it was being forgotten",
    ),
)
"""Queries that run block by block."""

AT_ONCE: Final = (
    InvariantQuery(
        "jobs: due work is picked up",
        "job is overdue",
        # One UNION arm for each partial index.
        """SELECT conversation, kind, state FROM job
           WHERE kind <> 'refine' AND state = 'later' AND not_before < :long_ago
           UNION ALL
           SELECT conversation, kind, state FROM job
           WHERE kind <> 'refine' AND state = 'due' AND not_before < :long_ago
           UNION ALL
           SELECT conversation, kind, state FROM job WHERE state = 'running' AND lease_until < :long_ago
           UNION ALL
           SELECT conversation, kind, 'put off by days' FROM job
           WHERE kind <> 'refine' AND state = 'later' AND not_before > :far_ahead
           UNION ALL
           SELECT conversation, kind, 'put off by days' FROM job
           WHERE kind <> 'refine' AND state = 'due' AND not_before > :far_ahead
           UNION ALL
           SELECT conversation, kind, 'leased for days' FROM job
           WHERE state = 'running' AND lease_until > :far_ahead""",
        "start workers (`turnfold up`, or celery with -Q turnfold.compress,turnfold.refine,turnfold.maintenance): "
        "they take over jobs with expired leases, and jobs scheduled or leased while a clock was ahead",
    ),
    InvariantQuery(
        "parked: no work needs a decision",
        "job or inbox entry is parked",
        """SELECT conversation, kind, error FROM job WHERE state = 'parked'
           UNION ALL SELECT conversation, 'entry', error FROM parked_entry WHERE state = 'parked'""",
        "`turnfold jobs list` shows it; then run `turnfold jobs retry` or `skip`; it blocks no other work",
    ),
)
"""Queries that run once over all conversations."""


def moments(now: int) -> dict[str, int | datetime]:
    """Return the time thresholds of the queries; `now` is in milliseconds of the database's clock."""
    return {
        "long_ago": now - STUCK_JOB_MILLISECONDS,
        "far_ahead": now + FAR_AHEAD_MILLISECONDS,
        "an_hour_ago": datetime.fromtimestamp(now / 1_000, UTC) - timedelta(hours=1),
    }


def violations(
    connection: Connection, query: InvariantQuery, parameters: Mapping[str, int | datetime]
) -> Sequence[Any]:
    """Return rows that violate an invariant, at most `MOST_VIOLATIONS`."""
    # A conversation that is being erased has lost part of its rows, so it is left out.
    in_block = "its.id BETWEEN :first AND :last AND" if ":first" in query.sql else ""
    statement = text(
        f"SELECT broken.* FROM ({query.sql}) AS broken JOIN conversation AS its ON its.id = broken.conversation "  # noqa: S608 - constants
        f"WHERE {in_block} its.external_id NOT LIKE '{HIDDEN_PREFIX}%'"
    )
    bound = [
        bindparam(name, moment, type_=UtcDateTime if isinstance(moment, datetime) else BigInteger)
        for name, moment in parameters.items()
        if f":{name}" in query.sql
    ]
    return connection.execute(statement.bindparams(*bound)).fetchmany(MOST_VIOLATIONS)


def judged_by(connection: Connection, query: InvariantQuery, rows: Sequence[Any], scope: str) -> Finding:
    """Turn the rows that violate an invariant into a finding. `scope` is appended to the text of a passed check."""
    if not rows:
        return Finding(check=query.check, ok=True, detail=f"none found{scope}")
    names = _names(connection, rows)
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
