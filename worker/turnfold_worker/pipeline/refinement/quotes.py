"""Locate a model's quote in the turns: exactly, or else with other white space, quotation marks or dashes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import as_utc
from turnfold.contract.records import AnchorType, StoredTurn
from turnfold.contract.speakers import speaker_label
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.ranks import rank_of
from turnfold_worker.pipeline.language.prose import Span, trimmed
from turnfold_worker.pipeline.refinement.negations import KEEPS_FROM, NO, UNTRUE
from turnfold_worker.pipeline.refinement.sources import CLOSE, OPEN, is_readable

LONGEST: Final = 600
"""Maximum code points of a quote: an anchor is a clause to a few sentences long."""
SHORTEST: Final = 6
"""Minimum code points of a quote."""

_SAME: Final = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u2032": "'", "`": "'", "\u00b4": "'",
    "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u201f": '"', "\u00ab": '"', "\u00bb": '"', "\u2033": '"',
    "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2015": "-", "\u2212": "-",
})  # fmt: skip
_MARKS: Final = lazy_pattern(rf"{re.escape(OPEN)}(?:\d+: )?|{re.escape(CLOSE)}")
"""The marks that a request puts around words already kept."""
_STOP: Final = lazy_pattern(r"[.!?\u2026](?=\s|\Z)|(?<![:,])\n")
_LIMITS: Final = lazy_pattern(
    rf"(?i)(?<!\w)(?:{NO}|{KEEPS_FROM}|{UNTRUE}|against|doubt\w*|rumou?rs?|alleged\w*|instead of|rather than|prevent\w*"
    r"|if|until|only|provided|assuming|in case|as long as|as soon as|once|before|after|would|should|might|(?-i:may)"
    r"|maybe|perhaps|possibly|almost|nearly)(?!\w)"
)
"""Words that reverse or limit a clause."""
_UNTRUE: Final = lazy_pattern(rf"(?i)(?<!\w)(?:{UNTRUE})(?!\w)")
"""Words behind a clause that deny what its sentence begins with: 'the story that … is a lie'."""
_ANSWERED_NO: Final = lazy_pattern(
    r"(?i)\s{1,4}(?:(?:certainly|absolutely|definitely|of course|probably|surely),? )?(?:no|not|never|nope|nah)(?!\w)"
)
"""The beginning of a sentence that says no to the question before."""
_FARTHEST: Final = 240
"""Maximum code points by which a quote grows on either side."""
_UNSEEN: Final = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad")
_PLAIN: Final = {**_SAME, **dict.fromkeys(map(ord, _UNSEEN)), ord("…"): "..."}
_WRAPPING: Final = "\"'\u201c\u201d\u2018\u2019\u00ab\u00bb \t\r\n"


@dataclass(frozen=True, slots=True)
class Found:
    """The location of a quote: `turn.content[span.start:span.end]` are the words."""

    turn: StoredTurn
    span: Span

    @property
    def text(self) -> str:
        """The words as they were said."""
        return self.turn.content[self.span.start : self.span.end]

    def as_anchor(self, kind: AnchorType, *, score: int, least_rank: int = 0) -> AnchorDraft:
        """Return the words as an anchor found by a model, with a rank of at least `least_rank`."""
        turn, text = self.turn, self.text
        return AnchorDraft(
            type=kind, text=text, turn_seq=turn.seq, start=self.span.start, end=self.span.end, score=score,
            rank=max(least_rank, rank_of(kind, score, turn.importance)), tokens=estimate_tokens(text),
            factors={"model": score}, speaker=speaker_label(turn), role=turn.role,
            said_on=as_utc(turn.created_at).date() if turn.created_at else None,
        )  # fmt: skip


def align(quote: str, turn_seq: int, turns: Sequence[StoredTurn]) -> Found | None:
    """Locate a quote in the turn that it names, else in the first turn that has it.

    Returns None if no turn has the quote, or if it is too short or too long for an anchor.
    """
    wanted = _MARKS.sub("", quote).strip(_WRAPPING)
    if not SHORTEST <= len(wanted) <= LONGEST:
        return None
    named = [turn for turn in turns if turn.seq == turn_seq]
    order = [
        turn
        for turn in (*named, *(other_turn for other_turn in turns if other_turn.seq != turn_seq))
        if is_readable(turn)
    ]
    for turn in order:
        start = turn.content.find(wanted)
        if start >= 0:
            return Found(turn, Span(start, start + len(wanted)))
    looked_for = _plain(wanted).strip()
    if len(looked_for) < SHORTEST:
        return None
    for turn in order:
        span = _normalized_span(turn.content, looked_for)
        if span is not None:
            return Found(turn, span)
    return None


def with_conditions(alignment: Found) -> Found | None:
    """Extend a quote by what denies or limits it in its sentence; None if that is too far away or makes it too long.

    'We can ship on Monday' does not say the same as 'I doubt we can ship on Monday if the tests fail'.
    """
    content, (start, end) = alignment.turn.content, alignment.span
    sentence_start = max((match.end() for match in _STOP.finditer(content, 0, start)), default=0)
    sentence_end = _end_of_sentence(content, max(start, end - 1))
    if content[sentence_end - 1 : sentence_end] == "?" and _ANSWERED_NO.match(content, sentence_end):
        sentence_end = _end_of_sentence(content, sentence_end)
    if _LIMITS.search(content, sentence_start, start) or _UNTRUE.search(content, end, max(end, sentence_end)):
        start = sentence_start
    if _LIMITS.search(content, end, max(end, sentence_end)):
        end = sentence_end
    span = trimmed(content, Span(start, end))
    grown = max(alignment.span.start - span.start, span.end - alignment.span.end)
    if grown > _FARTHEST or (grown > 0 and span.end - span.start > LONGEST):
        return None
    return Found(alignment.turn, span)


def _end_of_sentence(content: str, start: int) -> int:
    stop = _STOP.search(content, start)
    return len(content) if stop is None else stop.start() + 1


def _normalized_span(content: str, wanted: str) -> Span | None:
    start = _plain(content).find(wanted)
    if start < 0:
        return None
    places = _places(content)
    span = trimmed(content, Span(places[start], places[start + len(wanted) - 1] + 1))
    return span if span.end - span.start <= 2 * LONGEST else None


def _plain(text: str) -> str:
    """Return the text with white space collapsed and typographic marks replaced by plain ones."""
    return " ".join(f"|{text.translate(_PLAIN)}|".split())[1:-1]


def _places(text: str) -> list[int]:
    """Return the offset in a text of each code point of its plain form."""
    places: list[int] = []
    after_space = False
    for place, character in enumerate(text):
        if character not in _UNSEEN:
            is_space = character.isspace()
            if not (is_space and after_space):
                places += [place] * (3 if character == "…" else 1)
            after_space = is_space
    return places
