"""Responses of operations that differ from the SDK's records."""

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
    """Result of a liveness or readiness check."""

    status: Literal["ok"] = "ok"


class TurnDocument(Struct):
    """A turn, verbatim."""

    seq: int
    """Number of the turn, starting at 1."""
    turn_id: str
    role: str
    content: str
    """Its text; images and the like appear as a mark such as `[image]`."""
    name: str | None
    parts: dict[str, Any] | None
    """Parts of the provider's message that are not plain text."""
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
    """A page of turns in order."""

    turns: list[TurnDocument]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null if this page is empty, as it is after the last entry."""


class ConversationPage(Struct):
    """A page of conversations by name."""

    conversations: list[ListedConversation]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null if this page is empty, as it is after the last entry."""


class NotePage(Struct):
    """A page of notes in the order of the turns."""

    notes: list[Note]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null if this page is empty, as it is after the last entry."""


class Hits(Struct):
    """Search results, best first."""

    hits: list[Hit]


class Anchors(Struct):
    """A page of anchors in the order of the turns."""

    anchors: list[Anchor]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null if this page is empty, as it is after the last entry."""


class Timeline(Struct):
    """Entries of the timeline, in order."""

    entries: list[TimelineEntry]
    next_cursor: str | None
    """With a `cursor`: send it for the next page; null if this page is empty, as it is after the last entry."""


class ExpansionDocument(Struct):
    """The text that a marker stands for."""

    text: str
    level: int
    """0: verbatim turns; 1: detailed; 2: brief; 3: tags."""
    first_seq: int
    last_seq: int
    tokens: int
    truncated: bool
    """True if the text was cut; `next_marker` then continues it."""
    next_marker: str | None
    reconstructed: bool
    """True if a model wrote the text in place of turns that retention removed."""
    markers: list[str]
    """Markers in `text` that lead to more detail."""
    parts: list[TurnPart]
    turns: list[TurnDocument]
    """The turns, at level 0."""

    @classmethod
    def of(cls, expansion: Expansion) -> ExpansionDocument:
        return cls(
            text=expansion.text, level=expansion.level, first_seq=expansion.first_seq, last_seq=expansion.last_seq,
            tokens=expansion.tokens, truncated=expansion.truncated, next_marker=expansion.next_marker,
            reconstructed=expansion.reconstructed, markers=list(expansion.markers), parts=list(expansion.parts),
            turns=[TurnDocument.of(turn) for turn in expansion.turns],
        )  # fmt: skip


class ContextDocument(Struct):
    """A context within its token budget."""

    conversation_id: str
    form: Form
    tokens: int
    """Tokens of the largest form, by `counter`; never above the budget."""
    counter: str
    markers: tuple[str, ...]
    """Markers in the context that can be expanded."""
    report: Report
    text: str | UnsetType = UNSET
    """With the forms text and json: the whole context."""
    messages: list[dict[str, Any]] | UnsetType = UNSET
    """With the forms openai and anthropic: messages for a provider's client."""
    system: list[dict[str, Any]] | UnsetType = UNSET
    """With the form anthropic, if there is system text."""
    statements: tuple[Statement, ...] | UnsetType = UNSET
    """With the form json: the statements of the context, one by one."""
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
