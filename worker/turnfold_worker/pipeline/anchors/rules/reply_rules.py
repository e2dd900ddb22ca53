"""Patterns for replies (yes, no, thanks) and for the questions that expect them. See `rule`."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import LEAD, joined

ACCEPTS: Final = lazy_pattern(
    joined(r"""
    ^(?:(?:oh|well|um|uh|ah|hmm|yeah|yes|yep|ok|okay)[,.! ]{1,3}){0,3}(?:yes|yeah|yep|yup|sure(?: thing)?|ok|
    okay|all right|alright|right|fine|good|great|perfect|excellent|cool|certainly|of course|absolutely|
    definitely|agreed|deal|no problem|with pleasure|my pleasure|gladly|sounds (?:good|great|perfect|fine|
    wonderful|right|okay|ok|lovely)|affirmative|that(?:'?s| is| will be|
    'll be| will| would| would be| sounds| works| seems| suits| should)? (?:sounds |all |very |it\b|absolutely |
    totally |is |be |completely |quite |exactly |really |just )?(?:fine|good|great|perfect|right|correct|ok|
    okay|works?|wonderful|excellent|true|it|accurate|confirmed|a good idea|suits?(?: for)?(?: me)?|
    what i (?:want(?:ed)?|requested|need(?:ed)?|said|asked for)|exactly|alright|acceptable|what i want)|
    it works|works for me|looks (?:good|great|right|fine|correct|perfect)|correct|confirm(?:ed)?|exactly|
    yes please|please do|sounds very good|suits me|great|you have (?:them|it|that) right|please and thank|do it|
    go ahead|go for it|you got (?:it|that)|got it|indeed|why not|i'd (?:love|like|be glad|be happy) to|i will|
    here (?:you are|it is|they are|you go|is|are)|good idea|i confirm|i agree|i approve|i accept|it is|
    it's (?:correct|right|fine|good|ok|okay|perfect|great)|everything|all (?:good|correct|set)|you're (?:right|
    correct)|proceed|yea|ya|y)(?!\w)
""")
)
"""Yes to a request, an offer or a proposal."""

CONFIRMS: Final = lazy_pattern(
    joined(r"""
    ^(?:(?:yes|yeah|yep|yup|ok|okay|great|perfect)[,.! ]{1,3}){0,2}(?:that(?:'?s| is)? (?:all |also |
    absolutely |exactly |totally |quite |indeed )?(?:correct|right|accurate|what i (?:want|need|said))|correct|
    exactly right|(?:all|everything) (?:is |looks )?(?:correct|right))(?!\w)
""")
)
"""Confirmation of a statement rather than of a request."""

REFUSES: Final = lazy_pattern(
    joined(r"""
    ^(?:(?:oh|well|um|uh|ah|hmm|thanks|thank you|but)[,.! ]{1,3}){0,3}(?:no(?! problem)|nope|not (?:now|yet|
    really|today|at all|right now)|sorry|i'm sorry|i am sorry|i'm afraid|i(?:'d| would) rather not|i can't|
    i cannot|unfortunately|never|i don't (?:want|need|think)|that's not|wrong|incorrect)(?!\w)
""")
)
"""No."""

DECLINES_OUTRIGHT: Final = lazy_pattern(
    joined(r"""
    ^(?:(?:oh|well|um|uh|ah|hmm|sorry|thanks|thank you)[,.! ]{1,3}){0,3}(?:(?:no|nope|nah)(?=[,.!;]|$|
    \s(?:thanks|thank|i|need)(?!\w))|
    i(?:'d| would) rather not|i(?:'m| am) afraid (?:not|i can't)|i (?:can't|cannot)(?! wait|
    believe)|that won't be necessary)(?!\w)
""")
)
"""A final no, as opposed to 'not now'."""

GOES_ALONG: Final = lazy_pattern(
    joined(r"""
    ^(?:thanks|thank you|there you (?:are|go)|here(?:'s| is)|i see|(?:oh,? )?(?:that|
    it)(?:'s| is| sounds) (?:\w+ )?(?:nice|kind|great|lovely|a deal|interesting|fun|terrible|too)|maybe|
    i(?:'ll| will)|i guess|i don't think|but )(?!\w)
""")
)
"""Neither yes nor no, but in agreement with the request."""

CLOSING: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:that(?:'s| is|'ll be| will be|'d be| would be|s) (?:all(?! (?:correct|right|fine|good|
    true))|it|everything)|(?:no|
    nothing)(?: more| else| further)|not (?:now|yet|at this time|right now|at the moment)|no,? thanks|
    no,? thank you|thanks for|bye|good ?bye|not needed|some other time|maybe later)(?!\w)
""")
)
"""The speaker wants nothing more."""

TAKES_IN: Final = lazy_pattern(
    joined(r"""
    ^(?:(?:oh|oops|aw+|wow|hey|yeah|yes|no|well|man|ah)(?: [a-z]{1,20})?[,.!] |
    (?:oh|aw+|wow) ){0,3}(?:(?:i'm |i am |we're )?(?:(?:so|really|very|truly) )?(?:glad|sorry|congrats|congratulations|
    happy (?:for|to hear|you))|
    (?:awesome|great|good|cool|nice|amazing) (?:that|to hear|luck)|have (?:fun|a)|enjoy|take care|hope (?:you|it)|
    it(?:'s| is) (?:so |totally |perfectly )?(?:normal|natural|okay|ok|understandable) to|
    (?:that|this|it)(?:'s| is| sounds| looks)(?: (?:so|really|just|pretty|such|absolutely)){0,2} (?:stunning|beautiful|
    gorgeous|adorable|amazing|awesome|great|cool|nice|lovely|cute|fantastic|incredible|wonderful)\W*$)(?!\w)
""")
)
"""Reactions to what the other person said ('Glad you like it', 'That's stunning'), which answer no question."""

THANKS: Final = lazy_pattern(
    joined(r"""
    ^(?:thanks|thank you|wow|cool|nice|awesome|great|congrats|aww?|haha|lol|i see|really|good (?:luck|idea|job)|
    please|can|could|what|how|hi|hey|hello|bye|i (?:really )?appreciate|nothing|you(?:'re|'ve| are| have))(?!\w)
""")
)
"""Replies that state nothing."""

DECLINES: Final = lazy_pattern(
    r"^(?:oh[,.! ]{1,3})?(?:no|not (?:now|today))[,.! ]{1,3}(?:but )?(?:thanks|thank you|no need)|^no need(?!\w)"
)
"""No to an offer."""

THANKED: Final = lazy_pattern(
    r"^(?:(?:oh|ok|okay|great|good|well|all right|alright)[,.! ]{1,3}){0,2}(?:many thanks|thanks|thank you)(?!\w)"
)
"""Thanks for an offer."""

FILLS_IN: Final = lazy_pattern(
    r"^(?:(?:please|ok|okay|yes|sure|great|just|then)[,.! ]{1,3}){0,2}make (?:it|that)(?!\w)"
)
"""Answers that supply a value, 'Make it for two', and correct nothing."""

CONFIRMATION_ASKED: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:confirm(?:ation|ing)?|(?<!would )(?<!do )(?<!are )(?<!if )(?:you|you'd)(?: would|'re| are)? (?:like|want|
    need|wish|booking|buying|requesting|transferring|sending|paying|reserving|renting|going to) .{1,240}[?.]$|(?:^|
    [.!?] )(?:ok|okay|so),? (?!what|how|where|when|which|who).{1,200}\?$|
    ^(?:(?:ok|okay|sure|great|fine|alright|all right)[,.] )?so,? (?!what|how|where|when|which|who|
    i |i'|that).{1,200}\.$|
    ^(?:booking|making|playing|sending|scheduling|reserving|transferring|sharing|buying) .{1,200}\.$|
    i(?:'ll| will| am going to|'m going to) (?:purchase|book|reserve|play|send|buy|make|schedule|share|transfer|
    get|set) .{1,160}|(?:is|are) (?:that|this|these|those|it|everything|the details?)(?: all)? (?:right|correct|
    ok|okay|fine|accurate)|correct|right|is that (?:right|correct|okay|ok)|shall i (?:go ahead|proceed|
    complete)|do i have (?:this|that|it) right|did i get|have i got|to be clear|just to (?:verify|check|
    make sure|be sure)|verify|clarify|to be sure|double.check|check and|let me (?:see if|make sure|repeat|
    double)|sound(?:s)? (?:good|right|ok)|for you\. (?:ok|okay))(?!\w)
""")
)
"""Proposals that wait for a yes: 'Please confirm: …', 'You want …, is that right?'."""

RHETORICAL: Final = lazy_pattern(
    joined(r"""
    ^(?:(?:hey|hi|hello|so|and|but|oh|wow|yeah|well|ok(?:ay)?|haha|cool|great|sorry)[,.! ]+){0,6}(?:right|
    really|ok(?:ay)?|huh|what|why not|how are (?:you|things)(?: (?:doing|today|feeling)){0,3}|how's it going|
    what's up|how (?:have you been|about you|'bout you|do you do)|how was your (?:day|week|weekend)|
    anything (?:new|else)|what about you|and you|you know|isn't it|doesn't it|don't you think|who knows|
    sounds good|(?:does (?:that|this) )?make sense|can you believe (?:it|that)|guess what|is (?:that|
    this) (?:ok|okay|right|clear)|(?:would|do) you (?:like|want) (?:me )?(?:to )?(?:know more|continue|more)|
    are you (?:ok|okay|ready|there)|what do you think|how (?:can|may) i help(?: you)?.{0,20}|
    (?:is there )?anything else.{0,40})[ ?!.]*$
""")
)
"""Rhetorical questions."""

WONDERS: Final = lazy_pattern(
    LEAD
    + joined(r"""
    (?:who (?:doesn't|wouldn't|(?:knew|cares)(?=\W*$)|knew [^?]{1,60} (?:could|would)(?!\w)|
    (?:would|could)(?: have|'ve) (?:known|guessed|thought)|
    needs [^?]{1,40} anyway|has (?:the )?time for (?:that|this))|how hard can (?:it|that|this) be|
    how many times do i have to (?:tell you|explain|say (?:it|that|this)|repeat (?:myself|that|this)|remind you)|
    why am i not surprised|
    why do i (?:even )?bother|why do(?:es)? (?:this|these|it|things) always happen to|why do [^?]{1,40} even exist|
    what(?:'s| is) (?:the worst that c|not to l|else is new)|what would (?:i|we) do without|
    what (?:kind|sort) of (?:monster|idiot|maniac)|what (?:was|were) (?:i|we) thinking(?=\W*$)|what could possibly|
    do i look like|am i the only one who|
    isn't it (?:funny|ironic|crazy|amazing|weird|strange|sad|great|lovely|nice) (?:how|that|when)|
    guess (?:who|what|where)|did i mention|when will (?:i|we|they) ever learn|
    where d(?:id|oes) the time (?:go|fly)(?!\w)|
    could (?:this|my|the|it)(?: \w+)? (?:get|be) any (?:better|worse))
    """)
)
"""Openings of questions that express wonder and expect no answer: 'Who doesn't love …?'."""

QUESTION: Final = lazy_pattern(
    LEAD
    + joined(r"""
    (?:what|who|whom|whose|which|when|where|why|how|is|are|am|was|were|do|does|did|have|has|had|can|could|would|
    will|shall|should|may|might|isn't|aren't|don't|doesn't|didn't|won't|wouldn't|any)(?!\w)
""")
)
"""Openings of questions, also in speech without question marks."""

ASKS_WHAT: Final = lazy_pattern(
    LEAD + r"(?:what(?! about| if)|where|when|which|who|whom|whose|how(?! about)|why(?! don't| not))(?!\w)(?!.*please)"
)
"""Openings of questions for words: 'What would you like?' asks for no deed, whatever follows."""

BOILERPLATE: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:unsubscribe|click (?:here|below|(?:on )?th(?:e|is) (?:link|button|icon))|(?:to your|your) (?:address book|
    safe.senders?)|address book or|to ensure (?:delivery|that you|you|your)|
    if you (?:should |still )?(?:have|need|encounter) (?:(?:any|more|further|other|specific|additional) ){0,3}(?:help|
    trouble|questions?|problems?|issues?|concerns?|assistance|guidance|examples?)|
    having trouble viewing|(?:profile|notification|e-?mail) (?:preferences|settings)|stop (?:future |receiving )|
    (?:do not|don't|not|no longer) (?:wish to|want to|to)? ?receive|not the (?:named|intended)|spam folder|
    if you did not|this e-?mail (?:was|is)|rate us|(?:with|use) (?:coupon|code)|shop now)(?!\w)
    """)
)
"""Endings of form letters, which ask no one in particular."""

NO_ANSWER: Final = lazy_pattern(
    joined(r"""
    ^(?:(?:oh|well|um|uh|ah|hmm|sorry|honestly|good question|no|thanks)[,.! ]{1,3}){0,3}(?:i(?:'m| am)? (?:really |
    honestly |still )?(?:don't know|do not know|not (?:sure|certain)|have(?:n't| not) decided|have no idea)|no idea|
    (?:just )?(?:one|a) (?:sec|second|moment|minute)(?=\W*$)|
    not sure|we (?:don't know|have(?:n't| not) decided)|(?:i(?:'ll| will|'d)|let me|i|we) (?:(?:need|
    have) to )?(?:find (?:out|one|some|somebody|something)|see(?: (?:what|which|who|when|where|if)|(?=\W*$))|
    look(?: (?:for|around)|(?=\W*$))|let you know|search|research|investigate|decide (?:later|tomorrow|soon|next)|
    ask|get back to you|come back to|think (?:about|it|that|this)|check|sleep on|look (?:at|into|it up|that up)|
    double-check|
    verify|consider)|(?:that's )?(?:to be|not) decided|
    (?![^.!?]{0,160}(?:,? but |, so |[;:\d]))(?:i (?:don't|do not|can't|cannot|couldn't) (?:see(?! (?:why|how|
    (?:any|an?|the) (?:problem|reason|issue|harm|point|need))\b)|find|recall|remember)|
    i(?: have|'ve| have got|'ve got) (?:nothing|no (?:information|records?|notes?|details)) (?:about|on)|
    i (?:don't|do not) have (?:that|this|any|enough) (?:information|records?|notes?|details|data)|
    (?:you|we)(?: have|'ve)? (?:haven't|have not|never|didn't|did not|not) (?:yet )?(?:mention(?:ed)?|tell|told|say|
    said|specif(?:y|ied)|shared?)|(?:it|that) (?:all |really )?depends(?! [^.!?]{1,160}[:\d])|
    (?:it|that)(?:'s| is) (?:complicated|unclear|not clear|unknown|hard to (?:say|tell)))|
    (?:duly |i(?:'ve| have) )?(?:noted|acknowledged)(?: (?:it|that|this))?(?=\W*$))(?!\w)
    """)
)
"""Replies that leave the question open."""

_YES: Final = (
    r"(?:yeah|yes|yep|yup|okay|ok|o_k|alright|all right|right|sure|oh|well|um|uh|m{2,6}|mm-hmm|uh-huh|hm{1,6}|exactly|"
    r"i see|good question)"
)
MERE_YES: Final = lazy_pattern(rf"(?:{_YES}[,.! ]{{1,3}}){{0,5}}{_YES}[,.! ]{{0,3}}")
"""Replies, matched as a whole, of nothing but assent; they do not answer a question for words."""
