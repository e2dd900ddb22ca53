"""The pipeline in one process, without Redis or Celery: same rows, same contexts, byte for byte.

>>> from turnfold_worker.offline import fold
>>> conversation = fold([{"role": "user", "content": "We must use PostgreSQL 16."}])
>>> print(conversation.context(budget_tokens=200).text)
[recent turns]
user: We must use PostgreSQL 16.
<BLANKLINE>
"""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import Any, Final, Self

from sqlalchemy import Engine

from turnfold.assemble import Context, MemoryTiers, Policy, Query, Section, policy_named, request_of
from turnfold.assemble.scope import Scope
from turnfold.contract.configuration import configuration
from turnfold.contract.keys import Address, checked_id
from turnfold.contract.records import Anchor, AnchorState, AnchorType, ConversationId, Origin
from turnfold.contract.results import Expansion, Hit, Note, Relation, Status, TieredSegment, TimelineEntry
from turnfold.contract.segments import OfNode
from turnfold.contract.tasks import Operation
from turnfold.contract.wanted_anchors import ANCHORS_A_PAGE
from turnfold.database.reader import Reader
from turnfold.read import expand as expansion
from turnfold.read import queries as retrieval
from turnfold.read import search as search_read
from turnfold.read.arguments import check_search, listed, wanted_anchors
from turnfold.read.notes.read import notes as read_notes
from turnfold.read.notes.wanted import NOTES_A_PAGE, WantedNotes, WrittenBy
from turnfold.read.relations import MOST_RELATIONS
from turnfold.read.relations import relations as read_relations
from turnfold.read.segment_tiers import tiers as read_tiers
from turnfold.read.snapshot import NO_INBOX
from turnfold.read.timeline import timeline as read_timeline
from turnfold.tokens import TokenCount, chosen_counter
from turnfold.tools import RESULT_TOKENS, Lookups, handle
from turnfold.tools.schemas import ToolForm, tool_schemas
from turnfold.wire.encode import TurnInput, accept
from turnfold.wire.inbox_entry import InboxEntry
from turnfold_worker.adapters.sql.memory_database import memory_database
from turnfold_worker.operate import conversation_tree as trees
from turnfold_worker.operate.digest import digest
from turnfold_worker.ports.messages import Received
from turnfold_worker.ports.storage import SentenceEmbedder
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.use_cases.drain import receive
from turnfold_worker.use_cases.fold import CompressLimits, compress
from turnfold_worker.wiring import sentence_embedder, sql_store

TENANT: Final = "default"
TURNS_AT_ONCE: Final = 500
MAX_TURN_BYTES: Final = 16 * 1_048_576


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedSegment(OfNode):
    """A segment or chapter with the text of its levels."""

    levels: dict[int, str]
    """Texts of levels 1 to 3."""

    @property
    def height(self) -> int:
        """0 for a segment, 1 or more for a chapter."""
        return self.node.height

    @property
    def slug(self) -> str:
        """The slug that markers show."""
        return self.node.slug


class FoldedConversation:
    """A conversation in memory, with the reads of the SDK. Closing or dropping it frees the memory."""

    def __init__(
        self, engine: Engine, address: Address, conversation: ConversationId, embedder: SentenceEmbedder | None = None
    ) -> None:
        self._engine = engine
        self._reader = Reader(engine)
        self._address = address
        self._conversation = conversation
        self._embedder = embedder
        self._free = weakref.finalize(self, engine.dispose)

    def context(  # noqa: PLR0913 - a read's options, all by name
        self,
        *,
        budget_tokens: int,
        query: Query = None,
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
        """As `Turnfold.context`; for a conversation folded with `semantic`, embeds the query too."""
        request = request_of(
            budget_tokens=budget_tokens, query=query, system=system, flags=flags, task=task,
            reserve_tokens=reserve_tokens, policy=policy_named(policy), counter=chosen_counter(count_tokens),
            expand=expand, now=now, origins=origins, speakers=speakers, as_of=as_of,
        )  # fmt: skip
        if self._embedder is not None and query:
            vector = self._embedder.embed([query])[0]
            request = replace(request, query_vector=vector, vector_model=self._embedder.model)
        return retrieval.context(NO_INBOX, self._reader, self._address, request)

    def expand(self, marker: str, *, max_tokens: int | None = None) -> Expansion:
        """As `Turnfold.expand`."""
        return expansion.expand(NO_INBOX, self._reader, self._address, marker, max_tokens=max_tokens)

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        origins: Iterable[Origin | str] | None = None,
        speakers: Iterable[str] | None = None,
        now: datetime | None = None,
    ) -> list[Hit]:
        """As `Turnfold.search`."""
        check_search(query, limit, now)
        scope = Scope.checked(origins, speakers)
        return search_read.search(NO_INBOX, self._reader, self._address, query, limit=limit, scope=scope, now=now)

    def timeline(
        self, query: str | None = None, *, after: int | None = None, limit: int = 50, now: datetime | None = None
    ) -> list[TimelineEntry]:
        """As `Turnfold.timeline`."""
        return read_timeline(NO_INBOX, self._reader, self._address, query, after=after, limit=limit, now=now)

    def anchors(
        self,
        *,
        types: Iterable[AnchorType | str] | None = None,
        states: Iterable[AnchorState | str] | None = ("active",),
        as_of: datetime | None = None,
        first_turn: int = 1,
        last_turn: int | None = None,
        ids: Iterable[int] | None = None,
        limit: int = ANCHORS_A_PAGE,
    ) -> list[Anchor]:
        """As `Turnfold.anchors`."""
        wanted = wanted_anchors(
            types=types, states=states, first_turn=first_turn, last_turn=last_turn, ids=ids, limit=limit
        )
        return [*retrieval.anchors(NO_INBOX, self._reader, self._address, as_of=as_of, wanted=wanted)]

    def notes(  # noqa: PLR0913 - a read's options, all by name
        self,
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
        """As `Turnfold.notes`."""
        wanted = WantedNotes.checked(
            states=states, origins=origins, speakers=speakers, min_importance=min_importance, first_turn=first_turn,
            last_turn=last_turn, limit=limit, written_by=written_by,
        )  # fmt: skip
        return read_notes(NO_INBOX, self._reader, self._address, wanted)

    def tiers(self, *, query: str | None = None, rules: MemoryTiers | None = None) -> list[TieredSegment]:
        """As `Turnfold.tiers`."""
        return read_tiers(NO_INBOX, self._reader, self._address, query=query, rules=rules or MemoryTiers())

    def relations(self, *, about: str | None = None, limit: int = MOST_RELATIONS) -> list[Relation]:
        """As `Turnfold.relations`."""
        return read_relations(NO_INBOX, self._reader, self._address, about=about, limit=limit)

    def tools(self, form: ToolForm = "openai") -> list[dict[str, Any]]:
        """As `Turnfold.tools`."""
        return tool_schemas(form)

    def handle_tool_call(self, call: object, *, max_tokens: int = RESULT_TOKENS) -> dict[str, Any]:
        """As `Turnfold.handle_tool_call`."""
        return handle(call, Lookups(self.expand, self.search, self.anchors), max_tokens=max_tokens)

    def status(self) -> Status:
        """As `Turnfold.status`."""
        return retrieval.status(NO_INBOX, self._reader, self._address)

    def digest(self) -> str:
        """Hash the canonical state: equal to `turnfold digest` of a distributed run over the same turns."""
        return digest(self._engine, self._address.tenant, self._address.conversation)

    @property
    def segments(self) -> list[FoldedSegment]:
        """Segments, then chapters, each with its levels."""
        return [
            FoldedSegment(node=node, levels=levels)
            for node, levels in self._reader.read(lambda look: trees.tree(look, self._address))
        ]

    def close(self) -> None:
        """Free the memory."""
        self._free()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def fold(  # noqa: PLR0913 - what `configure` takes, all by name
    turns: TurnInput | Iterable[TurnInput],
    *,
    conversation_id: str = "offline",
    goal: str | None = None,
    constraints: list[str] | None = None,
    settings: dict[str, float] | None = None,
    title: str | None = None,
    semantic: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> FoldedConversation:
    """Fold turns in this process. Raises `InvalidTurn`, which says what is wrong with a turn.

    `goal`, `constraints`, `settings` and `title` are as in `Turnfold.configure` before the first turn; `on_progress` is
    called with the number of turns folded. `semantic` adds the sentence model of `TURNFOLD_EMBEDDING_MODEL` to the
    word-based rules; raises `InvalidSettings` where `turnfold-worker[semantic]` is not installed.
    """
    embedder = sentence_embedder(replace(WorkerSettings.from_env(), semantic=True)) if semantic else None
    address = Address(TENANT, checked_id("conversation id", conversation_id))
    engine = memory_database()
    store = sql_store(WorkerSettings(), engine, engine)
    conversation = store.resolve([address])[0]
    # Created before any turn can be rejected, so that the memory is freed in every case.
    folded = FoldedConversation(engine, address, conversation, embedder)
    received: list[Received] = []
    if any(given is not None for given in (goal, constraints, settings, title)):
        body = configuration(goal=goal, constraints=constraints, settings=settings, title=title)
        received.append(receive(InboxEntry("", str(Operation.CONFIGURE), "configure-offline", body)))
    limits = CompressLimits(slice_seconds=math.inf, attempts=WorkerSettings().attempts)
    stored = 0

    def take() -> None:
        """Store and fold the received turns, as a drain and a compress task would."""
        nonlocal stored
        stored += store.store({conversation: received}).new_turns
        received.clear()
        compress(conversation, store=store, limits=limits, clock=time.monotonic, embedder=embedder)
        if on_progress is not None:
            on_progress(stored)

    for turn in listed(turns):
        entry = accept(turn, max_bytes=MAX_TURN_BYTES)
        received.append(receive(InboxEntry("", str(Operation.APPEND), entry.entry_id, entry.body)))
        if len(received) >= TURNS_AT_ONCE:
            take()
    take()
    return folded
