"""Limits, orders and tastes in everyday words, beside those of `standing_rules`: 'Two drinks tops'.

Parts of patterns for one clause as `spoken.plain_words` gives it.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import joined

NUMBER: Final = r"(?:\D\s?)?(?:\d|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)"
ORDER: Final = r"(?:^|[.!?:;,)] )(?:(?:please|so|and|but|also|ok|okay|thanks|oh),? ){0,2}"
"""Where an order begins."""
DO: Final = (
    r"(?:(?:always|never|only|then|first|please|you (?:should|must)|don't|do not|make sure (?:to|you)|be sure to|"
    r"remember to) ){0,3}"
    r"(?:use|include|format|provide|give|add|show|mention|list|explain|keep|avoid|write|answer|reply|respond|cite|"
    r"highlight|point out|begin|start|end|refer|state|tell|stick|put|break|summari[sz]e|compare|limit|check|present|"
    r"convert|ask|finish|close|attach|append|hand me|"
    r"suggest|recommend|offer|focus|remind|translate|describe|warn|note|skip|rewrite|round|quote|name|number|label|"
    r"structure|tailor|maintain|comment|say|assume)"
)
"""What an assistant does in an answer."""

_LIMIT: Final = r"(?:my|our|the) (?:absolute |hard |upper )?(?:ceiling|limit|max(?:imum)?|cap)"
_DAYS: Final = r"on (?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_NO_THING: Final = (
    r"(?!plans|news|signs|ideas|problems|issues|worries|questions|regrets|results|complaints|errors|files|changes|"
    r"updates|words|thanks|doubts|surprises|clues|kids|pets)\w{3,}s"
)
_NO_DEED: Final = r"(?!going|getting|telling|knowing|denying|stopping|reading|being|thing|nothing)\w{3,}ing"

LIMITS: Final = joined(rf"""
    (?:^|[:;] )no (?!way|worries|problem|regrets|idea)\w[^.;!?]{{1,70}}, ever(?=[,.!]|$)|
    (?:^|: )no {_NO_THING} (?:from|before|after|without|over|above|of) |
    (?:nobody|no one) (?!is|was|has|knows|does)\w+s(?: or \w+s)?(?: \w+){{0,3}} (?:before|after|until) (?:{NUMBER}|
    noon|midnight|my |the )|
    (?<!\w){NUMBER}[\w,.]{{0,12}}(?: \w{{1,20}}){{0,2}}(?:'s| is| are) {_LIMIT}(?!\w)|
    (?<!\w)not an? (?:penny|cent|euro|dollar|pound|day|minute|second|word|gram|inch|line) (?:over|more|later|longer)|
    (?<!\w)not an? (?:pinch|drop|sip|bite|grain|crumb|hair) more(?!\w)|
    (?<!i )(?<!you )(?<!we )(?:can't|cannot|may not|must not|mustn't) be \w+(?:ed|en|un|off|on|out|cut|shut|put|
    set)(?!\w)[^.!?]{{0,60}} (?:unless|until|before|without (?!you|your|a doubt))|
    (?:promised|sworn|swore|vowed)(?! myself)(?!\w)[^.!?]{{1,80}} (?:would|will) never (?!cry|forget|love|leave|
    give up)|
    (?<!\w)don't (?:ring|call|phone|text|page|e?mail|message|contact|disturb|visit) (?:me|us|him|her|them|my \w+|
    the \w+) (?:on|before|after|at|during|when|while|unless|until)(?! my own)(?!\w)|
    (?<!\w)nothing (?:with|containing|over|above|heavier than|bigger than) [^.!?]{{1,40}}? (?:comes|goes|gets|enters|
    leaves|in|into|inside)(?!\w)|
    (?<!\w)(?:\d{{1,6}}|one|two|three|four|five|six|ten) (?:\w{{1,20}} ){{1,3}}tops(?!\w)|
    (?<!\w)there(?:'s| is) (?:absolutely )?no (?:haggling|arguing|debate|discussion|negotiating|way around)(?!\w)|
    (?<!\w)there(?:(?:'s| is| are) to be|'ll be| will be) no(?!\w)(?! (?:doubt|question|problem|trouble|way))|
    (?<!\w)(?:(?:is|are|'s|'re) out of the question|(?:is|are|'s) an? no[ -]go)(?!\w)|
    (?<!\w)can only be \w+ (?:\w+ ){{0,4}}?(?:with|by|after|if|when|once)(?!\w)|
    ^only (?:people|kids|adults|members|staff|those|guests|grown-ups) (?:who|with|over|under|of|from|above) |
    (?<!\w)i can't (?:take|have|eat|drink|use|wear) (?:anything|any) |
    (?<!i )(?<!you )(?:doesn't|does not|won't|will not) (?:go|leave|get|ship|start|open|move|
    run)(?: \w+){{0,3}} (?:before|until|till|unless|without)(?!\w)(?! (?:you|i|me|we)(?!\w))|
    (?<!\w)keep (?:[\w']+ ){{1,6}}out of (?:anything|any|all|every)(?!\w)|
    (?<!i )(?<!we )(?:has|needs) to (?:answer|respond|finish|load|return|arrive) (?:inside|within|in under|before|
    by)(?!\w)|
    (?<!\w)(?:every|each|any|all) (?:single )?(?:\w+ ){{1,6}}(?:has|needs|have|need) to go (?:past|through|by|
    via)(?!\w)|
    (?:the|our|all|every) (?:\w+ ){{1,3}}(?:has|have) to (?:stay|remain) (?!strong|positive|calm|home|put|up|here|
    in bed|hopeful)\w+(?=[,.;]|$)|
    (?<!\w)(?:and )?not one more(?=[,.]|$)|
    (?<!i )(?<!we )(?:has|have|'s|'ve) got to (?:stay|be|remain|be kept) (?:under|over|below|above|within|in|on|at|
    off|out of)(?!\w)|
    ^nothing (?:in|of|from|about) (?:\w+ ){{1,3}}(?:leaves|goes|gets|is|may|can)(?!\w)|
    (?<!\w)that's (?:the|my|our) (?:ceiling|limit|max(?:imum)?|cap|red line)(?!\w)|
    (?<!\w)(?:mustn't|must not|can't|cannot|may not) be \w+ [^.!?]{{0,30}}(?:longer|more|later|earlier|higher|bigger|
    larger|heavier|warmer|hotter|colder|less|lower) than(?!\w)|
    (?<!\w)(?:is|are) only allowed (?:between|on|from|after|before|until|with|if|in|by|at)(?!\w)|
    (?<!\w)(?:lease|contract|policy|permit|licen[cs]e|law|insurance|insurer|council|fire officer|landlord|landlady|
    doctor|doc|surgeon|dentist|vet|accountant|lawyer) says(?: that)? (?:no |not |never |nobody |max|
    at most |only )|
    (?<!\w)(?:every|each|any|all) (?:\w+ ){{1,2}}(?:above|over|below|under) (?:\w+ ){{1,3}}needs?(?!\w)(?! to know)|
    (?<!\w)only takes \d|
    (?<!\w)may not be \w+(?:ed|en|un|nt|ld) (?:to|by|in|on|with|outside|without|for)(?!\w)|
    (?<!\w)there can't be any(?!\w)(?! (?:doubt|question))|
    (?<!i )(?<!we )(?<!you )(?:has|have|needs|need) to be (?:kept|fed|locked|signed|checked|watered|charged|covered|
    labell?ed|supervised|refrigerated|frozen|off|clear)(?!\w)|
    (?<!\w)(?:is|are) off[ -]limits(?!\w)|
    (?<!\w)max(?:imum)? \d[\d,.]* \w+ (?:on|in|at|for|of|per|a|an|each)(?!\w)|
    (?<!\w)(?:it|everything|whatever (?:we|i|you) \w+),? (?:has|have) to (?:run|work|fit) (?:on|in|with|under|
    through)(?!\w)|
    (?<!\w)not a single \w+ (?:\w+ ){{0,3}}(?:can|may|must|is allowed)(?!\w)|
    (?<!\w)no {_NO_DEED} (?:till|until|before|after|in|inside|without)(?!\w)(?! (?:mind|doubt|time))|
    (?<!\w)we (?:don't|do not|never) \w+ (?:\w+ ){{0,4}}?(?:{_DAYS}|at weekends|unless|outside)(?!\w)|
    (?<!\w)(?:is|are) off the table for good(?!\w)|
    (?<!\w)(?:can't|cannot) go (?:past|over|above|below)(?! (?:it|that|this)(?!\w))|
    (?<!\w)(?:the )?(?:most|least) (?:i'm|we're|i am|we are) allowed(?!\w)|
    (?<!\w)(?:i|we) have to be (?:back|home|there|in|out) (?:\w+ ){{0,4}}by [^.!?,]{{1,30}}every(?!\w)|
    (?<!\w)(?:nobody|no one) (?:under|over|without|below|above) (?:\w+ ){{1,4}}?(?:drives|enters|gets|uses|touches|
    rides|works|goes|comes)(?!\w)|
    (?<!\w)(?:i'm|we're|i am|we are|am|are) (?:barred|banned|prohibited) from(?!\w)|
    (?<!\w)must (?:\w+ ){{1,8}}within \d|
    (?<!\w)(?:isn't|aren't|is not|are not) permitted(?!\w)|
    (?<!i )(?<!we )(?<!you )(?:'s|has) got to be (?:\w+ ){{1,6}}by (?:{NUMBER}|noon|midnight)(?!\w)
""")
"""Hard limits."""

INSISTS: Final = lazy_pattern(
    r"^(?:that's it,? )?(?:(?:and )?(?:that(?: one)?|it|this)(?:'s| is) )?(?:(?:absolutely|strictly|really) )?"
    + joined(r"""
    (?:(?:not|non)[ -]negotiable|no exceptions?|without exception|ever|never ever|(?:a )?(?:hard|firm|strict) (?:rule|
    limit|requirement)|full stop|period|no discussions?|end of (?:story|discussion)|final|no ifs|
    (?:a )?deal[ -]?breaker|my (?:one|only) (?:veto|red line|demand|condition))(?=[,.!;]|\W*$| otherwise)|
    ^i (?:really )?mean (?:it|that)(?=[.!]|$)
""")
)
"""What makes a limit of the words before it: 'The old doors stay. Not negotiable.'."""
INSISTED: Final = lazy_pattern(
    r"(?i)negotiable|no exception|without exception|(?<!\w)ever[.,!;]|(?:hard|firm|strict) (?:rule|limit)|full stop|"
    r"period[.!]|no discussion|end of |final[.!]|no ifs|my (?:one|only) |i (?:really )?mean (?:it|that)[.!]|breaker"
)
"""Stands in every turn in which something is insisted on."""
FORBIDS: Final = lazy_pattern(r"(?<!\w)(?:can't|cannot|mustn't|must|never|nobody|no one|won't|not)(?!\w)")
"""What limits something whether or not it also says when: 'It can't be cut unless I know two days before'."""
NOTES_DOWN: Final = lazy_pattern(
    r"^(?:please )?(?:put|write|note|jot|add) (?:that|this|it) (?:down|in|on|into|to)(?!\w)"
)
"""'Put that in the plan, by May at the latest': what is to be written down was said before."""
ORDERS_BY_ASKING: Final = lazy_pattern(
    r"^(?:please )?(?:could|can|would|will) you (?:please )?(?:stop|quit|always|never|keep)(?!\w)"
    r"|,? (?:ok|okay|alright|all right|right|yeah|got it|clear|understood|please|will you)\?$"
)
"""An order in the form of a question: 'Could you stop guessing?', 'Metric only, ok?'."""

_AMOUNTS: Final = (
    r"(?:measurements|measures|lengths|distances|weights|temperatures|prices|amounts|sums|dates|times|speeds|volumes|"
    r"heights|sizes)"
)
_COURTESIES: Final = (
    r"(?:pep talks?|preambles?|disclaimers?|intros?|introductions?|apologies|compliments|flattery|lectures?|small talk|"
    r"pleasantries|caveats|recaps?|warnings|sugar-?coating|fluff)"
)
ORDERS: Final = joined(rf"""
    {ORDER}one (?:step|thing|question|point|topic|item|task) at a time(?=,? please|, i | for me)|
    {ORDER}(?:(?:{DO}|put) (?:me )?(?:the |all |your |any )?|(?:and |also )?){_AMOUNTS} in (?!a |the |order|bold|
    mind)\w+(?=,| please|\W*$)|
    {ORDER}leave (?:my|our) [\w' -]{{1,30}} alone(?!\w)|
    {ORDER}(?:you can |feel free to )?(?:skip|spare me|leave out|drop|save) (?:the |your |
    all (?:the )?)?(?:\w+ )?{_COURTESIES}(?!\w)|
    {ORDER}(?:lead|start|open|begin) (?:off )?with the (?:bottom line|answer|conclusion|result|short version|verdict|
    sum|recommendation|numbers?)(?!\w)|
    (?<!\w)if you(?:'re| are) (?:not sure|unsure|uncertain|guessing)[^.!?]{{0,40}}, (?:just )?(?:say|tell|ask|flag|
    admit)|
    (?<!\w)if you (?:don't|do not) know[^.!?]{{0,40}}, (?:just )?(?:say|tell|ask|admit)|
    ^(?:code(?: samples| examples| snippets)?|answers|replies|format|tone|length|units|dates|spelling): \w|
    {ORDER}before you (?:rewrite|change|edit|touch|fix|delete|send|book|run) [^.!?,]{{1,40}}?,? (?:always |please |
    first )?(?:show|ask|tell|check|warn)|
    {ORDER}explain (?:(?:things|everything|it all|stuff) )?(?:to me )?(?:like|as if) i(?!\w)|
    {ORDER}for anything [^.!?,]{{2,30}}?,? {DO}(?!\w)|
    {ORDER}be (?:as )?(?:blunt|brutal|honest|direct|brief|concise|strict|frank|critical|ruthless|formal|
    informal) (?:with|about|in|when|as)(?!\w)|
    {ORDER}at the end of (?:each|every) (?:chat|answer|reply|message|conversation|session|day),? |
    {ORDER}(?:(?:leave out|no|skip) [^.!?]{{1,60}}|{DO} [^.!?]{{1,60}}) in (?:what|anything|everything|
    whatever) you (?:send|write|give|say)(?!\w)|
    {ORDER}(?:double.)?check your (?:sums|maths?|figures|numbers|sources|facts|arithmetic)(?!\w)|
    {ORDER}(?:could you |can you )?keep (?:the |your |all )?(?:replies|answers|responses|messages|summaries) (?:to|
    under|below|short|brief)(?!\w)|
    (?<!\w)when(?:ever)? you (?:write|give|make|send|draft|show|
    suggest) [^.!?,]{{1,40}}, \w+(?: \w+)? (?:always )?(?:comes?|goes?) first(?!\w)|
    (?<!\w)(?:when(?:ever)?|any ?time|every time|each time) (?:i|we) (?:mention|bring up|talk about|name|
    post) [^.!?,]{{1,40}}, {DO}(?!\w)|
    (?<!\w)when(?:ever)? [\w ]{{1,30}} comes? up, {DO}(?!\w)|
    ^every (?:\w+day|morning|day|week|month)(?: [^.!?,]{{1,40}})?, {DO}(?!\w)|
    {ORDER}(?:tables|bullets|bullet points|lists|prose|paragraphs|numbers) instead of (?:tables|bullets|bullet points|
    lists|prose|paragraphs|words)(?!\w)|
    {ORDER}(?:you must |always )?flag (?:it|things|anything)? ?when(?:ever)? you|
    (?<!\w)(?:when(?:ever)?|every time|any ?time|each time) you (?:draft|mention|cite|do|send|change|make|propose|
    book|touch) [^.!?,]{{1,50}}, {DO}(?!\w)|
    (?<!\w)(?:when(?:ever)?|every time|each time) i (?:paste|send|share|post|give you) [^.!?,]{{1,40}}, {DO}(?!\w)|
    (?<!\w)i (?:want|need|expect|would like|'d like) [^.!?]{{1,50}}, (?:each|every) time(?!\w)|
    {ORDER}treat me (?:as|like) an?(?!\w)|
    {ORDER}(?:don't|do not|stop|no need to) \w+ [^.!?,]{{1,40}} any ?more, (?:just|only)(?!\w)|
    {ORDER}(?:run|check|test|lint|format) [^.!?,]{{1,30}} after (?:each|every)(?!\w)|
    {ORDER}{DO} [^.!?,]{{1,30}} (?:as|in) [^.!?]{{1,40}}, (?:never|not) (?:the|in|as)(?!\w)|
    {ORDER}push back (?:on me|more|when)(?!\w)|
    (?<!\w)(?:henceforth|from today|in future)(?=,|\W*$| (?:leave|give|use|put|keep|write|send|add|make|show|
    include)(?!\w))|
    ^(?:dates|times|prices|names|numbers|sums) as (?!well|far|soon|long|if)\w|
    (?<!\w)(?:british|american|metric|imperial|plain) (?:spelling|english|units)(?: in everything| throughout| only|
     everywhere|,? please|,? thanks)|
    (?<!\w)(?:could|can|would|will) you (?:please )?(?:stop|quit) \w+ing (?:with|your|every|me|the|so)(?!\w)|
    {ORDER}(?:write|talk|speak) to me in (?:proper|full|whole|short|long|complete|simple|plain)(?!\w)
""")
"""Standing orders to an assistant."""

TASTES: Final = joined(r"""
    i(?:'d| would) sooner \w+|
    i still want my \w+|
    anything but (?:\w+ )?\w+(?= please|, please|\W*$)|
    i(?:'ve| have) gone off (?!to |on |for |with |in |the rails)\w+|
    (?:puts?) me off|
    i(?:'ve| have)? never got(?:ten)? on with|
    i(?:'m| am) more of an? [\w-]+ (?:person|guy|girl|man|woman|drinker|eater)|
    what i (?:won't|will not|refuse to|can't) (?:do|eat|drink|wear|touch|accept) is|
    \w+ over \w+(?: \w+){0,2} any (?:day|time)|
    tastes? like \w+ to me|
    leaves? me cold|
    do(?:es)? nothing for me|
    bores? me to (?:tears|death)|
    gets? me every time|
    right up my (?:street|alley)|
    where my heart is|
    (?:is|are|'s)(?:n't| not) for me(?=,|\W*$)|
    (?:is|are|'s) my (?:thing|jam|cup of tea)(?=,|\W*$)|
    (?:a )?soft spot for|
    suits? me (?:better|best)|
    not (?:a )?big on|
    i go for (?:the )?(?!a |it )\w+|
    my kind of \w+(?: \w+)? is|
    i(?:'m| am) an? (?:morning|evening|night|early|late) (?!shift|train|flight)\w+|
    ^can't stand(?! up| here| still)|
    i find \w+(?: \w+){0,3} (?:way|much|far) (?:nicer|better|easier|more)|
    i(?:'m| am) an? [\w-]+(?: \w+)? person|
    tastes? of \w+ to me|
    i(?:'ve| have) always (?:liked|gone for|loved|preferred|hated|had a thing for)|
    only happy with|
    \w+ all the way(?: for me|,|\W*$)|
    (?:drain|drains|exhaust|exhausts|irritate|irritates) me(?=[;,.]|$)|
    i do my best work|
    my thing is|
    (?:i've always been|i am|i'm) an? [\w-]+(?: \w+)? person|
    we're both [\w ]{2,20} people(?=,|\W*$)|
    beats? \w+(?: \w+)? for me|
    that's how i(?:'ve| have)? (?:always )?liked? (?:it|them)|
    is how i like|
    is (?:more )?(?:my|our) taste|
    i(?:'ve| have) never warmed to|
    \w+ for me, always|
    the \w+er the better|
    best \w+ (?:there is )?in my book|
    that's how i (?:take|like|do|drink) (?:it|mine)|
    nothing beats an? [^.!?]{1,40} for me|
    (?:wife|husband|partner|son|daughter|mum|mom|dad)'s favou?rite|
    i lean towards?|
    do(?:es)? little for me|
    not (?:too |very |that )?keen on|
    can't abide|
    (?:he|she|my \w+) (?:hates|can't stand|won't eat|doesn't eat|only eats|only drinks|prefers)|
    give me an? [^.!?]{1,60}(?:,| and) (?:and )?i(?:'m| am) (?:happy|fine|good|set)
""")
"""How somebody likes things."""
