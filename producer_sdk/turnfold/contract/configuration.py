"""Validation and serialization of `configure` and `resolve_anchor`. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from turnfold.contract.records import FIRST_TAIL_ANCHOR, AnchorState
from turnfold.contract.text import clean
from turnfold.errors import InvalidInput, UnknownAnchor

MAX_GOAL_CHARACTERS: Final = 2_000
MAX_TITLE_CHARACTERS: Final = 200
MAX_CONSTRAINTS: Final = 32
TITLE: Final = "title"
"""The key of the title, which does not affect folding."""

FOLD_SETTINGS: Final[Mapping[str, tuple[float, float]]] = {
    "segment_max_turns": (4, 200),
    "segment_max_tokens": (200, 16_000),
    "segment_min_turns": (1, 100),
    "segment_target_turns": (2, 200),
    "gap_minutes": (1, 525_600),
    "deduplicate_above": (0.5, 1.0),
    "anchor_threshold": (0, 100),
    "residual_threshold": (0, 100),
    "residual_share": (0.0, 1.0),
}
"""Per-conversation settings of the fold, with their minimum and maximum."""


def configuration(
    *,
    goal: str | None = None,
    constraints: Sequence[str] | None = None,
    settings: Mapping[str, float] | None = None,
    title: str | None = None,
) -> bytes:
    """Serialize the body of a configure operation as JSON, with the given fields only. Raises `InvalidInput`."""
    body: dict[str, Any] = {}
    if goal is not None:
        body["goal"] = _text("goal", goal)
    if constraints is not None:
        if isinstance(constraints, str) or not isinstance(constraints, Sequence):
            raise InvalidInput('constraints must be a list of texts, such as ["no AWS"]')
        if len(constraints) > MAX_CONSTRAINTS:
            raise InvalidInput(f"constraints must be at most {MAX_CONSTRAINTS}, not {len(constraints)}")
        body["constraints"] = [_text("a constraint", constraint) for constraint in constraints]
    if settings is not None:
        if not isinstance(settings, Mapping):
            msg = 'settings must be a dict, such as {"segment_max_turns": 20}'  # type: ignore[unreachable]  # not every caller has types
            raise InvalidInput(msg)
        body["settings"] = {name: _number(name, setting) for name, setting in settings.items()}
    if title is not None:
        body[TITLE] = _text("title", title, longest=MAX_TITLE_CHARACTERS)
    if not body:
        raise InvalidInput("nothing to configure", remedy="give goal, constraints, settings or title")
    return json.dumps(body, ensure_ascii=False, sort_keys=True).encode()


def settlement(anchor: int, *, dismiss: bool) -> bytes:
    """Serialize the body of a resolve operation. Raises `InvalidInput`, `UnknownAnchor` for one of the open tail."""
    if type(anchor) is int and anchor >= FIRST_TAIL_ANCHOR:
        msg = f"anchor {anchor} is provisional: its turn is still in the open tail"
        raise UnknownAnchor(
            msg, remedy="wait until its segment closes, then list the anchors again for its permanent number"
        )
    if type(anchor) is not int or not 1 <= abs(anchor) < FIRST_TAIL_ANCHOR:
        raise InvalidInput(f"an anchor must be given by its number, such as anchors(…)[0].id, not {anchor!r}")
    if not isinstance(dismiss, bool):
        msg = f"dismiss must be True or False, not {dismiss!r}"  # type: ignore[unreachable]  # not every caller has types
        raise InvalidInput(msg)
    state = AnchorState.DISMISSED if dismiss else AnchorState.RESOLVED
    return json.dumps({"anchor": anchor, "state": str(state)}, sort_keys=True).encode()


def settlement_read(body: bytes) -> dict[str, Any]:
    """Parse the body of a resolve operation as made by `settlement`. Raises `InvalidInput` for anything else."""
    try:
        given = json.loads(body)
        anchor, state = given["anchor"], AnchorState(given["state"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        msg = "the body of a resolve operation must name an anchor and its state"
        raise InvalidInput(msg) from error
    if state not in {AnchorState.RESOLVED, AnchorState.DISMISSED}:
        raise InvalidInput(f"an anchor can only be set to resolved or dismissed, not {state}")
    return json.loads(settlement(anchor, dismiss=state is AnchorState.DISMISSED))  # type: ignore[no-any-return] # a dict


def merged(before: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Apply a change to a configuration; fields missing from the change keep their values."""
    after = {**before, **{key: change[key] for key in ("goal", "constraints", TITLE) if key in change}}
    if "settings" in change:
        after["settings"] = {**before.get("settings", {}), **change["settings"]}
    return dict(sorted(after.items()))


def _text(what: str, value: object, *, longest: int = MAX_GOAL_CHARACTERS) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{what} must be non-empty text")
    if len(value) > longest:
        raise InvalidInput(f"{what} must be at most {longest} characters long, not {len(value)}")
    return clean(value)


def _number(name: str, setting: object) -> float:
    if name not in FOLD_SETTINGS:
        raise InvalidInput(f"unknown setting {name!r}", remedy=f"use one of {', '.join(FOLD_SETTINGS)}")
    least, greatest = FOLD_SETTINGS[name]
    if isinstance(setting, bool) or not isinstance(setting, (int, float)) or not least <= setting <= greatest:
        raise InvalidInput(f"{name} must be a number from {least:g} to {greatest:g}, not {setting!r}")
    return setting
