"""Reports in few words, which no rule keeps: they may say that what an earlier segment left open is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from turnfold.contract.records import AnchorType
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.statements.done import may_report
from turnfold_worker.pipeline.language.spoken import plain_words
from turnfold_worker.pipeline.turns.reading import Reading

_MOST: Final = 4
"""Of a segment."""
_SENTENCES: Final = 2
"""Of a turn, that its news open with."""


def with_reports(drafts: Sequence[AnchorDraft], readings: Sequence[Reading]) -> tuple[AnchorDraft, ...]:
    """The drafts of a segment with its first reports that none of them holds, in the order of its text."""
    every = (*drafts, *islice(_reports(readings, drafts), _MOST))
    return tuple(sorted(every, key=lambda draft: (draft.turn_seq, draft.start, draft.end)))


def _reports(readings: Sequence[Reading], kept: Sequence[AnchorDraft]) -> Iterator[AnchorDraft]:
    for reading in readings:
        if reading.tool:
            continue
        of_turn = [one for one in kept if one.turn_seq == reading.turn.seq]
        for span in reading.sentences[:_SENTENCES]:
            text = reading.text(span)
            if reading.is_pasted(span) or any(one.start < span.end and span.start < one.end for one in of_turn):
                continue
            if may_report(plain_words(text)):
                yield AnchorDraft(
                    type=AnchorType.CRITICAL_FACT, text=text, turn_seq=reading.turn.seq, start=span.start, end=span.end,
                    score=0, rank=0, tokens=estimate_tokens(text), speaker=reading.speaker, role=reading.turn.role,
                    reports=True,
                )  # fmt: skip
