"""Detect a note that states as fact what was said under a condition, or only as a possibility."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import terms
from turnfold_worker.pipeline.refinement.claims import clauses_of, sentences_of
from turnfold_worker.pipeline.refinement.negations import denies

_CONDITION: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:if|as long as|in case|unless|provided that)\s"
    r"(?!(?:you|we|i|they)\s(?:don['\u2019]?t mind|like|want|may|remember|recall|wish|prefer|ask)(?!\w))"
    r"(?!(?:possible|needed|necessary|so|not|anything|that['\u2019]?s ok)(?!\w))[^.!?\n]{3,200}"
)
"""A condition from its conjunction on; polite phrases such as 'if you like' do not count."""
_HEDGED: Final = lazy_pattern(
    r"(?<!\w)(?:(?:may|might)(?! (?:as well|I|we|you)(?!\w))|[Mm]aybe|[Pp]erhaps|[Pp]ossibly)(?!\w)"
)
"""Words that mark something as only possible."""
_ASKS: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:ask|see|know|wonder|check|sure|tell|unsure|idea|care|matter|decid|figure|find out|determin|test|as"
    r"|even|like|feel\w* as)\w*(?: \w{1,12}){0,2}\s*$"
)
"""Text right before an 'if' that introduces a question or comparison."""
_BEHIND_COMMA: Final = lazy_pattern(r",(?=\s)")
_BOUND: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:if|unless|until|only|provided|as long as|in case|when|once|whether|would|could|may|might|should|can"
    r"|depend\w*|condition\w*|want\w*|plan\w*|hope\w*|wish\w*|aim\w*|intend\w*|prefer\w*|consider\w*|suggest\w*|ask\w*"
    r"|propos\w*|recommend\w*|advis\w*|possib\w*|perhaps|maybe|offer\w*|not|no|never|without|cannot|\w{2,8}n['\u2019]t)"
    r"(?!\w)"
)
"""Words that keep a note from stating a fact."""
_WAITED_FOR: Final = lazy_pattern(
    r"(?<!\w)(?:[Oo]nly (?:if|when|after|once)|[Uu]ntil|[Aa]s soon as|[Oo]nce)"
    r"(?P<clause> (?:the|my|our|your|his|her|its|their|this|that|these|those|I|we|you|he|she|it|they|every\w+"
    r"|[A-Z][\w'\u2019]{0,20})(?: [\w'\u2019]{1,20}){0,3}? (?:has|have|is|are|can)(?!\w)[^,.;:!?\n]{0,160})"
)
"""What somebody waits for, in the present tense: 'only once the inspector has called'."""
_SAYS_SO: Final = 0.75
"""Share of a note's terms that a sentence must contain to be what the note rests on."""
_LEAST: Final = 2


def drops_a_condition(note: str, told: Iterable[str], speakers: Iterable[str] = ()) -> bool:
    """Return whether an unqualified note rests only on a sentence with a condition.

    `told` are the texts of turns; `speakers` may be named in a note where they say 'I' in a turn.
    """
    if _BOUND.search(note):
        return False
    wanted = frozenset(terms(note)).difference(terms(" ".join(speakers)))
    if not wanted:
        return False
    limited = plain = 0.0
    for text in told:
        for is_limited, own in _statements(text):
            held = _share(wanted, own)
            if is_limited:
                limited = max(limited, held)
            else:
                plain = max(plain, held)
    return plain < limited and limited >= (_SAYS_SO if len(wanted) >= _LEAST else 1)


@lru_cache(maxsize=256)
def _statements(text: str) -> tuple[tuple[bool, frozenset[str]], ...]:
    """Return for each statement of a text whether it is conditional or waited for, and its terms."""
    statements = []
    for sentence in sentences_of(text):
        rest = sentence
        for waited in _WAITED_FOR.finditer(sentence):
            statements.append((True, frozenset(terms(waited["clause"]))))
            rest = rest.replace(waited.group(), " ")
        statements += [(is_limited, frozenset(terms(said))) for is_limited, said in _said_in(rest)]
    return tuple(statements)


def _said_in(sentence: str) -> Iterator[tuple[bool, str]]:
    consequence = _consequence(sentence)
    if consequence is not None:
        yield True, consequence
    elif _HEDGED.search(sentence):
        yield from ((bool(_HEDGED.search(clause)), clause) for clause in clauses_of(sentence))
    elif denies(sentence):
        # What is denied supports no statement: 'She has not called yet'.
        yield from ((False, clause) for clause in clauses_of(sentence) if not denies(clause))
    else:
        yield False, sentence


def _share(wanted: Collection[str], own: Collection[str]) -> float:
    """Return the share of wanted terms that match one of `own` by prefix: 'move' matches 'moves'."""
    held = [term for term in wanted if any(own_term.startswith(term) or term.startswith(own_term) for own_term in own)]
    return len(held) / len(wanted)


def _consequence(sentence: str) -> str | None:
    """Return what a sentence says to hold under its condition; None without a condition."""
    match = _CONDITION.search(sentence)
    if match is None or _ASKS.search(sentence[: match.start()]):
        return None
    text_before, rest = sentence[: match.start()], sentence[match.start() :]
    # 'If the price drops, buy three': the condition comes first, and ends at a comma.
    ended = None if text_before.strip() else _BEHIND_COMMA.search(rest)
    return text_before if ended is None else rest[ended.end() :]
