"""The rules of a task: sentences of a request that bind whoever does it. They are kept before what explains it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.plain_lines import one_line
from turnfold_worker.pipeline.language.prose import Span

LONGEST_RULE: Final = 240
MOST_RULES: Final = 8
_LONGEST_ALL: Final = 600
"""Code points of all rules together."""
_BINDS: Final = lazy_pattern(
    r"(?i)\b(?:must(?: not|n't)?|never|may not|not allowed|forbidden|you (?:can|may|should) only|you can ?not|you can't"
    r"|only (?:one|enter|use|edit|change|answer|reply|respond|output|write|return|submit)|at most|no more than"
    r"|you are (?:required|not permitted)|(?:is|are) required)\b"
)
"""What may not be done, or may be done only so."""
_ENDS: Final = lazy_pattern(
    r"(?i)\b(?:submit|when(?:ever)? you(?:'re| are)? (?:done|finished|satisfied|finish)|once you(?:'re| are| have)? "
    r"(?:done|finished|satisfied))\b"
)
"""How the work is handed in."""
_FORMAT: Final = lazy_pattern(
    r"(?i)\W{0,4}(?:(?:please|always|then|finally),? )?(?:respond|answer|reply|output|format|return|submit|write)\b"
    r"[^.]{0,80}?\b(?:with|in|as|only|using|exactly|format|json|xml|yaml|csv|markdown|tags?|block)\b"
)
_ORDERS: Final = lazy_pattern(
    r"(?i)\W{0,4}(?:\d{1,2}[.)] )?(?:please )?(?:always|never|do not|don't|only|make sure|ensure)\b"
)
"""Begins an order."""
_TIP: Final = lazy_pattern(
    r"(?i)\b(?:recommend|for example|e\.g\. you can|it is easy to|it's much|if that doesn't|tip)\b"
)


def rules_in(content: str, sentences: Sequence[Span], manual: Span | None) -> tuple[str, ...]:
    """Rules of a request in its order. Of a harness's manual those that bind, not what it advises."""
    ranked_rules: list[tuple[int, str]] = []
    for sentence in sentences:
        text = content[sentence.start : sentence.end]
        inside = manual is not None and manual.start <= sentence.start < manual.end
        if len(text) > LONGEST_RULE or _TIP.search(text):
            continue
        if _BINDS.search(text) or _FORMAT.match(text) or (inside and _ENDS.search(text)):
            ranked_rules.append((0, one_line(text)))
        elif _ORDERS.match(text):
            ranked_rules.append((1, one_line(text)))
    kept: list[int] = []
    room = _LONGEST_ALL
    for at in sorted(range(len(ranked_rules)), key=lambda at: ranked_rules[at][0]):
        if len(kept) < MOST_RULES and len(ranked_rules[at][1]) <= room:
            kept.append(at)
            room -= len(ranked_rules[at][1])
    return tuple(dict.fromkeys(ranked_rules[at][1] for at in sorted(kept)))


__all__ = ["LONGEST_RULE", "MOST_RULES", "rules_in"]
