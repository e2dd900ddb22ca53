"""What workers changed of a conversation between two reads of one client, as an event."""

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
    from turnfold.database.known import Known

_log = logging.getLogger("turnfold")

ChangeKind = Literal["folded", "refined", "expired", "cut", "changed"]
_MOST_MARKERS: Final = 64
_MOST_CONVERSATIONS: Final = 10_000
"""Of which it is known what was told last."""
_Told = tuple[int, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEvent:
    """What contexts of a conversation show changed since this client last read it."""

    conversation_id: str
    kind: ChangeKind
    """Turns were folded, a model's notes came or went, turns expired, turns were cut off by a rewind; `changed` is for
    anything else, such as an edit, a setting, or an anchor that was settled by hand."""
    markers: tuple[str, ...]
    """Of the turns of which contexts say something else now, at most 64, in order: give them to `expand`."""


OnChange = Callable[[ChangeEvent], object]


class ChangeLog:
    """Changes that reads found, until they are told. Safe to share among threads."""

    def __init__(self, on_change: OnChange) -> None:
        self._on_change = on_change
        self._found: deque[tuple[Address, Known, Known]] = deque(maxlen=1_000)
        self._newest: OrderedDict[Address, tuple[int, int]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, address: Address, before: Known, after: Known) -> None:
        """Keep what a read found in the place of what was remembered, unless that or a later state is kept already."""
        head = after.head
        with self._lock:
            conversation, revision = self._newest.get(address, (head.id, -1))
            if conversation == head.id and revision >= head.revision:
                # A read that began before others ended with what they had told of.
                return
            self._newest[address] = head.id, head.revision
            self._newest.move_to_end(address)
            if len(self._newest) > _MOST_CONVERSATIONS:
                self._newest.popitem(last=False)
            self._found.append((address, before, after))

    def tell(self) -> None:
        """Call `on_change` for all that was found, once each; what it raises is logged, and breaks no read."""
        while self._found:
            try:
                address, before, after = self._found.popleft()
            except IndexError:
                # Another thread tells it.
                return
            event = change_between(address, before, after)
            if event is None:
                continue
            try:
                self._on_change(event)
            except Exception:  # noqa: BLE001 - what is called is the caller's
                _log.exception("on_change failed for a change of conversation %s", address.conversation)


def change_between(address: Address, before: Known, after: Known) -> ChangeEvent | None:
    """The event between two states; None where contexts show the same."""
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
    """Markers of the spans that hold turns of which other notes are known."""
    outline = after.outline or Outline()
    changed = _notes(before, after) ^ _notes(after, before)
    spans = [(node.first_seq, node.last_seq) for node in outline.cover]
    if outline.tail_seq > outline.last_seq:
        spans.append((outline.last_seq + 1, outline.tail_seq))
    starts = [first for first, _ in spans]
    # A context that showed the words of what expired shows its notes now.
    expired = (before.head.expired_seq + 1, after.head.expired_seq)
    places = {bisect_right(starts, seq) - 1 for seq, _, _ in changed} | {
        place for place, (first, last) in enumerate(spans) if first <= expired[1] and expired[0] <= last
    }
    for place in sorted(place for place in places if place >= 0)[:_MOST_MARKERS]:
        yield turns_marker(*spans[place])


def _notes(of: Known, beside: Known) -> set[_Told]:
    """Notes by turn, place and words, as many as both states have read."""
    if of.outline is None:
        return set()
    outline = of.outline.within(min(of.last_part, beside.last_part))
    return {(note.seq, note.place, note.text) for note in (*outline.notes, *outline.tail)}


def _written(known: Known) -> set[_Told]:
    return {note_key for note_key in _notes(known, known) if note_key[1] >= FIRST_WRITTEN}


def _anchors(known: Known) -> list[tuple[int, int]]:
    return list(zip(known.anchors.seqs, known.anchors.tokens, strict=True))
