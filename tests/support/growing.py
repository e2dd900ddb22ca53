"""A conversation that is folded in this process while it is said, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from turnfold.contract.tasks import Operation
from turnfold.edge import accept
from turnfold_worker import offline
from turnfold_worker.drain import receive
from turnfold_worker.exchange import InboxEntry
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.wiring import sql_store


def growing(turns: Sequence[Mapping[str, Any]], *, begin: int, step: int = 1) -> Iterator[offline.FoldedConversation]:
    """The conversation, with the first `begin` turns, then after each `step` more.

    It is one conversation that grows, not a new one each time, so that only what is new is folded.
    """
    with offline.fold(turns[:begin], conversation_id="c") as folded:
        store = sql_store(WorkerSettings(), folded._engine, folded._engine)
        folder = offline._Folder(store, folded._conversation, None, None)
        yield folded
        for said in range(begin, len(turns), step):
            entries = [accept(turn, max_bytes=offline.MAX_TURN_BYTES) for turn in turns[said : said + step]]
            folder.take([receive(InboxEntry("", str(Operation.APPEND), one.entry_id, one.body)) for one in entries])
            yield folded
