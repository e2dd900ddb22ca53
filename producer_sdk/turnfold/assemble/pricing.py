"""Token prices of the parts of a context, before the parts are joined.

With the built-in estimator, stored token counts are used and only short overheads are counted. With a caller's
counter, each part is counted once.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.form_tokens import messages_tokens
from turnfold.assemble.forms.groups import NoteBlock
from turnfold.assemble.forms.render_anthropic import anthropic_turn
from turnfold.assemble.forms.render_openai import openai_name, openai_turn
from turnfold.assemble.forms.render_text import (
    ANCHORS_HEADER,
    RECENT_HEADER,
    Openings,
    anchor_opening,
    anchor_words,
    closed_line,
    day_line,
    day_line_after,
    excerpt_opening,
    guarded,
    node_opening,
    shown_words,
    turn_opening,
)
from turnfold.assemble.forms.seal import opener
from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.notes import (
    MARKS,
    NO_PLACE,
    Note,
    SpokenDay,
    day_opening,
    is_gap,
    lines_of_days,
    separator,
    shown_days,
)
from turnfold.contract.records import Anchor, Node, Role
from turnfold.errors import InvalidInput
from turnfold.tokens import MESSAGE_TOKENS, Counter, estimate_tokens

_MOST_REMEMBERED: Final = 4_000
"""Maximum number of texts and turns whose prices are cached."""
_MOST_CHARACTERS: Final = 1_000_000
"""Maximum number of characters of the cached texts: a long turn that is clipped slightly differently at each read is a
new text."""
_MOST_BLOCKS: Final = 100

_ALIKE: Final = str.maketrans(
    string.ascii_letters + string.digits, "a" * len(string.ascii_letters) + "1" * len(string.digits)
)


_ShownAnchor = tuple[int, str | None, str, int | None]


class FormTokens(NamedTuple):
    """Tokens of recent turns in each form."""

    text: int = 0
    openai: int = 0
    anthropic: int = 0


class SpokenTurn(NamedTuple):
    """A rendered recent turn and its tokens in each form; Anthropic's before neighbours of one role are joined."""

    text: int = 0
    openai: int = 0
    anthropic: int = 0
    line: str = ""
    """The turn in the text form, with its newline; empty for a hidden turn."""
    day: str = ""
    """The day line above the turn; empty for a hidden turn and for one without a time."""
    begins_well: bool = False
    """Whether Anthropic's form may begin with this turn."""


class Style(NamedTuple):
    """Rendering options that are the same for a whole read."""

    short: bool
    """Markers have no slug and no dates next to them."""
    openings: Openings
    """Openings that lines inside a turn must not imitate."""
    seal: str = ""
    """Token in the lines that no turn can forge."""
    brief_from: int = NO_PLACE
    """Place from which notes are shown in brief: 0 for all, `FIRST_WRITTEN` for a model's."""


class Pricing:
    """Prices parts with one counter and caches the counts; belongs to reads of the same anchors."""

    def __init__(self, counter: Counter, style: Style) -> None:
        self._counter = counter
        self._style = style
        self._counted: dict[str, int] = {}
        self._characters = 0
        self._blocks: dict[int, tuple[NoteBlock, int]] = {}
        self._anchor_prices: dict[_ShownAnchor, int] = {}
        self._anchors: dict[tuple[_ShownAnchor, ...], tuple[str, int]] = {}
        self.labels: Final = Remembered(lambda label: _checked(counter.count(f"{label}:")))
        """Tokens of the speaker label before the notes of a turn."""
        self.days: Final = Remembered(lambda day: _checked(counter.count(day_opening(day))))
        """Tokens of a day heading."""
        self._turns: dict[tuple[object, ...], tuple[Mapping[str, Any] | None, SpokenTurn]] = {}

    @property
    def brief_from(self) -> int:
        """Place from which notes are shown in brief."""
        return self._style.brief_from

    @property
    def is_full(self) -> bool:
        """True when the cache has more than a few reads need: time for a new one."""
        texts = len(self._counted) + len(self._turns)
        return texts > _MOST_REMEMBERED or self._characters > _MOST_CHARACTERS or len(self._blocks) > _MOST_BLOCKS

    @property
    def trusts_stored(self) -> bool:
        """True when stored counts were made by this counter."""
        return self._counter.stored

    def count(self, text: str) -> int:
        """Tokens of a text. Raises `InvalidInput` when the counter does not return a whole number."""
        known = self._counted.get(text)
        if known is None:
            known = _checked(self._counter.count(text))
            self._counted[text] = known
            self._characters += len(text)
        return known

    def words(self, shown: ShownTurn) -> int:
        """Tokens of the shown text of a turn, from the stored count when the text is unchanged."""
        return self.count(shown.content) if (known := self._stored(shown)) is None else known

    def node(self, node: Node, level: int) -> int:
        """Tokens of a node's part at a level, from the stored count of its text."""
        return self.count(node_opening(node, level=level, short=self._style.short)) + node.tokens[level] + 1

    def notes(self, block: NoteBlock) -> int:
        """Tokens of notes with the line above them."""
        known = self._blocks.get(id(block))
        if known is None or known[0] is not block:
            known = self._blocks[id(block)] = (block, self._notes(block.line, block.days, block.day_before))
        return known[1]

    def _notes(self, line: str, days: Iterable[SpokenDay], day_before: str) -> int:
        if not self._counter.stored:
            return self.count(line + "".join(lines_of_days(days, day_before=day_before)))
        total = self.count(line)
        for day, spoken in shown_days(days, day_before=day_before):
            total += self.days[day] if day else 0
            for label, notes in spoken:
                # The separator of two notes is part of the first one's count.
                total += self.labels[label] + sum([note.tokens for note in notes]) - _saved(notes)
        return total

    def anchor(self, anchor: Anchor) -> int:
        """Tokens of an anchor's line."""
        key = _as_shown(anchor)
        price = self._anchor_prices.get(key)
        if price is None:
            words = anchor_words(anchor)
            opening = anchor_opening(anchor)
            known = anchor.tokens if words is anchor.text else None
            price = self._part(opening.translate(_ALIKE) if self._counter.stored else opening, words, known)
            self._anchor_prices[key] = price
        return price

    def anchors(self, anchors: Sequence[Anchor]) -> tuple[str, int]:
        """The lines of anchors under their header, and their tokens."""
        key = tuple(map(_as_shown, anchors))
        if key not in self._anchors:
            lines = [closed_line(anchor_opening(anchor) + anchor_words(anchor)) for anchor in anchors]
            tokens = self.count(ANCHORS_HEADER) + sum(map(self.anchor, anchors))
            self._anchors[key] = ("".join([ANCHORS_HEADER, *lines]), tokens)
        return self._anchors[key]

    def excerpt(self, shown: ShownTurn) -> int:
        """Tokens of an excerpt's part."""
        safe = guarded(shown_words(shown), self._style.openings)
        return self._part(excerpt_opening(shown.turn), safe, self._stored(shown) if safe is shown.content else None)

    def turn(self, shown: ShownTurn) -> SpokenTurn:
        """Render a recent turn and price it in each form."""
        turn, content, _, native, hidden, again = shown
        # A turn in the inbox may be lost and sent again at another time, and any turn may be edited.
        key = (
            turn.seq, turn.turn_id, turn.role, turn.name, turn.state, turn.created_at, content, native, hidden, again
        )  # fmt: skip
        parts, known = self._turns.get(key, (None, None))
        if known is None or parts != turn.parts:
            known = self._turn(shown)
            self._turns[key] = (turn.parts, known)
            self._characters += len(content) + len(known.line)
        return known

    def raw(self, turns: Sequence[ShownTurn]) -> int:
        """Upper bound of the tokens of recent turns in the costliest form, with headers, days and system message."""
        return Block(self, turns).tokens

    def around(self, *, begins_well: bool) -> FormTokens:
        """Tokens around recent turns: header, system message, the user message that Anthropic requires first."""
        begins = 0 if begins_well else MESSAGE_TOKENS + self.count(opener(self._style.seal))
        return FormTokens(self.count(RECENT_HEADER), MESSAGE_TOKENS, MESSAGE_TOKENS + begins)

    def _turn(self, shown_turn: ShownTurn) -> SpokenTurn:
        if shown_turn.hidden:
            return SpokenTurn()
        turn = shown_turn.turn
        opening = turn_opening(turn)
        safe = guarded(shown_words(shown_turn), self._style.openings)
        text = self._part(opening, safe, self._stored(shown_turn) if safe is shown_turn.content else None)
        line = closed_line(opening + safe)
        day = day_line(turn.created_at) if turn.created_at else ""
        begins_well = turn.role is Role.USER and bool(shown_turn.content.strip())
        if turn.role is Role.TOOL or (shown_turn.native and turn.parts):
            _, blocks = anthropic_turn(shown_turn, self._style.seal)
            anthropic = messages_tokens([{"content": blocks}], self.count) if blocks else 0
            openai = messages_tokens(openai_turn(shown_turn, self._style.seal), self.count)
            return SpokenTurn(text, openai, anthropic, line, day, begins_well)
        if not shown_turn.content.strip():
            return SpokenTurn(text, line=line, day=day)
        words = self.words(shown_turn)
        name = openai_name(turn)
        return SpokenTurn(
            text,
            MESSAGE_TOKENS + words + (self.count(name) if name else 0),
            MESSAGE_TOKENS + words,
            line,
            day,
            begins_well,
        )

    def _stored(self, shown_turn: ShownTurn) -> int | None:
        turn = shown_turn.turn
        # When the read truncated the turn, the stored count is that of the full text.
        is_whole = shown_turn.content is turn.content and turn.kept is None
        if not self._counter.stored or not turn.tokens or not is_whole:
            return None
        return turn.tokens

    def _part(self, opening: str, words: str, known: int | None) -> int:
        """Tokens of `opening`, `words` and a newline; `known` is the stored count of `words`."""
        if self._counter.stored and known and words and not words[0].isspace() and words[-1] not in "\r\n":
            return self.count(opening) + known + self.count("\n")
        return self.count(closed_line(opening + words))


class Block:
    """Running price of recent turns while earlier turns are put before them one by one."""

    def __init__(self, pricing: Pricing, turns: Sequence[ShownTurn]) -> None:
        self._pricing = pricing
        self._text = self._openai = self._anthropic = 0
        self._day = ""
        """Day line of the first turn that has a time."""
        self._around = [pricing.around(begins_well=begins_well) for begins_well in (False, True)]
        self.tokens = MESSAGE_TOKENS
        """Upper bound of the cost in the costliest form, with the lines and messages around the turns."""
        for turn in reversed(turns):
            self.put_before(turn)

    def put_before(self, shown: ShownTurn) -> None:
        """Put a turn before all others and update the price."""
        text, openai, anthropic, _, day, begins_well = self._pricing.turn(shown)
        if day and day != self._day:
            count = self._pricing.count
            # The day line of the turn after it now says how many days later that turn is.
            text += count(day) + count(day_line_after(self._day, day)) - count(self._day)
            self._day = day
        self._text += text
        self._openai += openai
        self._anthropic += anthropic
        around = self._around[begins_well]
        self.tokens = max(self._text + around[0], self._openai + around[1], self._anthropic + around[2])


def _as_shown(anchor: Anchor) -> _ShownAnchor:
    """Cache key of an anchor's line; for one anchor id, nothing else in the line differs."""
    return anchor.id, anchor.speaker, anchor.day, anchor.may_have_changed_seq


def _saved(notes: Sequence[Note]) -> int:
    """Tokens by which separators between notes of a turn cost less than one token each, by the built-in estimator.

    A note that ends in punctuation needs no separator, a mark after other marks may cost nothing, and an ellipsis costs
    more.
    """
    saved = 0
    for note, following in pairwise(notes):
        is_joined = note.seq == following.seq and not note.is_item
        if is_joined and (is_gap(note, following) or not note.text[-1:].isalnum()):
            ended = note.text[len(note.text.rstrip(MARKS)) :]
            saved += 1 - estimate_tokens(ended + separator(note, following)) + estimate_tokens(ended)
    return saved


def _checked(counted: object) -> int:
    if isinstance(counted, int) and not isinstance(counted, bool) and counted >= 0:
        return counted
    msg = f"count_tokens must return a whole number of at least 0, not {counted!r}"
    raise InvalidInput(msg)
