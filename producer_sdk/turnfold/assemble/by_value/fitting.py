"""What fits: the first of a ranking while there is room, each at the price that it has in its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

from turnfold.assemble.by_value.group_spans import GroupSpan
from turnfold.assemble.by_value.past import NO_LABELS, Labels, SaidWhen, Taken, TakenAnchors
from turnfold.assemble.by_value.top_anchors import TopAnchors
from turnfold.assemble.forms.render_text import ANCHORS_HEADER, names_line
from turnfold.assemble.policy import AnchorsRoom
from turnfold.assemble.pricing import Pricing
from turnfold.contract.note_lists import NoteRow, made_note
from turnfold.contract.notes import MARKS, is_parted_free
from turnfold.contract.records import Anchor

_PASSED_OVER: Final = 24
"""Notes or names that are too long for what is left, after which no shorter one is looked for."""


def fitting_notes(
    notes: Iterable[NoteRow],
    spans: Sequence[GroupSpan],
    room: int,
    pricing: Pricing,
    *,
    labels: Labels = NO_LABELS,
) -> Taken:
    """The first notes that fit into `room` tokens, with the labels that they need under the lines of `spans`.

    `labels` stand there already, of notes that were taken before.
    """
    starts = [span.first_seq for span in spans]
    standing = dict(labels)
    taken: list[NoteRow] = []
    left = room
    too_long = 0
    for note in notes:
        seq, _, speaker, _, day, text, price, _, _, _ = note
        place = bisect_right(starts, seq)
        label = (place, day, speaker)
        ended = standing.get(label)
        if ended is None:
            price += pricing.label(speaker)
            if day and (place, day, "") not in standing:
                price += pricing.day(day)
        # Behind a mark the separator costs nothing. One note of a line may be the last one.
        ends_in_mark = text[-1:] in MARKS and is_parted_free(text)
        if ended and ends_in_mark:
            price -= 1
        if price > left:
            too_long += 1
            if too_long > _PASSED_OVER:
                break
            continue
        left -= price
        if ended is None and day:
            standing[place, day, ""] = False
        if not ended:
            standing[label] = ends_in_mark
        taken.append(note)
    return Taken([*map(made_note, taken)], room - left, standing)


def fitting_anchors(
    top: TopAnchors, before_seq: int, room: AnchorsRoom, pricing: Pricing, said_when: SaidWhen
) -> TakenAnchors:
    """Anchors of turns before a number, by rank, while there is room."""
    taken: list[Anchor] = []
    spent = pricing.count(ANCHORS_HEADER)
    words: dict[int, set[str]] = {}
    for at, (seq, tokens) in enumerate(zip(top.seqs, top.tokens, strict=True)):
        most = room.most_with_pins if at < top.pinned else room.most
        # Its words alone cost more than what is left of most of them.
        if seq >= before_seq or spent + tokens > most or not (top.standing[at] or at < top.pinned):
            continue
        speaker, day = said_when.of(seq)
        anchor = top.said_by(at, speaker, day)
        price = pricing.anchor(anchor)
        if spent + price <= most:
            taken.append(anchor)
            spent += price
            words.setdefault(anchor.turn_seq, set()).update(anchor.text.lower().split())
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
