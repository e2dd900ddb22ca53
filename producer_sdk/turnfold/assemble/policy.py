"""How a budget is shared among the parts of a context."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final, cast

from turnfold.errors import InvalidSettings

_MOST: Final = 10**9
_LEAST_KEPT: Final = 0.01
_NEVER: Final = 101
"""A threshold that no importance reaches."""
FACTORS: Final = ("recency", "access", "relevance", "entities", "uniqueness", "marks")
"""What a segment's importance is made of."""


def _check(name: str, setting: object, kinds: tuple[type, ...], least: float, greatest: float) -> None:
    """Raise `InvalidSettings` unless the value is a number of these kinds between the bounds."""
    if isinstance(setting, bool) or not isinstance(setting, kinds) or not least <= setting <= greatest:  # type: ignore[operator]  # a number
        kind = "whole number" if kinds == (int,) else "number"
        bounds = f"of at least {least}" if greatest == _MOST else f"between {least} and {greatest}"
        msg = f"{name} of a policy must be a {kind} {bounds}, not {setting!r}"
        raise InvalidSettings(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Notes of a certain age."""

    share: float
    """Of what fixed parts, standing facts and answers leave."""
    kept: float
    """Of all notes of that age, those that are shown, in tokens: the band reaches as far back as that takes."""

    def __post_init__(self) -> None:
        _check("share", self.share, (int, float), 0, 1)
        _check("kept", self.kept, (int, float), _LEAST_KEPT, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTiers:
    """Which segments are hot, warm and cold by their importance, and what a context makes of it.

    The first six are weights: how much each factor counts in a segment's importance, beside the others. Relevance
    counts where something is asked.
    """

    recency: float = 0.3
    """It halves every `half_life_turns`."""
    access: float = 0.2
    """How often the segment was expanded, older expansions counted less."""
    relevance: float = 0.3
    """How much of the query the segment holds beside the one that holds most."""
    entities: float = 0.05
    """How many of the names that other segments name too it names."""
    uniqueness: float = 0.05
    """How much of what it names or states no other segment does."""
    marks: float = 0.1
    """The `importance` of its turns, and the scores of its best anchors."""
    half_life_turns: int = 100
    access_half: int = 3
    """Expansions that make half of the access factor."""
    hot_from: int = 45
    """Importance, 0 to 100, from which a segment is hot."""
    warm_from: int = 20
    """Importance from which a segment is not cold."""
    hot_share: float = 0.15
    """Most of a budget for hot segments in detail, the most important ones first."""

    def __post_init__(self) -> None:
        for name in FACTORS:
            _check(f"{name} in tiers", getattr(self, name), (int, float), 0, _MOST)
        for name in ("half_life_turns", "access_half"):
            _check(name, getattr(self, name), (int,), 1, _MOST)
        for name in ("hot_from", "warm_from"):
            _check(name, getattr(self, name), (int,), 0, _NEVER)
        _check("hot_share", self.hot_share, (int, float), 0, 1)
        if not any(getattr(self, name) for name in FACTORS):
            msg = f"one of the weights in tiers of a policy must be above 0: {', '.join(FACTORS)}"
            raise InvalidSettings(msg)
        if self.warm_from > self.hot_from:
            msg = f"warm_from in tiers of a policy must be at most hot_from, {self.hot_from}, not {self.warm_from}"
            raise InvalidSettings(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Shares of the budget, 0 to 1. What one part leaves unused goes to the others."""

    name: str
    bands: tuple[Band, ...] = ()
    """Of notes by age, newest first, behind raw turns for `recent_share`; older notes have what that leaves. Without
    bands notes are chosen by value for a token over all that was said, and raw turns have what they leave."""
    anchors_share: float = 0.15
    rules_share: float = 0.30
    """Most for anchors where rules need more than that: constraints, standing instructions, what health forbids."""
    pinned_share: float = 0.25
    """Most for anchors where pinned turns need more than their share."""
    request_share: float = 0.30
    """Most for what an agent was asked to do, in the user's words."""
    recent_share: float = 0.25
    """Most for the last four turns, raw, of `recent_share_to` tokens; what notes leave over is spent on more of them.
    With `bands` that of all raw turns, before there are notes."""
    recent_share_to: int = 2_000
    """Tokens of a budget beyond which recent turns have `recent_share_beyond`: four turns do not grow with it."""
    recent_share_beyond: float = 0.10
    """The share of the last four turns in what a budget has beyond `recent_share_to` tokens; not with `bands`."""
    newest_share: float = 0.50
    """Most for the last four turns where the newest user turn is so long; a longer one is cut to `recent_share`."""
    agent_share: float = 0.40
    """The same where the newest is a turn of an agent that works with tools: what it does next."""
    tail_share: float = 0.04
    """For what else no segment holds yet: raw where all of it fits, else in notes."""
    steered_share: float = 0.15
    """Most for what the newest user turn brings where no query is given; 0: it steers nothing."""
    excerpts_share: float = 0.25
    """Most for excerpts, when there is a query; less in small budgets. With `bands` for all that a query brings."""
    names_share: float = 0.11
    """Most for paths, symbols and names, of at most 2,000 tokens; less where tools say little."""
    actions_share: float = 0.28
    """Most for the state of an agent's work: changed files, runs, failures, what searches brought."""
    expand_share: float = 0.5
    """Most for what the caller asks to be expanded."""
    often_share: float = 0.08
    """Most for segments that are looked up often, in detail."""
    often_after: int = 3
    """Expansions, older ones counted less, from which a segment is looked up often."""
    tiers: MemoryTiers | None = None
    """With tiers hot segments stand in detail, in the place of what is looked up often, and cold ones in one note."""
    unasked_share: float = 0.25
    """With a query, for notes that stand there whatever is asked; less in small budgets, more in large ones."""
    markers_share: float = 0.04
    """Most for the lines that say which turns notes stand for, and how to expand them."""
    system_share: float = 0.25
    """Most for the system turns of the conversation, which are never cut; a caller's `system` may take more."""
    tail_step: float = 0.02
    """The room for what is folded changes in such steps, so that it seldom changes while the open tail grows."""
    recent_step: float = 0.05
    """The room for the last turns grows in such steps, so that notes seldom change while turns are appended."""
    raw_step: float = 0.03
    """At most as much of the budget is given up for recent turns that begin where they began a turn ago."""
    short_markers_below: int = 1_000
    """Budgets below this many tokens get markers without words, and no dates beside them."""
    whole_notes_from: int = 2_000
    """Budgets from this many tokens on may show notes as whole sentences; below it in fewer words."""

    no_match_below: float = 0.1
    """A context says that no turn matches its query where `Report.answerable` is below this; 0: it never does."""
    whole_notes_share: float = 0.125
    """Of what was said: the same of budgets from this share on."""
    written_whole_share: float = 0.5
    """Of what was said: budgets from this share on may show a model's notes as whole sentences."""

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
        # Rounded: tenths that make up 1 may sum to a little more.
        if bands and round(self.recent_share + sum(band.share for band in bands), 9) > 1:
            msg = "the shares of bands and recent_share of a policy must be at most 1 together"
            raise InvalidSettings(msg)

    @property
    def detail_share(self) -> float:
        """Most for segments in detail: hot ones with `tiers`, else those that are looked up often."""
        return self.often_share if self.tiers is None else self.tiers.hot_share

    def recent_room(self, target: int) -> int:
        """Most tokens of a target for the last four turns."""
        usual = target if self.bands else min(target, self.recent_share_to)
        return int(self.recent_share * usual + self.recent_share_beyond * (target - usual))


def rounded_down(tokens: int, step: int) -> int:
    """Room in steps of so many tokens: it stays the same while what it depends on grows a little."""
    return tokens - tokens % max(1, step)


def rounded_up(tokens: int, step: int) -> int:
    """As `rounded_down`, the next step."""
    return tokens + -tokens % max(1, step)


@dataclass(frozen=True, slots=True)
class AnchorsRoom:
    """Tokens for anchors with their header."""

    most: int
    most_with_rules: int
    """Constraints and standing instructions may take as much, whatever is left for others."""
    most_with_pins: int
    """Those of pinned turns may take as much, whatever is left for others."""

    @classmethod
    def of(cls, policy: Policy, *, target: int, most: int, most_with_pins: int) -> AnchorsRoom:
        """The policy's shares of a target; at most what there is room for."""
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
"""Fixed parts, anchors; of the rest 70 % turns raw, 20 % notes of the near past, 7 % of older turns, 3 % of the oldest.

What older parts leave is for the newest turns."""

TIERED: Final = Policy(name="tiered", tiers=MemoryTiers())
"""As `BALANCED`, with more detail of what is important and less of what is not."""

_NAMED: Final = {policy.name: policy for policy in (BALANCED, RECENCY, TIERED)}


def policy_named(name_or_policy: object) -> Policy:
    """The policy of that name; a `Policy` is returned as it is. Raises `InvalidSettings` naming the choices."""
    if isinstance(name_or_policy, Policy):
        return name_or_policy
    policy = _NAMED.get(name_or_policy) if isinstance(name_or_policy, str) else None
    if policy is None:
        msg = f"unknown policy {name_or_policy!r}"
        raise InvalidSettings(msg, remedy=f"use one of {', '.join(sorted(_NAMED))}, or a Policy of your own")
    return policy
