"""Policies: how a budget is shared among the parts of a context."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final, cast

from turnfold.errors import InvalidSettings

_MOST: Final = 10**9
_LEAST_KEPT: Final = 0.01
_NEVER: Final = 101
"""A threshold that no importance reaches."""
FACTORS: Final = ("recency", "access", "relevance", "entities", "uniqueness", "marks")
"""Names of the factors of a segment's importance."""


def _check(name: str, setting: object, kinds: tuple[type, ...], least: float, greatest: float) -> None:
    """Raise `InvalidSettings` unless the setting is a number of one of `kinds` between the bounds."""
    if isinstance(setting, bool) or not isinstance(setting, kinds) or not least <= setting <= greatest:  # type: ignore[operator]  # a number
        kind = "whole number" if kinds == (int,) else "number"
        bounds = f"of at least {least}" if greatest == _MOST else f"between {least} and {greatest}"
        msg = f"{name} of a policy must be a {kind} {bounds}, not {setting!r}"
        raise InvalidSettings(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Share of the budget for notes of one age range."""

    share: float
    """Share of the tokens that fixed parts, anchors and answers leave."""
    kept: float
    """Fraction of the band's notes that is shown, in tokens: the band reaches back until its notes cost its share /
    `kept`."""

    def __post_init__(self) -> None:
        _check("share", self.share, (int, float), 0, 1)
        _check("kept", self.kept, (int, float), _LEAST_KEPT, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTiers:
    """Weights and thresholds that sort segments into hot, warm and cold by their importance.

    The first six fields are the relative weights of the importance factors. Relevance counts only with a query.
    """

    recency: float = 0.3
    """Halves every `half_life_turns` turns of age."""
    access: float = 0.2
    """How often the segment was expanded, older expansions counted less."""
    relevance: float = 0.3
    """Query score of the segment, relative to the best segment."""
    entities: float = 0.05
    """Mentions of the segment's names in other segments, relative to the segment with most."""
    uniqueness: float = 0.05
    """Share of the segment's names and facts that occur in no other segment."""
    marks: float = 0.1
    """The `importance` of the segment's turns, and the scores of its best anchors."""
    half_life_turns: int = 100
    access_half: int = 3
    """Expansions at which the access factor reaches one half."""
    hot_from: int = 45
    """Importance, 0 to 100, from which a segment is hot."""
    warm_from: int = 20
    """Importance from which a segment is warm; below, it is cold."""
    hot_share: float = 0.15
    """Maximum share of a budget for hot segments at level 1, the most important first."""

    def __post_init__(self) -> None:
        for name in FACTORS:
            _check(f"{name} in tiers", getattr(self, name), (int, float), 0, _MOST)
        for name in ("half_life_turns", "access_half"):
            _check(name, getattr(self, name), (int,), 1, _MOST)
        for name in ("hot_from", "warm_from"):
            _check(name, getattr(self, name), (int,), 0, _NEVER)
        _check("hot_share", self.hot_share, (int, float), 0, 1)
        if not any(getattr(self, name) for name in FACTORS):
            msg = f"at least one weight in tiers of a policy must be above 0: {', '.join(FACTORS)}"
            raise InvalidSettings(msg)
        if self.warm_from > self.hot_from:
            msg = f"warm_from in tiers of a policy must be at most hot_from, {self.hot_from}, not {self.warm_from}"
            raise InvalidSettings(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Shares of the budget by part, 0 to 1. Tokens that one part leaves unused go to the others."""

    name: str
    bands: tuple[Band, ...] = ()
    """Shares of notes by age, newest band first, besides raw turns with `recent_share`; the oldest notes get the rest.
    Without bands, notes of the whole conversation are chosen by value per token, and raw turns get what notes leave."""
    anchors_share: float = 0.15
    rules_share: float = 0.30
    """Maximum for anchors when rules need more than `anchors_share`: constraints, standing instructions, health
    limits."""
    pinned_share: float = 0.25
    """Maximum for anchors when pinned turns need more than `anchors_share`."""
    request_share: float = 0.30
    """Maximum for what an agent was asked to do, in the user's words."""
    recent_share: float = 0.25
    """Maximum for the last four turns, raw, of the first `recent_share_to` tokens of a budget; tokens that notes leave
    go to more raw turns. With `bands`, the share of all raw turns, which are chosen before notes."""
    recent_share_to: int = 2_000
    """Budget tokens beyond which `recent_share_beyond` applies: four turns do not grow with the budget."""
    recent_share_beyond: float = 0.10
    """Share of the last four turns in the budget beyond `recent_share_to` tokens; not with `bands`."""
    newest_share: float = 0.50
    """Maximum for the last four turns when the newest user turn needs that much; a longer one is cut to
    `recent_share`."""
    agent_share: float = 0.40
    """Maximum for the last four turns when an agent works with tools: its newest turn says what it does next."""
    tail_share: float = 0.04
    """Share for the rest of the open tail: raw if all of it fits, else in notes."""
    steered_share: float = 0.15
    """Maximum for content that matches the newest user turn when there is no query; 0 turns this off."""
    excerpts_share: float = 0.25
    """Maximum for excerpts when there is a query; less in small budgets. With `bands`, for everything that a query
    adds."""
    names_share: float = 0.11
    """Maximum for paths, symbols and names, of the first 2,000 tokens of a budget; less where tools wrote little of the
    text."""
    actions_share: float = 0.28
    """Maximum for the state of an agent's work: changed files, runs, failures, search results."""
    expand_share: float = 0.5
    """Maximum for markers that the caller asks to expand."""
    often_share: float = 0.08
    """Maximum for frequently expanded segments, at level 1."""
    often_after: int = 3
    """Expansions, older ones counted less, from which a segment counts as frequently expanded."""
    tiers: MemoryTiers | None = None
    """With tiers, hot segments are shown at level 1 instead of frequently expanded ones, and cold segments in one
    note."""
    unasked_share: float = 0.25
    """With a query: share for notes that are chosen regardless of it; less in small budgets, more in large ones."""
    markers_share: float = 0.04
    """Maximum for the lines that say which turns notes cover, and how to expand them."""
    system_share: float = 0.25
    """Maximum for the system turns of the conversation, which are never cut; a caller's `system` may take more."""
    tail_step: float = 0.02
    """Step in which the room for folded turns changes, so that it seldom changes while the open tail grows."""
    recent_step: float = 0.05
    """Step in which the room for the last turns grows, so that notes seldom change while turns are appended."""
    raw_step: float = 0.03
    """Maximum share given up so that raw turns begin where they began a turn ago."""
    short_markers_below: int = 1_000
    """Budgets below this many tokens get markers without slugs, and no dates next to them."""
    whole_notes_from: int = 2_000
    """Budgets from this many tokens on may show notes as whole sentences; smaller ones show them in brief."""

    no_match_below: float = 0.1
    """A context says that no turn matches its query if `Report.answerable` is below this; 0: never."""
    whole_notes_share: float = 0.125
    """Smallest budget, as a share of the conversation's tokens, that may show notes as whole sentences."""
    written_whole_share: float = 0.5
    """Smallest budget, as a share of the conversation's tokens, that may show a model's notes as whole sentences."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name.endswith(("_share", "_step", "_beyond", "no_match_below")):
                _check(field.name, getattr(self, field.name), (int, float), 0, 1)
        _check("often_after", self.often_after, (int,), 1, _MOST)
        for name in ("short_markers_below", "whole_notes_from", "recent_share_to"):
            _check(name, getattr(self, name), (int,), 0, _MOST)
        own_name, bands = cast("object", self.name), cast("object", self.bands)  # not every caller has types
        if not isinstance(own_name, str):
            msg = f"name of a policy must be text, not {own_name!r}"
            raise InvalidSettings(msg)
        if not isinstance(bands, tuple) or not all(isinstance(band, Band) for band in bands):
            msg = f"bands of a policy must be a tuple of turnfold.Band values, not {bands!r}"
            raise InvalidSettings(msg)
        if not isinstance(cast("object", self.tiers), MemoryTiers | None):
            msg = f"tiers of a policy must be turnfold.MemoryTiers or None, not {self.tiers!r}"
            raise InvalidSettings(msg)
        # Rounded: floats that make up 1 may sum to slightly more.
        if bands and round(self.recent_share + sum(band.share for band in bands), 9) > 1:
            msg = "the shares of bands and recent_share of a policy must add up to at most 1"
            raise InvalidSettings(msg)

    @property
    def detail_share(self) -> float:
        """Maximum for segments at level 1: hot ones with `tiers`, else frequently expanded ones."""
        return self.often_share if self.tiers is None else self.tiers.hot_share

    def recent_room(self, target: int) -> int:
        """Maximum tokens of a target for the last four turns."""
        usual = target if self.bands else min(target, self.recent_share_to)
        return int(self.recent_share * usual + self.recent_share_beyond * (target - usual))


def rounded_down(tokens: int, step: int) -> int:
    """Round tokens down to a multiple of `step`: the result is stable while the input grows a little."""
    return tokens - tokens % max(1, step)


def rounded_up(tokens: int, step: int) -> int:
    """Round tokens up to a multiple of `step`."""
    return tokens + -tokens % max(1, step)


@dataclass(frozen=True, slots=True)
class AnchorsRoom:
    """Token limits for anchors with their header."""

    most: int
    most_with_rules: int
    """Limit for constraints and standing instructions, whatever is left for other parts."""
    most_with_pins: int
    """Limit for anchors of pinned turns, whatever is left for other parts."""

    @classmethod
    def of(cls, policy: Policy, *, target: int, most: int, most_with_pins: int) -> AnchorsRoom:
        """Apply the policy's shares to a target, capped by the room there is."""
        share = int(policy.anchors_share * target)
        rules = max(share, int(policy.rules_share * target))
        pins = max(share, int(policy.pinned_share * target))
        return cls(
            most=min(share, most), most_with_rules=min(rules, most), most_with_pins=min(pins, most_with_pins)
        )  # fmt: skip


BALANCED: Final = Policy(name="balanced")
"""Fixed parts, anchors, the last turns; the rest by value per token."""

RECENCY: Final = Policy(
    name="recency",
    recent_share=0.70,
    bands=(Band(share=0.20, kept=0.7), Band(share=0.07, kept=0.4)),
    tail_share=0.0,
    steered_share=0.0,
    rules_share=0.15,
    request_share=0.0,
    names_share=0.0,
    actions_share=0.0,
    markers_share=0.025,
    raw_step=0.0,
)
"""Fixed parts, anchors; of the rest 70 % raw turns, 20 % notes of the near past, 7 % of older turns, 3 % of the oldest.

Tokens that older parts leave go to the newest turns.
"""

TIERED: Final = Policy(name="tiered", tiers=MemoryTiers())
"""`BALANCED` with more detail for important segments and less for unimportant ones."""

_NAMED: Final = {policy.name: policy for policy in (BALANCED, RECENCY, TIERED)}


def policy_named(name_or_policy: object) -> Policy:
    """Look up a policy by name; a `Policy` is returned as it is. Raises `InvalidSettings` naming the choices."""
    if isinstance(name_or_policy, Policy):
        return name_or_policy
    policy = _NAMED.get(name_or_policy) if isinstance(name_or_policy, str) else None
    if policy is None:
        msg = f"unknown policy {name_or_policy!r}"
        raise InvalidSettings(msg, remedy=f"use one of {', '.join(sorted(_NAMED))}, or a Policy of your own")
    return policy
