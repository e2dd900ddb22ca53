"""Patterns for what is asked for: words, a text, or a deed. A reply settles the first two. See `rule`."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import joined

WORDS_WANTED: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:(?:can|could|would|will) (?:you|someone|somebody|anyone|anybody) (?:please |also |just |maybe |
    possibly |quickly ){0,2}(?:help|show|give me|tell|explain|
    provide|suggest|recommend|clarify|confirm|walk me|describe|identify|list|compare|summari[sz]e|translate|rephrase|
    review|verify|offer|guide|advise|elaborate|break|outline|share|check (?:if|whether|that|my|this|these))|
    ^(?:please |and |so |but |just ){0,2}(?:help|show|tell|explain to|give) (?:me|us)|i(?:'m| was| am) wondering|
    i wondered|(?:any|some) (?:advice|tips|suggestions|ideas|guidance)|
    would you (?:suggest|recommend|say)|(?:do|would) you (?:happen to )?(?:have|know)|
    i (?:just )?want(?:ed)? to ask)(?!\w)
    """)
)
"""Requests for words rather than deeds, which a reply settles."""

_TEXT_VERBS: Final = joined(r"""
    add|address|adjust|analy[sz]e|answer|apply|begin|brainstorm|break|build|calculate|check|clarify|code|compare|
    complete|compose|decide|compute|continue|convert|correct|cover|create|debug|define|delve|demonstrate|derive|
    describe|design|
    develop|discuss|dive|do|draft|edit|enhance|ensure|evaluate|expand|explain|explore|extend|figure out|fill|find|
    finish|fix|focus|
    format|generate|get into|give|go (?:deeper|over|through|on|ahead|with)|handle|help|illustrate|implement|improve|
    include|incorporate|integrate|know|learn|list|look (?:at|into)|make|modify|move on|optimi[sz]e|organi[sz]e|outline|
    plan|practi[sc]e|prioriti[sz]e|proofread|provide|prove|put together|reduce|refactor|refine|replace|review|revise|
    rewrite|see|show|simplify|solve|start (?:with|by|on)|structure|suggest|summari[sz]e|tackle|tailor|take a look|
    translate|try|turn|understand|update|use|verify|visuali[sz]e|walk|work (?:on|out|through)|write
""")
"""Verbs for what an assistant can do in a reply, without a tool."""
_ASKED: Final = (
    r"(?:can|could|would|will|can't) (?:you|we|u|someone|somebody|anyone)|if you (?:can|could|would)"
    r"|(?:^|[.!?:;,] |(?<!\w)(?:and|so|then|but|please|also|maybe|just|sure|yes|ok|okay|now|me|let's|let us) )"
    r"|i(?:'m| am|'d| would| was|'ve been| have been)?(?: (?:also|really|just|still|now)){0,2}"
    r" (?:want(?:ed)?|trying|like|love|hoping|looking)(?: you)? to|i need you to|i need to(?= (?:calculate|determine|"
    r"find|multiply|plan|prove|show|solve)(?!\w))"
)
TEXT_WANTED: Final = lazy_pattern(
    r"(?<!\w)(?:get|love|like|for) (?:\w+ )?(?:advice|tips|suggestions|ideas|guidance|feedback)(?!\w)|"
    rf"(?<!\w)let me know(?!\w)|(?<!\w)i(?:'d| would) like to know(?!\w)|(?<!\w)help (?:on|with) (?:it|this|that)(?!\w)"
    rf"|(?<!\w)(?:{_ASKED}) ?(?:(?:please|also|just|maybe|possibly|quickly|first|now|then|really|me|to|go ahead and) )"
    rf"{{0,3}}(?:{_TEXT_VERBS})(?!\w)"
)
"""Requests for something an assistant writes: a text, code, a list, a calculation."""

WORLD: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:remind|reminder|reservations?|appointments?|calendar|cart|meeting|alarm|booking|inbox|ticket|invites?|
    invitations?|(?<!the )(?<!an )(?<!in )(?<!of )(?<!this )(?<!their )(?:send|book|order|call|pay|deploy|buy|notify|
    invoice|merge|restart|upload|submit|publish|cancel|transfer|delete|forward|e-?mail (?:it|this|me|us|him|her|them)|
    schedule (?:an?|the|it|my)))(?!\w)
    """)
)
"""Deeds among people or machines, which no reply performs: 'add it to my calendar'."""

TEXT_ANNOUNCED: Final = lazy_pattern(
    rf"(?<!\w)(?:let's|let us|let me|(?:i|we)(?:'ll| will)) (?:(?:also|just|first|now|then|make sure to|be sure to) "
    rf"){{0,2}}(?:{_TEXT_VERBS})(?!\w)(?!.{{0,200}}(?<!\w)(?:whenever|every time|each time|from now on|in (?:the "
    rf")?future)(?!\w))"
)
"""Announcements of what an assistant's text is about to explain: 'Let's go through the steps'."""

ASKS_TO_KNOW: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:(?:do|did|would) (?:you|u) like to(?! (?:come|join|meet|go|have))|
    will (?:you|they|he|she|it) (?:(?:only|also|still|just|ever|really|both) ){0,2}(?:be(?! (?:able|willing|so|free|
    available))|get to|have to|give (?:it|that|this) another)|can (?:we|i|one) (?:say|assume|expect)|
    can (?:you|u) (?:believe|imagine|relate|guess|picture)|(?:would|do) you happen to|
    (?:(?:do|would) you |you )?(?:want to|wanna|like to|care to) (?:see|hear|know|guess|taste|try (?:it|some|one)|
    get the|take a look|have a look))(?!\w)
    """)
)
"""Questions that sound like requests but only want an answer: 'Will you be in Lyon?', 'Wanna see it?'."""

PROMISES: Final = lazy_pattern(r"(?<!\w)(?:i(?:'ll| will)|i(?:'m| am) (?:going to|gonna))(?!\w)")
"""Promises by the speaker, which no reply fulfils."""

PUT_OFF: Final = lazy_pattern(
    r"(?<!\w)(?:i(?:'ll| will)|will do|let me)(?!\w)|^(?:sure(?: thing)?|of course|ok|okay|certainly|absolutely|"
    r"gladly)\W*$"
)
"""Short replies that do not supply yet what was asked for."""

LABEL: Final = lazy_pattern(r"\W{0,9}\*\*[^*]{1,120}\*\*\W{0,9}")
"""A bold line that serves as a heading."""

ANNOUNCES: Final = lazy_pattern(
    r"^(?:(?:and|so|but|also|now|then),? ){0,2}(?:here(?:'s| is| are)(?!\w)[^:]{0,120}:$"
    r"|(?:my|the|our|this is (?:my|the)) (?!(?:[^:]* )?(?:is|are|was|were|has|have|must|can|will|should|uses?)(?!\w))"
    r"[^:]{1,80}:$)"
)
"""Announcements like 'And my index.html:', which only say that something follows."""
