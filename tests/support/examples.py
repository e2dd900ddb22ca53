"""How many examples a property is tried on: a tenth of them each day, all of them in the long run."""

from __future__ import annotations

import os
from typing import Any, Final

import hypothesis

THOROUGH: Final = "thorough"
QUICK: Final = "quick"
_QUICK_SHARE: Final = 10
_LEAST_QUICK: Final = 5


def register_profiles() -> None:
    """Profiles for pytest's `--hypothesis-profile`; the quick one is loaded."""
    # How long one example takes says more about the machine than about the code.
    profile = hypothesis.settings.get_profile("ci" if os.environ.get("CI") else "default")
    hypothesis.settings.register_profile(THOROUGH, profile, deadline=None)
    hypothesis.settings.register_profile(QUICK, profile, deadline=None, max_examples=_quick(profile.max_examples))
    hypothesis.settings.load_profile(QUICK)


def examples(count: int, **options: Any) -> hypothesis.settings:
    """Settings for a property that needs `count` examples to be sure; the quick profile tries a tenth of them."""
    is_thorough = hypothesis.settings.get_current_profile_name() == THOROUGH
    return hypothesis.settings(max_examples=count if is_thorough else _quick(count), **options)


def _quick(count: int) -> int:
    return min(count, max(_LEAST_QUICK, count // _QUICK_SHARE))
