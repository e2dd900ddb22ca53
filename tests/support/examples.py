"""How many examples properties are tried on: a tenth in daily runs, all before a release."""

from __future__ import annotations

import os
from typing import Any, Final

import hypothesis

ALL: Final = "properties"
"""The profile of `make properties`."""
QUICK: Final = "quick"
_SHARES: Final = {ALL: 1.0, QUICK: 0.1}
_LEAST: Final = 5


def register_profiles() -> None:
    """Register profiles for pytest's `--hypothesis-profile` and load the quick one."""
    # No deadline: how long an example takes depends more on the machine than on the code.
    profile = hypothesis.settings.get_profile("ci" if os.environ.get("CI") else "default")
    for name in _SHARES:
        hypothesis.settings.register_profile(
            name, profile, deadline=None, max_examples=_share_of(profile.max_examples, name)
        )
    hypothesis.settings.load_profile(QUICK)


def examples(count: int, **options: Any) -> hypothesis.settings:
    """Return settings for a property that needs `count` examples; each profile runs its share of them."""
    return hypothesis.settings(max_examples=_share_of(count, hypothesis.settings.get_current_profile_name()), **options)


def _share_of(count: int, profile: str) -> int:
    return min(count, max(_LEAST, int(_SHARES.get(profile, 1.0) * count)))
