"""Code, tables and other exact words of a turn, as level 1 shows them: whole or named on one line, never cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from turnfold.assemble.forms.markers import ARROW, turns_marker
from turnfold.code_blocks.blocks import Block, BlockKind, block_name, blocks_of, line_count
from turnfold.contract.lookalikes import UNSEEN
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.language.prose import Span, trimmed
from turnfold_worker.pipeline.turns.reading import Reading

SMALL_TOKENS: Final = 200
"""Tokens up to which exact words stand whole in level 1; longer ones are named."""
_MOST_OF_A_TURN: Final = 40
_EXACT: Final = frozenset({"JSON", "SQL", "code", "table", "key", "formula", "key-value", "commands", "marks"})
"""Reasons that keep a turn for what its words are."""
UNSEEN_IN_CODE: Final = {code: replaced for code, replaced in UNSEEN.items() if code not in map(ord, "\t\n")} | (
    # A reader breaks lines there too, and each line is indented.
    dict.fromkeys(map(ord, "\x85\u2028\u2029"), "\n")
)


class Exact(NamedTuple):
    """Exact words of a turn."""

    span: Span
    text: str
    """Its lines with their fences; empty where they are too long for a level."""
    tokens: int
    """Of the lines as a level indents them."""
    name: str
    """On one line, with a marker that shows all of it."""


def exact_words(reading: Reading) -> list[Exact]:
    """What of a turn is shown whole or named, in order; the whole turn where all of it is exact."""
    content = reading.turn.content
    if reading.tool:
        return []
    treatment = reading.treatment
    if treatment is not None and _is_exact(treatment.classification.reasons):
        span = trimmed(content, Span(0, len(content)))
        whole = _exact(reading, Block(*span, BlockKind.TEXT, "", *span))
        # Of a long turn with a key or a formula in it the sentences are told.
        if whole.text or treatment.statements is not None:
            return [whole]
    blocks = [block for block in blocks_of(content) if block.kind is not BlockKind.LINE]
    return [_exact(reading, block) for block in blocks[:_MOST_OF_A_TURN]]


def _is_exact(reasons: Sequence[str]) -> bool:
    """True where what decides, or stands beside that the turn is short, is what its words are."""
    return not _EXACT.isdisjoint(reasons if reasons[:1] == ("short",) else reasons[:1])


def _exact(reading: Reading, block: Block) -> Exact:
    content, seq = reading.turn.content, reading.turn.seq
    inside = content[block.inside : block.inside_end]
    name = block_name(inside, block.kind, block.language, lines=line_count(inside.rstrip("\n")))
    named = f"code: {name} [… {ARROW}{turns_marker(seq, seq)}]"
    text = content[block.start : block.end].translate(UNSEEN_IN_CODE).replace("→L", "→ L")
    # A line of prose is cheaper than a line of code; what is much longer than it may be is not counted.
    tokens = estimate_tokens(indented(text)) if len(text) <= 10 * SMALL_TOKENS else SMALL_TOKENS + 1
    whole = text if tokens <= SMALL_TOKENS and any(map(str.isalnum, text)) else ""
    return Exact(Span(block.start, block.end), whole, tokens, named)


def indented(text: str, indent: str = "    ") -> str:
    """Lines as a level shows code, so that none begins like one of ours."""
    return "".join(f"{indent}{line.rstrip()}\n" for line in text.split("\n"))


def outside(sentences: Iterable[Span], exact: Sequence[Exact]) -> Iterable[Span]:
    """The sentences that stand in no exact words."""
    at = 0
    for sentence in sentences:
        while at < len(exact) and exact[at].span.end <= sentence.start:
            at += 1
        if at == len(exact) or sentence.start < exact[at].span.start:
            yield sentence
