"""Patterns for lasting facts about a person and for passing remarks.

Each pattern matches one clause normalized by `spoken.plain_words`, whatever else the clause does.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import joined

_I_AM: Final = r"(?<!if )(?<!that )(?<!whether )i(?:'m| am)"
_WHO: Final = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fiance|fiancee|son|daughter|kid|child|brother|sister|mother|father|"
    r"mom|mum|dad|dog|cat|puppy|pet)"
)
_THEY_ARE: Final = rf"(?:{_I_AM}|(?:he|she)(?:'s| is)|(?:my|our) (?:\w+ )?{_WHO} is)"
_THEY: Final = rf"(?:i|he|she|(?:my|our) (?:\w+ )?{_WHO})"
HEALTH: Final = lazy_pattern(
    joined(rf"""
    (?<!\w)(?:{_THEY_ARE} (?:also |still |now |\w+ly ){{0,2}}(?:allergic|(?:\w+ )?intolerant|diabetic|an? diabetic|
    (?:a )?c(?:o)?eliac|asthmatic|epileptic|pregnant|deaf|blind|colou?r.?blind|dyslexic|hard of hearing|an? vegan|
    vegan|an? vegetarian|vegetarian|on (?:insulin|medication|antidepressants|blood thinners))|
    {_THEY} (?:just |really )?(?:can't|cannot|can not) (?:have|eat|drink|tolerate|digest)(?! (?:it|this|that|enough|
    another|any)(?!\w))|
    {_THEY} (?:have|has) (?:an? |severe |mild ){{0,2}}(?:\w+ )?(?:allerg(?:y|ies)|asthma|diabetes|epilepsy|
    migraines?|phobia|heart condition|intolerance)|
    (?:close|closes|closed|swell|swells|tighten|tightens) (?:up )?(?:my|his|her|their) throat|
    (?:carry|carries|need|needs|have|has) (?:an? |two |his |her |my )?(?:epi-?pens?|adrenaline pens?)|
    (?:only |strictly )?(?:eat|keep|eats|keeps) (?:halal|kosher)|\w{{1,20}}-free is a must for (?:me|us))(?!\w)
    """)
)
"""Needs of health or faith, for which an answer that ignores them may do harm."""

_NO_PROFESSION: Final = (
    r"(?:(?:be(?:ginn|liev|tt)|numb|memb|lov|start|us|oth|support|follow|newcom|los|winn|suck|read|listen|matt|bigg|"
    r"old|young|foreign|strang|hat|learn|quick|slow)er|believ\w+)"
)
_PROFESSION: Final = (
    rf"(?!{_NO_PROFESSION}(?!\w))"
    r"(?:\w{2,20}(?:er|or|ist|ian|yst|ant)|nurse|chef|cook|student|coach|pilot|clerk)"
)
_ENDS: Final = r"(?=(?: too)?[,.!;]|,? (?:at|in|for|from|with|based|by|and|who|working|living)(?!\w)|\W*$)"
IDENTITY: Final = lazy_pattern(
    joined(rf"""
    (?<!\w)(?:my name(?:'s| is)|i am called|(?:his|her|their|its|our) names?(?:'s| is| are)|
    i (?:named|call) (?:him|her|it|them)(?= \w)|
    i (?:now |currently |still )?(?:live|lives) (?:in|at|near|with)(?! (?:it|that|this)(?!\w))|
    i (?:now |currently |still )?work (?:full.time |part.time )?(?:as|at|for)(?! (?:home|it|this|that|now|night)(?!\w))|
    {_I_AM} (?:originally |currently |now )?(?:from|based in|living in)(?! (?:scratch|there|here|now|the start)(?!\w))|
    {_I_AM} (?:only |now )?\d{{1,3}}(?: years old)?(?=[,.!;]| and(?!\w)| years|\W*$)|
    {_I_AM} [a-z]+(?: [a-z]+){{0,2}}, an?(?= (?!bit|little|lot)\w)|
    {_I_AM} an? (?:[\w/-]+ ){{0,4}}?{_PROFESSION}{_ENDS}|
    as an? \d{{1,3}}-year-old|(?<![\w] )as an? (?:\w+ )?{_PROFESSION}(?=, (?:i|my)(?!\w))|
    {_I_AM} (?:happily |recently |newly )?(?:married|divorced|engaged|widowed|retired|unemployed|self-employed)|
    we(?:'ve| have) been (?:married|together)|(?:be|become|became|is now|now) my (?:girlfriend|boyfriend|wife|husband)|
    (?:i have|i've got|we have|we've got) (?:an?|one|two|three|four|five|\d|twin) (?:[\w-]+ ){{0,2}}?{_WHO}(?:s|es|
    ren)?|
    i (?:just |recently |finally )?(?:adopted|got|bought) (?:an?|another|two) (?:\w+ ){{0,2}}(?:pup|puppy|dog|cat|
    kitten|turtle|baby)|addition to the family|
    (?:move|moving|moved) in together|
    (?:i|we) (?:have |just |recently |finally )?moved (?:to|from)(?! (?:the next|it)(?!\w))|
    i grew up in|i was born (?:in|on)|i(?:'ve| have)? started transitioning|
    i(?:'ve| was| have| just| recently| been| got){{1,3}} promoted to|
    my (?:new |current )?(?:role|job|position) (?:as|at|is)|
    (?:left|quit|lost) my (?:\w+ ){{0,3}}job|
    (?:got|landed|started) (?:my|an?|the) (?:\w+ ){{0,3}}(?:job|role|position)(?= (?:as|at|with)(?!\w))|make a living|
    {_I_AM} (?:studying|majoring in)|i (?:study|teach)(?! (?:it|this|that|people)(?!\w))|
    my (?:birthday|address|phone number|profession|employer|boss|supervisor)(?:'s| is))(?!\w)
    """)
)
"""Identity: name, age, home, work, family and pets."""

AIM: Final = lazy_pattern(
    r"(?<!\w)(?:(?:i|we) have a (?:hard )?deadline (?:of|on)|(?:my|our|the) (?:\w+ ){0,2}(?:deadline|goal|target date)"
    r"(?: for [^,.;]{1,40})? is|to reach my goal of)(?!\w)"
)
"""Goals and deadlines."""

_NEVER_DID: Final = joined(r"""
    (?!been (?!to |in )|felt|thought|heard|known|met|regretted|looked|decided|had (?:a chance|time)|seen (?:such|any)|
    got (?:a chance|time|around))
""")
DENIAL: Final = lazy_pattern(
    rf"(?<![\w\"“])(?<!if )(?:i|we)(?:'ve| have) never(?: \w+ly| yet| even| ever){{0,2}} {_NEVER_DID}"
    r"(?P<verb>[a-z]{3,20})(?= \w)(?! (?:so|such|anything|anyone|anybody|it|that)(?!\w))"
    rf"|(?<![\w\"“])(?<!if )(?:i|we)(?:(?:'ve| have) not| haven't)(?: \w+ly| yet| even){{0,2}} {_NEVER_DID}"
    r"(?P<left>[a-z]{3,20})(?= (?:in |to |on )?any \w)"
    r"|(?<![\w\"“])(?<!if )(?:i|we) (?:don't|do not) (?:actually |even |currently )?(?P<owns>have|own)(?= any \w)"
    r"(?! any (?:\w+ )?(?:time|idea|clue|doubt|problem|choice|question|way|plan|preference|chance)s?(?!\w))"
)
"""Denials of ever having done or having something."""

_CHANGED: Final = (
    r"(?:improved|increased|extended|expanded|reduced|decreased|dropped|grown|gone (?:up|down)|risen|rose|raised|"
    r"lowered|cut|adjusted|bumped|shortened|went (?:up|down))"
)
_COUNT: Final = r"(?:about |around |roughly |over |nearly |almost )?[^\w\s]?\d"
_SINCE: Final = r"(?:\w+ly |now |just |also |since ){0,2}"
_BETWEEN: Final = r"(?: (?!by(?!\w)|to(?!\w))[\w'%$€£.-]{1,30})"
VALUE_NOW: Final = lazy_pattern(
    joined(rf"""
    (?<!\w)(?:(?:has|have|i've|we've|it's|i|we|recently|now) {_SINCE}{_CHANGED}{_BETWEEN}{{0,9}} to(?= {_COUNT})|
    (?:has|have|i've|we've|it's) {_SINCE}reached(?= {_COUNT})|
    managed to (?:reduce|cut|lower|raise|increase|improve|bring){_BETWEEN}{{1,6}} to(?= {_COUNT})|
    (?:is|are|has|have|i'm|we're|it's|i've|we've|stands?)(?: got| at)? now(?: at| up to| down to)?(?= {_COUNT})|
    (?:we|i|it|he|she|they) now (?:has|have|is|are|stands? at|takes?|costs?)(?= {_COUNT}))
    """)
)
"""The present value of something that changed."""

ONCE: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:i(?:'d| would) (?:\w+ )?rather (?:wait|not|go|stay|see|be|have|do|leave|start|just)|
    (?:don't|do not) want to (?!be (?:called|contacted)|receive|use|see ads)\w+|
    prefer to (?:start|begin|wait|continue|go|stay|leave|do)|as i like to say|like i prefer|
    i(?:'d| would) (?:\w+ )?rather .{1,60}(?<!\w)(?:now|today|tonight|tomorrow)(?=\W*$)|
    i(?:'d| would) (?:\w+ )?rather (?:finish|complete|fix|test|check|try|see|solve|settle|sort) .{1,60} first(?=\W*$)|
    i (?:like|prefer|love) (?:the|this|that|your) (?:\w+ ){0,2}?(?:one|option|version|draft|idea|plan)|
    (?:fan of|into|fond of|keen on) (?:what|how|your|you|it|them|this|that)(?= (?!\w+ of)|\W*$))(?!\w)
    """)
)
"""Wishes for the moment, not from now on."""

TELLS: Final = lazy_pattern(
    r"(?<!\w)i (?:\w+ly |just |also |then |today |even ){0,2}(?:decided|chose|agreed) to (?!be |never |always |not )"
    r"|(?<!\w)(?:had|went|got|took|was|were|met|saw) .{1,100}(?<!\w)we decided to(?!\w)"
)
"""Narration of a decision."""

STILL_OPEN: Final = lazy_pattern(
    r"(?<!\w)(?:open (?:question|point)|on (?:the|my|our) list|undecided|to be decided|find out|look into|"
    r"get back to you|good question)(?!\w)"
)
"""Replies that leave a question open."""
