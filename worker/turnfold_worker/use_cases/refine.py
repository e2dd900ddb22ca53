"""Refine with models: notes on closed segments, anchors that the rules missed, then notes on chapters.

No database session is open during a call. Replies are checked against the turns, and unsupported parts are dropped; the
text of the rules stays in its own rows in every case.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from turnfold.contract.vectors import Vector
from turnfold.telemetry import CONVERSATION_NUMBER, memory_span
from turnfold_worker.errors import ModelAway, ModelRefused, ModelWaits, Retryable, where
from turnfold_worker.pipeline.anchors.deduplicate import sought_terms, texts_to_embed
from turnfold_worker.pipeline.refinement.anchors import Settled, accept_quotes, filler_of, settle_quotes
from turnfold_worker.pipeline.refinement.levels import AcceptedNode, accept_chapter, accept_segments
from turnfold_worker.pipeline.refinement.overtaken import AcceptedOvertaking, accept_overtaken, told_by_words
from turnfold_worker.pipeline.refinement.replies import BadForm, Quote, SegmentWords, read_chapter, read_segments
from turnfold_worker.pipeline.refinement.requests import chapter_request, notes_request, repaired_form
from turnfold_worker.pipeline.refinement.sources import ChapterSource, ModelRequest, Prompt, RefineSource
from turnfold_worker.pipeline.refinement.told import told_anchors
from turnfold_worker.ports.models import Finish, Group, ModelReply, RefineClaim, Refined, RefineTarget
from turnfold_worker.ports.storage import SentenceEmbedder
from turnfold_worker.use_cases.model_calls import ModelCalls

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.ledger import SqlLedger
    from turnfold_worker.adapters.sql.refinements import SqlRefinements

_log = logging.getLogger(__name__)

FIRST_DELAY_SECONDS: Final = 15.0
"""Delay after a first failed try; doubled with each further one."""
STORE_AWAY_SECONDS: Final = 5.0
_CUT: Final = "it was cut off: close it where it ends"

_Read_co = TypeVar("_Read_co", covariant=True)


class _Reader(Protocol[_Read_co]):
    """Parses a reply; keeps the complete parts of one that was cut off."""

    def __call__(self, content: str, *, cut_off: bool = False) -> _Read_co | BadForm: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """The prompts in use."""

    notes: Prompt
    """For segments: notes, quotes and tags in one reply."""
    chapter: Prompt
    repair: Prompt


def question_of(source: RefineSource | ChapterSource, target: RefineTarget, prompts: Prompts) -> ModelRequest | None:
    """Return the request of a job; None where a model could not improve anything."""
    if isinstance(source, ChapterSource):
        if not source.written or not source.chapter.gains:
            return None
        return chapter_request(source, model=target.summarize_model, prompt=prompts.chapter)
    if not source.readable or not source.nodes:
        return None
    return notes_request(source, model=target.extract_model, prompt=prompts.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refining:
    """The dependencies of refining."""

    store: SqlRefinements
    calls: ModelCalls
    ledger: SqlLedger
    prompts: Prompts
    attempts: int
    """Tries on a job before it is parked for a person."""
    embedder: SentenceEmbedder | None = None
    """Compares quotes with anchors by vectors, in addition to words."""


class _NotOurs(Exception):  # noqa: N818 - no error: another worker goes on
    """The lease went to another worker."""


def refine(*, refining: Refining) -> str:  # noqa: PLR0911 - each way in which a job may end
    """Do the next due refine job; return its outcome in words without content."""
    store = refining.store
    claim = store.claim_refine()
    if claim is None:
        return "nothing was due"
    try:
        with memory_span("upsert_memory", "refine", {CONVERSATION_NUMBER: claim.owner.conversation}):
            return _Refinement(claim, refining).run()
    except _NotOurs:
        return "another worker took over"
    except ModelWaits as error:
        store.release_refine(claim, error=str(error), delay_seconds=error.seconds, counted=False, park=False)
        return f"postponed: {error}"
    except ModelAway as error:
        return _failed(claim, refining, str(error), for_good=False)
    except ModelRefused as error:
        return _failed(claim, refining, str(error), for_good=True)
    except Retryable:
        with suppress(Retryable):
            store.release_refine(claim, error=None, delay_seconds=STORE_AWAY_SECONDS, counted=False, park=False)
        raise
    except Exception as error:  # noqa: BLE001 - one group is kept from hurting its neighbours
        _log.error("refining segments of conversation %s failed: %s", claim.owner.conversation, where(error))
        return _failed(claim, refining, where(error), for_good=False)


def _failed(claim: RefineClaim, refining: Refining, error: str, *, for_good: bool) -> str:
    park = for_good or claim.attempts >= refining.attempts
    delay = FIRST_DELAY_SECONDS * 2 ** (claim.attempts - 1)
    refining.store.release_refine(claim, error=error, delay_seconds=delay, counted=True, park=park)
    return f"{'parked' if park else 'failed, will be retried'}: {error}"


class _Refinement:
    """One refine job in progress."""

    def __init__(self, claim: RefineClaim, refining: Refining) -> None:
        self._claim = claim
        self._r = refining
        self._target = refining.store.target
        self._counts: dict[str, Counter[str]] = {}

    def run(self) -> str:
        return self._segments() if self._claim.chapter is None else self._chapter()

    def _segments(self) -> str:
        group, model = self._r.store.group(self._claim), self._target.extract_model
        if group is None or (request := question_of(group.source, self._target, self._r.prompts)) is None:
            return self._skipped(model)
        source = group.source
        words = self._read(request, read_segments)
        nodes = settled = None
        filler: tuple[int, ...] = ()
        told_ids: tuple[int, ...] = ()
        overtaken: tuple[AcceptedOvertaking, ...] = ()
        if words is not None:
            filler = filler_of(source, [number for segment in words for number in segment.filler])
            nodes = accept_segments(source, words)
            self._count_notes(model, nodes)
            overtaken = self._overtaken(source, words)
            settled = self._anchors(group, [quote for segment in words for quote in segment.quotes], overtaken)
            by_notes = told_anchors([*source.marked, *settled.new], [note for node in nodes for note in node.notes])
            told_ids = (*by_notes, *told_by_words(source, overtaken))
        return self._write(
            Refined(
                claim=self._claim, edit_revision=group.edit_revision, covers=source.segments,
                nodes=None if nodes is None else [node for node in nodes if node.notes or node.levels],
                anchors=None if settled is None else settled.new, changes=() if settled is None else settled.changed,
                filler=filler, told=told_ids, overtaken=overtaken,
            )
        )  # fmt: skip

    def _chapter(self) -> str:
        group, model = self._r.store.chapter(self._claim), self._target.summarize_model
        if group is None or (request := question_of(group.source, self._target, self._r.prompts)) is None:
            return self._skipped(model)
        source = group.source
        words = self._read(request, read_chapter)
        nodes = None
        if words is not None:
            nodes = [accept_chapter(source, words)]
            self._count_notes(model, nodes)
        return self._write(
            Refined(
                claim=self._claim, edit_revision=group.edit_revision, covers=[source.chapter],
                nodes=None if nodes is None else [node for node in nodes if node.notes or node.levels],
            )
        )  # fmt: skip

    def _skipped(self, model: str) -> str:
        self._r.store.skip_refine(self._claim)
        self._count(model, skipped=1)
        self._write_counts()
        return "skipped: nothing to improve"

    def _write(self, refined: Refined) -> str:
        if not self._r.store.commit_refined(refined):
            self._r.store.release_refine(self._claim, error=None, delay_seconds=0.0, counted=False, park=False)
            return "the segments have changed: will be retried"
        self._write_counts()
        notes = sum(len(node.notes) for node in refined.nodes or ())
        return f"anchors found: {len(refined.anchors or ())}, notes written: {notes}"

    def _count_notes(self, model: str, nodes: Sequence[AcceptedNode]) -> None:
        self._count(
            model, notes_kept=sum(len(node.notes) for node in nodes), notes_refused=sum(node.refused for node in nodes)
        )

    def _overtaken(self, source: RefineSource, words: Sequence[SegmentWords]) -> tuple[AcceptedOvertaking, ...]:
        claims = [claim for segment in words for claim in segment.overtaken]
        accepted, refused = accept_overtaken(source, claims)
        self._count(self._target.extract_model, quotes_kept=len(claims) - refused, quotes_refused=refused)
        return accepted

    def _anchors(self, group: Group, quotes: Sequence[Quote], overtaken: Sequence[AcceptedOvertaking]) -> Settled:
        """Return the model's anchors, and the anchors that they settle."""
        source = group.source
        accepted = accept_quotes(source, quotes, quoted=overtaken)
        self._count(self._target.extract_model, quotes_kept=len(accepted.drafts), quotes_refused=accepted.refused)
        terms = dict.fromkeys(term for draft in accepted.drafts for term in sought_terms(draft.text))
        rules, models = self._r.store.refine_candidates(
            self._claim.owner.conversation, list(terms), first_seq=source.segments[0].node.first_seq,
            first_idx=source.segments[0].node.idx, last_idx=source.segments[-1].node.idx,
        )  # fmt: skip
        return settle_quotes(
            source, accepted.drafts, rules=rules, models=models, settings=group.settings, overtaken=overtaken,
            vectors=self._vectors(texts_to_embed(accepted.drafts, [*rules, *models])),
        )  # fmt: skip

    def _vectors(self, texts: Sequence[str]) -> dict[str, Vector]:
        # Not stored: stored vectors belong to the rules.
        if self._r.embedder is None or not texts:
            return {}
        return dict(zip(texts, self._r.embedder.embed(texts), strict=True))

    def _read(self, request: ModelRequest, read: _Reader[_Read_co]) -> _Read_co | None:
        """Ask and parse, with one request to repair the form; None when the reply cannot be parsed."""
        reply = self._ask(request)
        if reply.finish is Finish.REFUSAL:
            return None
        cut_off = reply.finish is Finish.LENGTH
        words = read(reply.content, cut_off=cut_off)
        if not isinstance(words, BadForm):
            return words
        problem = _CUT if cut_off else words.problem
        self._count(request.model, repaired=1)
        again = self._ask(repaired_form(request, reply.content, problem=problem, prompt=self._r.prompts.repair))
        words = read(again.content)
        return None if isinstance(words, BadForm) else words

    def _ask(self, request: ModelRequest) -> ModelReply:
        # A call may take as long as a lease: each starts with a fresh one.
        if not self._r.store.renew_refine(self._claim):
            raise _NotOurs
        return self._r.calls.ask(self._claim.owner, request)

    def _count(self, model: str, **counts: int) -> None:
        self._counts.setdefault(model, Counter()).update(counts)

    def _write_counts(self) -> None:
        for model, counts in self._counts.items():
            self._r.ledger.count(self._claim.owner, model, counts)
