"""What a caller may choose about folding, read from untrusted JSON without ever failing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

RULES_VERSION: Final = 8
"""Raised by one whenever stages make other words, anchors or cuts of the same turns. Workers leave alone what
newer rules have folded."""

_MAX_GOAL: Final = 2_000
_MAX_CONSTRAINTS: Final = 50
_DEDUPLICATE_ABOVE: Final = 0.85
_RESIDUAL_SHARE: Final = 0.2

_LIMITS: Final[Mapping[str, tuple[int, int]]] = {
    "segment_max_turns": (2, 200),
    "segment_max_tokens": (50, 20_000),
    "segment_min_turns": (1, 100),
    "segment_target_turns": (2, 200),
    "gap_minutes": (1, 525_600),
    "look_ahead": (0, 3),
    "hold_turns": (0, 64),
    "anchor_threshold": (0, 100),
    "residual_threshold": (0, 100),
}
"""Lowest and highest sensible value of each whole-number setting; others are clamped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldSettings:
    """The settings of a conversation that decide its rows. A change of a default changes canonical states."""

    segment_max_turns: int = 40
    """Turns of a segment at most, tool groups apart."""
    segment_max_tokens: int = 4000
    """Estimated tokens of a segment at most; a longer turn is a segment of its own."""
    segment_target_turns: int = 12
    """Turns that a segment is to have on average: how fine topics are told apart, which differs from talk to talk."""
    segment_min_turns: int = 6
    """Turns before a change of topic may cut; at most a third of the target."""
    gap_minutes: int = 60
    """A pause longer than this always cuts."""
    look_ahead: int = 3
    """Turns after a gap that may be waited for before it is decided."""
    hold_turns: int = 16
    """Turns for which a tool call without its result holds a boundary."""
    goal: str | None = None
    """What the conversation is for; anchors that speak of it score higher."""
    constraints: tuple[str, ...] = ()
    """What must hold; anchors that speak of one score higher."""
    deduplicate_above: float = _DEDUPLICATE_ABOVE
    """Cosine above which two anchors of one type are the same."""
    anchor_threshold: int = 50
    """Score from which something becomes an anchor."""
    residual_threshold: int = 60
    """Importance from which a turn may be kept verbatim."""
    residual_share: float = _RESIDUAL_SHARE
    """Share of a segment's turns that are kept verbatim for their importance, at most."""

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any] | None) -> FoldSettings:
        """Read `goal`, `constraints` and `settings`; unknown keys are ignored, nonsense falls back or is clamped."""
        given = mapping if isinstance(mapping, Mapping) else {}
        nested = given.get("settings")
        numbers = nested if isinstance(nested, Mapping) else {}
        chosen = {name: whole for name in _LIMITS if (whole := _whole(name, numbers.get(name))) is not None}
        return cls(
            goal=_text(given.get("goal")),
            constraints=_texts(given.get("constraints")),
            deduplicate_above=_share(numbers.get("deduplicate_above"), least=0.5, default=_DEDUPLICATE_ABOVE),
            residual_share=_share(numbers.get("residual_share"), least=0.0, default=_RESIDUAL_SHARE),
            **chosen,
        )


def settings_at(configurations: Sequence[tuple[int, Mapping[str, Any]]], seq: int) -> FoldSettings:
    """What was configured before turn `seq` was appended: a segment is folded by what held at its first turn."""
    in_force: Mapping[str, Any] = {}
    for after_seq, configuration in configurations:
        if after_seq < seq:
            in_force = configuration
    return FoldSettings.from_mapping(in_force)


def _whole(name: str, given: object) -> int | None:
    if isinstance(given, bool) or not isinstance(given, int | float) or given != given:  # noqa: PLR0124 - NaN
        return None
    lowest, highest = _LIMITS[name]
    return int(min(max(given, lowest), highest))


def _share(given: object, *, least: float, default: float) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1:
        return default
    return float(max(least, given))


def _text(given: object) -> str | None:
    if not isinstance(given, str):
        return None
    return " ".join(given[:_MAX_GOAL].split()) or None


def _texts(given: object) -> tuple[str, ...]:
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, list | tuple):
        return ()
    cleaned = (_text(text) for text in given[:_MAX_CONSTRAINTS])
    return tuple(text for text in cleaned if text)
