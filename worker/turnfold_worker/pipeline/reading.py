"""One turn, read once for all the stages: who speaks, its sentences, its code, its facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from turnfold.contract.records import StoredTurn
from turnfold.contract.speakers import UNSEEN, speaker_label
from turnfold_worker.pipeline.dates import as_utc
from turnfold_worker.pipeline.facts import FactKind, Facts, extract_facts
from turnfold_worker.pipeline.manuals import manual_in
from turnfold_worker.pipeline.prose import Span, split_prose
from turnfold_worker.pipeline.tool_groups import calls_shown, is_tool_output

if TYPE_CHECKING:
    from turnfold_worker.pipeline.treatment import Treatment

_NICKNAME: Final = 3
"""Letters of a name from which it may stand for a longer one."""
_EMPHASIS: Final = re.compile(r"(?:[*_`]|~~)+")
_UNDERLINED: Final = 3
"""Underscores up to which they mark emphasis; more of them are a blank to be filled in."""
_MARKED: Final = re.compile(r"[*_`~|]|--")
"""Without which there is no emphasis."""
_CODE_KINDS: Final = (FactKind.IDENTIFIER, FactKind.PATH, FactKind.URL, FactKind.ERROR)


_STRUCK: Final = re.compile(r"~~(?=[^\s~])([^~]{1,400}?)(?<=\S)~~")
_CELL_MARK: Final = re.compile(r"\([^()|]*(?:\|[^()|]*)*\)|\|\||\|")
"""A bar between cells, or what holds bars of another meaning: `P(A|B)`, `a || b`."""
_LEAST_BARS: Final = 2
"""Bars of a line from which they may part cells."""
_LINK: Final = re.compile(r"!?\[([^\[\]]{1,200})\]\([^()\s]{1,300}\)")


@dataclass(frozen=True, slots=True)
class Reading:
    """A turn with what the stages need of it. Offsets are those of `turn.content`."""

    turn: StoredTurn
    speaker: str
    """A label that begins with a letter and holds no mark of ours."""
    tool: bool
    """The words are a tool's."""
    sentences: tuple[Span, ...]
    code: tuple[Span, ...]
    facts: Facts
    """Of the prose, and of code only what names something exactly."""
    calls: tuple[str, ...]
    """The tool calls of the turn, for people."""
    manual: Span | None = None
    """Standing instructions of a harness."""
    treatment: Treatment | None = None
    """What becomes of it, once it is read as part of a segment."""

    @property
    def day(self) -> date | None:
        """The day of the turn, in UTC."""
        return as_utc(self.turn.created_at).date() if self.turn.created_at else None

    def text(self, span: Span) -> str:
        """The words of a span, verbatim."""
        return self.turn.content[span.start : span.end]


def read_turn(turn: StoredTurn) -> Reading:
    """Read a turn. Linear in its length up to a bound, constant beyond it."""
    prose = split_prose(turn.content)
    return Reading(
        turn=turn,
        speaker=speaker_label(turn),
        tool=is_tool_output(turn),
        sentences=prose.sentences,
        code=prose.code,
        facts=_outside_code(extract_facts(turn.content), prose.code),
        calls=tuple(plain_line(call) for call in calls_shown(turn)),
        manual=manual_in(turn.content, prose.sentences, turn.role),
    )


def _outside_code(facts: Facts, code: Sequence[Span]) -> Facts:
    kept = []
    block = 0
    for fact in facts.all:
        while block < len(code) and code[block].end <= fact.start:
            block += 1
        inside = block < len(code) and code[block].start <= fact.start
        if not inside or fact.kind in _CODE_KINDS:
            kept.append(fact)
    return Facts(tuple(kept))


def is_participant(name: str, speakers: Iterable[str]) -> bool:
    """True for a speaker's name or the beginning of one, as people call each other.

    >>> is_participant("Mel", ["Melanie"])
    True
    """
    return name.lower() in called(tuple(speakers))


@lru_cache(maxsize=256)
def called(speakers: tuple[str, ...]) -> frozenset[str]:
    """What speakers may be called, in lower case: their names, parts of them, and beginnings of these."""
    parts = {part for speaker in speakers for part in (speaker.lower(), *speaker.lower().split())}
    return frozenset(part[:length] for part in parts for length in (*range(_NICKNAME, len(part)), len(part)))


def one_line(text: str) -> str:
    """The text on one line, without invisible characters, in which nothing looks like a marker of ours."""
    collapsed = " ".join(text.split())
    if not collapsed.isprintable():
        collapsed = " ".join(collapsed.translate(UNSEEN).split())
    return collapsed.replace("→L", "→ L") if "→" in collapsed else collapsed


@lru_cache(maxsize=2_048)
def plain_line(text: str) -> str:
    r"""`one_line` without Markdown's emphasis.

    >>> plain_line("**Use** `psycopg`\n now [x →L1:fake-1]")
    'Use psycopg now [x → L1:fake-1]'
    >>> plain_line("We meet in ~~Rome~~ Paris; P(A|B) is not P(A).")
    'We meet in (struck out: Rome) Paris; P(A|B) is not P(A).'
    """
    if "](" in text:
        text = _LINK.sub(_linked, text)
    if not _MARKED.search(text):
        return one_line(text)
    if not text.isprintable():
        # What is not shown must not keep two numbers apart for the marks and then join them.
        text = " ".join(text.split()).translate(UNSEEN)
    if "~~" in text:
        text = _STRUCK.sub(r"(struck out: \1)", text)
    return one_line(_EMPHASIS.sub(_unmarked, _without_cells(text).replace("<!--", " ").replace("-->", " ")))


def _without_cells(text: str) -> str:
    """The text without the bars between the cells of a table; other bars stay."""
    if "|" not in text:
        return text
    bare = text.strip()
    if bare[0] == "|" or bare[-1] == "|":
        return _CELL_MARK.sub(lambda match: " " if match[0].strip("|") == "" else match[0], text)
    bars = [match for match in _CELL_MARK.finditer(text) if match[0] == "|"]
    if len(bars) < _LEAST_BARS:
        return text
    return _CELL_MARK.sub(lambda match: " " if match[0] == "|" else match[0], text)


def _unmarked(match: re.Match[str]) -> str:
    """Nothing for marks of emphasis; marks between two words or numbers stay: `2*3` is not 23, nor `2 * 3`."""
    marks, text = match.group(), match.string
    before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
    if marks == "*" and before == after == " ":
        return marks
    between = before.isalnum() and after.isalnum()
    if not marks.strip("_"):
        emphasis = (before.isalnum() or after.isalnum()) and len(marks) <= _UNDERLINED
        return "" if emphasis and not between else marks
    joins = between and ((before.isascii() and after.isascii()) or (before.isnumeric() and after.isnumeric()))
    return marks if joins else ""


def _linked(match: re.Match[str]) -> str:
    """The words of a link, apart from a word right before or after it: `25[1](…)` is not 251."""
    text, start, end = match.string, match.start(), match.end()
    before = " " if text[max(0, start - 1) : start].isalnum() else ""
    return f"{before}{match[1]} " if text[end : end + 1].isalnum() else f"{before}{match[1]}"


def manuals_of(readings: Iterable[Reading]) -> dict[int, Span | None]:
    """The manual in each turn, by the number of the turn."""
    return {reading.turn.seq: reading.manual for reading in readings}
