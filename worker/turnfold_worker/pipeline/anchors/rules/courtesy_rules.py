"""Patterns for kindness, farewells, cheers and other phrases that only sound like a promise or a request."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import joined

POLITE: Final = lazy_pattern(
    joined(r"""
    ^(?:please |and |just |so |also |then |sure,? |yeah,? |ok,? |of course,? ){0,2}(?:let (?:me|us) know (?:if|how|
    what you think|whether)|feel free to|i(?:'ll| will) (?:definitely |surely )?keep (?:you|ya|u|y'all) (?:posted|
    updated|informed|in the loop)|(?:i(?:'ll| will) |let's )?keep (?:my|your|our|the) fingers crossed|
    let's (?:stay in touch|make it happen|keep (?:in touch|(?!using)\w+ing))|i(?:'ll| will) keep (?:doing|trying|going|
    at it)|tell me (?:all about it|more)\W*$|oops,? sorry (?:for|about|'bout)|take care|check (?:it|this|that) out|
    (?:do not|don't) hesitate|i hope (?:this|that|it) helps|thanks for|thank you for|i'm (?:glad|happy) to|
    any (?:help|advice|input|feedback) (?:would|will|is)(?: be)? (?:\w+ ){0,2}appreciated|
    i (?:100%|totally|fully|completely|really|absolutely|so) agree(?=,? (?:with )?\w+[.!]|[.!]|$)|
    here(?:'s| is| are) (?:one|some|another one|a few)(?= (?:i|we|of (?:mine|ours|them|those)) |[.!]|$))(?!\w)
    """)
)
"""Polite phrases, which ask for nothing."""

PLEASANT: Final = lazy_pattern(
    joined(r"""
    ^(?:please |and |just |so |also |then |sure,? |yeah,? |ok,? |of course,? ){0,2}(?:bon app[eé]tit|
    i wish i (?:had|could|was|were)|check out (?:this|these|that|my) (?:\w+ ){0,2}(?:pic|pics|photo|photos|
    picture|video|snap)|here's (?:a|another|the|my) (?:\w+ )?(?:pic|photo|picture|snap)|how about this|
    anything you need|i'm (?:always )?here for you|i(?:'ve| have) searched (?:the|for|through) .{0,80}issues?)(?!\w)
    """)
)
"""Pleasantries and encouragement, which state nothing unless they contain a value."""

_IN_NEED: Final = (
    r"(?:if|when|whenever|should|any ?time|in case) (?:you|anyone|anybody)(?: should| still| ever)?(?: have| need| find"
    r"| want)?(?: an?| any| some| more| further| other| additional){0,2}(?: \w+)? (?:questions?|help|concerns?"
    r"|problems?|trouble|assistance|support|comments?|anything)"
)
_COME_TO_US: Final = r"(?:let (?:me|us) know|contact|call|ask|reach|visit|e-?mail|tell (?:me|us))"
OFFERS_HELP: Final = lazy_pattern(
    rf"(?<!\w)(?:{_IN_NEED}(?!\w).{{0,80}} {_COME_TO_US}|{_COME_TO_US} .{{0,60}}{_IN_NEED}"
    rf"|hesitate(?= to (?:{_COME_TO_US}|give|say|get)|\W*$)|feel free to (?:{_COME_TO_US}|message|give me)"
    r"|let (?:me|us) know (?:if|when|whenever) (?:i|we) can (?:help|do|be of)"
    r"|anything (?:else |more )?(?:i|we) can (?:do|help))(?!\w)"
)
"""Offers of help ('If you need any help, let me know'), which ask for nothing until help is needed."""

_REST: Final = r"(?:(?! (?:and|but|so|then|please)(?!\w))[^,.;:!?]){0,120}"
"""The rest of the phrase, up to an 'and' that may introduce another deed."""
AND_ASKS: Final = (
    r"(?:(?! (?:and|but|so) (?:can|could|would|will|please|let|let's|i'll|i will|tell|send|give)(?!\w))[^,.;:!?])"
    r"{0,200}"
)
"""The rest up to another request; both parts of a wish or an encouragement ask for nothing."""
_ENDS: Final = r"(?=[,.!;]|$)"
_OPENING: Final = r"(?:^|(?<=[,.!] )|(?<=\band )|(?<=\bjust )|(?<=\bbut )|(?<=\bso )|(?<=\bhey ))"
"""Positions where an order begins."""
_GOES_ON: Final = (
    r"(?<!\w)(?:(?:(?:i|we)(?:'ll| will)|(?:i'm|i am|we're|we are) (?:going to|gonna)|let's|let us|gotta|"
    r"(?:have|got|need) to|(?:make|be) sure (?:that )?(?:you|to)|to) "
    r"(?:(?:definitely|surely|certainly|just|also|all|always|now|be sure to|make sure to) ){0,2})?"
)
"""Words before an order that are no promise by themselves."""

_PARTING: Final = (
    (
        rf"{_GOES_ON}(?:talk|chat|speak|catch up|write|see)(?: (?:to|with))?(?: (?:you|ya|u|y'all|each other)"
        r"(?: (?:all|both|guys))?)?(?: (?:again|very|real|all))*"
        r" (?:soon|later|around|next time|then(?=\W*$)|there(?=\W*$))(?! (?:about|on|at|with|to)(?!\w))"
    ),
    r"let's (?:chat|talk|catch up|hang out)(?: (?:again|soon|later|sometime))*(?=\W*$)",
    (
        r"(?<!\w)i(?:'ve got to|'ve gotta| have to| gotta| must| need to) (?:go|run|leave|get going|head (?:out|off))"
        rf"(?: now)?{_ENDS}"
    ),
    rf"{_GOES_ON}keep (?:you|ya|u|y'all) (?:posted|updated|informed|in the loop)(?!\w){_REST}",
    r"(?<!\w)let (?:me|us) know (?:what you think|your thoughts|how (?:it|that|things) go(?:es)?)(?!\w)",
    r"(?<!\w)keep (?:me|us) (?:posted|updated|informed|in the loop)(?=[,.!;]|\W*$| [-\u2013\u2014]| and )",
    (
        r"(?<!\w)(?:i(?:'ll| will)|let's)(?: definitely| certainly| just)? do (?:that|it|this)(?: if necessary| "
        r"then)?(?=\W*$)"
    ),
    r"^(?:(?:ok|okay|sure|yes|yeah|of course|oh)[,.]? ){0,2}i will(?=\W*$)",
)
"""Farewells, promises to keep in touch, and assent without saying to what."""
_CHEERING: Final = (
    rf"{_GOES_ON}keep (?:on )?"
    + joined(r"""
    (?:it up|up the|at it|going|trying|pushing|fighting|shining|smiling|dreaming|believing|growing|grinding|
    practi[sc]ing|learning|striving|exploring|chasing|pursuing|following (?:my|your|our)|
    (?:supporting|motivating|encouraging|inspiring|lifting) (?:each|one|you|me|us|them|others|people|everyone)|
    being (?:you|your|so|there)|doing (?:what|you|your|my|our|great|good|it)|(?:moving|looking) (?:forward|ahead|up|on)|
    using (?:my|your|our) (?:voice|talent|gift)|working (?:hard|at it|on it|towards?)|
    (?:those|your|my|our|the) (?:fingers|head|chin|spirits?)|making (?:\w+ ){0,3}(?:memories|difference))(?!\w)
    """)
    + _REST,
    _GOES_ON
    + joined(r"""
    (?:go for it|hang in there|cheer up|never give up|good luck|best of luck|take (?:heart|courage)|
    stay (?:strong|positive|safe|true|focused|motivated|well|healthy|curious|awesome)|trust the process|
    (?:believe in|trust|be kind to|be proud of|be gentle with|take (?:good )?care of|look after) (?:yourself|
    your (?:gut|instincts?))|(?:follow|chase|live) (?:your|my|our) (?:hearts?|dreams?|passions?)|
    (?:make|create) (?:\w+ ){0,3}memories|push (?:through|yourself)|
    (?:take|make|find|set aside) (?:some )?time (?:for|to care for) (?:yourself|you)|
    you(?:'ll| will) (?:do|be) (?:just |so |absolutely )?(?:great|fine|ok|okay|well|amazing(?:ly)?|awesome|
    wonderful(?:ly)?|alright|all right|brilliant(?:ly)?)|you can do (?:it|this|anything))(?!\w)
    """)
    + _REST,
    rf"(?:don't|do not|never) (?:ever )?be (?:afraid|scared|shy)(?: to| of)?(?!\w){AND_ASKS}",
    r"(?:don't|do not|never|(?:make|be) sure you (?:don't|never)) (?:ever )?"
    + joined(r"""
    (?:give up|quit(?=[,.!]|$| on| your| [-\u2013\u2014])|lose (?:hope|heart|faith)|be (?:discouraged|nervous|
    (?:too |so )?hard on)|stress|sweat|beat yourself|underestimate yourself|doubt yourself|
    stop (?:believing|dreaming|trying|being)|let (?:it|that|this|them|fear|doubts?|others|people|
    any\w{3,5}) (?:get (?:to|in)|stop|bring|discourage|hold|define))(?!\w)
    """)
    + _REST,
    (
        r"let's (?:make it (?:happen|count|work)(?=[,.!]|$)|do this(?=\W*$)|see what(?:'s| happens| comes)|enjoy|"
        r"cherish|"
        r"spread (?:(?:the|some|more|our|that) )?(?:love|joy|kindness|understanding|word|positivity|happiness|hope|"
        r"awareness)|"
        rf"(?:support|inspire|motivate|lift) (?:each|one|others|everyone))(?!\w){_REST}"
    ),
    rf"{_OPENING}give (?:it|that|this) (?:a|another) (?:go|shot|try|whirl)(?: as well| too)?{_ENDS}",
    (
        r"(?:^|\band |\bbut |\bso |\bjust )remember(?:, (?!to\b)|(?= (?:that|you|you're|your|it's|every\w*|there's|"
        r"nothing|no|life) ))(?!.{0,300}(?:(?<!n't )(?<!not )(?:need|have) to|must|should|deadline|\d)).{1,300}"
    ),
    rf"you (?:don't|do not) (?:have|need) to (?!.{{0,200}}(?:any ?more|any longer|until|before|\d)){_REST}",
)
"""Encouragement, comfort and good wishes."""
_FEELING: Final = (
    r"i(?:'ll| will|'m (?:going to|gonna)| am (?:going to|gonna)) (?:(?:definitely|surely|certainly|always|forever|"
    r"have to|make sure to|be sure to|really|just) ){0,2}"
    + joined(r"""
    (?:(?:never|always) (?:be|love|cherish|treasure|have|remember|regret|give up|forget(?! to))|cherish|treasure|
    remember (?:this|that|it|you|these|those|your|our|how)|miss (?:you|him|her|it|this|that|them|our|your)|
    regret|dream|pray|admit|be (?:ok|okay|fine|alright|all right|honest|frank|proud|grateful|thankful|excited|sad|lost|
    rooting|cheering|thinking of|dreaming|(?:happy|glad|waiting)(?=[,.!]|$| (?:for|if|whenever|no matter))|
    (?:here|there) (?:for|if|whenever|no matter))|hold (?:on to|onto)|(?:keep|bear|have) (?:that|this|it|these|those|
    them|all that|you|your \w+) in (?:mind|my)|do my best|(?:try|give it) my (?:best|all)|not give up|
    take (?:it|that|this|your (?:word|advice))(?: (?:all )?(?:to heart|in|as|one))?(?=[,.!]|$))(?!\w)
    """)
    + _REST,
    (
        r"(?:i|we) (?:won't|will not|will never|shall never) (?:ever )?(?:give up|forget(?! to)|let you down|regret|"
        rf"(?:stop|quit)(?=[,.!]|$| (?:there|trying|fighting|believing|until)))(?!\w){_REST}(?:,? i (?:promise|"
        rf"swear)(?!\w))?"
    ),
    (
        r"^(?:(?!(?<!\w)(?:i'll|i will|we'll|we will|i'm going to|i'm gonna)(?!\w)).){0,250}?(?<!\w)i (?:promise|"
        r"swear)\W*$"
    ),
    (
        r"(?<!\w)i (?:promise|swear|guarantee)(?: (?:you|to you))?,? (?:that )?(?:it|it's|that's|this|there|there's|"
        r"they|"
        rf"they're|he|he's|she|she's|you|you'll|you're|everything|things|life|no)(?!\w){_REST}"
    ),
    r"(?:you can (?:always |really |totally )?)?count on me(?! (?:to|for)(?!\w))",
    rf"(?<!\w)(?:can't|cannot|couldn't|can hardly) wait (?:to|for|until|till)(?!\w){_REST}",
    (
        r"(?<!\w)(?:excited|eager|looking forward|curious|keen|happy|glad) to (?:see|hear|hearing|seeing|try|learn|"
        r"know|read)"
        rf"(?!\w)(?! from){_REST}"
    ),
    (
        r"(?<!\w)i(?:'d| would) (?:(?:really|also|definitely|absolutely|totally|still|just) ){0,2}love (?:(?:to (?:see|"
        r"hear|"
        r"try|check|know|learn|read|visit|taste|watch|be|do|make|help|have you|take a (?:look|peek)|have a look)(?!\w)|"
        rf"(?:that|it|this|one)(?=[,.!]|$)){_REST}|to{_ENDS})"
    ),
    (
        r"(?<!\w)maybe(?: one day)?,? i(?:'ll| will| should) (?=.{0,150}(?<!\w)(?:someday|some day|one day|sometime|"
        r"one of)"
        rf"(?!\w)){_REST}"
    ),
    rf"(?:feel|feels|felt|feeling)(?: like)? (?:i|we|you) (?:can|could|should) \w+{_REST}",
)
"""Vows, longing and enjoyment."""
_RHETORICAL: Final = (
    (
        r"(?<!\w)(?:who (?:can|could|would) (?:say no|resist|blame|forget|argue|complain)|who (?:wouldn't|doesn't) \w+|"
        rf"why (?:would|should) (?:i|you|anyone|anybody|one))(?!\w){_REST}"
    ),
)
_SHOWN: Final = (
    (
        rf"{_OPENING}(?:please )?(?:just )?(?:look(?: at)?|check out|(?:take|have) a look(?: at)?) (?:this|these|that|"
        rf"those|"
        r"how|him|her|them)(?!\w)(?:(?=[,.!]|$)|[^,.;:!?]{0,100}!|"
        r"(?: \w+){0,3} (?:pics?|photos?|pictures?|videos?|snaps?|screenshots?|shots?|moments?|"
        r"views?)(?!\w)[^,.;:!?]{0,100})"
    ),
    rf"{_OPENING}check (?:it|this|that|these|those|them|him|her) out(?! (?:from|of|and|on|in|with)(?!\w))",
    rf"{_OPENING}check out (?:my|our|the)(?!\w)[^,.;:!?]{{0,120}}!",
)
"""Invitations to look at something shown, which are fulfilled at once."""
_TOLD: Final = (
    (
        r"(?<!\w)(?:they|it|this|that|which|(?<!^)who(?! (?:can|could|will|would)(?!\w))|he|she|these|those|people|"
        r"(?!(?:always|guys|folks|kids|let's|others|perhaps|plus|sometimes|thanks|us|as|is|was|does|yes)\b)\w{2,20}s|"
        r"\w{2,20}ing)"
        r" (?:(?:all|always|really|also|just|can|could|will|would|should|might|may|has|have|had|definitely|only|often) "
        r"){0,2}"
        r"(?:(?:help|motivat|inspir|encourag|guid|teach|remind|push|give|show|let|tell|make|bring|sent|send)(?:e|s|es|"
        r"ed|d)?) (?:me|us)(?:,? (?:and )?(?:also |always )?\w{2,20} (?:me|us)){0,3}(?!\w)"
    ),
    rf"(?<!\w)(?:and|but) (?:will|can|could|would|might|should) (?:(?:really|also|even) )?help (?:me|us)(?!\w){_REST}",
    (
        rf"(?:figured|thought|said|like|kept|be|that),? why not(?!\w){_REST}|i (?:just )?wanted .{{1,80}}why "
        rf"not(?!\w){_REST}"
    ),
    (
        r"(?<!\w)(?:cool|great|awesome|amazing|nice|wonderful|lovely|glad|happy|lucky|proud|impressive|inspiring)(?: "
        r"that)? "
        r"(?:you|we|they|he|she|i)(?:'re| are| were)? (?:\w+ly |just |always )?(?:can|could|down|able|going|ready|"
        r"willing)"
        rf"(?!\w){AND_ASKS}"
    ),
)
PARTS: Final = lazy_pattern("|".join(_PARTING))
"""Farewells and promises to keep in touch."""
IDLE: Final = lazy_pattern("|".join((*_PARTING, *_CHEERING, *_FEELING, *_RHETORICAL, *_SHOWN)))
"""Phrases that are idle if they contain no value: farewells, cheers, vows, rhetorical questions, things shown."""

TOLD: Final = lazy_pattern("|".join(_TOLD))
"""Descriptions that ask no one for anything: 'They help me relax', 'It's great that you can come'."""
