"""Put a clause on one line as it was said, without lead-ins, and with relative days resolved to dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.dates.resolve import resolve_relative_days
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.prose import JOINS
from turnfold_worker.pipeline.language.rarity import is_feeling, rarity_of
from turnfold_worker.pipeline.language.words import WORD_EDGES, is_negation
from turnfold_worker.pipeline.notes.addressed import unaddressed

_OUTCRY: Final = (
    r"oh|wow|hey|hi|hello|ha|haha|hahaha|hm{1,9}|ah{1,9}|a{1,9}w{1,9}|ooh|oof|ugh|phew|yay|woo|woohoo|omg|oops|who?ah?|woah|man|gosh|geez|yum"
    r"|lol|cool|great|awesome|amazing|nice|perfect|sweet|congrats|cheers|agreed|exactly|absolutely|definitely|ok|okay"
    r"|thanks|thank you|thanks for asking|good to hear(?: from you)?|no prob(?:lem)?s?|no worries"
)
_LEAD_IN: Final = lazy_pattern(
    rf"(?i)(?:(?:{_OUTCRY})(?: (?:{_OUTCRY}))?\s*[,!.\u2026-]+"
    r"|(?:by the way|btw|anyway|anyways|well|so|plus|also|actually|honestly|basically|look|you know|guess what"
    r"|of course|speaking of which|on another note|in fact|luckily|fortunately|thankfully|to be honest)"
    r"\s*[,!?:.\u2026]+"
    r"|(?:yes|yeah|yep|yup|sure)\s*[,!.\u2026]+(?=\s+(?:i|we|it|they|that|this|he|she|my|the|there)\b)"
    r"|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]{1,20}"
    r")\s+(?=\S)"
)
_PHOTO: Final = lazy_pattern(
    r"(?i)^\[?shares an? (?:photo|video|picture|image): (?:an? )?(?:photo(?:graph|graphy)?|picture|image) of"
)
_LIST_MARK: Final = lazy_pattern(r"(?:(?:[-–—•]+|\d{1,3}[.)]) )+(?=\D)")
"""A list mark, as opposed to a minus or a flag: `-12 degrees`, `--force`."""
_LAUGHS: Final = lazy_pattern(
    r"(?i)(?<![\s,])[\s,]+(?:lol|haha+|[:;]-?[)d(p]|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]+)[.!]*$"
)
_LAUGHTER: Final = ("lol", "haha", ":", ";")
"""Strings of which every plain ASCII match of `_LAUGHS` contains at least one."""
PAST: Final = (
    r"was|had|went|made|took|saw|got|did|found|bought|came|said|thought|knew|felt|met|heard|gave|told|wrote|sent|built"
    r"|won|lost|began|started|kept|left|brought|taught|spent|chose|grew|ran|sold|paid|ate|drew|drove|flew|forgot|woke"
    r"|caught|held|slept|stood|swam|threw|wore|could|would|will|won't|can|can't|couldn't|wouldn't|didn't|wasn't|hadn't"
    r"|haven't|(?!\w*eed\b)[a-z]{2,}ed"
)
"""Past forms and modals, which begin no imperative: 'went to Rome' is what the speaker did."""
_INTENSIFIERS: Final = listed("really very super totally absolutely literally truly actually honestly definitely")
_NO_INTENSIFIER: Final = listed("the a an too as how so that not only")
_COUNTS_ON: Final = listed("much many few little early late")
"""Words whose meaning changes without a 'very' or 'so' before them."""
_LOUDER: Final = _INTENSIFIERS | {"so"}
_BE: Final = listed(
    "is are was were am be been i'm we're you're they're he's she's it's that's felt feel feels look looks"
)
_NOT_AFTER_SO: Final = listed("that far i we he she they it you as long") | _COUNTS_ON
_QUOTES: Final = ('"', "\u201c", "\u201d")
BARE: Final = Remembered(lambda word: word.strip(WORD_EDGES).lower())
"""Return a word in lower case, without the punctuation around it."""
_CUT: Final = lazy_pattern(r"[,;:.!?)]$")
_KNOWN: Final = 3.5
"""Rarity below which a first word cannot be a name spelled in lower case, such as that of a program."""
_HEDGE: Final = lazy_pattern(
    r"(?i)(?P<before>'m|\bam|\bbeen|\bwas|\bare|\bfeel) (?:kinda|sorta|kind of|sort of)(?= (?!an?\b)[a-z])"
)
"""A hedge: 'I'm kinda worried', 'been sort of stuck'; not 'what kind of'."""
_CODA: Final = lazy_pattern(
    r"(?:(?:,? [-–—]+ |- |, | (?=(?:and|but|so) ))(?:(?:and|but|so) )?(?:it|that|this)(?:'s| was| is| felt| feels)"
    r"|, which (?:is|was|felt))"
    r" (?:(?:so|really|very|pretty|such|just|truly|quite|an?|been|all) )*(?P<mood>[a-z'-]+)$",
    re.IGNORECASE,
)
_TOLD_WORDS: Final = 3
"""Minimum words before a coda for the coda to be dropped."""
_LAST_MARKS: Final = ".!,;:-–— "


def whole_clause(
    statement: str, names: frozenset[str] = frozenset(), said_on: date | None = None, *, are_two: bool = False
) -> str:
    """Return the clause on one line, never empty unless `statement` is; `names` are those that people call each other.

    In a talk of more than two people, a name may say who is to act: `unaddressed` then keeps it.

    >>> whole_clause("Oh wow, I'm really looking for a flat in Bern!")
    "I'm looking for a flat in Bern"
    >>> whole_clause("- and we don't really like it, haha.")
    "we don't really like it"
    """
    line = statement.replace("\u2019", "'").strip()
    if mark := _LIST_MARK.match(line):
        line = line[mark.end() :]
    plain = line.isascii()
    small = line.lower()
    # Most clauses have nothing to drop or rewrite, which a cheap check of substrings shows.
    if not plain or "share" in small:
        line = _PHOTO.sub("photo:", line)
    opening = line[:1]
    line = _without_lead_in(line, names, are_two=are_two)
    if not plain or any(map(small.__contains__, _LAUGHTER)):
        line = _LAUGHS.sub("", line)
    if not plain or "kind" in small or "sort" in small:
        line = _HEDGE.sub(r"\g<before>", line)
    if said_on is not None:
        line = resolve_relative_days(line, said_on)
    words = line.split()
    line = _without_coda(_ended(" ".join(words[i] for i in _without_intensifiers(words))))
    if opening.isupper() and line[:1].islower():
        line = _capitalised(line)
    return line or statement.strip()


def _without_lead_in(line: str, names: frozenset[str], *, are_two: bool) -> str:
    while True:
        shorter = unaddressed(line, names, are_two=are_two)
        for pattern in (_LEAD_IN, JOINS):
            if match := pattern.match(shorter):
                shorter = shorter[match.end() :]
        if shorter == line or not any(map(str.isalnum, shorter)):
            return line
        line = shorter


def _ended(line: str) -> str:
    """Return the line without its final punctuation; a question keeps its own."""
    bare = line.rstrip(_LAST_MARKS)
    if bare.endswith("]") and "[" not in bare:
        bare = bare.rstrip("] ")
    return bare


def _without_coda(line: str) -> str:
    """Return the line without a final 'and it was rewarding', which adds no information about the event."""
    if not is_feeling(line.rpartition(" ")[2].lower()):
        return line
    coda = _CODA.search(line)
    if coda is None or not is_feeling(coda["mood"].lower()) or len(line[: coda.start()].split()) < _TOLD_WORDS:
        return line
    return line[: coda.start()]


def _capitalised(line: str) -> str:
    first = line.split(" ", 1)[0]
    plain = first.replace("'", "")
    known = plain.isascii() and plain.isalpha() and plain.islower() and rarity_of(BARE[first]) < _KNOWN
    return line[0].upper() + line[1:] if known else line


def are_quoted(words: Sequence[str]) -> list[bool]:
    """Return for each word whether it is inside quotation marks; all False if a mark is unpaired."""
    if not any(map(" ".join(words).__contains__, _QUOTES)):
        return [False] * len(words)
    inside = False
    quoted_words = []
    for word in words:
        marks = sum(map(word.count, _QUOTES))
        quoted_words.append(inside or marks > 0)
        inside ^= marks % 2 == 1
    return [False] * len(words) if inside else quoted_words


def _without_intensifiers(words: Sequence[str]) -> list[int]:
    """Return the places of all words but intensifiers like 'really' and 'so', which stay after a negation."""
    if _LOUDER.isdisjoint(words):
        return list(range(len(words)))
    inside = are_quoted(words)
    denied = False
    kept = []
    for i, word in enumerate(words):
        bare = BARE[word]
        denied = denied or is_negation(bare)
        following = BARE[words[i + 1]] if i + 1 < len(words) else ""
        word_before = BARE[words[i - 1]] if i and not _CUT.search(words[i - 1]) else ""
        louder = word == bare and following.isalpha() and not denied and not inside[i] and bool(word_before)
        if louder and bare in _INTENSIFIERS and word_before not in _NO_INTENSIFIER and following not in _COUNTS_ON:
            continue
        if louder and bare == "so" and word_before in _BE and following not in _NOT_AFTER_SO and not _follows(words, i):
            continue
        kept.append(i)
    return kept


def _follows(words: Sequence[str], i: int) -> bool:
    """Return whether a 'so' has a consequence: 'So tired that I left', 'so tired I left', 'so I left'."""
    return any(BARE[word] in {"that", "i", "we", "he", "she", "they", "it", "you"} for word in words[i + 2 : i + 6])
