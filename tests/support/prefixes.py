"""The common prefix of consecutive texts, which a provider's prompt cache can reuse."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile


def shared(texts: Sequence[bytes]) -> list[float]:
    """Return for each text the share of its bytes that the next text begins with."""
    return [
        sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, following, strict=False))) / len(one)
        for one, following in pairwise(texts)
    ]
