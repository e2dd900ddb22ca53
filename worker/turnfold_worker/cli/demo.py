"""`turnfold demo`: run the whole pipeline on a real conversation and show each step."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.panel import Panel
from rich.rule import Rule

from turnfold.contract.keys import Address
from turnfold.contract.records import Anchor, AnchorState
from turnfold.wire.decode import decode_turn
from turnfold.wire.encode import accept
from turnfold_worker.cli.import_command import append_all
from turnfold_worker.cli.inspect_command import Shown, inspection_tree
from turnfold_worker.cli.output import called, console, progress, words
from turnfold_worker.cli.reading import anchor_table
from turnfold_worker.importing.transcripts import InvalidFile, Transcript, read_transcripts

if TYPE_CHECKING:
    from rich.console import Console

    from turnfold import Turnfold
    from turnfold_worker.local.stack import Stack
    from turnfold_worker.operate.inspection import Inspection

EXAMPLE: Final = "product-discussion.jsonl"
CONVERSATION: Final = "product-discussion"
BUDGETS: Final = (500, 2000)
BATCH: Final = 5
ACTIVE_ANCHORS: Final = 20
"""Active anchors that are shown, at most."""
FOLD_SECONDS: Final = 60.0
MAX_TURN_BYTES: Final = 1_048_576


@click.command(short_help="Run a demo in under a minute.")
def demo() -> None:
    """Fold an example conversation with real Redis, workers and SQLite, and show the result.

    Takes less than a minute, needs no key and no server, and leaves nothing behind.
    """
    from turnfold import Turnfold
    from turnfold_worker.local.stack import Stack

    out = console()
    transcript = _example()
    out.print(f"[bold]Turnfold demo[/bold]: {len(transcript.turns)} turns of a product discussion\n")
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="turnfold-demo-"))
        with out.status("starting Redis, SQLite and two Celery worker processes"):
            stack = Stack(Path(folder), environment=_own_environment())
            opened.enter_context(stack)
        _started(out, stack)
        client = opened.enter_context(Turnfold.from_settings(stack.settings))
        _append(out, client, transcript, redis_url=stack.settings.redis_url)
        _show(out, client, _inspection(stack, client.tenant), _tokens(transcript))
        with out.status("stopping"):
            client.close()
            stack.stop()
    _goodbye(out)


def _own_environment() -> dict[str, str]:
    """Return the environment without TURNFOLD_* variables: the demo is the same everywhere and touches nothing else."""
    return {name: setting for name, setting in os.environ.items() if not name.startswith("TURNFOLD_")}


def _example() -> Transcript:
    packaged = files("turnfold_worker") / "examples" / EXAMPLE
    # An editable installation has no packaged copy; the repository has the file.
    beside = Path(__file__).parents[3] / "examples" / EXAMPLE
    if not packaged.is_file() and not beside.is_file():
        raise InvalidFile(f"{EXAMPLE} is missing from this installation", remedy="install turnfold-worker again")
    with as_file(packaged if packaged.is_file() else beside) as path:
        return read_transcripts(path, conversation_id=CONVERSATION, max_turn_bytes=MAX_TURN_BYTES)[0]


def _started(out: Console, stack: Stack) -> None:
    processes = stack.as_json()["processes"]
    assert isinstance(processes, dict)  # noqa: S101 - for the type checker
    named = ", ".join(f"{name} (pid {pid})" for name, pid in processes.items())
    out.print(f"1. Started {named}, and a SQLite database.", markup=False)


def _append(out: Console, client: Turnfold, transcript: Transcript, *, redis_url: str) -> None:
    began = time.monotonic()
    with progress() as bar:
        task = bar.add_task("2. appending through the SDK", total=len(transcript.turns))
        append_all(client, transcript, batch=BATCH, redis_url=redis_url, sent=lambda turns: bar.advance(task, turns))
    appended = time.monotonic()
    with out.status("waiting for the workers to store and fold them"):
        status = client.wait(CONVERSATION, timeout_seconds=FOLD_SECONDS)
    folded = time.monotonic()
    out.print(
        f"2. Appended {len(transcript.turns)} turns to Redis in {appended - began:.2f} s; {folded - appended:.2f} s "
        f"later {status.stored} were in SQL and folded into {status.segments} segments.\n"
    )


def _inspection(stack: Stack, tenant: str) -> Inspection:
    from turnfold.database.engines import connect
    from turnfold.database.reader import Reader
    from turnfold_worker.operate.inspection import inspect_conversation

    reader = Reader(connect(stack.settings.database_url, write=False, timeout_seconds=5))
    try:
        return inspect_conversation(reader, Address(tenant, CONVERSATION))
    finally:
        reader.close()


def _tokens(transcript: Transcript) -> int:
    """Estimate the tokens of the whole transcript."""
    bodies = [accept(turn, max_bytes=MAX_TURN_BYTES).body for turn in transcript.turns]
    return sum(decode_turn(body, seq=0, turn_id="").tokens for body in bodies)


def _show(out: Console, client: Turnfold, inspection: Inspection, whole_tokens: int) -> None:
    out.print(Rule("3. The tree: each node can be shown in full or at three shorter levels", align="left"))
    out.print(inspection_tree(inspection, Shown(anchors=False)))
    out.print()
    out.print(Rule("4. Anchors: verbatim and never lost; later turns resolve or supersede them", align="left"))
    telling = _most_telling(inspection.anchors)
    out.print(anchor_table(telling))
    if len(telling) < len(inspection.anchors):
        out.print(f"… and {len(inspection.anchors) - len(telling)} more active ones", style="dim")
    full = inspection.tokens(0) or 1
    out.print(
        f"\nAll segments: {full} tokens in full, {inspection.tokens(1)} at level 1 "
        f"({full / max(1, inspection.tokens(1)):.1f}:1), {inspection.tokens(2)} at level 2 "
        f"({full / max(1, inspection.tokens(2)):.1f}:1), {inspection.tokens(3)} at level 3.\n"
    )
    marker = _show_contexts(out, client, whole_tokens)
    if marker is not None:
        expansion = client.expand(CONVERSATION, marker, max_tokens=400)
        out.print(Rule(f"6. expand({CONVERSATION!r}, {marker!r})", align="left", characters="─"))
        out.print(Panel(words(expansion.text.strip()), border_style="dim"))


def _most_telling(anchors: Sequence[Anchor]) -> list[Anchor]:
    """Return the anchors that later turns changed and the highest-ranked active ones, in the order of the turns."""
    active = sorted((a for a in anchors if a.state is AnchorState.ACTIVE), key=lambda a: (-a.rank, a.id))
    kept = {anchor.id for anchor in active[:ACTIVE_ANCHORS]}
    return [anchor for anchor in anchors if anchor.state is not AnchorState.ACTIVE or anchor.id in kept]


def _show_contexts(out: Console, client: Turnfold, whole_tokens: int) -> str | None:
    """Print a context for each budget and return a marker of the largest one."""
    marker = None
    for budget in BUDGETS:
        context = client.context(CONVERSATION, budget_tokens=budget)
        ratio = whole_tokens / max(1, context.tokens)
        title = f"5. context(budget_tokens={budget}): {context.tokens} tokens for {whole_tokens}, {ratio:.1f}:1"
        out.print(Rule(title, align="left"))
        out.print(Panel(words(context.text.strip()), border_style="dim"))
        named = [found for found in context.markers if not found.startswith("L3:turns-")]
        marker = named[len(named) // 2] if named else marker
    return marker


def _goodbye(out: Console) -> None:
    next_ones = {
        "up": "keep it running, with its state on disk",
        "import your-chat.jsonl": "in a second terminal",
        "context your-chat --budget 2000": "",
        "--help": "",
    }
    lines = [f"  {f'{called()} {command}':44}{meaning}".rstrip() for command, meaning in next_ones.items()]
    out.print("\nEverything was stopped and removed. Next steps:\n", *lines, "", sep="\n", markup=False)
