"""Patterns for what holds for all that follows: hard limits, standing instructions to the assistant, preferences.

Each pattern matches one clause normalized by `spoken.plain_words`, whatever else the clause does.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import joined

_NUMBER: Final = r"(?:\D\s?)?(?:\d|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)"
_ORDER: Final = r"(?:^|[.!?:;,)] )(?:(?:please|so|and|but|also|ok|okay|thanks|oh),? ){0,2}"
"""Positions where an order begins."""
_DO: Final = (
    r"(?:(?:always|never|only|then|first|please|you (?:should|must)|don't|do not|make sure (?:to|you)|be sure to|"
    r"remember to) ){0,3}"
    r"(?:use|include|format|provide|give|add|show|mention|list|explain|keep|avoid|write|answer|reply|respond|cite|"
    r"highlight|point out|begin|start|end|refer|state|tell|stick|put|break|summari[sz]e|compare|limit|check|present|"
    r"convert|ask|finish|close|attach|append|hand me|"
    r"suggest|recommend|offer|focus|remind|translate|describe|warn|note|skip|rewrite|round|quote|name|number|label|"
    r"structure|tailor|maintain|comment|say|assume)"
)
"""Verbs for what an assistant does in an answer."""
_FEELING: Final = joined(r"""
    (?:so |very |such |really |quite |a bit |\w+ly )?(?:tired|exhausted|excited|thrilled|bored|worried|scared|relieved|
    stressed|pleased|devastated|overwhelmed|disappointed|delighted|amazed|surprised|frustrated|annoyed|kidding|joking|
    mistaken|confused|missed|loved|blessed|starved|interested)
""")
_SAYINGS: Final = joined(r"""
    (?:say|admit|confess|agree|mention|know|feel|think|see|try|watch|read|visit|go|come|get|have (?:been|felt|had|seen)|
    forget|regret|mind|love|like|miss|give up|lose (?:hope|sight)|stop (?:believing|dreaming|trying|learning)|
    be (?:afraid|ashamed|able|fun|nice|great|hard|tough|easy|amazing|awesome|so|like|my|your|our|feeling|thinking|
    really|tempting|lovely|wonderful|exciting|a(?:n|\b)))
""")
"""Verbs after 'must' and 'never' in feelings, guesses and encouragement."""
_PLACE: Final = joined(r"""
    (?:inside|within|in(?! touch| mind| bed| tonight)|under|below|above|on(?! top of (?:it|things))|at|out of|outside|
    off|away from|between|free of|less|more|fewer|local|private|encrypted|offline|read-only|confidential|the same|
    compatible|backward)
""")
_WHO_IS_BOUND: Final = (
    r"(?:all|every|each|any|no|only|both|neither|everything|everyone|everybody|nothing|nobody|no one)"
)

CONSTRAINT: Final = lazy_pattern(
    joined(rf"""
    (?<!\w)(?:no exceptions?(?!\w)(?! (?:was|were|is|are|occur|thrown|raised|from|in)(?!\w))|
    without (?:any )?exceptions?(?!\w)|
    under no (?:circumstances?|conditions?)|on no account|in no case|at no (?:point|time) (?:may|must|should|shall|can)|
    (?:\w+n't|not|never|no|nobody|nothing)(?!\w)[^.!?]{{1,100}} under any circumstances|
    whatever (?:you do|happens),? (?:never|do not|don't|no)|
    (?:absolutely|strictly) no (?!idea|clue|way|doubt|problem|worries|need|one|regrets|reason)\w|
    non[ -]negotiable|not negotiable|hard (?:limit|requirement|constraint|cap|rule|deadline|stop)|
    (?<!you )(?<!i )must (?:never|not|only|always|at all times)(?! {_SAYINGS}(?!\w))|
    (?<!you )mustn't(?! {_SAYINGS}(?!\w))|
    (?<!you )(?<!i )(?:may|should|shall|can) never(?! {_SAYINGS}(?!\w))|
    you must (?:never|not|only|always)(?! {_SAYINGS}(?!\w))|
    (?<!you )(?<!i )(?<!he )(?<!she )must (?:stay|remain|keep|comply|run|work|support|fit|match|include|contain|use|
    end|start|happen|finish|pass|meet|hold|leave|live|return|exceed|carry|follow|cover|respond|answer|load|complete|
    be (?:at|in|on|no|under|below|above|within|inside|between|less|more|done|ready|able to|available|compatible|<|>|
    ≤|≥|\d|(?!{_FEELING}(?!\w))(?:\w+ly )?\w{{2,}}(?:ed|en|pt|nt|ld)(?!\w)))(?!\w)|
    (?<!you have )zero tolerance for|a hard \d|at the (?:very )?latest(?! \w)|not a single .{{1,40}} (?:acceptable|
    allowed|may|must|tolerated)|
    (?:needs?|requires?) (?:my|our|\w+'s|prior|written) (?:\w+ )?(?:approval|consent|permission|sign-?off)|
    (?:keep|stay|remain|must|ha(?:s|ve) to)(?!\w)[^.!?]{{1,60}} at all times|only (?:allowed|permitted) to|
    (?:policy|policies|law|contract|licen[cs]e|rules?|regulations?|gdpr) (?:\w+ )?(?:requires?|mandates?|allows? only)|
    (?:the|our|my|policy|policies|law|gdpr) (?:\w+ ){{0,2}}(?:forbids?|prohibits?|requires? that|
    (?:do(?:es)?n't|do(?:es)? not|won't) (?:allow|permit)(?! me to (?:say|feel)))(?!\w)|
    (?:is|are) (?:strictly )?limited to {_NUMBER}|
    there (?:can|must) be no(?! (?:doubt|question|excuse|way|problem|issue|need|trouble|
    better|denying|going|turning)(?!\w))|
    (?:can't|cannot|mustn't|must not|may not) (?:spend|pay|cost|charge|use|take|drive|
    run)(?!\w)[^.!?]{{1,40}} (?:over|above|
    beyond|past) {_NUMBER}|
    (?<!it )(?<!there )(?<!that )may not (?:\w+ ){{1,6}}(?:while|during|without|unless|until)|
    (?<!i )may only (?!be an? )\w+|
    (?<!he )(?<!she )(?<!they )(?<!i )never (?:leaves?|enters?)(?= (?:the|our|my|their|this)(?!\w))|
    (?<!he )(?<!she )(?:has|needs) to (?:always )?(?:stay|remain|be kept) (?!{_FEELING}(?!\w))(?:\w+(?:ed|en|proof)|
    shut|dry|cold|cool|clean|free)|
    (?:it|everything) (?:has|needs) to fit (?:in|into|on|within|under)|must stick to|
    you (?:can't|cannot|may not) (?:ever )?(?:use|change|touch|delete|share|edit|modify|send|spend|store|add|
    remove) (?:any|
    the|my|our)(?!\w)|
    (?:can't|cannot|won't|mustn't|shouldn't|must not|may not) (?:\w+ ){{1,4}}(?:more|less|fewer|longer|later|
    earlier) than|
    it(?:'s| is) (?:absolutely )?(?:essential|vital|imperative|crucial|critical|mandatory) that (?:{_WHO_IS_BOUND}|the|
    our|
    they|it|we (?:never|always|only))|(?<!to )(?:make sure|ensure|see to it)(?: that(?!\w)|(?! that(?!\w))) (?!i |
    you |we )(?:\w+ ){{1,5}}(?:never|
    always)|
    (?:is|are|\w{{1,20}}'re|must be|stays?) capped at (?:\D\s?)?\d|
    (?:the|our|all|every|each|any) (?:\w+ ){{1,3}}(?:has|have|needs?) to (?:(?:always|still|also) )?(?:work(?! on)|
    keep \w+ing|run|pass|support|comply|match)|
    {_WHO_IS_BOUND} (?:\w+ ){{1,4}}(?:must|ha(?:s|ve) to|needs? to) (?!{_SAYINGS}(?!\w))\w|
    (?:ha(?:s|ve)|needs?) to be [<>≤≥]|(?:has|needs) to (?:always |never )?(?:be kept|stay|remain|keep|be) {_PLACE}|
    (?:have|need) to (?:always )?(?:be kept|stay|remain) {_PLACE}|
    (?:must|ha(?:s|ve) to|needs? to|may|can|should|shall|is to|are to|allowed|limited) (?:\w+ ){{0,6}}(?:at most|
    at least|
    (?:no|not) (?:more|less|fewer|later|earlier|longer) than|a (?:maximum|minimum) of|up to) (?:\D\s?)?\d|
    (?:can(?:not|'t)|can not|may not|must not|won't|shall not|should not|shouldn't|mustn't) (?:ever )?(?:exceed|
    go (?:over|
    above|beyond|below)|leave the|be (?:stored|shared|sent|sold|logged|copied|exposed|public|larger|bigger|longer|
    higher|lower|later|earlier|more|less|over|above|below|under|moved|used for|kept))|
    (?<!i've )(?<!we've )(?<!have )(?<!has )(?<!had )(?<!i )(?<!he )(?<!she )(?<!it )only ever(?! (?:been|seen|had|
    heard|met|got|did|went|
    \w+ed)(?!\w))|
    (?:is|are|\w{{1,20}}'(?:re|s|m)) (?:strictly |absolutely |never |not )?(?:forbidden|prohibited|banned|off.limits|
    mandatory|
    obligatory)|
    (?:(?:is|are|\w{{1,20}}'(?:re|s|m)) (?:not|never)|isn't|aren't) (?:allowed|permitted) to|
    (?:is|are|\w{{1,20}}'(?:re|m)) (?:legally )?(?:required|obliged|obligated) to|(?:may|must|shall) not leave|
    (?:must|ha(?:s|ve) to|needs? to) (?:\w+ ){{1,2}}(?:within|under|below|in under) (?:\D\s?)?\d|
    (?<!you )must (?:\w+ )?at least (?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)|
    must be (?:\w+ )?\w*(?:accessible|compliant|refundable|reversible|readable|proof|safe|legal|reproducible)(?!\w)|
    only (?:\w+ ){{1,3}}(?:may|are allowed to|is allowed to) \w)
    """)
    + r"|^(?:at (?:most|least)|no (?:more|less|fewer|later|earlier) than) .{1,80}(?<!\w)(?:may|can|must|should|will|"
    r"ha(?:s|ve) to|per|a|for)(?!\w)"
    + r"|(?:^|[:;] )no (?!way|worries|problem|regrets|idea)\w[^.;!?]{1,70}, ever(?=[,.!]|$)"
    + r"|^no \w+(?: \w+)? in (?:anything|any of|any \w+)(?!\w)"
    + rf"|^no(?:thing|body)? (?!way|one(?!\w))[^,.;!?]{{0,30}}(?:more|less|longer|later|larger|bigger|heavier|higher|"
    rf"older|shorter|slower|lower|earlier) than {_NUMBER}"
    + r"|^(?:everything|anything|all|every \w+|each \w+)(?!\w)[^.!?]{1,60} needs? (?:\w+ ){1,4}before(?!\w)"
    + r"|, (?:full stop|period|end of discussion|no (?:extensions|excuses|compromises?|delays|ifs.{1,20}))(?=[,;]|\W*$)"
    + r"|^(?:a )?max(?:imum)?(?: of)? (?:\d[\d,.]*|one|two|three|four|five|six|ten) \w+(?: \w+)? "
    r"(?:per|a|an|each|for|in)(?!\w)"
    + r"|^(?:nothing|nobody|no one|no \w+) (?:ever )?(?:gets?|goes|ships?|leaves?|enters?|"
    r"(?:is|are) (?:\w+ed|sent|paid|put))(?!\w).{1,40} (?:without|until|unless|before)(?!\w)"
    + r"|^(?:nobody|no one) \w+(?: \w+){1,6} (?:but|except|other than|apart from|without)(?!\w)"
    + r"|^(?:every|each) (?:\w+ ){1,3}needs (?!to(?!\w))\w"
    + r"|^(?:nobody|no one|nothing|none of \w+) .{0,40}(?<!\w)(?:may|is allowed|are allowed|must)(?!\w)"
)
"""Hard limits: what must always or never be so."""

NAMES_RULES: Final = lazy_pattern(
    r"^(?:(?:and|so|but|also|now|remember|ok|okay|here (?:are|is)|there (?:are|is)|i have|we have|just|that's|that is|"
    r"this is|those are|these are|it's)[,:]? ){0,3}(?:(?:a|an|one|two|three|four|five|six|some|several|few|the|my|our|"
    r"\d|very|really|absolutely|pretty) ){0,3}(?:hard|firm|strict|absolute|fixed) "
    r"(?:rule|limit|requirement|constraint)s?"
    r"(?: (?:here|first|to follow|for me|of mine|from me|for us))?\W*$"
)
"""Announcements like 'Two hard rules.', which state no rule themselves."""

_ANSWERS: Final = joined(r"""
    (?:answers?|answering|repl(?:y|ies|ying)|respon(?:d|se|ses|ding)|messages?|summar(?:y|ies)|explanations?|output|
    emails?|e-mails?|code|snippets?|examples?|tone|writing)
""")
_ASKED: Final = (
    r"(?:(?:when(?:ever)?|if|any ?time|each time|every time) (?:i|we) (?:(?:ask|request)(?: you)? (?:about|for|to|a|"
    r"any|questions?|how|what|why)|share|paste|say|type)"
    r"|(?:whenever|each time|every time) (?:i|we) (?:start|begin|open|post|send|show|mention)"
    r"|(?:when(?:ever)?|each time|every time) you (?:answer|correct|review|reply|respond|explain|compare|"
    r"summari[sz]e|suggest|recommend|generate|show|write|give|use|quote|cite|translate|"
    r"describe|plan|list)(?! (?:to|back)(?!\w))"
    r"|when (?:answering|replying|responding|explaining|writing|coding))"
)
"""Occasions on which an assistant is asked for something or answers."""

INSTRUCTION: Final = lazy_pattern(
    joined(rf"""
    (?<!\w)(?:please,? (?:always|never|do(?:n't| not) ever)|
    (?:in|for|with|of) (?:all|every|each|any)(?= (?:\w+ ){{0,3}}{_ANSWERS}(?!\w))|
    (?:for|throughout) (?:the|all|this)(?= (?:rest|remainder|whole|entire|of)(?!\w))(?= (?:\w+ ){{1,3}}(?:chat|
    conversation|session|project|discussion|thread)(?!\w))|
    from (?:now|here|this point|today) on(?:wards?)?(?= |[,.!]|$)|
    throughout (?:this|our|the) (?:chat|conversation|session|thread)|
    in (?:your )?(?:future|later|further|following)(?= (?:answers|replies|responses|messages|summaries)(?!\w))|
    in (?:everything|anything|all that|whatever) you (?:write|say|suggest|send|answer|propose)|
    (?:keep|bear) (?:that|this|it) in mind (?:in|for|when|whenever)|
    i(?: want| need| expect| would like|'d like) you to (?:always|never|only))(?!\w)
    """)
    + "|"
    + _ORDER
    + joined(r"""
    (?:(?:answer|reply|respond|write|speak|talk)(?: to me)?(?: only)? in (?=(?:english|german|french|spanish|italian|
    dutch|portuguese|polish|czech|swedish|danish|norwegian|finnish|turkish|russian|ukrainian|arabic|hebrew|hindi|
    japanese|
    korean|chinese|mandarin|welsh|plain|simple|bullet|markdown|json|short|full|british|american)(?!\w))|
    (?:answer|reply|respond)(?: to me)? (?:only|just|strictly) (?:with|in|as)|(?:speak|talk) to me (?:like|as)|
    (?:(?:don't|do not|stop|never) )?call(?:ing)? me (?!back|when|if|at|on|to|tomorrow|later|today|crazy|old|a |an |by |
    maybe|asap|again|any)|address me as|
    (?:use|stick to)(?= (?:only )?(?:british|american|metric|imperial|plain|simple|formal|informal)(?!\w))|
    no (?=(?:emojis?|emoticons|em.dash(?:es)?|bullet points?|tables|jargon|markdown|apologies|preamble|disclaimers?|
    small talk)(?!\w))|
    (?:don't|do not|stop|avoid)(?= (?:us(?:e|ing)|giv(?:e|ing)|writ(?:e|ing)|start(?:ing)?|add(?:ing)?|includ(?:e|ing)|
    mention(?:ing)?|suggest(?:ing)?|
    recommend(?:ing)?|apologi[sz](?:e|ing)) (?:\w+ ){0,5}(?:emojis?|emoticons|jargon|bullet points?|markdown|slang|
    semicolons|tabs|exclamation marks?|em.dash(?:es)?|disclaimers?|apologies|preambles?|comments|abbreviations|
    acronyms)(?!\w)))
    """)
    + rf"|{_ORDER}{_DO}(?!\w)[^.!?]{{1,160}}? {_ASKED}(?!\w)"
    + rf"|{_ORDER}{_ASKED}(?!\w)[^.!?,]{{0,120}}, {_DO}(?!\w)"
    + rf"|{_ORDER}(?:{_DO}|(?:don't|do not|never|stop|always) \w+)(?!\w)[^.!?]{{0,100}}? in your {_ANSWERS}(?!\w)"
    + rf"|{_ORDER}(?:stop|quit|avoid) \w+ing (?:\w+ )?your {_ANSWERS}(?!\w)"
    + rf"|{_ORDER}(?:make sure (?:that )?)?(?:each|every|all)(?: of)?(?: your)? {_ANSWERS}(?: you \w+)? "
    r"(?:should|must|needs?|has|have)(?!\w)"
    + rf"|{_ORDER}(?:as a (?:general )?rule|in this (?:chat|conversation|session|thread)),? {_DO}(?!\w)"
    + rf"|{_ORDER}for (?:every|each|any|all) [^.!?,]{{2,60}}, {_DO}(?!\w)"
    + rf"|{_ORDER}{_DO} everything you (?:write|say|send)(?!\w)"
    + rf"|{_ORDER}(?:keep|make) (?:your |all )?(?:answers|replies|responses|summaries|explanations|messages)(?!\w)"
    + rf"|{_ORDER}(?:do not|don't) (?:ever )?(?:touch|change|modify|edit|delete|rename|remove|overwrite|rewrite|reword|"
    r"rephrase|correct|shorten|translate|reformat) "
    r"(?:any|anything|the|my|our)(?!\w)(?![^.!?]{0,80}(?<!\w)(?:yet|now|today|tonight|until)(?!\w))"
    + rf"|{_ORDER}(?:begin|start|open|end|close|finish|keep|write|format|make(?= (?:each|every|all))) "
    rf"(?:each|every|all|your)(?: of your)? (?:\w+ )?{_ANSWERS}(?!\w)"
    + rf"|{_ORDER}before (?:you )?(?:answer|reply|respond|code|write code)(?:ing)?,? (?:\w+ )?{_DO}(?!\w)"
    + rf"|{_ORDER}{_DO}(?!\w)[^.!?]{{3,100}},? (?:always|every time|each time|without fail|"
    r"every (?:single )?one(?: of them)?)\W*$"
    + rf"|{_ORDER}(?:stop|quit|no more) (?:(?:constantly|always) )?(?:apologi[sz]ing|hedging|lecturing|"
    r"repeating (?:yourself|my)|flattering|praising|calling me)(?!\w)"
    + rf"|(?:{_ORDER}|i(?: want| need| expect| would like|'d like) you to )(?:always )?(?:ask|check with|warn)"
    r"(?: me| us)?(?: first)? before (?:you )?(?:ever )?"
    r"(?:delet|chang|send|run|edit|commit|book|buy|touch|overwrit|apply|mak|"
    r"remov|publish)\w*"
)
"""Standing instructions to an assistant, in addition to `statement_rules.STANDS`."""
OCCASION: Final = lazy_pattern(rf"(?<!\w){_ASKED}(?!\w)(?P<occasion>[^,.!?]{{0,160}})")
"""The occasion on which an instruction applies."""

_VERY: Final = (
    r"(?:(?:really|honestly|just|strongly|generally|usually|always|still|much|also|both|all|do|would|very|\w+ly|"
    r"tend to) ){0,3}"
)
PREFERENCE: Final = lazy_pattern(
    joined(rf"""
    (?<!\w)(?:i(?:'d| would)? {_VERY}(?:prefer|favou?r|rather(?! not\W*$))|we(?:'d| would)? {_VERY}(?:prefer|
    rather)|my (?:\w+ )?preferences?(?! statement)|
    (?:is|are|was|were|as)(?: \w+)? my(?: \w+)? favou?rites?|my(?: \w+)? favou?rites?(?: \w+){{0,4}} (?:is|are)|
    i (?:like|love|enjoy) .{{1,60}}? (?:better|best|more than|most)(?!\w)|
    i {_VERY}(?:dislike|hate|detest|despise|loathe|can't stand|cannot stand|avoid)(?! (?:to (?:say|see|hear|break|
    admit)|
    it when))|
    (?:is|are)(?:n't| not) (?:really )?my (?:thing|style|taste|cup of)|
    (?:i|we) (?:{_VERY})(?:don't|do not|never) (?:{_VERY})(?:want|like|enjoy|care for)(?! to (?:be (?:rude|a )|
    go through|
    miss|lose|
    see you|bother|sound|say|get in))|
    i(?:'m| am) (?:not )?(?:really |very |such |quite |more )?(?:an? (?:big |huge |great |real )?fan of|
    fond of|into(?!\w)|picky|partial to|keen on)|
    i(?:'m| am) (?:not (?:really |much of )?|more of |very much )an? (?!good|bad|nice|great|big)(?:\w+ )?(?:person|
    drinker|
    eater|reader|travell?er|sleeper|lover)|i(?:'m| am) happiest (?:when|with|in)|
    i (?:work|learn|sleep|focus|concentrate) best|
    i like my \w+ (?!(?:because|and|but|so|a|the|too|very|as|when|to|in|at|on|with|for|of|is|it|more|better|that|
    now)(?!\w))\w+|
    (?:i|we) (?:usually|generally|normally|typically|always|mostly) (?:go for|choose|pick|opt for|stick to|book|buy|
    wear|
    order)|(?:what|which) i (?:like|love|enjoy|prefer) (?:best|most)(?! about)|
    (?:mornings|evenings|afternoons|nights|weekends|weekdays|\w+days) (?:usually |generally )?(?:suit me|
    work (?:best|better) for me)|\w+ over \w+ for me|
    no \w+(?: \w+)? for (?:me|us)(?=,? please|\W*$)|i(?:'m| am) an? (?:night owl|early bird|homebody|introvert|
    extrovert)|
    i only (?:eat|drink|use|buy|wear|watch|read|listen to|play|stay|fly|work|shop)|
    i (?:always|never|exclusively|strictly) (?:eat|drink|use|buy|wear|watch|read|listen|play|stay|fly|travel|book|
    take (?:my|the|an?)|choose|
    order|go for|shop))(?!\w)
    """)
)
"""Preferences."""

BODILY: Final = lazy_pattern(
    r"(?<!\w)(?:allerg\w+|anaphyla\w+|intoleran\w+|diabetic|coeliac|celiac|phobia|aversion|vegan|vegetarian|halal|kosher|"
    r"makes? me (?:ill|sick|dizzy)|can(?:'t|not) (?:have|eat|drink|handle|tolerate))(?!\w)"
)
"""Demands of health or faith, which are no preferences."""
INSISTS: Final = lazy_pattern(
    r"^(?:that's it,? )?(?:(?:and )?(?:that(?: one)?|it|this)(?:'s| is) )?(?:(?:absolutely|strictly|really) )?"
    + joined(r"""
    (?:(?:not|non)[ -]negotiable|no exceptions?|without exception|ever|never ever|(?:a )?(?:hard|firm|strict) (?:rule|
    limit|requirement)|full stop|period|no discussions?|end of (?:story|discussion)|final|no ifs|
    (?:a )?deal[ -]?breaker|my (?:one|only) (?:veto|red line|demand|condition))(?=[,.!;]|\W*$| otherwise)|
    ^i (?:really )?mean (?:it|that)(?=[.!]|$)
""")
)
"""Phrases that turn the clause before them into a limit: 'The old doors stay. Not negotiable.'."""
INSISTED: Final = lazy_pattern(
    r"(?i)negotiable|no exception|without exception|(?<!\w)ever[.,!;]|(?:hard|firm|strict) (?:rule|limit)|full stop|"
    r"period[.!]|no discussion|end of |final[.!]|no ifs|my (?:one|only) |i (?:really )?mean (?:it|that)[.!]|breaker"
)
"""Prefilter: matches every turn in which something is insisted on."""
FORBIDS: Final = lazy_pattern(r"(?<!\w)(?:can't|cannot|mustn't|must|never|nobody|no one|won't|not)(?!\w)")
"""Matches what limits something whatever condition is stated: 'It can't be cut unless I know two days before'."""
NOTES_DOWN: Final = lazy_pattern(
    r"^(?:please )?(?:put|write|note|jot|add) (?:that|this|it) (?:down|in|on|into|to)(?!\w)"
)
"""'Put that in the plan, by May at the latest': what is to be noted was stated before."""
ORDERS_BY_ASKING: Final = lazy_pattern(
    r"^(?:please )?(?:could|can|would|will) you (?:please )?(?:stop|quit|always|never|keep)(?!\w)"
    r"|,? (?:ok|okay|alright|all right|right|yeah|got it|clear|understood|please|will you)\?$"
)
"""Orders in the form of a question: 'Could you stop guessing?', 'Metric only, ok?'."""
