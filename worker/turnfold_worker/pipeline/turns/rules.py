"""Rules of a task: the binding sentences of a request. They are kept in preference to its explanations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.plain_lines import one_line
from turnfold_worker.pipeline.language.prose import Span

LONGEST_RULE: Final = 240
MOST_RULES: Final = 16
_LONGEST_ALL: Final = 1_400
"""Maximum code points of all rules together."""
_NO_RULE: Final = 3
_BINDS: Final = lazy_pattern(
    r"(?i)\b(?:must(?: not|n't)?|never|may not|not allowed|forbidden|you (?:can|may|should) only|you can ?not|you can't"
    r"|only (?:one|enter|use|edit|change|answer|reply|respond|output|write|return|submit)|at most|no more than"
    r"|you are (?:required|not permitted)|(?:is|are) required)\b"
)
"""A prohibition, a limit, or a requirement."""
_ENDS: Final = lazy_pattern(
    r"(?i)\b(?:submit|when(?:ever)? you(?:'re| are)? (?:done|finished|satisfied|finish)|once you(?:'re| are| have)? "
    r"(?:done|finished|satisfied))\b"
)
"""How to finish and submit the work."""
_FORMAT: Final = lazy_pattern(
    r"(?i)\W{0,4}(?:(?:please|always|then|finally),? )?(?:respond|answer|reply|output|format|return|submit|write)\b"
    r"[^.]{0,80}?\b(?:with|in|as|only|using|exactly|format|json|xml|yaml|csv|markdown|tags?|block)\b"
)
_ORDERS: Final = lazy_pattern(
    r"(?i)\W{0,4}(?:\d{1,2}[.)] )?(?:please )?(?:always|never|do not|don't|only|make sure|ensure)\b"
)
"""Begins an order."""
_ADVISES: Final = lazy_pattern(
    r"(?i)\W{0,4}(?:note|remember|be sure|avoid|if|when|use|run|follow|keep|check|wait)\b"
    r"|.{0,160}\b(?:you should|make sure)\b",
    re.DOTALL,
)
"""Advice on using the tools; counts inside a harness's manual only."""
_GOES_ON: Final = lazy_pattern(r"(?i)(?:instead|otherwise|(?:if|when) (?:not|it|this|that|they|so))\b")
"""Begins a sentence that makes no sense without the one before it."""
_TIP: Final = lazy_pattern(
    r"(?i)\b(?:recommend|for example|e\.g\. you can|it is easy to|it's much|if that doesn't|tip)\b"
)


def rules_in(content: str, sentences: Sequence[Span], manual: Span | None) -> tuple[str, ...]:
    """Return the rules of a request: obligations, then orders, then advice from the manual; each kind in text order."""
    ranked_rules: list[tuple[int, str]] = []
    is_rule = False
    for sentence in sentences:
        text = content[sentence.start : sentence.end]
        inside = manual is not None and manual.start <= sentence.start < manual.end
        if _GOES_ON.match(text):
            if is_rule:
                rank, rule = ranked_rules.pop()
                ranked_rules.append((rank, f"{rule} {one_line(text)}"))
            continue
        rank = _rank(text, inside=inside)
        if is_rule := rank < _NO_RULE:
            ranked_rules.append((rank, one_line(text)))
    kept: dict[str, None] = {}
    room = _LONGEST_ALL
    for _, rule in sorted(ranked_rules, key=itemgetter(0)):
        if len(kept) < MOST_RULES and len(rule) <= room and rule not in kept:
            kept[rule] = None
            room -= len(rule)
    return tuple(kept)


def _rank(text: str, *, inside: bool) -> int:
    """Rank a sentence: 0 obligation, 1 order, 2 advice, `_NO_RULE` for others; `inside`: it is part of a manual."""
    if len(text) > LONGEST_RULE or _TIP.search(text):
        return _NO_RULE
    if _BINDS.search(text) or _FORMAT.match(text) or (inside and _ENDS.search(text)):
        return 0
    return 1 if _ORDERS.match(text) else 2 if inside and _ADVISES.match(text) else _NO_RULE
