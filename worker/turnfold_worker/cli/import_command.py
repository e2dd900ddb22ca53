"""`turnfold import`: conversations from files, through the SDK."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from turnfold.errors import InboxFull, Unavailable
from turnfold_worker.cli.output import json_option, print_json, progress
from turnfold_worker.cli.session import Session, pass_session
from turnfold_worker.transcripts import InvalidFile, Transcript, read_transcripts

if TYPE_CHECKING:
    from collections.abc import Callable

    from turnfold import Turnfold

PATIENCE_SECONDS: Final = 60.0
"""How long one batch waits for Redis to come back, or for the workers to make room in the inbox."""


@click.command("import", short_help="Append conversations from files.")
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--conversation", help="Conversation id; default: the name of the file, or the ids that it holds.")
@click.option("--batch", type=click.IntRange(1, 500), default=100, show_default=True, help="Turns a round trip.")
@click.option(
    "--wait", "wait_seconds", type=click.FloatRange(min=0), metavar="SECONDS",
    help="Then wait until everything is folded.",
)  # fmt: skip
@json_option
@pass_session
def import_files(
    session: Session, files: tuple[Path, ...], conversation: str | None, batch: int, wait_seconds: float | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Append the conversations in FILES.

    \b
    A file holds one of:
      a turn or an OpenAI-style message on each line (JSONL), or all of them as one JSON array
      a whole conversation on each line: {"id": "chat-1", "turns": [{"role": "user", "content": "…"}]}
      a ChatGPT export (conversations.json)

    Every file is checked before anything is sent. Turns without an id get one made of their place and content, so
    that importing again, after an interruption or not, doubles nothing.

    \b
    Examples:
      turnfold import chat.jsonl
      turnfold import chat.jsonl --conversation support-4711 --wait 60
      turnfold import conversations.json
    """
    if conversation is not None and len(files) > 1:
        msg = "--conversation names one conversation: import one file at a time with it"
        raise click.UsageError(msg)
    transcripts = [
        transcript
        for file in files
        for transcript in read_transcripts(
            file, conversation_id=conversation, max_turn_bytes=session.settings.max_turn_bytes
        )
    ]
    _refuse_repeated(transcripts)
    total = sum(len(transcript.turns) for transcript in transcripts)
    with progress() as bar:
        task = bar.add_task("appending", total=total)
        for transcript in transcripts:
            append_all(session.turnfold, transcript, batch=batch, sent=lambda turns: bar.advance(task, turns))
    if wait_seconds is not None:
        end = time.monotonic() + wait_seconds
        for transcript in transcripts:
            session.turnfold.wait(transcript.conversation_id, timeout_seconds=max(0.0, end - time.monotonic()))
    _report(transcripts, total, folded=wait_seconds is not None, as_json=as_json)


def append_all(client: Turnfold, transcript: Transcript, *, batch: int, sent: Callable[[int], object]) -> None:
    """Append a transcript in order; waits for room in the inbox, and for a Redis that is away for a moment.

    Raises `InboxFull` or `Unavailable` after a minute without progress; what was sent stays.
    """
    for start in range(0, len(transcript.turns), batch):
        turns = transcript.turns[start : start + batch]
        patient = Retrying(
            retry=retry_if_exception_type((InboxFull, Unavailable)), stop=stop_after_delay(PATIENCE_SECONDS),
            wait=wait_random_exponential(multiplier=0.1, max=2.0), reraise=True,
        )  # fmt: skip
        try:
            patient(client.append, transcript.conversation_id, turns)
        except (InboxFull, Unavailable) as error:
            place = f"{start} of {len(transcript.turns)} turns of {transcript.conversation_id!r} are appended"
            error.args = (f"{error}; {place}: import the file again to go on, nothing is doubled",)
            raise
        sent(len(turns))


def _refuse_repeated(transcripts: list[Transcript]) -> None:
    seen: set[str] = set()
    for transcript in transcripts:
        if transcript.conversation_id in seen:
            msg = (
                f"conversation {transcript.conversation_id!r} occurs twice in these files: import them one after the "
                "other with --conversation"
            )
            raise InvalidFile(msg)
        seen.add(transcript.conversation_id)


def _report(transcripts: list[Transcript], total: int, *, folded: bool, as_json: bool) -> None:
    ids = [transcript.conversation_id for transcript in transcripts]
    if as_json:
        print_json({"turns": total, "conversations": ids, "folded": folded})
        return
    what = f"conversation {ids[0]}" if len(ids) == 1 else f"{len(ids)} conversations"
    after = " and folded" if folded else "; folding goes on in the background: see `turnfold status`"
    click.echo(f"{total} turn{'' if total == 1 else 's'} of {what} appended{after}")
