"""One segment with all its data: sizes, importance, levels, notes, anchors, turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from turnfold import Anchor, Note, Segment, TieredSegment, UnknownMarker
from turnfold.contract.records import StoredTurn
from turnfold_gateway.ui.answers import page
from turnfold_gateway.ui.pages.anchors import linked
from turnfold_gateway.ui.pages.conversation import status_of
from turnfold_gateway.ui.reading import conversation_of, number_of, whole
from turnfold_gateway.ui.rendering import render
from turnfold_gateway.ui.sessions import Visitor
from turnfold_gateway.ui.views.bars import nested
from turnfold_gateway.ui.views.segments import tags_of
from turnfold_gateway.ui.views.words import TURN_CHARACTERS, Mark, Run, clipped, runs_with_anchors

TURNS_A_PAGE: Final = 60
NOTES: Final = 400
"""Notes of a segment that are shown, by rules and by a model each."""


class NotesOfTurn(NamedTuple):
    """Notes of a turn by rules and by a model, side by side."""

    seq: int
    of_rules: tuple[Note, ...]
    of_model: tuple[Note, ...]


@page
async def segment(request: Request, visitor: Visitor) -> Response:
    """Show everything about one segment."""
    conversation, named = conversation_of(request), request.path_params["number"]
    status = await status_of(visitor, conversation)
    read = visitor.turnfold
    shown = await _segment(visitor, conversation, named)
    number = shown.number
    first, last = shown.first_seq, shown.last_seq
    within = await read.anchors(conversation, states=None, first_turn=first, last_turn=last)
    begin = max(first, min(number_of(request, "turn", first), last))
    turns = await read.turns(conversation, after=begin - 1, limit=min(TURNS_A_PAGE, last - begin + 1))
    of_rules = await _notes(visitor, conversation, shown, "rules")
    of_model = await _notes(visitor, conversation, shown, "model") if shown.node.refined else []
    tiers = await read.tiers(conversation)
    return render(
        "segment.html", visitor=visitor, title=f"Segment {number} of {conversation}", conversation=conversation,
        status=status, tab="timeline", segment=shown, tags=tags_of(shown), bars=nested(shown.tokens, shown.tokens[0]),
        tier=_tier(tiers, number), anchors=within, by_id=await linked(visitor, conversation, within, within),
        notes=side_by_side(of_rules, of_model), has_model=bool(of_model),
        turns=[_shown_turn(one, within) for one in turns],
        begin=begin, further=turns[-1].seq + 1 if turns and turns[-1].seq < last else None,
    )  # fmt: skip


async def _segment(visitor: Visitor, conversation: str, named: str) -> Segment:
    number = whole(named, 0)
    found = await visitor.turnfold.segments(conversation, after=number - 1, limit=1, words=True) if number else []
    if not found:
        msg = f"conversation {conversation!r} has no segment {named[:40]}: it is not closed yet, or was rewound"
        raise UnknownMarker(msg, remedy="open the conversation to see its segments")
    return found[0]


async def _notes(visitor: Visitor, conversation: str, shown: Segment, writer: Literal["rules", "model"]) -> list[Note]:
    return await visitor.turnfold.notes(
        conversation, states=None, min_importance=0, first_turn=shown.first_seq, last_turn=shown.last_seq, limit=NOTES,
        written_by=writer,
    )  # fmt: skip


def _tier(tiers: Sequence[TieredSegment], number: int) -> TieredSegment | None:
    return next((one for one in tiers if one.node.idx == number - 1), None)


def _shown_turn(turn: StoredTurn, anchors: Sequence[Anchor]) -> tuple[StoredTurn, tuple[Run, ...], int]:
    """Return a turn, its text as runs, and the number of code points left out."""
    cut = clipped(turn.content, TURN_CHARACTERS)
    return turn, runs_with_anchors(cut.text, _marks(anchors, turn.seq)), cut.hidden


def _marks(anchors: Sequence[Anchor], seq: int) -> list[Mark]:
    return [Mark(one.start, one.end, str(one.type), str(one.state)) for one in anchors if one.turn_seq == seq]


def side_by_side(of_rules: Sequence[Note], of_model: Sequence[Note]) -> list[NotesOfTurn]:
    """Group notes by turn, in order."""
    seqs = sorted({note.turn_seq for note in (*of_rules, *of_model)})
    return [
        NotesOfTurn(
            seq,
            tuple(note for note in of_rules if note.turn_seq == seq),
            tuple(note for note in of_model if note.turn_seq == seq),
        )
        for seq in seqs
    ]
