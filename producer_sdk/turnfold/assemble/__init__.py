"""A context from a snapshot, inside a budget. Pure: no input or output, no clock, no randomness, no globals.

`choose` decides with stored counts which texts of levels are needed; the caller fetches them; `finish` makes the
`Context`. In reading order, each using only those before it:

lazy, memo, turns, detail   records made when they are looked at; what is remembered; turns; how much answers a query
forms        what parts are in words: lines, messages of a provider, markers, and what they cost
policy, sections, pages     how a budget is shared; a system text by sections; turns page by page
request, scope   what a caller asks, and whose words it may show
importance   how important segments are, and their tiers
pricing      what parts cost before they are put together
material     what a snapshot offers
expanded     words of markers that a caller asks for
plan         what was decided, before it is words
raw_turn, last_turns, recent           the newest turns, raw
excerpts, fixed_parts       what was said about the query; what is always shown
often        what is looked up often, in more detail
assembly     words and prices; the smallest context
diff         what it says, and what differs between two
context      the result and its forms
by_value     the parts of a context: what says most for a token, or by age
report, packed              its account; it as bytes
reads        the two phases
"""

from turnfold.assemble.context import Context, Coverage, LeftOut, PartReport, Report, Span
from turnfold.assemble.forms.clip import clip_text
from turnfold.assemble.forms.form_tokens import messages_tokens, request_tokens
from turnfold.assemble.forms.markers import Marker, NodeTarget, TurnsTarget, format_marker, parse_marker
from turnfold.assemble.packed import pack_context, unpack_context
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
