"""Rules for decisions and corrections. See `rule`."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import Act, Rule, joined, opening, rule

PLAN: Final = (
    r"(?:plan|approach|idea|instruction|proposal|suggestion|request|direction|strategy|option|decision|route|order)s?"
)
_PUT_AWAY: Final = r"(?:ignore|disregard|forget(?: about)?|discard|drop|scrap|scratch)"
_EARLIER: Final = r"(?:earlier|previous|prior|original|initial|first|old|former)"
_ALL_PLANS: Final = (
    rf"(?<!\w){_PUT_AWAY} (?:absolutely |literally )?(?:everything|all)(?: that)? (?:we|i|you|we've|i've)"
    r"(?: have)?(?: just)? (?:said|discussed|planned|decided|agreed|talked|told|wrote|written)(?!\w)|"
    rf"(?<!\w){_PUT_AWAY} (?:everything|all (?:of )?(?:my|our|the) (?:\w+ )?(?:plans|ideas|instructions|decisions))"
    r" (?:so far|above|before|until now)(?!\w)|"
    r"(?<!\w)(?:(?:let's|i want to|we'll) start (?:over|afresh|from scratch)|(?:we're|i'm) starting (?:over|afresh))"
    r"(?=\W*$)|"
    r"^\W*(?:clean slate|(?:total|complete|full|hard) reset)(?=\W*$)"
)
SETS_ASIDE_ALL: Final = lazy_pattern(_ALL_PLANS)
"""'Forget everything we said so far': all earlier plans are void."""
_LAST_PLAN: Final = joined(rf"""
    (?<!\w)(?:(?:scratch|strike|scrap) (?:that|all (?:of )?(?:this|that|it))(?! (?:\w+ ){{0,2}}{PLAN})|
    (?:change of|new) plans?(?=[:,.!]| is|\W*$)|on second thoughts?|i(?:'ve| have)? changed my mind|
    let me (?:revise|rethink|reconsider|start over)(?: (?:that|this|it|my {PLAN}|the {PLAN}))?(?=\W*$)|
    {_PUT_AWAY} (?:the|my|our|that|those|all|any)(?: of)?(?: the| my| our)? {_EARLIER} {PLAN}|
    {_PUT_AWAY} (?:that|what i said|all (?:of )?(?:this|that|it))(?=\W*$|[,.;:-]| and )|
    {_PUT_AWAY} (?!the |to )[^,.;:!?]{{1,40}}?(?:,| [-\u2013\u2014]) ?(?:let's )?go with|
    (?:total|complete|full|big) (?:pivot|reversal|u-turn)(?=:|\W*$))(?!\w)
""")
SETS_ASIDE: Final = lazy_pattern(_LAST_PLAN)
"""'Scratch that', 'ignore the earlier plan': the latest plan is void."""
SET_ASIDE: Final = "set aside"
"""Name of the rule for phrases that set a plan aside without naming it."""

# fmt: off
DECISIONS: Final = (
    rule("decided", Act.DECISION, 75, "We decided to keep the monthly plan.", r"""
        (?:i|we|i've|we've|team|they|management|board|committee) (?:have |has |finally |already |just |all |
        both )?(?:decided|settled on|agreed (?:to|on|that)) / decision(?: is| was)?: / settled on /
        final decision (?:is|was) / it's decided / signed off / we(?:'ve| have) (?:chosen|picked|selected|switched|
        approved|dropped|replaced|moved (?:off|away from)) / (?:i|we) (?:chose|picked(?! up)|opted for|approved) /
        i've chosen / (?:is|was|are|
        been) (?:approved|agreed|decided) / we(?:'re| are) (?:using|switching to|dropping|keeping|moving to|
        standardi[sz]ing on)
    """),
    opening("plan", Act.DECISION, 70, "New plan: rent a van.", r"""
        (?:the |our |my )?(?:(?:new|current|revised|updated|final) )?(?:plan|approach|
        strategy)(?: for [^:]{1,60})?:(?= \w)
    """),
    rule("going with", Act.DECISION, 68, "We'll go with Postgres.", r"""
        (?:i(?:'ll| will)|we(?:'ll| will| should|'re going to)) (?:go with|use|stick with|stick to|
        keep(?! (?:you|ya|u|me|him|her|them|in touch|an eye|my|up|that in mind|it in mind|(?!using)\w+ing))|drop|skip|
        choose|pick(?! (?:it|him|her|them|you|up))|adopt|
        switch to) / (?:i'm|we're|i am|we are|let's|i'd) (?:going|go) (?:with|for)(?! (?:a (?:friend|
        walk|drink|few|while)|my|him|her|them|you|it to|\w+ to)) / we're going for / instead we(?:'ll| will)
    """),
    rule("let us use", Act.DECISION, 60, "Let's use Redis.", r"""
        let's (?:use|go with|stick with|stick to|keep(?! (?:(?!using)\w+ing|in touch|up))|drop|switch|start with|
        call it|make it(?! (?:happen|work|count))|say(?= (?:\d|noon|\w+day))|settle|postpone|skip|not) /
        ^(?:yes,? |ok,? |okay,? |sure,? )?go ahead (?:and|with) / i choose / approved /
        i(?:'ll| will) take (?:it|the|that|this|them|one)
    """),
    Rule("it is", Act.DECISION, 68, "Kafka it is.", lazy_pattern(
        r"^(?:(?:ok|okay|so|then|yes|good|great|fine|right)[,.!]? ){0,2}(?!(?:as|what|how|where|when|who|that|this|yes|"
        r"no|so|here|there|sure|ok|okay|okey|yeah|and|but|if|because|since|whatever|wherever|however|like|think|see)\b)"
        r"(?:(?!how |what )[\w'.-]+ ){1,3}it is(?:,? then)?\W*$|, so (?:[\w'.-]+ ){1,3}it is(?:,? then)?\W*$"
        r"|^(?!as|what|how)(?:[\w'.-]+ ){1,3}it is then\b"
    )),
    rule("agreement", Act.DECISION, 50, "Agreed.", r"""
        ^(?:(?:ok|okay|yes|fully|totally),? )?agreed(?=[.,! ]|$) / it's a deal / ^deal(?=[.!]|$)
    """),
)

CORRECTIONS: Final = (
    Rule(SET_ASIDE, Act.CORRECTION, 52, "Ignore the earlier plan.", lazy_pattern(f"{_LAST_PLAN}|{_ALL_PLANS}")),
    rule("mistake named", Act.CORRECTION, 82, "Scratch that, it is 7 May.", r"""
        correction: / ^correction(?=,? \w) / scratch that / i was (?:wrong|mistaken)(?!\?) / i misspoke / my mistake /
        let me (?:correct|rephrase) / strike that / i take that back / or rather / err+,? no /
        rather than what i said / i stand corrected / change of plans? / i(?:'ve| have)? changed my mind /
        on second thoughts? / my bad / i misread / i mixed up / i got that wrong / ignore (?:that|what i said) /
        disregard (?:that|what i said) / (?<!don't )(?<!not )(?<!never )(?<!i )(?:ignore|disregard|forget|
        forget about) (?:the|my|our) \w+(?: \w+){0,3}? (?:we|i|from|that|any ?more|now) /
        (?:doesn't|does not|no longer) (?:apply|applies|count|counts) /
        (?:is|are|was|were|has been|have been) (?:lifted|off the table) /
        i(?:'m| am) not (?:going to )?\w+(?:ing)? .{0,60}after all / i (?:can't|cannot|won't) .{0,60}(?:after all|
        any ?more)
    """),
    rule("meant", Act.CORRECTION, 74, "Sorry, I meant the blue van.", r"""
        i (?:actually |really )?meant(?: to say)? / sorry,? (?:i mean|it's|it is|that's|not|no|make that|the|
        wait|i need|i want) / oops(?!,? sorry (?:for|about|'bout)|,? (?:i|we) (?:did|forgot|broke|dropped))(?=,? \w) /
        (?<!i'd )(?<!would )(?<!ll )(?<!could )(?<!ing to )(?<!gonna )(?<!not )(?<!n't )make (?:it|that) (?:an?|
        the|for|at|on|to|\w+ (?:instead|rather)|{value}|one|two|three|four)(?! (?:that|reservation|booking|
        appointment) ) /
        (?:no|oh),? (?:wait|sorry|rather|hold on|scratch|i mean)(?! (?:for|till|until|a minute)) /
        wait,? no / wait,? (?:actually|sorry) /
        you mean(?= \w) / that(?:'s| is) not what i
    """),
    rule("said wrong", Act.CORRECTION, 66, "That's wrong, it is 12.", r"""
        (?:that|this|it)(?:'s| is| was) (?:wrong|incorrect|a mistake|an error|not (?:right|correct|true|
        accurate|what i)) / (?:it's|it is|it was|should be) (?:(?:on|at|in) )?{value}(?: \w+)?, not \w+ /
        there(?:'s| is) (?:a mistake|an error) in / (?:you're|you are) (?:wrong|mistaken) /
        i (?:apologi[sz]e|made (?:a|an) (?:mistake|error)).{0,60} / not .{1,60}?,? but (?!also|rather also) /
        not .{1,40}? anymore / no longer / is not .{1,30}?, it's
    """),
    rule("changed", Act.CORRECTION, 68, "The launch moved to May.", r"""
        chang(?:e|ed|ing) (?:it|that|this|the \w+(?: \w+)?|my \w+) (?:to|from|into) / (?:let me |please |
        want to |need to |can you |can we |could you |better )(?:change|switch) (?:that|it|this|my|the) /
        (?<!i )(?<!we )(?:has |was |been )?(?:moved|postponed|rescheduled|renamed|changed|
        delayed) (?:back |forward )?to / pushed (?:back|forward) to / (?:^|(?:please|so|then|let's|and|now|
        you) )(?:raise|bump|lower|reduce|increase|decrease|extend|shorten|cut|set|move|push) (?:it|that|
        this) (?:back |up |down )?to (?:the )?{value} /
        (?:i|we)(?:'ve| have)? (?:now |just |since )?(?:raised|bumped|lowered|reduced|increased|decreased|extended|
        shortened|cut|moved|pushed|upped|dropped) (?:it|that|this) (?:back |up |down )?to (?:the )?{value} /
        instead of .{1,60}? (?:it's|use|make it|let's) / (?:i'd|i would) rather (?:have|do|go|make|not) /
        i(?:'d| would)? prefer .{1,50}? instead / (?:try|do|check|
        find|make|book|use|play|want|like|get|go|have|for|in|at|on|to|with) .{0,60}?\binstead(?! of)
    """),
    opening("actually", Act.CORRECTION, 62, "Actually, it was Omar.", r"""
        actually,? (?:it|that|the|i (?:want|need|meant|would|said|think|was|have|am)|i'd|i'll|i'm|we|no|not|
        it's|let's|make|can (?:you|we) (?:change|make|check|do)|my|change|on|sorry|please|for) /
        no,? (?:actually|i'd|i (?:also |really )?(?:want|need|wanted|said|would|asked|prefer)|it should|
        it's \w+ that|that's not|make|the|let's|change|play|share|book|use|in\b|on\b|for\b|from\b|to\b|at\b|
        (?:it's|it is|it was|that's|they're|he's|she's|(?:i think|i believe|i'm afraid) it's) (?:(?:on|at|in|from|to|
        for|called|about) )?{value}|
        they (?:are|should)|he (?:is|was)|she (?:is|was)|that should|(?!that|this|there|it|i|thank|not|no|problem|
        worries|way|more|need|one|doubt|matter)\w+ (?:is|are|was|should|instead)) / nope,? (?!that|i'm|it|thank|not|
        nothing|no|but|for now)\w+ \w+ / wrong[,.]? .{0,20}?(?:i|the|it) / wait,? i / sorry,? (?:but |no) / rather, /
        well,? actually
    """),
)
# fmt: on
