"""Fold a conversation with notes of a model whose replies are files: written once by any model, read again for free.

python benchmarks/written_notes.py SET.jsonl --conversation 0 --folder FOLDER

FOLDER/requests/HASH.md is a request to a model, FOLDER/replies/HASH.json the text of its reply. A segment without a
reply keeps the notes of the rules. Run the program again once replies are written: the request for a chapter appears
when all of its segments have a reply. Prints each rejected note with the reasons, the number of accepted ones, and the
tokens sent and received per token of the conversation.

An evidence-retention harness names the system `written_notes:written`; WRITTEN_NOTES names a folder with a subfolder
for each conversation's id. A conversation without one has the notes of the rules.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from retention_system import TurnfoldSystem, as_turn
from sqlalchemy import Engine, select

from turnfold.contract.tables import JobRow, TurnRow, table
from turnfold.database.rows import turn_record
from turnfold.database.statements import turn_columns
from turnfold.tokens import MESSAGE_TOKENS, estimate_tokens
from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
from turnfold_worker.errors import ModelWaits
from turnfold_worker.offline import TENANT, FoldedConversation, fold
from turnfold_worker.pipeline.refinement.faithfulness import Evidence
from turnfold_worker.pipeline.refinement.notes import accept_notes
from turnfold_worker.pipeline.refinement.replies import BadForm, WrittenNote, read_chapter, read_segments
from turnfold_worker.pipeline.refinement.sources import ModelRequest, Purpose
from turnfold_worker.ports.models import Finish, ModelReply, Used
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.use_cases.model_calls import CallLimits, ModelCalls
from turnfold_worker.use_cases.refine import Refining, refine
from turnfold_worker.wiring.models import ledger, prompts, refine_target, sql_refinements

_job = table(JobRow)
_turn = table(TurnRow)
_SEGMENT = re.compile(r"^=== segment (\d+)", re.MULTILINE)


@dataclass
class FiledModel:
    """Implements `model_ports.LanguageModel` by files of replies; writes a file for each request without one."""

    folder: Path
    answered: list[tuple[ModelRequest, str]] = field(default_factory=list)
    waiting: list[ModelRequest] = field(default_factory=list)

    def complete(self, request: ModelRequest) -> ModelReply:
        """Read the reply. Raises `ModelWaits` if there is none yet."""
        reply = self.folder / "replies" / f"{request.hash[:16]}.json"
        if not reply.exists():
            self._put(request)
            msg = "nobody has answered yet"
            raise ModelWaits(msg, seconds=1.0)
        content = reply.read_text(encoding="utf-8")
        self.answered.append((request, content))
        used = Used(input_tokens=request.input_tokens, output_tokens=estimate_tokens(content), estimated=True)
        return ModelReply(content=content, finish=Finish.STOP, used=used)

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _put(self, request: ModelRequest) -> None:
        self.waiting.append(request)
        asked = self.folder / "requests" / f"{request.hash[:16]}.md"
        asked.parent.mkdir(parents=True, exist_ok=True)
        (self.folder / "replies").mkdir(exist_ok=True)
        parts = {
            "system": request.system, "user": request.user,
            "Answer with JSON of this schema only": json.dumps(request.schema),
        }  # fmt: skip
        asked.write_text("\n".join(f"## {name}\n{text}" for name, text in parts.items()) + "\n", encoding="utf-8")


class _NoLimits:
    """Implements `model_ports.Limiter` for files."""

    def reserve(self, model: str, tokens: int) -> float:  # noqa: ARG002 - the port's arguments
        return 0.0

    def settle(self, model: str, *, reserved: int, used: int) -> None: ...

    def pause(self, model: str, seconds: float) -> None: ...

    def admit(self, model: str) -> float:  # noqa: ARG002 - the port's argument
        return 0.0

    def record_success(self, model: str) -> None: ...

    def record_failure(self, model: str) -> bool:  # noqa: ARG002 - the port's argument
        return False

    def open_circuit(self, model: str, seconds: float) -> None: ...


def refined(folded: FoldedConversation, model: FiledModel) -> None:
    """Refine everything that has a reply; the rest keeps the words of the rules."""
    settings = WorkerSettings(openai_api_key="none")
    engine = engine_of(folded)
    store = sql_refinements(settings, engine, engine)
    book = ledger(settings, engine)
    limits = CallLimits(attempts=1, retry_seconds=1.0)
    calls = ModelCalls(model, limiter=_NoLimits(), ledger=book, limits=limits, sleep=time.sleep)
    refining = Refining(store=store, calls=calls, ledger=book, prompts=prompts(), attempts=1)
    admin = SqlRefinementAdmin(engine, refine_target(settings))
    for conversation in admin.conversations(TENANT):
        admin.ask(conversation)
    while refine(refining=refining) != "nothing was due":
        pass


def engine_of(folded: FoldedConversation) -> Engine:
    """Return the in-memory database of a folded conversation."""
    return folded._engine  # noqa: SLF001 - nobody else refines what was folded in this process


class WrittenSystem(TurnfoldSystem):
    """Turnfold with notes written by a model, read from the folder named by each conversation's id."""

    name = "turnfold with a model's notes"

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def ingest(self, conversation: Any) -> None:
        super().ingest(conversation)
        if self._folded is not None:
            refined(self._folded, FiledModel(self._folder / conversation.id))


def written() -> WrittenSystem:
    """Return the system; called by a harness. WRITTEN_NOTES names the folder."""
    return WrittenSystem(Path(os.environ["WRITTEN_NOTES"]))


# Accepted and rejected notes, and their cost


def problems(folded: FoldedConversation, model: FiledModel) -> Iterator[tuple[WrittenNote, list[str]]]:
    """Yield every written note with the reasons for its rejection; none if it was accepted."""
    with engine_of(folded).connect() as connection:
        rows = connection.execute(select(*turn_columns(capped=False)).order_by(_turn.c.seq))
        turns = [turn_record(row) for row in rows]
    spans = [node for node in folded.segments if not node.height]
    for request, content in model.answered:
        shown = [spans[int(number) - 1] for number in _SEGMENT.findall(request.user)]
        of_request = turns[shown[0].first_seq - 1 : shown[-1].last_seq]
        evidence = Evidence(of_request)
        for note in _notes(request, content):
            accepted = accept_notes([note], evidence, of_request)
            yield note, [str(reason) for reason in accepted.refused or ()]


def _notes(request: ModelRequest, content: str) -> list[WrittenNote]:
    read = read_chapter(content) if request.purpose is Purpose.CHAPTER else read_segments(content)
    if isinstance(read, BadForm):
        return []
    return [note for words in (read if isinstance(read, tuple) else (read,)) for note in words.notes]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("conversations", type=Path)
    parser.add_argument("--conversation", type=int, default=0, help="its place in the file")
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()
    lines = options.conversations.read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[options.conversation])
    turns = [as_turn(SimpleNamespace(**turn), seq) for seq, turn in enumerate(row["turns"], start=1)]
    model = FiledModel(options.folder)
    with fold(turns, conversation_id=row["id"]) as folded:
        refined(folded, model)
        size = sum(estimate_tokens(turn["content"]) + MESSAGE_TOKENS for turn in turns)
        sent = sum(request.input_tokens for request in (*(one for one, _ in model.answered), *model.waiting))
        got = sum(estimate_tokens(content) for _, content in model.answered)
        found = list(problems(folded, model))
        for note, reasons in found:
            if reasons:
                print(f"REFUSED {note.turns} {note.speaker}: {note.text}  <- {'; '.join(reasons)}")
        kept = sum(not reasons for _, reasons in found)
        print(
            f"{row['id']}: {len(turns)} turns, {size:,} tokens, {sum(not n.height for n in folded.segments)} segments"
        )
        print(
            f"{len(model.answered)} answered, {len(model.waiting)} wait: {' '.join(r.hash[:16] for r in model.waiting)}"
        )
        print(f"notes kept {kept} of {len(found)}; sent {sent / size:.2f} and got {got / size:.2f} per token")


if __name__ == "__main__":
    main()
