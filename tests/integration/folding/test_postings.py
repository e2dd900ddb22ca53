"""After folds, refolds and rewinds, posting rows equal those of a conversation that has always been as it is now."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, text

from turnfold.contract.passages import pack_pointers
from turnfold.contract.posting_pieces import Piece, Posted
from turnfold.contract.records import ConversationId
from turnfold.contract.tables import ConversationRow, PostingRow, table
from turnfold_worker.adapters.sql.memory_database import memory_database
from turnfold_worker.adapters.sql.postings import POSTINGS

ONE, OTHER = ConversationId(1), ConversationId(2)
MERGED = (1, 7, 8, 9, 63, 64, 66, 72, 200, 512, 530, 580)
"""Numbers of segments before and after pieces are merged."""


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = memory_database()
    with engine.begin() as connection:
        connection.execute(
            table(ConversationRow).insert(),
            [{"id": id_, "tenant": "acme", "external_id": f"c{id_}"} for id_ in (ONE, OTHER)],
        )
    yield engine
    engine.dispose()


def said(idx: int, seed: int = 0) -> list[Posted]:
    """Return postings of a segment: frequent, occasional and unique terms; none for one segment in seven."""
    chance = random.Random(1_000 * seed + idx)
    if chance.random() < 1 / 7:
        return []
    terms = {"pool", f"sometimes{chance.randrange(5)}", *(f"once{idx}-{seed}-{i}" for i in range(5))}
    return [(term, idx, chance.randint(1, 99), pack_pointers([(idx << 8, 40)])) for term in sorted(terms)]


def rows(connection: Connection, conversation: ConversationId) -> dict[int, list[Posted]]:
    found = connection.execute(
        text("SELECT number, body FROM posting WHERE conversation = :id"), {"id": conversation}
    ).all()
    return {number: sorted(Piece(number, body).all()) for number, body in found}


def folded(connection: Connection, conversation: ConversationId, segments: int, *, again: int = -1) -> None:
    for idx in range(segments):
        POSTINGS.append(connection, conversation, idx, said(idx, int(idx == again)))


def test_every_posting_is_stored_once_whatever_was_merged(engine: Engine) -> None:
    held: dict[int, list[Posted]] = {}
    with engine.begin() as connection:
        for idx in range(max(MERGED)):
            POSTINGS.append(connection, ONE, idx, said(idx))
            if idx + 1 in MERGED:
                held[idx + 1] = sorted(posted for piece in rows(connection, ONE).values() for posted in piece)
    assert held == {number: sorted(posted for idx in range(number) for posted in said(idx)) for number in MERGED}


@pytest.mark.parametrize(
    ("segments", "kept"),
    [(9, 8), (9, 7), (64, 63), (66, 64), (72, 65), (200, 0), (200, 131), (580, 512), (580, 70)],
)
def test_a_rewind_leaves_the_rows_of_the_segments_that_stay(engine: Engine, segments: int, kept: int) -> None:
    with engine.begin() as connection:
        folded(connection, ONE, segments)
        POSTINGS.cut(connection, ONE, kept)
        folded(connection, OTHER, kept)
        assert rows(connection, ONE) == rows(connection, OTHER)


@pytest.mark.parametrize(("segments", "idx"), [(1, 0), (9, 3), (9, 8), (70, 66), (72, 0), (200, 100), (530, 511)])
def test_a_refold_replaces_exactly_the_rows_of_its_segment(engine: Engine, segments: int, idx: int) -> None:
    with engine.begin() as connection:
        folded(connection, ONE, segments)
        POSTINGS.replace(connection, ONE, idx, said(idx, 1), segments=segments)
        folded(connection, OTHER, segments, again=idx)
        assert rows(connection, ONE) == rows(connection, OTHER)
        POSTINGS.replace(connection, ONE, idx, (), segments=segments)
        held = [posted for piece in rows(connection, ONE).values() for posted in piece]
        assert {posted[1] for posted in held} == {one for one in range(segments) if one != idx and said(one)}
        assert rows(connection, OTHER), "another conversation's stay"


def test_a_piece_that_is_empty_has_no_row(engine: Engine) -> None:
    with engine.begin() as connection:
        folded(connection, ONE, 3)
        for idx in range(3):
            POSTINGS.replace(connection, ONE, idx, (), segments=3)
        assert connection.execute(table(PostingRow).select()).all() == []
