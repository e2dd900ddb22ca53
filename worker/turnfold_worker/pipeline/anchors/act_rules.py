"""What people do with a clause, as tables of phrases: here what they promise and what they ask for.

A rule is a name, an act, points from 0 to 100 (50 is enough to keep the clause), phrases, and an example on which it
holds. The highest rule that holds counts; the order of a table is free. Phrases are regular expressions between
slashes; `{work}` and the like stand for the lists below. They look at one clause as `acts.plain_words` gives it: lower
case, one line, straight apostrophes, a few hundred code points at most. Every quantifier is bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from turnfold_worker.pipeline.language.prose import Span

ENOUGH: Final = 50
"""Points from which a clause does what the act says."""
PERHAPS: Final = 42
"""Points from which its anchor may still be kept by what it names and by its marks."""
PROMISES: Final = frozenset({"promise", "promise of anything", "going to"})
"""Rules of commitments that a group also hears from who does it at once."""


class Act(StrEnum):
    """What a clause does."""

    COMMITMENT = "commitment"
    REQUEST = "request"
    DECISION = "decision"
    QUESTION = "question"
    FACT = "fact"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True)
class Found:
    """An act of a clause."""

    act: Act
    points: int
    span: Span
    """The clause, in its turn."""
    rule: str


@dataclass(frozen=True, slots=True)
class Rule:
    """Phrases that show what a clause does."""

    name: str
    act: Act
    points: int
    """0 to 100: how sure the phrase alone makes us; 50 is enough."""
    example: str
    """A sentence on which the rule holds."""
    pattern: re.Pattern[str]


def joined(lines: str) -> str:
    r"""One pattern from lines; a line that ends in a bar goes on in the next.

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
    """A rule that holds where one of its phrases is said in whole words."""
    return Rule(name, act, points, example, re.compile(rf"(?<!\w)(?:{_alternatives(phrases)})(?!\w)"))


def opening(name: str, act: Act, points: int, example: str, phrases: str) -> Rule:
    """A rule that holds where one of its phrases opens the clause."""
    return Rule(name, act, points, example, re.compile(rf"{LEAD}(?:{_alternatives(phrases)})(?!\w)"))


LEAD: Final = joined(r"""
    ^(?:(?:so|and|but|oh|ah|well|ok|okay|alright|all right|right|yeah|yes|yep|sure|now|then|also|thanks|
    thank you|great|good|fine|hey|hi|hello|sorry|actually|anyway|first|next|finally|look|listen|in that case|
    if so|just|maybe|perhaps|again|sir|madam)[,.!:; ]{1,3}){0,4}
""")
"""What may stand before an opening phrase."""

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
"""Verbs of work: what one can promise or be asked to do."""

_VALUE: Final = joined(r"""
    (?:\W{0,2}\d[\w.:/%-]{0,20}|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|
    august|september|october|november|december|noon|midnight)
""")
"""A number, a day or a month."""
_TELLERS: Final = (
    "to", "i", "we", "they", "he", "she", "i'll", "we'll", "i'd", "will", "would", "should", "shall", "did",
)  # fmt: skip
_TOLD: Final = "".join(rf"(?<!\b{word} )" for word in _TELLERS)
"""Not where somebody tells what he does: 'I send it', 'they should tell us'."""
_NO_OFFERS: Final = (
    "that", "what", "where", "how", "if", "whether", "wish", "know", "think", "idea", "anything", "thing", "all", "way",
    "else", "because", "which", "sure", "say", "hope", "as", "than", "until", "before", "anywhere", "anyway", "believe",
)  # fmt: skip
_OFFERED: Final = "".join(rf"(?<!\b{word} )" for word in _NO_OFFERS) + r"(?<!\w so )"
"""Not where somebody tells what he is able to do, or would be: 'I wish I could send it'."""
_FOR_WHOM: Final = (
    r"(?= (?:you|it|that|this|them|him|her|for|to|with|at|on|into)(?!\w)|.{0,60} "
    rf"(?:{_VALUE}|tomorrow|tonight|later|today|next|this|when|as soon as)(?!\w))"
)
"""For whom or when: without it 'I can drive' tells what somebody is able to do."""
_NOT_ASKED: Final = "".join(
    rf"(?<!\b{word} )" for word in ("do", "did", "would", "will", "should", "can", "if", "that's all", "that is all")
)
"""Not where it is asked or supposed: 'Do I need …', 'What happens if I want …'."""
_DO: Final = joined(r"""
    (?:(?:just|also|then|now|definitely|certainly|probably|go|please|quickly|still|start|try to|come and|go and|
    have to|need to|be sure to|make sure to|go ahead and) ){0,3}(?:{work})
""")
_ANYTHING: Final = joined(r"""
    (?!be (?:able|happy|glad|fine|great|nice|fun|in\b|there|back|here|going|a\b|the\b|like)|have (?:to say|
    a good|fun)|see(?! to| that)|never|need|want|know|bet|guess|admit|say|think|feel|miss|like|love|hate|die|
    probably be|always|not\b|remember|forget|enjoy|pass|live|believe)\w+
""")
"""What 'I will' may go on with, but states of mind and pleasantries."""
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
"""A verb of work as it opens an order, and what else does."""

# fmt: off
COMMITMENTS: Final = (
    rule("promise", Act.COMMITMENT, 62, "I'll send the contract.", r"""
        i(?:'ll| will| shall) (?:{do}|(?:just |also )?(?:see (?:if|what|whether)|be (?:in touch|back|waiting|over|there|
        right (?:there|back|with you|over))))
    """),
    rule("promise of anything", Act.COMMITMENT, 45, "I will rehearse it tonight.", r"""
        i(?:'ll| will| shall) {anything}
    """),
    rule("going to", Act.COMMITMENT, 54, "I'm going to review it.", r"""
        i(?:'m| am) (?:going to|gonna) {do}
    """),
    rule("word given", Act.COMMITMENT, 70, "I promise.", r"""
        i promise / you have my word / count on me / leave it to me / i commit to / i'll see to (?:it|that) /
        i'll take care of / i volunteer / i'm on it / ^will do /
        ^(?:(?:yes|yeah|ok|oh|sure|of course|certainly)[,.]? ){0,2}(?:(?:i|we) will|i(?:'ll| will) try(?: to)?)(?=\W*$)
    """),
    rule("let me work", Act.COMMITMENT, 46, "Let me check the logs.", r"""
        let me (?:get|send|check|ask|find|look (?:into|it up|that up)|follow|draft|write|go|call|take|help|put|
        have|pay|do|show|bring|try|transfer|connect)
    """),
    rule("we will work", Act.COMMITMENT, 47, "We'll ship it on Monday.", r"""
        we(?:'ll| will| shall) {do}
    """),
    rule("duty taken", Act.COMMITMENT, 44, "I have to finish the minutes.", r"""
        {not_asked}i (?:have|need|ought|am supposed|'m supposed|plan|am planning|intend) to {do} /
        i(?:'m| am) (?:supposed|planning|willing|ready|prepared) to {do} /
        i should (?:maybe )?(?:\w+ )?(?:ask|send|check|listen|write|call|do)
    """),
    rule("assignment", Act.COMMITMENT, 56, "Omar is responsible for the slides.", r"""
        (?:is|are|am|'m|'re) responsible for / action items?(?: (?:is|are|for|to)|:) / todo / to-do / remind me to /
        (?<!being )(?<!be )(?<!be a )assigned to / deadline (?:is|for) / due (?:by|on|date) / follow up with /
        (?:before|by|for|until) (?:the |our )?next (?:meeting|session|call) / want you to (?:\w+ )?work on /
        (?:complete|fill in|finish) (?:our|your|the) (?:questionnaire|report|form) / takes? over the /
        (?:is|are|'s|'re|will be) (?:gonna|going to|supposed to) (?:work on|look (?:at|into)|prepare|produce|focus on|
        come up with) / (?:will|'ll|is going to) take care of
    """),
    rule("work given", Act.COMMITMENT, 47, "Omar will prepare the slides.", r"""
        (?:you|he|she|they|\w+) (?:can|should|have to|will) (?:work on|concentrate on|focus on|come up with|
        look after) / \w+ (?:is|are) going to (?:work|look|take|write|send|prepare|design|handle) /
        you(?:'ll| will| are going to|'re going to) (?:work|focus|have to|need to|be responsible|do|prepare|
        design|write|look) / \w+ will (?:send|deliver|finish|ship|call|meet|review|prepare|provide|handle|
        submit|look into|take care)
    """),
    rule("offer", Act.COMMITMENT, 46, "Shall I book it?", r"""
        shall i {do} / (?:can|may) i (?:get|bring|give|send|show|make|fix|find|buy|lend|offer|drive|walk) you /
        {offered}i (?:can|could) {do}{for_whom} / would you like me to {do} / do you want me to {do}
    """),
)

REQUESTS: Final = (
    rule("please", Act.REQUEST, 66, "Please forward the invoices.", r"""
        (?<!yes, )(?<!yes )(?<!to )please(?:,? (?!note|find|see|feel free|do not hesitate)\w+)
    """),
    Rule("please at the end", Act.REQUEST, 60, "Two tickets, please.", re.compile(r"(?<!yes)(?<!yes,) please\W{0,3}$")),
    rule("can you", Act.REQUEST, 66, "Could you send me the draft?", r"""
        (?:can|could|would|will|can't|won't|couldn't) (?:you|someone|anybody|somebody|u)(?: (?:please|kindly|
        possibly|maybe|just|also|all))? (?!believe|imagine|like\b|be\b|speak (?!to|with|up))\w+
    """),
    rule("may i", Act.REQUEST, 58, "May I have your number?", r"""
        (?:may|could|can|might) (?:i|we) (?:please |just |also )?(?:have|speak|talk|see|get|ask|use|borrow|take|try|
        pay|sit|come|go|look|make|leave|change|know|open|return|buy|order|keep|join|interrupt|sign|park|smoke|
        exchange|cash|check|reserve|book|rent)
    """),
    rule("would you mind", Act.REQUEST, 70, "Would you mind closing it?", r"""
        (?:would|do) you mind (?!if i)\w+ / do me a favou?r / i wonder if you / i was wondering if /
        i'm wondering if / if you don't mind / is it possible (?:to|for)
    """),
    rule("you asked to act", Act.REQUEST, 60, "I need you to sign it.", r"""
        i(?:'d| would) (?:like|love|want|appreciate|prefer|rather (?:you|that)|suggest|recommend|advise|be grateful|
        be interested)(?: it| you| if)? / i (?:need|want|asked|expect|urge|advise|suggest|recommend|order|
        command) (?:that )?(?:you|your) / we (?:would|'d) (?:like|appreciate) / (?:would|'d|will) be (?:much |
        greatly |very )?(?:appreciated|grateful|helpful|useful) / i (?:really )?(?:suggest|propose|recommend|
        advise)
    """),
    rule("proposal", Act.REQUEST, 62, "Let's meet at noon.", r"""
        let's (?!see|say|face|hope|not)\w+ / why (?:don't|not|doesn't) (?:you|we|not|i|just|go|try|take|ask|
        call)\b / why not \w+ / how about(?! you) / what about (?:going|having|trying|meeting|taking|we|a|some) /
        shall we / ^(?:so |and |but |or )?(?:can|could|may) we \w+ /
        we (?:could|might|should|ought to|had better|'d better) (?:go|try|take|have|get|do|
        make|meet|start|use|ask|call|look|leave|discuss) / (?:do|would) (?:you|u) (?:want|like|care|
        wanna) to \w+ / wanna (?:go|come|join|try|get)
    """),
    rule("advice", Act.REQUEST, 52, "You should rest.", r"""
        you(?:'d| had) better / you (?:really |should |also |just )?(?:should|ought to|
        must(?! (?:be|have|feel|know|love|like|miss|think|really|not be|see))|need to|have to|needn't|mustn't|
        may want to|might want to|might as well|can always|don't have to) / if i were you /
        {told}(?:make|be) sure (?:to|that|you) / remember to / don't forget / it(?:'s| is) (?:better|best) (?:to|if) /
        all you (?:have|need) to do / you (?:can|could|may) (?:just |also )?(?:go|take|try|use|ask|call|
        put|buy|contact|turn|leave|come|sit|pay|apply|choose|start)
    """),
    opening("order", Act.REQUEST, 56, "Send it to John.", r"(?:[a-z]{2,15}, )?{order}"),
    rule("order under a condition", Act.REQUEST, 56, "If you need help, visit the support page.", r"""
        ^(?:if|when|once|before|after|for|in case|to) [^,]{3,100}, (?:then |just |kindly |so ){0,2}(?:{order}|please|
        call|reply|let)
    """),
    rule("availability", Act.REQUEST, 56, "Are you available on Monday?", r"""
        are (?:you|u) (?:still |also )?(?:available|free|around)(?! of) / you (?:available|free) (?:at|on|for|to|
        this|next|tomorrow|today|any) / (?:would|will|can) you be (?:able|willing|interested|free|available) /
        (?:do not|don't) hesitate / get together / feel free to / (?:what|when|which) (?:time|day|date|
        is a good time) (?:works|would|suits|is good) / lets (?!you|us|me|him|her|it|them|people|users|your)\w+ /
        rsvp / asap / as soon as possible / would (?:be best|work for) /
        at your (?:earliest )?convenience / what(?:'s| is) the status / (?:would|will) it be possible /
        i need (?:this|that|these|it|your) /
        interested in (?:talking|meeting|discussing|joining) / (?:works?|work better) (?:fine |best |well )?for me
    """),
    rule("meeting", Act.REQUEST, 56, "We could meet on Monday.", r"""
        (?:we|you) (?:can|could|should|shall|need to|'ll need to|will need to|have to|will have to|may|might) (?:also |
        still |all |probably )?(?:meet|talk|discuss|chat|catch up|sit down|speak|join|have (?:lunch|dinner|
        coffee|a (?:call|meeting))|set up a|schedule a|arrange a) / (?:do|if|would|^) ?(?:you |u )?(?:guys )?(?:want|
        care|like) to (?:join|meet|go (?:to|out)|come|grab|have (?:lunch|dinner)) / (?:would|'d) love (?:for|
        to (?:have|get|speak|meet|talk|discuss|take)) / you(?:'re| are) (?:welcome|invited) to /
        (?:^|[-,.] )want to (?:join|come|meet|try|go|see|have|get) /
        i hope (?:that )?(?:you|we) (?:can|will|could) (?:join|meet|come|make it|attend|get together) /
        (?:i|we)(?:'ll| will| shall) (?:call|see|meet|join|talk to|contact|phone) (?:you|with you) /
        ^who (?:can|could) /
        be (?:glad|happy) to (?:meet|discuss|talk|schedule|reschedule|join) / love to (?:take you|meet|join)
    """),
    rule("work named", Act.REQUEST, 56, "We need to cancel the order.", r"""
        we(?:'ll| will)? (?:need|have) to {do} / my (?:recommendation|suggestion|request) (?:is|would be) /
        would be (?:great|nice|good) (?:if|to have) / want(?:s|ed)? to (?:ask|inquire|know if|see if|check if|
        discuss) / do you (?:know (?:if|whether|when|where|who)|have (?:any idea|a copy))
    """),
    rule("wanted", Act.REQUEST, 52, "I want to open an account.", r"""
        i(?:'d| would) (?:like|love) (?:to|a|an|some|the|two|one|three) / {not_asked}i (?:want|need|wish|wanna) to \w+ /
        i(?:'m| am) (?:looking|calling|here|writing|asking) (?:for|to|about) / i(?:'ll| will) (?:have|
        take) (?:a|the|an|some|two|one|it)
    """),
    rule("reply wanted", Act.REQUEST, 62, "Let me know by Friday.", r"""
        {told}(?:let|lemme) (?:me|us) know / give (?:me|us|him|her|them) (?:a|your|the|some|an|\d) /
        {told}tell (?:me|us|him|her|them) / look(?:ing)? forward to (?:hearing|your|receiving) / get back to me /
        call me / contact (?:me|us|him|her) / {told}(?:send|e-?mail|fax|forward|drop) (?:me|it|them|us|this|the) /
        keep me (?:posted|informed|updated|in the loop) / show me / help me / your (?:thoughts|
        comments|feedback|input) / for your (?:review|approval|signature) / i have a (?:question|request) /
        (?:any|do you have any) (?:thoughts|comments|ideas|suggestions)
    """),
)
# fmt: on
