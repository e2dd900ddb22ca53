"""`turnfold inspect`: show the tree of a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click
from rich.text import Text
from rich.tree import Tree

from turnfold.contract.results import Tier
from turnfold.contract.turn_limits import INSPECTED_SEGMENTS
from turnfold_worker.cli.output import console, json_option, plain, print_json, words
from turnfold_worker.cli.reading import STATE_STYLES, anchor_number, anchor_state, turn_range
from turnfold_worker.cli.session import Session, pass_session

if TYPE_CHECKING:
    from turnfold.contract.records import Anchor
    from turnfold_worker.operate.conversation_tree import LookedUp
    from turnfold_worker.operate.inspection import Branch, Inspection
    from turnfold_worker.operate.provenance import Provenance


@click.command(short_help="Show the tree of a conversation.")
@click.argument("conversation")
@click.option("--levels", is_flag=True, help="Show the text of every level.")
@click.option("--facts", is_flag=True, help="Show the entities and relations of every node.")
@click.option("--anchors/--no-anchors", default=True, show_default=True, help="Show the anchors of each segment.")
@click.option("--notes", is_flag=True, help="Show the notes of each segment, with importance and state.")
@click.option("--turns", is_flag=True, help="Show the score of each turn: level 1 quotes the highest verbatim.")
@click.option("--factors", is_flag=True, help="Show the factors of each score and importance.")
@click.option(
    "--first-turn", type=click.IntRange(1), default=1, show_default=True, help="Start at the segment of this turn."
)
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=INSPECTED_SEGMENTS,
    show_default=True,
    help="Maximum number of segments.",
)
@click.option("--reset-expansions", is_flag=True, help="First reset the expansion counts.")
@json_option
@pass_session
def inspect(
    session: Session,
    conversation: str,
    levels: bool,
    facts: bool,
    anchors: bool,
    notes: bool,
    turns: bool,
    factors: bool,
    first_turn: int,
    limit: int,
    reset_expansions: bool,
    as_json: bool,
) -> None:
    """Show the tree of CONVERSATION: chapters, segments, the size of each level, anchors, and expansions.

    Anchors and turns have a score from 0 to 100. Notes and segments have an importance, which makes a segment hot, warm
    or cold (`turnfold context --policy tiered` uses this); --factors shows how these numbers come about. Segments that
    are expanded often are shown in more detail in contexts; --reset-expansions clears these counts.

    \b
    Examples:
      turnfold inspect chat
      turnfold inspect chat --levels
      turnfold inspect chat --facts --no-anchors
      turnfold inspect chat --notes --factors
      turnfold inspect chat --limit 20         tells how to continue after them
    """
    from turnfold_worker.adapters.sql.access import reset_expansions_of
    from turnfold_worker.operate.inspection import inspect_conversation

    if reset_expansions:
        reset_expansions_of(session.write_engine, session.standing_address(conversation))
    address = session.standing_address(conversation)
    inspection = inspect_conversation(session.reader, address, turns=turns, first_turn=first_turn, limit=limit)
    if as_json:
        print_json({**plain(inspection), "open_turns": inspection.open_turns})
        return
    shown = Shown(levels=levels, facts=facts, anchors=anchors, notes=notes, turns=turns, factors=factors)
    console().print(inspection_tree(inspection, shown))
    if inspection.next_turn is not None:
        click.echo(f"there are more: --first-turn {inspection.next_turn}", err=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Details printed under each node."""

    levels: bool = False
    facts: bool = False
    anchors: bool = True
    notes: bool = False
    turns: bool = False
    factors: bool = False


USUAL: Final = Shown()
TIER_STYLES: Final[Mapping[Tier, str]] = {"hot": "bold red", "warm": "yellow", "cold": "blue"}


def inspection_tree(inspection: Inspection, shown: Shown = USUAL) -> Tree:
    """Return a conversation as a tree to print."""
    head = inspection.head
    tree = Tree(
        Text.assemble(
            words(inspection.conversation_id, "bold"),
            f"  {head.turn_count} turns, {head.node_count} segments, {head.anchor_count} active anchors",
        ),
        guide_style="dim",
    )
    for branch in inspection.branches:
        _grow(tree, branch, shown)
    if (line := expansions_line(inspection.looked_up)) is not None:
        tree.add(Text(line, "dim"))
    if inspection.open_turns and inspection.next_turn is None:
        tail = tree.add(
            Text(f"turns {turn_range(head.closed_seq + 1, head.turn_count)}  open tail, not yet in a segment", "dim")
        )
        for anchor in inspection.anchors if shown.anchors else ():
            if anchor.provisional:
                tail.add(_anchor_line(anchor) + _factors(anchor.factors, shown))
    return tree


def expansions_line(looked_up: LookedUp) -> str | None:
    """Describe how many expansions were requested and how many returned text; None before the first."""
    if looked_up.hit_rate is None:
        return None
    return f"expansions: {looked_up.asked} requested, {looked_up.found} found ({looked_up.hit_rate:.0%})"


def _grow(tree: Tree, branch: Branch, shown: Shown) -> None:
    node = branch.node
    kind = "segment" if node.height == 0 else f"chapter of height {node.height}"
    sizes = " ".join(f"L{level} {node.tokens[level]} ({ratio:.1f}:1)" for level, ratio in branch.ratios.items())
    grown = tree.add(
        Text.assemble(
            words(node.marker_name, "bold cyan" if node.height == 0 else "bold magenta"),
            f"  turns {turn_range(node.first_seq, node.last_seq)}",
            Text(f"  {kind}, {node.tokens[0]} tokens → {sizes}{_entities(branch)}{_made_by(branch)}", "dim"),
            Text(_accesses(branch), "yellow"),
            *_tier(branch, shown),
        )
    )
    if shown.levels:
        for level, text in sorted(branch.levels.items()):
            source = branch.provenance.get(level)
            made = "" if source is None else f" {_named(source)}, from {source.source_hash}"
            grown.add(Text.assemble((f"L{level}", "bold"), (made, "dim"), " ", words(text.strip())))
    if shown.facts:
        for fact, texts in branch.facts.items():
            grown.add(Text.assemble((f"{fact}: ", "bold"), words(", ".join(texts))))
    for line, factors in _scored(branch, shown):
        grown.add(line + _factors(factors, shown))
    for child in branch.children:
        _grow(grown, child, shown)


def _scored(branch: Branch, shown: Shown) -> Iterator[tuple[Text, Mapping[str, int]]]:
    """Yield lines for anchors, notes and turns, each with the factors of its score."""
    for anchor in branch.anchors if shown.anchors else ():
        source = branch.anchor_provenance.get(anchor.id)
        made = f" [{_named(source)}]" if source is not None and source.model else ""
        yield _anchor_line(anchor, made), anchor.factors
    for note in branch.notes if shown.notes else ():
        state = "" if note.state == "active" else f" ({note.state})"
        label = f"note {note.importance}{state}, {note.written_by}, turn {note.turn_seq}, "
        note_line = words(f"{note.speaker}: {note.text}", most=90)
        yield Text.assemble((label, STATE_STYLES[note.state]), note_line), note.factors
    for turn in branch.turns if shown.turns else ():
        yield Text(f"turn {turn.seq} {turn.score}"), turn.factors


def _anchor_line(anchor: Anchor, made: str = "") -> Text:
    state = "" if anchor.state == "active" else f" ({anchor_state(anchor)})"
    label = f"{anchor_number(anchor.id)} {anchor.type.replace('_', ' ')} {anchor.score}{state}{made}: "
    return Text.assemble((label, STATE_STYLES[anchor.state]), words(anchor.text, most=90))


def _entities(branch: Branch) -> str:
    """Describe how many of a node's names its level 1 still contains."""
    named = branch.named
    return f", names kept {len(branch.entities.get(1, ()))} of {len(named)}" if named else ""


def _tier(branch: Branch, shown: Shown) -> Iterator[Text]:
    """Yield the tier and importance of a segment, then the factors."""
    if branch.tiered is not None:
        yield Text(f", {branch.tiered.tier} {branch.tiered.importance}", TIER_STYLES[branch.tiered.tier])
        yield _factors({name: points for name, points in branch.tiered.factors.items() if points}, shown)


def _accesses(branch: Branch) -> str:
    """Describe how often a segment was expanded, and when last."""
    if not branch.expansions:
        return ""
    last = f", last {branch.expanded_at:%Y-%m-%d %H:%M} UTC" if branch.expanded_at is not None else ""
    return f", expanded {branch.expansions}×{last}"


def _factors(factors: Mapping[str, int], shown: Shown) -> Text:
    """Return the factors of a score, if they are wanted."""
    named = " ".join(f"{name} {points:+}" for name, points in factors.items())
    return Text(f"  ({named})" if shown.factors and named else "", "dim")


def _named(source: Provenance) -> str:
    """Return the author of a text: `rules`, or a model and its prompt version."""
    return f"{source.model}, {source.prompt_version}" if source.model else source.method


def _made_by(branch: Branch) -> str:
    """Name the levels that a model wrote."""
    models: dict[str, list[str]] = {}
    for level, source in sorted(branch.provenance.items()):
        if source.model:
            models.setdefault(_named(source), []).append(f"L{level}")
    return "".join(f", {' '.join(levels)} by {name}" for name, levels in models.items())
