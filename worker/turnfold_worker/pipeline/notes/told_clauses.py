"""Split a turn into the clauses of its notes, each with the text that it says nothing, or misleads, without."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.statements.repairs import sets_right
from turnfold_worker.pipeline.language.prose import Span, clauses, spread_over
from turnfold_worker.pipeline.notes.turned import turns_round
from turnfold_worker.pipeline.turns.reading import Reading

LONGEST_CLAUSE: Final = 90
"""Code points above which a sentence is split into clauses."""
_LONGEST_WITH_REASON: Final = 300
"""Maximum code points of a clause together with its dependent clauses."""
_DEPENDS: Final = lazy_pattern(
    r"(?i)(?:because|which|then|while|although|though|since|where|when|as|who|whose|whom|if|unless|until|including"
    r"|such as"
    r"|(?:(?:and|but|or) )?(?:also )?(?:how|what|why|whether)"
    r"(?! (?:do|does|did|is|are|was|were|can|could|should|would|will|have|has|about|if|not|many|much)\b)"
    r"|(?:and|or) also (?!(?:i|we|he|she|they|it|you|my|our|the|there|i['\u2019]\w+)\b)"
    r"|(?:and )?(?:so|neither|nor) (?:do|does|did|is|are|was|were|can|could|will|would|has|have|had)"
    r"|especially|like|so that|than|with|without|to|for|\w+ing"
    r"|or(?! (?:do|does|did|is|are|was|were|can|could|should|would|will|have|has|what|how|where|why)\b))\b|[(\"\u201c]"
)
"""The beginning of a clause that says nothing without the one before."""
_SENTENCES_A_TURN: Final = 1_000
"""Maximum sentences of a turn that become notes, spread over all that is read of it; few turns have more."""
_ENDS_IN_QUESTION: Final = lazy_pattern(
    r"(?:,? [-–—]+ |, (?:(?:and|so|but) )?)(?=(?:(?:can|could|will|would) you|do you"
    r"|(?:what|how|where|which|why)(?:'s)? (?:[\w-]+ ){0,2}?(?:can|do|does|did|is|are|should|would|could|will)"
    r"|(?:should|can|could|do|would) (?:i|we)|(?:i'm|i am|i was) (?:just )?wondering"
    r"|any (?:tips|advice|ideas|suggestions|thoughts)|(?:is|are|was|would|will) (?:it|that|this|there))\b)",
    re.IGNORECASE,
)
_TOLD_WORDS: Final = 5
"""Minimum words of a statement that is split from the question at the end of its sentence."""


def told_clauses(reading: Reading) -> list[tuple[Span, Span]]:
    """Return the clauses of a turn with their sentences; a sentence that reverses the one before is joined to it."""
    content = reading.turn.content
    clauses_told: list[tuple[Span, Span]] = []
    for sentence in spread_over(reading.sentences, _SENTENCES_A_TURN):
        for clause in _whole_clauses(content, sentence):
            clause_before = clauses_told[-1][0] if clauses_told else None
            if (
                clause_before is not None
                and clause.start == sentence.start
                and clause.end - clause_before.start <= _LONGEST_WITH_REASON
                and content[clause_before.end : clause.start] == " "
                and (turns_round(content, clause) or sets_right(reading.text(clause_before), reading.text(clause)))
            ):
                clauses_told[-1] = (Span(clause_before.start, clause.end), sentence)
            else:
                clauses_told.append((clause, sentence))
    return clauses_told


def _whole_clauses(content: str, sentence: Span) -> list[Span]:
    """Return the clauses of a sentence, each joined with following ones that depend on it or reverse it."""
    whole: list[Span] = []
    statement, question_parts = _apart_from_question(content, sentence)
    asking = [clause for part in question_parts for clause in clauses(content, part, LONGEST_CLAUSE)]
    for clause in (*clauses(content, statement, LONGEST_CLAUSE), *asking):
        last = whole[-1] if whole else None
        if (
            last is not None
            and clause.end - last.start <= _LONGEST_WITH_REASON
            and (_DEPENDS.match(content, clause.start) or turns_round(content, clause))
        ):
            whole[-1] = Span(last.start, clause.end)
        else:
            whole.append(clause)
    return whole


def _apart_from_question(content: str, sentence: Span) -> tuple[Span, tuple[Span, ...]]:
    """Split a sentence from the question it ends in: 'The lease ends in May, can you help me with that?'."""
    ends = _ENDS_IN_QUESTION.search(content, sentence.start, sentence.end)
    if ends is None or len(content[sentence.start : ends.start()].split()) < _TOLD_WORDS:
        return sentence, ()
    return Span(sentence.start, ends.start()), (Span(ends.end(), sentence.end),)
