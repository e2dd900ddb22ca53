"""Fold settings that a caller may choose, read from untrusted JSON without ever failing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

RULES_VERSION: Final = 10
"""Incremented whenever the stages produce different texts, anchors or cuts from the same turns. A worker leaves nodes
alone that a newer version folded."""

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
"""Lowest and highest allowed value of each integer setting; values outside are clamped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldSettings:
    """The settings of a conversation that determine its rows. Changing a default changes canonical states."""

    segment_max_turns: int = 40
    """Maximum turns of a segment; a tool group that must not be split may exceed it."""
    segment_max_tokens: int = 4000
    """Maximum estimated tokens of a segment; a longer turn is a segment of its own."""
    segment_target_turns: int = 12
    """Intended average number of turns per segment: how finely topics are split, which differs by conversation."""
    segment_min_turns: int = 6
    """Turns that a segment must have before a change of topic may end it; capped at a third of the target."""
    gap_minutes: int = 60
    """Minutes of pause above which a segment always ends."""
    look_ahead: int = 3
    """Turns after a gap to wait for before deciding whether to cut there."""
    hold_turns: int = 16
    """Turns for which a tool call without its result prevents a cut."""
    goal: str | None = None
    """The purpose of the conversation; anchors that mention it score higher."""
    constraints: tuple[str, ...] = ()
    """Requirements that must be met; anchors that mention one score higher."""
    deduplicate_above: float = _DEDUPLICATE_ABOVE
    """Cosine similarity above which two anchors of one type are duplicates."""
    anchor_threshold: int = 50
    """Minimum score of an anchor."""
    residual_threshold: int = 60
    """Minimum importance of a turn that may be kept verbatim."""
    residual_share: float = _RESIDUAL_SHARE
    """Maximum share of a segment's turns that are kept verbatim for their importance."""

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any] | None) -> FoldSettings:
        """Read `goal`, `constraints` and `settings`. Ignores unknown keys; invalid values become defaults or clamp."""
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
    """Return the settings in force when turn `seq` was appended: a segment is folded by those of its first turn."""
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
