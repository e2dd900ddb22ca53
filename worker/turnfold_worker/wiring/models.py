"""Build the parts of refining; imported by processes that have a model, and by commands about refining."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import Engine

from turnfold.contract.records import ConversationId
from turnfold.redis.servers import InboxServers
from turnfold_worker.adapters import prompt_files
from turnfold_worker.adapters.own_model import OwnModel
from turnfold_worker.adapters.redis.model_limits import RedisModelLimits
from turnfold_worker.adapters.sql.ledger import SqlLedger
from turnfold_worker.adapters.sql.refinements import SqlRefinements
from turnfold_worker.ports.models import LanguageModel, RefineTarget
from turnfold_worker.ports.storage import SentenceEmbedder
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.use_cases.model_calls import CallLimits, ModelCalls, Redactor
from turnfold_worker.use_cases.reconstruct import reconstruct
from turnfold_worker.use_cases.refine import Prompts, Refining


def refine_target(settings: WorkerSettings) -> RefineTarget:
    """Return the models and prompts to refine with."""
    return RefineTarget(
        *settings.models, prompt_files.NOTES, prompt_files.CHAPTER, settings.refine_segments,
        settings.refine_idle_seconds,
    )  # fmt: skip


def sql_refinements(settings: WorkerSettings, engine: Engine, read_engine: Engine) -> SqlRefinements:
    """Make the SQL side of refine jobs."""
    # A lease longer than one call with all its tries: it is renewed before each call.
    lease_seconds = settings.retry_seconds + settings.call_seconds + settings.lease_seconds
    return SqlRefinements(
        engine, read_engine=read_engine, target=refine_target(settings), attempts=settings.refine_attempts,
        lease_seconds=lease_seconds,
    )  # fmt: skip


def ledger(settings: WorkerSettings, engine: Engine) -> SqlLedger:
    """Make the SQL ledger of replies, usage and caps."""
    return SqlLedger(
        engine, daily_tokens=settings.daily_tokens, daily_dollars=settings.daily_dollars, prices=settings.price_list
    )


def refining(
    settings: WorkerSettings,
    servers: InboxServers,
    engine: Engine,
    store: SqlRefinements,
    model: LanguageModel,
    *,
    embedder: SentenceEmbedder | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Refining:
    """Build the dependencies of refining around a model."""
    limiter = RedisModelLimits(
        servers, requests_per_minute=settings.requests_per_minute, tokens_per_minute=settings.tokens_per_minute,
        circuit_failures=settings.circuit_failures, circuit_seconds=settings.circuit_seconds,
        call_seconds=settings.call_seconds,
    )  # fmt: skip
    book = ledger(settings, engine)
    limits = CallLimits(attempts=settings.call_attempts, retry_seconds=settings.retry_seconds)
    calls = ModelCalls(model, limiter=limiter, ledger=book, limits=limits, redactor=redactor(settings), sleep=sleep)
    return Refining(
        store=store, calls=calls, ledger=book, prompts=prompts(), attempts=settings.refine_attempts,
        embedder=embedder,
    )  # fmt: skip


def prompts() -> Prompts:
    """Read the prompts in use."""
    return Prompts(
        notes=prompt_files.prompt(prompt_files.NOTES), chapter=prompt_files.prompt(prompt_files.CHAPTER),
        repair=prompt_files.prompt(prompt_files.REPAIR),
    )  # fmt: skip


def language_model(settings: WorkerSettings) -> LanguageModel:
    """Return the custom summarizer, else the configured provider."""
    if settings.summarizer:
        return OwnModel(settings.summarizer, timeout_seconds=settings.call_seconds)
    from turnfold_worker.adapters.openai.model import OpenAIModel

    return OpenAIModel(
        api_key=settings.openai_api_key, base_url=settings.openai_base_url, timeout_seconds=settings.call_seconds
    )


def redactor(settings: WorkerSettings) -> Redactor | None:
    """Return a redactor of personal data, if configured. Raises `InvalidSettings` without its library."""
    if not settings.redact:
        return None
    from turnfold_worker.adapters.redaction import PersonalDataRedactor

    return PersonalDataRedactor()


def reconstruct_with(refining: Refining, conversation: ConversationId, height: int, idx: int) -> str:
    """Reconstruct the turns of a node with the prompts in use."""
    return reconstruct(
        conversation, height, idx, store=refining.store, calls=refining.calls,
        detailed=prompt_files.prompt(prompt_files.RECONSTRUCT),
        from_facts=prompt_files.prompt(prompt_files.RECONSTRUCT_FROM_FACTS),
    )  # fmt: skip
