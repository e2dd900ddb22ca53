"""A rule: phrases that show what people do with a clause. The tables of rules are in the other modules.

A rule has a name, an act, points from 0 to 100 (50 are enough to keep the clause), phrases, and an example that
matches. The matching rule with the most points counts, so the order within a table is free. Phrases are regular
expressions separated by slashes; `{work}` and the like stand for the lists below. They match one clause normalized by
`spoken.plain_words`: lower case, one line, straight apostrophes, at most a few hundred code points. Every quantifier is
bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.prose import Span

ENOUGH: Final = 50
"""Points from which the clause performs the act."""
PERHAPS: Final = 42
"""Points from which factors for names and marks may still make it an anchor."""


class Act(StrEnum):
    """The dialogue act of a clause."""

    COMMITMENT = "commitment"
    REQUEST = "request"
    DECISION = "decision"
    QUESTION = "question"
    FACT = "fact"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True)
class Found:
    """A dialogue act found in a clause."""

    act: Act
    points: int
    span: Span
    """The position of the clause in its turn."""
    rule: str


@dataclass(frozen=True, slots=True)
class Rule:
    """Phrases that show what a clause does."""

    name: str
    act: Act
    points: int
    """Confidence from the phrase alone, 0 to 100; 50 is enough."""
    example: str
    """A sentence that the rule matches."""
    pattern: re.Pattern[str]


def joined(lines: str) -> str:
    r"""Join lines into one pattern; a line that ends in a bar continues on the next.

    >>> joined("a|\n  b / c")
    'a|b / c'
    """
    return re.sub(r"\|\s*\n\s*", "|", lines.strip())


def _alternatives(phrases: str) -> str:
    text = joined(phrases)
    for name, pattern in (
        ("{order}", _ORDER),
        ("{do}", _DO),
        ("{work}", _WORK),
        ("{anything}", _ANYTHING),
        ("{value}", _VALUE),
        ("{told}", _TOLD),
        ("{offered}", _OFFERED),
        ("{for_whom}", _FOR_WHOM),
        ("{not_asked}", _NOT_ASKED),
    ):
        text = text.replace(name, pattern)
    return "|".join(phrase.strip() for phrase in re.split(r" /\s", text + " ") if phrase.strip())


def rule(name: str, act: Act, points: int, example: str, phrases: str) -> Rule:
    """Create a rule that matches one of its phrases as whole words."""
    return Rule(name, act, points, example, lazy_pattern(lambda: rf"(?<!\w)(?:{_alternatives(phrases)})(?!\w)"))


def opening(name: str, act: Act, points: int, example: str, phrases: str) -> Rule:
    """Create a rule that matches one of its phrases at the opening of the clause."""
    return Rule(name, act, points, example, lazy_pattern(lambda: rf"{LEAD}(?:{_alternatives(phrases)})(?!\w)"))


LEAD: Final = joined(r"""
    ^(?:(?:so|and|but|oh|ah|well|ok|okay|alright|all right|right|yeah|yes|yep|sure|now|then|also|thanks|
    thank you|great|good|fine|hey|hi|hello|sorry|actually|anyway|first|next|finally|look|listen|in that case|
    if so|just|maybe|perhaps|again|sir|madam)[,.!:; ]{1,3}){0,4}
""")
"""Words that may precede an opening phrase."""

_WORK: Final = joined(r"""
    add|address|agree|apply|arrange|ask|assign|attach|backup|book|bring|build|buy|calculate|call|cancel|carry|change|
    check|circulate|clean|close|collect|come|complete|confirm|contact|continue|convert|coordinate|copy|create|deal|
    delete|deliver|deploy|describe|design|develop|dig|discuss|do|double-check|download|draft|draw|drop|email|e-mail|
    evaluate|execute|explain|fetch|figure|fill|find|finish|fix|follow|forward|get|give|go|hand|handle|help|implement|
    improve|include|install|introduce|investigate|invite|join|keep|leave|let|listen|look|mail|make|measure|meet|
    mention|merge|migrate|modify|move|notify|open|order|organi[sz]e|pass|pay|phone|pick|plan|play|post|prepare|
    present|print|produce|provide|publish|push|put|raise|read|record|redo|refactor|remember|remind|remove|rename|
    repair|replace|reply|report|request|rerun|reschedule|reserve|resolve|restart|return|review|rewrite|run|save|
    schedule|search|sell|send|set|share|ship|show|sign|sit|sort|start|stick|stop|submit|suggest|switch|take|talk|tell|
    test|train|transfer|translate|try|turn|update|upgrade|upload|use|verify|visit|wait|watch|work|write|bump|configure|
    decrease|disable|drive|enable|escalate|extend|increase|lower|reboot|reduce|refund|renew|reset|restart|revert|
    revoke|rotate|swap
""")
"""Verbs of work, for what people promise or are asked to do."""

_VALUE: Final = joined(r"""
    (?:\W{0,2}\d[\w.:/%-]{0,20}|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|
    august|september|october|november|december|noon|midnight)
""")
"""A number, a day or a month."""
_TELLERS: Final = (
    "to", "i", "we", "they", "he", "she", "i'll", "we'll", "i'd", "will", "would", "should", "shall", "did",
)  # fmt: skip
_TOLD: Final = "".join(rf"(?<!\b{word} )" for word in _TELLERS)
"""Excludes statements about what someone does: 'I send it', 'they should tell us'."""
_NO_OFFERS: Final = (
    "that", "what", "where", "how", "if", "whether", "wish", "know", "think", "idea", "anything", "thing", "all", "way",
    "else", "because", "which", "sure", "say", "hope", "as", "than", "until", "before", "anywhere", "anyway", "believe",
)  # fmt: skip
_OFFERED: Final = "".join(rf"(?<!\b{word} )" for word in _NO_OFFERS) + r"(?<!\w so )"
"""Excludes statements about ability or wishes: 'I wish I could send it'."""
_FOR_WHOM: Final = (
    r"(?= (?:you|it|that|this|them|him|her|for|to|with|at|on|into)(?!\w)|.{0,60} "
    rf"(?:{_VALUE}|tomorrow|tonight|later|today|next|this|when|as soon as)(?!\w))"
)
"""Recipient or time, without which 'I can drive' is about ability."""
_NOT_ASKED: Final = "".join(
    rf"(?<!\b{word} )" for word in ("do", "did", "would", "will", "should", "can", "if", "that's all", "that is all")
)
"""Excludes questions and suppositions: 'Do I need …', 'What happens if I want …'."""
_DO: Final = joined(r"""
    (?:(?:just|also|then|now|definitely|certainly|probably|go|please|quickly|still|start|try to|come and|go and|
    have to|need to|be sure to|make sure to|go ahead and) ){0,3}(?:{work})
""")
_ANYTHING: Final = joined(r"""
    (?!be (?:able|happy|glad|fine|great|nice|fun|in\b|there|back|here|going|a\b|the\b|like)|have (?:to say|
    a good|fun)|see(?! to| that)|never|need|want|know|bet|guess|admit|say|think|feel|miss|like|love|hate|die|
    probably be|always|not\b|remember|forget|enjoy|pass|live|believe)\w+
""")
"""Words after 'I will', except states of mind and pleasantries."""
_ORDER: Final = joined(r"""
    (?:(?!do (?:you|they|we|i|he|she|it|the|your|not)\b|let (?:me|us see)|come on|take (?:your time|care|
    it easy)|go on|have you|use of|work\b(?! on)|plan\b|stop\b(?! \w)|look(?:s|ing)?[,.!]|wait\b|help\b(?! \w)|
    change\b(?! \w)|test\b|report\b|record\b|play\b(?! \w)|design\b|order\b(?! \w)|set\b(?! \w)|set to\b)(?:{work})|
    don't (?!know|think|have|want|worry|believe|see|you|mind|even|like|get|feel|need|remember|care|really|
    understand)\w+|hold (?:on|it|the|your)|hurry|sit down|have a (?:look|seat|try)|have some|excuse me|forgive|
    allow|consider|click|dial|press|insert|enter|select|choose|be (?:careful|patient|sure|quiet|seated|there|
    on time|prepared)|see (?:if|the)|turn (?:on|off|left|right|it|the|down|up|to)|advise|ensure|respond|attend|
    reach (?:out|me)|register|mark(?= (?:it|this|that|these|those|the|your|as|each|all)\b)|tell|
    say (?:it|that|hello|yes))(?! (?:is|was|are|were|of|has|have|had)\b)(?!\w)
""")
"""Openings of an order: a verb of work and a few others."""
