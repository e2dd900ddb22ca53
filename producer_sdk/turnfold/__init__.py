"""Turnfold: long LLM conversations, folded in the background, read in one call.

Importing this loads no Celery, SQLModel, redis-py or asyncio: they are imported when they are first needed.

client, async_client, client_inputs   what a service calls
settings, resources, waiting   what it is made with; connections of a process; until workers are done

To Redis:

writes          entries into an inbox
quotas          how much a tenant may append a day
subjects        an end user forgotten in every conversation
json_values     what callers give as JSON, text by text
redaction       what a caller takes out before anything is stored
edge, projection, turn_changes   turns, edits, deletions and rewinds become entries of an inbox
inbox, inbox_scripts, entries   the inbox, and its entries as turns again
bell, doorbell  what wakes a worker: a ring in Redis, or a message to Celery
refusals        why a Redis that answers does not do it

From Redis and SQL:

retrieval, search_read, snapshots   the reads, and what one finds at an instant
pending_changes, shortening   what waits in the inbox; how much of a turn is read
validity, past_days   what held on a day, and a context of it
database        what is read of SQL
code_blocks     code, tables and outputs, and which of them a query asks for
steering, matter   what a context is about where nothing is asked, and which notes are about the same
answerable      whether anything answers a query
hits, passage_scores, relevance   which notes, passages and segments answer a query
query_times     the days, months and years that a query names
relations       structured facts that segments state, and whom a query means by them
segment_tiers   hot, warm and cold segments, and what a policy makes of them
scope           whose words a read may show
assemble        a context, inside a budget
change_cues     whether a turn may change what was said before
change_events   what workers changed between two reads
notes           the notes of a conversation as callers get them
timeline, first_mentions   what came up, in order
stored_pages    turns and conversations, page by page; a whole conversation as an archive
archives        the lines of such an archive
remnants        where erased words may stand for a while
turn_parts      the parts of long turns, named and shown
expansion, reconstruction, references, access   behind markers; removed words; kept contexts; what is looked up

tools, tool_schemas   the same for models
frameworks      the same for agent frameworks
testing         the client with a worker in the same process, for tests of services
contract        what producers and workers agree on
dates           the days that words mean, in turns and in questions
tokens, whole_numbers, name_sets, errors
"""

from typing import TYPE_CHECKING, Any

from turnfold.assemble import BALANCED, RECENCY, TIERED, Band, Context, MemoryTiers, Policy, Section
from turnfold.assemble.diff import ContextDiff, Statement
from turnfold.change_events import ChangeEvent
from turnfold.client import Turnfold
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
from turnfold.tool_schemas import TOOL_NAMES

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
    "Policy",
    "Receipt",
    "Relation",
    "SchemaMismatch",
    "Section",
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
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from turnfold.async_client import AsyncTurnfold

    globals()[name] = AsyncTurnfold
    return AsyncTurnfold
