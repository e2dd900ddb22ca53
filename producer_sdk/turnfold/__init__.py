"""Turnfold: long LLM conversations, folded in the background, read in one call.

Importing the package loads no Celery, SQLModel, redis-py or asyncio: they are imported on first use.

client, async_client   the client, blocking and for asyncio
settings, resources    configuration; the connections of a process
writes, subjects       append entries to an inbox; erase an end user from every conversation

wire            encode turns as inbox entries, and decode them
redis           inboxes, quotas, doorbells and cached contexts in Redis
read            the reads of a conversation
assemble        build a context within a token budget
search          rank the passages, notes and segments that answer a query
database        read conversations from SQL
code_blocks     find code, tables and outputs, and rank them for a query
dates           parse dates and time expressions
contract        types, keys and formats that producers and workers share

tools           `expand`, `search` and other tools for models
chat_history    fold histories that callers keep themselves
frameworks      sessions and memories for agent frameworks
testing         the client with an in-process worker, for tests of services
telemetry       OpenTelemetry spans
json_logs       logs with one JSON object per line
tokens, errors
"""

from typing import TYPE_CHECKING, Any

from turnfold.assemble import BALANCED, RECENCY, TIERED, Band, Context, MemoryTiers, Policy, Section
from turnfold.assemble.context import Piece, Report
from turnfold.assemble.diff import ContextDiff, Statement
from turnfold.client import Turnfold
from turnfold.contract.attention import Usage, Work, WorkKind, WorkState
from turnfold.contract.records import Anchor, AnchorState, AnchorType, Origin, Turn
from turnfold.contract.results import (
    ErasureReceipt,
    Expansion,
    Hit,
    ListedConversation,
    Note,
    Receipt,
    Relation,
    Status,
    SubjectReceipt,
    TieredSegment,
    TimelineEntry,
    TurnPart,
)
from turnfold.contract.segments import Segment
from turnfold.database.change_events import ChangeEvent
from turnfold.errors import (
    InboxFull,
    InvalidBudget,
    InvalidIdentifier,
    InvalidInput,
    InvalidSettings,
    InvalidTurn,
    QuotaExceeded,
    SchemaMismatch,
    TurnfoldError,
    Unavailable,
    UnknownAnchor,
    UnknownConversation,
    UnknownMarker,
    UnknownReference,
    UnknownTurn,
    WaitTimeout,
)
from turnfold.settings import Settings
from turnfold.tools.schemas import TOOL_NAMES

if TYPE_CHECKING:
    from turnfold.async_client import AsyncTurnfold

__all__ = [
    "BALANCED",
    "RECENCY",
    "Anchor",
    "AnchorState",
    "AnchorType",
    "AsyncTurnfold",
    "Band",
    "ChangeEvent",
    "Context",
    "ContextDiff",
    "ErasureReceipt",
    "Expansion",
    "Hit",
    "InboxFull",
    "InvalidBudget",
    "InvalidIdentifier",
    "InvalidInput",
    "InvalidSettings",
    "InvalidTurn",
    "ListedConversation",
    "MemoryTiers",
    "Note",
    "Origin",
    "Piece",
    "Policy",
    "Receipt",
    "Relation",
    "Report",
    "SchemaMismatch",
    "Section",
    "Segment",
    "Settings",
    "Statement",
    "Status",
    "SubjectReceipt",
    "TIERED",
    "TOOL_NAMES",
    "TieredSegment",
    "TimelineEntry",
    "Turn",
    "TurnPart",
    "Turnfold",
    "Usage",
    "Work",
    "WorkKind",
    "WorkState",
    "TurnfoldError",
    "QuotaExceeded",
    "Unavailable",
    "UnknownAnchor",
    "UnknownConversation",
    "UnknownMarker",
    "UnknownReference",
    "UnknownTurn",
    "WaitTimeout",
]


def __getattr__(name: str) -> Any:
    """Import `AsyncTurnfold` on first access: asyncio would be a sixth of the package's import time."""
    if name != "AsyncTurnfold":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from turnfold.async_client import AsyncTurnfold

    globals()[name] = AsyncTurnfold
    return AsyncTurnfold
