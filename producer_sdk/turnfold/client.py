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
    newest_id,
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
"""Id of a conversation that is never written to."""


class Turnfold:
    """The client for a tenant's conversations: append turns, read contexts.

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
        """Take `settings`, or their fields by name (`redis_url`, `tenant` …). Opens no connection yet.

        `on_change` is called with a `ChangeEvent` when a read finds that workers have changed what contexts show of a
        conversation since this client last read it: at the end of that read, on its thread. `redact` is called with
        each text that is appended, edited or configured, and only what it returns leaves the process; it defaults to
        the redactor that `TURNFOLD_REDACTOR` names. Raises `InvalidSettings`.
        """
        if settings is not None and values:
            raise InvalidSettings("pass either settings or individual values, not both")
        _check_callable(on_change=on_change, redact=redact)
        self._settings = settings or settings_from(values, Settings)
        self._cells = CellResources(self._settings, on_change) if self._settings.cells else None
        tenant = self._settings.tenant
        self._resources = self._cells.of(tenant) if self._cells else Resources(self._settings, on_change)
        self._redact = redact or (load_redactor(self._settings.redactor) if self._settings.redactor else None)
        self._tenant = tenant

    @classmethod
    def from_env(cls) -> Self:
        """Make a client from the `TURNFOLD_*` environment variables."""
        return cls(settings=Settings.from_env())

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Make a client from settings."""
        return cls(settings=settings)

    @property
    def tenant(self) -> str:
        """The tenant whose conversations this client sees."""
        return self._tenant

    def warm_up(self) -> None:
        """Load modules and open connections now, so that a process's first read is about as fast as its second.

        Reads a conversation that does not exist; writes nothing. Raises `Unavailable`, `SchemaMismatch`.
        """
        self.context(_NOBODYS, budget_tokens=1_000, query="warm up")
        # The read of an empty conversation returns before it needs these.
        self._resources.reader().prepare()
        compile_lazy_patterns()

    def for_tenant(self, tenant: str) -> Self:
        """Return a client for another tenant over the same connections, or those of its cell; costs nothing."""
        view = copy(self)
        view._tenant = checked_id("tenant", tenant)  # noqa: SLF001 - one of our own kind
        if self._cells:
            view._resources = self._cells.of(tenant)  # noqa: SLF001
        return view

    def close(self) -> None:
        """Flush pending doorbells and counts, and close the connections.

        Clients from `for_tenant` share the connections. A later call opens them again.
        """
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
        """Append one or more turns, in order. Returns once Redis has them: one round trip for up to 500 or 16 MiB.

        A turn is a `Turn`, a provider's message dict, or a provider client's message object. A repeated `turn_id`
        changes nothing. `priority="backfill"` is for old history that is imported now: it is stored at once, and
        folded when no live turns of any tenant are due to be folded. `subject` is the id of the end user who wrote the
        turns or whom they answer; `forget(subject=…)` finds them by it. A message dict may have its own "subject" key.
        `durable=True` also waits, up to two fifths of `TURNFOLD_TIMEOUT_SECONDS`, until a replica of Redis has the
        turns: then they survive the primary's loss if that replica is promoted.

        Raises `InvalidTurn` or, for more turns than an inbox can hold, `InvalidInput` (nothing was appended); or
        `InboxFull`, `QuotaExceeded` or `Unavailable`, whose `turns` carry their ids: appending those is idempotent.
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
        """Set a conversation's goal, constraints, fold settings or title, for the segments that begin afterwards.

        `settings` are those of the fold: `segment_target_turns` (how finely topics are split), `segment_max_turns`,
        `segment_max_tokens`, `gap_minutes` … `title`, up to 200 characters, is only shown by `conversations`.
        Repeating a call with the same `operation_id` changes nothing. Raises `InvalidInput`.
        """
        texts = {name: self._redacted(value) for name, value in (("goal", goal), ("title", title))}
        body = configuration(**texts, constraints=self._redacted(constraints), settings=settings)
        id_ = f"configure-{secrets.token_hex(12)}" if operation_id is None else checked_id("operation_id", operation_id)
        self._put(conversation_id, Operation.CONFIGURE, [Entry(id_, body)])

    def resolve_anchor(self, conversation_id: str, anchor: int, *, dismiss: bool = False) -> None:
        """Mark an anchor, by its `id`, as resolved or, with `dismiss`, as never relevant.

        Contexts omit the anchor once a worker has stored the change, in order with the turns; later turns no longer
        answer or correct it. Raises `UnknownAnchor` (also for a `provisional` anchor), `UnknownConversation`,
        `InvalidInput`.
        """
        body = settlement(anchor, dismiss=dismiss)
        address, resources = self._address(conversation_id), self._resources
        if retrieval.anchor(resources.inbox(), resources.reader(), address, anchor) is None:
            msg = f"conversation {conversation_id!r} has no anchor {anchor}"
            raise UnknownAnchor(
                msg, remedy="list its anchors with `anchors(…, states=None)` or `turnfold anchors CONV --state all`"
            )
        self._put(conversation_id, Operation.RESOLVE, [Entry(f"resolve-{secrets.token_hex(12)}", body)])

    @traced("update_memory")
    def edit(self, conversation_id: str, turn_id: str, *, content: Words) -> None:
        """Replace a turn's content with text or a provider's content parts; its role, time and tool calls stay.

        Reads show the new content at once; the old one is gone everywhere once a worker has stored the edit. A list of
        parts replaces tool blocks too. Raises `UnknownTurn`, `UnknownConversation`, `InvalidTurn`, and as `append`.
        """
        words, max_bytes = self._redacted(content), self._settings.max_turn_bytes
        self._change(conversation_id, turn_changes.edit(turn_id, words, max_bytes=max_bytes))

    @traced("delete_memory")
    def delete(self, conversation_id: str, turn_id: str) -> None:
        """Remove a turn's content for good: only its number stays. Idempotent.

        Raises `UnknownTurn`, `UnknownConversation`, `InvalidInput`, and as `append`.
        """
        self._change(conversation_id, turn_changes.delete(turn_id))

    @traced("delete_memory")
    def rewind(self, conversation_id: str, *, after: str) -> None:
        """Remove every turn after the one whose id is `after`, for good: the conversation continues from there.

        Removed ids may be appended again. The configuration stays. Raises as `delete`.
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

        Nothing of it is readable once the call returns. Waits for the rows to be deleted; when no worker does so in
        time, the receipt has `completed=False`, and the rows are deleted later.

        `subject` erases the turns appended under that subject in every conversation of the tenant: the whole
        conversation where no other subject has a turn, otherwise only the subject's turns, as `delete` does; quotes of
        them in other turns stay. Stop the subject's producers first. After an error, call again to continue. Raises
        `Unavailable`, `InboxFull`, `InvalidInput`.
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
        """Return what matters of a conversation within `budget_tokens`, in one fast read.

        `count_tokens` is your own counter or the name of a cached tiktoken encoding; the default is the built-in
        estimator. A conversation without turns reads as an empty context. `expand` takes up to 8 markers to show
        expanded, within half of the budget: for models without tools. `system` may be a list of `Section`s, selected by
        `flags` and the budget. `query_vector` is the query's embedding by the workers' model
        (`TURNFOLD_EMBEDDING_MODEL`), where they store vectors: it also finds answers in other words. `now` is when the
        query is asked, which resolves a "last week" in it; the default is the newest turn's time. `origins` (user,
        assistant, tool, outside) and `speakers` (display names) restrict notes, anchors, turns and answers to theirs.
        `as_of` returns the state at the end of a day (UTC): later turns are hidden, and what they closed is open again.
        None of these three combines with `expand`. Raises `InvalidBudget` with the least budget that works,
        `UnknownMarker`, `Unavailable`, `InvalidSettings`.
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
        """Return a short reference to a context, as `context.reference()` does, also for one from another process."""
        resources = self._resources
        address = self._address(read_from(context))
        return references.keep(
            resources.references(), resources.inbox(), resources.reader(), address, context,
            seconds=self._settings.reference_seconds,
        )  # fmt: skip

    def resolve(self, reference: str) -> Context:
        """Return the context of a reference, byte for byte, made by any process.

        Raises `UnknownReference` when it has expired, or belongs to another tenant or a forgotten conversation.
        """
        return replace(self._resources.references().find(self._tenant, reference), keeper=self.reference)

    def _newest_id(self, conversation_id: str) -> str | None:
        """Return the id of the newest turn; empty for a conversation without turns."""
        return self._read(conversation_id, newest_id)

    def _fold_point(self, conversation_id: str) -> bytes | None:
        """Return where the caller's own history was last folded, by any process."""
        return self._resources.references().fold_point(self._address(conversation_id))

    def _keep_fold_point(self, conversation_id: str, point: bytes, reference: str) -> None:
        """Store a fold point for all processes, for as long as the context of `reference`."""
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
        """Return the content behind a context's marker, at the level that the marker names, without a model call.

        Contexts show segments that are often expanded in more detail; `counted=False` does not count this call, for
        use by people. `reconstruct` is for turns that retention removed: a worker with a model writes a labelled
        passage from their summary, within `timeout_seconds`; the expansion has `reconstructed=True`, and the passage is
        stored for later calls. Raises `UnknownMarker`, `UnknownConversation`, `InvalidInput`; with `reconstruct`,
        `Unavailable`.
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
        """Return segments and recent turns about `query`, best first, from the given speakers or origins only.

        `now`, or the newest turn's time, resolves a "last week" in the query. Raises `UnknownConversation`,
        `InvalidInput`.
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
        """Return a page of anchors in the order of their turns; `None` means every type or state.

        A page does not split a turn: it has at most `limit` anchors, unless a single turn has more. The next page
        begins at `first_turn=anchors[-1].turn_seq + 1`; an empty page is past the end. `ids` selects anchors by id.

        `as_of` returns the anchors of turns up to the end of a day (UTC), in the states that they had then.

        Anchors of folded turns that are in no closed segment yet are included, and so is their effect on the states of
        earlier anchors. They are `provisional`: their `id` is valid until the next fold, and `resolve_anchor` refuses
        it.

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
        """Return the notes of closed segments in the order of their turns: the material of contexts.

        By default each segment has a model's notes where it wrote some, otherwise the rules'; `written_by` "rules" or
        "model" returns all of one kind. `None` means every state, origin or speaker; `min_importance=0` adds notes that
        carry no information by themselves. A page does not split a turn: it has at most `limit` notes, unless a single
        turn has more. The next page begins at `first_turn=notes[-1].turn_seq + 1`; an empty page is past the end.

        Turns of the open tail have no notes: a later turn may change what an earlier one means, so notes are written
        once, when a segment closes. `turns` reads the tail, and contexts show it. Raises `UnknownConversation`,
        `InvalidInput`.
        """
        wanted = WantedNotes.checked(
            states=states, origins=origins, speakers=speakers, min_importance=min_importance, first_turn=first_turn,
            last_turn=last_turn, limit=limit, written_by=written_by,
        )  # fmt: skip
        return self._read(conversation_id, read_notes, wanted)

    def turns(self, conversation_id: str, *, after: int = 0, limit: int = TURNS_A_PAGE) -> list[StoredTurn]:
        """Return up to `limit` whole turns after number `after`, in order; those still in the inbox come last.

        The next page is `after=turns[-1].seq`; an empty page is past the end. A deleted turn keeps its place, without
        its content. Raises `UnknownConversation`, `InvalidInput`.
        """
        return self._read(conversation_id, turns_after, after=after, limit=limit)

    def segments(
        self, conversation_id: str, *, after: int = 0, limit: int = SEGMENTS_A_PAGE, words: bool = False
    ) -> list[Segment]:
        """Return up to `limit` closed segments after number `after`, in order: their turns, topics and sizes.

        `words` adds the rules' and a model's texts of each level, and the names in a segment. The next page is
        `after=segments[-1].number`; an empty page is past the end. Does not count as an expansion. Raises
        `UnknownConversation`, `InvalidInput`.
        """
        return self._read(conversation_id, segments_after, after=after, limit=limit, words=words)

    def jobs(self, conversation_id: str | None = None, *, limit: int = WORK_A_PAGE) -> list[Work]:
        """Return parked, failing or overdue work of the tenant or of one conversation: ids and kinds of errors.

        `turnfold jobs` retries or skips it. Raises `InvalidInput`.
        """
        return work_of(self._resources.reader(), self._tenant, conversation_id, limit=limit)

    def usage(self, conversation_id: str | None = None, *, days: int = 30) -> list[Usage]:
        """Return model calls and their cost by day (UTC) and model, for the last `days` days including today.

        Covers the tenant, erased conversations included, or one conversation. Raises `InvalidInput`.
        """
        return usage_of(self._resources.reader(), self._tenant, conversation_id, days=days)

    def conversations(
        self, *, after: str | None = None, limit: int = CONVERSATIONS_A_PAGE, containing: str | None = None
    ) -> list[ListedConversation]:
        """Return up to `limit` stored conversations of the tenant, sorted by id, after the id `after`.

        `containing` selects those whose id or title contains this text, ignoring case.

        The next page is `after=conversations[-1].conversation_id`; an empty page is past the end. A conversation whose
        first turns are still in the inbox is not listed. Raises `InvalidInput`.
        """
        inbox, reader = self._resources.inbox(), self._resources.reader()
        return conversations_after(inbox, reader, self._tenant, after=after, limit=limit, containing=containing)

    def export(self, conversation_id: str, *, timeout_seconds: float = 30.0) -> bytes:
        """Return the whole conversation as JSON lines, folded data included, for `turnfold import` on any installation.

        The format is that of `turnfold export`, which streams: turns as they are now, nothing that was erased, and the
        same digest once imported. Waits until a worker has stored every appended turn. Raises `UnknownConversation`, or
        `Unavailable` on timeout.
        """
        check_timeout(timeout_seconds)
        return until(self._begin_export(conversation_id), timeout_seconds)

    def timeline(
        self, conversation_id: str, query: str | None = None, *, after: int | None = None, limit: int = 50,
        now: datetime | None = None,
    ) -> list[TimelineEntry]:  # fmt: skip
        """Return first mentions of what `query` is about, or the most informative notes, in the order of the turns.

        Without `after`, the `limit` (up to 200) best entries of the whole conversation. With `after`, a page of the 500
        best: those after turn `after`. Pass 0, then the `turn_seq` of the last entry of each page; an empty page is the
        last. `now`, or the newest turn's time, resolves a "last week" in the query. Turns that are not folded yet are
        not included. Raises `UnknownConversation`, `InvalidInput`.
        """
        return self._read(conversation_id, read_timeline, query, after=after, limit=limit, now=now)

    def tiers(
        self, conversation_id: str, *, query: str | None = None, rules: MemoryTiers | None = None
    ) -> list[TieredSegment]:
        """Return segments in order, each with its importance, the factors of that, and its tier: hot, warm or cold.

        With a `query`, relevance to it counts too. `rules` are the weights and thresholds, by default those of
        `MemoryTiers()`. A long conversation returns its newest 256 segments and older ones that were expanded. Raises
        `UnknownConversation`.
        """
        return self._read(conversation_id, read_tiers, query=query, rules=rules or MemoryTiers())

    def relations(
        self, conversation_id: str, *, about: str | None = None, limit: int = MOST_RELATIONS
    ) -> list[Relation]:
        """Return structured facts that closed segments state, in order: `Ana's sister is Zoe`, `max_retries: 5`.

        Rules find them, with high precision and low recall. `about` returns the relations that contain all its words,
        then those that contain a name from the former: "Ana's sister" also returns facts about Zoe. Raises
        `UnknownConversation`, `InvalidInput`.
        """
        return self._read(conversation_id, read_relations, about=about, limit=limit)

    def tools(self, form: ToolForm = "openai") -> list[dict[str, Any]]:
        """Return the tool definitions of `expand`, `search` and `anchors`: `tools=tf.tools("openai")`.

        "openai" is the form of OpenAI's chat completions, "responses" that of its Responses API, "anthropic" that of
        Anthropic's messages.
        """
        return tool_schemas(form)

    def handle_tool_call(
        self, conversation_id: str, call: object, *, max_tokens: int = RESULT_TOKENS
    ) -> dict[str, Any]:
        """Run a model's call of one of `tools`, and return the message, or Anthropic's content block, to send back.

        `call` is an element of OpenAI's `message.tool_calls`, a `function_call` of its Responses API, or Anthropic's
        `tool_use` block, as an object or a dict. The result costs at most `max_tokens` estimated tokens. Invalid
        arguments are reported to the model in the result. Raises `InvalidInput` when `call` is no tool call, and
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
        """Return how far the work on a conversation is; zeros for a conversation without turns."""
        address = self._address(conversation_id)
        return retrieval.status(self._resources.inbox(), self._resources.reader(), address)

    def wait(self, conversation_id: str, *, timeout_seconds: float = 30.0) -> Status:
        """Wait until every turn appended before this call is stored and folded.

        Later appends do not prolong the wait. Returns early when more work is parked than before, or when parked work
        blocks the fold: see `status.parked` and `turnfold jobs`. Raises `WaitTimeout` with the last status.
        """
        check_timeout(timeout_seconds)
        return until(self._wait(conversation_id), timeout_seconds)

    # Internals

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
        """Run a read of one conversation."""
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


def _check_callable(**functions: object) -> None:
    for name, function in functions.items():
        if function is not None and not callable(function):
            msg = f"{name} must be a function, not {type(function).__name__}"
            raise InvalidSettings(msg, remedy=f"pass a function, or leave {name} out")
