"""Pasted documents as queries, several kinds of conversations to ask, and the cost of reads."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import count
from typing import Final

from support.long_turns import prose
from turnfold.testing import LocalTurnfold

KILOBYTE: Final = 1_000
MEGABYTE: Final = 1_000_000
SCRAPS: Final = (
    "a", "a-", "-", "a_", "aB", "a.", "/a", "a'", "1", "1,", "1.", " ", "\n", "\t", "é", "a\u0301\u200b", "\u202e",
    "会議", "👩\u200d👩\u200d👧", "مرحبا ", "ferry ", "the ", "Ana's sister's ", "who and what or when ", "```\n", "?!",
    "([{", "(a+)+$", "[\\w-]*\\b", "last week, ", "on 3 May 2026, ", "between March and April 2025, ",
    "show me the config ", "https://a.b/c?d=", "def f(x): return x.y[0]\n", "assistant: ", "[recent turns]\n",
    "Zoe Marsh ", "not ", "L1:a-17 ",
)  # fmt: skip
Read = Callable[[str], object]


def repeated(unit: str, size: int) -> str:
    """Repeat a unit up to a size."""
    return (unit * (size // len(unit) + 1))[:size]


def documents() -> Iterator[tuple[str, Callable[[int], str]]]:
    """Yield pasted documents of any size, with what they consist of."""
    rng = random.Random(7)
    yield "words", lambda size: repeated(prose("ferry", tokens=2_000), size)
    yield "rare words", lambda size: " ".join(f"{number:x}q" for number in range(size))[:size]
    yield "numbers", lambda size: " ".join(str(7_919 * number) for number in range(size))[:size]
    yield "code", lambda size: "".join(f"    row_{number} = f{number}.read()\n" for number in range(size // 20))[:size]
    yield "characters", lambda size: "".join(chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(size))
    for unit in SCRAPS:
        yield unit, partial(repeated, unit)


TALKS: Final[Mapping[str, tuple[str, ...]]] = {
    "prose": tuple(prose(topic, tokens=60 + number) for number in range(16) for topic in ("ferry", "roof", "bakery")),
    "one sentence": ("We must use PostgreSQL 16 for billing, and Ana's sister is Zoe Marsh.",) * 50,
    "code": tuple(f"Mend it:\n```python\ndef f{i}(x):\n    return x.y_{i}[{i}]\n```" for i in range(40)),
    "long turns": tuple(prose(topic, tokens=4_000) for topic in ("ferry", "roof", "bakery")),
}


def reads_of(tf: LocalTurnfold) -> dict[str, Read]:
    """Return every read that accepts a query."""
    return {
        "context": lambda query: tf.context("c", budget_tokens=2_000, query=query),
        "search": lambda query: tf.search("c", query),
        "timeline": lambda query: tf.timeline("c", query),
        "relations": lambda about: tf.relations("c", about=about),
        "tiers": lambda query: tf.tiers("c", query=query),
    }


_NUMBERS: Final = count()


def asked_of(document: Callable[[int], str]) -> Callable[[int], str]:
    """Return a function that makes a new question of any size behind a pasted document, since answers are cached."""
    pasted = cache(document)
    return lambda size: f"{pasted(size - 12)} ferry {next(_NUMBERS):05}"


def cpu_of(read: Read, asked: Callable[[int], str], size: int) -> float:
    """Return the CPU seconds of an undisturbed read: the minimum of five."""
    seconds = []
    for query in (asked(size) for _ in range(5)):
        before = time.thread_time()
        read(query)
        seconds.append(time.thread_time() - before)
    return min(seconds)
