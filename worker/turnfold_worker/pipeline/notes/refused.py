"""What was proposed and refused: the proposal is told with its refusal, and not as if it still stood."""

from __future__ import annotations

from typing import Final, NamedTuple

from turnfold.contract.notes import Note
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.refusal import proposes, refuses
from turnfold_worker.pipeline.notes.whole import whole_clause
from turnfold_worker.pipeline.turns.reading import Reading

_LONGEST: Final = 24
"""Words of a proposal up to which it stands before the refusal."""


class Refused(NamedTuple):
    """A proposal that the next turn refuses."""

    seq: int
    span: Span
    """Its sentence, in its turn."""
    text: str
    """Who proposed it, and what."""

    def tells(self, note: Note) -> bool:
        """Whether a note tells of the proposal."""
        return note.seq == self.seq and self.span.start <= note.start < self.span.end


def refused_by(proposing: Reading | None, reply: Reading) -> Refused | None:
    """The proposal at the end of a turn that the next one, somebody else's, begins by refusing."""
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
