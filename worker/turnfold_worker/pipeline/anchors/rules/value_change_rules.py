"""Patterns for changed values and for tasks that were taken over. See `statements.value_changes`.

Each pattern matches normalized text with amounts in one form. Named groups: `thing` for what has the value; `before`
for the earlier value; `after` for the new one.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern

_PART: Final = r"(?:[^\s,.;:!?]|[.,:](?=\d)){1,40}"
_PHRASE: Final = rf"{_PART}(?: {_PART}){{0,5}}?"
_THING: Final = rf"(?P<thing>(?:(?:the|our|my) )?(?!(?:their|his|her|its|it|that|this|them|your)(?!\w)){_PHRASE})"
_SUBJECT: Final = (
    r"(?:^|[.,;:] |(?<!\w)(?:and|so|but|now) )(?P<thing>(?!(?:it|that|this|i|we|they|he|she|you|there|which|who|if|"
    rf"when)(?!\w)){_PHRASE})"
)
_WHO: Final = (
    r"(?<!\w)(?!(?:to|not|will|would|can|could|should|must|may|might|and|or|please|please,|don't|never|if|when|let's|"
    r"their|his|her|who|that|which|you|just|also)(?!\w))(?P<who>[a-z][\w-]{0,20})"
    r"(?:'ve|'s|'d| have| has)?(?: just| now| already| finally| since| recently)?"
)
_FROM: Final = rf"(?: from (?P<before>{_PHRASE}))?"
_ENDS: Final = (
    r"(?= (?:for|in|on|at|since|from|because|so|and|but|this|today|now|yesterday|as|per|a|an|each|every|when|after|"
    r"until|these)(?!\w)|[.,;:!?](?!\w)|$)"
)
_AFTER: Final = rf"(?P<after>{_PHRASE}){_ENDS}"
RATE: Final = (
    r"(?:hourly|nightly|daily|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annually|annual|"
    r"(?:once|twice) an? (?:day|week|month|year))"
)
_AMOUNT: Final = (
    rf"(?={RATE}(?!\w)|"
    r"(?:(?:about|around|over|under|nearly|only|just|exactly|some) )?[$€£]?\d|"
    r"(?!(?:use|read|run|take|have|be|send)(?!\w))[a-z][\w-]{0,30} v?\d+(?=[.,;!](?!\w)|$)|"
    r"(?:[a-z][\w-]{0,30} )?v?\d+\.\d|(?:an?|half an?) (?:minute|hour|day|night|week|fortnight|month|year)(?!\w))"
    rf"{_AFTER}"
)
"""A number or version, as opposed to what something was changed to do."""
_CHANGED: Final = (
    r"(?:raised|increased|lowered|reduced|cut|dropped|bumped|upped|extended|expanded|scaled|upgraded|downgraded|changed|"
    r"set(?! up)|adjusted|shortened|lengthened|updated|brought|doubled|tripled|halved|widened|narrowed)"
    r"(?: up| down| back)?"
)
_BECAME: Final = (
    r"(?:(?:have |has |had )?(?:just |now |since |recently )?(?:risen|rose|gone up|went up|gone down|went down|fallen|"
    r"fell|dropped|grown|grew|shrunk|shrank|increased|decreased|climbed|jumped|sunk|sank)|"
    rf"(?:was|were|is|are|got|has been|have been) (?:just |now )?{_CHANGED}|"
    r"(?:is|are)(?: now| currently)? (?:up|down|back)(?: again)?)"
)
_PUT: Final = r"(?:put|pushed|brought|bumped|set|took|taken|turned|moved|scaled|knocked|talked|beat)"

VALUE: Final = (
    lazy_pattern(rf"{_WHO} {_CHANGED} {_THING}{_FROM} to {_AMOUNT}"),
    lazy_pattern(rf"{_WHO} {_PUT} {_THING} (?:up|down|back|forward|out){_FROM} to {_AMOUNT}"),
    lazy_pattern(rf"{_SUBJECT} {_BECAME}{_FROM} to {_AMOUNT}"),
    lazy_pattern(
        r"(?:^|[.,;:] )(?:i|we)(?:'ve| have)? (?:now |just |since )?(?:agreed on|settled on|negotiated|landed on) "
        rf"an? (?:new )?(?P<thing>{_PHRASE}) of {_AMOUNT}"
    ),
    lazy_pattern(
        r"(?:^|[.,;:] )(?:i|we)(?: am| are|'m|'re) (?:now |currently |already )?(?:up|down|back) to "
        r"(?P<after>\d[\d.,]* (?P<thing>[a-z]+(?: (?:a|an|per|each|every) [a-z]+)?))(?= |[.,;!]|$)"
    ),
    lazy_pattern(
        rf"{_SUBJECT} (?:(?:has |have )?(?:now |just )?reached|(?:now )?(?:comes|came|amounts) to) (?:now )?{_AMOUNT}"
    ),
)
"""'We raised the monthly cap to 750 dollars', 'the exchange rate fell to 4.22', 'I'm up to 45 miles a week'."""
NAME: Final = (
    lazy_pattern(rf"{_WHO} (?:renamed|rechristened) {_THING}{_FROM} (?:to|as) {_AFTER}"),
    lazy_pattern(rf"{_SUBJECT} (?:was|is|has been|got) (?:now )?renamed{_FROM} (?:to|as) {_AFTER}"),
)
"""'We renamed the project to Osprey'."""
OWNER: Final = (
    lazy_pattern(
        r"(?:^|[.,;:] |(?<!\w)(?:and|so|but) )(?P<after>[a-z][\w'-]{0,30}) (?:has |have )?(?:now |just )?"
        r"(?:taken|took) over from (?P<before>[a-z][\w'-]{0,30}) as (?:the |our )?"
        r"(?:lead|leader|head|manager|owner|chair|boss|director|maintainer) (?:of|for) (?:the |our |my )?"
        rf"(?P<thing>{_PHRASE}){_ENDS}"
    ),
    lazy_pattern(
        r"(?:^|[.,;:] |(?<!\w)(?:and|so|but) )(?P<after>[a-z][\w'-]{0,30}) (?:has |have |is )?(?:now |just )?"
        r"(?:replaced|replaces|replacing|succeeded|succeeds) (?P<before>[a-z][\w'-]{0,30}) as (?:the |our )?"
        r"(?:lead|leader|head|manager|owner|chair|boss|director|maintainer) (?:of|for) (?:the |our |my )?"
        rf"(?P<thing>{_PHRASE}){_ENDS}"
    ),
    lazy_pattern(
        rf"(?:^|[.,;:] |(?<!\w)(?:and|so|but) )(?P<after>[a-z][\w'-]{{0,30}}(?: [a-z][\w'-]{{1,30}})?) (?:has |have )?"
        rf"(?:now |just )?(?:took|taken|takes) over (?:the |our |my )?(?P<thing>{_PHRASE})"
        rf"(?: from (?P<before>{_PHRASE}))?{_ENDS}"
    ),
    lazy_pattern(
        rf"{_SUBJECT} (?:was|were|is|are|has been|have been|got) (?:now )?(?:handed|passed|transferred|reassigned) "
        rf"(?:over |on )?(?:from (?P<before>{_PHRASE}) )?to {_AFTER}"
    ),
    lazy_pattern(
        r"(?:^|[.,;:] )(?:the )?(?:ownership|responsibility|lead|care|charge|leadership|running) (?:of|for) "
        rf"(?P<thing>{_PHRASE}) (?:has |have )?(?:now |just )?(?:went|gone|passed|moved|fell|fallen|goes|shifted)"
        rf"(?: over)?(?: from (?P<before>{_PHRASE}))? to {_AFTER}"
    ),
    lazy_pattern(
        r"(?:^|[.,;:] |(?<!\w)(?:and|so|but) )(?P<after>[a-z][\w'.-]{0,30}(?: [a-z][\w'-]{1,30})?) (?:has |have )?"
        rf"(?:now |just )?(?:took|taken) (?P<thing>(?:the |our |my )?{_PHRASE}) off "
        rf"(?P<before>(?!the(?!\w)){_PHRASE}){_ENDS}"
    ),
    lazy_pattern(
        rf"(?<!\w)(?:has |have )?(?:now |just )?(?:handed|passed)(?: over)? (?P<thing>(?:the |our |my )?{_PHRASE}) "
        rf"(?:over |on )?to {_AFTER}"
    ),
)
"""'Marek took over billing from Priya', 'Pavel replaced Agnes as lead of the support team'."""
TIER: Final = lazy_pattern(
    r"(?<!\w)(?:i|we)(?:'ve| have)?(?: just| now| already| finally| recently)? (?:upgraded|downgraded|switched|moved|"
    rf"changed) (?:over )?to (?:the |a )?(?P<after>{_PHRASE} (?P<thing>plan|tier|package|tariff)){_ENDS}"
)
"""'We upgraded to the Pro plan'."""
CANCELLED: Final = lazy_pattern(
    rf"{_SUBJECT} (?:was|were|is|are|has been|have been|got|gets|have got|has got) (?:now |just )?"
    r"(?P<after>cancelled|canceled|called off|scrapped)(?!\w)"
)
"""'The concert got cancelled': its time and place no longer hold."""
OWNS: Final = lazy_pattern(
    r"(?<!\w)(?:runs?|owns?|leads?|manages?|handles?|maintains?|chairs?|looks? after|takes? care of|teach(?:es)?|"
    r"keeps?|coach(?:es)?|trains?|reviews?|hosts?|edits?|drives?|organi[sz]es?|supervises?|"
    r"(?:is|are|am|i'm|he's|she's) (?:responsible for|in charge of|the owner of))(?!\w)"
)
"""Verbs for tasks that one person does."""
SUPPOSED: Final = lazy_pattern(
    r"(?<!\w)(?:if|in case|maybe|perhaps|might|may(?= [a-z])|could|would|should|shall|whether|not|never|unless|suppose|"
    r"supposing|imagine|pretend|want|wants|wanted|wish|wishes|plans? to|planned|planning to|the plan is|going to|will|"
    r"try|tried|trying|consider|considering|propose|proposed|suggest|suggested|ask|asks|asked|says|said|told|wrote|"
    r"please|used to|almost|nearly|expect|expects|expected|hope|hopes|hoping|about to|then came back|like to|i'd|we'd|"
    r"jok\w+|kidding|kidded|claims?|claimed|reckons?|heard|rumou?rs?|threatens?|threatened|wondered|promis\w+|thinks?|thought)"
    r"(?!\w)|n't(?!\w)|'d (?:just |now )?(?:put|set|cut|beat|raise|lower|bump|move|push|bring|turn|take)(?!\w)"
)
"""Words for something wished, planned, requested, denied or reported."""
OF_OTHERS: Final = lazy_pattern(r"(?<!\w)(?:his|her|their|your|(?!(?:it|that|let)'s)[a-z]+'s)(?: [a-z-]+){0,2} $")
"""Another owner before the subject: 'my brother's school raised the fee' is about another fee."""
