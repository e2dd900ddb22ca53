"""Rules for facts, and patterns that distinguish kinds of statements. See `rule`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules import lasting_rules, standing_rules
from turnfold_worker.pipeline.anchors.rules.change_rules import CORRECTIONS, DECISIONS
from turnfold_worker.pipeline.anchors.rules.deed_rules import COMMITMENTS, REQUESTS
from turnfold_worker.pipeline.anchors.rules.rule import Act, Rule, joined, rule

# fmt: off
FACTS: Final = (
    rule("limit", Act.FACT, 60, "It must not exceed 500 seats.", r"""
        must(?: not|n't)?(?!'ve)(?! (?:have|be|feel|love|know|say|admit|mean|get|make|really|enjoy)) /
        must (?:be|have) (?:at|in|on|no|an?(?! (?:\w+ly |so |such )?(?:amazing|awesome|blast|exciting|fantastic|great|
        incredible|joy|lovely|nice|pleasure|relief|thrill|unforgettable|wonderful))|the|under|below|above|less|more|done|
        ready|encrypted|signed|{value}) / (?:has|have|need|needs|ought) to (?:be|stay|remain|keep) (?:under|
        below|above|over|within|at (?:most|least)|(?:less|more|fewer|lower|higher) than|no \w+ than|[<>≤≥]=? ?{value}) /
        cannot exceed / can't (?:use|exceed|be|have|eat|change) / (?:do not|don't|never) (?:use|touch|change|deploy|
        delete|push|share|restart|commit|send|call|skip|include|suggest|recommend) / at most / at least /
        no (?:more|less|fewer|later|earlier) than / max(?: of| is(?= \d)| size| length) / maximum / minimum /
        limit(?:ed)? (?:is|of|to) / requirements? / required / constraints? / mandatory /
        not allowed / forbidden / hard deadline /
        budget (?:is|of)
    """),
    rule("permission", Act.FACT, 62, "You may use tabs now.", r"""
        (?:you|we|they|everyone|everybody|anyone) (?:may|can) (?:now|again) / (?<!if )(?<!that )(?<!so )(?:you|we|they|
        everyone|everybody|anyone) (?:may|can) (?!see\b).{2,60}? (?:now|again|any ?more|any ?time|after all|
        from now on) / (?:it's|it is) (?:now )?(?:fine|ok|okay|all right|alright|safe|
        allowed) (?:now )?to .{2,60}? (?:now|again|any ?time|
        from now on) / (?:may|can) be \w+(?:ed|en|un) (?:now|again|any ?time) / (?:is|are) (?:fine|ok|okay|
        allowed|permitted) (?:now|again) / (?:you|we|they) (?:don't|do not) (?:have|need) to .{2,60}? (?:any ?more|
        now) /
        can be (?:longer|more|larger|bigger|higher) than {value}
    """),
    rule("preference", Act.FACT, 72, "I prefer dark roast.", r"""
        i(?:'m| am) (?:really |very |severely |highly |mildly )?allergic / allerg(?:y|ies|ic)(?: to|[.,!]) /
        allergy / intoleran(?:t|ce) / i (?:\w+ly |much |always |still |also |tend to |try to |do |would |
        just ){0,3}(?:prefer|minimi[sz]e|dislike|hate|detest|despise|loathe|avoid|refuse|(?:adore|love|enjoy)(?! (?:it|
        that|this|these|those|your|how|you|him|her|them|to (?:see|hear|know|help)|when you|(?:the|all the) (?:idea|
        thought|look|color|colour|way|photo|pic\w*|vibe|energy|enthusiasm)))|favou?r|value(?! your)|prioriti[sz]e|
        can't stand|cannot stand|cannot tolerate|can't tolerate|can't handle|
        appreciate (?!it|your|the help|that)) / i (?:(?:really|honestly|just|strongly) ){0,2}(?:don't|do not|never|
        can't|cannot|won't|will not|no longer) (?:(?:really|ever|usually|often) )?(?:like|eat|drink|want|enjoy|
        use|watch|have|work|wear|read|listen|play|buy|visit|travel|
        participate|consume|tolerate|stand|handle|support|care for|own|believe|do|go|trust|feel comfortable) /
        we (?:don't|do not|can't|cannot|won't|
        no longer) (?:want|need|eat|drink|use|like) (?!to (?:be|go|miss)|it\b|that\b) /
        i (?:tend to|refuse to|try to|need to|have to|always) (?:avoid|stay away|steer|limit|choose|prefer|
        opt) / my (?:preference|preferred|priority) / my favou?rites?(?: \w+){0,4} (?:is|are) /
        (?:is|are) (?:one of )?my favou?rites? / i didn't (?:really |ever )?(?:like|enjoy|care for) /
        i(?:'m| am) (?:not |more |really |very |a big |a huge |such a |quite |only |mainly |particularly |
        deeply |strictly ){0,3}(?:interested in|into|fond of|partial to|a fan|a vegetarian|a vegan|vegan|
        vegetarian|picky|afraid|scared|uncomfortable|bothered|passionate|committed|sensitive|drawn to|hooked|
        obsessed|against|averse|opposed|not comfortable|keen on) / i'd rather / i need .{1,40}? to be /
        (?:makes?|make) me (?:uncomfortable|anxious|sick|nervous|dizzy|ill) / i only (?:eat|drink|use|buy|wear|
        watch|read|listen|play|shop|stay|travel|visit|dine|work|want|like|attend|consume|support|choose) /
        i (?:find|have) .{1,60}? (?:too|overwhelming|boring|unpleasant|disgusting|aversion|phobia|fear of|
        distaste) / (?:aversion|phobia|fear) (?:to|of) / (?:on|follow) a .{0,30}?(?:diet|budget) / i (?:thrive|
        learn best|work best|do best|feel best|sleep best|do better|find it (?:hard|difficult|easier|helpful)) /
        i (?:exclusively|strictly|steadfastly|religiously|consciously|deliberately) \w+
    """),
    rule("name and person", Act.FACT, 62, "My name is Ana.", r"""
        my (?!god|pleasure|goodness|point|question|bad|mistake)\w+(?: \w+){0,2}? (?:is|are|was|were|'s|lives|
        works|has|got|just|loves|likes|said|told|gave|died|passed) / my name / i(?:'m| am) (?:a|an|from|based|
        living|working|\d{1,3}|married|single|the|originally|currently|in charge|learning|studying|teaching|
        taking|training|writing|reading|building|making|developing|participating|moving)(?! (?:bit|little|lot|
        fan of yours)) / i (?:live|work|moved|grew up|was born|study|studied|used to|come from|own) / (?:his|
        her|their|our) (?:name|birthday|address|phone|number|email|wife|husband|favou?rite)(?: \w+)? (?:is|are|
        was) / (?:is|are) called / we(?:'re| are) called / i(?:'ve| have) (?:a|an|two|three|four|five|\d+|some|
        several) (?!question|feeling|idea|lot|hard time|problem|good|great|bit|blast)\w+
    """),
    rule("what happened", Act.FACT, 60, "I bought a Fender last week.", r"""
        i (?:\w+ly |just |also |even |recently |finally |actually ){0,3}(?:started|finished|bought|got|joined|
        adopted|signed|won|quit|lost|made|went|met|took|visited|found|read|watched|played|wrote|saw|tried|
        attended|learned|built|created|moved|ran|came|gave|received|invited|organized|cooked|baked|submitted|
        wrapped|entered|rode|hiked|volunteered|celebrated|graduated|performed|launched|completed|sold|set up|
        decided|picked|named|dyed|whipped|hosted|called|spent|painted|discovered|participated|recommended|beat|
        booked|planned|worked|felt|wanted|heard|put|had (?:a|an|my|to|some)) / i(?:'ve| have) (?:just |
        recently |already |finally |always |never |only )?(?:been (?!better|good|great|well|okay|fine|busy)|got|
        had|started|finished|joined|done|made|read|seen|watched|played|written|won|found|learned|tried|decided|
        visited|known|owned|lived|worked) / we (?:just |recently |also |even |finally |all ){0,3}(?:started|
        finished|bought|got|joined|won|lost|made|went|met|took|visited|found|watched|played|saw|had|built|moved|
        decided|organized|came|raised)
    """),
    rule("when", Act.FACT, 44, "Last week the lease ended.", r"""
        (?:yesterday|last (?:night|week|month|year|weekend|friday|summer|saturday|sunday|monday)|(?:a few|two|
        three|four|several|couple of|many|\d+) (?:days|weeks|months|years) ago|this (?:morning|weekend)|
        next (?:week|month|year|weekend)|the other day|since (?:\d{4}|i was|last))
    """),
    rule("state of a thing", Act.FACT, 44, "The office is located in Lyon.", r"""
        (?:is|are|was) (?:set to|located|scheduled|due|named|priced|based|made of|owned by|written in|cancelled|
        canceled|called off|
        available (?:from|until|at|on)|at {value}|on {value}|from {value}) / (?:costs?|weighs?|measures?|takes?|
        expires?|
        starts?|ends?|opens?|closes?|begins?|runs) (?:on |at |in |about |around |from |until )?{value} /
        (?:my|our|the|its|their|your|his|her)(?: \w+){0,3} (?:password|token|port|version|address|phone|number|
        email|deadline|budget|code|id|url|name|birthday|rate|price|size|reference|answer|limit)(?: \w+){0,2}? (?:is|
        are|was|=|:)(?! (?:not|the|a|an|very|too|so)\b) /
        (?:my|our|the|your|his|her)(?: \w+){0,2} (?:rent|salary|fee|fare|dose|capacity|timeout|weight|
        height|age) (?:is|was) /
        (?:on|at|to|uses?) port \d+
    """),
    rule("change", Act.FACT, 58, "Marek took over billing from Priya.", r"""
        (?:took|taken|takes) over (?:the |our |my )?\w+ / (?:handed|passed) .{2,60}? over to \w+ /
        handed over to \w+ / renamed .{2,60}? (?:to|as) \w+ / (?:i|we)(?:'ve| have)? (?:just |now )?(?:switched|
        migrated|moved) from .{2,40}? to \w+ / (?:i|we)(?:'ve| have)? (?:just |now )?(?:replaced|
        swapped) .{2,40}? (?:with|for) \w+ / (?:has been|have been|got) (?:cancelled|canceled|called off|scrapped|
        renamed)
    """),
    rule("need", Act.FACT, 44, "I'm looking for a flat.", r"""
        {not_asked}i (?:want|need|would like|wish|am looking for|'d like|'d love|require|wanna) / i(?:'d| would) like /
        i(?:'m| am) (?:looking|searching|interested|trying|thinking|planning|hoping|considering|preparing|
        flying|leaving|going to (?:be|a|the)|in (?:the )?(?!a hurry|trouble)\w+) / {not_asked}we (?:need|want|require|
        are looking) / looking for
    """),
)

# fmt: on
_STANDING: Final = (
    r"(?:^|[.!?:;] )[^\w.!?]*(?:(?:please|so|and|but|also|absolutely|seriously|remember|again|finally),? ){0,2}"
    r"(?<!\w)(?:"
    r"(?:(?:remember to|make sure (?:to|you)|be sure to|you (?:should|must)|i (?:want|need|expect) you to) )?"
    r"(?:always|never|do(?:n't| not) ever)|from now on|from here on|going forward|in (?:the )?future(?=,)"
    r"|(?:whenever|every time|each time) i (?:ask|say|send|tell|want|need))"
    r",? (?!(?:a|again|an|been|fun|glad|good|great|had|have i|happy|heard|here|knew|mind|nice|say|seen|the|there|"
    r"thought|up)\b)"
    r"|(?:^|[.!?:;] )(?!(?:i|we|he|she|they|it|i'm|we're|i'll|we'll|my|our|so i)\b)"
    r"[^.!?]{3,150} from now on\W*(?:$| )"
)
STANDING_ORDER: Final = lazy_pattern(_STANDING.replace(" ", r"\s"), re.IGNORECASE)
"""Standing orders: the order comes first, or 'from now on' last."""

_I_WOULD: Final = r"(?<!\bwould )(?<!\bdo )(?<!\w)i(?:['\u2019]d| would)?"
PREFERENCE: Final = lazy_pattern(
    rf"(?i){_I_WOULD}(?: (?:strongly|really|generally|usually|always|still|much|also|do))* prefer,? \w"
    rf"|{_I_WOULD}(?: much)? rather (?!not\W*$)"
    r"|\bmy preferences? (?:is|are) \w"
)
"""Preferences, which also apply to later questions but weigh less than an order."""

STANDS: Final = Rule("standing order", Act.FACT, 82, "Always answer in German.", lazy_pattern(_STANDING))
"""Orders that an assistant follows each time; between people they are a manner of speaking."""

VALUE_NOW: Final = "value now"
DENIAL: Final = "denial"
OF_WHAT_WAS_NAMED: Final = frozenset({VALUE_NOW, DENIAL})
"""Fact rules whose clause needs the words that its 'which' refers to."""
_STATED: Final = 35
"""Points for what `standing` decides about, too few for a fact by themselves."""
_STANDING_RULES: Final = (
    Rule("constraint", Act.FACT, _STATED, "Nobody may open the safe.", standing_rules.CONSTRAINT),
    Rule("instruction", Act.FACT, _STATED, "Reply in French.", standing_rules.INSTRUCTION),
    Rule("liking", Act.FACT, _STATED, "I like tea better than coffee.", standing_rules.PREFERENCE),
    Rule("who somebody is", Act.FACT, 62, "We've been married for nine years.", lasting_rules.IDENTITY),
    Rule("health", Act.FACT, 72, "My son has a nut allergy.", lasting_rules.HEALTH),
    Rule(DENIAL, Act.FACT, 60, "I've never sailed a boat.", lasting_rules.DENIAL),
    Rule(VALUE_NOW, Act.FACT, 64, "It has now reached 12 kg.", lasting_rules.VALUE_NOW),
)

TO_AN_ASSISTANT: Final = frozenset({STANDS.name, "instruction"})
"""Rules that apply only to what people tell an assistant."""
NOT_AN_ASSISTANTS: Final = TO_AN_ASSISTANT | {"constraint", "liking", "who somebody is", "health", DENIAL, VALUE_NOW}
"""Rules that never apply to an assistant's words, since it sets no limits and has no tastes."""

RULES: Final = (STANDS, *CORRECTIONS, *DECISIONS, *COMMITMENTS, *REQUESTS, *FACTS, *_STANDING_RULES)

_BEFORE_NO: Final = (
    "is", "are", "was", "were", "there", "has", "have", "had", "with", "of", "in", "by", "make", "did", "do", "does",
    "be", "say", "said", "got", "why", "time", "if", "get", "gets", "getting", "see", "need", "needs", "returns",
    "return", "and", "but", "for", "on", "at", "to", "than", "while", "being", "been", "having",
)  # fmt: skip
"""Words after which 'no' is no self-repair: 'is no …', 'with no …'."""
_BEFORE_ACTUALLY: Final = ("never", "not", "is", "are", "was", "were", "did", "does")


def _not_after(before: Iterable[str]) -> str:
    """Return a lookbehind that excludes the beginning and the position after each of the given words."""
    return "(?<!^)" + "".join(rf"(?<!\b{word} )" for word in before)


MENDED: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:{no_object}no(?=,? (?!longer|
    more|one|other|matter|such|less|fewer|idea|doubt|problem|need|way|reason|fee|cost|time|money|good)\w)|
    erm?(?=,? \w)|nope|let me ask|darn it|d'?oh,|(?:uh|um|er|oh|ah|hmm)?,? ?(?:no|or),? (?:wait|sorry|make that|
    rather(?! than)|i mean|scratch|actually|no|what|who|how|when|where|which|why|instead|the|um|uh)|
    or (?:rather(?! than)|
    wait|actually|sorry)|(?:oh |hold on|hang on,? |oh,? )wait|wait,? (?:no|actually|sorry|i)|
    i (?:actually )?mean(?:t(?: to (?:say|ask))?)?(?! to\b)(?!,? (?:who|how|what) (?:doesn't|
    wouldn't|could|would))|oops|make that(?= \w)|scratch that|my bad|
    on second thoughts?|(?:uh|um|er|oh|ah|hmm|well|excuse me),? (?:no|sorry|wait|rather|make that|i mean|
    actually)|sorry|rather(?! than)|{no_adverb}actually|
    (?:er|uh|um|no|sorry|rather|wait) (?:(?:in|on|at|by|of|for|from|to|with|during) )?(?:what|who|how|when|where|which|
    why)(?! (?:about|else))|or let me (?:say|rephrase)|(?:uh|um|er) instead(?! of))(?!\w)
""")
    .replace("{no_object}", _not_after(_BEFORE_NO))
    .replace("{no_adverb}", _not_after(_BEFORE_ACTUALLY))
)
"""Self-repairs within a question."""

EXCLAIMED: Final = lazy_pattern(r"^(?:oh|ah|aw+),? no+\b[,.! ]*")
"""Exclamations before a question that correct nothing: 'Oh no, is he all right?'"""

PERSONAL: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:i|i'm|i've|i'd|my|me)(?!\w)
""")
)
"""First person singular: the speaker talks about themselves."""

SUGGESTS: Final = lazy_pattern(
    r"^(?:(?:so|then|well|yes|no|in that case|personally),? )*(?:i(?:'d| would)? (?:really |also |strongly )?|my )"
    r"(?:suggest|recommend|propose|advise)"
)
"""Advice of an assistant, which promises nothing and asks for no deed."""

MADE_UP: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:(?:write|list|generate|complete|continue|explain|simulate|summari[sz]e|translate|re-?write|analy[sz]e|
    compare|describe|calculate|solve) ["“]?(?:\d|an?\b|the|this|these|all|some|how|what|why|your|in\b)|give me (?:a|an|
    the|some|\d+) (?:\w+ )?(?:lists?|
    examples?|summary|ideas?|tests?|names?)|i(?:'d like| need| want| would like) (?:an?|some) (?:\w+ ){0,2}(?:essay|
    summary|introduction|poem|story|paragraph|outline|abstract|slogan|caption|lyrics)|do a \w+ (?:analysis|review|
    summary)|\d+ (?:examples|ideas|
    tests|words|sentences|paragraphs))(?!\w)
    """)
)
"""Requests for a text, in which numbers state nothing about the speaker."""

_DONE: Final = (
    "sent|finished|done|fixed|merged|deployed|completed|shipped|booked|paid|submitted|updated|called|written|uploaded"
    "|signed|ordered|cancelled|delivered"
)
COMPLETIONS: Final = lazy_pattern(
    rf"(?<!\w)(?:(?:i|we)(?:'ve| have)(?: just| already| now)? (?:{_DONE})|(?:i|we) just (?:{_DONE})"
    rf"|(?:is|are) (?:now )?(?:done|finished|complete|completed|merged|deployed|fixed|live|sent|shipped)"
    rf"|(?:has|have) been (?:{_DONE})"
    r"|(?:i|we) (?:sent|emailed|merged|deployed|shipped|submitted|uploaded|delivered|fixed|booked|paid))(?!\w)"
)
"""Reports of completed deeds."""

TAKEN_BACK: Final = lazy_pattern(
    r"(?<!\w)(?:not(?! (?:just|only|all|every(?! \d))\b)|instead of|rather than|"
    r"we(?:'ve| have) (?:dropped|replaced|moved (?:off|away from)))"
    r" ((?:[^,.;:!?]|[.,:](?=\w)){1,40}?)"
    r"(?= (?:any ?more|any longer|as|at|because|for|from|in|on|since|to|when|with)(?!\w)|[,.;:!?](?!\w)|$)"
)
"""What a statement replaces: 'MySQL, not PostgreSQL'."""

NEGATION: Final = lazy_pattern(r"(?<!\w)(?:not|no|never|none|nobody|nothing|without|cannot|neither|nor|\w+n't)(?!\w)")
"""Negations."""

CONFIGURATION: Final = lazy_pattern(
    r"(?m)^[ \t]{0,12}(?:export[ ]+)?([A-Z][A-Z0-9_]{2,60}[ ]?=[ ]?[^\s#;]{1,120})[ \t]{0,40}$"
)
"""KEY=value alone on a line, which is kept even from code."""

LATER: Final = lazy_pattern(
    r"(?<!\w)(?:later|tomorrow|tonight|afterwards|eventually|next (?:week|month|time|year)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|by (?:the|then|\d)|once (?:you|we|it|that|this|the)|as soon as|"
    r"when you)(?!\w)"
)
"""Words for a later time."""

AT_ONCE: Final = lazy_pattern(
    joined(r"""
    (?<!\w)i(?:'ll| will| shall|'m (?:going to|gonna)| am (?:going to|gonna)) (?:(?:just|also|then|now|quickly|first|
    probably|maybe|basically|actually|again|try (?:and|to)|go ahead and) ){0,3}(?:show|explain|introduce|summari[sz]e|
    draw|mention|describe|demonstrate|recap|repeat|skip|say|agree|vote|choose|pick(?! (?:\w+ )?up)|
    start(?= (?:with|off|again|by|from|if|now)|\W*$)|begin(?= (?:with|by|now)|\W*$)|go (?:first|next|for|with|
    without|through|over|on|ahead(?! and)|a?round|back to|to (?:the|that|my) (?:next|slide)|into (?:that|this|it|
    detail))|come (?:back )?to (?:that|this|it)|move (?:on|to|back)|(?:hand|pass) (?:it|this|that|them|you|out|over|
    back|a?round)|talk (?:about|a (?:bit|little)|you through|for|more)|tell (?:you|everybody|everyone)(?! (?:how|when|
    if|whether|as soon))|give (?:it |this |that |them |myself |him |her )?(?:an? )?(?:{mark}|try|go|shot)|make (?:it|
    that|this|mine) (?:an?|{mark})|put (?:like|down|(?:an?|my|that|it|this|either|him|her)(?: down| here| there|
    \W*$| in (?:here|there)| (?:on|up on) the board| (?:question )?mark| name| ideas?))|take (?:the |some |a |my |
    again )?(?:minutes|notes?|mouse|pen|turn)|do (?:the |my )?(?:notes|minutes|presentation)|leave (?:it|that|this|
    space|the (?:decision|room|rest))|let (?:us|everybody|everyone)|(?:open|close|shut) (?:it|this|that|them|'em|
    the (?:door|window|file|slide|meeting|presentation))|use (?:the|this|that|my|some|it|a)(?: same| other| different|
    new)? (?:mouse|pen|pointer|whiteboard|board|sheet|slides?|colou?r)|raise (?:an?|another|one|this|that)|
    keep (?:going|it (?:short|brief|quick)|\w+ing)|stop (?:there|here|now|\w+ing)|stick (?:with|to)|
    try (?:something|this|that|again))(?!\w)
    """)
    .replace("\n", "")
    .replace("{mark}", r"\d|one|two|three|four|five|six|seven|eight|nine|ten")
)
"""Announcements by people in a meeting of what they are just doing: they show, start, vote and take notes."""

COUNTED: Final = lazy_pattern(
    r"(?<!\w)(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred)"
    r"(?! (?:of (?:us|them)|more|things?)(?!\w))(?!\w)|(?<!\w)(?:for|of|just) one(?= person|[.,!]|$)"
    r"|(?<!\w)one (?:bed|bath|room|ticket|person|seat|guest|night|bag|passenger)"
)
"""Number words that count something."""

CONTRADICTION: Final = lazy_pattern(
    r"^(?:(?:well|but|sorry|hm+|ah|oh|um|uh)[,.]? ){0,2}(?:no(?! (?:problem|worries))|nope|actually|"
    r"wrong|correction|it's|it is|that's|"
    r"i'm afraid|i think (?:it's|you)|you)\b|(?<!\w)(?:wrong|incorrect|mistaken)(?!\w)"
    r"|(?<!\w)not(?: quite)? (?:right|correct|true)(?!\w)|, not "
)
"""Contradictions of what someone else said."""

TELLS_OF_INSTEAD: Final = lazy_pattern(
    r"(?<!\w)i(?:'m| am|'ve been| have been| was) (?:\w+ly |now |also |just )?(?!looking|thinking|calling|wondering)"
    r"\w+ing\b.{0,150}\binstead\b"
)
"""Narration with 'instead', which corrects nothing: what someone does in place of something else."""

SETS_RIGHT: Final = lazy_pattern(r"(?<!\w)(?:you(?:'re| are) (?:wrong|mistaken)|you mean)(?!\w)")
"""Corrections that only fit someone else's words."""

_I_WILL: Final = r"i(?:'ll| will|(?:'m| am) (?:going to|gonna))\b"
CONDITIONAL: Final = lazy_pattern(
    r"^(?:(?:so|and|but|well|then|yeah|ok) ){0,2}(?:if|whether|in case|unless)\b"
    rf"|\b(?:like|says?|said|goes) (?:(?:so|well|ok|okay|alright|oh|you know)[, ]{{1,2}}){{0,3}}{_I_WILL}|\blet's say\b"
    rf"|\b(?:if|whether|unless|until) (?:i )?{_I_WILL}|\b(?:sometimes|usually|often),? {_I_WILL}"
    rf"|{_I_WILL} (?:sometimes|usually|often)\b"
)
"""Conditions, habits and quoted speech, which make a promise or decision less certain."""
