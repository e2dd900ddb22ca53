"""Text of a segment that level 1 shows verbatim: code, tables and keys, and important turns.

It is shown whole or, if too long, as a name on one line, but never truncated.
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
"""Maximum tokens of exact text that level 1 shows whole; longer text is shown by name."""
_EXACT_SHARE: Final = 0.4
"""Maximum share of a segment's tokens for exact text that is shown whole."""
_NAMED_SHARE: Final = 12
"""One in this many of a segment's tokens may be spent on names of text that is too long."""
_LEAST_NAMED: Final = 48
"""Tokens that such names may always use."""
_WHOLE_TURN: Final = 60
"""Maximum tokens of a turn that is kept verbatim; a longer one is represented by its notes."""
_LONGEST_TURN: Final = 400
"""Maximum code points of such a turn."""
_MOST_OF_A_TURN: Final = 40
_EXACT: Final = frozenset({"JSON", "SQL", "code", "table", "key", "formula", "key-value", "commands", "marks"})
"""Reasons for keeping a turn because of its kind of text."""
UNSEEN_IN_CODE: Final = {code: replaced for code, replaced in UNSEEN.items() if code not in map(ord, "\t\n")} | (
    # These also break lines for a reader, and each line must be indented.
    dict.fromkeys(map(ord, "\x85\u2028\u2029"), "\n")
)


class Preserved(NamedTuple):
    """Verbatim text of a turn, or its name."""

    seq: int
    span: Span
    text: str
    tokens: int
    code: bool = True
    """Rendered as indented lines below the speaker."""
    whole: bool = True
    """The text itself, not its name."""
    turn: bool = False
    """The whole content of its turn."""

    def tells(self, note: Note) -> bool:
        """True for a note on text that is shown here."""
        inside = self.span.start <= note.start < self.span.end if note.end else self.turn
        return self.whole and note.seq == self.seq and inside


def exact_words(readings: Sequence[Reading], source_tokens: int) -> list[Preserved]:
    """Select code, tables and the like, smallest first: those that fit as a whole, then the names of the others.

    Text that is shown already is not shown again, not even by name.
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
    """Yield the exact texts of a turn in order, each with its name; the whole turn if all of it is exact."""
    content, treatment = reading.turn.content, reading.treatment
    if reading.tool or reading.repeat is not None:
        return
    if treatment is not None and _is_exact(treatment.classification.reasons):
        span = trimmed(content, Span(0, len(content)))
        words, name = _exact(reading, Block(*span, BlockKind.TEXT, "", *span))
        # A long turn of sentences with a key or a formula is represented by its notes.
        if words.tokens <= SMALL_TOKENS or treatment.statements is not None:
            yield words._replace(turn=not reading.calls), name
            return
    blocks = [block for block in blocks_of(content) if block.kind is not BlockKind.LINE]
    for block in blocks[:_MOST_OF_A_TURN]:
        yield _exact(reading, block)


def _is_exact(reasons: Sequence[str]) -> bool:
    """True when the deciding reason, or for a short turn any reason, is the kind of text."""
    return not _EXACT.isdisjoint(reasons if reasons[:1] == (SHORT_TURN,) else reasons[:1])


def _exact(reading: Reading, block: Block) -> tuple[Preserved, Preserved]:
    content, seq, span = reading.turn.content, reading.turn.seq, Span(block.start, block.end)
    inside = content[block.inside : block.inside_end]
    name = block_name(inside, block.kind, block.language, lines=line_count(inside.rstrip("\n")))
    named = f"code: {name} [… {ARROW}{turns_marker(seq, seq)}]"
    text = content[block.start : block.end].translate(UNSEEN_IN_CODE).replace("→L", "→ L")
    # Text that is far above the limit is not worth counting.
    shown = len(text) <= 10 * SMALL_TOKENS and any(map(str.isalnum, text))
    tokens = estimate_tokens(code_lines(text)) if shown else SMALL_TOKENS + 1
    words = Preserved(seq, span, text, tokens)
    return words, words._replace(text=named, tokens=estimate_tokens(named), code=False, whole=False)


def turns_verbatim(readings: Sequence[Reading], *, of_all: bool) -> list[Preserved]:
    """Return the short turns to keep verbatim, most important first; with `of_all`, every short turn in order."""
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
    """Render a short, non-empty turn on one line; None for others, and for turns with calls or code."""
    content = reading.turn.content
    if len(content) > _LONGEST_TURN or reading.code or reading.calls:
        return None
    line = one_line(content)
    tokens = estimate_tokens(line)
    if tokens > _WHOLE_TURN or not any(map(str.isalnum, line)):
        return None
    return Preserved(reading.turn.seq, Span(0, len(content)), line, tokens, code=False, turn=True)
