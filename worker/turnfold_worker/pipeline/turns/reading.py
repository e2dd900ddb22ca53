"""Reads a turn once for all stages: its speaker, sentences, code and facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from turnfold.contract.origins import holds_tool_words
from turnfold.contract.periods import as_utc
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.speakers import speaker_label
from turnfold_worker.pipeline.language.facts import Fact, FactKind, Facts, extract_facts
from turnfold_worker.pipeline.language.pasted import is_pasted, pasted_in
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.prose import Span, split_prose
from turnfold_worker.pipeline.turns.echoes import output_in
from turnfold_worker.pipeline.turns.manuals import manual_in
from turnfold_worker.pipeline.turns.memo import TurnMemo, made_once
from turnfold_worker.pipeline.turns.tool_groups import calls_shown

if TYPE_CHECKING:
    from turnfold_worker.pipeline.turns.repeats import Repeat
    from turnfold_worker.pipeline.turns.treatment import Treatment

_NICKNAME: Final = 3
"""Minimum letters of a short form of a name."""
_ROLES: Final = frozenset(map(str, Role))
"""Labels without short forms: 'use' is no user."""
_KINDS: Final = {str(kind): kind for kind in FactKind}
_CODE_KINDS: Final = (FactKind.IDENTIFIER, FactKind.PATH, FactKind.URL, FactKind.ERROR)


@dataclass(frozen=True, slots=True)
class Reading:
    """A turn with its parsed parts. Offsets are into `turn.content`."""

    turn: StoredTurn
    speaker: str
    """A label that begins with a letter and contains no marker syntax."""
    tool: bool
    """True when a tool wrote the content."""
    sentences: tuple[Span, ...]
    code: tuple[Span, ...]
    facts: Facts
    """All facts of the prose; of code only identifiers, paths, URLs and errors."""
    calls: tuple[str, ...]
    """The tool calls of the turn in readable form."""
    manual: Span | None = None
    """The standing instructions of a harness, if the turn contains any."""
    pasted: tuple[Span, ...] = ()
    """The parts of a user's turn that another person wrote."""
    treatment: Treatment | None = None
    """How the turn is to be summarized; None until it is read as part of a segment."""
    memo: TurnMemo | None = field(default=None, compare=False, repr=False)
    """Cache in which stages keep their results for the next fold; None for no caching."""

    @property
    def repeat(self) -> Repeat | None:
        """The repeat of an earlier turn, if the turn is one and was read as part of a segment."""
        return self.treatment.repeat if self.treatment is not None else None

    @property
    def day(self) -> date | None:
        """The day of the turn, in UTC; None if its time is unknown."""
        return as_utc(self.turn.created_at).date() if self.turn.created_at else None

    def is_pasted(self, span: Span) -> bool:
        """True when another person wrote the span or a part of it."""
        return bool(self.pasted) and is_pasted(self.pasted, span)

    def text(self, span: Span) -> str:
        """Return the text of a span, verbatim."""
        return self.turn.content[span.start : span.end]


class _Parts(NamedTuple):
    """The part of a reading that depends on the content alone, as positions in it; cacheable."""

    sentences: tuple[Span, ...]
    code: tuple[Span, ...]
    facts: tuple[Fact, ...]
    pasted: tuple[Span, ...]
    manual: Span | None


def read_turn(turn: StoredTurn, memo: TurnMemo | None = None) -> Reading:
    """Read a turn. Linear in its length up to a bound, constant beyond it."""
    parts = made_once(memo, "parts", "", lambda: _parts_of(turn), pack=_packed, unpack=partial(_unpacked, turn.content))
    return Reading(
        turn=turn,
        speaker=speaker_label(turn),
        tool=holds_tool_words(turn),
        sentences=parts.sentences,
        code=parts.code,
        facts=Facts(parts.facts),
        calls=tuple(plain_line(call) for call in calls_shown(turn)),
        pasted=parts.pasted,
        manual=parts.manual,
        memo=memo,
    )


def _parts_of(turn: StoredTurn) -> _Parts:
    prose = split_prose(turn.content)
    if output := output_in(turn):
        sentences = tuple(
            sentence for sentence in prose.sentences if sentence.end <= output.start or sentence.start >= output.end
        )
        code = [code_span for code_span in prose.code if code_span.end <= output.start or code_span.start >= output.end]
        prose = replace(prose, sentences=sentences, code=tuple(sorted([*code, output])))
    return _Parts(
        sentences=prose.sentences,
        code=prose.code,
        facts=_outside_code(extract_facts(turn.content), prose.code),
        pasted=pasted_in(turn.content) if turn.role is Role.USER else (),
        manual=manual_in(turn.content, prose.sentences, turn.role),
    )


def _packed(parts: _Parts) -> list[Any]:
    facts = [[str(fact.kind), fact.start, fact.end] for fact in parts.facts]
    return [parts.sentences, parts.code, facts, parts.pasted, parts.manual]


def _unpacked(content: str, packed: Sequence[Any]) -> _Parts:
    sentences, code, facts, pasted, manual = packed
    return _Parts(
        sentences=tuple([Span(*span) for span in sentences]),
        code=tuple([Span(*span) for span in code]),
        facts=tuple([Fact(_KINDS[kind], content[start:end], start, end) for kind, start, end in facts]),
        pasted=tuple([Span(*span) for span in pasted]),
        manual=manual and Span(*manual),
    )


def _outside_code(facts: Facts, code: Sequence[Span]) -> tuple[Fact, ...]:
    kept = []
    block = 0
    for fact in facts.all:
        while block < len(code) and code[block].end <= fact.start:
            block += 1
        inside = block < len(code) and code[block].start <= fact.start
        if not inside or fact.kind in _CODE_KINDS:
            kept.append(fact)
    return tuple(kept)


def is_participant(name: str, speakers: Iterable[str]) -> bool:
    """True for a speaker's name or the beginning of one, as people address each other.

    >>> is_participant("Tom", ["Tomas"])
    True
    """
    return name.lower() in called(tuple(speakers))


@lru_cache(maxsize=256)
def called(speakers: tuple[str, ...]) -> frozenset[str]:
    """Return the names that speakers may be called by, in lower case: full names, their words, and prefixes of both."""
    parts = {part for speaker in speakers for part in (speaker.lower(), *speaker.lower().split())}
    return frozenset(
        part[:length]
        for part in parts
        for length in (*(() if part in _ROLES else range(_NICKNAME, len(part))), len(part))
    )
