"""Patterns that cast doubt on the later worth of a clause: feelings, hearsay, aims met at once, chit-chat."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import joined

_HOW: Final = r"(?:so |very |really |truly |super |quite |pretty |just |such |too |\w+ly )?"
_GOOD: Final = joined(r"""
    (?:amazing|awesome|great|fantastic|wonderful|incredible|beautiful|gorgeous|stunning|lovely|cool|fun|funny|nice|neat|
    cute|sweet|cozy|delicious|tasty|yummy|special|powerful|inspiring|rewarding|fulfilling|satisfying|exciting|
    refreshing|calming|peaceful|relaxing|soothing|scary|tough|hard|crazy|wild|weird|surreal|magical|unforgettable|
    memorable|electric|intense|emotional|interesting|enlightening|welcoming|breathtaking|comforting|therapeutic|
    important to me|a blast|a lot of fun|a joy|a treat|a dream|a ride|a journey|a must.see|good|bad|terrible|awful|sad|
    frustrating|annoying|stressful|overwhelming|delightful|vibrant|terrific|epic)
""")
_FELT: Final = joined(r"""
    (?:grateful|thankful|proud|happy|glad|thrilled|excited|lucky|blessed|honou?red|inspired|motivated|relieved|nervous|
    anxious|worried|scared|sad|upset|stuck|curious|confident|accepted|empowered|liberated|fulfilled|amazed|moved|
    touched|pumped|stoked|stressed|tired|exhausted|bummed|devastated|frustrated|overwhelmed|good|great|okay|fine|better)
""")
FEELING: Final = lazy_pattern(
    joined(rf"""
    (?<!\w)(?:(?:it|that|this|they|he|she|these|those|\w+s)(?:'s|'s been|
    (?: (?:is|was|are|were|has been|have been|looks?|looked|sounds?|sounded|feels?|felt|
    turned out)))(?: \w+ to \w+)? {_HOW}{_GOOD}|(?:is|was|were|are|be|been) {_HOW}{_GOOD}(?:[.,!]|$)|
    i(?:'m| am| was|'ve been| feel| felt) {_HOW}{_FELT}(?!\w)|felt {_HOW}(?:{_FELT}|{_GOOD}|right|wrong|like)|
    i feel(?: like)? \w+|makes? me (?:feel|happy|smile|think|proud|sad)|made me \w+|remind(?:s|ed) me|means (?:a lot|
    so much|
    the world)|meant (?:a lot|so much|the world)|had (?:a|such a|so much) {_HOW}(?:blast|{_GOOD}|fun)(?: time| day)?|
    can't (?:stop thinking|believe|wait)|crossing my fingers|gave me (?:a sense|hope|courage|strength|chills|joy)|
    we got this|no regrets|worth it|heart(?:s|'s)? \w+|(?:gives?|brings?) (?:me|us|so much|lots of) (?:joy|happiness|
    peace)|
    been (?:busy|great|good|crazy|wild|hectic|quite)|such an? {_HOW}{_GOOD})(?!\w)
    """)
)
"""Feelings and impressions, which matter little by themselves."""

HEARSAY: Final = lazy_pattern(
    r"(?<!\w)(?:i(?:'ve| have)? (?:heard|think|guess|suppose|believe|bet|figured?|noticed|was thinking|wonder(?:ed)?)|"
    r"i(?:'m| am) (?:sure|certain|not (?:really |quite |entirely )?sure|thinking|guessing|considering|wondering|"
    r"unsure|confused)|"
    r"(?:maybe|perhaps|probably|apparently|seems? (?:like|to)|might be|could be|not sure))(?!\w)"
)
"""Hearsay, guesses and thoughts."""

AIM: Final = lazy_pattern(
    joined(rf"""
    (?<!\w)(?:i(?:'m| am|'ve been| have been)? {_HOW}(?:also |still |now |kinda |kind of |currently )?(?:trying|looking|
    hoping|wanting|struggling|planning|working|having (?:trouble|issues|a hard time|difficulty)|getting)(?!\w)|
    (?:i|we) (?:also |really |just |still |now )?(?:want(?:ed)?|wanna|need(?:ed)?|would like|would love|hope|
    wish)(?!\w)|^wish(?!\w)|
    i(?:'d| would) (?:also |really )?(?:like|love) to|my (?:goal|aim|dream) (?:is|was)|i(?:'ve| have) (?:tried|
    been trying|
    defined|got|heard))(?!\w)
    """)
)
"""Present aims: a request nearby usually says what they are for, and the reply settles them."""

CONSEQUENCE: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:signed|joined|adopted|quit|moved|bought|sold|won(?!')|lost|applied|enrolled|registered|booked|
    submitted|sent|
    promoted|hired|fired|married|engaged|divorced|graduated|born|died|passed away|diagnosed|launched|released|deployed|
    merged|migrated|upgraded|switched|cancel+ed|approved|rejected|rejection|accepted|confirmed|agreed|decided|chose|
    chosen|named|completed|published|ordered|paid|invited|pitched|crashed|retired|allocated|budgeted|scheduled|updated|
    increased|reduced|pregnant|broke|broken|injured|accepted|allergic|founded|started|finished|volunteered?|opened|
    closed|expired|renewed|granted|awarded|built|created|developed|organi[sz]ed|milestone|got (?:the|a|an|
    my) (?:\w+ )?(?:job|
    offer|role|position|place|grant|visa|promotion|raise|scholarship)|installed|configured|enabled|disabled|removed|
    replaced|deleted|blocked|failed|
    leaked|promised|(?:i'm|we're|i am|we are|he's|she's) (?:\w+ )?(?:starting|joining|moving|leaving|having a baby)|
    only(?! \w+ (?:time|way|thing))|undecided|nothing (?:more|else|but|heavier)|
    may (?!be\b|have\b|seem\b)\w+|responsible for|in charge of|owns|depends on|belongs? to|called)(?!\w)
    """)
)
"""Events that change the situation, and conditions that last until something changes them."""

PAST: Final = lazy_pattern(
    r"(?:^|[.,;:!?] |(?<!\w)(?:and|but|so|then|that|when|because) )(?:(?:and|but|so|then|yeah|oh|well|also),? ){0,2}"
    r"(?:i|we|he|she|they|it|you|(?:the|my|our|his|her|their) \w+(?: \w+)?|[a-z]{3,12})(?: (?:\w+ly|just|also|even|"
    r"all|both|once|never))?"
    r" (?:\w{2,14}ed|was|were|had|did|went|got|came|made|took|saw|said|told|knew|felt|found|gave|ran|thought|met|spent|"
    r"kept|left|wrote|drew|ate|sang|sat|stood|heard|held|brought|led|let|rode|drove|built|caught|fell|grew|wore|slept)"
    r"(?!\w)"
)
"""Narration of past events."""

VAGUE: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:definitely|for sure|have to check|check (?:it|that|this|them|out)|give (?:it|that|
    this) an?(?:other)? \w+|try (?:it|that|this)|look into|
    add (?:it|that|them|this|those)|keep (?:\w+ing|it up|me posted|up)|think about|consider|some ?time|
    some ?day|one day|ask around|make sure to|be sure to|start thinking|
    take (?:a look|notes|care|lots|your time)|let me know|
    get 'em|next time|stay|do my best|remember|explore|focus on|reflect|practi[sc]e)(?!\w)
    """)
)
"""Vague or merely kind promises and requests."""

SMALL_QUESTION: Final = lazy_pattern(
    r"^(?:(?:just|a|one|quick|little|random|side) ){0,3}(?:by the way|btw|off.topic|unrelated|random|aside|"
    r"out of curiosity|just curious|on (?:an unrelated|another|a side) note)(?: (?:question|thought|thing|note))?"
    r"(?:,| [-\u2013\u2014]|:|(?= (?:did|do|have|what|is|are|any|who|how|where)(?!\w)))|"
    r"(?<!\w)(?:did|have) you (?:guys )?(?:happen to |ever |already |also )?(?:see|seen|catch|caught|watch|"
    r"watched|hear|heard) "
    r"(?:\w+ ){0,4}(?:article|game|match|movie|film|show|episode|video|news|song|podcast)(?!\w)|"
    r"(?:, (?:right|eh|huh|no|yeah|yes|okay|ok|you know|isn't it|don't you think|aren't they|doesn't it|wouldn't you)|"
    r"(?<!\w)(?:isn't it|don't you think|aren't they|doesn't it|you know what i mean))\W*$|"
    r"(?<!\w)(?:what's (?:up|new|been going on|going on)|how(?:'re| are| is|'s) (?:ya|you|u|it|everything|things|"
    r"life)(?!\w)|"
    r"who (?:doesn't|wouldn't)|any (?:news|plans|updates?)\W*$)"
)
"""Greetings, tag questions and rhetorical questions."""

CHIT_CHAT: Final = lazy_pattern(
    r"^(?:ha(?:ha)*|lol|hey|aww?|oh (?:no|wow|my)|wow|yum|mmm+)(?!\w)|"
    r"(?<!\w)(?:must.(?:see|read|try|have|watch|visit)|favou?rite (?:part|parts|memor\w+|moments?|thing about)|"
    r"take (?:the|that|your) bet|it's a bet|keep it (?:real|casual)|"
    r"(?:i'll|i will|we'll|let's) keep it (?:short|simple|brief|light)|"
    r"never want to (?:\w+ )?(?:go|see|do|have|experience))(?!\w)|"
    r"(?<!\w)(?:talk|see you|see ya|speak|catch up|chat)(?: to you| with you)? (?:next (?:week|time)|soon|later|then|"
    r"tomorrow|"
    r"around)(?!\w)|"
    r"(?<!\w)(?:off to (?!the (?:printer|client))|(?:have|got) to (?:run|go)(?= to|[,.!]|$)|gotta (?:go|run)|brb|"
    r"be right back|"
    r"here(?:'s| is| ya go| you go)(?:,| (?:a|an|another|the|my|some))? (?:\w+ ){0,2}(?:pic|pics|photo|photos|"
    r"picture|snap)|"
    r"i(?:'m| am) (?:\w+ )?in awe|"
    r"take a look|hope you(?:'re| are)|good to (?:see|hear)|wish(?:ing)? you|congrat\w*|cheers|well done|"
    r"good (?:luck|job)|"
    r"i(?:'ll| will) (?:always|never) (?:remember|forget)|you(?:'re| are) (?:so |such |really |the )?(?:right|"
    r"welcome|kind|sweet|"
    r"best|awesome|amazing)|at least (?:i|we|you|it|he|she|they|now|the|that|there|in)(?!\w))(?!\w)"
)
"""Openings, farewells and compliments."""

OF_THEIR_LIFE: Final = lazy_pattern(
    r"(?<!\w)(?:you|your|ya|u|y'all)(?!\w)|(?<!\w)(?:what|which|how|where) (?:\w+ ){0,2}(?:was|were|is|are|did|do|"
    r"does|made)"
    r" (?:it|that|this|they|them)(?!\w)"
)
"""Questions that people ask about each other's lives."""

WHEN: Final = lazy_pattern(
    r"(?<!\w)(?:(?:days?|weeks?|months?|years?|hours?) (?:ago|earlier|before)|since (?:\d{4}|i was|last|then)|"
    r"(?:last|this|next) (?:week|month|year|weekend|summer|winter|spring|autumn|fall|night|time|\w+day|january|"
    r"february|march|"
    r"april|may|june|july|august|september|october|november|december)|for (?:\w+ ){1,3}(?:days|weeks|months|years) now|"
    r"a (?:day|week|month|year) now|as a (?:child|kid|teenager|student)|when (?:i|we) (?:was|were))(?!\w)"
)
"""Times in words."""

COMPUTES: Final = lazy_pattern(
    r"[=≈×]\s{0,2}[\d(\\-]|[\d)]\s{0,2}[=≈×]|\\[(\[a-z]|(?<![\w/.-])\d{1,4}/\d{1,4}(?![\w/-])|\d!(?!\w)"
)
"""Calculations, whose result is next to them."""

WANTS_HELP: Final = lazy_pattern(
    r"(?<!\w)(?:(?:can|could|would|will) you|help me|i (?:need|want|would like|'d like) (?:some |your |"
    r"a bit of )?(?:help|advice)|"
    r"how (?:can|do|should|would) i|(?:would|should|can|do) i (?:use|need|have))(?!\w)"
)
"""Requests for words, which the reply settles."""

DEFINITE: Final = lazy_pattern(
    r"(?<!\w)(?:the|my|our|his|her|their|its|every|each|all)(?: of (?:the|my|our|his|her|their))? "
    r"(?!list(?!\w)|best(?!\w)|time(?!\w)|way(?!\w)|mind(?!\w)|thoughts(?!\w)|world(?!\w)|details(?!\w))[a-z]"
)
"""Definite nouns: 'the keys', 'every page'."""

KIND: Final = lazy_pattern(
    r"(?<!\w)(?:definitely|for sure|sometime|some day|someday|one day|i'm sure|(?:add|put) (?:it|that|them) (?:to|"
    r"on) my list)(?!\w)"
)
"""Kind promises between people, whatever they name."""

ADMITS: Final = lazy_pattern(
    r"(?<!\w)(?:(?:i|we)(?:'m| am| was| were| got) (?:\w+ )?(?:wrong|mistaken)|my (?:mistake|bad)|(?:i|we) (?:misspoke|"
    r"misread|mixed (?:it|that|them|this) up)|let me (?:correct|rephrase)(?: (?:that|this|myself))?)"
    r"(?: (?:about|on|with|there|earlier|before)(?: (?:the|my|our|that|this|it)(?: \w+)?)?)?\W*$"
)
"""Admissions of a mistake that do not say yet what is right."""

UNSURE: Final = lazy_pattern(
    r"^(?:(?:but|and|so|also),? ){0,2}i(?:'m| am) (?:\w+ )?not (?:\w+ )?(?:sure|certain) (?:what|how|if|whether|which|"
    r"why|where|when|who)(?!\w)"
)
"""Statements of not knowing, which promise nothing and ask for no deed."""
