"""`expand`: what a marker stands for, at the level that it names, from what is stored; no model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, assert_never

from turnfold.assemble.expand import clip_text, turns_text
from turnfold.assemble.markers import Marker, NodeTarget, TurnsTarget, node_marker, parse_marker, turns_marker
from turnfold.contract.keys import Address
from turnfold.contract.records import MAX_HEIGHT, Expansion, Head, Node, StoredTurn
from turnfold.errors import InvalidInput, UnknownMarker
from turnfold.retrieval import NEWEST_TURNS, PendingSource, readable_head, unknown, waiting_turns
from turnfold.tokens import ESTIMATOR, estimate_tokens

if TYPE_CHECKING:
    from turnfold.reader import Reader, ReadTransaction

TURNS_AT_ONCE: Final = 200
"""Turns of one expansion; a longer range goes on with its `next_marker`."""

NODES_AT_ONCE: Final = 64
"""Nodes of one expansion of a range; what is left out keeps a range marker."""


def expand(inbox: PendingSource, reader: Reader, address: Address, marker: str, *, max_tokens: int | None) -> Expansion:
    """Resolve a marker. Raises `UnknownMarker`, `UnknownConversation`, `InvalidInput`."""
    _check(marker, max_tokens)
    parsed = parse_marker(marker)

    pending = inbox.peek(address, newest=NEWEST_TURNS)

    def look(transaction: ReadTransaction) -> Expansion:
        head = readable_head(transaction, address, pending)
        waiting, _ = waiting_turns(transaction, head, pending)
        if head is None and not waiting:
            raise unknown(address)
        return _Expander(transaction, head, waiting, max_tokens).resolve(parsed, marker)

    return reader.read(look)


def _check(marker: object, max_tokens: object) -> None:
    if not isinstance(marker, str):
        msg = f"a marker is a text such as L1:auth-options-17, not {type(marker).__name__}"
        raise InvalidInput(msg)
    if max_tokens is not None and (isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1):
        msg = f"max_tokens must be a whole number of at least 1, not {max_tokens!r}"
        raise InvalidInput(msg)


class _Expander:
    """Resolves one marker inside one transaction."""

    def __init__(
        self, transaction: ReadTransaction, head: Head | None, waiting: Sequence[StoredTurn], max_tokens: int | None
    ) -> None:
        self._transaction = transaction
        self._head = head
        self._waiting = waiting
        self._max_tokens = max_tokens

    def resolve(self, marker: Marker, given: str) -> Expansion:
        target = marker.target
        match target:
            case NodeTarget():
                node = None if self._head is None else self._transaction.node(self._head, target.height, target.idx)
                if node is None or self._head is None:
                    msg = (
                        f"{given!r} names a segment that does not exist: copy a marker from this conversation's context"
                    )
                    raise UnknownMarker(msg)
                if marker.level == 0:
                    return self._turns(node.first_seq, node.last_seq)
                text = self._transaction.level_text(self._head, node, marker.level)
                return self._clipped(text, marker.level, node.first_seq, node.last_seq)
            case TurnsTarget():
                newest = self._newest_seq()
                if target.first_seq > newest:
                    msg = f"{given!r} names turns that do not exist: the newest turn is {newest}"
                    raise UnknownMarker(msg)
                last_seq = min(target.last_seq, newest)
                if marker.level == 0:
                    return self._turns(target.first_seq, last_seq)
                return self._range(target.first_seq, last_seq, marker.level)
            case _:
                assert_never(target)

    def _newest_seq(self) -> int:
        stored = self._head.turn_count if self._head else 0
        return max(stored, self._waiting[-1].seq if self._waiting else 0)

    def _turns(self, first_seq: int, last_seq: int) -> Expansion:
        """Verbatim turns, as many as fit, then the marker to go on with."""
        stored_until = self._head.turn_count if self._head else 0
        turns: tuple[StoredTurn, ...] = ()
        if self._head is not None and first_seq <= stored_until:
            turns = self._transaction.turns_between(
                self._head, first_seq, min(last_seq, stored_until), most=TURNS_AT_ONCE
            )
        fetched_from = self._waiting[0].seq if self._waiting else stored_until + 1
        if stored_until < first_seq < fetched_from:
            return self._not_yet(first_seq, last_seq, fetched_from - 1)
        if fetched_from == stored_until + 1 or first_seq >= fetched_from:
            turns += tuple(t for t in self._waiting if first_seq <= t.seq <= last_seq)
        shown = self._that_fit(turns[:TURNS_AT_ONCE])
        text, clipped = clip_text(turns_text(shown), self._max_tokens, ESTIMATOR)
        reached = shown[-1].seq if shown else last_seq
        return Expansion(
            text=text, level=0, first_seq=first_seq, last_seq=reached, turns=tuple(shown),
            tokens=estimate_tokens(text), truncated=clipped or reached < last_seq,
            next_marker=turns_marker(reached + 1, last_seq) if reached < last_seq else None,
        )  # fmt: skip

    def _not_yet(self, first_seq: int, last_seq: int, waiting_until: int) -> Expansion:
        """Turns of a long inbox: too many to fetch, and soon in SQL. The marker stays good."""
        until = min(last_seq, waiting_until)
        text = f"[turns {first_seq}-{until} are not stored yet: expand again in a moment]\n"
        return Expansion(
            text=text, level=0, first_seq=first_seq, last_seq=until, tokens=estimate_tokens(text), truncated=True,
            next_marker=turns_marker(first_seq, last_seq),
        )  # fmt: skip

    def _that_fit(self, turns: Sequence[StoredTurn]) -> Sequence[StoredTurn]:
        """The first turns within `max_tokens`, one at least."""
        if self._max_tokens is None:
            return turns
        used = 0
        for position, turn in enumerate(turns):
            used += estimate_tokens(turns_text([turn]))
            if used > self._max_tokens:
                return turns[: max(1, position)]
        return turns

    def _range(self, first_seq: int, last_seq: int, level: int) -> Expansion:
        """The coarsest nodes inside a range, one step finer when a single node covers it all."""
        head = self._head
        nodes: tuple[Node, ...] = ()
        if head is not None:
            nodes = self._transaction.nodes_within(head, first_seq, last_seq, below=MAX_HEIGHT + 1)
            if len(nodes) == 1 and nodes[0].height > 0:
                nodes = self._transaction.nodes_within(head, first_seq, last_seq, below=nodes[0].height)
        if head is None or not nodes:
            return self._turns(first_seq, last_seq)
        lines: list[str] = []
        at = first_seq
        for node in nodes[:NODES_AT_ONCE]:
            lines += _gap(at, node.first_seq - 1)
            body = self._transaction.level_text(head, node, level)
            finer = node_marker(node, level=max(0, level - 1), short=False)
            lines.append(f"[turns {node.first_seq}-{node.last_seq} →{finer}]\n{body}")
            at = node.last_seq + 1
        lines += _gap(at, last_seq)
        return self._clipped("".join(lines), level, first_seq, last_seq)

    def _clipped(self, text: str, level: int, first_seq: int, last_seq: int) -> Expansion:
        shown, clipped = clip_text(text, self._max_tokens, ESTIMATOR)
        return Expansion(
            text=shown, level=level, first_seq=first_seq, last_seq=last_seq, tokens=estimate_tokens(shown),
            truncated=clipped, next_marker=turns_marker(first_seq, last_seq) if clipped else None,
        )  # fmt: skip


def _gap(first_seq: int, last_seq: int) -> list[str]:
    if first_seq > last_seq:
        return []
    return [f"[turns {first_seq}-{last_seq} →{turns_marker(first_seq, last_seq)}]\n"]
