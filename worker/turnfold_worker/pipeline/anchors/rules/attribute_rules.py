"""Patterns for what someone or something is, has or costs, where there is one value at a time.

Each pattern matches normalized text with amounts in one form ('85000 dollars'). Named groups: `value`; `who` for the
holder, which may be someone other than the speaker; `about` or `of` for what it belongs to; `cue` for a word that says
that it holds from now on.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.home_rules import MY_HOME, WE_MOVED
from turnfold_worker.pipeline.language.quantities import SPELLED

KIN: Final = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fiancee?|son|daughter|kid|child|brother|sister|mother|father|"
    r"mom|mum|"
    r"dad|boss|friend|dog|cat)"
)
_SELF: Final = r"i(?:'m| am)"
_SINCE: Final = r"(?: now| just| only| already| currently| recently| still| also)?"
_MONEY: Final = r"\d[\d.]{0,14}k? (?:dollars|euros|pounds|yen|francs|rupees|crowns)"
_SAYS: Final = (
    r"(?: (?:is|are|has|have|been|now|currently|set|raised|lowered|increased|reduced|cut|adjusted|changed|bumped|"
    r"extended|went|gone|up|down|grew|grown|moved|pushed|back|shifted|at|of|to|on|about|around|exactly|only|"
    r"just)){1,6}"
)
_UP_TO: Final = (
    r"[^,;!?]{1,60}?(?=[,;!?]|\.(?:\s|$)|\s(?:and|but|so|because|since|as|which|after|instead|with|on|at|in|for|"
    r"starting|from|last|this|next|now|where|who|to)\s|\W{0,9}$)"
)
_NAME: Final = r"[a-z][\w'-]{1,30}"
_ENDS: Final = r"(?=[,;!]|\.(?:\s|$)| (?:and|but|so|because|now|on|at|in total)(?!\w)|\W{0,9}$)"
_FOR: Final = r"(?: (?:for|of) (?P<of>(?:[\w-]{1,30} ){0,2}?[\w-]{1,30}))?"
_COUNTED: Final = (
    r"(?:kids|children|sons|daughters|brothers|sisters|siblings|dogs|cats|pets|employees|engineers|developers|"
    r"customers|clients|users|subscribers|students|servers|hosts|nodes|bedrooms|cars|mentees|team members|people)"
)
_HAD: Final = "(?:have|have got|'ve got|manage|lead|own|mentor|employ|serve|support)"

ONE_AT_A_TIME: Final = (
    ("age", lazy_pattern(
        rf"(?<!\w)(?P<who>{_SELF}|(?:my|our) {KIN}(?: is|'s)){_SINCE} (?:turning )?(?P<value>\d{{2,3}})"
        r"(?![\d.:-]{0,9}\d)(?: years? old|(?=[,;!]|\.(?:\s|$)| and(?! \d)| but| so| years| now|\W{0,9}$))")),
    ("age", lazy_pattern(
        rf"(?<!\w)(?P<who>{_SELF}(?: [a-z'-]{{1,30}}(?: [a-z'-]{{1,30}}){{0,2}},)?|as|"
        rf"my {KIN} is) an? (?:\w{{1,30}} )?"
        r"(?P<value>\d{1,3})-year-old(?! (?:\w{1,30} )?(?:company|house|home|car|app|project|tree))")),
    ("age", lazy_pattern(
        rf"(?<!\w)(?P<who>i|my {KIN})(?:'ve| have| has)?{_SINCE} turned (?P<value>\d{{2,3}})"
        r"(?=[,;!.]| (?:on|last|this|in|yesterday|and|today)(?!\w)|\W{0,9}$)")),
    ("age", lazy_pattern(r"(?<!\w)(?P<who>my) age is(?: now)? (?P<value>\d{1,3})(?!\d)")),
    ("pay", lazy_pattern(
        rf"(?:(?<!\w)(?:i(?:'m| am)?|{_SELF} \d{{2}} and|and){_SINCE} |^)(?:earn|earning|making|make|getting paid)"
        rf"(?: about| around| roughly)? (?P<value>{_MONEY})(?= (?:a|per|each|every) \w{{1,30}}| annually| yearly|"
        rf" monthly| now|[,;.]|\W{{0,9}}$)"
    )),
    ("pay", lazy_pattern(
        rf"(?<!\w)my (?:\w{{1,30}} ){{0,2}}(?:salary|income|pay|"
        rf"wage)(?: \w{{1,30}}){{0,2}}?{_SAYS} (?P<value>{_MONEY})")),
    ("pay", lazy_pattern(rf"(?<!\w)(?:salary|pay) (?:increase|raise|rise|bump) to (?P<value>{_MONEY})")),
    ("budget", lazy_pattern(
        rf"(?<!\w)(?:my|our|the) (?P<about>(?:[\w-]{{1,30}} ){{0,3}}?)budget{_FOR}{_SAYS} (?P<value>{_MONEY})")),
    ("budget", lazy_pattern(
        rf"(?<!\w)(?:i|we)(?:'ve|"
        rf" have)?{_SINCE} budgeted (?P<value>{_MONEY}) for (?P<of>(?:[\w-]{{1,30}} )?[\w-]{{1,30}})")),
    ("budget", lazy_pattern(
        rf"(?<!\w)a(?: \w{{1,30}})? budget of (?P<value>{_MONEY})(?: for (?P<of>(?:[\w-]{{1,30}} )?[\w-]{{1,30}}))?")),
    ("thing", lazy_pattern(
        r"(?<!\w)(?:my|our|the) (?P<about>(?:[\w-]{1,30} ){0,3}?(?:deadline|due date|(?:launch|release|start|end|"
        r"target) date|"
        r"rent|price|fee|address|phone number|e?-?mail(?: address)?|password|port|version|capacity|limit|"
        r"timeout|venue|"
        rf"headcount|birthday)){_FOR}{_SAYS} (?P<value>(?=[^,;!?]{{0,40}}\d){_UP_TO})")),
    ("thing", lazy_pattern(
        r"(?<!\w)(?:i|we) have an? (?P<about>(?:\w{1,30} )?deadline) (?:of|on) "
        rf"(?P<value>(?=[^,;!?]{{0,40}}\d){_UP_TO})")),
    ("thing", lazy_pattern(
        r"(?<!\w)(?:my|our|the) (?P<about>(?:[\w-]{1,30} ){0,3}?(?:venue|location|meeting place|office|address)) is"
        rf"{_SINCE} (?:in|at|on) (?P<value>{_UP_TO})")),
    ("version", lazy_pattern(
        r"(?<!\w)(?:i|we)(?:'m|'re| am| are|'ve| have)?(?: now| just| currently| still| recently){0,2} (?:use|"
        r"using|run|"
        r"running|on|moved to|migrated to|switched to|upgraded to|updated to) "
        r"(?P<about>[a-z][\w-]{1,30}(?: [a-z][\w-]{1,20})?) (?:version )?v?(?P<value>\d{1,4}"
        r"(?:\.\d{1,4}){1,3})(?![\w-])")),
    ("version", lazy_pattern(
        r"(?<!\w)(?:i|we)(?:'ve| have)?(?: now| just| recently){0,2} (?:upgraded|updated|bumped|moved|migrated) "
        r"(?:the |our )?(?P<about>[a-z][\w-]{1,30}(?: [a-z][\w-]{1,20})?)(?: from v?\d[\d.]{0,12})? to v?"
        r"(?P<value>\d{1,4}(?:\.\d{1,4}){1,3})(?![\w-])")),
    ("owner", lazy_pattern(
        rf"(?<!\w)(?!(?:and|who|that|which|she|he|it|nobody|everyone|"
        rf"someone)(?!\w))(?P<value>{_NAME})(?: now)? (?:owns|maintains|leads|"
        rf"is (?:now )?(?:responsible for|in charge of|the owner of)) (?P<about>(?:the |"
        rf"our )?[\w-]{{1,30}}(?: [\w-]{{1,30}}){{0,2}}?){_ENDS}")),
    ("owner", lazy_pattern(
        rf"(?<!\w)(?P<about>(?:the |our )[\w-]{{1,30}}(?: [\w-]{{1,30}}){{0,2}}?) is (?:now )?(?:owned|maintained|"
        rf"led) by (?P<value>{_NAME}){_ENDS}")),
    ("owner", lazy_pattern(
        rf"(?<!\w)the owner of (?P<about>(?:the |"
        rf"our )?[\w-]{{1,30}}(?: [\w-]{{1,30}}){{0,2}}?) is(?: now)? (?P<value>{_NAME}){_ENDS}")),
    ("job", lazy_pattern(
        rf"(?<!\w)(?:promoted to|my (?:new )?(?:role|job|position) (?:is|as)|i(?: now| currently)? work as|"
        rf"i(?:'ve| have)?{_SINCE} started(?: working)? as)(?: an?| the)? (?P<value>{_UP_TO})")),
    ("employer", lazy_pattern(
        rf"(?<!\w)i(?: now| currently)? work (?:at|for) (?P<value>(?!home|myself|the moment|night){_UP_TO})")),
    ("employer", lazy_pattern(
        rf"(?<!\w)i(?:'ve| have)?{_SINCE} (?:started|got|found|accepted|(?:quit|resigned|left)[^,.;:!?]{{0,40}} and "
        rf"(?:joined|started|moved to|went to))(?: an?| my)?(?: new)?(?: job| position| role| work| working)?"
        rf"(?: at| with| for)? (?P<value>(?!an? |my |the |home|myself|night){_UP_TO})")),
    ("home", lazy_pattern(
        rf"(?<!\w)i(?:'ve| have)?{_SINCE} (?P<cue>moved|relocated) to (?P<value>(?!\w{{1,30}} \d){_UP_TO})")),
    ("home", lazy_pattern(
        r"(?<!\w)(?:i|i'm|i am|we|we're|we are)(?P<cue> now)?(?: currently| still)? (?:live|living|based) in "
        rf"(?P<value>{_UP_TO})")),
    ("home", WE_MOVED),
    ("home", MY_HOME),
    ("count", lazy_pattern(
        rf"(?<!\w)(?:i|we)(?: now)? ?{_HAD}(?: now)? (?P<value>\d{{1,7}}|{'|'.join(SPELLED)}) "
        rf"(?P<about>(?:[\w-]{{1,30}} )?{_COUNTED}){_ENDS}")),
)  # fmt: skip
"""Attribute names with patterns, for attributes whose later value supersedes an earlier one."""
SAID_ONLY: Final = (
    ("diet", lazy_pattern(
        rf"(?<!\w)(?P<who>{_SELF}|my {KIN} is|he's|she's)(?: also|"
        rf" \w{{1,30}}ly)? (?P<value>[\w-]{{1,30}})[ -]intolerant(?!\w)")),
    ("diet*", lazy_pattern(
        rf"(?<!\w)(?P<who>i|my {KIN}|he|she) (?:can't|cannot|can not) (?:have|eat|drink|"
        rf"digest) (?P<value>[\w-]{{1,30}})")),
    ("diet*", lazy_pattern(r"(?<!\w)(?P<value>\w{1,30})-free is a must for (?P<who>me)(?!\w)")),
    ("diet", lazy_pattern(rf"(?<!\w)(?P<who>my(?: {KIN}'s)?) (?P<value>\w{{1,30}}) intolerance(?!\w)")),
    ("diet", lazy_pattern(
        rf"(?<!\w)(?P<who>i|my {KIN}|he|she) (?:have|has) an? (?P<value>\w{{1,30}}) intolerance(?!\w)")),
    ("diet", lazy_pattern(
        rf"(?<!\w)(?P<who>{_SELF}|my {KIN} is|he's|she's)(?: also| \w{{1,30}}ly)? an? ?(?P<value>vegan|"
        rf"vegetarian)(?!\w)")),
    ("allergy", lazy_pattern(
        rf"(?<!\w)(?P<who>{_SELF}|my {KIN} is|he's|she's)(?: also| \w{{1,30}}ly)? allergic(?! to (?:it|them|"
        rf"that)(?!\w))(?: to (?P<value>{_UP_TO}))?")),
    ("allergy", lazy_pattern(
        rf"(?<!\w)(?P<who>i|my {KIN}|he|she) (?:have|has) an? (?P<value>\w{{1,30}}) allergy(?!\w)")),
    ("allergy", lazy_pattern(rf"(?<!\w)(?P<who>my(?: {KIN}'s)?) (?P<value>\w{{1,30}}) allergy(?!\w)")),
    ("name", lazy_pattern(rf"(?<!\w)(?P<who>my) name(?:'s| is) (?P<value>{_NAME})")),
    ("name", lazy_pattern(rf"(?<!\w)(?P<who>{_SELF}) (?P<value>{_NAME})(?: {_NAME})?, an?(?!\w)")),
    ("called", lazy_pattern(rf"(?<!\w)(?:i |we )?(?:named|call|called) (?P<who>it|him|her) (?P<value>{_NAME})")),
    ("called", lazy_pattern(rf"(?<!\w)(?P<who>his|her|its) name(?:'s| is) (?P<value>{_NAME})")),
    ("origin", lazy_pattern(rf"(?<!\w){_SELF} (?:originally )?from (?P<value>{_UP_TO})")),
)  # fmt: skip
"""The same for attributes that can be repeated but not superseded; a star marks those that are only implied."""
NAMED: Final = frozenset({"owner", "employer", "home", "name", "called", "origin"})
"""Attributes whose value is a name and so has a capital."""
