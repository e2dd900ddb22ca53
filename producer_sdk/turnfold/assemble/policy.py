"""How a budget is shared among the parts of a context."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final, Literal

from turnfold.errors import InvalidSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Turns of a certain age, for the selection by age."""

    within_turns: int
    """Turns back from the newest one, to the far end of the band."""
    level: int
    share: float
    """Of what is left after fixed parts and anchors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Shares of the budget, 0 to 1. What one part leaves unused goes to the others."""

    name: str
    selection: Literal["value", "age"] = "value"
    """How levels are chosen: by value per token, or by the age of a turn."""
    anchors_share: float = 0.04
    recent_share: float = 0.04
    """Most for raw turns, before what is left over is spent on more of them."""
    tail_share: float = 0.08
    """Most for the open tail, the turns that no segment holds yet; beyond it turns are clipped."""
    excerpts_share: float = 0.25
    """Most for excerpts, when there is a query and levels are chosen by age."""
    actions_share: float = 0.12
    """Most for what was done last with tools, when levels are chosen by value."""
    expand_share: float = 0.5
    """Most for what the caller asks to be expanded."""
    often_share: float = 0.08
    """Most for segments that are looked up often, in detail, when levels are chosen by value."""
    often_after: int = 3
    """Expansions, older ones counted less, from which a segment is looked up often."""
    unasked_share: float = 0.25
    """With a query, most for notes that it is not about; less in small budgets."""
    markers_share: float = 0.015
    """Most for the lines that say which turns notes stand for, and how to expand them."""
    system_share: float = 0.25
    """Most for a system turn of the conversation; a `system` that the caller gives is never cut."""
    tags_share: float = 0.08
    """Most for the tags of a range line."""
    tail_step: float = 0.02
    """The room for what is folded changes in such steps, so that it seldom changes while the open tail grows."""
    short_markers_below: int = 1_000
    """Budgets below this many tokens get markers without words, and no dates beside them."""
    bands: tuple[Band, ...] = ()
    """For the selection by age, newest first; older turns are shown at level 3."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name.endswith("_share") and not 0.0 <= value <= 1.0:
                msg = f"{field.name} of a policy is a share between 0 and 1, not {value!r}"
                raise InvalidSettings(msg)
            if field.name.endswith("_favour") and value < 0.0:
                msg = f"{field.name} of a policy must not be negative, it is {value!r}"
                raise InvalidSettings(msg)


BALANCED: Final = Policy(name="balanced")
"""Fixed parts, anchors, the last turns; the rest by value per token."""

RECENCY: Final = Policy(
    name="recency",
    selection="age",
    recent_share=0.70,
    tail_share=0.70,
    bands=(Band(within_turns=25, level=1, share=0.20), Band(within_turns=50, level=2, share=0.07)),
)
"""By age alone: 70 % the last turns, 20 % turns 10 to 25 back, 7 % turns 25 to 50 back, 3 % everything older."""

_NAMED: Final = {policy.name: policy for policy in (BALANCED, RECENCY)}


def policy_named(name_or_policy: object) -> Policy:
    """The policy of that name; a `Policy` is returned as it is. Raises `InvalidSettings` naming the choices."""
    if isinstance(name_or_policy, Policy):
        return name_or_policy
    found = _NAMED.get(name_or_policy) if isinstance(name_or_policy, str) else None
    if found is None:
        msg = f"unknown policy {name_or_policy!r}: use one of {', '.join(sorted(_NAMED))}, or a Policy of your own"
        raise InvalidSettings(msg)
    return found
