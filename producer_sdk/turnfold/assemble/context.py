"""`Context`: what a read returns, in three forms, with an account of what is in it."""

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
    """0 for raw turns, 1 in detail, "notes" for the best notes; "range" and "unfolded": a line alone."""

    @property
    def tier(self) -> Tier:
        """How near the turns are: "hot" word for word, "warm" in detail, "cold" in notes or a line."""
        return "hot" if self.level == 0 else "warm" if self.level == 1 else "cold"


@dataclass(frozen=True, slots=True)
class Coverage:
    """Every turn of the conversation, each under exactly one span, in order.

    While more turns wait to be stored than a read looks at, they have no numbers yet and are not among them.
    """

    spans: tuple[Span, ...]
    in_detail: tuple[Span, ...] = ()
    """Spans that are shown once more, at level 1, because they are looked up often."""
    answers: tuple[Answer, ...] = ()
    """With a query: the segments that it is about most, and as what their answers are shown."""

    @property
    def first_seq(self) -> int:
        return self.spans[0].first_seq

    @property
    def last_seq(self) -> int:
        return self.spans[-1].last_seq

    def level_of(self, seq: int) -> SpanLevel:
        """The level at which a turn is shown. Raises `UnknownTurn` for one that does not exist."""
        for span in self.spans:
            if span.first_seq <= seq <= span.last_seq:
                return span.level
        raise self._unknown(seq)

    def tier_of(self, seq: int) -> Tier:
        """The nearest tier in which a turn is shown. Raises `UnknownTurn` for one that does not exist."""
        tiers = {span.tier for span in (*self.spans, *self.in_detail) if span.first_seq <= seq <= span.last_seq}
        for tier in TIERS:
            if tier in tiers:
                return tier
        raise self._unknown(seq)

    def _unknown(self, seq: int) -> UnknownTurn:
        msg = f"turn {seq} is not between {self.first_seq} and {self.last_seq}"
        return UnknownTurn(msg, remedy="ask for a turn of the conversation by its number")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartReport:
    """What one part of the context asked for, might use, and used, in tokens of the text form."""

    name: str
    asked: int
    """Everything there was to show of this part, as far as the read saw it."""
    got: int
    """Its share of the budget, before what other parts left over."""
    used: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that is not shown in full, and how to reach it."""

    what: str
    reach: str
    """A marker to expand, or the call to make."""
    tokens: int = 0
    """About what showing all of it would cost; 0 where that is not known."""

    @property
    def marker(self) -> str | None:
        """The marker to expand; None where a call has to be made."""
        return self.reach if ":" in self.reach else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The account of a context: where the budget went, what stands where, what was left out."""

    budget_tokens: int
    reserve_tokens: int
    used_tokens: int
    """The largest of the three forms."""
    text_tokens: int
    openai_tokens: int
    anthropic_tokens: int
    stable_tokens: int = 0
    """Of the beginning that stays the same while turns are appended, until a fold: what a provider's cache may hold."""
    parts: tuple[PartReport, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    coverage: Coverage | None = None
    """None: no turn of the conversation has a number yet."""
    degraded: bool = False
    """Something is missing. Redis did not answer: turns that no worker has stored yet. Or the conversation was idle for
    `TURNFOLD_KEEP_SEARCH_DAYS`: its closed segments were not searched, and `left_out` says so."""
    is_unknown: bool = False
    """Nothing of the conversation is there: nobody has written to it, or it was forgotten. Is its id right?"""
    answerable: float | None = None
    """With a query: how likely what was found answers it, 0 to 1, by words; None without one, before anything is
    folded, and for one that only names a time."""


class Piece(NamedTuple):
    """A stretch of a context's text."""

    part: str
    """The name of the part, as in `report.parts`: `anchors`, `background`, `recent` …"""
    text: str


@dataclass(frozen=True, kw_only=True)
class Context:
    """A conversation within a budget. A value: the same state and request give the same bytes."""

    text: str
    """The whole context as one string."""
    tokens: int
    """The largest of the three forms, counted by `counter`; never above the budget."""
    counter: str
    report: Report
    markers: tuple[str, ...] = ()
    """The expansion markers that we wrote into the context, in order; give them to `expand`."""
    system: str = ""
    """What an operator says: the system text and the task, the system message of the OpenAI and Anthropic forms."""
    record: str = ""
    """What is told of the conversation before its recent turns, in a frame: in the forms a message of the user's."""
    stable_length: int = field(default=0, repr=False)
    """Code points of `system` and `record` that stay the same while turns are appended."""
    contents: Callable[[], tuple[Statement, ...]] = field(default=tuple, repr=False, compare=False)
    """Makes `statements`, which most reads need not."""
    lengths: tuple[tuple[str, int], ...] = field(default=(), repr=False)
    """Of the text: the part that each stretch of it belongs to, and how many code points that has. See `pieces`."""
    chat: ChatBlock = field(default_factory=ChatBlock, repr=False)
    """The recent turns, from which the forms are made."""
    request_key: str = field(default="", repr=False)
    conversation_id: str = ""
    stored_as: ConversationId | None = field(default=None, repr=False, compare=False)
    """The rows that it was read from, so that it is never mistaken for one of a later conversation of the same id."""
    keeper: Keeper | None = field(default=None, repr=False, compare=False)

    @property
    def budget(self) -> Report:
        """The same as `report`."""
        return self.report

    @property
    def coverage(self) -> Coverage | None:
        """Which turns stand where; None: no turn of the conversation has a number yet."""
        return self.report.coverage

    @property
    def stable_tokens(self) -> int:
        """Tokens of the beginning that stays the same while turns are appended, until a fold."""
        return self.report.stable_tokens

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The text cut where another part of `report.parts` begins; joined, they are the text."""
        begins, cut = 0, []
        for part, length in self.lengths:
            cut.append(Piece(part, self.text[begins : begins + length]))
            begins += length
        return tuple(cut)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """What stands in it: standing facts, notes and raw turns, in order."""
        return self.contents()

    def diff(self, earlier: Context) -> ContextDiff:
        """What left and what came since an earlier context of the same conversation, what must be kept first.

        Raises `InvalidInput` for a context of another conversation, also of one that was forgotten since.
        """
        if not isinstance(cast("object", earlier), Context):
            msg = f"earlier must be a Context, not {type(earlier).__name__}"
            raise InvalidInput(msg)
        if earlier.conversation_id != self.conversation_id:
            msg = f"earlier is of conversation {earlier.conversation_id!r}, this is of {self.conversation_id!r}"
            raise InvalidInput(msg)
        if None not in {earlier.stored_as, self.stored_as} and earlier.stored_as != self.stored_as:
            msg = f"conversation {self.conversation_id!r} was forgotten between the two contexts: nothing links them"
            raise InvalidInput(msg)
        return diff_of(earlier.statements, self.statements)

    def messages(self, form: Form = "openai") -> list[dict[str, Any]]:
        """The context as messages, fresh ones at each call. Anthropic's leave out the system text: see `request`."""
        if form == "openai":
            return openai_messages(self.system, self.record, self.chat)
        if form == "anthropic":
            return anthropic_messages(self.record, self.chat, stable_length=self._stable_record)
        msg = f"there are no messages of the form {form!r}"
        raise InvalidInput(msg, remedy="ask for 'openai' or 'anthropic', or use .text")

    def request(self, form: Form = "openai") -> dict[str, Any]:
        """What a provider's client call takes: `{"messages"}`, or `{"system", "messages"}` for Anthropic.

        Anthropic's form is marked for its prompt cache where the beginning ends that stays the same.
        """
        if form == "anthropic" and self.system:
            marked = 0 if self._stable_record else len(self.system)
            return {"system": cached_blocks(self.system, marked), "messages": self.messages(form)}
        return {"messages": self.messages(form)}

    @property
    def _stable_record(self) -> int:
        """Code points of the record that stay the same."""
        return max(0, self.stable_length - len(self.system))

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits: equal for equal bytes in all forms and an equal request."""
        digest = blake2b(self.request_key.encode(), digest_size=16)
        digest.update(self.text.encode("utf-8", "surrogatepass"))
        digest.update(_canonical(self.messages("openai")))
        digest.update(_canonical(self.messages("anthropic")))
        return digest.hexdigest()

    def reference(self) -> str:
        """Keep this context in Redis and return a short id of it, `ctx_…`, for `Turnfold.resolve` in any process.

        The same context has the same reference. It ends after `TURNFOLD_REFERENCE_SECONDS`, counted from the last call,
        and with its conversation. In a coroutine call `AsyncTurnfold.reference(context)` instead: this one blocks.
        Raises `UnknownConversation` when the conversation was forgotten meanwhile, `Unavailable`.
        """
        if self.keeper is None:
            msg = "this context has no client to keep it"
            raise InvalidInput(msg, remedy="give it to Turnfold.reference(context)")
        return self.keeper(self)

    def __getstate__(self) -> dict[str, Any]:
        # A client's connections do not go to other processes.
        return {**self.__dict__, "keeper": None, "contents": partial(_same, self.statements)}

    def __str__(self) -> str:
        return self.text


def _same(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    return statements


def _canonical(messages: list[dict[str, Any]] | Mapping[str, Any]) -> bytes:
    return json.dumps(messages, sort_keys=True, default=str).encode()
