"""Events for changes that workers made to a conversation between two reads of a client."""

from __future__ import annotations

import logging
import threading
from bisect import bisect_right
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from turnfold.assemble.forms.markers import turns_marker
from turnfold.contract.keys import Address
from turnfold.contract.notes import FIRST_WRITTEN
from turnfold.contract.outlines import Outline

if TYPE_CHECKING:
    from turnfold.database.conversation_cache import Known

_log = logging.getLogger("turnfold")

ChangeKind = Literal["folded", "refined", "expired", "cut", "changed"]
_MOST_MARKERS: Final = 64
_MOST_CONVERSATIONS: Final = 10_000
"""Conversations whose last reported revision is remembered."""
_Told = tuple[int, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEvent:
    """A change of what contexts of a conversation show, since this client last read it."""

    conversation_id: str
    kind: ChangeKind
    """Turns were folded, a model's notes came or went, turns expired, turns were cut off by a rewind; `changed` is for
    anything else, such as an edit, a setting, or an anchor that was settled by hand."""
    markers: tuple[str, ...]
    """Markers of the turns with changed notes, at most 64, in order, for `expand`."""


OnChange = Callable[[ChangeEvent], object]


class ChangeLog:
    """A queue of changes that reads detected, until they are reported. Thread-safe."""

    def __init__(self, on_change: OnChange) -> None:
        self._on_change = on_change
        self._found: deque[tuple[Address, Known, Known]] = deque(maxlen=1_000)
        self._newest: OrderedDict[Address, tuple[int, int]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, address: Address, before: Known, after: Known) -> None:
        """Queue the change between a cached and a fresh state, unless that state or a later one is queued already."""
        head = after.head
        with self._lock:
            conversation, revision = self._newest.get(address, (head.id, -1))
            if conversation == head.id and revision >= head.revision:
                # A slow read ended with a state that faster ones have reported already.
                return
            self._newest[address] = head.id, head.revision
            self._newest.move_to_end(address)
            if len(self._newest) > _MOST_CONVERSATIONS:
                self._newest.popitem(last=False)
            self._found.append((address, before, after))

    def tell(self) -> None:
        """Call `on_change` once for each queued change; its exceptions are logged and do not break reads."""
        while self._found:
            try:
                address, before, after = self._found.popleft()
            except IndexError:
                # Another thread took it.
                return
            event = change_between(address, before, after)
            if event is None:
                continue
            try:
                self._on_change(event)
            except Exception:  # noqa: BLE001 - what is called is the caller's
                _log.exception("on_change failed for a change of conversation %s", address.conversation)


def change_between(address: Address, before: Known, after: Known) -> ChangeEvent | None:
    """Return the event between two states; None if contexts show the same."""
    markers = tuple(_markers(before, after))
    kind = _kind(before, after)
    if kind == "changed" and not markers and _anchors(before) == _anchors(after):
        return None
    return ChangeEvent(conversation_id=address.conversation, kind=kind, markers=markers)


def _kind(before: Known, after: Known) -> ChangeKind:
    if before.head.id != after.head.id or after.head.turn_count < before.head.turn_count:
        return "cut"
    if after.head.expired_seq > before.head.expired_seq:
        return "expired"
    if after.head.fold_seq > before.head.fold_seq or after.head.closed_seq > before.head.closed_seq:
        return "folded"
    if _written(before) != _written(after):
        return "refined"
    return "changed"


def _markers(before: Known, after: Known) -> Iterator[str]:
    """Yield the markers of the spans in which the known notes differ."""
    outline = after.outline or Outline()
    changed = _notes(before, after) ^ _notes(after, before)
    spans = [(node.first_seq, node.last_seq) for node in outline.cover]
    if outline.tail_seq > outline.last_seq:
        spans.append((outline.last_seq + 1, outline.tail_seq))
    starts = [first for first, _ in spans]
    # Contexts that showed the words of expired turns show their notes now.
    expired = (before.head.expired_seq + 1, after.head.expired_seq)
    places = {bisect_right(starts, seq) - 1 for seq, _, _ in changed} | {
        place for place, (first, last) in enumerate(spans) if first <= expired[1] and expired[0] <= last
    }
    for place in sorted(place for place in places if place >= 0)[:_MOST_MARKERS]:
        yield turns_marker(*spans[place])


def _notes(of: Known, beside: Known) -> set[_Told]:
    """Return notes as (turn, place, text), limited to the parts that both states have read."""
    if of.outline is None:
        return set()
    outline = of.outline.within(min(of.last_part, beside.last_part))
    return {(note.seq, note.place, note.text) for note in (*outline.notes, *outline.tail)}


def _written(known: Known) -> set[_Told]:
    return {note_key for note_key in _notes(known, known) if note_key[1] >= FIRST_WRITTEN}


def _anchors(known: Known) -> list[tuple[int, int]]:
    return list(zip(known.anchors.seqs, known.anchors.tokens, strict=True))
