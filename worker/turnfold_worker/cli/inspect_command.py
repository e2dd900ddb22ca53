"""`turnfold inspect`: the tree of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.text import Text
from rich.tree import Tree

from turnfold_worker.cli.output import console, json_option, plain, print_json, words
from turnfold_worker.cli.reading import STATE_STYLES, anchor_state, turn_range
from turnfold_worker.cli.session import Session, pass_session

if TYPE_CHECKING:
    from turnfold_worker.inspection import Branch, Inspection
    from turnfold_worker.provenance import Provenance
    from turnfold_worker.trees import LookedUp


@click.command(short_help="Show the tree of a conversation.")
@click.argument("conversation")
@click.option("--levels", is_flag=True, help="Show the words of every level.")
@click.option("--facts", is_flag=True, help="Show the entities and relations of every node.")
@click.option("--anchors/--no-anchors", default=True, show_default=True, help="Show the anchors of each segment.")
@click.option("--reset-expansions", is_flag=True, help="First forget what was looked up.")
@json_option
@pass_session
def inspect(
    session: Session,
    conversation: str,
    levels: bool,
    facts: bool,
    anchors: bool,
    reset_expansions: bool,
    as_json: bool,
) -> None:
    """Show the tree of CONVERSATION: chapters, segments, the size of each level, anchors, and what is looked up.

    What is looked up often is shown in more detail in contexts. --reset-expansions begins anew.

    \b
    Examples:
      turnfold inspect chat
      turnfold inspect chat --levels
      turnfold inspect chat --facts --no-anchors
    """
    from turnfold_worker.adapters.sql_access import reset_expansions_of
    from turnfold_worker.inspection import inspect_conversation

    if reset_expansions:
        reset_expansions_of(session.write_engine, session.standing_address(conversation))
    inspection = inspect_conversation(session.reader, session.standing_address(conversation))
    if as_json:
        print_json({**plain(inspection), "open_turns": inspection.open_turns})
        return
    console().print(inspection_tree(inspection, levels=levels, facts=facts, anchors=anchors))


def inspection_tree(inspection: Inspection, *, levels: bool = False, facts: bool = False, anchors: bool = True) -> Tree:
    """A conversation as a tree to print."""
    head = inspection.head
    tree = Tree(
        Text.assemble(
            words(inspection.conversation_id, "bold"),
            f"  {head.turn_count} turns, {head.node_count} segments, {head.anchor_count} active anchors",
        ),
        guide_style="dim",
    )
    for branch in inspection.branches:
        _grow(tree, branch, levels=levels, facts=facts, anchors=anchors)
    if (line := expansions_line(inspection.looked_up)) is not None:
        tree.add(Text(line, "dim"))
    if inspection.open_turns:
        tree.add(
            Text(f"turns {turn_range(head.closed_seq + 1, head.turn_count)}  open tail, not in a segment yet", "dim")
        )
    return tree


def expansions_line(looked_up: LookedUp) -> str | None:
    """How often something was looked up, and how often that led to words; None before the first time."""
    if looked_up.hit_rate is None:
        return None
    return f"expansions: {looked_up.asked} asked for, {looked_up.found} found ({looked_up.hit_rate:.0%})"


def _grow(tree: Tree, branch: Branch, *, levels: bool, facts: bool, anchors: bool) -> None:
    node = branch.node
    kind = "segment" if node.height == 0 else f"chapter of height {node.height}"
    full, *shorter = node.tokens
    sizes = " ".join(f"L{level} {size}" for level, size in enumerate(shorter, start=1))
    grown = tree.add(
        Text.assemble(
            words(node.marker_name, "bold cyan" if node.height == 0 else "bold magenta"),
            f"  turns {turn_range(node.first_seq, node.last_seq)}",
            Text(f"  {kind}, {full} tokens → {sizes}{_made_by(branch)}", "dim"),
            Text(f", expanded {branch.expansions}×" if branch.expansions else "", "yellow"),
        )
    )
    if levels:
        for level, text in sorted(branch.levels.items()):
            source = branch.provenance.get(level)
            made = "" if source is None else f" {_named(source)}, from {source.source_hash}"
            grown.add(Text.assemble((f"L{level}", "bold"), (made, "dim"), " ", words(text.strip())))
    if facts:
        for fact, texts in branch.facts.items():
            grown.add(Text.assemble((f"{fact}: ", "bold"), words(", ".join(texts))))
    if anchors:
        for anchor in branch.anchors:
            state = "" if anchor.state == "active" else f" ({anchor_state(anchor)})"
            source = branch.anchor_provenance.get(anchor.id)
            made = f" [{_named(source)}]" if source is not None and source.model else ""
            label = f"{anchor.id} {anchor.type.replace('_', ' ')}{state}{made}: "
            grown.add(Text.assemble((label, STATE_STYLES[anchor.state]), words(anchor.text, most=90)))
    for child in branch.children:
        _grow(grown, child, levels=levels, facts=facts, anchors=anchors)


def _named(source: Provenance) -> str:
    """Who wrote it: `rules`, or a model and its prompt."""
    return f"{source.model}, {source.prompt_version}" if source.model else source.method


def _made_by(branch: Branch) -> str:
    """Levels that a model wrote."""
    models: dict[str, list[str]] = {}
    for level, source in sorted(branch.provenance.items()):
        if source.model:
            models.setdefault(_named(source), []).append(f"L{level}")
    return "".join(f", {' '.join(levels)} by {name}" for name, levels in models.items())
