"""`turnfold fold`: run the whole pipeline in this process, without any server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnfold_worker.cli.account_commands import OFFLINE_COMMANDS
from turnfold_worker.cli.output import json_option, print_json, progress
from turnfold_worker.cli.reading import BUDGET_HELP, FORMATS, POLICIES, POLICY_HELP, context_as_json, print_context
from turnfold_worker.importing.transcripts import STANDARD_INPUT, InvalidFile, Transcript, read_transcripts

if TYPE_CHECKING:
    from turnfold_worker.offline import FoldedConversation

MAX_TURN_BYTES = 16 * 1_048_576


@click.command(short_help="Fold a file offline, without servers.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--budget", "budget_tokens", type=click.IntRange(1), default=2000, show_default=True, help=BUDGET_HELP)
@click.option("--query", help="Topic of the next answer: related parts get more tokens.")
@click.option("--conversation", help="Conversation to fold, if the file contains several.")
@click.option("--policy", type=click.Choice(POLICIES), default=POLICIES[0], show_default=True, help=POLICY_HELP)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--digest", "only_digest", is_flag=True, help="Print only the hash of the folded conversation.")
@json_option
def fold(
    file: Path,
    budget_tokens: int,
    query: str | None,
    conversation: str | None,
    policy: str,
    form: str,
    only_digest: bool,
    as_json: bool,
) -> None:
    """Fold FILE offline and print its context within a token budget: no Redis, no workers, nothing is stored.

    FILE is as for `turnfold import`; - reads standard input.

    \b
    Examples:
      turnfold fold chat.jsonl --budget 2000
      TURNFOLD_SEMANTIC=on turnfold fold chat.jsonl       as workers with a sentence model do
      turnfold fold chat.jsonl --budget 800 --query "which database?" --json
      jq -c .messages[] request.json | turnfold fold - --budget 500
    """
    transcripts = read_transcripts(
        file, conversation_id=None, max_turn_bytes=MAX_TURN_BYTES, outcome="nothing was folded", unnamed="stdin"
    )
    transcript = _the_one(transcripts, file, conversation)
    with _folded(transcript) as folded:
        if only_digest:
            if as_json:
                print_json({"conversation_id": transcript.conversation_id, "digest": folded.digest()})
            else:
                click.echo(folded.digest())
            return
        made = folded.context(budget_tokens=budget_tokens, query=query, policy=policy)
        if as_json or form == "json":
            about = {"conversation_id": transcript.conversation_id, "digest": folded.digest()}
            print_json({**about, **context_as_json(made, OFFLINE_COMMANDS)})
        else:
            print_context(made, form, OFFLINE_COMMANDS)


def _the_one(transcripts: list[Transcript], file: Path, conversation: str | None) -> Transcript:
    by_name = {transcript.conversation_id: transcript for transcript in transcripts}
    if conversation is None and len(transcripts) == 1:
        return transcripts[0]
    if conversation in by_name:
        return by_name[conversation]
    some = ", ".join(sorted(by_name)[:5]) + (", …" if len(by_name) > 5 else "")
    wrong = "" if conversation is None else f"it contains no conversation {conversation!r}; "
    name = "standard input" if file == STANDARD_INPUT else file
    raise InvalidFile(f"{name}: {wrong}choose one of its {len(by_name)} conversations with --conversation: {some}")


def _folded(transcript: Transcript) -> FoldedConversation:
    from turnfold_worker.offline import fold as fold_offline
    from turnfold_worker.settings import WorkerSettings

    with progress() as bar:
        task = bar.add_task("folding", total=len(transcript.turns))
        return fold_offline(
            transcript.turns,
            conversation_id=transcript.conversation_id,
            title=transcript.title,
            semantic=WorkerSettings.from_env().semantic,
            on_progress=lambda turns: bar.update(task, completed=turns),
        )
