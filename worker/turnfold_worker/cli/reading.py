"""`turnfold context`, `expand`, `search` and `anchors`: the SDK's reads."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from turnfold.contract.records import FIRST_TAIL_ANCHOR, AnchorState, AnchorType, Origin
from turnfold.contract.wanted_anchors import ANCHORS_A_PAGE
from turnfold_worker.cli.account_commands import ONCE_A_WORKER_RUNS, commands_for
from turnfold_worker.cli.output import (
    console,
    json_of,
    json_option,
    plain,
    print_json,
    print_text,
    table,
    told_when_slow,
    words,
)
from turnfold_worker.cli.session import Session, pass_session
from turnfold_worker.cli.streams import safe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from turnfold import Context
    from turnfold.contract.records import Anchor

POLICIES = ("balanced", "recency", "tiered")
POLICY_HELP = "How to divide the budget."
BUDGET_HELP = "Token budget of the context."
FORMATS = ("text", "openai", "anthropic", "json")
TIME = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])
TYPES = [kind.value for kind in AnchorType]
STATES = ["all", *(state.value for state in AnchorState)]
ORIGINS = [origin.value for origin in Origin]


def in_utc(_context: click.Context, _option: click.Parameter, time: datetime | None) -> datetime | None:
    """Return an option's time, which has no time zone, as UTC."""
    return None if time is None else time.replace(tzinfo=UTC)


now_option = click.option(
    "--now", type=TIME, callback=in_utc, help="When the query is asked, in UTC; default: the newest turn's time."
)
as_of_option = click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    callback=in_utc,
    help="The state at the end of this day (UTC), such as 2026-05-03.",
)
origin_option = click.option(
    "--origin", "origins", type=click.Choice(ORIGINS), multiple=True, help="Only text of this origin; may be repeated."
)
speaker_option = click.option(
    "--speaker", "speakers", multiple=True, help="Only what this speaker said, by the name shown; may be repeated."
)


@click.command(short_help="Print a context within a token budget.")
@click.argument("conversation")
@click.option("--budget", "budget_tokens", type=click.IntRange(1), default=2000, show_default=True, help=BUDGET_HELP)
@click.option("--query", help="Topic of the next answer: related parts get more tokens.")
@click.option("--system", help="System text, always included in full.")
@click.option("--policy", type=click.Choice(POLICIES), default=POLICIES[0], show_default=True, help=POLICY_HELP)
@click.option("--expand", "expand", multiple=True, help="Marker to expand in the context; up to 8 times.")
@now_option
@as_of_option
@origin_option
@speaker_option
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@json_option
@pass_session
def context(
    session: Session,
    /,
    conversation: str,
    query: str | None,
    as_of: datetime | None,
    form: str,
    as_json: bool,
    origins: tuple[str, ...],
    speakers: tuple[str, ...],
    **options: Any,
) -> None:
    """Print the context of CONVERSATION within a token budget.

    \b
    Examples:
      turnfold context chat --budget 2000
      turnfold context chat --budget 800 --query "which database?"
      turnfold context chat --query "what did we decide last week?" --now 2026-05-14
      turnfold context chat --origin user --speaker Ana
      turnfold context chat --expand L1:refunds-7 --expand L0:turn-12
      turnfold context chat --as-of 2026-05-03
      turnfold context chat --format openai > messages.json
    """
    made = session.turnfold.context(
        conversation, query=query, query_vector=session.vector_of(query), origins=origins or None,
        speakers=speakers or None, as_of=as_of, **options,
    )  # fmt: skip
    if made.coverage is None and as_of is None:
        raise session.nothing_appended(conversation)
    print_context(made, "json" if as_json else form, commands_for(conversation))


def print_context(made: Context, form: str, commands: Mapping[str, str]) -> None:
    """Print a context in one of `FORMATS`; `commands` is what `account_commands` returns."""
    match form:
        case "openai" | "anthropic":
            click.echo(json_of(made.request(form), indent=2))
        case "json":
            print_json(context_as_json(made, commands))
        case _:
            print_text(made.text)


def context_as_json(made: Context, commands: Mapping[str, str]) -> dict[str, Any]:
    """Return a context with its account as JSON, without the data for other formats."""
    budget = plain(made.budget)
    for left in budget["left_out"]:
        left["reach"] = commands.get(left["reach"], left["reach"])
    return {
        "text": made.text,
        "tokens": made.tokens,
        "counter": made.counter,
        "budget": budget,
        "markers": list(made.markers),
        "coverage": plain(made.coverage),
        "fingerprint": made.fingerprint,
    }


@click.command(short_help="Print what a marker stands for.")
@click.argument("conversation")
@click.argument("marker")
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    help="Truncate after this many tokens, and print the marker to continue with.",
)
@click.option("--reconstruct", is_flag=True, help="Let a model reconstruct removed turns from their summary.")
@json_option
@pass_session
def expand(
    session: Session, conversation: str, marker: str, max_tokens: int | None, reconstruct: bool, as_json: bool
) -> None:
    """Print what a MARKER in a context of CONVERSATION stands for.

    \b
    Examples:
      turnfold expand chat L1:auth-options-17
      turnfold expand chat L0:auth-options-17       the turns, verbatim
    """
    expansion = session.turnfold.expand(conversation, marker, max_tokens=max_tokens, reconstruct=reconstruct)
    if as_json:
        print_json(expansion)
        return
    print_text(expansion.text)
    for part in expansion.parts if expansion.next_marker is not None or expansion.level else ():
        place = f"turn {part.turn_seq}, part {part.number} of {part.count}"
        click.echo(f"{place}: {safe(part.title)}: {part.marker}", err=True)
    if expansion.verbatim_marker is not None:
        words_of = f"turnfold expand {shlex.quote(conversation)} {expansion.verbatim_marker}"
        click.echo(
            f"notes of turns {expansion.first_seq} to {expansion.last_seq}; original turns: {words_of}", err=True
        )
    if expansion.next_marker is not None:
        at = f" at {max_tokens} tokens" if max_tokens is not None else ""
        click.echo(f"truncated{at}; continue with {expansion.next_marker}", err=True)


@click.command(short_help="Search segments and turns.")
@click.argument("conversation")
@click.argument("query")
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="Maximum number of results.")
@now_option
@origin_option
@speaker_option
@json_option
@pass_session
def search(
    session: Session,
    conversation: str,
    query: str,
    limit: int,
    origins: tuple[str, ...],
    speakers: tuple[str, ...],
    now: datetime | None,
    as_json: bool,
) -> None:
    """Find segments and recent turns of CONVERSATION that are about QUERY.

    \b
    Examples:
      turnfold search chat "connection pool"
      turnfold search chat "connection pool" --speaker Ana
      turnfold search chat "what did we decide last week?" --now 2026-05-14
    """
    if not query.strip():
        raise click.UsageError("the query is empty: enter some words")
    hits = session.turnfold.search(
        conversation, query, limit=limit, origins=origins or None, speakers=speakers or None, now=now
    )
    if as_json:
        print_json(hits)
        return
    if not hits:
        click.echo("no results", err=True)
        return
    rows = table("#score", "turns", "snippet", "expand with")
    for hit in hits:
        part = hit.part
        passage = hit.snippet if part is None else f"({part.title}) {hit.snippet}"
        rows.add_row(
            f"{hit.score:.2f}", turn_range(hit.first_seq, hit.last_seq), words(passage, most=70),
            words(hit.marker if part is None else part.marker),
        )  # fmt: skip
    console().print(rows)


@click.command(short_help="List decisions, constraints and the like, verbatim.")
@click.argument("conversation")
@click.option("--type", "types", type=click.Choice(TYPES), multiple=True, help="Only these types.")
@click.option(
    "--state", "states", type=click.Choice(STATES), multiple=True, default=["active"], help="Only these states."
)
@as_of_option
@click.option("--first-turn", type=click.IntRange(1), default=1, show_default=True, help="Start at this turn.")
@click.option("--last-turn", type=click.IntRange(1), help="Stop after this turn.")
@click.option(
    "--limit", type=click.IntRange(1), default=ANCHORS_A_PAGE, show_default=True,
    help="Maximum number of anchors, in whole turns.",
)  # fmt: skip
@click.option("--resolve", type=click.IntRange(1), metavar="ID", help="Mark this anchor as resolved: it is done.")
@click.option(
    "--dismiss", type=click.IntRange(1), metavar="ID", help="Mark this anchor as dismissed: it never mattered."
)
@json_option
@pass_session
def anchors(
    session: Session,
    conversation: str,
    types: tuple[str, ...],
    states: tuple[str, ...],
    as_of: datetime | None,
    first_turn: int,
    last_turn: int | None,
    limit: int,
    resolve: int | None,
    dismiss: int | None,
    as_json: bool,
) -> None:
    """List the anchors of CONVERSATION: verbatim spans that must not be lost.

    \b
    Examples:
      turnfold anchors chat
      turnfold anchors chat --type decision --state all
      turnfold anchors chat --as-of 2026-05-03
      turnfold anchors chat --limit 50         tells how to continue after them
      turnfold anchors chat --resolve 7        contexts leave it out from now on

    An anchor in the open tail is shown as "tail 1", and can be settled once its segment is closed.
    """
    for anchor, dismissed in ((resolve, False), (dismiss, True)):
        if anchor is not None:
            session.turnfold.resolve_anchor(conversation, anchor, dismiss=dismissed)
    if resolve is not None or dismiss is not None:
        with told_when_slow(
            lambda: "waiting for a worker to store it",
            stopped=f"stopped waiting; it will be stored {ONCE_A_WORKER_RUNS}",
        ):
            session.turnfold.wait(conversation)
    wanted: dict[str, Any] = {"types": types or None, "states": None if "all" in states else states, "as_of": as_of}
    listed = session.turnfold.anchors(conversation, **wanted, first_turn=first_turn, last_turn=last_turn, limit=limit)
    if as_json:
        print_json(listed)
        return
    if not listed:
        click.echo("no matching anchors", err=True)
        return
    console().print(anchor_table(listed))
    behind = listed[-1].turn_seq + 1
    if session.turnfold.anchors(conversation, **wanted, first_turn=behind, last_turn=last_turn, limit=1):
        click.echo(f"there are more: --first-turn {behind}", err=True)


LONGEST_ANCHOR = 80
"""Characters of an anchor that a table shows."""
STATE_STYLES = {
    AnchorState.ACTIVE: "green",
    AnchorState.RESOLVED: "blue",
    AnchorState.SUPERSEDED: "yellow",
    AnchorState.DUPLICATE: "dim",
    AnchorState.DISMISSED: "dim",
}


def anchor_table(found: Sequence[Anchor]) -> Any:
    """Return anchors as a table."""
    rows = table("#id", "#turn", "speaker", "type", "state", "#score", "text")
    for anchor in found:
        rows.add_row(
            anchor_number(anchor.id),
            str(anchor.turn_seq),
            words(anchor.speaker or ""),
            anchor.type.replace("_", " "),
            words(anchor_state(anchor), STATE_STYLES[anchor.state]),
            str(anchor.score),
            words(anchor.text, most=LONGEST_ANCHOR),
        )
    return rows


def anchor_state(anchor: Anchor) -> str:
    """Describe an anchor's state and its related anchors: 'superseded by 7', 'active, replaces 3'."""
    by = f" by {anchor_number(anchor.related)}" if anchor.related is not None else ""
    replaces = f", replaces {anchor_number(anchor.replaces)}" if anchor.replaces is not None else ""
    return f"{anchor.state}{by}{replaces}"


def anchor_number(id_: int) -> str:
    """Return an anchor's id for people; one of the open tail gets "tail N", since it cannot be settled by id."""
    return f"tail {id_ - FIRST_TAIL_ANCHOR + 1}" if id_ >= FIRST_TAIL_ANCHOR else f"{id_}"


def turn_range(first_seq: int, last_seq: int) -> str:
    """Format a range of turn numbers for people."""
    return f"{first_seq}" if first_seq == last_seq else f"{first_seq}–{last_seq}"
