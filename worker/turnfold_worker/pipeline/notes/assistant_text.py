"""Relative worth of the clauses of an assistant's text: headings and made-up text are worth nothing. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.anchors.assistants import TEXT
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.notes.samples import Samples, samples_of

_TITLE_WORDS: Final = 6
"""Maximum words of a heading that is a title, not a statement."""
_ANNOUNCEMENT: Final = 0.3
"""Share for a clause that says what the text is going to do."""
_ANNOUNCES: Final = lazy_pattern(
    r"(?i)(?:(?:great|sure|certainly|absolutely|of course|okay|alright|first|next|now|finally),? (?:\w+, )?)?"
    r"(?:let's|let us|let me|here (?:is|are)|here's|below (?:is|are)|we'll|we will|i'll|i will|i can help|i'd be happy"
    r"|i understand|i'm (?:glad|happy|here)|it's great|it sounds|that's (?:great|a great)|feel free|would you like"
    r"|do you have any|if you (?:have|need) any|to (?:address|answer|do|achieve) th(?:is|ese|at)|by following"
    r"|by implementing|these (?:\w+ ){1,3}(?:should|will|can) help)\b"
)
_SPEECH: Final = lazy_pattern(
    r"(?<![^\s(\[*_>:–—-])[\"\u201c](?=\S)"
    r"([^\"\u201c\u201d]{3,1000}[.!?] [A-Z][^\"\u201c\u201d]{3,1000})(?<=\S)[\"\u201d](?!\w)"
)
"""Several sentences in quotation marks; a straight mark right after a word only closes an earlier quotation."""
_SELF_SPEAKS: Final = lazy_pattern(r"\b(?:I|we|We|my|My|our|Our)\b")


def share_of(samples: Samples, span: Span, said: str) -> float:
    """Return the share of its worth that an assistant's clause keeps: none if it is a title, an example or made up."""
    if _is_in(samples.made_up, span) or _is_in(samples.examples, span):
        return 0.0
    if _is_in(samples.headings, span) and len(said.split()) <= _TITLE_WORDS and not _gives_value(said):
        return 0.0
    return _ANNOUNCEMENT if _ANNOUNCES.match(said) else 1.0


def _gives_value(heading: str) -> bool:
    """Return whether a heading gives a value: 'Total cost: $340'."""
    return any(map(str.isdigit, heading.partition(":")[2]))


def _is_in(spans: Sequence[Span], span: Span) -> bool:
    at = bisect_right(spans, span.start, key=attrgetter("start")) - 1
    return at >= 0 and span.start < spans[at].end


def samples_by_assistant(turn: StoredTurn) -> Samples | None:
    """Return the samples in an assistant's turn; None for people, and for short turns of an assistant with a name."""
    is_few = turn.name is not None and len(turn.content) < TEXT
    return None if turn.role is not Role.ASSISTANT or is_few else samples_of(turn.content)


def drafts_for_others(turn: StoredTurn) -> list[Span]:
    """Return what an assistant wrote for others to say: quoted sentences with an 'I' that is not its own."""
    if turn.role is not Role.ASSISTANT:
        return []
    quotes = (Span(*match.span(1)) for match in _SPEECH.finditer(turn.content))
    return [quote for quote in quotes if _SELF_SPEAKS.search(turn.content, quote.start, quote.end)]
