"""`Turnfold`: append turns, read contexts. Safe to share among threads and across forks."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar, overload

from turnfold import subjects, writes
from turnfold.assemble import Context, MemoryTiers, Policy, Query, Section, policy_named, request_of
from turnfold.assemble.scope import Scope
from turnfold.contract.attention import Usage, Work
from turnfold.contract.configuration import configuration, settlement
from turnfold.contract.keys import Address, checked_id
from turnfold.contract.lazy_patterns import compile_lazy_patterns
from turnfold.contract.records import Anchor, AnchorState, AnchorType, Origin, StoredTurn
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
)
from turnfold.contract.segments import Segment
from turnfold.contract.tasks import Operation, Task
from turnfold.contract.wanted_anchors import ANCHORS_A_PAGE
from turnfold.database.change_events import OnChange
from turnfold.database.read_source import PendingSource, ReadSource
from turnfold.errors import InboxFull, InvalidSettings, QuotaExceeded, Unavailable, UnknownAnchor
from turnfold.read import expand as expansion
from turnfold.read import queries as retrieval
from turnfold.read import references
from turnfold.read import search as search_read
from turnfold.read.arguments import (
    Priority,
    check_erased,
    check_search,
    check_timeout,
    listed,
    may_wait,
    read_from,
    settings_from,
    wanted_anchors,
)
from turnfold.read.notes.read import notes as read_notes
from turnfold.read.notes.wanted import NOTES_A_PAGE, WantedNotes, WrittenBy
from turnfold.read.polling import ErasureWait, FoldWait, Wait, until
from turnfold.read.reconstruction import ReconstructionWait
from turnfold.read.relations import MOST_RELATIONS
from turnfold.read.relations import relations as read_relations
from turnfold.read.segment_tiers import tiers as read_tiers
from turnfold.read.stored_pages import (
    CONVERSATIONS_A_PAGE,
    SEGMENTS_A_PAGE,
    TURNS_A_PAGE,
    WORK_A_PAGE,
    ArchiveWait,
    conversations_after,
    segments_after,
    turns_after,
    usage_of,
    work_of,
)
from turnfold.read.timeline import timeline as read_timeline
from turnfold.redis.expansion_counter import UNCOUNTED
from turnfold.redis.inbox import Seen
from turnfold.resources import CellResources, Resources
from turnfold.settings import Settings
from turnfold.telemetry import COUNT, traced
from turnfold.tokens import TokenCount, chosen_counter
from turnfold.tools import RESULT_TOKENS, Lookups, handle
from turnfold.tools.schemas import ToolForm, tool_schemas
from turnfold.wire import turn_edits as turn_changes
from turnfold.wire.encode import Entry, TurnInput, accept, with_turn_id
from turnfold.wire.redaction import Redact, load_redactor, redacted
from turnfold.wire.turn_edits import TurnChange, Words

_Options = ParamSpec("_Options")
_Answer = TypeVar("_Answer")
_NOBODYS: Final = "turnfold.warm_up"
"""A conversation that nobody writes to."""


class Turnfold:
    """A tenant's conversations.

    >>> tf = Turnfold(redis_url="redis://localhost:6379/0", database_url="sqlite:///turnfold.db")  # doctest: +SKIP
    >>> tf.append("conv-1", {"role": "user", "content": "We must use PostgreSQL."})  # doctest: +SKIP
    >>> tf.context("conv-1", budget_tokens=2000).text  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        on_change: OnChange | None = None,
        redact: Redact | None = None,
        **values: Any,
    ) -> None:
        """Take `settings`, or their fields by name (`redis_url`, `tenant` …). Connects to nothing yet.

        `on_change` is called with a `ChangeEvent` when a read finds that workers changed what contexts show of a
        conversation since this client read it before: at the end of that read, in its thread. `redact` is given each
        text of what is appended, edited or configured, and what it returns is all that leaves the process; without it,
        the redactor that `TURNFOLD_REDACTOR` names. Raises `InvalidSettings`.
        """
        if settings is not None and values:
            raise InvalidSettings("give either settings or single values, not both")
        self._settings = settings or settings_from(values, Settings)
        self._cells = CellResources(self._settings, on_change) if self._settings.cells else None
        tenant = self._settings.tenant
        self._resources = self._cells.of(tenant) if self._cells else Resources(self._settings, on_change)
        self._redact = redact or (load_redactor(self._settings.redactor) if self._settings.redactor else None)
        self._tenant = tenant

    @classmethod
    def from_env(cls) -> Self:
        """Read the `TURNFOLD_*` variables."""
        return cls(settings=Settings.from_env())

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Take settings as they are."""
        return cls(settings=settings)

    @property
    def tenant(self) -> str:
        """The tenant whose conversations this client sees."""
        return self._tenant

    def warm_up(self) -> None:
        """Import, open and prepare what a read needs, so that a process's first read is about as fast as its second.

        Reads a conversation that nobody has written to; writes nothing. Raises `Unavailable`, `SchemaMismatch`.
        """
        self.context(_NOBODYS, budget_tokens=1_000, query="warm up")
        # A read of nothing ends before it needs these.
        self._resources.reader().prepare()
        compile_lazy_patterns()

    def for_tenant(self, tenant: str) -> Self:
        """A view on another tenant over the same connections, or those of its cell; costs nothing."""
        view = copy(self)
        view._tenant = checked_id("tenant", tenant)  # noqa: SLF001 - one of our own kind
        if self._cells:
            view._resources = self._cells.of(tenant)  # noqa: SLF001
        return view

    def close(self) -> None:
        """Publish waiting doorbells and counts, and close the connections. Views share them; later calls reopen."""
        (self._cells or self._resources).close()

    def _share_processor(self, threads: int) -> None:
        (self._cells or self._resources).share_processor(threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Writing

    @traced("create_memory", lambda receipt: {COUNT: len(receipt.turn_ids)})
    def append(
        self,
        conversation_id: str,
        turns: TurnInput | Iterable[TurnInput],
        *,
        priority: Priority = "live",
        subject: str | None = None,
        durable: bool = False,
    ) -> Receipt:
        """Append one turn or several, in order. Returns when Redis has them: one round trip for up to 500 or 16 MiB.

        A turn is a `Turn`, a provider's message dict as it is, or a provider client's message object. A repeated
        `turn_id` changes nothing. `priority="backfill"` is for what was said long ago and is brought in now: it is
        stored as it comes, and folded when no fold of live turns, of whatever tenant, is due. `subject` is the id of
        the end user whose turns these are, and replies to them: `forget(subject=…)` finds them by it. A message
        dict may name its own as "subject". `durable=True` returns when a replica of Redis has them too, within two
        fifths of `TURNFOLD_TIMEOUT_SECONDS`: then they outlive the primary, if that replica takes its place.

        Raises `InvalidTurn` or, for more turns than an inbox holds, `InvalidInput` (nothing was appended); `InboxFull`,
        `QuotaExceeded` or `Unavailable`, whose `turns` have their ids: append those again, and nothing is doubled.
        """
        given, waits = listed(turns), may_wait(priority)
        whose = None if subject is None else checked_id("subject", subject)
        max_bytes = self._settings.max_turn_bytes
        entries = [
            accept(turn, max_bytes=max_bytes, may_wait=waits, redact=self._redact, subject=whose) for turn in given
        ]
        try:
            self._put(conversation_id, Operation.APPEND, entries, durable=durable)
        except (InboxFull, QuotaExceeded, Unavailable) as error:
            error.turns = tuple(with_turn_id(turn, entry.entry_id) for turn, entry in zip(given, entries, strict=True))
            raise
        return Receipt(turn_ids=[entry.entry_id for entry in entries])

    def configure(
        self,
        conversation_id: str,
        *,
        goal: str | None = None,
        constraints: Sequence[str] | None = None,
        settings: Mapping[str, float] | None = None,
        title: str | None = None,
        operation_id: str | None = None,
    ) -> None:
        """Say what matters in a conversation; takes effect for the segments that begin after it.

        `settings` are the fold's: `segment_target_turns` (how fine topics are told apart), `segment_max_turns`,
        `segment_max_tokens`, `gap_minutes` … `title` is what people call the conversation, up to 200 characters:
        `conversations` lists it, and nothing else reads it. A repeat with the same `operation_id` changes nothing.
        Raises `InvalidInput`.
        """
        texts = {name: self._redacted(value) for name, value in (("goal", goal), ("title", title))}
        body = configuration(**texts, constraints=self._redacted(constraints), settings=settings)
        id_ = f"configure-{secrets.token_hex(12)}" if operation_id is None else checked_id("operation_id", operation_id)
        self._put(conversation_id, Operation.CONFIGURE, [Entry(id_, body)])

    def resolve_anchor(self, conversation_id: str, anchor: int, *, dismiss: bool = False) -> None:
        """Settle an anchor by hand, by its `id`: it is done with, or, with `dismiss`, it never mattered.

        Contexts leave it out from when a worker has stored this, at its place among the turns; what is said later
        neither answers nor corrects it. Raises `UnknownAnchor`, also for a `provisional` one, `UnknownConversation`,
        `InvalidInput`.
        """
        body = settlement(anchor, dismiss=dismiss)
        address, resources = self._address(conversation_id), self._resources
        if retrieval.anchor(resources.inbox(), resources.reader(), address, anchor) is None:
            msg = f"conversation {conversation_id!r} has no anchor {anchor}"
            raise UnknownAnchor(
                msg, remedy="`anchors(…, states=None)`, or `turnfold anchors CONV --state all`, lists them"
            )
        self._put(conversation_id, Operation.RESOLVE, [Entry(f"resolve-{secrets.token_hex(12)}", body)])

    @traced("update_memory")
    def edit(self, conversation_id: str, turn_id: str, *, content: Words) -> None:
        """Give a turn other words: text, or a provider's content parts. Its role, time, marks and tool calls stay.

        Reads show them at once; what was said before is nowhere any more when a worker has stored this. A parts list
        replaces tool blocks too. Raises `UnknownTurn`, `UnknownConversation`, `InvalidTurn`, and as `append`.
        """
        words, max_bytes = self._redacted(content), self._settings.max_turn_bytes
        self._change(conversation_id, turn_changes.edit(turn_id, words, max_bytes=max_bytes))

    @traced("delete_memory")
    def delete(self, conversation_id: str, turn_id: str) -> None:
        """Remove what a turn says, for good: only its number stays. A repeat changes nothing.

        Raises `UnknownTurn`, `UnknownConversation`, `InvalidInput`, and as `append`.
        """
        self._change(conversation_id, turn_changes.delete(turn_id))

    @traced("delete_memory")
    def rewind(self, conversation_id: str, *, after: str) -> None:
        """Cut off every turn behind the one whose id is `after`, for good: the conversation goes on from there.

        Ids that were cut off may be appended again. What was configured stays. Raises as `delete`.
        """
        self._change(conversation_id, turn_changes.rewind(after))

    @overload
    def forget(self, conversation_id: str, *, timeout_seconds: float = 30.0) -> ErasureReceipt: ...

    @overload
    def forget(self, *, subject: str, timeout_seconds: float = 30.0) -> SubjectReceipt: ...

    def forget(
        self, conversation_id: str | None = None, *, subject: str | None = None, timeout_seconds: float = 30.0
    ) -> ErasureReceipt | SubjectReceipt:
        """Erase a conversation, or an end user, from Redis now, and from SQL as soon as a worker gets to it.

        Nothing of it is readable once this returns. Waits for the rows' deletion; without a worker in time the
        receipt says `completed=False`, and the deletion still happens.

        `subject` erases what was appended under that name, in every conversation of the tenant: the whole conversation
        where no other subject has a turn, else the subject's turns, as `delete` does; what others quote of them stays.
        Its producers should have stopped. After an error the call is repeated: it goes on. Raises `Unavailable`,
        `InboxFull`, `InvalidInput`.
        """
        check_timeout(timeout_seconds)
        check_erased(conversation_id, subject)
        if subject is not None:
            return until(self._begin_subject_erasure(subject), timeout_seconds)
        assert conversation_id is not None  # noqa: S101 - checked above
        return until(self._begin_erasure(conversation_id), timeout_seconds)

    # Reading

    @traced(
        "search_memory",
        lambda context: {
            "turnfold.budget_tokens": context.report.budget_tokens, "turnfold.tokens": context.tokens,
            "turnfold.degraded": context.report.degraded,
        },
    )  # fmt: skip
    def context(  # noqa: PLR0913 - a read's options, all by name
        self,
        conversation_id: str,
        *,
        budget_tokens: int,
        query: Query = None,
        query_vector: Iterable[float] | None = None,
        system: str | Iterable[Section] | None = None,
        flags: Iterable[str] = (),
        task: str | None = None,
        reserve_tokens: int = 0,
        count_tokens: TokenCount | str | None = None,
        policy: str | Policy = "balanced",
        expand: Iterable[str] = (),
        now: datetime | None = None,
        origins: Iterable[Origin | str] | None = None,
        speakers: Iterable[str] | None = None,
        as_of: datetime | None = None,
    ) -> Context:
        """Everything that matters of a conversation, within `budget_tokens`, in one fast read.

        `count_tokens` is your own counter, or the name of a cached tiktoken encoding; without it the built-in
        estimator counts. A conversation that nobody has written to reads as an empty context. `expand` are up to 8
        markers whose words are shown too, within half of the budget: for models without tools. `system` may be a
        list of `Section`s, of which `flags` and the budget choose. `query_vector` is the query's sentence vector by
        the workers' model (`TURNFOLD_EMBEDDING_MODEL`), where they keep vectors: what answers in other words is found.
        `now` is when the query is asked, from which its "last week" counts; without it, the newest turn's time.
        `origins` (user, assistant, tool, outside) and `speakers`, by their names as they are shown, leave out the words
        of all others, in notes, anchors, turns and answers; not with `expand`.
        `as_of` asks what held on a day, to its end in UTC: turns after it are hidden, and what they closed holds.
        Raises `InvalidBudget` naming the least that is needed, `UnknownMarker`, `Unavailable`, `InvalidSettings`.
        """
        request = request_of(
            budget_tokens=budget_tokens, query=query, system=system, flags=flags, task=task,
            reserve_tokens=reserve_tokens, policy=policy_named(policy), counter=chosen_counter(count_tokens),
            expand=expand, query_vector=query_vector, vector_model=self._settings.embedding_model, now=now,
            origins=origins, speakers=speakers, as_of=as_of,
        )  # fmt: skip
        made = self._read(conversation_id, retrieval.context, request, access=self._resources.access())
        return replace(made, keeper=self.reference)

    def reference(self, context: Context) -> str:
        """As `context.reference()`, also for one that came from another process."""
        resources = self._resources
        address = self._address(read_from(context))
        return references.keep(
            resources.references(), resources.inbox(), resources.reader(), address, context,
            seconds=self._settings.reference_seconds,
        )  # fmt: skip

    def resolve(self, reference: str) -> Context:
        """The context that a reference stands for, byte for byte, in whatever process it was made.

        Raises `UnknownReference` when it has ended, was of another tenant or of a conversation that was forgotten.
        """
        return replace(self._resources.references().find(self._tenant, reference), keeper=self.reference)

    def _fold_point(self, conversation_id: str) -> bytes | None:
        """Where the history of its caller was folded the last time, by any process."""
        return self._resources.references().fold_point(self._address(conversation_id))

    def _keep_fold_point(self, conversation_id: str, point: bytes, reference: str) -> None:
        """Keep a fold point for every process, as long as the context of `reference`."""
        self._resources.references().keep_fold_point(
            self._address(conversation_id), point, reference=reference, seconds=self._settings.reference_seconds
        )

    @traced("search_memory", lambda expansion: {"turnfold.level": expansion.level, "turnfold.tokens": expansion.tokens})
    def expand(
        self,
        conversation_id: str,
        marker: str,
        *,
        max_tokens: int | None = None,
        counted: bool = True,
        reconstruct: bool = False,
        timeout_seconds: float = 60.0,
    ) -> Expansion:
        """What a marker of a context stands for, at the level that it names; no model is asked.

        Segments that are expanded often are shown in detail; `counted=False` leaves that as it is: for people who look.
        `reconstruct` is for turns that retention removed: a worker with a model writes a passage from their summary,
        within `timeout_seconds`, labelled as one, and `reconstructed` is True. It is kept for the next time.
        Raises `UnknownMarker`, `UnknownConversation`, `InvalidInput`; with `reconstruct`, `Unavailable`.
        """
        if reconstruct:
            check_timeout(timeout_seconds)
            wait = self._begin_reconstruction(conversation_id, marker, max_tokens=max_tokens)
            return until(wait, timeout_seconds)
        access = self._resources.access() if counted else UNCOUNTED
        return self._read(conversation_id, expansion.expand, marker, max_tokens=max_tokens, access=access)

    @traced("search_memory", lambda hits: {COUNT: len(hits)})
    def search(
        self,
        conversation_id: str,
        query: str,
        *,
        limit: int = 10,
        origins: Iterable[Origin | str] | None = None,
        speakers: Iterable[str] | None = None,
        now: datetime | None = None,
    ) -> list[Hit]:
        """Segments and recent turns about `query`, best first, those in which some speakers or origins say it.

        Its "last week" counts from `now`, or from the newest turn's time. Raises `UnknownConversation`, `InvalidInput`.
        """
        check_search(query, limit, now)
        scope = Scope.checked(origins, speakers)
        return self._read(conversation_id, search_read.search, query, limit=limit, scope=scope, now=now)

    def anchors(  # noqa: PLR0913 - a read's options, all by name
        self,
        conversation_id: str,
        *,
        types: Iterable[AnchorType | str] | None = None,
        states: Iterable[AnchorState | str] | None = ("active",),
        as_of: datetime | None = None,
        first_turn: int = 1,
        last_turn: int | None = None,
        ids: Iterable[int] | None = None,
        limit: int = ANCHORS_A_PAGE,
    ) -> list[Anchor]:
        """Anchors in the order in which they were said; `None` means every type or state.

        A page has whole turns, at most `limit` of the anchors that are asked for unless one turn has more; the next one
        begins at `first_turn=anchors[-1].turn_seq + 1`, and an empty one is behind the end. `ids` are those of anchors.

        `as_of` gives those of turns up to the end of a day, in UTC, in the states that they had then.

        Those of stored turns that no segment holds yet are among them once they are folded, and earlier ones have the
        state that these give them. They are `provisional`: their `id` is good until the next fold, and cannot be given
        to `resolve_anchor`.

        Raises `UnknownConversation`, `InvalidInput` for an unknown type or state.
        """
        wanted = wanted_anchors(
            types=types, states=states, first_turn=first_turn, last_turn=last_turn, ids=ids, limit=limit
        )
        return list(self._read(conversation_id, retrieval.anchors, as_of=as_of, wanted=wanted))

    def notes(  # noqa: PLR0913 - a read's options, all by name
        self,
        conversation_id: str,
        *,
        states: Iterable[AnchorState | str] | None = ("active",),
        origins: Iterable[Origin | str] | None = None,
        speakers: Iterable[str] | None = None,
        min_importance: int = 1,
        first_turn: int = 1,
        last_turn: int | None = None,
        limit: int = NOTES_A_PAGE,
        written_by: WrittenBy | None = None,
    ) -> list[Note]:
        """What closed segments say, note by note in the order of the turns: what contexts are made of.

        The rules' notes, or a model's where it wrote some; `written_by` "rules" or "model" gives all of these.
        `None` means every state, origin or speaker; `min_importance=0` adds what says nothing by itself. A page has
        whole turns, at most `limit` notes unless one turn has more; the next one begins at
        `first_turn=notes[-1].turn_seq + 1`, and an empty one is behind the end.

        Turns of the open tail have no notes: these are written once, when a segment closes, for a later turn may change
        what an earlier one says. `turns` reads the tail, and contexts show it. Raises `UnknownConversation`,
        `InvalidInput`.
        """
        wanted = WantedNotes.checked(
            states=states, origins=origins, speakers=speakers, min_importance=min_importance, first_turn=first_turn,
            last_turn=last_turn, limit=limit, written_by=written_by,
        )  # fmt: skip
        return self._read(conversation_id, read_notes, wanted)

    def turns(self, conversation_id: str, *, after: int = 0, limit: int = TURNS_A_PAGE) -> list[StoredTurn]:
        """At most `limit` turns behind number `after`, whole and in order, those that wait in the inbox last.

        The next page is behind `turns[-1].seq`, and an empty one behind the end. A deleted turn keeps its place,
        without its words. Raises `UnknownConversation`, `InvalidInput`.
        """
        return self._read(conversation_id, turns_after, after=after, limit=limit)

    def segments(
        self, conversation_id: str, *, after: int = 0, limit: int = SEGMENTS_A_PAGE, words: bool = False
    ) -> list[Segment]:
        """At most `limit` closed segments behind number `after`, in order: places, topics, sizes.

        With `words` also the rules' and a model's texts of each level, and what a segment names. The next page is
        behind `segments[-1].number`, and an empty one behind the end. Counts as no look-up. Raises
        `UnknownConversation`, `InvalidInput`.
        """
        return self._read(conversation_id, segments_after, after=after, limit=limit, words=words)

    def jobs(self, conversation_id: str | None = None, *, limit: int = WORK_A_PAGE) -> list[Work]:
        """Work of the tenant, or of one conversation, that is parked, fails or is overdue: ids and kinds of errors.

        `turnfold jobs` decides about it. Raises `InvalidInput`.
        """
        return work_of(self._resources.reader(), self._tenant, conversation_id, limit=limit)

    def usage(self, conversation_id: str | None = None, *, days: int = 30) -> list[Usage]:
        """What models did and cost, by day (UTC) and model: today and the days before it.

        Of the tenant, erased conversations included, or of one conversation. Raises `InvalidInput`.
        """
        return usage_of(self._resources.reader(), self._tenant, conversation_id, days=days)

    def conversations(
        self, *, after: str | None = None, limit: int = CONVERSATIONS_A_PAGE, containing: str | None = None
    ) -> list[ListedConversation]:
        """At most `limit` stored conversations of the tenant by name, behind the one that `after` names.

        `containing` gives those whose name or title holds these words, in whatever case.

        The next page is behind `conversations[-1].conversation_id`, and an empty one behind the end. One whose first
        turns still wait in the inbox is not among them. Raises `InvalidInput`.
        """
        inbox, reader = self._resources.inbox(), self._resources.reader()
        return conversations_after(inbox, reader, self._tenant, after=after, limit=limit, containing=containing)

    def export(self, conversation_id: str, *, timeout_seconds: float = 30.0) -> bytes:
        """The whole conversation as lines of JSON, what it is folded into too: `turnfold import` takes them anywhere.

        As `turnfold export`, which streams, writes them: turns as they are now, nothing of what was erased, and the
        same digest once imported. Waits until a worker has stored what was appended. Raises `UnknownConversation`,
        `Unavailable` when that takes longer.
        """
        check_timeout(timeout_seconds)
        return until(self._begin_export(conversation_id), timeout_seconds)

    def timeline(
        self, conversation_id: str, query: str | None = None, *, after: int | None = None, limit: int = 50,
        now: datetime | None = None,
    ) -> list[TimelineEntry]:  # fmt: skip
        """What came up, in the order of the turns: the first mentions of what `query` is about, or what tells most.

        At most `limit` entries, 200 at most, spread over the whole conversation; with `after`, a page: those of the 500
        best that are behind turn `after`. Pass 0, then the `turn_seq` of the last entry of a page, for the next one; an
        empty page is the last. "Last week" counts from `now`, or from
        the newest turn's time. Turns that are not folded yet are not among them. Raises `UnknownConversation`,
        `InvalidInput`.
        """
        return self._read(conversation_id, read_timeline, query, after=after, limit=limit, now=now)

    def tiers(
        self, conversation_id: str, *, query: str | None = None, rules: MemoryTiers | None = None
    ) -> list[TieredSegment]:
        """Segments in order, each with its importance, the factors that make it, and its tier: hot, warm or cold.

        With a `query` what it is about counts too. `rules` are weights and thresholds, those of `MemoryTiers()` if
        not given. Of a long conversation the newest 256 segments, and older ones that are looked up. Raises
        `UnknownConversation`.
        """
        return self._read(conversation_id, read_tiers, query=query, rules=rules or MemoryTiers())

    def relations(
        self, conversation_id: str, *, about: str | None = None, limit: int = MOST_RELATIONS
    ) -> list[Relation]:
        """Structured facts that closed segments state, in order: `Ana's sister is Zoe`, `max_retries: 5`.

        They are found by rules: few, and right. `about` gives those that say all its words, then those that say a name
        of the former: with "Ana's sister" also what is said of Zoe. Raises `UnknownConversation`, `InvalidInput`.
        """
        return self._read(conversation_id, read_relations, about=about, limit=limit)

    def tools(self, form: ToolForm = "openai") -> list[dict[str, Any]]:
        """`expand`, `search` and `anchors` as a provider's client takes them: `tools=tf.tools("openai")`.

        "openai" is the form of chat completions, "responses" that of OpenAI's Responses, or "anthropic".
        """
        return tool_schemas(form)

    def handle_tool_call(
        self, conversation_id: str, call: object, *, max_tokens: int = RESULT_TOKENS
    ) -> dict[str, Any]:
        """Do what a model asked for with one of `tools`; the message, or Anthropic's content block, to send back.

        `call` is an element of OpenAI's `message.tool_calls`, a `function_call` of its Responses or a `tool_use`
        block of Anthropic's, as an object or a dict. The result costs at most `max_tokens` estimated tokens. Whatever
        is wrong with the model's arguments is told to the model; `InvalidInput` is raised for what is no call, and
        `Unavailable` when Redis or SQL does not answer.
        """
        self._address(conversation_id)
        lookups = Lookups(
            partial(self.expand, conversation_id),
            partial(self.search, conversation_id),
            partial(self.anchors, conversation_id),
        )
        return handle(call, lookups, max_tokens=max_tokens)

    def status(self, conversation_id: str) -> Status:
        """How far the work on a conversation is; zeros for one that nobody has written to."""
        address = self._address(conversation_id)
        return retrieval.status(self._resources.inbox(), self._resources.reader(), address)

    def wait(self, conversation_id: str, *, timeout_seconds: float = 30.0) -> Status:
        """Until everything appended before this call is stored and every closed segment of it folded.

        Later appends do not prolong it. Returns early when more work than before waits for a person, or when nothing
        can be folded before one has looked: `status.parked` and `turnfold jobs` say what.
        Raises `WaitTimeout` with the last status.
        """
        check_timeout(timeout_seconds)
        return until(self._wait(conversation_id), timeout_seconds)

    # Within

    def _redacted(self, value: Any) -> Any:
        return value if self._redact is None else redacted(value, self._redact)

    def _address(self, conversation_id: str) -> Address:
        return Address(self._tenant, checked_id("conversation id", conversation_id))

    def _read(
        self,
        conversation_id: str,
        verb: Callable[Concatenate[PendingSource, ReadSource, Address, _Options], _Answer],
        *arguments: _Options.args,
        **options: _Options.kwargs,
    ) -> _Answer:
        """What a read of one conversation finds."""
        address = self._address(conversation_id)
        return self._resources.read(lambda inbox, reader: verb(inbox, reader, address, *arguments, **options))

    def _change(self, conversation_id: str, change: TurnChange) -> None:
        writes.change(self._resources, self._settings, self._address(conversation_id), change)

    def _put(
        self, conversation_id: str, operation: Operation, entries: Sequence[Entry], *, durable: bool = False
    ) -> None:
        address = self._address(conversation_id)
        writes.put(self._resources, self._settings, address, operation, entries, durable=durable)

    def _wait(self, conversation_id: str) -> Wait[Status]:
        ring = self._resources.ring if self._settings.doorbell else None
        return FoldWait(self._resources.inbox(), self._resources.reader(), self._address(conversation_id), ring)

    def _begin_export(self, conversation_id: str) -> Wait[bytes]:
        return ArchiveWait(self._resources.inbox(), self._resources.reader(), self._address(conversation_id))

    def _begin_reconstruction(self, conversation_id: str, marker: str, *, max_tokens: int | None) -> Wait[Expansion]:
        return ReconstructionWait(
            lambda: self.expand(conversation_id, marker, max_tokens=max_tokens), self._resources.reader(),
            self._resources.ring, self._address(conversation_id), marker, max_tokens,
        )  # fmt: skip

    def _begin_subject_erasure(self, subject: str) -> Wait[SubjectReceipt]:
        return subjects.begin_erasure(
            self._resources, self._settings, self._tenant, checked_id("subject", subject), self._begin_erasure
        )

    def _begin_erasure(self, conversation_id: str, seen: Seen | None = None) -> Wait[ErasureReceipt]:
        address = self._address(conversation_id)
        inbox = self._resources.inbox()
        dropped = inbox.forget(address, seen=seen)
        wait = ErasureWait(inbox, address, inbox_turns=dropped, sqlite=self._settings.uses_sqlite)
        if self._settings.doorbell:
            self._resources.ring(Task.ERASE, self._resources.inbox().shard_of(address))
        return wait
