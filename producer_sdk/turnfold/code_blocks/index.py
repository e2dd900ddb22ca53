"""The stored index of a segment's blocks: their positions, and the words by which a query finds them. Pure.

One row holds all blocks of a segment, so that a query for a block reads one row per segment, and other queries none.
Words are stored as 16-bit checksums: collisions within a conversation are rare, and a query for a block has several
words.
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
"""Most blocks of a segment that are indexed."""
_CHECKED: Final = 200
"""Code points at the beginning of a block that its checksum covers."""
_READ: Final = 8_000
"""Code points of a block whose words are indexed."""
_MOST_LEADING: Final = 40
_MOST_WORDS: Final = 240
_MOST_ASKED: Final = 24
_REMARK: Final = 160
"""Code points after a block whose words are indexed too."""
_MOST_REMARKED: Final = 16
_ROLES: Final = tuple(Role)
_HEAD: Final = struct.Struct("<IIIHHBBBBB")
_MOST_LINES: Final = 0xFFFF
_JOINTS: Final = str.maketrans("./:@", "    ")


class BlockEntry(NamedTuple):
    """A block's index entry, as it is stored."""

    seq: int
    start: int
    end: int
    """`start` and `end` are offsets in the turn's code points, fences included."""
    lines: int
    """Number of lines, without fences."""
    check: int
    kind: BlockKind
    role: Role
    leading: frozenset[int]
    """Words that name the block: its language, the names that it defines, its introduction."""
    words: frozenset[int]
    """Words in the block."""
    question: frozenset[int] = frozenset()
    """Words of the question that the block answers, and of the text right after it."""

    def is_of(self, text: str) -> bool:
        """Whether `text` is, or begins, the indexed block: not after its turn was edited."""
        return _checked(text) == self.check


class FoundBlock(NamedTuple):
    """A block that a query may mean, with its text."""

    entry: BlockEntry
    turn: StoredTurn
    """The block's turn, of whose content only `before` and `text` were read."""
    before: str
    """The text shortly before the block."""
    text: str
    """The block, or its beginning if it is longer than any context of the budget."""


def block_terms(text: str) -> list[str]:
    """Return the terms of a text; a dotted name such as `client.from_url` also yields its parts."""
    return [*terms(text), *terms(text.translate(_JOINTS))]


def word_code(term: str) -> int:
    """Return the 16-bit code of a term in index entries."""
    return crc32(term.encode("utf-8", "surrogatepass")) & 0xFFFF


def entries_of(turns: Iterable[StoredTurn], *, before: Sequence[StoredTurn] = ()) -> Iterator[BlockEntry]:
    """Yield the index entries of consecutive turns' blocks, in order; `before` are some of the preceding turns."""
    question = _question(next((turn for turn in reversed(before) if turn.role is Role.USER), None))
    for turn in turns:
        is_users = turn.role is Role.USER
        for block in blocks_of(turn.content, printed=holds_tool_words(turn)):
            remark = _codes(turn.content[block.end : block.end + _REMARK].split("```", 1)[0], _MOST_REMARKED)
            yield _entry(turn, block, remark if is_users else question | remark)
        if is_users:
            question = _question(turn)


def _question(turn: StoredTurn | None) -> frozenset[int]:
    """Return the word codes of a user's turn, without the fenced blocks in it."""
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
    """Return the codes of a text's rarest terms."""
    distinct = list(dict.fromkeys(block_terms(text)))
    if len(distinct) > most_terms:
        distinct = sorted(distinct, key=lambda term: -rarity(term))[:most_terms]
    return frozenset(map(word_code, distinct))


def _checked(text: str) -> int:
    return crc32(text[:_CHECKED].encode("utf-8", "surrogatepass")) & 0xFFFF


def pack_blocks(entries: Iterable[BlockEntry]) -> bytes:
    """Serialize index entries, in order."""
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
    """Deserialize index entries: the inverse of `pack_blocks`."""
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
