"""The `Context` that a read returns: text, OpenAI and Anthropic messages, and a report on its contents."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple, cast

from turnfold.assemble.detail import Answer
from turnfold.assemble.diff import ContextDiff, Statement, diff_of
from turnfold.assemble.forms.chat import ChatBlock
from turnfold.assemble.forms.render_anthropic import anthropic_messages, cached_blocks
from turnfold.assemble.forms.render_openai import openai_messages
from turnfold.contract.records import ConversationId, Form
from turnfold.contract.results import Tier
from turnfold.errors import InvalidInput, UnknownTurn

Keeper = Callable[["Context"], str]
"""Keeps a context and returns its reference."""

TIERS: Final[tuple[Tier, ...]] = ("hot", "warm", "cold")

SpanLevel = Literal[0, 1, "notes", "range", "unfolded"]


@dataclass(frozen=True, slots=True)
class Span:
    """Turns `first_seq` to `last_seq`, and how they are shown."""

    first_seq: int
    last_seq: int
    level: SpanLevel
    """0: raw turns; 1: level 1; "notes": selected notes; "range" and "unfolded": only a line with a marker."""

    @property
    def tier(self) -> Tier:
        """Tier of the level: "hot" for raw turns, "warm" for level 1, "cold" for notes or a bare line."""
        return "hot" if self.level == 0 else "warm" if self.level == 1 else "cold"


@dataclass(frozen=True, slots=True)
class Coverage:
    """Spans that together cover every numbered turn exactly once, in order.

    While the inbox has more turns than a read fetches, its turns have no numbers yet and are not covered.
    """

    spans: tuple[Span, ...]
    in_detail: tuple[Span, ...] = ()
    """Segments shown a second time, at level 1, because they are expanded often or are hot."""
    answers: tuple[Answer, ...] = ()
    """With a query: the segments that match it best, and the detail in which each answer is shown."""

    @property
    def first_seq(self) -> int:
        return self.spans[0].first_seq

    @property
    def last_seq(self) -> int:
        return self.spans[-1].last_seq

    def level_of(self, seq: int) -> SpanLevel:
        """The level at which a turn is shown. Raises `UnknownTurn` for a turn that does not exist."""
        for span in self.spans:
            if span.first_seq <= seq <= span.last_seq:
                return span.level
        raise self._unknown(seq)

    def tier_of(self, seq: int) -> Tier:
        """The nearest tier in which a turn is shown. Raises `UnknownTurn` for a turn that does not exist."""
        tiers = {span.tier for span in (*self.spans, *self.in_detail) if span.first_seq <= seq <= span.last_seq}
        for tier in TIERS:
            if tier in tiers:
                return tier
        raise self._unknown(seq)

    def _unknown(self, seq: int) -> UnknownTurn:
        msg = f"turn {seq} is not between {self.first_seq} and {self.last_seq}"
        return UnknownTurn(msg, remedy="give the number of a turn in that range")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartReport:
    """Tokens that one part of the context wanted, was allotted and used, counted in the text form."""

    name: str
    asked: int
    """Tokens of everything that this part could show, within what the read fetched."""
    got: int
    """Tokens allotted by the policy, before unused tokens of other parts are added."""
    used: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Content that is not shown in full, and how to reach it."""

    what: str
    reach: str
    """A marker to expand, or the call to make."""
    tokens: int = 0
    """Approximate cost of showing all of the content; 0 if unknown."""

    @property
    def marker(self) -> str | None:
        """The marker to expand; None where a call has to be made."""
        return self.reach if ":" in self.reach else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Report on a context: how the budget was spent, how each turn is shown, and what was left out."""

    budget_tokens: int
    reserve_tokens: int
    used_tokens: int
    """Tokens of the largest of the three forms."""
    text_tokens: int
    openai_tokens: int
    anthropic_tokens: int
    stable_tokens: int = 0
    """Tokens of the prefix that stays the same until the next fold, which a provider's prompt cache can reuse."""
    parts: tuple[PartReport, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    coverage: Coverage | None = None
    """None: no turn of the conversation has a number yet."""
    degraded: bool = False
    """True if content is missing: Redis did not answer, so turns that no worker has stored are absent; or the
    conversation was idle for `TURNFOLD_KEEP_SEARCH_DAYS`, so its closed segments were not searched, and `left_out` says
    so."""
    is_unknown: bool = False
    """True if the conversation has no data: nothing was ever appended, it was forgotten, or the id is wrong."""
    answerable: float | None = None
    """With a query: estimate from words, 0 to 1, of how likely the passages found answer it. None without a query,
    before the first fold, and for a query that only names a time."""


class Piece(NamedTuple):
    """A stretch of a context's text."""

    part: str
    """The name of the part, as in `report.parts`: `anchors`, `background`, `recent` …"""
    text: str


@dataclass(frozen=True, kw_only=True)
class Context:
    """A conversation rendered within a budget. A value: equal state and request give equal bytes."""

    text: str
    """The whole context as one string."""
    tokens: int
    """Tokens of the largest of the three forms, counted by `counter`; never above the budget."""
    counter: str
    report: Report
    markers: tuple[str, ...] = ()
    """The expansion markers that Turnfold wrote into the context, in order; pass them to `expand`."""
    system: str = ""
    """The operator's words: system text and task, the system message of the OpenAI and Anthropic forms."""
    record: str = ""
    """The part about everything before the recent turns, in a sealed frame; a user message in both message forms."""
    stable_length: int = field(default=0, repr=False)
    """Code points of the prefix of `system` and `record` that stays the same while turns are appended."""
    contents: Callable[[], tuple[Statement, ...]] = field(default=tuple, repr=False, compare=False)
    """Makes `statements` on first use; most reads do not need them."""
    lengths: tuple[tuple[str, int], ...] = field(default=(), repr=False)
    """Part name and length in code points of each stretch of `text`. See `pieces`."""
    chat: ChatBlock = field(default_factory=ChatBlock, repr=False)
    """The recent turns, from which the message forms are rendered."""
    request_key: str = field(default="", repr=False)
    conversation_id: str = ""
    stored_as: ConversationId | None = field(default=None, repr=False, compare=False)
    """Row id of the conversation, to tell it from a later conversation with the same external id."""
    keeper: Keeper | None = field(default=None, repr=False, compare=False)

    @property
    def budget(self) -> Report:
        """Alias of `report`."""
        return self.report

    @property
    def coverage(self) -> Coverage | None:
        """Spans of turns with their levels; None if no turn of the conversation has a number yet."""
        return self.report.coverage

    @property
    def stable_tokens(self) -> int:
        """Tokens of the prefix that stays the same until the next fold."""
        return self.report.stable_tokens

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """`text` split where another part of `report.parts` begins; joined, the pieces are `text`."""
        begins, cut = 0, []
        for part, length in self.lengths:
            cut.append(Piece(part, self.text[begins : begins + length]))
            begins += length
        return tuple(cut)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Anchors, notes and raw turns of the context, in order."""
        return self.contents()

    def diff(self, earlier: Context) -> ContextDiff:
        """Statements removed and added since an earlier context of the same conversation, the most binding kinds first.

        Raises `InvalidInput` for a context of another conversation, and of one that was forgotten in between.
        """
        if not isinstance(cast("object", earlier), Context):
            msg = f"earlier must be a Context, not {type(earlier).__name__}"
            raise InvalidInput(msg)
        if earlier.conversation_id != self.conversation_id:
            msg = (
                f"earlier belongs to conversation {earlier.conversation_id!r}, this context to {self.conversation_id!r}"
            )
            raise InvalidInput(msg)
        if None not in {earlier.stored_as, self.stored_as} and earlier.stored_as != self.stored_as:
            msg = (
                f"conversation {self.conversation_id!r} was forgotten between the two contexts: they cannot be compared"
            )
            raise InvalidInput(msg)
        return diff_of(earlier.statements, self.statements)

    def messages(self, form: Form = "openai") -> list[dict[str, Any]]:
        """Render the context as messages, new at each call. Anthropic's leave out the system text: see `request`."""
        if form == "openai":
            return openai_messages(self.system, self.record, self.chat)
        if form == "anthropic":
            return anthropic_messages(self.record, self.chat, stable_length=self._stable_record)
        msg = f"unknown message form {form!r}"
        raise InvalidInput(msg, remedy="use 'openai' or 'anthropic', or read .text")

    def request(self, form: Form = "openai") -> dict[str, Any]:
        """Arguments for a provider's client call: `{"messages"}`, or `{"system", "messages"}` for Anthropic.

        Anthropic's form has a prompt cache mark at the end of the stable prefix.
        """
        if form == "anthropic" and self.system:
            marked = 0 if self._stable_record else len(self.system)
            return {"system": cached_blocks(self.system, marked), "messages": self.messages(form)}
        return {"messages": self.messages(form)}

    @property
    def _stable_record(self) -> int:
        """Length of the record's stable prefix, in code points."""
        return max(0, self.stable_length - len(self.system))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the request and of all forms, 32 hexadecimal digits."""
        digest = blake2b(self.request_key.encode(), digest_size=16)
        digest.update(self.text.encode("utf-8", "surrogatepass"))
        digest.update(_canonical(self.messages("openai")))
        digest.update(_canonical(self.messages("anthropic")))
        return digest.hexdigest()

    def reference(self) -> str:
        """Keep this context in Redis and return a short id of it, `ctx_…`, for `Turnfold.resolve` in any process.

        Equal contexts have the same reference. It expires `TURNFOLD_REFERENCE_SECONDS` after the last call, and with
        its conversation. In a coroutine call `AsyncTurnfold.reference(context)` instead: this method blocks. Raises
        `UnknownConversation` when the conversation was forgotten meanwhile, `Unavailable`.
        """
        if self.keeper is None:
            msg = "this context is not attached to a client that can keep it"
            raise InvalidInput(msg, remedy="call Turnfold.reference(context)")
        return self.keeper(self)

    def __getstate__(self) -> dict[str, Any]:
        # A client's connections cannot go to another process.
        return {**self.__dict__, "keeper": None, "contents": partial(_same, self.statements)}

    def __str__(self) -> str:
        return self.text


def _same(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    return statements


def _canonical(messages: list[dict[str, Any]] | Mapping[str, Any]) -> bytes:
    return json.dumps(messages, sort_keys=True, default=str).encode()
