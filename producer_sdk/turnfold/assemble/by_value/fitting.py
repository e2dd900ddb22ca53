"""What fits: the first of a ranking while there is room, each at the price that it has in its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Final

from turnfold.assemble.by_value.group_spans import GroupSpan
from turnfold.assemble.by_value.past import NOTHING_STANDS, Standing, Taken, TakenAnchors, bare_words
from turnfold.assemble.by_value.top_anchors import TopAnchors
from turnfold.assemble.forms.render_text import ANCHORS_HEADER, names_line
from turnfold.assemble.policy import AnchorsRoom
from turnfold.assemble.pricing import Pricing
from turnfold.contract.note_lists import NoteRow, made_note
from turnfold.contract.notes import Note, is_parted_free
from turnfold.contract.records import Anchor

_TEXT: Final = Note._fields.index("text")
_BRIEF: Final = Note._fields.index("brief")
_PLACES: Final = 1 << 20
"""More than a turn has notes."""
_PASSED_OVER: Final = 24
"""Notes or names that are too long for what is left, after which no shorter one is looked for."""


def fitting_notes(
    notes: Iterable[NoteRow],
    spans: Sequence[GroupSpan],
    room: int,
    pricing: Pricing,
    *,
    standing: Standing = NOTHING_STANDS,
) -> Taken:
    """The first notes that fit into `room` tokens, with the labels that they need under the lines of `spans`.

    `standing` are notes that were taken before: each price is what a note adds in its place among all of them.
    """
    starts = [span.first_seq for span in spans]
    row = _Row(pricing, standing)
    brief = pricing.brief
    taken: list[Note] = []
    left = room
    too_long = 0
    for note in notes:
        seq, place, speaker, _, day, text, price, *_ = note
        shown: Iterable[Any] = note
        if brief and note[_BRIEF]:
            text, price = note[_BRIEF], note[_BRIEF + 1]
            shown = (*note[:_TEXT], text, price, *note[_TEXT + 2 :])
        # Behind a mark nothing may have to stand: the price is one less there.
        if price - 1 <= left:
            at = row.place_of(seq, place)
            told = (bisect_right(starts, seq), day, speaker, is_parted_free(text))
            price += row.around(at, told)
            if price <= left:
                left -= price
                row.insert(at, seq, place, told)
                taken.append(made_note(shown))
                continue
        too_long += 1
        if too_long > _PASSED_OVER:
            break
    return Taken(taken, room - left, row.standing)


class _Row:
    """Notes in the order of the turns, and what stands between them: lines of days, labels, marks."""

    def __init__(self, pricing: Pricing, standing: Standing) -> None:
        places, told = standing
        self.standing: Final[Standing] = (places.copy(), told.copy())
        self._pricing = pricing

    def place_of(self, seq: int, place: int) -> int:
        """Where a note stands among the others."""
        return bisect_right(self.standing[0], seq * _PLACES + place)

    def insert(self, at: int, seq: int, place: int, told: tuple[int, str, str, bool]) -> None:
        """Put a note there."""
        self.standing[0].insert(at, seq * _PLACES + place)
        self.standing[1].insert(at, told)

    def around(self, at: int, told: tuple[int, str, str, bool]) -> int:
        """What a note adds to what stands between notes."""
        row = self.standing[1]
        before = row[at - 1] if at else None
        added = self._between(before, told)
        if at == len(row):
            return added
        return added + self._between(told, row[at]) - self._between(before, row[at])

    def _between(self, before: tuple[int, str, str, bool] | None, told: tuple[int, str, str, bool]) -> int:
        """What stands before a note because of the one before it."""
        group, day, speaker, _ = told
        if before is None:
            return self._pricing.label(speaker) + (self._pricing.day(day) if day else 0)
        if before[1] != day:
            return self._pricing.label(speaker) + (self._pricing.day(day) if day else 0)
        if before[2] != speaker or before[0] != group:
            return self._pricing.label(speaker)
        return -before[3]


def fitting_anchors(top: TopAnchors, before_seq: int, room: AnchorsRoom, pricing: Pricing) -> TakenAnchors:
    """Anchors of turns before a number, by rank, while there is room."""
    taken: list[Anchor] = []
    spent = pricing.count(ANCHORS_HEADER)
    words: dict[int, set[str]] = {}
    for at, (seq, tokens) in enumerate(zip(top.seqs, top.tokens, strict=True)):
        most = room.most_with_pins if at < top.pinned else room.most
        # Its words alone cost more than what is left of most of them.
        if seq >= before_seq or spent + tokens > most or not (top.standing[at] or at < top.pinned):
            continue
        anchor = top[at]
        price = pricing.anchor(anchor)
        if spent + price <= most:
            taken.append(anchor)
            spent += price
            words.setdefault(anchor.turn_seq, set()).update(bare_words(anchor.text))
    return TakenAnchors(tuple(sorted(taken, key=lambda anchor: anchor.position)), spent if taken else 0, words)


def fitting_names(names: Sequence[str], most_tokens: int, pricing: Pricing) -> tuple[str, ...]:
    """The first names that fit into one line of so many tokens."""
    if most_tokens <= 0 or not names:
        return ()
    room = most_tokens - pricing.count(names_line(()))
    taken: list[str] = []
    too_long = 0
    for name in names:
        price = pricing.count(f", {name}")
        if price <= room:
            room -= price
            taken.append(name)
        elif (too_long := too_long + 1) > _PASSED_OVER:
            break
    return tuple(taken)


def fitting_late_names(
    names: Sequence[str], shown: Sequence[str], most_tokens: int, pricing: Pricing
) -> tuple[str, ...]:
    """Names of turns that are neither folded nor raw, without those that are shown already."""
    known = "\n".join(shown)
    # The names before may write a path from a folder on.
    tails = tuple(f"/{name}" for name in shown if "/" in name)
    others = [name for name in names if name not in known and not name.endswith(tails)]
    return fitting_names(others, most_tokens, pricing)
