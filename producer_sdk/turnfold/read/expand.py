"""`expand`: return the stored content behind a marker, at the level that it names, without a model call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, assert_never

from turnfold.assemble.forms.clip import clip_text
from turnfold.assemble.forms.markers import (
    Marker,
    NodeTarget,
    TurnsTarget,
    names_node,
    node_marker,
    parse_marker,
    turns_marker,
)
from turnfold.assemble.pages import TurnPiece, page
from turnfold.assemble.request import Request
from turnfold.contract.keys import Address
from turnfold.contract.records import FAN_OUT, MAX_HEIGHT, Node, Role
from turnfold.contract.results import Expansion, Head, Passage, TurnPart
from turnfold.contract.speakers import label_of
from turnfold.contract.turn_limits import MOST_CAP, TURNS_A_READ, cap_for
from turnfold.errors import InvalidInput, UnknownMarker
from turnfold.read.pending_edits import Changes, inbox_of
from turnfold.read.snapshot import readable_head, unknown
from turnfold.read.turn_parts import parts_of_segments, parts_of_turns
from turnfold.redis.expansion_counter import UNCOUNTED, ExpansionCounter
from turnfold.redis.inbox import Pending
from turnfold.tokens import ESTIMATOR, estimate_tokens
from turnfold.wire.whole_numbers import whole_number

if TYPE_CHECKING:
    from turnfold.database.read_source import PendingSource, ReadSource
    from turnfold.database.read_transaction import ReadTransaction

TURNS_AT_ONCE: Final = 200
"""Most turns of one expansion; a longer range continues at `next_marker`."""

TOKENS_AT_ONCE: Final = 250_000
"""Most stored tokens of one expansion without `max_tokens`; a longer turn is a page by itself."""

VOICES_AROUND: Final = 200
"""Turns on either side of an expansion whose speakers' labels no line of its text may imitate."""

NODES_AT_ONCE: Final = 64
"""Most nodes of one expansion of a range; the rest becomes a range marker."""


def expand(
    inbox: PendingSource,
    reader: ReadSource,
    address: Address,
    marker: str,
    *,
    max_tokens: int | None,
    access: ExpansionCounter = UNCOUNTED,
) -> Expansion:
    """Resolve a marker. Raises `UnknownMarker`, `UnknownConversation`, `InvalidInput`."""
    _check(marker, max_tokens)
    parsed = parse_marker(marker)

    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> Expansion:
        head = readable_head(transaction, address, pending)
        return _expander(transaction, address, head, pending, max_tokens).counted(parsed, marker, address, access)

    return reader.read(look)


def passages(
    transaction: ReadTransaction,
    address: Address,
    head: Head | None,
    pending: Pending,
    request: Request,
    *,
    access: ExpansionCounter = UNCOUNTED,
) -> tuple[Passage, ...]:
    """Expand the markers of a context request, each within the budget for expansions.

    Raises `UnknownMarker`, or `UnknownConversation` when the conversation has no turns.
    """
    most_tokens = max(1, int(request.policy.expand_share * request.usable_tokens))
    expander = _expander(transaction, address, head, pending, most_tokens)
    return tuple(
        Passage(marker, expander.counted(parse_marker(marker), marker, address, access)) for marker in request.expand
    )


def _check(marker: object, max_tokens: object) -> None:
    if not isinstance(marker, str):
        raise InvalidInput(f"a marker must be text such as L1:auth-options-17, not {type(marker).__name__}")
    if max_tokens is not None:
        whole_number("max_tokens", max_tokens, least=1)


def _expander(
    transaction: ReadTransaction, address: Address, head: Head | None, pending: Pending, max_tokens: int | None
) -> _Expander:
    """Make an expander with pending edits applied. Raises `UnknownConversation` when there are no turns."""
    changes = inbox_of(transaction, head, pending)
    if head is None and not changes.waiting:
        raise unknown(address)
    return _Expander(transaction, head, changes, max_tokens)


class _Expander:
    """Resolves one marker inside one transaction."""

    def __init__(
        self, transaction: ReadTransaction, head: Head | None, changes: Changes, max_tokens: int | None
    ) -> None:
        self._transaction = transaction
        self._head = head
        self._changes = changes
        self._stored_until = changes.cut
        self._max_tokens = max_tokens

    def counted(self, marker: Marker, given: str, address: Address, access: ExpansionCounter) -> Expansion:
        """Resolve a marker, count the access, and add the parts and the verbatim marker."""
        if self._head is None:
            return self.resolve(marker, given)
        access.asked(address, self._head.id)
        expansion = self.resolve(marker, given)
        verbatim = turns_marker(expansion.first_seq, expansion.last_seq) if expansion.level else None
        expansion = replace(expansion, parts=self._parts(self._head, marker, expansion), verbatim_marker=verbatim)
        if expansion.text:
            access.found(address, self._head.id, expansion.first_seq, expansion.last_seq)
        return expansion

    def _parts(self, head: Head, marker: Marker, expansion: Expansion) -> tuple[TurnPart, ...]:
        """Return the parts of the long turns shown, or of those in the segment shown as a summary."""
        if expansion.level == 0:
            parts = parts_of_turns(self._transaction, head, expansion.turns)
        elif isinstance(marker.target, NodeTarget) and marker.target.height == 0:
            by_turn = parts_of_segments(self._transaction, head, [marker.target.idx])
            parts = tuple(part for seq in sorted(by_turn) for part in by_turn[seq])
        else:
            return ()
        return tuple(part for part in parts if not self._changing(part.turn_seq, part.turn_seq))

    def resolve(self, marker: Marker, given: str) -> Expansion:
        target = marker.target
        match target:
            case NodeTarget():
                if self._head is None or (node := self._node(self._head, target)) is None:
                    raise self._unknown_node(target, marker.level, given)
                if not names_node(target, node):
                    meant = node_marker(node, level=marker.level, short=False)
                    msg = f"{given!r} names no segment: its number belongs to {meant}"
                    raise UnknownMarker(msg, remedy="use that marker, or copy one from a context", suggestion=meant)
                text = None
                if marker.level and not self._changing(node.first_seq, node.last_seq):
                    text = self._transaction.level_text(self._head, node, marker.level)
                if text is None:
                    return self._turns(node.first_seq, min(node.last_seq, self._stored_until))
                return self._clipped(text, marker.level, node.first_seq, node.last_seq)
            case TurnsTarget():
                newest = self._newest_seq()
                if target.first_seq > newest:
                    msg = f"{given!r} names turns that do not exist: the newest turn is {newest}"
                    meant = turns_marker(newest, newest, level=marker.level)
                    raise UnknownMarker(msg, remedy=f"use {meant} or an earlier one", suggestion=meant)
                last_seq = min(target.last_seq, newest)
                if marker.level == 0 or self._changing(target.first_seq, last_seq):
                    return self._turns(target.first_seq, last_seq, offset=target.offset, until=target.until)
                return self._range(target.first_seq, last_seq, marker.level)
            case _:
                assert_never(target)

    def _node(self, head: Head, target: NodeTarget) -> Node | None:
        """Return the node of a target; None if there is none, or if a pending rewind removes it."""
        node = self._transaction.node(head, target.height, target.idx)
        return None if node is None or node.first_seq > self._stored_until else node

    def _unknown_node(self, target: NodeTarget, level: int, given: str) -> UnknownMarker:
        """Make the error for a node number that does not exist; it suggests the last node of that height."""
        head = self._head
        last = 0 if head is None else head.node_count // FAN_OUT**target.height
        nearest = self._node(head, NodeTarget(target.height, last - 1)) if head is not None and last else None
        meant = None if nearest is None else node_marker(nearest, level=level, short=False)
        nearest_is = "" if meant is None else f"; the last one is {meant}"
        msg = f"{given!r} names a segment that does not exist"
        return UnknownMarker(
            msg, remedy=f"copy a marker from this conversation's context{nearest_is}", suggestion=meant
        )

    def _changing(self, first_seq: int, last_seq: int) -> bool:
        """Whether edits are pending in a range: its levels are outdated, so the turns themselves are shown."""
        return self._changes.covers(first_seq, min(last_seq, self._head.turn_count if self._head else 0))

    def _newest_seq(self) -> int:
        return self._stored_until + self._changes.older + len(self._changes.waiting)

    def _turns(self, first_seq: int, last_seq: int, *, offset: int = 0, until: int | None = None) -> Expansion:
        """Return as many verbatim turns as fit, from `offset` in the first turn, and the marker to continue with.

        `until` ends the text of a single turn at that code point.
        """
        if first_seq > self._stored_until and self._changes.older:
            return self._not_yet(first_seq, last_seq)
        pieces = self._pieces(first_seq, last_seq, offset)
        if pieces and offset and offset >= pieces[0].length:
            msg = f"turn {first_seq} has {pieces[0].length} code points: offset {offset} is past its end"
            raise UnknownMarker(msg, remedy="continue with the `next_marker` of an expansion")
        if until is not None:
            pieces = [piece.up_to(until) for piece in pieces]
        turn_page = page(pieces, self._max_tokens, labels=self._labels_around(first_seq, last_seq))
        reached = turn_page.turns[-1].seq
        seq, begins = turn_page.goes_on or (reached + 1, 0)
        goes_on = seq <= last_seq
        return Expansion(
            text=turn_page.text, level=0, first_seq=first_seq, last_seq=reached, turns=turn_page.turns,
            tokens=turn_page.tokens, truncated=goes_on,
            next_marker=turns_marker(seq, last_seq, offset=begins, until=until) if goes_on else None,
        )  # fmt: skip

    def _labels_around(self, first_seq: int, last_seq: int) -> frozenset[str]:
        """Return the labels of speakers on and near a page, which no line of another speaker may begin with."""
        names = {turn.name for turn in self._changes.waiting if turn.name}
        if self._head is not None:
            until = min(last_seq, first_seq + TURNS_AT_ONCE) + VOICES_AROUND
            names |= self._transaction.names_between(self._head, first_seq - VOICES_AROUND, until)
        return frozenset(label_of(name, Role.USER) for name in names)

    def _pieces(self, first_seq: int, last_seq: int, offset: int) -> list[TurnPiece]:
        """Return the turns of a range that one page may contain, not many more than fit."""
        pieces: list[TurnPiece] = []
        if self._head is not None and first_seq <= self._stored_until:
            pieces += self._stored(self._head, first_seq, min(last_seq, self._stored_until), offset)
        reached = pieces[-1].turn.seq if pieces else first_seq - 1
        if reached >= self._stored_until and not self._changes.older:
            pieces += [
                TurnPiece.of(turn, offset=offset if turn.seq == first_seq else 0)
                for turn in self._changes.waiting
                if first_seq <= turn.seq <= last_seq
            ]
        return pieces[:TURNS_AT_ONCE]

    def _stored(self, head: Head, first_seq: int, last_seq: int, offset: int) -> Sequence[TurnPiece]:
        """Return stored turns of a range by their token counts: at least one, otherwise as many as fit on a page."""
        room = TOKENS_AT_ONCE if self._max_tokens is None else self._max_tokens
        many = 0
        for seq, tokens in self._transaction.turn_sizes(head, first_seq, last_seq, most=TURNS_AT_ONCE):
            # The rest of a turn that an earlier page began has no stored count.
            room -= 0 if seq == first_seq and offset else tokens
            if room < 0 and many:
                break
            many += 1
        cap = MOST_CAP if self._max_tokens is None else cap_for(self._max_tokens)
        stored_turns = self._transaction.turns_between(
            head, first_seq, last_seq, most=max(1, many), offset=offset, cap=cap
        )
        return [
            self._changes.piece(stored_turn, offset=offset if stored_turn.turn.seq == first_seq else 0)
            for stored_turn in stored_turns
        ]

    def _not_yet(self, first_seq: int, last_seq: int) -> Expansion:
        """Return a placeholder for turns in a long inbox, whose numbers are known once stored; the marker is kept."""
        text = f"[turns {first_seq}-{last_seq} are not stored yet: expand again in a moment]\n"
        return Expansion(
            text=text, level=0, first_seq=first_seq, last_seq=last_seq, tokens=estimate_tokens(text), truncated=True,
            next_marker=turns_marker(first_seq, last_seq),
        )  # fmt: skip

    def _range(self, first_seq: int, last_seq: int, level: int) -> Expansion:
        """Return the text of the coarsest nodes inside a range, one height lower if a single node covers it all."""
        head = self._head
        nodes: tuple[Node, ...] = ()
        if head is not None:
            nodes = self._transaction.nodes_within(head, first_seq, last_seq, below=MAX_HEIGHT + 1)
            if len(nodes) == 1 and nodes[0].height > 0:
                nodes = self._transaction.nodes_within(head, first_seq, last_seq, below=nodes[0].height)
        if head is None or not nodes:
            return self._turns(first_seq, last_seq)
        lines: list[str] = []
        markers: list[str] = []
        at = first_seq
        for node in nodes[:NODES_AT_ONCE]:
            lines += _gap(at, node.first_seq - 1)
            body = self._transaction.level_text(head, node, level)
            if body is None:
                return self._turns(first_seq, last_seq)
            finer = node_marker(node, level=max(0, level - 1), short=False)
            markers.append(finer)
            lines.append(f"[turns {node.first_seq}-{node.last_seq} →{finer}]\n{body}")
            at = node.last_seq + 1
        lines += _gap(at, last_seq)
        return self._clipped("".join(lines), level, first_seq, last_seq, markers=markers)

    def _clipped(
        self, text: str, level: int, first_seq: int, last_seq: int, *, markers: Sequence[str] = ()
    ) -> Expansion:
        clipped_text, clipped = clip_text(text, self._max_tokens, ESTIMATOR)
        return Expansion(
            text=clipped_text, level=level, first_seq=first_seq, last_seq=last_seq,
            tokens=estimate_tokens(clipped_text), truncated=clipped,
            next_marker=turns_marker(first_seq, last_seq) if clipped else None,
            markers=tuple(marker for marker in markers if f"→{marker}]" in clipped_text),
        )  # fmt: skip


def _gap(first_seq: int, last_seq: int) -> list[str]:
    if first_seq > last_seq:
        return []
    return [f"[turns {first_seq}-{last_seq} →{turns_marker(first_seq, last_seq)}]\n"]
