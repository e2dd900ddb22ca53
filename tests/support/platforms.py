"""A worker whose rules may fail, together with an operator: for tests of parked work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import text

from conftest import LocalWorker
from support.places import place, shard_of
from turnfold import Turnfold
from turnfold.contract import keys
from turnfold.contract.attention import Selection
from turnfold.contract.keys import Address
from turnfold.contract.records import StoredTurn
from turnfold.contract.tasks import ENTRY_VERSION
from turnfold.redis.connections import connect as connect_redis
from turnfold_worker.adapters.sql.parked import SqlParkedWork
from turnfold_worker.pipeline.fold import FoldedNode
from turnfold_worker.use_cases import fold as compress_module
from turnfold_worker.use_cases import refold as refold_module
from turnfold_worker.use_cases.jobs import Decided, retry, skip

POISON = "xyzzy"
SUBJECTS = ("payments", "seat maps", "refunds", "emails", "deployment", "analytics", "accessibility", "backups")
EVERYTHING = Selection()

CANONICAL = {
    "nodes": "SELECT height, idx, first_seq, last_seq, slug, tokens_0, tokens_1, tokens_2, tokens_3, importance, "
    "method, CAST(facts AS TEXT), source_hash FROM node WHERE conversation = :c ORDER BY height, idx",
    "notes": "SELECT height, idx, tokens, best, CAST(ledger AS TEXT), CAST(actions AS TEXT), CAST(said AS TEXT) "
    "FROM note_list WHERE conversation = :c ORDER BY height, idx",
    "outline": "SELECT part, body FROM outline WHERE conversation = :c ORDER BY part",
    "levels": "SELECT height, idx, level, refined, body FROM level WHERE conversation = :c ORDER BY height, idx, level",
    "passages": "SELECT bundle, body FROM passage WHERE conversation = :c ORDER BY bundle",
    "postings": "SELECT number, body FROM posting WHERE conversation = :c ORDER BY number",
    "blocks": "SELECT idx, body FROM block_list WHERE conversation = :c ORDER BY idx",
    "parts": "SELECT idx, body FROM part_list WHERE conversation = :c ORDER BY idx",
    "repeats": "SELECT mark, idx, seqs FROM repeat_mark WHERE conversation = :c ORDER BY mark, idx",
    "anchors": "SELECT node_idx, seq, start_offset, end_offset, kind, body, score, rank FROM anchor "
    "WHERE conversation = :c ORDER BY seq, start_offset, end_offset, kind",
}
"""Everything that belongs to a segment, except the ids and states of its anchors."""


def talk(number: int, *, poison: int | None = None) -> list[dict[str, Any]]:
    return [
        {
            "turn_id": f"t{i}", "role": "assistant" if i % 2 else "user",
            "content": f"About {SUBJECTS[i // 12 % 8]}: we decided on option {i}, and the limit is {i * 3} ms. "
            f"{POISON if i == poison else ''} Next topic is {SUBJECTS[(i // 12 + 1) % 8]}.",
        }
        for i in range(number)
    ]  # fmt: skip


def refusing(real: Callable[..., FoldedNode]) -> Callable[..., FoldedNode]:
    """Return a rule that fails on turns with the poison word and quotes a turn in its error."""

    def fold(turns: Sequence[StoredTurn], **named: Any) -> FoldedNode:
        if any(POISON in turn.content for turn in turns):
            raise ValueError(turns[0].content)
        return real(turns, **named)

    return fold


@dataclass
class Platform:
    """A worker whose rules may fail, together with an operator."""

    tf: Turnfold
    local: LocalWorker
    parked: SqlParkedWork
    monkeypatch: pytest.MonkeyPatch

    def break_rules(self) -> None:
        for module in (compress_module, refold_module):
            self.monkeypatch.setattr(module, "fold_segment", refusing(module.fold_segment))

    def mend_rules(self) -> None:
        self.monkeypatch.undo()
        self.monkeypatch.setattr(compress_module, "RETRY_SECONDS", 0.0)

    def retry(self, **chosen: Any) -> list[Decided]:
        return retry(Selection(**chosen), parked=self.parked, publisher=self.local.messages)

    def skip(self, **chosen: Any) -> list[Decided]:
        return skip(Selection(**chosen), parked=self.parked)

    def rows(self, conversation: str) -> dict[str, list[tuple[Any, ...]]]:
        with self.local.engine.begin() as connection:
            id_ = connection.execute(
                text("SELECT id FROM conversation WHERE external_id = :e"), {"e": conversation}
            ).scalar_one()
            return {
                name: [
                    tuple(bytes(v) if isinstance(v, memoryview) else v for v in row)
                    for row in connection.execute(text(query), {"c": id_})
                ]
                for name, query in CANONICAL.items()
            }


def with_a_plain_segment(platform: Platform, conversation: str = "c", *, turns: int = 100, poison: int = 20) -> None:
    platform.tf.configure(conversation, settings={"segment_max_turns": 5, "segment_min_turns": 2})
    platform.tf.append(conversation, talk(turns, poison=poison))
    platform.break_rules()
    platform.local.settle()


def append_unreadable(
    redis_url: str, conversation: str, entry_id: str, body: bytes, *, operation: str = "append"
) -> None:
    """Append an entry such as a producer of another version may send."""
    address = Address("acme", conversation)
    with connect_redis(redis_url, timeout_seconds=5) as client:
        client.xadd(place(address).inbox, {"v": ENTRY_VERSION, "op": operation, "id": entry_id, "d": body})
        client.zadd(place(address).ready, {conversation: 1})
        client.zadd(keys.tenants(shard_of(address)), {"acme": 1})
