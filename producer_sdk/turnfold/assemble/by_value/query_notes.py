"""Notes that a query adds, after all that is the same for every query, so that contexts share a prefix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from turnfold.assemble.by_value.answers import NOTHING_QUOTED, Quoted
from turnfold.assemble.by_value.fitting import fitting_notes
from turnfold.assemble.by_value.past import NOTHING_STANDS, Past, Standing, Taken
from turnfold.assemble.forms.groups import Hits
from turnfold.assemble.forms.render_text import HITS_HEADER, MORE_HEADER, NO_MATCH_HEADER
from turnfold.assemble.policy import rounded_down
from turnfold.assemble.pricing import Pricing
from turnfold.contract.notes import Note, in_order
from turnfold.contract.records import Anchor, AnchorType
from turnfold.contract.words import note_stems

_ALL_FOR_QUERY: Final = 1_000
"""Tokens up to which a context with a query has no notes that are chosen regardless of it."""
_ENOUGH: Final = 8_000
"""Tokens that the results of a question seldom exceed, however large the budget."""
_STEP: Final = 0.02
"""Rounding step, as a share of the budget."""
_RULES: Final = frozenset({AnchorType.INSTRUCTION, AnchorType.CONSTRAINT, AnchorType.PREFERENCE})
"""Anchor types that apply to any query; of other facts the notes are kept, which say where they belong."""
_BESIDE: Final = frozenset({"i'll", "will", "please"})
"""Stems that a rule gains when its speaker repeats it."""


def room_unasked(room: int, *, share: float, target: int) -> int:
    """Tokens of `room` for notes chosen regardless of the query, in a context of `target` tokens.

    Rounded, so that these notes stay the same while recent turns take up more and more of the room.
    """
    small = max(0.0, 1.0 - _ALL_FOR_QUERY / max(1, target))
    unasked_tokens = max(int(share * small * room), room - _ENOUGH)
    return rounded_down(unasked_tokens, int(_STEP * target))


def header_of(query: str | None, *, matches: bool) -> str:
    """Header above notes for a query, or without one for the newest user turn."""
    if not query:
        return MORE_HEADER
    return HITS_HEADER if matches else NO_MATCH_HEADER


class Asked(NamedTuple):
    """Quotes and notes that answer, then other notes where there is room."""

    said: Quoted = NOTHING_QUOTED
    notes: tuple[Note, ...] = ()
    """In order of selection: first those that answer."""
    standing: Standing = NOTHING_STANDS
    tokens: int = 0
    header: str = HITS_HEADER

    @property
    def hits(self) -> Hits | None:
        """The notes as they are shown; None without notes."""
        return Hits(tuple(in_order(self.notes)), self.header) if self.notes else None

    def with_notes(self, taken: Taken, pricing: Pricing) -> Asked:
        """Append selected notes."""
        if not taken.notes:
            return self
        header = 0 if self.notes else pricing.count(self.header)
        notes, tokens = (*self.notes, *taken.notes), self.tokens + header + taken.tokens
        return self._replace(notes=notes, standing=taken.standing, tokens=tokens)

    def with_beside(
        self, past: Iterable[Note], background: AbstractSet[tuple[int, int]], room: int, pricing: Pricing
    ) -> Asked:
        """Append the best notes of `past` that are not shown yet, for `room` more tokens."""
        room -= 0 if self.notes else pricing.count(self.header)
        if room <= 0:
            return self
        whole, known = self.said.whole, background | {note[:2] for note in self.notes}
        beside = (note for note in past if note[0] not in whole and note[:2] not in known)
        return self.with_notes(fitting_notes(beside, (), room, pricing, standing=self.standing), pricing)

    def with_more(self, past: Past, background: Sequence[Note], room: int, pricing: Pricing) -> Asked:
        """Append notes near the end for `room` more tokens; everything before them stays the same."""
        whole = self.said.whole
        near = (note for note in past.near_the_end_of(self.notes, background) if note.seq not in whole)
        return self.with_notes(fitting_notes(near, (), room, pricing, standing=self.standing), pricing)


def asked(
    notes: Iterable[Note], background: AbstractSet[tuple[int, int]], said: Quoted, room: int, pricing: Pricing, *,
    header: str,
) -> Asked:  # fmt: skip
    """Select as much of a query's results as fits into `room` tokens with the background.

    `background` are turns and places of the notes that are shown anyway.
    """
    whole = said.whole
    unsaid = (note for note in notes if note.seq not in whole and note[:2] not in background)
    hits = fitting_notes(unsaid, (), room - said.tokens - pricing.count(header), pricing)
    return Asked(said, tokens=said.tokens, header=header).with_notes(hits, pricing)


def without_rules(notes: Iterable[Note], shown: Iterable[Anchor]) -> list[Note]:
    """Notes in their order, without those whose stems are all in one shown rule of the same speaker."""
    rules = [(anchor.speaker, frozenset(note_stems(anchor.text))) for anchor in shown if anchor.type in _RULES]
    return [note for note in notes if not rules or not _is_told(note, rules)]


def _is_told(note: Note, rules: Iterable[tuple[str | None, frozenset[str]]]) -> bool:
    stems = frozenset(note_stems(note.text)) - _BESIDE
    return any(speaker == note.speaker and stems <= rule for speaker, rule in rules)
