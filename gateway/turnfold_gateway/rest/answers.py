"""What operations answer, where it is not a record of the SDK as it is."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, cast

from msgspec import UNSET, Struct, UnsetType

from turnfold import (
    Anchor,
    Context,
    Expansion,
    Hit,
    ListedConversation,
    Note,
    Report,
    Statement,
    TimelineEntry,
    TurnPart,
)
from turnfold.contract.records import StoredTurn

Form = Literal["text", "openai", "anthropic", "json"]


class Health(Struct):
    """Whether the gateway lives, or is ready."""

    status: Literal["ok"] = "ok"


class TurnDocument(Struct):
    """A turn, verbatim."""

    seq: int
    """Its number; 1 is the first."""
    turn_id: str
    role: str
    content: str
    """Its text; of images and the like a mark, as `[image]`."""
    name: str | None
    parts: dict[str, Any] | None
    """What of the provider's message is not plain text."""
    importance: Literal["low", "normal", "medium", "high", "pin"]
    created_at: datetime | None
    metadata: dict[str, Any] | None
    tokens: int
    """Estimated tokens of the content."""
    state: Literal["stored", "deleted", "expired", "parked"]

    @classmethod
    def of(cls, turn: StoredTurn) -> TurnDocument:
        return cls(
            seq=turn.seq, turn_id=turn.turn_id, role=str(turn.role), content=turn.content, name=turn.name,
            parts=cast("dict[str, Any] | None", turn.parts), importance=cast("Any", turn.importance.name.lower()),
            created_at=turn.created_at, metadata=cast("dict[str, Any] | None", turn.metadata), tokens=turn.tokens,
            state=cast("Any", turn.state.name.lower()),
        )  # fmt: skip


class TurnPage(Struct):
    """Turns in order."""

    turns: list[TurnDocument]
    next_cursor: str | None
    """Give it as `cursor` for the next page; null behind the last one."""


class ConversationPage(Struct):
    """Conversations by name."""

    conversations: list[ListedConversation]
    next_cursor: str | None
    """Give it as `cursor` for the next page; null behind the last one."""


class NotePage(Struct):
    """Notes in the order of the turns."""

    notes: list[Note]
    next_cursor: str | None
    """Give it as `cursor` for the next page; null behind the last one."""


class Hits(Struct):
    """What was found, best first."""

    hits: list[Hit]


class Anchors(Struct):
    """Anchors in the order in which they were said."""

    anchors: list[Anchor]
    next_cursor: str | None
    """Give it as `cursor` for the next page; null behind the last one."""


class Timeline(Struct):
    """What came up, in order."""

    entries: list[TimelineEntry]


class ExpansionDocument(Struct):
    """What a marker stands for."""

    text: str
    level: int
    """0: verbatim turns; 1 detailed, 2 brief, 3 tags."""
    first_seq: int
    last_seq: int
    tokens: int
    truncated: bool
    """True when this is not all; `next_marker` then goes on."""
    next_marker: str | None
    reconstructed: bool
    """True when a model wrote this in the place of turns that retention removed."""
    markers: list[str]
    """Markers in `text` that lead to more detail."""
    parts: list[TurnPart]
    turns: list[TurnDocument]
    """At level 0."""

    @classmethod
    def of(cls, expansion: Expansion) -> ExpansionDocument:
        return cls(
            text=expansion.text, level=expansion.level, first_seq=expansion.first_seq, last_seq=expansion.last_seq,
            tokens=expansion.tokens, truncated=expansion.truncated, next_marker=expansion.next_marker,
            reconstructed=expansion.reconstructed, markers=list(expansion.markers), parts=list(expansion.parts),
            turns=[TurnDocument.of(turn) for turn in expansion.turns],
        )  # fmt: skip


class ContextDocument(Struct):
    """A context within its budget."""

    conversation_id: str
    form: Form
    tokens: int
    """The largest of all forms, by `counter`: never above the budget."""
    counter: str
    markers: tuple[str, ...]
    """Markers in it, to be expanded."""
    report: Report
    text: str | UnsetType = UNSET
    """With the forms text and json: the whole context."""
    messages: list[dict[str, Any]] | UnsetType = UNSET
    """With the forms openai and anthropic: what a provider's client takes."""
    system: list[dict[str, Any]] | UnsetType = UNSET
    """With the form anthropic, where there is a system text."""
    statements: tuple[Statement, ...] | UnsetType = UNSET
    """With the form json: what stands in it, one by one."""
    fingerprint: str | UnsetType = UNSET
    """With the form json: equal for the same state and request."""

    @classmethod
    def of(cls, context: Context, form: Form) -> ContextDocument:
        document = cls(
            conversation_id=context.conversation_id, form=form, tokens=context.tokens, counter=context.counter,
            markers=context.markers, report=context.report,
        )  # fmt: skip
        if form in {"text", "json"}:
            document.text = context.text
        if form == "json":
            document.statements, document.fingerprint = context.statements, context.fingerprint
        if form in {"openai", "anthropic"}:
            request = context.request(form)
            document.messages, document.system = request["messages"], request.get("system", UNSET)
        return document
