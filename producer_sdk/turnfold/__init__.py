"""Turnfold: long LLM conversations, folded in the background, read in one call.

Importing this loads neither Celery nor SQLModel: they are imported when they are first needed.

client, async_client, client_inputs   what a service calls
settings, resources, waiting   what it is made with; connections of a process; until workers are done

To Redis:

writes          entries into an inbox
edge, projection, turn_changes   turns, edits, deletions and rewinds become entries of an inbox
inbox, inbox_scripts, entries, doorbell   the inbox, its entries as turns again, the message that wakes a worker
refusals        why a Redis that answers does not do it

From Redis and SQL:

retrieval, snapshots   the reads, and what one finds at an instant
pending_changes, shortening   what waits in the inbox; how much of a turn is read
database        what is read of SQL
hits, passage_scores, relevance   which notes, passages and segments answer a query
assemble        a context, inside a budget
expansion, reconstruction, references, access   behind markers; removed words; kept contexts; what is looked up

tools, tool_schemas   the same for models
frameworks      the same for agent frameworks
contract        what producers and workers agree on
tokens, whole_numbers, errors
"""

from turnfold.assemble import BALANCED, RECENCY, Band, Context, Policy, Section
from turnfold.async_client import AsyncTurnfold
from turnfold.client import Turnfold
from turnfold.contract.records import Anchor, AnchorState, AnchorType, Turn
from turnfold.contract.results import ErasureReceipt, Expansion, Hit, Receipt, Status
from turnfold.errors import (
    InboxFull,
    InvalidBudget,
    InvalidIdentifier,
    InvalidInput,
    InvalidSettings,
    InvalidTurn,
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

__all__ = [
    "BALANCED",
    "RECENCY",
    "Anchor",
    "AnchorState",
    "AnchorType",
    "AsyncTurnfold",
    "Band",
    "Context",
    "ErasureReceipt",
    "Expansion",
    "Hit",
    "InboxFull",
    "InvalidBudget",
    "InvalidIdentifier",
    "InvalidInput",
    "InvalidSettings",
    "InvalidTurn",
    "Policy",
    "Receipt",
    "SchemaMismatch",
    "Section",
    "Settings",
    "Status",
    "TOOL_NAMES",
    "Turn",
    "Turnfold",
    "TurnfoldError",
    "Unavailable",
    "UnknownAnchor",
    "UnknownConversation",
    "UnknownMarker",
    "UnknownReference",
    "UnknownTurn",
    "WaitTimeout",
]
