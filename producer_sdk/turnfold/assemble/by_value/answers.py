"""Quote turns that answer a query, where verbatim text is worth its price."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from turnfold.assemble.detail import Answer, Detail, Evidence, detail_of
from turnfold.assemble.excerpts import LONGEST, passage, still_held
from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.render_text import EXCERPTS_HEADER
from turnfold.assemble.material import Material
from turnfold.assemble.pricing import Pricing
from turnfold.contract.notes import Note
from turnfold.contract.records import OPERATORS, StoredTurn, TurnState
from turnfold.contract.results import Excerpt
from turnfold.contract.terms import rarity, terms

TIGHT: Final = 2_000
"""Tokens up to which folded turns are shown in notes only: in a small budget they say more than quotes."""
_OF_TAIL: Final = 0.1
"""Maximum share of the budget for turns that are in no segment yet, and so have no passages that a query finds."""
_ASKED_FOR: Final = 0.4
"""Share of the weight of a query's terms below which a turn of the open tail is no answer."""
_MOST_OF_TAIL: Final = 4
_READ: Final = 4_000
"""Code points of a turn that are searched for terms."""


@dataclass(frozen=True)
class Quoted:
    """Turns quoted verbatim, in order, their cost, and the decision for each segment."""

    shown: tuple[ShownTurn, ...] = ()
    tokens: int = 0
    answers: tuple[Answer, ...] = ()

    @cached_property
    def whole(self) -> frozenset[int]:
        """Turns that are shown whole, whose notes would add nothing."""
        return frozenset(shown_turn.turn.seq for shown_turn in self.shown if shown_turn.marker is None)


NOTHING_QUOTED: Final[Quoted] = Quoted()


class Answers:
    """Turns and notes of folded turns that answer a question. Empty without a question."""

    def __init__(self, material: Material) -> None:
        snapshot = material.snapshot
        is_quotable = bool(material.question and not snapshot.unread)
        self._material = material
        self._stems = material.asked_stems
        self._in_tail: Sequence[Excerpt] = _in_tail(material, self._stems) if is_quotable else ()
        self._in_segments: Sequence[Excerpt] = snapshot.excerpts if is_quotable else ()
        self._hits: dict[int, list[Note]] = {}
        for note in snapshot.hits:
            self._hits.setdefault(note.seq, []).append(note)
        self._passages: dict[tuple[int, int], ShownTurn | None] = {}
        """Passages by excerpt and room, cached: each step of a draft asks for them again."""

    def are_before(self, seq: int) -> bool:
        """True when any answer is in a turn before `seq`."""
        excerpts = (*self._in_tail, *self._in_segments)
        return any(excerpt.turn.seq < seq for excerpt in excerpts) or bool(self.notes(seq))

    def notes(self, before_seq: int) -> list[Note]:
        """Notes of turns before `before_seq`, best first."""
        return [note for note in self._material.snapshot.hits if note.seq < before_seq]

    def quoted(
        self,
        pricing: Pricing,
        *,
        before_seq: int,
        target: int,
        most_tokens: int,
        background: Collection[tuple[int, int]],
    ) -> Quoted:
        """Quote turns before `before_seq`, for a share of `target` and at most `most_tokens`.

        `background` are the notes that are shown anyway.
        """
        share = self._material.request.policy.excerpts_share * max(0.0, 1.0 - TIGHT / max(1, target))
        header = pricing.count(EXCERPTS_HEADER)
        spent = 0
        quotes: list[ShownTurn] = []
        answers: list[Answer] = []
        for excerpts, share_tokens in (
            ([quote for quote in self._in_tail if quote.turn.seq < before_seq][:_MOST_OF_TAIL], int(_OF_TAIL * target)),
            (_best_of_each_segment(self._in_segments, before_seq), int(share * target)),
        ):
            room = min(share_tokens, most_tokens - spent) - (0 if quotes else header)
            for excerpt in excerpts:
                detail = detail_of(self._evidence(excerpt, min(room, LONGEST), background))
                quote = None
                if detail in {Detail.TURNS, Detail.SENTENCES}:
                    quote = self._passage(excerpt, pricing, min(room, LONGEST))
                    quote = quote if quote is not None and pricing.excerpt(quote) <= room else None
                    detail = Detail.NOTES if quote is None else Detail.SENTENCES if quote.marker else Detail.TURNS
                if quote is not None:
                    price = pricing.excerpt(quote)
                    room -= price
                    spent += price
                    quotes.append(quote)
                if quote is None and not self._material.request.query:
                    # A turn that the newest one merely touches on is no answer.
                    continue
                segment = excerpt.node_idx if excerpt.node_idx >= 0 else None
                answers.append(Answer(segment, excerpt.turn.seq, detail))
        in_order = tuple(sorted(quotes, key=lambda quote: quote.turn.seq))
        return Quoted(in_order, spent + header if quotes else 0, tuple(answers))

    def _passage(self, excerpt: Excerpt, pricing: Pricing, room: int) -> ShownTurn | None:
        """Passage of a turn, for `room` tokens, without what no longer holds."""
        key = (id(excerpt), room)
        if key not in self._passages:
            shown_turn = passage(excerpt, pricing, self._stems, most_tokens=room)
            self._passages[key] = None if shown_turn is None else still_held(shown_turn, self._material.overtaken)
        return self._passages[key]

    def _evidence(self, excerpt: Excerpt, room: int, background: Collection[tuple[int, int]]) -> Evidence:
        notes = self._hits.get(excerpt.turn.seq, [])
        tokens = sum([note.tokens for note in notes])
        shown_tokens = sum([note.tokens for note in notes if note[:2] in background])
        return Evidence(
            score=excerpt.score,
            in_background=shown_tokens / tokens if tokens else 0.0,
            kept_by_notes=tokens / max(1, excerpt.turn.tokens),
            turn_tokens=excerpt.turn.tokens,
            room=room,
        )


def _best_of_each_segment(excerpts: Iterable[Excerpt], before_seq: int) -> list[Excerpt]:
    """The best turn of each segment that the query is about."""
    best: dict[int, Excerpt] = {}
    for excerpt in excerpts:
        if excerpt.turn.seq < before_seq:
            best.setdefault(excerpt.node_idx, excerpt)
    return list(best.values())


def _in_tail(material: Material, stems: Sequence[str]) -> list[Excerpt]:
    """Turns whose text is in no segment and that contain much of the query, or reply to a question that does.

    These are the open tail, and recent folded turns whose edits wait in the inbox.
    """
    weight_by_stem = {stem: rarity(stem) for stem in stems}
    weight_by_beginning = [(beginning_of(stem), weight) for stem, weight in weight_by_stem.items()]
    least = _ASKED_FOR * sum(weight_by_stem.values())
    held = material.snapshot.changing
    changing = (
        [turn for turn in material.window if turn.seq in held and turn.seq <= material.closed_seq] if held else []
    )
    turns = [
        turn for turn in (*changing, *material.after(material.closed_seq))
        if turn.state is TurnState.STORED and turn.role not in OPERATORS
    ]  # fmt: skip
    weight_by_seq: dict[int, float] = {}
    weight_of_question = 0.0
    for turn in turns:
        own = 0
        if may_tell(material.of_turn("lowered", turn, lowered_words), weight_by_beginning, least):
            words = material.of_turn("terms", turn, _terms_of)
            own = sum([weight for stem, weight in weight_by_stem.items() if stem in words])
        weight_by_seq[turn.seq] = max(own, weight_of_question)
        # A reply gets half the weight of the question before it, none of whose words it may repeat.
        weight_of_question = own / 2 if turn.content.rstrip().endswith("?") else 0.0
    best = sorted(
        (turn for turn in turns if weight_by_seq[turn.seq]), key=lambda turn: (-weight_by_seq[turn.seq], -turn.seq)
    )
    return [Excerpt(turn=turn, score=1.0, node_idx=-1) for turn in best if weight_by_seq[turn.seq] >= least]


def _terms_of(turn: StoredTurn) -> frozenset[str]:
    return frozenset(terms(turn.content[:_READ]))


def lowered_words(turn: StoredTurn) -> str:
    """Text of a turn that contains its terms as substrings, without their endings; empty where that is not certain."""
    words = turn.content[:_READ]
    return words.lower().replace("_", "-") if words.isascii() else ""


def beginning_of(stem: str) -> str:
    """What each word of a stem contains: stems are prefixes of their words, except for that of 'cities', 'city'."""
    return stem.removesuffix("y")


def may_tell(lowered: str, weight_by_beginning: Iterable[tuple[str, float]], least: float) -> bool:
    """Whether a turn may contain `least` of a query's weight; extracting its terms takes far longer."""
    return not lowered or sum([weight for beginning, weight in weight_by_beginning if beginning in lowered]) >= least
