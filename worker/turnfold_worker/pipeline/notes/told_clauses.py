"""A turn as the clauses that its notes are made from: each with what says nothing, or misleads, without it."""

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
"""Code points of a clause with what depends on it."""
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
"""Begins what says nothing without the clause before it."""
_SENTENCES_A_TURN: Final = 1_000
"""Sentences of a turn that become notes, from all that is read of it; nearly all turns have fewer."""
_ENDS_IN_QUESTION: Final = lazy_pattern(
    r"(?:,? [-–—]+ |, (?:(?:and|so|but) )?)(?=(?:(?:can|could|will|would) you|do you"
    r"|(?:what|how|where|which|why)(?:'s)? (?:[\w-]+ ){0,2}?(?:can|do|does|did|is|are|should|would|could|will)"
    r"|(?:should|can|could|do|would) (?:i|we)|(?:i'm|i am|i was) (?:just )?wondering"
    r"|any (?:tips|advice|ideas|suggestions|thoughts)|(?:is|are|was|would|will) (?:it|that|this|there))\b)",
    re.IGNORECASE,
)
_TOLD_WORDS: Final = 5
"""Words of a sentence before the question that it ends in, from which they are told apart from it."""


def told_clauses(reading: Reading) -> list[tuple[Span, Span]]:
    """The clauses of a turn, each with its sentence; that of a sentence which turns the one before it round too."""
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
    """The clauses of a sentence, each with what follows it and says nothing alone, or without which it misleads."""
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
    """What a sentence tells, and the question that it ends in: 'The lease ends in May, can you help me with that?'."""
    ends = _ENDS_IN_QUESTION.search(content, sentence.start, sentence.end)
    if ends is None or len(content[sentence.start : ends.start()].split()) < _TOLD_WORDS:
        return sentence, ()
    return Span(sentence.start, ends.start()), (Span(ends.end(), sentence.end),)
