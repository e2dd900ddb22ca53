"""Counts of expansions per segment, stored outside the canonical state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Engine, delete, insert, select, update

from turnfold.contract.access import Expansions, pack_often
from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId, Node
from turnfold.contract.results import Often
from turnfold.contract.tables import AccessRow, ConversationRow, NodeRow, standing, table
from turnfold.database.database_clock import now_milliseconds
from turnfold.database.failures import translated
from turnfold.database.rows import node_record
from turnfold.database.statements import NODE_COLUMNS
from turnfold_worker.pipeline.access import Access, counted, often

MOST_SEGMENTS_A_RANGE: Final = 2
"""An expansion that spans more segments counts for none."""

_conversation = table(ConversationRow)
_node = table(NodeRow)
_access = table(AccessRow)


def count(connection: Connection, expansions: Expansions) -> Sequence[int]:
    """Count a conversation's expansions; return the expanded segments, none when it was forgotten."""
    conversation = expansions.conversation
    row = connection.execute(
        select(_conversation.c.often).where(_conversation.c.id == conversation, standing()).with_for_update()
    ).first()
    if row is None:
        return ()
    times: Counter[int] = Counter()
    for (first_seq, last_seq), more in expansions.ranges.items():
        for idx in _segments(connection, conversation, first_seq, last_seq):
            times[idx] += more
    now = connection.scalar(select(now_milliseconds())) or 0
    accesses = counted(_accesses(connection, conversation), times, now=now)
    _replace(connection, conversation, accesses)
    told = pack_often(_often(connection, conversation, accesses))
    values: dict[str, Any] = {
        "expansions_asked": _conversation.c.expansions_asked + expansions.asked,
        "expansions_found": _conversation.c.expansions_found + expansions.found,
    }
    if told != row.often:
        values |= {"often": told, "revision": _conversation.c.revision + 1}
    connection.execute(update(_conversation).where(_conversation.c.id == conversation).values(values))
    return tuple(times)


def tell_again(connection: Connection, conversation: ConversationId) -> None:
    """Update the stored sizes of often-expanded segments after a node's text changed; reads rely on those sizes."""
    told = pack_often(_often(connection, conversation, _accesses(connection, conversation)))
    if told is not None:
        connection.execute(update(_conversation).where(_conversation.c.id == conversation).values(often=told))


def reset_expansions_of(engine: Engine, address: Address) -> None:
    """Reset the expansion counts of a conversation, if it exists."""
    named = (_conversation.c.tenant == address.tenant, _conversation.c.external_id == address.conversation)
    with translated(), engine.begin() as connection:
        conversation = connection.scalar(select(_conversation.c.id).where(*named).with_for_update())
        if conversation is None:
            return
        connection.execute(delete(_access).where(_access.c.conversation == conversation))
        values = {"expansions_asked": 0, "expansions_found": 0, "often": None, "revision": _conversation.c.revision + 1}
        connection.execute(update(_conversation).where(_conversation.c.id == conversation).values(values))


def _segments(connection: Connection, conversation: ConversationId, first_seq: int, last_seq: int) -> list[int]:
    """Return the segments that overlap a range, unless they are too many."""
    rows = connection.execute(
        select(_node.c.idx, _node.c.last_seq)
        .where(_node.c.conversation == conversation, _node.c.height == 0, _node.c.first_seq <= last_seq)
        .order_by(_node.c.first_seq.desc())
        .limit(MOST_SEGMENTS_A_RANGE + 1)
    )
    found = [row.idx for row in rows if row.last_seq >= first_seq]
    return found if len(found) <= MOST_SEGMENTS_A_RANGE else []


def _accesses(connection: Connection, conversation: ConversationId) -> dict[int, Access]:
    rows = connection.execute(select(_access).where(_access.c.conversation == conversation))
    return {row.idx: Access(row.expansions, row.weight, row.expanded_at) for row in rows}


def _replace(connection: Connection, conversation: ConversationId, accesses: Mapping[int, Access]) -> None:
    connection.execute(delete(_access).where(_access.c.conversation == conversation))
    rows = [
        {
            "conversation": conversation, "idx": idx, "expansions": one.expansions, "weight": one.weight,
            "expanded_at": one.expanded_at,
        }
        for idx, one in accesses.items()
    ]  # fmt: skip
    if rows:
        connection.execute(insert(_access), rows)


def _often(connection: Connection, conversation: ConversationId, accesses: Mapping[int, Access]) -> Sequence[Often]:
    rows = connection.execute(
        select(*NODE_COLUMNS)
        .where(_node.c.conversation == conversation, _node.c.height == 0, _node.c.idx.in_(often(accesses)))
        .order_by(_node.c.idx)
    )
    return [
        Often(
            Node(
                height=0, idx=node.idx, first_seq=node.first_seq, last_seq=node.last_seq, slug=node.slug,
                tokens=(0, node.tokens[1], 0, 0), refined=node.refined,
            ),
            accesses[node.idx].weight,
        )
        for node in map(node_record, rows)
    ]  # fmt: skip
