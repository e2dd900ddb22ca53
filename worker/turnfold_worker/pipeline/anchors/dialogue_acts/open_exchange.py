"""What a turn leaves open (a question, request, offer or proposal), which decides what the reply means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from turnfold_worker.pipeline.anchors.rules import reply_rules
from turnfold_worker.pipeline.anchors.rules.deed_rules import PROMISES
from turnfold_worker.pipeline.anchors.rules.rule import Act, Found
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.spoken import QUESTION_MARKS, is_question, plain_words
from turnfold_worker.pipeline.turns.reading import Reading

_BRIEF: Final = 250
"""Maximum length, in code points, of a turn of casual talk."""
_TAIL: Final = 400
_SENTENCES_OPEN: Final = 4
"""Number of final sentences in which a turn may propose something."""
_WISHES: Final = frozenset({"wanted", "you asked to act", "reply wanted"})
"""Request rules that state a wish or ask for words rather than a deed."""
_OFFERS: Final = PROMISES | {"offer", "let me work", "we will work"}


@dataclass(frozen=True, slots=True)
class Before:
    """What the previous turn leaves open."""

    asked: bool = False
    requested: int = 0
    """Points of the strongest request in the previous turn; 0 without one."""
    deed: bool = False
    """The strongest request asks for a deed, not for words and not just as a wish."""
    offered: bool = False
    """The previous turn ends with an offer or a promise."""
    proposed: bool = False
    """The previous turn waits for a yes."""
    brief: bool = True
    corrects: bool = False
    """The current speaker has only said that something was wrong: 'no, wait'."""


NOTHING: Final = Before()


def leaves_open(reading: Reading, acts: Sequence[Found]) -> Before:
    """Determine what a turn leaves open for the next one."""
    if not reading.sentences:
        return NOTHING
    last = reading.sentences[-1]
    start = max(reading.sentences[-_SENTENCES_OPEN:][0].start, last.end - 2 * _TAIL)
    tail = plain_words(reading.text(Span(start, last.end)))[-_TAIL:]
    requests = [act for act in acts if act.act is Act.REQUEST]
    ends = plain_words(reading.text(last))
    if reply_rules.QUESTION.match(ends) and is_question(ends):
        # The reply answers the question at the end, so earlier requests do not count.
        requests = [one for one in requests if one.span.start >= last.start]
    request = max(requests, key=lambda one: one.points, default=None)
    return Before(
        asked=tail.endswith(QUESTION_MARKS) or any(act.act is Act.QUESTION for act in acts),
        requested=request.points if request else 0,
        deed=request is not None and request.rule not in _WISHES,
        offered=any(act.rule in _OFFERS and act.span.start >= last.start for act in acts),
        proposed=bool(reply_rules.CONFIRMATION_ASKED.search(tail)),
        brief=len(reading.turn.content) <= _BRIEF,
    )
