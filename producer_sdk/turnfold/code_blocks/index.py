"""What is stored of the blocks of a segment: where they stand, and by which words a query finds them. Pure.

One row holds all blocks of a segment, so that a query that asks for one reads one row a segment, and other queries
none. Words are stored as 16 bits of their checksum: two of a conversation's words seldom
share them, and a block is asked for with several.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Final, NamedTuple
from zlib import crc32

from turnfold.code_blocks.blocks import Block, blocks_of, defined_names, headings, line_count
from turnfold.code_blocks.languages import BlockKind
from turnfold.contract.fences import fences_of
from turnfold.contract.origins import holds_tool_words
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.terms import rarity, terms

MOST_OF_A_SEGMENT: Final = 400
"""Blocks of a segment that are found again."""
_CHECKED: Final = 200
"""Code points of a block by whose checksum it is known again."""
_READ: Final = 8_000
"""Code points of a block whose words find it."""
_MOST_LEADING: Final = 40
_MOST_WORDS: Final = 240
_MOST_ASKED: Final = 24
_REMARK: Final = 160
"""Code points behind a block by which it may be asked for."""
_MOST_REMARKED: Final = 16
_ROLES: Final = tuple(Role)
_HEAD: Final = struct.Struct("<IIIHHBBBBB")
_MOST_LINES: Final = 0xFFFF
_JOINTS: Final = str.maketrans("./:@", "    ")


class BlockEntry(NamedTuple):
    """A block as it is stored."""

    seq: int
    start: int
    end: int
    """Code points of its turn, fences included."""
    lines: int
    """Without its fences."""
    check: int
    kind: BlockKind
    role: Role
    leading: frozenset[int]
    """Words that name it: its language, what it defines, what introduces it."""
    words: frozenset[int]
    """Words that it holds."""
    question: frozenset[int] = frozenset()
    """Words of the question that it answers, and of what is said right behind it."""

    def is_of(self, text: str) -> bool:
        """True for the text of the block, or its beginning: not after its turn was edited."""
        return _checked(text) == self.check


class FoundBlock(NamedTuple):
    """A block that a query may mean, as it was read."""

    entry: BlockEntry
    turn: StoredTurn
    """Its turn, of whose words only `before` and `text` were read."""
    before: str
    """What stands shortly before it."""
    text: str
    """The block, or its beginning where it is longer than any context of the budget."""


def block_terms(text: str) -> list[str]:
    """Terms of a text, of a dotted name such as `client.from_url` its parts whole, too."""
    return [*terms(text), *terms(text.translate(_JOINTS))]


def word_code(term: str) -> int:
    """A term as an entry holds it."""
    return crc32(term.encode("utf-8", "surrogatepass")) & 0xFFFF


def entries_of(turns: Iterable[StoredTurn], *, before: Sequence[StoredTurn] = ()) -> Iterator[BlockEntry]:
    """The blocks of neighbouring turns, in order; `before` are some turns before them."""
    question = _question(next((turn for turn in reversed(before) if turn.role is Role.USER), None))
    for turn in turns:
        is_users = turn.role is Role.USER
        for block in blocks_of(turn.content, printed=holds_tool_words(turn)):
            remark = _codes(turn.content[block.end : block.end + _REMARK].split("```", 1)[0], _MOST_REMARKED)
            yield _entry(turn, block, remark if is_users else question | remark)
        if is_users:
            question = _question(turn)


def _question(turn: StoredTurn | None) -> frozenset[int]:
    """What a user's turn asks for, without the blocks in it."""
    if turn is None:
        return frozenset()
    words, at = [], 0
    for fence in fences_of(turn.content[:_READ]):
        words.append(turn.content[at : fence.start])
        at = fence.end
    return _codes(" ".join([*words, turn.content[at:_READ]]), _MOST_ASKED)


def _entry(turn: StoredTurn, block: Block, question: frozenset[int]) -> BlockEntry:
    inside = turn.content[block.inside : block.inside_end]
    names = " ".join([block.language, block.kind.name.lower(), *defined_names(inside[:_READ])])
    leading = _codes(
        f"{names} {headings(turn.content, block.start)} {inside[:_READ].split(chr(10), 1)[0]}", _MOST_LEADING
    )
    return BlockEntry(
        seq=turn.seq,
        start=block.start,
        end=block.end,
        lines=min(line_count(inside), _MOST_LINES),
        check=_checked(turn.content[block.start : block.end]),
        kind=block.kind,
        role=turn.role,
        leading=leading,
        words=_codes(inside[:_READ], _MOST_WORDS),
        question=question,
    )


@lru_cache(maxsize=256)
def _codes(text: str, most_terms: int) -> frozenset[int]:
    """The rarest terms of a text."""
    distinct = list(dict.fromkeys(block_terms(text)))
    if len(distinct) > most_terms:
        distinct = sorted(distinct, key=lambda term: -rarity(term))[:most_terms]
    return frozenset(map(word_code, distinct))


def _checked(text: str) -> int:
    return crc32(text[:_CHECKED].encode("utf-8", "surrogatepass")) & 0xFFFF


def pack_blocks(entries: Iterable[BlockEntry]) -> bytes:
    """Entries in their order."""
    packed = []
    for entry in entries:
        sets = [sorted(entry.leading), sorted(entry.words), sorted(entry.question)]
        sizes = [len(codes) for codes in sets]
        role = _ROLES.index(entry.role)
        packed.append(_HEAD.pack(entry.seq, entry.start, entry.end, entry.lines, entry.check, entry.kind, role, *sizes))
        packed.append(struct.pack(f"<{sum(sizes)}H", *chain.from_iterable(sets)))
    return b"".join(packed)


@lru_cache(maxsize=128)
def unpack_blocks(packed: bytes) -> tuple[BlockEntry, ...]:
    """What `pack_blocks` packed."""
    entries = []
    at = 0
    while at < len(packed):
        seq, start, end, lines, check, kind, role, *sizes = _HEAD.unpack_from(packed, at)
        at += _HEAD.size
        codes = iter(struct.unpack_from(f"<{sum(sizes)}H", packed, at))
        at += 2 * sum(sizes)
        sets = [frozenset(islice(codes, size)) for size in sizes]
        entries.append(BlockEntry(seq, start, end, lines, check, BlockKind(kind), _ROLES[role], *sets))
    return tuple(entries)
