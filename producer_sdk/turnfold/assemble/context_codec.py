"""Serialize a context with all its forms and its report, and restore it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, astuple
from datetime import datetime
from typing import Any, Final

from turnfold.assemble.context import Context, Coverage, LeftOut, PartReport, Report, Span
from turnfold.assemble.detail import Answer, Detail
from turnfold.assemble.diff import Statement
from turnfold.assemble.forms.chat import ChatBlock, ShownTurn
from turnfold.contract.records import ConversationId, Importance, Role, StoredTurn, TurnState

_VERSION: Final = 7


def pack_context(context: Context) -> bytes:
    """Serialize a context as compressed JSON."""
    body = {
        "version": _VERSION,
        "text": context.text,
        "tokens": context.tokens,
        "counter": context.counter,
        "report": asdict(context.report),
        "markers": context.markers,
        "stable_length": context.stable_length,
        "lengths": context.lengths,
        "system": context.system,
        "record": context.record,
        "statements": [astuple(statement) for statement in context.statements],
        "seal": context.chat.seal,
        "chat": [{**shown_turn._asdict(), "turn": asdict(shown_turn.turn)} for shown_turn in context.chat.turns],
        "conversation_id": context.conversation_id,
        "stored_as": context.stored_as,
        "request_key": context.request_key,
    }
    # ASCII, because a caller's own texts may have code points that UTF-8 cannot encode.
    return zlib.compress(json.dumps(body, default=_moment, separators=(",", ":")).encode("ascii"))


def unpack_context(packed: bytes) -> Context | None:
    """Restore a context that `pack_context` packed; None if another version packed it."""
    body = json.loads(zlib.decompress(packed))
    if body.pop("version") != _VERSION:
        return None
    stored_as = body.pop("stored_as")
    statements = tuple(Statement(*values) for values in body.pop("statements"))
    return Context(
        markers=tuple(body.pop("markers")),
        lengths=tuple((part, length) for part, length in body.pop("lengths")),
        report=_report(body.pop("report")),
        chat=ChatBlock(tuple(_shown(row) for row in body.pop("chat")), body.pop("seal")),
        contents=lambda: statements,
        stored_as=None if stored_as is None else ConversationId(stored_as),
        **body,
    )


def _report(packed: dict[str, Any]) -> Report:
    coverage = packed.pop("coverage")
    return Report(
        parts=tuple(PartReport(**part) for part in packed.pop("parts")),
        left_out=tuple(LeftOut(**left_out) for left_out in packed.pop("left_out")),
        coverage=None if coverage is None else _coverage(coverage),
        **packed,
    )


def _coverage(packed: Mapping[str, Any]) -> Coverage:
    return Coverage(
        spans=tuple(Span(**span) for span in packed["spans"]),
        in_detail=tuple(Span(**span) for span in packed["in_detail"]),
        answers=tuple(
            Answer(answer["segment"], answer["seq"], Detail(answer["detail"])) for answer in packed["answers"]
        ),
    )


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
