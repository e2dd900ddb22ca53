"""Statements of a context, and the difference between the statements of two contexts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.markers import turns_marker
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.notes import Note
from turnfold.contract.records import Anchor, AnchorType
from turnfold.contract.speakers import speaker_label

_FIRST: Final = (
    AnchorType.CONSTRAINT, AnchorType.COMMITMENT, AnchorType.INSTRUCTION, AnchorType.DECISION, AnchorType.CORRECTION,
    AnchorType.UNRESOLVED_QUESTION, AnchorType.PREFERENCE, AnchorType.CRITICAL_FACT,
)  # fmt: skip
KINDS: Final = (*map(str, _FIRST), "note", "turn")
"""Kinds of statements, the most binding first."""
_RANK: Final = {kind: rank for rank, kind in enumerate(KINDS)}
_SAYS_MORE: Final = lazy_pattern(r"(?i)\d|[()]|^(?:not|no|never|nor|without|cannot)\b|n['\u2019]t\b")
"""Words that even a brief note keeps: numbers, brackets and negations."""
_LONGEST: Final = 200
"""Code points of a raw turn that a statement quotes."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in a context: an anchor, a note, or a raw turn."""

    kind: str
    """An anchor type, `note` or `turn`."""
    text: str
    """For a raw turn, its beginning."""
    turn_seq: int
    speaker: str
    replaced: str | None = None
    """For an anchor, the statement that it replaced."""

    @property
    def marker(self) -> str:
        """Marker of the statement's turn, for `expand`."""
        return turns_marker(self.turn_seq, self.turn_seq)

    def __str__(self) -> str:
        return f"[{self.kind.replace('_', ' ')} {self.turn_seq}] {self.speaker}: {self.text}"


@dataclass(frozen=True, slots=True)
class ContextDiff:
    """Difference between two contexts of a conversation: constraints and commitments first, then by turn."""

    left: tuple[Statement, ...] = ()
    """Statements of the earlier context only."""
    came: tuple[Statement, ...] = ()
    """Statements of the later context only."""
    replaced_by: Mapping[Statement, Statement] | None = None
    """Replacements of statements in `left`, where there are any."""

    def __bool__(self) -> bool:
        return bool(self.left or self.came)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for statement in self.left:
            after = (self.replaced_by or {}).get(statement)
            yield f"- {statement}" + ("" if after is None else f"  (now: {after.text}, turn {after.turn_seq})")
        for statement in self.came:
            yield f"+ {statement}"

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-compatible values."""
        replaced_by = self.replaced_by or {}
        return {
            "left": [
                {
                    **_plain(statement),
                    "replaced_by": _plain(replaced_by[statement]) if statement in replaced_by else None,
                }
                for statement in self.left
            ],
            "came": [_plain(statement) for statement in self.came],
        }


def _plain(statement: Statement) -> dict[str, Any]:
    return {
        "kind": statement.kind, "text": statement.text, "turn_seq": statement.turn_seq, "speaker": statement.speaker,
        "marker": statement.marker,
    }  # fmt: skip


def diff_of(earlier: Sequence[Statement], later: Sequence[Statement]) -> ContextDiff:
    """Compare two contexts. A statement that is only worded more briefly or more fully is no difference."""
    statements_before, after = (
        {_key(statement): statement for statement in earlier},
        {_key(statement): statement for statement in later},
    )
    left = sorted([changed for key, changed in statements_before.items() if key not in after], key=_order)
    came = sorted([changed for key, changed in after.items() if key not in statements_before], key=_order)
    if left and came:
        left, came = _not_in(came, left), _not_in(left, came)
    replacing = {statement.replaced: statement for statement in later if statement.replaced}
    replaced_by = {statement: replacing[statement.text] for statement in left if statement.text in replacing}
    return ContextDiff(tuple(left), tuple(came), replaced_by)


def _not_in(others: Sequence[Statement], statements: Sequence[Statement]) -> list[Statement]:
    """Statements that none of `others` repeats in fewer or more words."""
    of_turn: dict[tuple[str, int], list[str]] = {}
    for other in others:
        of_turn.setdefault((other.kind, other.turn_seq), []).append(other.text)
    return [
        statement
        for statement in statements
        if not any(_is_same(statement.text, text) for text in of_turn.get((statement.kind, statement.turn_seq), ()))
    ]


def _is_same(text: str, other: str) -> bool:
    """Whether two texts differ only by words that a brief note drops."""
    shorter, longer = sorted((text.split(), other.split()), key=len)
    rest = iter(longer)
    lost: list[str] = []
    for word in shorter:
        for candidate in rest:
            if candidate == word:
                break
            lost.append(candidate)
        else:
            return False
    return not any(map(_SAYS_MORE.search, (*lost, *rest)))


def _key(statement: Statement) -> tuple[str, int, str]:
    # A raw turn may be clipped at another place.
    return statement.kind, statement.turn_seq, "" if statement.kind == "turn" else statement.text


def _order(statement: Statement) -> tuple[int, int]:
    return _RANK[statement.kind], statement.turn_seq


def statements_of(
    anchors: Iterable[Anchor], notes: Iterable[Note], turns: Iterable[ShownTurn]
) -> tuple[Statement, ...]:
    """Statements of a context in order of appearance, without duplicates."""
    statements = [
        Statement(str(anchor.type), anchor.text, anchor.turn_seq, anchor.speaker or "", anchor.replaced)
        for anchor in anchors
    ]
    statements += [Statement("note", note.text, note.seq, note.speaker) for note in notes]
    statements += [
        Statement("turn", turn.content[:_LONGEST], turn.turn.seq, speaker_label(turn.turn))
        for turn in turns if not turn.hidden
    ]  # fmt: skip
    return tuple(dict.fromkeys(statements))
