"""Memos in SQL: results of pipeline stages on turns of open tails, one row for all turns that one fold read first."""

from __future__ import annotations

import json
import zlib
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, bindparam, delete, select

import turnfold
from turnfold.contract.records import ConversationId
from turnfold.contract.tables import TurnMemoRow, table
from turnfold_worker import pipeline
from turnfold_worker.adapters.sql.turns import insert_into
from turnfold_worker.pipeline.turns.memo import TurnMemo
from turnfold_worker.ports.messages import Tail

if TYPE_CHECKING:
    # Importable from here since Python 3.11, and from nowhere else in 3.14.
    from importlib.resources.abc import Traversable

_memo = table(TurnMemoRow)
_FASTEST: Final = 1
"""Level of zlib: rows live only until their segment is closed."""
_READ_BY_RULES: Final = (".py", ".json", ".txt", ".toml")

_OWN: Final = _memo.c.conversation == bindparam("of_conversation")
_ROWS: Final = select(_memo.c.seq, _memo.c.body).where(_OWN).order_by(_memo.c.seq)
_DROP_UP_TO: Final = delete(_memo).where(_OWN, _memo.c.seq <= bindparam("closed"))
_DROP_FROM: Final = delete(_memo).where(_OWN, _memo.c.seq >= bindparam("first"))
_DROP: Final = delete(_memo).where(_OWN)


def load(connection: Connection, conversation: ConversationId) -> dict[int, TurnMemo]:
    """Read the memos of a conversation by turn number; those of other versions of the rules are ignored."""
    memos: dict[int, TurnMemo] = {}
    for row in connection.execute(_ROWS, {"of_conversation": conversation}):
        rules, turns = json.loads(zlib.decompress(row.body))
        if rules == rules_hash():
            memos |= {seq: TurnMemo(turn_hash, made, row=row.seq) for seq, turn_hash, made in turns}
    return memos


def keep(connection: Connection, seen: Tail) -> None:
    """Store the memos that a fold added for its tail; the conversation must be locked."""
    anew = [seq for seq, memo in seen.memos.items() if memo.made and (memo.has_changed or memo.row <= seen.closed_seq)]
    if not anew:
        return
    first = min(anew)
    kept = [(seq, memo) for seq, memo in sorted(seen.memos.items()) if seq >= first and memo.made]
    if any(memo.row >= first for _, memo in kept):
        connection.execute(_DROP_FROM, {"of_conversation": seen.conversation, "first": first})
    body = json.dumps([rules_hash(), [(seq, memo.turn_hash, memo.made) for seq, memo in kept]], separators=(",", ":"))
    connection.execute(
        _upsert(connection.dialect.name),
        {"conversation": seen.conversation, "seq": first, "body": zlib.compress(body.encode(), _FASTEST)},
    )


@cache
def _upsert(dialect: str) -> Any:
    insert = insert_into(dialect, _memo)
    # Two folds may have read the same tail.
    return insert.on_conflict_do_update(index_elements=["conversation", "seq"], set_={"body": insert.excluded.body})


def drop_up_to(connection: Connection, conversation: ConversationId, closed_seq: int) -> None:
    """Drop the rows with a turn of a closed segment: its fold still knows their memos of later turns."""
    connection.execute(_DROP_UP_TO, {"of_conversation": conversation, "closed": closed_seq})


def drop(connection: Connection, conversation: ConversationId) -> None:
    """Drop all memos of a conversation, after a turn was changed or cut off."""
    connection.execute(_DROP, {"of_conversation": conversation})


@cache
def rules_hash() -> str:
    """Hash the code and data of the pipeline and the SDK: other versions may compute other memos."""
    digest = blake2b(digest_size=8)
    for package in (pipeline, turnfold):
        _add(files(package), digest.update)
    return digest.hexdigest()


def _add(place: Traversable, update: Any) -> None:
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            _add(entry, update)
        elif entry.name.endswith(_READ_BY_RULES):
            update(entry.name.encode())
            update(entry.read_bytes())
