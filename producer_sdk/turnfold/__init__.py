"""Turnfold: long LLM conversations, folded in the background, read in one call.

Importing this loads neither Celery nor SQLModel: they are imported when they are first needed.
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
