"""Pair a refused proposal with its refusal, to keep it from being read as still open."""

from __future__ import annotations

from typing import Final, NamedTuple

from turnfold.contract.notes import Note
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.refusal import proposes, refuses
from turnfold_worker.pipeline.notes.whole import whole_clause
from turnfold_worker.pipeline.turns.reading import Reading

_LONGEST: Final = 24
"""Maximum words of a proposal that is shown before its refusal."""


class Refused(NamedTuple):
    """A proposal that the next turn refuses."""

    seq: int
    span: Span
    """The span of its sentence in the turn."""
    text: str
    """Who proposed it, and what it is."""

    def tells(self, note: Note) -> bool:
        """Return whether a note is made from the proposal."""
        return note.seq == self.seq and self.span.start <= note.start < self.span.end


def refused_by(proposing: Reading | None, reply: Reading) -> Refused | None:
    """Return the proposal at the end of a turn, if the next turn is another speaker's and begins by refusing it."""
    if proposing is None or proposing.tool or reply.tool or proposing.speaker == reply.speaker:
        return None
    if not proposing.sentences or not reply.sentences or not refuses(plain_line(reply.text(reply.sentences[0]))):
        return None
    sentence = proposing.sentences[-1]
    proposal = plain_line(proposing.text(sentence))
    if not proposes(proposal) or len(proposal.split()) > _LONGEST:
        return None
    return Refused(
        proposing.turn.seq, sentence, f"{proposing.speaker}: {whole_clause(proposal, said_on=proposing.day)}"
    )
