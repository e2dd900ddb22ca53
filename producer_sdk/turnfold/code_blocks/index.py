"""What is stored of the blocks of a segment: where they stand, and by which words a query finds them. Pure.

A posting of the one term `BLOCKS` holds all blocks of a segment, so that a query that asks for one reads one row a
segment, and other queries none. Words are stored as 16 bits of their checksum: two of a conversation's words seldom
share them, and a block is asked for with several.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from zlib import crc32

from turnfold.code_blocks.blocks import Block, blocks_of, defined_names, headings, line_count
from turnfold.code_blocks.languages import BlockKind
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.terms import rarity, terms

BLOCKS: Final = "!blocks"
"""Stands as a term in postings for the blocks of a segment. No word is such a term."""
MOST_OF_A_SEGMENT: Final = 400
"""Blocks of a segment that are found again."""
_CHECKED: Final = 200
"""Code points of a block by whose checksum it is known again."""
_READ: Final = 8_000
"""Code points of a block whose words find it."""
_MOST_LEADING: Final = 40
_MOST_WORDS: Final = 120
_ROLES: Final = tuple(Role)
_HEAD: Final = struct.Struct("<IIIHHBBBB")
_MOST_LINES: Final = 0xFFFF


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


def word_code(term: str) -> int:
    """A term as an entry holds it."""
    return crc32(term.encode("utf-8", "surrogatepass")) & 0xFFFF


def entries_of(turn: StoredTurn, *, printed: bool) -> list[BlockEntry]:
    """The blocks of a turn; `printed` for what a tool printed."""
    return [_entry(turn, block) for block in blocks_of(turn.content, printed=printed)]


def _entry(turn: StoredTurn, block: Block) -> BlockEntry:
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
    )


def _codes(text: str, most: int) -> frozenset[int]:
    """The rarest terms of a text."""
    distinct = list(dict.fromkeys(terms(text)))
    if len(distinct) > most:
        distinct = sorted(distinct, key=lambda term: -rarity(term))[:most]
    return frozenset(map(word_code, distinct))


def _checked(text: str) -> int:
    return crc32(text[:_CHECKED].encode("utf-8", "surrogatepass")) & 0xFFFF


def pack_blocks(entries: Iterable[BlockEntry]) -> bytes:
    """Entries in their order."""
    packed = []
    for one in entries:
        leading, words = sorted(one.leading), sorted(one.words)
        packed.append(
            _HEAD.pack(
                one.seq,
                one.start,
                one.end,
                one.lines,
                one.check,
                one.kind,
                _ROLES.index(one.role),
                len(leading),
                len(words),
            )
        )
        packed.append(struct.pack(f"<{len(leading) + len(words)}H", *leading, *words))
    return b"".join(packed)


def unpack_blocks(packed: bytes) -> list[BlockEntry]:
    """What `pack_blocks` packed."""
    entries = []
    at = 0
    while at < len(packed):
        seq, start, end, lines, check, kind, role, leading, words = _HEAD.unpack_from(packed, at)
        at += _HEAD.size
        codes: Sequence[int] = struct.unpack_from(f"<{leading + words}H", packed, at)
        at += 2 * len(codes)
        sets = frozenset(codes[:leading]), frozenset(codes[leading:])
        entries.append(BlockEntry(seq, start, end, lines, check, BlockKind(kind), _ROLES[role], *sets))
    return entries
