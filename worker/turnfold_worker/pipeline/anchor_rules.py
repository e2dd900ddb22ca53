"""The tables of phrases that make an anchor. A rule is a type, a score, a pattern; the order of a table is free.

Patterns look at one sentence of at most a few hundred code points, in lower case, with straight apostrophes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from turnfold.contract.records import AnchorType


@dataclass(frozen=True, slots=True)
class Rule:
    """A phrase that makes a sentence an anchor."""

    type: AnchorType
    score: int
    """0 to 100: how sure the phrase alone makes us."""
    pattern: re.Pattern[str]


def _rule(kind: AnchorType, score: int, *phrases: str) -> Rule:
    return Rule(kind, score, re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)"))


_DOING = "(?!be (?:able|happy|glad|fine|great|nice|fun)|see(?! to)|have to say|never forget|need|bet|guess|admit|say)"

COMMITMENTS: Final = (
    _rule(
        AnchorType.COMMITMENT,
        60,
        rf"i'll {_DOING}\w+",
        rf"i will {_DOING}\w+",
        "i'm going to",
        "i am going to",
        "i'm gonna",
        "i promise",
        "i commit to",
        "let me (?:get|send|check|ask|find|look|follow|draft|write)",
    ),
    _rule(
        AnchorType.COMMITMENT,
        55,
        "we'll (?:have|need to|send|ship|do|make|get|deliver|finish|meet|wait|talk|prepare)",
        "we will (?!see)",
        "we have to",
        "we are going to",
        "we're going to",
        "you'll (?:have to|need to|send|get)",
    ),
    _rule(
        AnchorType.COMMITMENT,
        70,
        "action items?",
        "todo",
        "to-do",
        "follow up with",
        "assigned to",
        "is responsible for",
        "deadline (?:is|for)",
        "due (?:by|on|date)",
        "remind me",
    ),
    _rule(
        AnchorType.COMMITMENT,
        50,
        r"(?:can|could|would|will) you (?:please )?(?:send|check|ask|review|prepare|make sure"
        r"|remind|schedule|call|email|finish|handle|take care)",
        "please (?:send|check|make sure|review|prepare|call|email|confirm|schedule|forward|return)",
        "you should (?:send|call|ask|prepare|write|talk)",
    ),
    _rule(
        AnchorType.COMMITMENT,
        50,
        r"will (?:send|deliver|finish|ship|call|meet|review|prepare|provide|handle|submit)",
        r"(?:i'm|we're|i am|we are) planning (?:to|on)",
        "i plan to",
        "we plan to",
    ),
)

DECISIONS: Final = (
    _rule(
        AnchorType.DECISION,
        75,
        "(?:i|we|i've|we've|team|they) (?:have |finally )?decided",
        "decision(?: is| was)?:",
        "we(?:'ll| will) (?:go with|use|stick with|keep|drop)",
        "settled on",
        "final decision",
        "it's decided",
        "(?:i|we) (?:chose|picked|opted|agreed)",
        "(?:i'm|we're|i am|we are) going with",
        "signed off",
    ),
    _rule(
        AnchorType.DECISION,
        60,
        "let's (?:use|go with|stick with|keep|drop|do|switch|start with|call it|make it)",
        "i(?:'ll| will) (?:go with|take|choose|pick|use)",
        "i've chosen",
        "we're switching to",
        "instead we(?:'ll| will)",
        "go ahead (?:and|with)",
        "approved",
        "i choose",
        "i want to (?:go with|book|buy|reserve)",
    ),
    _rule(
        AnchorType.DECISION,
        50,
        "agreed(?=[.,! ]|$)",
        "that works(?: for me)?",
        "sounds good,? (?:let's|book|go)",
        "yes,? (?:book|buy|reserve|do it|go ahead|please do|that's the one|confirm)",
    ),
)

CORRECTIONS: Final = (
    _rule(
        AnchorType.CORRECTION,
        80,
        "correction:?",
        "scratch that",
        r"i was wrong(?!\?)",
        "i misspoke",
        "my mistake",
        r"sorry,? (?:i meant|i mean|it's|it is|that's|not|no|make that|the)",
        "i meant(?: to say)?",
        "let me correct",
        "strike that",
        "(?:that|this|it)(?:'s| is| was) (?:wrong|incorrect|not (?:right|correct|true))",
        "no wait",
        "wait,? no",
        "on second thoughts?",
        "my bad",
        "oops",
        "make that",
        "i take that back",
        "or rather",
        "err+,? no",
        "rather than what i said",
    ),
    _rule(
        AnchorType.CORRECTION,
        65,
        r"actually,? (?:it|that|the|i|we|no|not|it's|let's|make|can|my|change|on)",
        r"(?:^|, |; )no,? (?:it|that|the|i|we|not|actually|make|it's|they)\b",
        "instead of .{1,60}? (?:it's|use|make it)",
        r"(?:is|was|are|were)? ?not .{1,60}?,? but (?!also)",
        r"changed? (?:it|that|this) (?:to|from)",
        "not .{1,40}? anymore",
        "no longer",
        "(?<!i )(?<!we )(?:moved|postponed|rescheduled|pushed|renamed|changed) (?:back )?to",
        "change of plans?",
        "i(?:'ve| have)? changed my mind",
    ),
)

CRITICAL_FACTS: Final = (
    _rule(
        AnchorType.CRITICAL_FACT,
        65,
        "must(?: not|n't)?(?! have been| be (?:so|nice|great|hard|tough|amazing))",
        "cannot",
        "can't (?:use|exceed|be|have|eat|change)",
        "(?:do not|don't|never) (?:use|touch|change|deploy|delete"
        "|push|share|restart|commit|send|call|skip|forget|add|include|suggest|recommend)",
        "at most",
        "at least",
        "no more than",
        "no less than",
        "maximum",
        "minimum",
        "limit(?:ed)? (?:is|of|to)",
        "requirement",
        "required",
        "constraint",
        "mandatory",
        "not allowed",
        "forbidden",
        "hard deadline",
    ),
    _rule(
        AnchorType.CRITICAL_FACT,
        65,
        "i(?:'m| am) (?:really |very |severely )?allergic",
        "allerg(?:y|ies) to",
        "i (?:really |strongly |much |generally |usually |always )?(?:prefer|dislike|hate|avoid|can't stand)",
        "i (?:don't|do not|never|can't) (?:like|eat|drink|want|enjoy|use|watch|have|work)",
        "my (?:favou?rite|preference)",
        "i always",
        "i'm (?:not |more )?(?:interested in|a (?:fan|vegetarian|vegan))",
        "i'd rather",
        "i need .{1,40}? to be",
    ),
    _rule(
        AnchorType.CRITICAL_FACT,
        50,
        r"my \w+(?: \w+)? (?:is|are|was|lives|works|has)",
        "my name",
        r"i(?:'m| am) (?:a|an|from|based|living|working|\d{1,3}|married|the)",
        "i (?:live|work|moved|grew up|was born|study)",
        "i(?:'ve| have) (?:been|got|had|started|never|finally|just)",
        r"(?:is|are) (?:set to|located|called|scheduled|due|named|priced|open)",
        "i (?:want|need|would like|am looking for)",
        "i'm looking for",
        "looking for",
        "i (?:started|finished|bought|got|joined|adopted|signed|won|quit|lost|made|went|met|took|visited)",
    ),
)

REQUESTS: Final = (
    _rule(
        AnchorType.COMMITMENT,
        46,
        r"please (?!note|let me know|help|explain|tell|see|feel|find|do not)\w+",
        "i need you to",
        "you need to",
        "(?:can|could|would|will) you (?:please )?(?!help|explain|tell|show|give|believe|imagine|also)(?:have"
        "|make|add|change"
        "|move|remove|fix|update|set|put|get|keep|use|forward|write|set up|arrange|book|cancel|include|bring|pick)",
    ),
)
BLUNT_CORRECTIONS: Final = (
    Rule(
        AnchorType.CORRECTION,
        60,
        re.compile(
            r"^(?:no|nope|wrong|sorry),? (?:but )?(?:i (?:want|need|said|actually|asked)|it's|it is|let me change"
            r"|let's|that)"
        ),
    ),
    Rule(AnchorType.CORRECTION, 60, re.compile(r"(?<!\w)(?:let me |please )?change (?:that|it|the \w+) to(?!\w)")),
)

RULES: Final = (*CORRECTIONS, *BLUNT_CORRECTIONS, *DECISIONS, *COMMITMENTS, *REQUESTS, *CRITICAL_FACTS)

CONDITIONAL: Final = re.compile(r"^(?:if|when|whether|in case|once|unless)\b")
"""A commitment or decision under a condition is weaker."""

RHETORICAL: Final = re.compile(
    r"^(?:(?:hey|hi|hello|so|and|but|oh|wow|yeah|well|ok(?:ay)?|haha|cool|great|sorry)[,.! ]+)*"
    r"(?:right|really|ok(?:ay)?|huh|what|why not|how are (?:you|things)(?: (?:doing|today|feeling))*|how's it going"
    r"|what's up|how (?:have you been|about you|'bout you|do you do)|how was your (?:day|week|weekend)"
    r"|anything (?:new|else)|what about you|and you|you know|isn't it|doesn't it|don't you think|who knows"
    r"|sounds good|(?:does (?:that|this) )?make sense|can you believe (?:it|that)|guess what"
    r"|is (?:that|this) (?:ok|okay|right|clear)|(?:would|do) you (?:like|want) (?:me )?(?:to )?(?:know more"
    r"|continue|more)"
    r"|are you (?:ok|okay|ready|there)|what do you think|how (?:can|may) i help(?: you)?.{0,20}"
    r"|(?:is there )?anything else.{0,40})[ ?!.]*$"
)
"""Questions that ask for nothing."""

MENDED: Final = re.compile(
    r"(?<!\w)(?:no,? (?:wait|sorry|make that|rather|i mean|scratch)|or (?:rather|wait)|oh wait|i meant|i mean did|oops"
    r"|make that|scratch that|my bad|on second thoughts?|(?:uh|um|er|oh|ah|hmm),? (?:no|sorry|wait|rather"
    r"|make that|i mean)"
    r"|sorry,? (?:i mean|no|make that)|(?:er|uh|um|no|sorry|rather) (?:what|who|how|when|where|which"
    r"|why)(?! (?:about|else)))"
    r"(?!\w)"
)
"""A speaker who corrects himself within a sentence, also within a question."""

_DONE: Final = (
    "sent|finished|done|fixed|merged|deployed|completed|shipped|booked|paid|submitted|updated|called|written|uploaded"
    "|signed|ordered|cancelled|delivered"
)
COMPLETIONS: Final = re.compile(
    rf"(?<!\w)(?:(?:i|we)(?:'ve| have)(?: just| already| now)? (?:{_DONE})|(?:i|we) just (?:{_DONE})"
    rf"|(?:is|are) (?:now )?(?:done|finished|complete|completed|merged|deployed|fixed|live|sent|shipped)"
    rf"|(?:has|have) been (?:{_DONE}))(?!\w)"
)
"""Something that was promised is done."""

NEGATION: Final = re.compile(r"(?<!\w)(?:not|no|never|none|nobody|nothing|without|cannot|neither|nor|\w+n't)(?!\w)")
"""Words that turn a statement round."""

CONFIGURATION: Final = re.compile(
    r"(?m)^[ \t]{0,12}(?:export[ ]+)?([A-Z][A-Z0-9_]{2,60}[ ]?=[ ]?[^\s#;]{1,120})[ \t]*$"
)
"""KEY=value alone on a line: kept also from code."""
