"""Turnfold: long LLM conversations, folded in the background, read in one call.

Importing this loads no Celery, SQLModel, redis-py or asyncio: they are imported when they are first needed.

client, async_client   what a service calls
settings, resources    what it is made with; connections of a process
writes, subjects       entries into an inbox; an end user, forgotten in every conversation

wire            what callers give becomes entries of an inbox, and turns again
redis           what is asked of Redis
read            the reads of a conversation
assemble        a context, inside a budget
search          which passages, notes and segments answer a query
database        what is read of SQL
code_blocks     code, tables and outputs, and which of them a query asks for
dates           the days that words mean
contract        what producers and workers agree on

tools           `expand`, `search` and the like for models
chat_history    histories that callers hold themselves, inside a budget
frameworks      sessions and memories of agent frameworks
testing         the client with a worker in the same process, for tests of services
telemetry       spans of OpenTelemetry
json_logs       a log as an object a line
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
    """Import `AsyncTurnfold` when it is first asked for: asyncio is a sixth of what importing this would take."""
    if name != "AsyncTurnfold":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from turnfold.async_client import AsyncTurnfold

    globals()[name] = AsyncTurnfold
    return AsyncTurnfold
