"""Proposals that the next turn accepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from turnfold_worker.pipeline.anchors.assistants import TEXT
from turnfold_worker.pipeline.anchors.dialogue_acts.turn_acts import YES_TO_A_PROPOSAL
from turnfold_worker.pipeline.anchors.rules import wanted_rules
from turnfold_worker.pipeline.anchors.rules.rule import ENOUGH, Found
from turnfold_worker.pipeline.language.prose import MAX_CLAUSE, Span, clauses
from turnfold_worker.pipeline.language.spoken import is_question, plain_words
from turnfold_worker.pipeline.turns.reading import Reading


def agreed_proposals(readings: Sequence[Reading], acts: Sequence[Sequence[Found]]) -> Iterator[tuple[Reading, Span]]:
    """Yield each accepted proposal with its turn: 'Yes, that is right' says nothing without the proposal before it."""
    for proposal, reply in zip(readings, acts[1:], strict=False):
        if (
            proposal.sentences
            and _waits(proposal)
            and (len(proposal.turn.content) < TEXT or proposal.facts.within(*_ends(proposal)))
            and any(act_found.rule == YES_TO_A_PROPOSAL and act_found.points >= ENOUGH for act_found in reply)
        ):
            yield proposal, _proposed(proposal)


def _waits(reading: Reading) -> bool:
    plain_text = plain_words(reading.text(reading.sentences[-1]))
    if is_question(plain_text) and wanted_rules.WORDS_WANTED.search(plain_text) and "confirm" not in plain_text:
        # 'Do you have any recommendations?' proposes nothing.
        return False
    return (
        is_question(plain_text) or "confirm" in plain_text or plain_text.startswith(("you want", "you would", "you'd"))
    )


def _ends(reading: Reading) -> tuple[int, int]:
    return reading.sentences[-1].start, reading.sentences[-1].end


def _proposed(reading: Reading) -> Span:
    """Return the sentence with most facts among the last three, or the last one of a long turn."""
    last = reading.sentences[-3:] if len(reading.turn.content) < TEXT else reading.sentences[-1:]
    span = max(
        last,
        key=lambda sentence: (len(reading.facts.within(sentence.start, sentence.end)), sentence.end - sentence.start),
    )
    return clauses(reading.turn.content, span, MAX_CLAUSE)[0]
