"""A context from a snapshot, inside a budget. Pure: no input or output, no clock, no randomness, no globals.

`choose` decides with stored counts which texts of levels are needed; the caller fetches them; `finish` makes the
`Context`. In reading order: request, policy, material (what a snapshot offers), by_value (what is shown by
default), selection and cut (the same by age), assembly (words and prices), context (the result and its forms).
"""

from turnfold.assemble.clip import clip_text
from turnfold.assemble.context import BudgetReport, Context, Coverage, LeftOut, PartReport, Span
from turnfold.assemble.form_tokens import messages_tokens, request_tokens
from turnfold.assemble.markers import Marker, NodeTarget, TurnsTarget, format_marker, parse_marker
from turnfold.assemble.packed import pack_context, unpack_context
from turnfold.assemble.pages import Page, TurnPiece, page
from turnfold.assemble.plan import Choice
from turnfold.assemble.policy import BALANCED, RECENCY, Band, Policy, policy_named
from turnfold.assemble.reads import choose, finish, minimum_tokens
from turnfold.assemble.request import Request, asked_markers, request_of
from turnfold.assemble.sections import Section, SystemText, system_text

__all__ = [
    "choose",
    "finish",
    "minimum_tokens",
    "Request",
    "asked_markers",
    "request_of",
    "Section",
    "SystemText",
    "system_text",
    "Choice",
    "Context",
    "Coverage",
    "Span",
    "BudgetReport",
    "PartReport",
    "LeftOut",
    "Policy",
    "Band",
    "BALANCED",
    "RECENCY",
    "policy_named",
    "Marker",
    "NodeTarget",
    "TurnsTarget",
    "format_marker",
    "parse_marker",
    "pack_context",
    "unpack_context",
    "clip_text",
    "TurnPiece",
    "Page",
    "page",
    "messages_tokens",
    "request_tokens",
]
