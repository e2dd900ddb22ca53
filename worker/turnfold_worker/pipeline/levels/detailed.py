"""Level 1 of a segment: its notes at a quarter of its length, and the text that must be preserved verbatim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from turnfold.contract.notes import Note, separator, under_day
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.levels.lines import Part, lines_of, most_that_fit
from turnfold_worker.pipeline.levels.preserved import Preserved, exact_words, turns_verbatim
from turnfold_worker.pipeline.turns.reading import Reading

SHARE: Final = 4
"""Level 1 has about one token per this many source tokens, plus its code."""
TINY: Final = 80
"""Maximum source tokens of a segment whose level 1 shows the source itself."""
_LEAST: Final = 64
"""Tokens that level 1 may always use, unless the source is shorter."""
_LONGEST_LEAD: Final = 40
"""Maximum tokens of a note that introduces code and is shown with it."""
_AFTER_CLAUSES: Final = 1 << 40
"""Sort position of notes that are not derived from a clause: after all that are."""


def detailed(readings: Sequence[Reading], notes: Sequence[Note], best: Sequence[Note], source_tokens: int) -> str:
    """Render level 1 of a segment; empty if nothing fits.

    `best` are the `notes` worth showing, best first. Notes on text that is shown verbatim are left out, and a short
    note right before code is shown with it.
    """
    by_number = {reading.turn.seq: reading for reading in readings}
    tiny = source_tokens <= TINY
    exact = exact_words(readings, source_tokens)
    preserved = [*exact, *turns_verbatim(readings, of_all=tiny)]
    told = {note[:2]: note for note in [*_leads(exact, notes, by_number), *(notes if tiny else best)]}
    untold = [note for note in told.values() if not any(words.tells(note) for words in preserved)]
    pieces: list[Note | Preserved] = [*preserved, *untold]
    if tiny:
        pieces.sort(key=_place)
    width = max(_LEAST, source_tokens // SHARE) + sum(words.tokens for words in exact)
    limit = source_tokens if tiny else min(width, source_tokens)
    count = most_that_fit(len(pieces), lambda size: estimate_tokens(_rendered(pieces[:size], by_number)) <= limit)
    return _rendered(pieces[:count], by_number)


def _leads(exact: Sequence[Preserved], notes: Sequence[Note], by_number: Mapping[int, Reading]) -> list[Note]:
    """Return the short notes right before code that is shown whole: 'models.py'."""
    told: dict[int, list[Note]] = {}
    for note in notes:
        if note.end:
            told.setdefault(note.seq, []).append(note)
    leads: list[Note] = []
    for words in exact:
        before = [note for note in told.get(words.seq, ()) if note.end <= words.span.start] if words.whole else []
        between = by_number[words.seq].text(Span(before[-1].end, words.span.start)) if before else ""
        if before and before[-1].tokens <= _LONGEST_LEAD and not any(map(str.isalnum, between)):
            leads.append(before[-1])
    return leads


def _rendered(pieces: Sequence[Note | Preserved], by_number: Mapping[int, Reading]) -> str:
    """Render pieces, given in any order, as lines in the order of the conversation."""
    ordered = sorted(pieces, key=_place)
    pairs = zip([None, *ordered], ordered, strict=False)
    return lines_of(_part(piece, before, by_number[piece.seq]) for before, piece in pairs)


def _place(piece: Note | Preserved) -> tuple[int, int, int]:
    if isinstance(piece, Preserved):
        return (piece.seq, piece.span.start, -1)
    return (piece.seq, piece.start if piece.end else _AFTER_CLAUSES, piece.place)


def _part(piece: Note | Preserved, before: Note | Preserved | None, reading: Reading) -> Part:
    seq, day = piece.seq, reading.day
    if isinstance(piece, Preserved):
        return Part(seq, day, reading.speaker, piece.text, ". ", piece.code)
    if not piece.end:
        joint = "; "
    else:
        joint = f"{separator(before, piece)} " if isinstance(before, Note) and before.seq == seq else ". "
    return Part(seq, day, piece.speaker, under_day(piece.text, piece.day), joint)
