"""Rules for promises and requests. See `rule`."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import Act, Rule, opening, rule

PROMISES: Final = frozenset({"promise", "promise of anything", "going to"})
"""Commitment rules that, in a group, also match announcements of what the speaker is doing at once."""

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
    Rule("please at the end", Act.REQUEST, 60, "Two tickets, please.",
         lazy_pattern(r"(?<!yes)(?<!yes,) please\W{0,3}$")),
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
        let's (?!see|say|face|hope|not)\w+ /
        i (?:think|say|propose|suggest) we should (?!be|have|know|all\b)\w+ /
        why (?:don't|not|doesn't) (?:you|we|not|i|just|go|try|take|ask|call)\b /
        why not \w+ / how about(?! you) / what about (?:going|having|trying|meeting|taking|we|a|some) /
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
