"""Classifies each turn before summarization: keep it, refer to it, summarize it by kind, or compress it.

`RULES` is read from top to bottom; the first rule that matches decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from turnfold.contract.fences import Fence, fences_of
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.origins import holds_tool_words
from turnfold.contract.records import Importance, Role, StoredTurn
from turnfold_worker.pipeline.content import Kind, kind_of
from turnfold_worker.pipeline.turns.memo import TurnMemo, made_once
from turnfold_worker.pipeline.turns.tool_groups import call_ids

SHORT: Final = 120
"""Code points below which a turn is not worth summarizing."""
MIN_PROSE: Final = 80
"""Code points of prose around code from which prose and code are treated separately."""
SHORT_TURN: Final = "short"
"""The reason for a short turn; the reasons of all other matching rules follow it."""
RESIDUAL: Final = "important"
"""The reason for a turn that is one of its segment's residuals: kept for its importance."""
_LOOKED_AT: Final = 3_000
"""Code points of a turn that the regexes search."""


class Decision(StrEnum):
    """How a turn is to be summarized."""

    KEEP = "keep"
    """Shown verbatim while it fits."""
    REFER = "refer"
    """Replaced by a reference to the turn that it repeats."""
    STRUCTURE = "structure"
    """Summarized by its kind of content."""
    COMPRESS = "compress"
    """Summarized as prose."""


@dataclass(frozen=True, slots=True)
class Classification:
    """A turn's decision and the reason of the rule that matched; for a short turn, of all that match, in order."""

    decision: Decision
    reasons: tuple[str, ...]


class _Look:
    """A turn as the rules see it; costly properties are computed once, on first use."""

    def __init__(self, turn: StoredTurn, *, important: bool, repeats: bool) -> None:
        self.turn = turn
        self.important = important
        """True when the turn is one of its segment's residuals."""
        self.repeats = repeats
        self.text = turn.content[:_LOOKED_AT]
        self.tool = holds_tool_words(turn)

    @cached_property
    def kind(self) -> Kind:
        return kind_of(self.turn.content)

    @cached_property
    def fences(self) -> list[Fence]:
        return fences_of(self.turn.content)

    @cached_property
    def prose(self) -> int:
        """Number of code points outside code fences."""
        begins = [0, *(fence.end for fence in self.fences)]
        ends = [*(fence.start for fence in self.fences), len(self.turn.content)]
        return sum(len(self.turn.content[begin:end].strip()) for begin, end in zip(begins, ends, strict=True))


@dataclass(frozen=True, slots=True)
class Rule:
    """A reason, the decision that it leads to, and the predicate that says when it applies."""

    reason: str
    decision: Decision
    holds: Callable[[_Look], bool]


_SECRET: Final = lazy_pattern(
    r"(?<![A-Za-z0-9])(?:sk-[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}"
    r"|AIza[A-Za-z0-9_-]{30,}|glpat-[A-Za-z0-9_-]{20}|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,})"
    r"|-----BEGIN [A-Z ]{3,40}-----"
)
_MATHS: Final = lazy_pattern(
    r"\$\$.{1,400}?\$\$|\\(?:frac|sum|int|sqrt|begin|alpha|beta|theta|lambda|partial)\b|[∑∏∫√≤≥≠∈∀∃∂∇]", re.DOTALL
)
_MANY_MARKS: Final = 0.25
_MANY_MATHS: Final = 0.1
"""Share of a text from which formulas count as its substance."""
_WORDS_OF_A_PAIR: Final = 7


def _is_mostly_marks(look: _Look) -> bool:
    """True when a quarter or more of the characters are ASCII punctuation: a text written for machines."""
    marks = sum(look.text.count(mark) for mark in "{}[]()<>=+*/\\|&^%$#@~;:_`\"'")
    return marks >= _MANY_MARKS * max(1, len(look.text))


def _is_mathematical(look: _Look) -> bool:
    """True when a tenth or more of the text is formulas; a lone sign such as `≤` does not make a sentence one."""
    formulas = sum(len(match.group()) for match in _MATHS.finditer(look.text))
    return formulas >= _MANY_MATHS * max(1, len(look.text))


def _has_key(look: _Look) -> bool:
    return not look.tool and _SECRET.search(look.text) is not None


def _is(*kinds: Kind) -> Callable[[_Look], bool]:
    return lambda look: not look.tool and not look.fences and look.kind in kinds


def _is_pairs(look: _Look) -> bool:
    """Match keys with values, not sentences: '- Tickets: we can do 165 for regular now, the dean is fine with it'."""
    lines = sum(not line.isspace() for line in look.text.splitlines() if line)
    return _is(Kind.PAIRS)(look) and len(look.text.split()) <= _WORDS_OF_A_PAIR * lines


_KEEP, _COMPRESS = Decision.KEEP, Decision.COMPRESS

RULES: Final[tuple[Rule, ...]] = (
    Rule("system role", _KEEP, lambda look: look.turn.role in {Role.SYSTEM, Role.DEVELOPER}),
    Rule("pinned", _KEEP, lambda look: look.turn.importance is Importance.PIN),
    Rule("tool calls", _KEEP, lambda look: bool(call_ids(look.turn))),
    Rule(SHORT_TURN, _COMPRESS, lambda look: len(look.turn.content) < SHORT),
    Rule(RESIDUAL, _KEEP, lambda look: look.important),
    Rule("repeat", Decision.REFER, lambda look: look.repeats),
    Rule("tool output", Decision.STRUCTURE, lambda look: look.tool),
    Rule("code and prose", _COMPRESS, lambda look: bool(look.fences) and look.prose >= MIN_PROSE),
    Rule("code fence", _KEEP, lambda look: bool(look.fences) and look.prose < MIN_PROSE),
    Rule("JSON", _KEEP, _is(Kind.JSON)),
    Rule("SQL", _KEEP, _is(Kind.SQL)),
    Rule("code", _KEEP, _is(Kind.CODE, Kind.DIFF)),
    Rule("table", _KEEP, _is(Kind.TABLE)),
    Rule("key", _KEEP, _has_key),
    Rule("formula", _KEEP, _is_mathematical),
    Rule("key-value", _COMPRESS, _is_pairs),
    Rule("commands", _COMPRESS, _is(Kind.SHELL)),
    Rule("structured", Decision.STRUCTURE, _is(Kind.LOG, Kind.TRACE, Kind.TEST_REPORT, Kind.MATCHES, Kind.LISTING)),
    Rule("marks", _COMPRESS, _is_mostly_marks),
)
"""The preservation rules, most binding first. A turn that matches none is compressed."""


def classify(
    turn: StoredTurn, *, important: bool = False, repeats: bool = False, memo: TurnMemo | None = None
) -> Classification:
    """Decide how a turn is to be summarized. Pure and total; the regexes see only the beginning of a long turn.

    `important`: the turn is one of its segment's residuals. `repeats`: it repeats an earlier turn.
    """
    key = f"{important:d}{repeats:d}"
    look = _Look(turn, important=important, repeats=repeats)
    return made_once(memo, "decision", key, lambda: _classified(look), pack=_packed, unpack=_unpacked)


def _packed(classification: Classification) -> list[Any]:
    return [str(classification.decision), classification.reasons]


def _unpacked(packed: Sequence[Any]) -> Classification:
    decision, reasons = packed
    return Classification(Decision(decision), tuple(reasons))


def _classified(look: _Look) -> Classification:
    holding = (rule for rule in RULES if rule.holds(look))
    first = next(holding, None)
    if first is None:
        return Classification(Decision.COMPRESS, ())
    further = [rule.reason for rule in holding] if first.reason == SHORT_TURN else []
    return Classification(first.decision, (first.reason, *further))
