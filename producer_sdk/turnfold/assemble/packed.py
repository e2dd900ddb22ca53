"""A context as bytes, and back: every form of it, and its account."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from turnfold.assemble.context import BudgetReport, Context, Coverage, LeftOut, PartReport, Span
from turnfold.assemble.detail import Answer, Detail
from turnfold.assemble.forms.chat import ChatBlock, ShownTurn
from turnfold.contract.records import ConversationId, Importance, Role, StoredTurn, TurnState

_VERSION: Final = 3


def pack_context(context: Context) -> bytes:
    """A context as compressed JSON."""
    body = {
        "version": _VERSION,
        "text": context.text,
        "tokens": context.tokens,
        "counter": context.counter,
        "budget": asdict(context.budget),
        "markers": context.markers,
        "coverage": [[one.first_seq, one.last_seq, one.level] for one in context.coverage.spans]
        if context.coverage is not None
        else None,
        "in_detail": [[one.first_seq, one.last_seq, one.level] for one in context.coverage.in_detail]
        if context.coverage is not None
        else [],
        "answers": [[one.segment, one.seq, one.detail] for one in context.coverage.answers]
        if context.coverage is not None
        else [],
        "system": context.system,
        "chat": [{**shown._asdict(), "turn": asdict(shown.turn)} for shown in context.chat.turns],
        "conversation_id": context.conversation_id,
        "stored_as": context.stored_as,
        "request_key": context.request_key,
    }
    # In ASCII: a caller's own texts may hold what UTF-8 cannot.
    return zlib.compress(json.dumps(body, default=_moment, separators=(",", ":")).encode("ascii"))


def unpack_context(packed: bytes) -> Context | None:
    """The context that `pack_context` was given; None for one that another version packed."""
    body = json.loads(zlib.decompress(packed))
    if body.pop("version") != _VERSION:
        return None
    budget = body.pop("budget")
    parts = tuple(PartReport(**part) for part in budget.pop("parts"))
    left_out = tuple(LeftOut(**one) for one in budget.pop("left_out"))
    coverage, in_detail, stored_as = body.pop("coverage"), body.pop("in_detail"), body.pop("stored_as")
    answers = tuple(Answer(segment, seq, Detail(detail)) for segment, seq, detail in body.pop("answers"))
    return Context(
        markers=tuple(body.pop("markers")),
        budget=BudgetReport(**budget, parts=parts, left_out=left_out),
        coverage=None if coverage is None else Coverage(_spans(coverage), _spans(in_detail), answers),
        chat=ChatBlock(tuple(_shown(shown) for shown in body.pop("chat"))),
        stored_as=None if stored_as is None else ConversationId(stored_as),
        **body,
    )


def _spans(packed: Sequence[Sequence[Any]]) -> tuple[Span, ...]:
    return tuple(Span(*span) for span in packed)


def _shown(packed: Mapping[str, Any]) -> ShownTurn:
    turn = dict(packed["turn"])
    created_at = turn.pop("created_at")
    return ShownTurn(**{
        **packed,
        "turn": StoredTurn(
            role=Role(turn.pop("role")),
            importance=Importance(turn.pop("importance")),
            state=TurnState(turn.pop("state")),
            created_at=None if created_at is None else datetime.fromisoformat(created_at),
            **turn,
        ),
    })  # fmt: skip


def _moment(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    msg = f"a context holds a {type(value).__name__}"
    raise TypeError(msg)
