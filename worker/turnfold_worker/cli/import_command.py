"""`turnfold import`: append or restore conversations from files."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from redis import AuthenticationError
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_delay, wait_random_exponential

from turnfold.contract.server_urls import urls_of, without_password
from turnfold.errors import InboxFull, QuotaExceeded, SchemaMismatch, Unavailable, WaitTimeout
from turnfold.redis.connections import NoAnswer
from turnfold_worker.cli.archive_files import is_archive, restore_file
from turnfold_worker.cli.failures import Stopped
from turnfold_worker.cli.output import json_option, print_json, progress, told_when_slow
from turnfold_worker.cli.session import Session, pass_session
from turnfold_worker.cli.streams import safe
from turnfold_worker.importing.transcripts import InvalidFile, Transcript, read_transcripts

if TYPE_CHECKING:
    from collections.abc import Callable

    from turnfold import Turnfold

PATIENCE_SECONDS: Final = 60.0
"""How long one batch waits for Redis to come back, or for workers to make room in the inbox."""


@click.command("import", short_help="Append conversations from files.")
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--conversation", help="Conversation id; default: the ids in the file, or else its name.")
@click.option("--batch", type=click.IntRange(1, 500), default=100, show_default=True, help="Turns per request.")
@click.option(
    "--wait", "wait_seconds", type=click.FloatRange(min=0), metavar="SECONDS",
    help="Then wait until all turns are folded.",
)  # fmt: skip
@click.option(
    "--fold-anew", is_flag=True, help="Import only the turns of an export, and fold them again with this version."
)
@json_option
@pass_session
def import_files(
    session: Session, files: tuple[Path, ...], conversation: str | None, batch: int, wait_seconds: float | None,
    fold_anew: bool, as_json: bool,
) -> None:  # fmt: skip
    """Append the conversations in FILES; - reads standard input.

    \b
    A file contains one of:
      a turn or an OpenAI-style message on each line (JSONL), or all of them as one JSON array
      a whole conversation on each line: {"id": "chat-1", "turns": [{"role": "user", "content": "…"}]}
      a ChatGPT export (conversations.json)
      what `turnfold export` wrote, also compressed

    Every file of turns is checked before anything is sent. Turns without an id ("turn_id"; "id" is not read) get one
    derived from their position and content, so that importing again, after an interruption or not, duplicates nothing.

    An export is written directly to the database, edits included, one conversation at a time: each is stored completely
    or not at all, and one that is already stored is left alone. Import only archives from a source you trust: their
    folded state is not checked. An export by another version has to be folded again (--fold-anew).

    \b
    Examples:
      turnfold import chat.jsonl
      turnfold import chat.jsonl --conversation support-4711 --wait 60
      turnfold import conversations.json
      zcat chat.jsonl.gz | turnfold import - --conversation chat
      turnfold --tenant acme import acme-export.jsonl.gz
    """
    if conversation is not None and len(files) > 1:
        raise click.UsageError("--conversation works with a single file: import one file at a time")
    archives = [file for file in files if is_archive(file)]
    if fold_anew and len(archives) < len(files):
        msg = "--fold-anew is only for archives of `turnfold export`: other files are always folded by this version"
        raise click.UsageError(msg)
    transcripts = [
        transcript
        for file in files
        if file not in archives
        for transcript in read_transcripts(
            file, conversation_id=conversation, max_turn_bytes=session.settings.max_turn_bytes
        )
    ]
    _refuse_repeated(transcripts)
    restored = [restore_file(session, file, conversation=conversation, fold_anew=fold_anew) for file in archives]
    total = sum(len(transcript.turns) for transcript in transcripts)
    stored_before = _stored_before(session, transcripts)
    _append(session, transcripts, total, batch=batch)
    ids = [name for source in restored for name in source.conversations] + [
        source.conversation_id for source in transcripts
    ]
    total += sum(source.turns for source in restored)
    if stored_before is not None:
        stored_before += sum(source.stored_before for source in restored)
    if wait_seconds is not None:
        _wait(session, ids, total, seconds=wait_seconds)
    whole = not transcripts and not fold_anew
    folded = wait_seconds is not None or (whole and not stored_before)
    if as_json and stored_before == total:
        folded = folded or _are_folded(session, ids)
    _report(ids, total, stored_before, folded=folded, whole=whole, as_json=as_json)


def append_all(
    client: Turnfold, transcript: Transcript, *, batch: int, redis_url: str, sent: Callable[[int], object]
) -> None:
    """Append a transcript in order, waiting for room in the inbox and for a Redis that is briefly away.

    Raises `InboxFull` or `Unavailable` after a minute without progress; what was sent stays. `redis_url` is for the
    message when Redis does not answer.
    """
    met: BaseException | None = None

    def told(state: RetryCallState) -> None:
        nonlocal met
        met = state.outcome.exception() if state.outcome else None

    def waited_for() -> str:
        if isinstance(met, InboxFull):
            return (
                f"the inbox of conversation {transcript.conversation_id!r} is full: waiting {PATIENCE_SECONDS:.0f} s "
                "for workers to store some turns; `turnfold up` starts workers"
            )
        if met is None:
            return f"waiting for Redis at {without_password(redis_url)}"
        if not isinstance(met, NoAnswer) or len(urls_of(redis_url)) > 1:
            return f"{met}; retrying for {PATIENCE_SECONDS:.0f} s"
        return (
            f"Redis does not answer at {without_password(redis_url)}: retrying for {PATIENCE_SECONDS:.0f} s. To start "
            "one: Ctrl-C, `turnfold up` in another terminal, then this command again"
        )

    def patiently(call: Callable[..., object], *arguments: object, **named: object) -> None:
        patient = Retrying(
            retry=retry_if_exception(_may_pass), stop=stop_after_delay(PATIENCE_SECONDS),
            wait=wait_random_exponential(multiplier=0.1, max=2.0), before_sleep=told, reraise=True,
        )  # fmt: skip
        with told_when_slow(waited_for):
            patient(call, transcript.conversation_id, *arguments, **named)

    if transcript.title is not None:
        # The fixed operation id applies the title only once, even if it is changed later.
        patiently(client.configure, title=transcript.title, operation_id="imported-title")
    for start in range(0, len(transcript.turns), batch):
        turns = transcript.turns[start : start + batch]
        patiently(client.append, turns, priority="backfill")
        sent(len(turns))


def _may_pass(error: BaseException) -> bool:
    """Tell whether waiting may help; it does not correct a wrong password."""
    wrong_password = isinstance(error.__cause__, AuthenticationError)
    return isinstance(error, (InboxFull, Unavailable)) and not wrong_password


def _append(session: Session, transcripts: list[Transcript], total: int, *, batch: int) -> None:
    appended = 0
    with progress() as bar:
        task = bar.add_task("appending", total=total)

        def sent(turns: int) -> None:
            nonlocal appended
            appended += turns
            bar.advance(task, turns)

        try:
            for transcript in transcripts:
                append_all(session.turnfold, transcript, batch=batch, redis_url=session.settings.redis_url, sent=sent)
        except (InboxFull, QuotaExceeded, Unavailable) as error:
            error.args = (f"{error}; {_place(appended, total)}",)
            raise
        except KeyboardInterrupt:
            msg = f"stopped; {_place(appended, total)}"
            raise Stopped(msg) from None


def _place(appended: int, total: int) -> str:
    """Describe how far an import got, and how to continue."""
    return f"{appended} of {total} turns were imported: import again to continue; nothing is duplicated"


def _wait(session: Session, ids: list[str], total: int, *, seconds: float) -> None:
    end = time.monotonic() + seconds
    done = f"all {total} turns were imported"
    try:
        with told_when_slow(
            lambda: f"{done}; waiting up to {seconds:g} s for workers to fold them",
            stopped=f"stopped waiting; {done}, and workers continue: see `turnfold status`",
        ):
            for conversation_id in ids:
                session.turnfold.wait(conversation_id, timeout_seconds=max(0.0, end - time.monotonic()))
    except WaitTimeout as error:
        status = error.status
        msg = (
            f"{done}, but not all are folded after {seconds:g} s ({status.folded} of {status.inbox + status.stored} of "
            f"conversation {status.conversation_id!r})"
        )
        remedy = "workers continue in the background; `turnfold status` shows their progress, `turnfold up` starts some"
        raise WaitTimeout(msg, remedy=remedy, status=status) from error
    except Unavailable as error:
        error.args = (f"{error}; {done}",)
        raise


def _are_folded(session: Session, ids: list[str]) -> bool:
    found = map(session.turnfold.status, ids)
    return all(status.inbox == 0 and status.folded == status.stored for status in found)


def _refuse_repeated(transcripts: list[Transcript]) -> None:
    seen: set[str] = set()
    for transcript in transcripts:
        if transcript.conversation_id in seen:
            msg = f"conversation {transcript.conversation_id!r} occurs twice in these files"
            raise InvalidFile(msg, remedy="import the files one by one with --conversation")
        seen.add(transcript.conversation_id)


def _stored_before(session: Session, transcripts: list[Transcript]) -> int | None:
    """Count the turns that are already stored; None when the database cannot be read, which an import does not need."""
    from turnfold_worker.operate.inspection import stored_among

    if not transcripts:
        return 0
    servers = f"Redis at {without_password(session.settings.redis_url)} and the database"
    try:
        with told_when_slow(lambda: f"checking which turns are already stored: waiting for {servers}"):
            return sum(
                stored_among(
                    session.redis, session.reader, session.address(transcript.conversation_id),
                    [turn["turn_id"] for turn in transcript.turns],
                )
                for transcript in transcripts
            )  # fmt: skip
    except (Unavailable, SchemaMismatch):
        return None


def _report(ids: list[str], total: int, stored_before: int | None, *, folded: bool, whole: bool, as_json: bool) -> None:
    """Print the result. `whole`: only exports were restored, with their folded state."""
    if as_json:
        print_json({"turns": total, "stored_before": stored_before, "conversations": ids, "folded": folded})
        return
    if stored_before == total:
        click.echo(f"{_turns(total)} of {_named(ids)}: all were already stored, nothing changed")
        return
    after = " and folded" if folded else "; folding continues in the background: see `turnfold status`"
    if whole:
        after = ", folded as they were exported"
    known = f"; {stored_before} were already stored and skipped" if stored_before else ""
    click.echo(f"{_turns(total - (stored_before or 0))} of {_named(ids)} appended{after}{known}")


def _turns(number: int) -> str:
    return f"{number} turn{'' if number == 1 else 's'}"


def _named(ids: list[str]) -> str:
    return f"conversation {safe(ids[0])}" if len(ids) == 1 else f"{len(ids)} conversations"
