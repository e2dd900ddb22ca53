"""The statements of a query, built once: pieces of postings, and the segments and passages that they point to."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import bindparam, literal_column, select, union_all

from turnfold.contract.tables import (
    BlockListRow,
    ModelPassageRow,
    ModelPostingRow,
    PartListRow,
    PassageRow,
    PassageSignsRow,
    PostingRow,
    table,
)
from turnfold.database.lists import among
from turnfold.database.statements import OF_CONVERSATION, node, shortened_columns, turn
from turnfold.search.relevance import SEGMENT_HITS

POSTINGS_A_TERM: Final = 64
"""Segments per term that are scored: those with its highest weights."""
SIGNS_SEGMENTS: Final = 128
"""Newest segments whose passages are compared with the query's embedding."""
TURNS_A_HIT: Final = 264
"""Maximum turns read of a segment with matches: all of the longest one that can be configured, 200 turns, plus 64 by
which tool calls may delay its end. The segment's limit of tokens bounds their text."""

passage = table(PassageRow)


_posting: Final = table(PostingRow)
POSTINGS: Final = select(_posting.c.number, _posting.c.body).where(
    _posting.c.conversation == bindparam("conversation"), among(_posting.c.number, "numbers")
)
"""Pieces of postings: see `turnfold.contract.posting_pieces`."""

_model_posting: Final = table(ModelPostingRow)
MODEL_POSTINGS: Final = select(_model_posting.c.number, _model_posting.c.body).where(
    _model_posting.c.conversation == bindparam("conversation"), among(_model_posting.c.number, "numbers")
)
ALL_POSTINGS: Final = union_all(
    POSTINGS.add_columns(literal_column("0").label("of_model")),
    MODEL_POSTINGS.add_columns(literal_column("1").label("of_model")),
)
"""Pieces of the rules and of models in one statement; the last column tells them apart."""
_model_passage: Final = table(ModelPassageRow)
MODEL_PASSAGES: Final = select(_model_passage.c.body).where(
    _model_passage.c.conversation == bindparam("conversation"), among(_model_passage.c.idx, "segments")
)

_blocks: Final = table(BlockListRow)
BLOCK_LISTS: Final = (
    select(_blocks.c.body)
    .where(_blocks.c.conversation == bindparam("conversation"))
    .order_by(_blocks.c.idx.desc())
    .limit(literal_column(str(POSTINGS_A_TERM)))
)
"""Blocks of the newest segments that have any."""

HIT_NODES: Final = select(node.c.idx, node.c.first_seq, node.c.last_seq).where(
    node.c.conversation == bindparam("conversation"),
    node.c.height == literal_column("0"),
    node.c.idx.in_([bindparam(f"x{i}") for i in range(SEGMENT_HITS)]),
)

HIT_PASSAGES: Final = select(passage.c.bundle, passage.c.body).where(
    passage.c.conversation == bindparam("conversation"), among(passage.c.bundle, "numbers")
)
"""`numbers` of bundles as one comma-separated text: binding hundreds of parameters takes longer than the query."""

_parts: Final = table(PartListRow)
PART_LISTS: Final = (
    select(_parts.c.body)
    .where(_parts.c.conversation == bindparam("conversation"), among(_parts.c.idx, "segments"))
    .order_by(_parts.c.idx)
)
"""Parts of the long turns of `segments`, a comma-separated text like `numbers` of `HIT_PASSAGES`."""

_segment_of: Final = (
    select(node.c.idx)
    .where(
        node.c.conversation == bindparam("conversation"), node.c.height == literal_column("0"),
        node.c.first_seq <= turn.c.seq,
    )
    .order_by(node.c.first_seq.desc())
    .limit(1)
    .scalar_subquery()
)  # fmt: skip
ANSWERING: Final = 8
"""Number of best matching turns whose text is read."""
ANSWERING_TURNS: Final = select(*shortened_columns(parts=False), _segment_of.label("node_idx")).where(
    OF_CONVERSATION, turn.c.seq.in_([bindparam(f"s{i}") for i in range(ANSWERING)])
)

_signs: Final = table(PassageSignsRow)
NEWEST_SIGNS: Final = (
    select(_signs.c.signs)
    .where(_signs.c.conversation == bindparam("conversation"), _signs.c.model == bindparam("model"))
    .order_by(_signs.c.idx.desc())
    .limit(SIGNS_SEGMENTS)
)


def _hit_turns() -> Any:
    # Eight ranges of the primary key: for a join on ranges, PostgreSQL would read the whole conversation.
    ranges = [
        select(
            select(*shortened_columns(parts=False))
            .where(OF_CONVERSATION, turn.c.seq.between(bindparam(f"a{i}"), bindparam(f"b{i}")))
            .order_by(turn.c.seq)
            .limit(TURNS_A_HIT)
            .subquery(f"p{i}")
        )
        for i in range(SEGMENT_HITS)
    ]
    return union_all(*ranges)


HIT_TURNS: Final = _hit_turns()
