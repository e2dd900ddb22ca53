"""Limits that a statement sets, so that a later limit on the same thing supersedes an earlier one."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import joined
from turnfold_worker.pipeline.anchors.statements.obligations import deed_words
from turnfold_worker.pipeline.language.quantities import in_one_form
from turnfold_worker.pipeline.language.spoken import is_question, plain_words


class Limit(NamedTuple):
    """An upper or lower limit on something."""

    upper: bool
    value: str
    unit: str
    """The unit; empty if not stated."""
    subject: frozenset[str]
    """Roots of the words for what is limited."""


_NOT_MORE: Final = joined(r"""
    <=?|≤|under|below|(?:less|fewer|shorter|smaller|lower|cheaper) than|at most|(?:no|not) (?:more|longer|larger|bigger|
    higher|later|over) than|(?:never|not|cannot|don't|can't|mustn't|won't) (?P<capped>[a-z]+) (?:more|longer|larger|
    bigger|higher|later) than|up to|max(?:imum)?(?: of| is)?|(?:not |cannot |can't |never )exceed|within|
    (?:limit|cap|budget|ceiling|maximum|threshold)(?:ed|ped)? (?:is|of|to|at)
""")
_NOT_LESS: Final = joined(r"""
    >=?|≥|at least|(?:no|not) (?:less|fewer|shorter|smaller|lower|earlier) than|(?:never|not|cannot|don't|can't|mustn't|
    won't) (?P<floored>[a-z]+) (?:less|fewer|shorter|smaller|lower|earlier) than|min(?:imum)?(?: of| is)?
""")
_BEYOND: Final = joined(r"""
    (?:can|may) (?:now )?(?:be|go|get|run) (?:(?:longer|more|larger|bigger|higher|greater) than|over|above|beyond)
""")
"""Phrases that lift an upper limit: 'chapters can be longer than 3,000 words'."""
_AMOUNT: Final = r"\s*(?:of |about |around )?(?P<value>[$€£]?\d[\d,.]*\d|[$€£]?\d)\s?(?P<unit>%|[a-z]{1,12})?"
_LIMIT: Final = lazy_pattern(rf"(?<![\w<>])(?:(?P<upper>{_NOT_MORE})|(?P<lower>{_NOT_LESS})){_AMOUNT}")
_LIFTED: Final = lazy_pattern(rf"(?<!\w)(?:{_BEYOND}){_AMOUNT}")
_WAS: Final = lazy_pattern(r"(?<!\w)(?:was|were|wasn't|weren't|used to|had been)(?!\w)")
"""Past measurements and past limits, which limit nothing now."""
_END: Final = lazy_pattern(r"[,;:!?.](?=\s|$)|\s(?:because|since|as|so|but|unless|and)(?!\w)")
_NO_UNIT: Final = frozenset({"a", "an", "at", "by", "for", "from", "in", "of", "on", "or", "per", "the", "to", "after"})
_NO_SUBJECT: Final = frozenset({"keep", "stay", "remai", "hold", "limit", "cap", "set", "up", "call", "let"})


@lru_cache(maxsize=1_024)
def limit_of(text: str) -> Limit | None:
    """Return the only limit that a short text sets; None if there is none or more than one."""
    matches = list(_LIMIT.finditer(plain_text := plain_words(in_one_form(text))))
    if len(matches) != 1 or is_question(plain_text) or _WAS.search(plain_text):
        return None
    match = matches[0]
    start = max((ending.end() for ending in _END.finditer(plain_text, 0, match.start())), default=0)
    stop = next((ending.start() for ending in _END.finditer(plain_text, match.end("value"))), len(plain_text))
    unit = match["unit"] or ""
    known = unit not in _NO_UNIT
    after = plain_text[match.end() if known else match.end("value") : stop]
    done = match["capped"] or match["floored"] or ""
    subject = deed_words(f"{plain_text[start : match.start()]} {done} {after}") - _NO_SUBJECT
    return Limit(
        match["upper"] is not None,
        match["value"],
        (unit[:-1] if len(unit) > 2 and unit[-1] == "s" else unit) if known else "",
        subject,
    )


def limits_otherwise(new: str, old: str) -> bool:
    """Check whether a later text sets another limit in the same direction on the same thing, or lifts an upper limit.

    The later one may name its subject in fewer words, not in more: 'latency of reports' is not all latency.

    >>> limits_otherwise("Latency has to be < 250 ms, product agreed.", "Latency must be < 150 ms at p95.")
    True
    >>> limits_otherwise("Latency of reports must be < 250 ms.", "Latency must be < 150 ms.")
    False
    """
    earlier, now = limit_of(old), limit_of(new)
    if earlier is None or not earlier.subject:
        return False
    if now is None:
        return _lifts(new, earlier)
    if now.upper is not earlier.upper or now.value == earlier.value or not now.subject <= earlier.subject:
        return False
    return bool(now.subject) and (now.unit == earlier.unit or not now.unit or not earlier.unit)


def _lifts(new: str, old: Limit) -> bool:
    plain_text = plain_words(in_one_form(new))
    match = _LIFTED.search(plain_text)
    if match is None or not old.upper or is_question(plain_text):
        return False
    about = deed_words(_END.split(plain_text[: match.start()])[-1]) - _NO_SUBJECT
    return bool(about) and about <= old.subject
