"""Code, tables and outputs that a query asks for, shown whole in addition to the parts chosen by value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from turnfold.assemble.assembly import least_assembly
from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.markers import turns_marker
from turnfold.assemble.forms.render_text import EXCERPTS_HEADER, clip_gap
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Plan
from turnfold.assemble.pricing import Pricing
from turnfold.code_blocks.blocks import INTRODUCTION, block_name, introduction
from turnfold.code_blocks.index import FoundBlock, entries_of
from turnfold.code_blocks.languages import language_of
from turnfold.code_blocks.ranking import RankedBlock, ranked, told_by_words
from turnfold.code_blocks.requests import BlockRequest, asked_block
from turnfold.contract.fences import fences_of
from turnfold.contract.records import StoredTurn, TurnState

_SHARE: Final = 0.5
"""Maximum share of the budget for blocks that a query asks to see."""
_SHARE_SPOKEN_OF: Final = 0.25
"""Maximum share of the budget for a block that the query only mentions."""
_MOST: Final = 4
_TAIL: Final = 60
"""Newest unfolded turns whose blocks are considered."""


class AskedBlocks(NamedTuple):
    """Blocks as they are shown, and their cost with the header."""

    shown: tuple[ShownTurn, ...] = ()
    tokens: int = 0

    def added_to(self, plan: Plan) -> Plan:
        """Add the blocks to a plan's excerpts, in order."""
        if not self.shown:
            return plan
        excerpts = sorted((*self.shown, *plan.excerpts), key=lambda shown_turn: shown_turn.turn.seq)
        allotted = dict(plan.allotted)
        allotted["excerpts"] = allotted.get("excerpts", 0) + self.tokens
        return plan._replace(excerpts=tuple(excerpts), allotted=tuple(allotted.items()))


def asked_blocks(material: Material, pricing: Pricing, plan: Plan, *, target: int) -> AskedBlocks:
    """Blocks that a query asks for and `plan` does not show raw, within a share of the budget and of `target` tokens.

    The best match is whole, or named on a line where there is no room for it; other candidates are added if they fit.
    """
    request = asked_block(material.question or "", is_query=bool(material.request.query))
    if request is None or material.snapshot.unread:
        return AskedBlocks()
    share = _SHARE if request.insists and request.names_one else _SHARE_SPOKEN_OF
    beside = target - least_assembly(material, pricing).largest
    room = min(beside, int(share * material.request.usable_tokens)) - pricing.count(EXCERPTS_HEADER)
    excerpts: list[ShownTurn] = []
    for place, block in enumerate(_meant(material, request)):
        if _stands_in(plan, block):
            if place == 0:
                return AskedBlocks()
            continue
        forms = [*_words(material, block), *([_named(material, block)] if place == 0 else [])]
        for form in forms:
            if (cost := pricing.excerpt(form)) <= room:
                excerpts.append(form)
                room -= cost
                break
    spent = pricing.count(EXCERPTS_HEADER) + sum(map(pricing.excerpt, excerpts))
    return AskedBlocks(tuple(excerpts), spent) if excerpts else AskedBlocks()


def _meant(material: Material, request: BlockRequest) -> list[FoundBlock]:
    """Matching blocks of folded turns and of turns in no segment yet, best first."""
    blocks = {(block_found.entry.seq, block_found.entry.start): block_found for block_found in material.snapshot.blocks}
    held = material.snapshot.changing
    newest = {turn.seq: turn for turn in _unfolded(material)}
    for entry in entries_of(newest.values()):
        turn = newest[entry.seq]
        text_before = turn.content[max(0, entry.start - INTRODUCTION) : entry.start]
        blocks[entry.seq, entry.start] = FoundBlock(entry, turn, text_before, turn.content[entry.start : entry.end])
    usable = {
        key: block for key, block in blocks.items() if block.entry.seq not in held or block.turn in material.window
    }
    entries = [block.entry for block in usable.values()]
    told_by_block = dict(material.snapshot.told_of_blocks) or told_by_words(request, entries)
    best: list[RankedBlock] = ranked(request, entries, told_by_block, most=_MOST)
    keys = [
        (block_found.entry.seq, block_found.entry.start) for block_found in best or material.snapshot.blocks[:_MOST]
    ]
    # The blocks that were read are ranked among all: one may match only by its earlier version, which was not read.
    return [usable[key] for key in keys if key in usable]


def _unfolded(material: Material) -> Sequence[StoredTurn]:
    newest = material.after(material.closed_seq)[-_TAIL:]
    # Offsets are different in a turn whose middle the read left out.
    return [turn for turn in newest if turn.state is TurnState.STORED and turn.kept is None]


def _stands_in(plan: Plan, block: FoundBlock) -> bool:
    """True if a raw turn of the plan contains the whole block."""
    return any(shown_turn.turn.seq == block.entry.seq and block.text in shown_turn.content for shown_turn in plan.raw)


def _words(material: Material, block: FoundBlock) -> list[ShownTurn]:
    """The whole block, below the line that introduces it or without that line."""
    if len(block.text) < block.entry.end - block.entry.start:
        return []
    opening = introduction(block.before, len(block.before))
    marker = _marker(material, block)
    # The marker on a line of its own, so that a closing fence stays one.
    around = f"\n{block.text}\n{clip_gap(marker).rstrip()}"
    return [ShownTurn(block.turn, line + around, marker=marker) for line in dict.fromkeys((opening or "…", "…"))]


def _named(material: Material, block: FoundBlock) -> ShownTurn:
    """The name of the block, on one line."""
    inside, language_info = block.text, ""
    if (fences := fences_of(block.text)) and fences[0].start == 0:
        inside, language_info = block.text[fences[0].inside : fences[0].inside_end], fences[0].info
    name = block_name(inside, block.entry.kind, language_of(language_info, inside), lines=block.entry.lines)
    marker = _marker(material, block)
    return ShownTurn(block.turn, name + clip_gap(marker).rstrip(), marker=marker)


def _marker(material: Material, block: FoundBlock) -> str:
    seq = block.entry.seq
    return material.marker_of(block.turn) or turns_marker(seq, seq)
