"""Request passages in place of turns that retention removed, which a worker with a model writes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from turnfold.assemble.forms.clip import clip_text
from turnfold.assemble.forms.markers import NodeTarget, parse_marker, turns_marker
from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId, Node, TurnState
from turnfold.contract.results import Expansion
from turnfold.contract.tasks import Task
from turnfold.errors import Unavailable
from turnfold.tokens import ESTIMATOR, estimate_tokens

if TYPE_CHECKING:
    from turnfold.database.read_transaction import ReadTransaction
    from turnfold.database.reader import Reader

ASK_AGAIN_SECONDS: Final = 20.0
"""Seconds after which a request, which may have been lost, is sent again: answers are stored, so none is paid twice."""
SEGMENTS_AT_ONCE: Final = 8

Ring = Callable[..., None]
"""Sends a task with its arguments to workers."""


class ReconstructionWait:
    """Waits until every removed part of an expansion has a passage from a model; not at all if none was removed."""

    def __init__(
        self, expand: Callable[[], Expansion], reader: Reader, ring: Ring, address: Address, marker: str,
        max_tokens: int | None,
    ) -> None:  # fmt: skip
        self._expand = expand
        self._reader = reader
        self._ring = ring
        self._address = address
        self._marker = marker
        self._max_tokens = max_tokens
        self._asked_at: float | None = None
        self._plain: Expansion | None = None

    def look(self) -> Expansion | None:
        """Return the expansion, or None while a passage is being written."""
        if self._plain is None:
            self._plain = self._expand()
        plain = self._plain
        if plain.level or not any(turn.state is TurnState.EXPIRED for turn in plain.turns):
            return plain
        conversation, parts = self._reader.read(lambda transaction: self._parts(transaction, plain))
        missing = [node for node, text in parts if text is None]
        if missing:
            self._ask(conversation, missing)
            return None
        return self._told("".join(text or "" for _, text in parts), plain, parts[0][0], parts[-1][0])

    def give_up(self, timeout_seconds: float) -> Expansion:
        msg = f"no model reconstructed {self._marker!r} within {timeout_seconds} s"
        raise Unavailable(
            msg,
            remedy=(
                "check that a worker with a model serves turnfold.refine; its log says when a reconstruction was "
                "refused. The summary is still there: expand it at level 1"
            ),
        )

    def _parts(
        self, transaction: ReadTransaction, plain: Expansion
    ) -> tuple[ConversationId, list[tuple[Node, str | None]]]:
        head = transaction.head(self._address)
        if head is None:
            return ConversationId(0), []
        target = parse_marker(self._marker).target
        removed = [turn.seq for turn in plain.turns if turn.state is TurnState.EXPIRED]
        node = None
        if isinstance(target, NodeTarget) and len(removed) == len(plain.turns) and not plain.truncated:
            node = transaction.node(head, target.height, target.idx)
        segments = [node] if node else transaction.segments_over(head, removed[0], removed[-1], most=SEGMENTS_AT_ONCE)
        return head.id, [(segment, transaction.reconstruction(head, segment)) for segment in segments]

    def _ask(self, conversation: ConversationId, missing: list[Node]) -> None:
        now = time.monotonic()
        if self._asked_at is None or now - self._asked_at > ASK_AGAIN_SECONDS:
            self._asked_at = now
            for node in missing:
                self._ring(Task.RECONSTRUCT, conversation, node.height, node.idx)

    def _told(self, text: str, plain: Expansion, first: Node, last: Node) -> Expansion:
        clipped_text, clipped = clip_text(text, self._max_tokens, ESTIMATOR)
        goes_on = turns_marker(first.first_seq, last.last_seq) if clipped else plain.next_marker
        if not clipped and last.last_seq < plain.last_seq:
            goes_on = turns_marker(last.last_seq + 1, plain.last_seq)
        return Expansion(
            text=clipped_text, level=0, first_seq=first.first_seq, last_seq=last.last_seq,
            tokens=estimate_tokens(clipped_text), truncated=goes_on is not None, next_marker=goes_on,
            reconstructed=True,
        )  # fmt: skip
