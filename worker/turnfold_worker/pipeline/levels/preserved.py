"""The words of a segment that level 1 shows as they were said: code, tables and keys, and turns of great importance.

They stand whole or, where they are too long, by a name on one line, never cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from turnfold.assemble.forms.markers import ARROW, turns_marker
from turnfold.code_blocks.blocks import Block, block_name, blocks_of, line_count
from turnfold.code_blocks.languages import BlockKind
from turnfold.contract.lookalikes import UNSEEN
from turnfold.contract.notes import Note
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.language.plain_lines import one_line
from turnfold_worker.pipeline.language.prose import Span, trimmed
from turnfold_worker.pipeline.levels.lines import code_lines
from turnfold_worker.pipeline.turns.classify import SHORT_TURN
from turnfold_worker.pipeline.turns.reading import Reading

SMALL_TOKENS: Final = 200
"""Tokens up to which exact words stand whole in level 1; longer ones are named."""
_EXACT_SHARE: Final = 0.4
"""Of a segment's tokens, most for exact words that stand whole."""
_NAMED_SHARE: Final = 12
"""Of a segment's tokens, one in so many for names of those that are too long."""
_LEAST_NAMED: Final = 48
"""Tokens that such names may always have."""
_WHOLE_TURN: Final = 60
"""Tokens up to which a turn that must stay verbatim does; a longer one is told by its notes."""
_LONGEST_TURN: Final = 400
"""Code points of such a turn."""
_MOST_OF_A_TURN: Final = 40
_EXACT: Final = frozenset({"JSON", "SQL", "code", "table", "key", "formula", "key-value", "commands", "marks"})
"""Reasons that keep a turn for what its words are."""
UNSEEN_IN_CODE: Final = {code: replaced for code, replaced in UNSEEN.items() if code not in map(ord, "\t\n")} | (
    # A reader breaks lines there too, and each line is indented.
    dict.fromkeys(map(ord, "\x85\u2028\u2029"), "\n")
)


class Preserved(NamedTuple):
    """Words of a turn that stand as they were said, or their name."""

    seq: int
    span: Span
    text: str
    tokens: int
    code: bool = True
    """Its lines stand indented below its speaker."""
    whole: bool = True
    """It is the words, not their name."""
    turn: bool = False
    """It is all that its turn says."""

    def tells(self, note: Note) -> bool:
        """Whether a note says what stands here already."""
        inside = self.span.start <= note.start < self.span.end if note.end else self.turn
        return self.whole and note.seq == self.seq and inside


def exact_words(readings: Sequence[Reading], source_tokens: int) -> list[Preserved]:
    """Code, tables and the like, small ones first: whole where there is room; then the names of others.

    Of words that stand already, not even the name is shown again.
    """
    room, room_for_names = int(_EXACT_SHARE * source_tokens), max(_LEAST_NAMED, source_tokens // _NAMED_SHARE)
    pairs = [pair for reading in readings for pair in _exact_words(reading)]
    shown: dict[str, Preserved] = {}
    names: list[Preserved] = []
    for words, name in sorted(pairs, key=lambda pair: pair[0].tokens):
        if words.text in shown:
            continue
        if words.tokens <= min(room, SMALL_TOKENS):
            shown[words.text] = words
            room -= words.tokens
        elif name.tokens <= room_for_names:
            names.append(name)
            room_for_names -= name.tokens
    return [*shown.values(), *names]


def _exact_words(reading: Reading) -> Iterator[tuple[Preserved, Preserved]]:
    """Exact words of a turn in order, each with its name; the whole turn where all of it is exact."""
    content, treatment = reading.turn.content, reading.treatment
    if reading.tool or reading.repeat is not None:
        return
    if treatment is not None and _is_exact(treatment.classification.reasons):
        span = trimmed(content, Span(0, len(content)))
        words, name = _exact(reading, Block(*span, BlockKind.TEXT, "", *span))
        # Of a long turn with a key or a formula in it the sentences are told.
        if words.tokens <= SMALL_TOKENS or treatment.statements is not None:
            yield words._replace(turn=not reading.calls), name
            return
    blocks = [block for block in blocks_of(content) if block.kind is not BlockKind.LINE]
    for block in blocks[:_MOST_OF_A_TURN]:
        yield _exact(reading, block)


def _is_exact(reasons: Sequence[str]) -> bool:
    """True where what decides, or stands beside that the turn is short, is what its words are."""
    return not _EXACT.isdisjoint(reasons if reasons[:1] == (SHORT_TURN,) else reasons[:1])


def _exact(reading: Reading, block: Block) -> tuple[Preserved, Preserved]:
    content, seq, span = reading.turn.content, reading.turn.seq, Span(block.start, block.end)
    inside = content[block.inside : block.inside_end]
    name = block_name(inside, block.kind, block.language, lines=line_count(inside.rstrip("\n")))
    named = f"code: {name} [… {ARROW}{turns_marker(seq, seq)}]"
    text = content[block.start : block.end].translate(UNSEEN_IN_CODE).replace("→L", "→ L")
    # A line of prose is cheaper than a line of code; what is much longer than it may be is not counted.
    shown = len(text) <= 10 * SMALL_TOKENS and any(map(str.isalnum, text))
    tokens = estimate_tokens(code_lines(text)) if shown else SMALL_TOKENS + 1
    words = Preserved(seq, span, text, tokens)
    return words, words._replace(text=named, tokens=estimate_tokens(named), code=False, whole=False)


def turns_verbatim(readings: Sequence[Reading], *, of_all: bool) -> list[Preserved]:
    """Short turns that must stay as they were said, the most important first; `of_all`, every short turn in order."""
    lines = [
        (reading.treatment.score, line)
        for reading in readings
        if reading.treatment is not None and (of_all or reading.treatment.kept)
        if (line := _line(reading)) is not None
    ]
    if not of_all:
        lines.sort(key=lambda scored: -scored[0])
    return [line for _, line in lines]


def _line(reading: Reading) -> Preserved | None:
    """A turn on one line, where it is short and says something; calls and code are shown otherwise."""
    content = reading.turn.content
    if len(content) > _LONGEST_TURN or reading.code or reading.calls:
        return None
    line = one_line(content)
    tokens = estimate_tokens(line)
    if tokens > _WHOLE_TURN or not any(map(str.isalnum, line)):
        return None
    return Preserved(reading.turn.seq, Span(0, len(content)), line, tokens, code=False, turn=True)
