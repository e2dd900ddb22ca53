"""Accept a model's claims that something no longer holds, where the turns support them. Pure.

The replacing words are quoted and shown with the old ones: a reader who sees both loses nothing if the model is wrong.
The rules' anchors are never changed by such a claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.origins import holds_tool_words
from turnfold.contract.records import DONE_OR_ANSWERED, OPERATORS, PINNED_RANK, Anchor, AnchorType, Origin, Role
from turnfold.contract.speakers import speaker_label
from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.language.common_words import is_common
from turnfold_worker.pipeline.language.number_words import with_digits
from turnfold_worker.pipeline.language.pasted import is_pasted, pasted_in
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.quantities import SPELLED, WORD
from turnfold_worker.pipeline.language.spoken import is_question
from turnfold_worker.pipeline.refinement.quotes import Found, align, with_conditions
from turnfold_worker.pipeline.refinement.replies import Overtaking
from turnfold_worker.pipeline.refinement.sources import MOST_OF_EARLIER, RefineSource

MOST_A_SEGMENT: Final = 12
"""Maximum number of overtaking quotes per segment."""
BINDING: Final = frozenset({AnchorType.CONSTRAINT, AnchorType.INSTRUCTION, AnchorType.PREFERENCE})
_SCORE: Final = 70
_SCORE_OF_END: Final = 50
_ASKS_FOR_IT: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:can|could|would|will) (?:you|we|i)(?!\w)|(?:would|['\u2019]d) (?:like|prefer|rather)(?!\w)"
)
"""A polite request, which overtakes just as an order does."""
_IS_OPEN: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:whether|maybe|perhaps|might|could|would|suppose|imagine|wonder\w*|consider\w*|(?:what|how) about"
    r"|thinking (?:of|about)|not sure|no idea)(?!\w)"
)
"""Words that mark something as only considered."""
_HANGS_ON: Final = lazy_pattern(r"(?i)(?<!\w)(?:if|unless|in case|depends?|provided|as long as)(?!\w)")
"""Words that mark a condition, anywhere in a sentence."""
_LIMITS: Final = lazy_pattern(
    r"(?i)\d|(?<!\w)(?:not|no|never|none|nothing|only|must|can(?:['\u2019]t|not)|may|allowed|most|least|max\w*|limit\w*"
    r"|ceiling|budget|by|until|from)(?!\w)"
)
"""Words that a new limit has, and that the news of a limit being met lacks."""
_PARTS: Final = lazy_pattern(r"[,;] [^,;]{8,}[,;](?: and| or)? [^,;]{8,}")
"""Several parts with commas or semicolons between: 'double quotes, British spelling, and no "suddenly"'."""
_VALUE: Final = lazy_pattern(r"\d")
_DOZEN: Final = 12
_LARGE_IN_WORDS: Final = frozenset(word for word, number in SPELLED.items() if int(number) > _DOZEN) - {"half"}
_FEW_WORDS: Final = 6
"""Maximum words of an answer that need not share a word with its question."""
_NAME: Final = lazy_pattern(r"(?<!^)(?<![.!?] )(?<!\w)[A-Z][a-z]+")


@dataclass(frozen=True, slots=True)
class AcceptedOvertaking:
    """Quoted words that overtake earlier anchors."""

    draft: AnchorDraft
    """The quoted words, with the type of the best anchor that they replace."""
    before: tuple[Anchor, ...]
    """The rules' anchors that no longer hold, at least in part, best first."""

    @property
    def over(self) -> tuple[int, ...]:
        """The ids of the anchors that no longer hold at all: one that is long or has several parts may hold in part."""
        return tuple(
            anchor.id
            for anchor in self.before
            if not (anchor.type in BINDING and _PARTS.search(anchor.text)) and len(anchor.text) <= MOST_OF_EARLIER
        )

    @property
    def replaced(self) -> int | None:
        """The id of the best overtaken anchor, if the quoted words say what holds instead."""
        return self.before[0].id if takes_its_place(self.before[0], self.draft.text) else None


def accept_overtaken(
    source: RefineSource, overtaken: Sequence[Overtaking]
) -> tuple[tuple[AcceptedOvertaking, ...], int]:
    """Return the supported claims in order, at most `MOST_A_SEGMENT` per segment, and the number of unsupported ones.

    Only the first claim about each number is checked; further ones count as unsupported.
    """
    kept = _kept(source)
    first = {claim.before: claim for claim in reversed(overtaken) if claim.before in kept}
    borne_out = 0
    by_words: dict[tuple[int, int, int], tuple[Found, list[Anchor]]] = {}
    for number, claim in first.items():
        words = _words(source, claim)
        ended = [anchor for anchor in kept[number] if _may_end(anchor, words)] if words else []
        if words and ended:
            borne_out += 1
            place = words.turn.seq, words.span.start, words.span.end
            by_words.setdefault(place, (words, []))[1].extend(ended)
    segment_of = {turn.seq: segment.node.idx for segment in source.segments for turn in segment.turns}
    counts: Counter[int] = Counter()
    accepted: list[AcceptedOvertaking] = []
    for (seq, _, _), (words, before) in sorted(by_words.items()):
        counts[segment_of[seq]] += 1
        if counts[segment_of[seq]] <= MOST_A_SEGMENT:
            best_first = sorted(before, key=lambda anchor: (-anchor.rank, anchor.id))
            own = [anchor for anchor in source.marked if anchor.rank < PINNED_RANK and holds(seq, words.span, anchor)]
            accepted.append(AcceptedOvertaking(_draft(words, best_first[0], own), tuple(best_first)))
    return tuple(accepted), len(overtaken) - borne_out


def told_by_words(source: RefineSource, accepted: Iterable[AcceptedOvertaking]) -> tuple[int, ...]:
    """Return the ids of the rules' anchors that lie mostly within accepted words, which stand for them."""
    drafts = [overtaking.draft for overtaking in accepted]
    return tuple(
        anchor.id
        for anchor in source.marked
        if anchor.rank < PINNED_RANK
        and any(holds(draft.turn_seq, Span(draft.start, draft.end), anchor) for draft in drafts)
    )


def holds(seq: int, span: Span, anchor: Anchor) -> bool:
    """Return whether more than half of an anchor lies within a span of a turn."""
    shared = min(span.end, anchor.end) - max(span.start, anchor.start)
    return seq == anchor.turn_seq and 2 * shared > anchor.end - anchor.start


def _kept(source: RefineSource) -> Mapping[int, tuple[Anchor, ...]]:
    """Return the anchors by the numbers under which a request shows them."""
    inside = {
        number: tuple(
            anchor for anchor in source.marked if anchor.turn_seq == seq and start <= anchor.start and anchor.end <= end
        )
        for number, (seq, start, end) in enumerate(source.kept_spans, 1)
    }
    return inside | {number: (anchor,) for number, anchor in source.known_before.items()}


def _words(source: RefineSource, claim: Overtaking) -> Found | None:
    """Return the words that a claim quotes, with what limits them; None unless a participant states them."""
    named = [turn for turn in source.turns if turn.seq == claim.turn and not holds_tool_words(turn)]
    aligned = align(claim.text, claim.turn, named)
    whole = None if aligned is None else with_conditions(aligned)
    if aligned is None or whole is None or _HANGS_ON.search(whole.text):
        return None
    if is_pasted(pasted_in(whole.turn.content), whole.span):
        return None
    text = aligned.text
    asks = _ASKS_FOR_IT.search(text) is not None
    if is_question(text) and not asks:
        return None
    return None if _IS_OPEN.search(_ASKS_FOR_IT.sub(" ", text)) else whole


def _may_end(anchor: Anchor, words: Found) -> bool:
    """Return whether quoted words may end an anchor: same subject, and a speaker with the authority to end it."""
    if anchor.rank >= PINNED_RANK or anchor.position >= (words.turn.seq, words.span.start, 0):
        return False
    if anchor.role in OPERATORS and words.turn.role not in OPERATORS:
        return False
    of_user = anchor.origin is Origin.USER and anchor.role not in OPERATORS
    if of_user and anchor.type in BINDING and words.turn.role is not Role.USER:
        return False
    text = words.text
    if anchor.text.strip() == text.strip():
        return False
    telling = _telling(anchor.text)
    return (
        not telling.isdisjoint(_telling(words.turn.content))
        or all(map(_states_a_value, (anchor.text, text)))
        or all(_NAME.search(one) for one in (anchor.text, text))
        or _answers_at_once(anchor, words)
    )


def _states_a_value(text: str) -> bool:
    """Return whether a text has a value, in digits or as in 'sixteen eighty'; 'one' and 'half' do not count."""
    return _VALUE.search(text) is not None or not _LARGE_IN_WORDS.isdisjoint(WORD.findall(text.lower()))


def _answers_at_once(anchor: Anchor, words: Found) -> bool:
    """Return whether a few words of another speaker in the next turn answer a question without sharing its words.

    For example 'Uncle Bert does it' after 'Who does the parking ban?'.
    """
    if anchor.type is not AnchorType.UNRESOLVED_QUESTION or anchor.speaker == speaker_label(words.turn):
        return False
    few = len(words.text.split()) <= _FEW_WORDS
    return few and words.turn.seq == anchor.turn_seq + 1 and _ASKS_FOR_IT.search(words.text) is None


def _telling(text: str) -> set[str]:
    return {stem for stem in note_stems(text) if not (is_common(stem) or _VALUE.search(stem))}


def _draft(words: Found, before: Anchor, own: Sequence[Anchor]) -> AnchorDraft:
    """Return the words as an anchor, with the type of the best anchor that they replace or that lies within them.

    Words that only report how something ended are a critical fact.
    """
    likes = [*own, before] if takes_its_place(before, words.text) else own
    like = max(likes, key=lambda anchor: anchor.rank, default=None)
    return words.as_anchor(
        AnchorType.CRITICAL_FACT if like is None else like.type,
        score=max([_SCORE_OF_END, *(max(_SCORE, anchor.score) for anchor in likes)]),
        least_rank=0 if like is None else like.rank,
    )


def takes_its_place(before: Anchor, text: str) -> bool:
    """Return whether words say what holds instead of an anchor; else they report that it was answered, done or met."""
    if before.type in DONE_OR_ANSWERED:
        return False
    return before.type is not AnchorType.CONSTRAINT or sets_a_limit(text)


def sets_a_limit(text: str) -> bool:
    """Return whether words have a number, a denial or another word typical of a limit."""
    return _LIMITS.search(with_digits(text)) is not None
