"""Greedy selection: the first of a ranking that fit, each at the price that it has in its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Final

from turnfold.assemble.by_value.doubts import Doubt, doubted
from turnfold.assemble.by_value.group_spans import GroupSpan
from turnfold.assemble.by_value.past import NOTHING_STANDS, Position, Standing, Taken, TakenAnchors, Told
from turnfold.assemble.by_value.spoken_words import SpokenWords
from turnfold.assemble.by_value.top_anchors import TopAnchors
from turnfold.assemble.forms.render_text import ANCHORS_HEADER, names_line
from turnfold.assemble.policy import AnchorsRoom
from turnfold.assemble.pricing import Pricing
from turnfold.contract.notes import Note, item_order, label_of, month_of
from turnfold.contract.records import DONE_OR_ANSWERED, Anchor, AnchorType
from turnfold.dates.note_time import time_of
from turnfold.dates.passed import day_of, has_passed

_PRICED: Final = itemgetter(*map(Note._fields.index, ("seq", "place", "speaker", "day", "tokens")))
_NOTHING: Final[Told] = (-1, "\n", "")
"""Predecessor of the first note, with a day that no note has."""
_ITEMS: Final = -1
"""Sorts before the place of any note: the items of a group precede its other notes."""
_AROUND_WHOLE: Final = 6
"""Approximate tokens of the labels that a whole note needs besides those of its brief form."""
_PASSED_OVER: Final = 24
"""Notes or names that do not fit, after which no shorter one is searched for."""


def fitting_notes(
    notes: Iterable[Note],
    spans: Sequence[GroupSpan],
    room: int,
    pricing: Pricing,
    *,
    standing: Standing = NOTHING_STANDS,
    whole: Collection[tuple[int, int]] = (),
) -> Taken:
    """Select the first notes that fit into `room` tokens, with the labels that they need under the lines of `spans`.

    `standing` are notes selected before: each price is what a note adds in its place among all of them.
    """
    starts = [span.first_seq for span in spans]
    places, row = standing[0].copy(), standing[1].copy()
    labels, days, brief_from = pricing.labels, pricing.days, pricing.brief_from
    chosen: list[Note] = []
    left = room
    too_long = 0
    for note in notes:
        seq, place, speaker, day, price = _PRICED(note)
        form = note
        if place >= brief_from and note.brief and (seq, place) not in whole:
            form, price = note.in_brief(), note.brief_tokens
        if price <= left:
            group = bisect_right(starts, seq)
            position: Position = (seq, place)
            if form is not note and form.is_item:
                months = spans[group - 1].months if group else ""
                position = (starts[group - 1] if group else 0, _ITEMS, *item_order(note, months))
                labels_of_note = (group, months or month_of(day), speaker)
            else:
                labels_of_note = (group, day, label_of(seq, speaker, day))
            at = bisect_right(places, position)
            labels_before = row[at - 1] if at else _NOTHING
            following = row[at] if at < len(row) else None
            if labels_before != labels_of_note:
                price += _between(labels_before, labels_of_note, labels, days)
                if following is not None:
                    price += _between(labels_of_note, following, labels, days) - _between(
                        labels_before, following, labels, days
                    )
            if price <= left:
                left -= price
                places.insert(at, position)
                row.insert(at, labels_of_note)
                chosen.append(form)
                continue
        too_long += 1
        if too_long > _PASSED_OVER:
            break
    return Taken(chosen, room - left, (places, row))


def with_whole(taken: Taken, notes: Iterable[Note], spans: Sequence[GroupSpan], room: int, pricing: Pricing) -> Taken:
    """Show the best of `notes` whole that were selected in brief, where there is room left for that."""
    places_taken = {note[:2] for note in taken.notes}
    # Stop at the last selected one: `notes` are evaluated lazily.
    again = list(islice((note for note in notes if note[:2] in places_taken), len(places_taken)))
    left = room - taken.tokens
    whole: set[tuple[int, int]] = set()
    for note in again:
        more = note.tokens - note.least_tokens + _AROUND_WHOLE
        if note.place >= pricing.brief_from and note.brief and more <= left:
            left -= more
            whole.add(note[:2])
    widened = fitting_notes(again, spans, room, pricing, whole=whole) if whole else taken
    return widened if len(widened.notes) == len(taken.notes) else taken


def _between(before: Told, told: Told, labels: Mapping[str, int], days: Mapping[str, int]) -> int:
    """Tokens before a note that depend on the previous one: its day, without a year that is shown, and its label."""
    group, day, label = told
    if before[1] == day:
        return labels[label] if before != told else 0
    if not day:
        return labels[label]
    year = before[1][before[1].rfind(" ") :] if before[0] == group else ""
    return labels[label] + days[day.removesuffix(year)]


def fitting_anchors(
    top: TopAnchors,
    before_seq: int,
    room: AnchorsRoom,
    pricing: Pricing,
    *,
    today: date | None = None,
    doubts: Sequence[Doubt] = (),
) -> TakenAnchors:
    """Select anchors of turns before `before_seq`, by rank for their length, while there is room, without repetitions.

    Anchors that `doubts` are about say so. Promises, questions and plans for a day before `today`, the day of the
    newest turn, and statements that held until such a day, are left out.
    """
    anchors: list[Anchor] = []
    told: list[SpokenWords] = []
    spent = pricing.count(ANCHORS_HEADER)
    words: dict[int, set[str]] = {}
    for at in top.order:
        limit = room.most_with_rules if top.rules[at] else room.most
        if at < top.pinned:
            limit = room.most_with_pins
        # A cheap check first: the text alone costs more than is left.
        if top.seqs[at] >= before_seq or spent + top.tokens[at] > limit or not (top.standing[at] or at < top.pinned):
            continue
        anchor = doubted(top[at], doubts) if doubts else top[at]
        price = pricing.anchor(anchor)
        if spent + price > limit:
            continue
        spoken = top.spoken(at)
        if at >= top.pinned and (any(map(spoken.repeats, told)) or _is_stale(anchor, today)):
            continue
        anchors.append(anchor)
        spent += price
        told.append(spoken)
        words.setdefault(anchor.turn_seq, set()).update(spoken.words)
    return TakenAnchors(tuple(sorted(anchors, key=lambda anchor: anchor.position)), spent if anchors else 0, words)


def _is_stale(anchor: Anchor, today: date | None) -> bool:
    """Whether what an anchor promises, asks or plans was for a day that has passed, or held until one that has."""
    said_on = day_of(anchor.day) if anchor.day else None
    return said_on is not None and today is not None and _has_ended(anchor.type, anchor.text, said_on, today)


# Cached: each read checks the same anchors, and parsing times takes a tenth of a read.
@lru_cache(maxsize=4_096)
def _has_ended(kind: AnchorType, text: str, said_on: date, today: date) -> bool:
    if kind not in DONE_OR_ANSWERED:
        time = time_of(text, said_on) if kind is not AnchorType.DECISION else None
        if time is None or not (time.is_plan or time.valid_to):
            return False
    return has_passed(text, said_on, today)


def fitting_names(names: Sequence[str], most_tokens: int, pricing: Pricing) -> tuple[str, ...]:
    """Select the first names that fit into one line of `most_tokens`."""
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
    """Select names of turns that are neither folded nor raw, without those that are shown already."""
    known = "\n".join(shown)
    # Names that are shown may give a path relative to a folder.
    tails = tuple(f"/{name}" for name in shown if "/" in name)
    others = [name for name in names if name not in known and not name.endswith(tails)]
    return fitting_names(others, most_tokens, pricing)
