"""Tokens that models are sent for conversations of 100, 1,000 and 10,000 turns: Turnfold beside two other ways.

    make bench-model            or: PYTHONPATH=tests python benchmarks/model_tokens.py

Turnfold's are the real requests: every chapter is refined against a server that speaks OpenAI's protocol and answers
well; what it received is counted. The two others are computed over the same turns with the same counter:

all again      each time the history grows beyond a budget, all of it is given to both models once more (salience
               extraction, then a summary), and the summary takes its place only in the context
rolling        every 20 turns the newest 20 and the summary so far are given to one model
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import text

from support import scribe
from support.openai_server import OpenAIServer
from support.talk import talk
from turnfold.contract.records import JobId
from turnfold.sql import connect
from turnfold.tokens import ESTIMATOR, MESSAGE_TOKENS, estimate_tokens
from turnfold_worker import migrate
from turnfold_worker.adapters import prompt_files
from turnfold_worker.adapters.openai_model import OpenAIModel
from turnfold_worker.adapters.sql_ledger import SqlLedger
from turnfold_worker.adapters.sql_refinements import SqlRefinements
from turnfold_worker.drain import receive
from turnfold_worker.model_calls import CallLimits, ModelCalls
from turnfold_worker.offline import TENANT, _Folder
from turnfold_worker.ports import InboxEntry
from turnfold_worker.prices import KNOWN
from turnfold_worker.refine import Refining, refine
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.wiring import prompts, refine_target, sql_store

from turnfold.contract.keys import Address  # isort: skip
from turnfold.edge import accept  # isort: skip

ALL_AGAIN_TOKENS = 4_000
"""New tokens after which everything is summarized again, in the first of the other ways."""
ROLLING_TURNS = 20
PAUSE_TURNS = 30
ROLLING_SUMMARY_TOKENS = 1_000
"""What a rolling summary may have."""


class _NoLimits:
    """One process, a server of our own: nothing to limit."""

    def reserve(self, model: str, tokens: int) -> float:  # noqa: ARG002
        return 0.0

    def settle(self, model: str, *, reserved: int, used: int) -> None: ...

    def pause(self, model: str, seconds: float) -> None: ...

    def admit(self, model: str) -> float:  # noqa: ARG002
        return 0.0

    def record_success(self, model: str) -> None: ...

    def record_failure(self, model: str) -> bool:  # noqa: ARG002
        return False

    def open_circuit(self, model: str, seconds: float) -> None: ...


@dataclass(frozen=True)
class Measured:
    """Tokens of one conversation."""

    turns: int
    conversation: int
    sent: int
    got: int
    calls: int
    all_again: int
    rolling: int

    def per_token(self, tokens: int) -> float:
        return tokens / self.conversation


def measured(turns: list[dict[str, str]], folder: Path) -> Measured:
    """Fold and refine a conversation; count what the models were sent."""
    url = f"sqlite:///{folder / f'{len(turns)}.db'}"
    migrate.upgrade(url)
    with OpenAIServer(scribe.answer) as server:
        settings = WorkerSettings(database_url=url, openai_base_url=server.base_url, refine_attempts=1)
        write, read = (connect(url, write=write, timeout_seconds=60) for write in (True, False))
        store = sql_store(settings, write, read)
        conversation = store.resolve([Address(TENANT, "c")])[0]
        folder_of = _Folder(store, conversation, None)
        entries = [accept(turn, max_bytes=1_048_576) for turn in turns]
        for start in range(0, len(entries), 500):
            folder_of.take([
                receive(InboxEntry("", "append", entry.entry_id, entry.body)) for entry in entries[start : start + 500]
            ])  # fmt: skip
        jobs = SqlRefinements(
            write, read_engine=read, target=refine_target(settings), lease_seconds=600, republish_seconds=60, attempts=1
        )
        ledger = SqlLedger(write, prices=KNOWN)
        model = OpenAIModel(api_key="", base_url=server.base_url, timeout_seconds=60)
        calls = ModelCalls(model, limiter=_NoLimits(), ledger=ledger, limits=CallLimits(attempts=1, retry_seconds=1))
        refining = Refining(store=jobs, calls=calls, ledger=ledger, prompts=prompts(), attempts=1)
        with read.begin() as connection:
            due = connection.execute(text("SELECT id FROM job WHERE kind = 'refine' ORDER BY id")).scalars().all()
        for job in due:
            refine(JobId(job), refining=refining)
        model.close()
        write.dispose()
        read.dispose()
        schemas = sum(estimate_tokens(json.dumps(r["response_format"]["json_schema"])) for r in server.requests)
        sizes = [estimate_tokens(turn["content"]) + MESSAGE_TOKENS for turn in turns]
        return Measured(
            turns=len(turns),
            conversation=sum(sizes),
            sent=server.billed_input + schemas,
            got=server.billed_output,
            calls=len(server.requests),
            all_again=sum(_all_again(sizes)),
            rolling=sum(_rolling(sizes)),
        )


def _all_again(sizes: list[int]) -> Iterator[int]:
    """Two models read the whole history, each time that it grew by so much."""
    system = sum(estimate_tokens(prompt_files.prompt(name).text) for name in ("extract-1", "summarize-1"))
    so_far = fresh = 0
    for size in sizes:
        so_far, fresh = so_far + size, fresh + size
        if fresh >= ALL_AGAIN_TOKENS:
            yield 2 * so_far + system
            fresh = 0
    if fresh:
        yield 2 * so_far + system


def _rolling(sizes: list[int]) -> Iterator[int]:
    system = estimate_tokens(prompt_files.prompt("summarize-1").text)
    for start in range(0, len(sizes), ROLLING_TURNS):
        block = sum(sizes[start : start + ROLLING_TURNS])
        yield system + block + min(ROLLING_SUMMARY_TOKENS, sum(sizes[:start]) // 4)


def chat(turns: int) -> list[dict[str, str]]:
    """Talk of the length that assistants have: a few sentences a user, a paragraph an assistant; a pause now and then."""
    said = talk("bench", 4 * turns)
    at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    made = []
    for number in range(turns):
        block = said[4 * number : 4 * number + (4 if number % 2 else 2)]
        at += timedelta(hours=5) if number % PAUSE_TURNS == PAUSE_TURNS - 1 else timedelta(minutes=2)
        made.append({
            "role": "assistant" if number % 2 else "user", "content": " ".join(one["content"] for one in block),
            "created_at": at.isoformat(),
        })  # fmt: skip
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, nargs="+", default=[100, 1_000, 10_000])
    options = parser.parse_args()
    print(f"tokens by {ESTIMATOR.name}; sent tokens include prompts and schemas\n")
    print("| turns | tokens | calls | sent | Turnfold | all again | rolling, every 20 |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for turns in options.turns:
            one = measured(chat(turns), Path(folder))
            shares = [one.per_token(tokens) for tokens in (one.sent, one.all_again, one.rolling)]
            print(
                f"| {one.turns:,} | {one.conversation:,} | {one.calls:,} | {one.sent:,} | "
                + " | ".join(f"{share:.2f}" for share in shares) + " |"
            )  # fmt: skip


if __name__ == "__main__":
    main()
