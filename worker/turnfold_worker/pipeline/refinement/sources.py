"""Sources of model requests: a group of closed segments, as the rules left them. Pure, like all of the pipeline.

Everything here depends on turns and rules alone, and so a request is the same whenever it is made: a cached reply
answers it again, and two workers never disagree about what was asked.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.lookalikes import is_bracket, seen_beginning
from turnfold.contract.periods import as_utc, day_label
from turnfold.contract.records import Anchor, AnchorState, Method, Node, StoredTurn, TurnState
from turnfold.contract.speakers import speaker_label
from turnfold.contract.words import note_stems
from turnfold.tokens import MESSAGE_TOKENS, estimate_tokens
from turnfold_worker.pipeline.language.common_words import is_common
from turnfold_worker.pipeline.language.plain_lines import one_line
from turnfold_worker.pipeline.language.prose import joined_spans
from turnfold_worker.pipeline.language.rarity import rarity_of

if TYPE_CHECKING:
    from turnfold_worker.pipeline.refinement.notes import ModelNote

OPEN: Final = "<<"
CLOSE: Final = ">>"
"""Marks around words that the rules already keep as an anchor."""

SHOWN_HEAD: Final = 12_000
"""Code points shown from the beginning of a long turn."""
SHOWN_TAIL: Final = 4_000
_GAP: Final = "\n[…]\n"
_BEGINS_OURS: Final = "#=-["
"""First characters of headings, turn lines, day lines and the fence around them."""
_DOUBLED: Final = lazy_pattern(r"([<>])(?=\1)")
_HASH_BYTES: Final = 16
EARLIER_SHARE: Final = 3
"""Earlier anchors get about one token per this many of the source."""
_LEAST_EARLIER: Final = 360
_AROUND_EARLIER: Final = 8
"""Tokens of an earlier anchor's line in addition to its text."""
MOST_OF_EARLIER: Final = 160
"""Code points shown of an earlier anchor: enough to recognize it."""
_TELLS_LITTLE: Final = 10
"""Total rarity of about three words, added to the denominator of a share to lower that of short texts."""
_LARGEST_TINY: Final = 80
"""Source tokens up to which the rules' level 1 is the source itself."""


class Purpose(StrEnum):
    """The kind of a model request."""

    NOTES = "notes"
    CHAPTER = "chapter"
    RECONSTRUCT = "reconstruct"
    REPAIR = "repair"


@dataclass(frozen=True, slots=True)
class Prompt:
    """Instructions from a file; a changed text gets a new version."""

    version: str
    """For example `notes-8`."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A complete request to a model: equal requests have equal hashes, and need only one answer."""

    purpose: Purpose
    model: str
    prompt_version: str
    system: str
    """The same for every request of a prompt version, which lets providers cache it."""
    user: str
    schema: Mapping[str, Any] = field(default_factory=dict)
    """JSON schema of the reply, in the strict form of structured outputs."""
    max_tokens: int
    """Maximum tokens of the reply."""

    @property
    def hash(self) -> str:
        """32 hexadecimal digits over everything that can change the reply."""
        whole = json.dumps(
            [self.model, self.prompt_version, self.system, self.user, self.schema, self.max_tokens],
            ensure_ascii=False, sort_keys=True,
        )  # fmt: skip
        return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).hexdigest()

    @property
    def input_tokens(self) -> int:
        """Estimated tokens sent."""
        schema = estimate_tokens(json.dumps(self.schema)) if self.schema else 0
        return estimate_tokens(self.system) + estimate_tokens(self.user) + schema + 2 * MESSAGE_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSource:
    """A node whose text a model may improve, with the results of the rules."""

    node: Node
    """Its `tokens` are those of the rules' levels."""
    method: Method
    facts: Mapping[str, Any]
    source_hash: bytes
    turns: tuple[StoredTurn, ...] = ()
    """The turns of a segment; for a chapter, those of its segments."""

    @property
    def number(self) -> int:
        """The number in a request: for segments the one in their markers, for the chapter 0."""
        return self.node.idx + 1 if self.node.height == 0 else 0

    @property
    def gains(self) -> bool:
        """False if a model's notes cannot improve the node: very short or plain text."""
        return self.method is not Method.PLAIN and self.node.tokens[0] > _LARGEST_TINY


@dataclass(frozen=True, kw_only=True)
class RefineSource:
    """A group of neighbouring closed segments, the source of a request for notes."""

    goal: str | None
    constraints: tuple[str, ...]
    segments: tuple[NodeSource, ...]
    """Neighbouring segments, in order."""
    anchors: tuple[Anchor, ...]
    """All anchors that the rules found in these segments, by position, in any state."""
    marked: tuple[Anchor, ...] = ()
    """Those open when the last segment was closed: readers see them, and summaries need not repeat them."""
    earlier: tuple[Anchor, ...] = ()
    """The rules' anchors from before these segments that were still open at their end, best first."""

    @cached_property
    def turns(self) -> tuple[StoredTurn, ...]:
        """All turns, in order."""
        return tuple(turn for segment in self.segments for turn in segment.turns)

    @cached_property
    def kept_spans(self) -> list[tuple[int, int, int]]:
        """(turn, start, end) of all words that the rules keep, in order; a request numbers them from 1."""
        spans: dict[int, list[tuple[int, int]]] = {}
        for anchor in self.marked:
            spans.setdefault(anchor.turn_seq, []).append((anchor.start, anchor.end))
        return [(seq, start, end) for seq in sorted(spans) for start, end in joined_spans(spans[seq])]

    @cached_property
    def known_before(self) -> Mapping[int, Anchor]:
        """The earlier anchors that a request shows, in order, numbered after the words kept in the segments.

        While there is room, two of those that the segments mention most are followed by one of the best by rank.
        """
        tokens = sum(segment.node.tokens[0] for segment in self.segments)
        room = max(_LEAST_EARLIER, tokens // EARLIER_SHARE)
        spoken = {stem for turn in self.turns for stem in note_stems(turn.content) if not is_common(stem)}
        said = {anchor.id: _share_said(anchor, spoken) for anchor in self.earlier}
        likest = iter(sorted(self.earlier, key=lambda anchor: -said[anchor.id]))
        two_to_one = chain.from_iterable(zip(likest, likest, self.earlier, strict=False))
        chosen: dict[int, Anchor] = {}
        for anchor in chain(two_to_one, self.earlier):
            size = estimate_tokens(_beginning(anchor.text)) + _AROUND_EARLIER
            if anchor.id not in chosen and size <= room:
                chosen[anchor.id] = anchor
                room -= size
        return dict(enumerate(sorted(chosen.values(), key=attrgetter("position")), len(self.kept_spans) + 1))

    @property
    def readable(self) -> bool:
        """False if no turn has any text left to show."""
        return any(is_readable(turn) for turn in self.turns)

    @property
    def nodes(self) -> tuple[NodeSource, ...]:
        """The segments for which a model is asked."""
        return tuple(segment for segment in self.segments if segment.gains)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildSource:
    """A segment of a chapter, as summarized by a model or the rules."""

    number: int
    notes: tuple[ModelNote, ...] = ()
    brief: str = ""
    """The rules' level 2, if no model wrote notes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterSource:
    """A chapter whose segments a model has refined: the source of a request for chapter notes."""

    goal: str | None
    constraints: tuple[str, ...]
    chapter: NodeSource
    """With its turns, against which its notes are checked."""
    children: tuple[ChildSource, ...]
    """In order."""

    @property
    def fence(self) -> str:
        """The line around the notes: their authors cannot guess it, as it depends on every word."""
        return _fence([self.chapter.source_hash])

    @property
    def written(self) -> bool:
        """Whether there are notes to combine."""
        return any(child.notes for child in self.children)


def is_readable(turn: StoredTurn) -> bool:
    """Return whether a turn still has text."""
    return turn.state is TurnState.STORED and bool(turn.content.strip())


def open_at(anchors: Iterable[Anchor], last_idx: int, node_of: Mapping[int, int]) -> list[Anchor]:
    """Return the earlier anchors that were open when segment `last_idx` was closed, whatever happened to them since.

    An anchor changes once, through a later anchor in `related`; `node_of` maps the later anchor to its segment.
    """
    return [
        anchor
        for anchor in anchors
        if anchor.node_idx <= last_idx
        and (
            anchor.state is AnchorState.ACTIVE
            or (anchor.related is not None and node_of.get(anchor.related, -1) > last_idx)
        )
    ]


def boundary(source: RefineSource) -> str:
    """Return the line around the conversation: its authors cannot guess it, as it depends on every word."""
    return _fence([segment.source_hash for segment in source.segments])


def _fence(hashes: Iterable[bytes]) -> str:
    return f"-----{hashlib.blake2b(b''.join(hashes), digest_size=6).hexdigest()}-----"


def fenced(fence: str, lines: Iterable[str]) -> str:
    """Return lines as data between two fence lines that their authors cannot guess."""
    return "\n".join((fence, *lines, fence, ""))


def source_text(source: RefineSource, headings: Mapping[int, str]) -> str:
    """Return the conversation as data: a heading per segment, a line for each new day, then turns.

    `headings` follow the number of a segment. Words that the rules keep are put between << and >>, with their number.
    Words kept earlier come first: a model must see them to say that they no longer hold.
    """
    marks: dict[int, list[tuple[int, int, int]]] = {}
    for number, (seq, start, end) in enumerate(source.kept_spans, 1):
        marks.setdefault(seq, []).append((number, start, end))
    lines: list[str] = []
    if source.known_before:
        lines.append("=== kept before")
    day = ""
    for number, anchor in source.known_before.items():
        day = _day_line(anchor.said_on, day, lines)
        words = _beginning(anchor.text)
        # No turn number: what ends them is quoted only from turns of the segments.
        lines.append(f"{anchor.speaker}: {_shown(words, [(number, 0, len(words))])}")
    for segment in source.segments:
        lines.append(f"=== segment {segment.number}{headings.get(segment.number, '')}")
        day = ""
        for turn in segment.turns:
            if not is_readable(turn):
                continue
            day = _day_line(as_utc(turn.created_at).date() if turn.created_at else None, day, lines)
            lines.append(f"#{turn.seq} {speaker_label(turn)}: {_shown(turn.content, marks.get(turn.seq, ()))}")
    return fenced(boundary(source), lines)


def _day_line(said_on: date | None, day: str, lines: list[str]) -> str:
    """Append a line with the day if it differs from the day before; return the current day."""
    said = day_label(said_on) if said_on else day
    if said != day:
        lines.append(f"[{said}]")
    return said


def _beginning(text: str) -> str:
    """Return the start of an earlier anchor, on one line: a second line could pass for one of ours."""
    text = one_line(text)
    return text if len(text) <= MOST_OF_EARLIER else f"{text[:MOST_OF_EARLIER].rstrip()}…"


def _share_said(anchor: Anchor, spoken: Collection[str]) -> float:
    """Return the rarity-weighted share of an anchor's words that are spoken of; always below 1, lower for few words."""
    rarities = {stem: rarity_of(stem) for stem in note_stems(anchor.text)}
    return sum(rarity for stem, rarity in rarities.items() if stem in spoken) / (_TELLS_LITTLE + sum(rarities.values()))


def _shown(content: str, spans: Sequence[tuple[int, int, int]]) -> str:
    cut: list[str] = []
    at = 0
    for number, start, end in spans:
        cut += [_plain(content[at:start]), f"{OPEN}{number}: ", _plain(content[start:end]), CLOSE]
        at = end
    cut.append(_plain(content[at:]))
    text = "".join(cut)
    if len(text) > SHOWN_HEAD + SHOWN_TAIL:
        text = text[:SHOWN_HEAD] + _GAP + text[-SHOWN_TAIL:]
    return text


def _plain(text: str) -> str:
    """Return text that cannot pass for our marks, headings or turn numbers."""
    text = _DOUBLED.sub(r"\1 ", text)
    return "".join(map(_plain_line, text.splitlines(keepends=True)))


def _plain_line(line: str) -> str:
    """Return a line whose first visible character begins no line of ours, with any line break as a newline."""
    words = line.splitlines()[0]
    # NFKC: a full-width number sign reads like a number sign.
    seen = unicodedata.normalize("NFKC", seen_beginning(words, 1))[:1]
    ours = (seen in _BEGINS_OURS or is_bracket(seen)) if seen else bool(words.strip())
    return f"{' ' if ours else ''}{words}{'' if words == line else chr(10)}"


def framing(source: RefineSource | ChapterSource) -> str:
    """Return the goal and the constraints as data; empty without any."""
    lines = [f"Goal of the conversation: {one_line(source.goal)}"] if source.goal else []
    lines += [f"Constraint: {one_line(constraint)}" for constraint in source.constraints]
    return "".join(f"{line}\n" for line in lines)
