"""What becomes of each turn before anything is summarized: kept, split, referred to, summarized by kind, or compressed.

`RULES` is read from top to bottom; the first that holds decides, the others that hold are reasons too. The hard tier
must stay verbatim while it fits; the soft tier holds exact values that a summary must not lose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.origins import holds_tool_words
from turnfold.contract.records import Importance, Role, StoredTurn
from turnfold_worker.pipeline.content import Kind, Piece, kind_of, split_fences
from turnfold_worker.pipeline.language.facts import FactKind, Facts
from turnfold_worker.pipeline.turns.importance import residuals, score_turns
from turnfold_worker.pipeline.turns.memo import NO_MEMOS, TurnMemo, made_once
from turnfold_worker.pipeline.turns.repeats import Repeat, find_repeats
from turnfold_worker.pipeline.turns.tool_groups import call_ids

SHORT: Final = 120
"""Code points below which a turn is not worth summarizing."""
MIN_PROSE: Final = 80
"""Code points of prose around code from which the two are treated apart."""
RESIDUAL: Final = "important"
"""The reason that a turn is one of the residuals of its segment."""
_LOOKED_AT: Final = 3_000
"""Code points of a turn that the patterns look at."""


class Decision(StrEnum):
    """What becomes of a turn."""

    KEEP = "keep"
    """Verbatim."""
    REFER = "refer"
    """A reference to the turn that it repeats."""
    SPLIT = "split"
    """Code verbatim, the prose around it summarized."""
    STRUCTURE = "structure"
    """Summarized by its kind of content."""
    COMPRESS = "compress"
    """Summarized as prose."""


class Tier(StrEnum):
    """How strictly a turn's words hold."""

    HARD = "hard"
    SOFT = "soft"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Classification:
    """A turn's decision, with every rule that holds, in the order of `RULES`."""

    decision: Decision
    tier: Tier
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known of a turn from the turns around it."""

    facts: Facts = field(default_factory=Facts)
    """Of the turn, when they were read already."""
    important: bool = False
    """It is one of the segment's residuals."""
    repeat: Repeat | None = None


_ALONE: Final = Surroundings()


class _Look:
    """A turn as the rules see it; what is costly is worked out once, when first asked for."""

    def __init__(self, turn: StoredTurn, around: Surroundings) -> None:
        self.turn = turn
        self.around = around
        self.text = turn.content[:_LOOKED_AT]
        self.tool = holds_tool_words(turn)
        self._kind: Kind | None = None
        self._fact_kinds = {fact.kind for fact in around.facts.all}
        self._pieces: tuple[Piece, ...] | None = None

    @property
    def kind(self) -> Kind:
        if self._kind is None:
            self._kind = kind_of(self.turn.content)
        return self._kind

    @property
    def pieces(self) -> tuple[Piece, ...]:
        if self._pieces is None:
            fenced = "```" in self.turn.content or "~~~" in self.turn.content
            self._pieces = split_fences(self.turn.content) if fenced else (Piece(self.turn.content, code=False),)
        return self._pieces

    @property
    def fenced(self) -> bool:
        return any(piece.code for piece in self.pieces)

    @property
    def prose(self) -> int:
        """Code points of prose."""
        return sum(len(piece.text.strip()) for piece in self.pieces if not piece.code)

    def has(self, *kinds: FactKind) -> bool:
        return not self._fact_kinds.isdisjoint(kinds)


@dataclass(frozen=True, slots=True)
class Rule:
    """A reason, what it decides, and when it holds."""

    reason: str
    decision: Decision
    tier: Tier
    holds: Callable[[_Look], bool]


_COMPRESSED: Final = lazy_pattern(
    r"\s*\[(?:summary(?: of)?[:#]|truncated\b|same as turn \d|almost as turn \d|turns? \d+(?:-\d+)?:)"
)
_SECRET: Final = lazy_pattern(
    r"(?<![A-Za-z0-9])(?:sk-[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}"
    r"|AIza[A-Za-z0-9_-]{30,}|glpat-[A-Za-z0-9_-]{20}|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,})"
    r"|-----BEGIN [A-Z ]{3,40}-----"
)
_MATHS: Final = lazy_pattern(
    r"\$\$.{1,400}?\$\$|\\(?:frac|sum|int|sqrt|begin|alpha|beta|theta|lambda|partial)\b|[∑∏∫√≤≥≠∈∀∃∂∇]", re.DOTALL
)
_PHONE: Final = lazy_pattern(r"(?<![\w.])\+?\d{1,3}[ .-]?\(?\d{2,4}\)?(?:[ .-]\d{2,4}){2,4}(?!\w)")
_HASH: Final = lazy_pattern(r"\b(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{7,64}\b")
_HEXADECIMAL: Final = lazy_pattern("[0-9a-f]{7}")
"""What every `_HASH` holds: sought in a fraction of the time."""
_QUOTED: Final = lazy_pattern(r"[\"“«][^\"”»\n]{3,200}[\"”»]")
_MANY_MARKS: Final = 0.25
_MANY_MATHS: Final = 0.1
"""Share of a text from which formulas are its substance."""
_WORDS_OF_A_PAIR: Final = 7
_VERSE_LINES: Final = 4
_LONGEST_VERSE: Final = 60


def _is_verse(look: _Look) -> bool:
    """Four or more short lines that end without a full stop, as in poems, lyrics and addresses; not lists."""
    lines = [line.strip() for line in look.text.splitlines() if line.strip()]
    if look.tool or len(lines) < _VERSE_LINES or any(line[0] in "-*•#|>0123456789" for line in lines):
        return False
    open_ended = sum(line[-1] not in ".!?:;" for line in lines)
    return all(len(line) <= _LONGEST_VERSE for line in lines) and open_ended > len(lines) // 2


def _is_mostly_marks(look: _Look) -> bool:
    """A quarter or more of the characters are ASCII marks: something written for machines."""
    marks = sum(look.text.count(mark) for mark in "{}[]()<>=+*/\\|&^%$#@~;:_`\"'")
    return marks >= _MANY_MARKS * max(1, len(look.text))


def _is_mathematical(look: _Look) -> bool:
    """A tenth or more of the text is formulas; of a sign such as `≤` in a sentence the sentence is the substance."""
    formulas = sum(len(match.group()) for match in _MATHS.finditer(look.text))
    return formulas >= _MANY_MATHS * max(1, len(look.text))


def _has(*patterns: re.Pattern[str]) -> Callable[[_Look], bool]:
    """The text holds something of each pattern, sought in this order."""
    return lambda look: not look.tool and all(pattern.search(look.text) for pattern in patterns)


def _is(*kinds: Kind) -> Callable[[_Look], bool]:
    return lambda look: not look.tool and not look.fenced and look.kind in kinds


def _is_pairs(look: _Look) -> bool:
    """Keys with values, not with sentences: '- Tickets: we can do 165 for regular now, the dean is fine with it'."""
    lines = sum(not line.isspace() for line in look.text.splitlines() if line)
    return _is(Kind.PAIRS)(look) and len(look.text.split()) <= _WORDS_OF_A_PAIR * lines


_KEEP, _HARD, _SOFT = Decision.KEEP, Tier.HARD, Tier.SOFT

RULES: Final[tuple[Rule, ...]] = (
    Rule("system role", _KEEP, _HARD, lambda look: look.turn.role in {Role.SYSTEM, Role.DEVELOPER}),
    Rule("pinned", _KEEP, _HARD, lambda look: look.turn.importance is Importance.PIN),
    Rule("tool calls", _KEEP, _HARD, lambda look: bool(call_ids(look.turn))),
    Rule("short", _KEEP, _SOFT, lambda look: len(look.turn.content) < SHORT),
    Rule("already compressed", _KEEP, _SOFT, lambda look: bool(_COMPRESSED.match(look.text))),
    Rule(RESIDUAL, _KEEP, _HARD, lambda look: look.around.important),
    Rule("repeat", Decision.REFER, Tier.NONE, lambda look: look.around.repeat is not None),
    Rule("tool output", Decision.STRUCTURE, _SOFT, lambda look: look.tool),
    Rule("code and prose", Decision.SPLIT, _HARD, lambda look: look.fenced and look.prose >= MIN_PROSE),
    Rule("code fence", _KEEP, _HARD, lambda look: look.fenced and look.prose < MIN_PROSE),
    Rule("JSON", _KEEP, _HARD, _is(Kind.JSON)),
    Rule("SQL", _KEEP, _HARD, _is(Kind.SQL)),
    Rule("code", _KEEP, _HARD, _is(Kind.CODE, Kind.DIFF)),
    Rule("table", _KEEP, _HARD, _is(Kind.TABLE)),
    Rule("key", _KEEP, _HARD, _has(_SECRET)),
    Rule("formula", _KEEP, _HARD, _is_mathematical),
    Rule("key-value", _KEEP, _SOFT, _is_pairs),
    Rule("commands", _KEEP, _SOFT, _is(Kind.SHELL)),
    Rule(
        "structured", Decision.STRUCTURE, _SOFT, _is(Kind.LOG, Kind.TRACE, Kind.TEST_REPORT, Kind.MATCHES, Kind.LISTING)
    ),
    Rule("marks", _KEEP, _SOFT, _is_mostly_marks),
    Rule("verse", _KEEP, _SOFT, _is_verse),
    Rule(
        "address", Decision.COMPRESS, _SOFT, lambda look: look.has(FactKind.URL, FactKind.EMAIL) or "://" in look.text
    ),
    Rule("formula inside", Decision.COMPRESS, _SOFT, _has(_MATHS)),
    Rule("phone", Decision.COMPRESS, _SOFT, _has(_PHONE)),
    Rule("path", Decision.COMPRESS, _SOFT, lambda look: look.has(FactKind.PATH)),
    Rule("hash", Decision.COMPRESS, _SOFT, _has(_HEXADECIMAL, _HASH)),
    Rule("identifier", Decision.COMPRESS, _SOFT, lambda look: look.has(FactKind.IDENTIFIER, FactKind.ERROR)),
    Rule("number", Decision.COMPRESS, _SOFT, lambda look: look.has(FactKind.NUMBER, FactKind.DATE)),
    Rule("quote", Decision.COMPRESS, _SOFT, _has(_QUOTED)),
)
"""The preservation rules, most binding first. A turn for which none holds is compressed freely."""


def classify(turn: StoredTurn, around: Surroundings = _ALONE, memo: TurnMemo | None = None) -> Classification:
    """What becomes of a turn. Pure and total; of a long turn its beginning decides."""
    # The facts are of the turn alone, and of a repeat it is only asked whether there is one.
    key = f"{around.important:d}{around.repeat is not None:d}"
    return made_once(memo, "class", key, lambda: _classified(turn, around), pack=_packed, unpack=_unpacked)


def _packed(classification: Classification) -> list[Any]:
    return [str(classification.decision), str(classification.tier), classification.reasons]


def _unpacked(packed: Sequence[Any]) -> Classification:
    decision, tier, reasons = packed
    return Classification(Decision(decision), Tier(tier), tuple(reasons))


def _classified(turn: StoredTurn, around: Surroundings) -> Classification:
    look = _Look(turn, around)
    deciding: Rule | None = None
    reasons: list[str] = []
    for rule in RULES:
        if deciding is not None and deciding.tier is Tier.HARD:
            break
        if rule.holds(look):
            deciding = deciding or rule
            reasons.append(rule.reason)
    if deciding is None:
        return Classification(Decision.COMPRESS, Tier.NONE, ())
    return Classification(deciding.decision, deciding.tier, tuple(reasons))


def classify_segment(
    turns: Sequence[StoredTurn],
    *,
    before: Sequence[StoredTurn] = (),
    earlier: Sequence[StoredTurn] = (),
    facts: Mapping[int, Facts] | None = None,
    kept: frozenset[int] | None = None,
    memos: Mapping[int, TurnMemo] = NO_MEMOS,
) -> tuple[tuple[Classification, ...], dict[int, Repeat]]:
    """Decisions for the turns of a segment, in order, and the repeats by number.

    `before` are the turns before the segment, of which the last four may be repeated; `earlier` are older ones that
    may; `facts` by number, `memos` too; `kept` are the turns that stay for their importance, when that is known. What
    is recent decides nothing here: a read shows it raw.
    """
    repeats = find_repeats(turns, before=before, earlier=earlier)
    important = residuals(score_turns(turns)) if kept is None else kept
    read = facts or {}
    return tuple(
        classify(
            turn,
            Surroundings(
                facts=read.get(turn.seq, Facts()), important=turn.seq in important, repeat=repeats.get(turn.seq)
            ),
            memos.get(turn.seq),
        )
        for turn in turns
    ), repeats


__all__ = ["RULES", "Classification", "Decision", "Rule", "Surroundings", "Tier", "classify", "classify_segment"]
