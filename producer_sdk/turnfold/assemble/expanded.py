"""Inline expansion of the markers that a caller asks for, for clients without tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from turnfold.assemble.forms.chat import whole
from turnfold.assemble.forms.clip import clip_text, head_of, longest_within
from turnfold.assemble.forms.markers import TurnsTarget, parse_marker, turns_marker
from turnfold.assemble.forms.render_text import (
    EXPANDED_HEADER,
    closed_line,
    day_lines,
    goes_on_line,
    guarded,
    passage_opening,
    shown_words,
    turn_opening,
)
from turnfold.assemble.material import Material
from turnfold.assemble.pages import GOES_ON
from turnfold.assemble.pricing import Pricing
from turnfold.contract.records import StoredTurn
from turnfold.contract.results import Expansion, Passage
from turnfold.tokens import Counter

LEAST_TOKENS: Final = 40
"""With less room a passage is left out: its label would be most of it."""


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """The shown part of a marker's text."""

    marker: str
    text: str
    """The rendered passage."""
    goes_on: str | None
    """Marker of the rest; None when all is shown."""
    inside: tuple[str, ...]
    """Markers inside the text."""

    @property
    def markers(self) -> tuple[str, ...]:
        return (*self.inside, *([self.goes_on] if self.goes_on else []))


@dataclass(frozen=True, slots=True)
class Expanded:
    """Passages that fit, in the order requested."""

    passages: tuple[ShownPassage, ...]
    left_out: tuple[str, ...]
    tokens: int
    """Tokens of the passages with their header."""


def expanded(material: Material, pricing: Pricing, *, most_tokens: int) -> Expanded:
    """Cut each passage to an equal share of the room; the next ones get what one leaves."""
    passages = material.snapshot.passages
    room = most_tokens - pricing.count(EXPANDED_HEADER)
    shown_passages: list[ShownPassage] = []
    left_out: list[str] = []
    for i, passage in enumerate(passages):
        share = max(room, 0) // (len(passages) - i)
        shown_passage = _shown(passage, material, pricing, most_tokens=share)
        if shown_passage is None:
            left_out.append(passage.marker)
            continue
        shown_passages.append(shown_passage)
        room -= pricing.count(shown_passage.text)
    return Expanded(tuple(shown_passages), tuple(left_out), most_tokens - room if shown_passages else 0)


def _shown(passage: Passage, material: Material, pricing: Pricing, *, most_tokens: int) -> ShownPassage | None:
    expansion = passage.expansion
    whole_text = _opening(expansion) + _words(passage, material)
    if expansion.next_marker is None and pricing.count(closed_line(whole_text)) <= most_tokens:
        return ShownPassage(passage.marker, closed_line(whole_text), None, expansion.markers)
    if most_tokens < LEAST_TOKENS:
        return None
    if expansion.turns:
        return _cut_turns(passage, material, pricing, most_tokens=most_tokens)
    following = expansion.next_marker or turns_marker(expansion.first_seq, expansion.last_seq)
    room = most_tokens - pricing.count(goes_on_line(following)) - pricing.count("\n")
    opening = _opening(expansion)
    kept, _ = clip_text(whole_text, room, Counter("", pricing.count))
    if len(kept.rstrip()) <= len(opening):
        return None
    text = closed_line(kept.rstrip()) + goes_on_line(following)
    inside = tuple(marker for marker in expansion.markers if f"\N{RIGHTWARDS ARROW}{marker}]" in kept)
    return _within(ShownPassage(passage.marker, text, following, inside), pricing, most_tokens)


def _cut_turns(passage: Passage, material: Material, pricing: Pricing, *, most_tokens: int) -> ShownPassage | None:
    """Show whole turns while they fit, then the beginning of the next one and the marker of the rest."""
    expansion = passage.expansion
    last_seq = _last_seq(expansion)
    lines = _turn_lines(passage, material)
    until = _until(passage)
    longest = goes_on_line(
        turns_marker(expansion.first_seq, last_seq, offset=10**7, until=None if until is None else 10**8)
    )
    opening = closed_line(_opening(expansion))
    room = most_tokens - pricing.count(opening) - pricing.count(longest)
    whole_lines: list[str] = []
    for line in lines:
        if (cost := pricing.count(line)) > room:
            break
        room -= cost
        whole_lines.append(line)
    following = expansion.next_marker
    if len(whole_lines) < len(lines):
        turn = expansion.turns[len(whole_lines)]
        beginning = _beginning(passage, turn, material, pricing, most_tokens=room)
        if beginning:
            words = guarded(beginning.rstrip(), material.style.openings)
            whole_lines.append(closed_line(_turn_opening(passage, turn) + words))
        following = turns_marker(turn.seq, last_seq, offset=_begins(passage, turn) + len(beginning), until=until)
    if not whole_lines:
        return None
    text = opening + "".join(whole_lines) + (goes_on_line(following) if following else "")
    return _within(ShownPassage(passage.marker, text, following, ()), pricing, most_tokens)


def _beginning(passage: Passage, turn: StoredTurn, material: Material, pricing: Pricing, *, most_tokens: int) -> str:
    """As much of a turn's text as fits with its speaker; empty for a turn without text."""

    def tokens_at(size: int) -> int:
        words = guarded(head_of(turn.content, size).rstrip(), material.style.openings)
        return pricing.count(closed_line(_turn_opening(passage, turn) + words))

    size = longest_within(len(turn.content) - 1, most_tokens, tokens_at) if turn.content else 0
    beginning = head_of(turn.content, size)
    return beginning if beginning.strip() else ""


def _within(shown_passage: ShownPassage, pricing: Pricing, most_tokens: int) -> ShownPassage | None:
    """Return the passage if it fits; the counts of a caller's counter need not add up."""
    return shown_passage if pricing.count(shown_passage.text) <= most_tokens else None


def _opening(expansion: Expansion) -> str:
    return passage_opening(expansion.first_seq, expansion.last_seq, level=expansion.level)


def _words(passage: Passage, material: Material) -> str:
    if passage.expansion.turns:
        return "\n" + "".join(_turn_lines(passage, material))
    # On the label's line, so that the first words cannot imitate a line of ours.
    return " " + guarded(passage.expansion.text, material.style.openings)


def _turn_lines(passage: Passage, material: Material) -> list[str]:
    shown_turns = [whole(turn) for turn in passage.expansion.turns]
    return [
        day
        + closed_line(
            _turn_opening(passage, shown_turn.turn) + guarded(shown_words(shown_turn), material.style.openings)
        )
        for shown_turn, day in zip(shown_turns, day_lines(shown_turns), strict=True)
    ]


def _turn_opening(passage: Passage, turn: StoredTurn) -> str:
    return turn_opening(turn) + (GOES_ON if _begins(passage, turn) else "")


def _last_seq(expansion: Expansion) -> int:
    """Last turn that the marker covers."""
    if expansion.next_marker is None:
        return expansion.last_seq
    target = parse_marker(expansion.next_marker).target
    return target.last_seq if isinstance(target, TurnsTarget) else expansion.last_seq


def _until(passage: Passage) -> int | None:
    """Code point at which the marker's part of a turn ends; None without a limit."""
    target = parse_marker(passage.marker).target
    return target.until if isinstance(target, TurnsTarget) else None


def _begins(passage: Passage, turn: StoredTurn) -> int:
    """Code points of the turn before the fetched part."""
    target = parse_marker(passage.marker).target
    return target.offset if isinstance(target, TurnsTarget) and target.first_seq == turn.seq else 0
