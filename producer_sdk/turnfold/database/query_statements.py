"""The statements of a query, built once: postings of its terms, the segments and passages that they point to."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import TextClause, bindparam, literal_column, select, text, union_all

from turnfold.contract.tables import PassageRow, PassageSignsRow, PostingRow, table
from turnfold.contract.turn_parts import PARTS as PARTS_TERM
from turnfold.database.lists import among
from turnfold.database.statements import OF_CONVERSATION, node, shortened_columns, turn
from turnfold.relevance import QUERY_TERMS, SEGMENT_HITS

POSTINGS_A_TERM: Final = 64
SIGNS_SEGMENTS: Final = 128
"""Newest segments whose passages are compared with the query's meaning."""
TURNS_A_HIT: Final = 264
"""Turns that are read of a segment that holds a query's terms: all of the longest one that can be configured, 200
turns and 64 for which a tool call holds its end. A segment's own limit of tokens bounds what they hold."""

passage = table(PassageRow)


def _postings() -> TextClause:
    # Each of the sixteen looks at one term, so that no term reads more than its 64 heaviest segments.
    one = (
        "SELECT * FROM (SELECT term, idx, weight, passages FROM posting "  # noqa: S608 - constants of the contract
        "WHERE conversation = :conversation AND term = :t{i} "
        f"ORDER BY weight DESC, idx DESC LIMIT {POSTINGS_A_TERM}) AS p{{i}}"
    )
    return text(" UNION ALL ".join(one.format(i=i) for i in range(QUERY_TERMS)))


POSTINGS: Final = _postings()

HIT_NODES: Final = select(node.c.idx, node.c.first_seq, node.c.last_seq).where(
    node.c.conversation == bindparam("conversation"),
    node.c.height == literal_column("0"),
    node.c.idx.in_([bindparam(f"x{i}") for i in range(SEGMENT_HITS)]),
)

HIT_PASSAGES: Final = select(passage.c.number, passage.c.body).where(
    passage.c.conversation == bindparam("conversation"), among(passage.c.number, "numbers")
)
"""`numbers` in one text with commas between them: hundreds of parameters take longer than what they find."""

_posting: Final = table(PostingRow)
PARTS: Final = select(_posting.c.passages).where(
    _posting.c.conversation == bindparam("conversation"), _posting.c.term == literal_column(f"'{PARTS_TERM}'"),
    _posting.c.weight == literal_column("1"), among(_posting.c.idx, "segments"),
).order_by(_posting.c.idx)  # fmt: skip
"""Parts of the long turns of `segments`, which are as the `numbers` of passages."""

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
"""Turns that answer a query best, of which the words are read."""
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
    # Eight ranges of the primary key: a join on ranges makes PostgreSQL read the whole conversation.
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
