"""How much of a text the next one begins with: what a provider's prompt cache may use again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile


def shared(texts: Sequence[bytes]) -> list[float]:
    """Of each text the share of its bytes with which the following one begins."""
    return [
        sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, following, strict=False))) / len(one)
        for one, following in pairwise(texts)
    ]
