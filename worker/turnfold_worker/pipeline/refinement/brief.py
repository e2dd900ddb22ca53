"""Check a note's brief: keep the brief only where it says what the note says in fewer words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import is_common, listed
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.word_forms import forms
from turnfold_worker.pipeline.language.words import is_negation

_WORD: Final = lazy_pattern(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\d+(?:[.,:]\d+)*")
_ALIKE: Final = 4
"""Prefix length by which two forms of a word are matched."""
_GLUE: Final = listed(
    """
    via per from with for about after before until plus also now then who whose and or to of in on at by as
    will plans planning considering that up out wants hopes recent recently daily weekly monthly yearly own owns since
    a an the it its his her their them him he she they there
    """
)
"""Words that a brief may add: none says more than its note. Pronouns stand for people whom the note names."""
_LIMITS: Final = listed("only if unless until except")
"""Words that narrow a clause: without them, the clause would claim more."""
_PLANNED: Final = listed(
    "planned plans planning wants wanted wanting hopes hoping wishes considering may might could would maybe perhaps"
)
"""Words of which any one marks something as not done yet."""
_MAY_BE_PLANNED: Final = listed("will thinking upcoming coming possible possibly want plan hope wish idea")
"""Words that can mark a plan in a brief, but do not require a plan there when they occur in the note."""
_PART: Final = lazy_pattern(
    r"(?i):\s(?=(?:he|she|they|we|i)\s)|,\s(?=(?:maybe|perhaps|wanting|hoping|considering|planning|not)\s)"
    r"|\s(?=without (?!(?:the|an?|his|her|its|their|my|our|your)\s)\w|not far from\s|when no\s|in order not\s)"
    r"|\s(?=and (?:(?:is|was|are|were|has|have) )?(?:not|hoping|planning|considering|thinking)\s)"
    r"|\s(?=and (?:do|does|did|ca|could|would|has|have|had|is|was|are|were)n't\s)"
    r"|\s(?=(?:so|as|since) (?:he|she|they|we|i|it|you)\s)"
)
"""Matches right before a word that denies or limits only what follows in its clause."""
_ASIDE: Final = lazy_pattern(
    r"(?i)\bnot(?:-\w{1,20}){1,4}|\bonly (?=\W?\d)"
    r"|\bwants? (?=to (?:know|understand|confirm|see|compare|learn|check|clarify|practi[cs]e|review)\s)"
)
"""Negation of one word ('a not-so-good day'), 'only' before an amount, 'wants to know': neither limits nor plans."""
LIMITING: Final = _LIMITS | _PLANNED
"""Words without which a clause would claim more."""
BETWEEN_ITEMS: Final = "; "
_DENIED: Final = "not"
_PLAN: Final = "planned"
_CLAUSE: Final = lazy_pattern(
    r"[;.!?]\s|,\s(?=(?:and|but|so|because|which|who|whose|whom|where|while|when|although|as|to)\s)"
    r"|\s(?=(?:but|because|so that|although|even though|who|which|when|while)\s)"
    r"|\s(?=and (?:[a-z]+ )?(?:may|might|would|could|wants?|hopes?|plans)\s)"
)
_ITEM: Final = lazy_pattern(r"[,;:]\s|\s(?=but\s)")
_BEFORE_PARTS: Final = ": "
_BETWEEN_PARTS: Final = ", "
_LEAST_PART: Final = 1 / 3
"""Smallest share of a brief worth keeping; with less, the brief is dropped."""


def brief_of(brief: str, text: str) -> str:
    """Return the brief on one line; empty unless it is shorter than the note and uses only the note's words.

    Each number must occur in the note, each word must match a word of the note by prefix or root, and words that deny
    or limit a clause must stay with that clause's words. Items after semicolons and parts after colons or commas that
    fail are dropped; if the first one fails, nothing is kept, as it names the subject.

    >>> brief_of("Moved to Lisbon 20 May with brother Tom", "Mara moved to Lisbon with her brother Tom on 20 May 2023.")
    'Moved to Lisbon 20 May with brother Tom'
    >>> brief_of("Eats gluten", "Mara does not eat gluten."), brief_of("Oats", "Mara likes oats, but no gluten.")
    ('', 'Oats')
    """
    line = plain_line(brief).rstrip(".")
    if not line or len(line) >= len(text):
        return ""
    text = _ASIDE.sub("", text)
    theirs = _Held.by(text)
    clauses = [part for clause in _CLAUSE.split(text) for part in _parts_of(clause)]
    part = _told_part(line, theirs, clauses, (BETWEEN_ITEMS, _BEFORE_PARTS, _BETWEEN_PARTS))
    return part if len(part) >= _LEAST_PART * len(line) else ""


def _told_part(line: str, theirs: _Held, clauses: _Clauses, between: Sequence[str]) -> str:
    """Return as much of a line as the note supports, split by `between`; empty unless the first piece is supported."""
    if _says_no_more(line, theirs, clauses):
        return line
    if not between:
        return ""
    first, *others = line.split(between[0])
    kept = _told_part(first, theirs, clauses, between[1:])
    for other in others if kept else ():
        longer = f"{kept}{between[0]}{_told_part(other, theirs, clauses, between[1:])}"
        if not longer.endswith(between[0]) and _says_no_more(longer, theirs, clauses):
            kept = longer
    return kept


class _Held(NamedTuple):
    """The words of a note or clause, with their prefixes and roots for lookup."""

    words: frozenset[str]
    beginnings: frozenset[str]
    roots: frozenset[str]

    @classmethod
    def by(cls, text: str) -> _Held:
        words = _words(text)
        roots = frozenset(root for word in words for root in forms(word))
        return cls(words, frozenset(word[:_ALIKE] for word in words), roots)

    def has(self, word: str) -> bool:
        """Return whether the word occurs in some form; a number must occur as written."""
        if word in self.words or word[0].isdigit():
            return word in self.words
        return word[:_ALIKE] in self.beginnings or not self.roots.isdisjoint(forms(word))


_Clauses = list[tuple[frozenset[str], _Held]]
"""For each clause of a note, the words that deny or limit the clause, and all of its words."""


def _parts_of(clause: str) -> Iterator[tuple[frozenset[str], _Held]]:
    """Split a clause into parts, each with its limits: a limit applies to all later parts, too."""
    limits: frozenset[str] = frozenset()
    for part in _PART.split(clause):
        limits |= _limits_of(part)
        yield limits, _Held.by(part)


def _says_no_more(line: str, theirs: _Held, clauses: _Clauses) -> bool:
    if not all(word in _GLUE or is_negation(word) or is_common(word) or theirs.has(word) for word in _words(line)):
        return False
    return _keeps_limits(line, clauses) and all(_takes_limits(part, clauses) for part in _ITEM.split(line))


def _keeps_limits(line: str, clauses: _Clauses) -> bool:
    """Return whether a brief states each limit without which the note does not use the brief's words."""
    said = _limits_of(line)
    if not _words(line).isdisjoint(_MAY_BE_PLANNED):
        said |= {_PLAN}
    every = frozenset().union(*(limits for limits, _ in clauses))
    ours = frozenset(word for word in _words(line) if not is_common(word))
    return all(limited <= free for limited, free in (_told(ours, clauses, limit) for limit in every - said))


def _takes_limits(part: str, clauses: _Clauses) -> bool:
    """Return whether an item denies and limits only words that the note denies and limits."""
    for said in _PART.split(part):
        for limit in _limits_of(said):
            limited, free = _told(_words(said), clauses, limit)
            if not limited or free - limited:
                return False
    return True


def _limits_of(clause: str) -> frozenset[str]:
    found = _WORD.findall(clause.replace("\u2019", "'"))
    # The month, not the verb 'may'.
    words = frozenset(word if word == "May" else word.lower() for word in found)
    denied = {_DENIED} if any(map(is_negation, words)) else set()
    planned = set() if words.isdisjoint(_PLANNED) else {_PLAN}
    return (words & _LIMITS) | denied | planned


def _told(line_words: frozenset[str], clauses: _Clauses, limit: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a line found in clauses with a limit, and those found in clauses without the limit."""
    ours = [word for word in line_words if word not in _GLUE and not is_negation(word)]
    limited = frozenset(word for word in ours if any(limit in limits and held.has(word) for limits, held in clauses))
    free = frozenset(word for word in ours if any(limit not in limits and held.has(word) for limits, held in clauses))
    return limited, free


def _words(text: str) -> frozenset[str]:
    return frozenset(word.removesuffix("'s") for word in _WORD.findall(text.lower().replace("\u2019", "'")))
