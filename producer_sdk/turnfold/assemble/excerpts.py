"""Excerpts: verbatim passages of earlier turns that match the query, shown with the notes."""

from __future__ import annotations

from collections import Counter
from typing import Final

from turnfold.assemble.forms.chat import ShownTurn, whole
from turnfold.assemble.forms.clip import head_of
from turnfold.assemble.forms.markers import turns_marker
from turnfold.assemble.forms.render_text import clip_gap
from turnfold.assemble.forms.text_pieces import closed
from turnfold.assemble.pricing import Pricing
from turnfold.contract.fences import fences_of
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.overtaken import OvertakenIndex
from turnfold.contract.records import StoredTurn
from turnfold.contract.results import Excerpt
from turnfold.contract.terms import rarity
from turnfold.contract.words import note_stems

LONGEST: Final = 160
"""Maximum tokens of one excerpt; of a longer turn the passage is shown that contains most of the query."""

_SENTENCE_END: Final = lazy_pattern(r"(?<=[.!?])\s+")
_EDGE: Final = lazy_pattern(r"\n\s*|(?<=[.!?])\s+")
"""End of a line or a sentence, up to the beginning of the next."""
_LONGEST_WORD: Final = 20
_CHARACTERS_A_TOKEN: Final = 4
_TRIES: Final = 4
_MOST_PLACES: Final = 8
"""Maximum number of occurrences of a word to consider."""


def passage(excerpt: Excerpt, pricing: Pricing, query: tuple[str, ...], *, most_tokens: int) -> ShownTurn | None:
    """The excerpt's turn, or the passage of it that contains most of the query; None when nothing fits."""
    turn = excerpt.turn
    shown_turn = whole(turn)
    passage_tokens = min(most_tokens, LONGEST)
    if not turn.content.strip():
        return None
    if turn.kept is None and pricing.excerpt(shown_turn) <= passage_tokens:
        return shown_turn
    width = passage_tokens * _CHARACTERS_A_TOKEN
    for _ in range(_TRIES):
        clipped = _around_terms(turn, query, width)
        if pricing.excerpt(clipped) <= passage_tokens:
            return None if _cuts_code(turn.content, clipped.content) else clipped
        width = width * 7 // 10
    return None


def _cuts_code(content: str, clipped: str) -> bool:
    """True if only a part of a code fence is shown."""
    for fence in fences_of(content):
        block = content[fence.start : fence.end].strip()
        if block not in clipped and any(line.strip() and line in clipped for line in block.splitlines()):
            return True
    return False


def still_held(shown_turn: ShownTurn, overtaken: OvertakenIndex) -> ShownTurn | None:
    """Remove the sentences of an excerpt that no longer hold; None when nothing else is left."""
    seq = shown_turn.turn.seq
    sentences = _SENTENCE_END.split(shown_turn.content)
    held = [_held(sentence, seq, overtaken) for sentence in sentences]
    if held == sentences:
        return shown_turn
    if set(held) == {"…"}:
        return None
    marker = turns_marker(seq, seq)
    gap = "" if shown_turn.marker else clip_gap(marker).rstrip()
    return ShownTurn(shown_turn.turn, " ".join(held) + gap, marker=marker)


def _held(sentence: str, seq: int, overtaken: OvertakenIndex) -> str:
    """Return a sentence; of one that no longer holds, only the words around a corrected value, or '…'."""
    if not overtaken.tells(seq, note_stems(sentence)):
        return sentence
    left = overtaken.without_values(seq, sentence)
    return "…" if left == sentence else left


def _around_terms(turn: StoredTurn, query: tuple[str, ...], width: int) -> ShownTurn:
    beginning, end = turn.content[: turn.kept], turn.content[turn.kept :] if turn.kept is not None else ""
    weight, start = _best_start(beginning.lower(), query, width)
    weight_at_end, start_at_end = _best_start(end.lower(), query, width)
    text, cut_before = beginning, start > 0
    if weight_at_end > weight:
        text, start, cut_before = end, start_at_end, True
    piece = _at_edges(text, start, width)
    marker = turns_marker(turn.seq, turn.seq)
    content = ("… " if cut_before else "") + piece + clip_gap(marker).rstrip()
    return ShownTurn(turn, content, marker=marker)


def _at_edges(text: str, start: int, width: int) -> str:
    """About `width` code points from `start` on, cut between lines or sentences that end near, else between words."""
    if start:
        begins = _EDGE.search(text, start - 1, start + width // 4)
        space = text.find(" ", start, start + _LONGEST_WORD)
        start = begins.end() if begins else max(start, space + 1)
    piece = text[start : start + width]
    if start + width < len(text):
        ends = [match.start() for match in _EDGE.finditer(piece, width // 2)]
        piece = closed(piece[: ends[-1]] if ends else head_of(text[start:], width))
    return piece.strip()


def _best_start(lowered: str, query: tuple[str, ...], width: int) -> tuple[int, int]:
    """Highest weight of query terms in a window of `width` code points, and the start of that window."""
    places = sorted((at, term) for term in query for at in _occurrences(lowered, term))
    held: Counter[str] = Counter()
    best = best_weight = weight = end = 0
    for at, term in places:
        while end < len(places) and places[end][0] < at + width:
            entering = places[end][1]
            weight += 0 if held[entering] else rarity(entering)
            held[entering] += 1
            end += 1
        if weight > best_weight:
            best, best_weight = at, weight
        held[term] -= 1
        weight -= 0 if held[term] else rarity(term)
    return best_weight, max(0, min(best - width // 4, len(lowered) - width))


def _occurrences(text: str, term: str) -> list[int]:
    places: list[int] = []
    at = text.find(term)
    while at >= 0 and len(places) < _MOST_PLACES:
        places.append(at)
        at = text.find(term, at + len(term))
    return places
