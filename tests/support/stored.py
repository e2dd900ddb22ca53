"""Plain reads of SQL, and checks that prove that nothing was lost, duplicated or reordered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Engine, text


@dataclass
class Verdict:
    """Findings of a check of all conversations."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    reordered: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        return not (self.lost or self.doubled or self.reordered or self.unknown)


def stored_turns(engine: Engine, tenant: str, conversation: str) -> list[tuple[int, str, str]]:
    """Return (seq, turn_id, content) in the order of seq."""
    with engine.begin() as connection:
        rows = connection.execute(
            text(
                "SELECT t.seq, t.turn_id, t.content FROM conversation c JOIN turn t ON t.conversation = c.id "
                "WHERE c.tenant = :tenant AND c.external_id = :external ORDER BY t.seq"
            ),
            {"tenant": tenant, "external": conversation},
        )
        return [(row[0], row[1], row[2]) for row in rows]


def judge(appended: Mapping[str, Sequence[str]], stored: Mapping[str, Sequence[str]]) -> Verdict:
    """Compare contents by conversation. They must be distinct within a conversation."""
    verdict = Verdict()
    for conversation, contents in appended.items():
        found = list(stored.get(conversation, ()))
        counts = Counter(found)
        wanted = set(contents)
        verdict.lost += [f"{conversation}: {c}" for c in contents if c not in counts]
        verdict.doubled += [f"{conversation}: {c}" for c, n in counts.items() if n > 1]
        verdict.unknown += [f"{conversation}: {c}" for c in counts if c not in wanted]
        in_order = [c for c in dict.fromkeys(found) if c in wanted]
        if in_order != [c for c in contents if c in counts]:
            verdict.reordered.append(conversation)
    return verdict


INVARIANT_QUERIES: Mapping[str, str] = {
    "segments and chapters are contiguous": (
        "SELECT conversation, height, idx FROM (SELECT conversation, height, idx, first_seq, "
        "LAG(last_seq, 1, 0) OVER (PARTITION BY conversation, height ORDER BY idx) AS before FROM node) AS x "
        "WHERE first_seq <> before + 1"
    ),
    "closed_seq is the end of the last segment": (
        "SELECT c.id FROM conversation c WHERE c.closed_seq <> COALESCE("
        "(SELECT MAX(last_seq) FROM node n WHERE n.conversation = c.id AND n.height = 0), 0)"
    ),
    "turns are numbered without gaps": (
        "SELECT c.id FROM conversation c WHERE c.turn_count <> "
        "(SELECT COUNT(*) FROM turn t WHERE t.conversation = c.id) OR c.turn_count <> "
        "COALESCE((SELECT MAX(seq) FROM turn t WHERE t.conversation = c.id), 0)"
    ),
    "every complete group of eight has its chapter": (
        "SELECT n.conversation, n.height, n.idx FROM node n WHERE n.idx % 8 = 7 AND NOT EXISTS "
        "(SELECT 1 FROM node p WHERE p.conversation = n.conversation AND p.height = n.height + 1 "
        "AND p.idx = n.idx / 8 AND p.last_seq = n.last_seq)"
    ),
    "every node has its three levels, of an idle conversation perhaps the third alone": (
        "SELECT n.conversation, n.height, n.idx FROM node n LEFT JOIN level l ON l.conversation = n.conversation "
        "AND l.height = n.height AND l.idx = n.idx AND l.refined = 0 GROUP BY n.conversation, n.height, n.idx "
        "HAVING COUNT(l.level) <> 3 AND NOT (COUNT(l.level) = 1 AND MAX(l.level) = 3 AND EXISTS "
        "(SELECT 1 FROM posting p WHERE p.conversation = n.conversation AND p.number = -1))"
    ),
    "anchors are verbatim": (
        "SELECT a.conversation, a.id FROM anchor a JOIN turn t ON t.conversation = a.conversation AND t.seq = a.seq "
        "WHERE t.state = 0 AND substr(t.content, a.start_offset + 1, a.end_offset - a.start_offset) <> a.body"
    ),
    "active anchors are counted": (
        "SELECT c.id FROM conversation c WHERE c.anchor_count <> (SELECT COUNT(*) FROM anchor a "
        "WHERE a.conversation = c.id AND a.state = 0 AND a.refined = 0) OR c.anchor_tokens <> "
        "COALESCE((SELECT SUM(a.tokens) "
        "FROM anchor a WHERE a.conversation = c.id AND a.state = 0 AND a.refined = 0), 0)"
    ),
}
"""Queries that return no rows while their invariant holds."""


def broken_invariants(engine: Engine) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows that break an invariant, by its name."""
    broken: dict[str, list[tuple[object, ...]]] = {}
    with engine.begin() as connection:
        for name, query in INVARIANT_QUERIES.items():
            rows = [tuple(row) for row in connection.execute(text(query))]
            if rows:
                broken[name] = rows
    return broken
