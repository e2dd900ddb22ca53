"""Build a context from a snapshot, within a budget. Pure: no input or output, no clock, no randomness, no globals.

`choose` decides by stored counts which texts of levels are needed; the caller fetches them; `finish` makes the
`Context`. In reading order, each module uses only those before it:

lazy_sequence, revision_cache, turns, detail  lazily made records; a cache; turns; how much of an answer is shown
forms                                         rendering: lines, provider messages, markers, and their token costs
policy, sections, pages                       shares of a budget; sections of a system text; turns page by page
request, scope                                a caller's request, and whose words may be shown
importance                                    importance and tiers of segments
pricing                                       token prices of parts before they are joined
material                                      a snapshot prepared for selection
expanded                                      inline expansion of markers
plan                                          the selected parts, before rendering
raw_turn, last_turns, recent                  the newest turns, raw
excerpts, fixed_parts                         verbatim passages for a query; parts that are always shown
hot_segments                                  frequently expanded segments, in more detail
assembly                                      rendered parts with prices; the smallest context
diff                                          statements of a context, and the difference between two
context                                       the result and its forms
by_value                                      the parts of a context, chosen by value per token or by age
report, context_codec                         the report of a context; its serialization
reads                                         the two phases of a read
"""

from turnfold.assemble.context import Context, Coverage, LeftOut, PartReport, Report, Span
from turnfold.assemble.context_codec import pack_context, unpack_context
from turnfold.assemble.forms.clip import clip_text
from turnfold.assemble.forms.form_tokens import messages_tokens, request_tokens
from turnfold.assemble.forms.markers import Marker, NodeTarget, TurnsTarget, format_marker, parse_marker
from turnfold.assemble.pages import Page, TurnPiece, page
from turnfold.assemble.plan import Choice
from turnfold.assemble.policy import BALANCED, RECENCY, TIERED, Band, MemoryTiers, Policy, policy_named
from turnfold.assemble.reads import choose, finish, minimum_tokens
from turnfold.assemble.request import Query, Request, asked_markers, request_of
from turnfold.assemble.sections import Section, SystemText, system_text

__all__ = [
    "choose",
    "finish",
    "minimum_tokens",
    "Query",
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
    "Report",
    "PartReport",
    "LeftOut",
    "Policy",
    "Band",
    "BALANCED",
    "MemoryTiers",
    "RECENCY",
    "TIERED",
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
