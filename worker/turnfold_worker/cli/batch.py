"""`turnfold refine --batch`: submit requests to a provider's batch API, and collect the replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from turnfold.contract.records import ConversationId
from turnfold.errors import InvalidSettings, Unavailable
from turnfold_worker.cli.output import progress
from turnfold_worker.errors import WorkerError

if TYPE_CHECKING:
    from turnfold_worker.cli.session import Session


def run_batches(session: Session, chosen: ConversationId | None, *, wait: bool, hidden: bool) -> None:
    """Submit all due requests; with `wait`, return once every batch of the tenant has ended."""
    from turnfold_worker.adapters.openai.batches import OpenAIBatches
    from turnfold_worker.adapters.sql.batches import SqlBatches
    from turnfold_worker.use_cases import refine_in_batches as batches
    from turnfold_worker.wiring.models import ledger, prompts, redactor, refine_target

    settings = session.settings
    if settings.summarizer:
        raise InvalidSettings("TURNFOLD_SUMMARIZER does not support batches: --batch needs a provider")
    if not settings.has_model:
        msg = "this command submits the batch itself and has no provider configured"
        raise InvalidSettings(msg, remedy="set TURNFOLD_OPENAI_API_KEY, or TURNFOLD_OPENAI_BASE_URL")
    provider = OpenAIBatches(
        api_key=settings.openai_api_key, base_url=settings.openai_base_url, timeout_seconds=settings.call_seconds
    )
    batching = batches.Batching(
        store=SqlBatches(session.write_engine, refine_target(settings)), provider=provider, prompts=prompts(),
        ledger=ledger(settings, session.write_engine), redactor=redactor(settings),
    )  # fmt: skip
    try:
        submitted = batches.submit(settings.tenant, chosen, batching=batching)
        if not wait:
            click.echo(
                f"{submitted} requests are in batches: `turnfold refine --all --batch` collects the results", err=True
            )
            return
        with progress(hidden=hidden) as bar:
            task = bar.add_task("batches", total=None)
            batches.collect(
                settings.tenant, batching=batching,
                told=lambda kept, left: bar.update(task, completed=kept, total=kept + left),
            )  # fmt: skip
    except WorkerError as error:
        msg = f"{error}; submitted batches are kept"
        raise Unavailable(msg, remedy="run the same command again to continue") from error
    finally:
        provider.close()
