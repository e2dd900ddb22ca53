"""Many conversations in PostgreSQL at once: rows as folds leave them, made by the database itself.

Each has twelve turns, of which eight are a segment, with two anchors, levels, notes, search rows and a job that is
done. One tenant, `large`, has a fifth of them; the others have a thousand each. The invariants that are queries hold of
them.
"""

from __future__ import annotations

import argparse
import time
from typing import Final

from sqlalchemy import Connection, Engine, text

from turnfold.contract.records import Method
from turnfold.database.engines import connect

BLOCK: Final = 50_000
LARGE: Final = "large"
CONTENT: Final = (
    "'We decided to use PostgreSQL for part ' || (c * 31 + s) || ', and to keep the rest as it is until then.'"
)
DAY: Final = 86_400_000

_ROWS: Final = (
    f"""INSERT INTO conversation (tenant, external_id, turn_count, closed_seq, fold_seq, node_count, anchor_count,
            anchor_tokens, next_anchor, revision)
        SELECT CASE WHEN c % 5 = 0 THEN '{LARGE}' ELSE 'tenant ' || c % 800 END, 'conversation ' || c, 12, 8, 12, 1, 2,
            20, 3, 5 FROM generate_series(:first, :last) c""",  # noqa: S608 - constants
    f"""INSERT INTO turn (conversation, seq, turn_id, role, content, importance, tokens, content_hash)
        SELECT c, s, 't' || s, CASE WHEN s % 2 = 1 THEN 'user' ELSE 'assistant' END, {CONTENT}, 1, 20,
            decode('00112233445566778899aabbccddeeff', 'hex')
        FROM generate_series(:first, :last) c, generate_series(1, 12) s""",  # noqa: S608 - constants
    f"""INSERT INTO node (conversation, height, idx, first_seq, last_seq, slug, tokens_0, tokens_1, tokens_2, tokens_3,
            importance, method, closed_at, facts, source_hash)
        SELECT c, 0, 0, 1, 8, 'parts', 160, 40, 20, 5, 1, {int(Method.RULES)},
            :now - CAST({DAY} AS BIGINT) * (c % 400), '{{}}', decode('00112233445566778899aabbccddeeff', 'hex')
        FROM generate_series(:first, :last) c""",  # noqa: S608 - constants
    """INSERT INTO level (conversation, height, idx, level, refined, body)
        SELECT c, 0, 0, l, 0, repeat('a decision about parts ', 9 - 2 * l)
        FROM generate_series(:first, :last) c, generate_series(1, 3) l""",
    f"""INSERT INTO anchor (conversation, id, node_idx, seq, start_offset, end_offset, kind, body, tokens, score, rank,
            state)
        SELECT c, s, 0, s, 0, 33, 1, substr({CONTENT}, 1, 33), 10, 5, 50, 0
        FROM generate_series(:first, :last) c, generate_series(1, 2) s""",  # noqa: S608 - constants
    """INSERT INTO note_list (conversation, height, idx, tokens, best, ledger, actions, said)
        SELECT c, 0, 0, 60, repeat('a note about parts ', 12), '[]', '[]', '{}'
        FROM generate_series(:first, :last) c""",
    """INSERT INTO outline (conversation, part, body)
        SELECT c, 0, repeat('a note about parts ', 30) FROM generate_series(:first, :last) c""",
    """INSERT INTO posting (conversation, number, body)
        SELECT c, 0, decode(repeat('0a', 300), 'hex') FROM generate_series(:first, :last) c""",
    """INSERT INTO passage (conversation, bundle, body)
        SELECT c, s * 32, decode(repeat('0a', 120), 'hex')
        FROM generate_series(:first, :last) c, generate_series(1, 8) s""",
    """INSERT INTO job (conversation, tenant, kind, state)
        SELECT c.id, c.tenant, 'refine', 'done' FROM conversation c WHERE c.id BETWEEN :first AND :last""",
)


def fill(engine: Engine, conversations: int) -> None:
    """Add `conversations` to an empty, migrated database of PostgreSQL, and analyse it."""
    for first in range(1, conversations + 1, BLOCK):
        with engine.begin() as connection:
            # Each row is known to have its conversation.
            connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
            _fill_block(connection, first, min(conversations, first + BLOCK - 1))
    with engine.begin() as connection:
        connection.exec_driver_sql("ANALYZE")


def _fill_block(connection: Connection, first: int, last: int) -> None:
    now = int(time.time() * 1_000)
    for statement in _ROWS:
        values = {"first": first, "last": last, "now": now}
        connection.execute(text(statement), {name: values[name] for name in values if f":{name}" in statement})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database_url")
    parser.add_argument("--conversations", type=int, default=1_000_000)
    chosen = parser.parse_args()
    fill(connect(chosen.database_url, write=True, timeout_seconds=600), chosen.conversations)


if __name__ == "__main__":
    main()
