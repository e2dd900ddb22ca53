"""How people say in chats that something is otherwise now, in the clause itself or in one before it.

See `statements.told_clauses` and `statements.retold`. Patterns look at clauses in plain words, amounts in one form.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import joined
from turnfold_worker.pipeline.language.common_words import listed

IS: Final = lazy_pattern(
    joined(r"""
    (?<=[a-z\d])'s(?= (?:(?:now|not|still|just|only|all|more like|about|around|currently|probably|also|back|at|in|on|
    off|out|up|down|with|from|by|under|until|till|between|to|the|a|an|my|our|your|his|her|their|half|no longer|never|
    going|\W?\d\S*|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tomorrow|fixed|done|gone|cancelled|canceled|merged|open|
    closed|ready|blocked|paid|booked|sold|broken|free|sick|ill|taken|dead|full|empty|late|early|[a-z]{3,20}ing)(?!\w)))
""")
)
"""The 's that is a verb, by what follows it: 'training's at 7', 'Theo's driving'."""
HAS: Final = lazy_pattern(r"(?<=[a-z\d])'s(?= (?:been|got|had|become|moved|changed|switched|dropped|gone|left)(?!\w))")
LAST_IS: Final = lazy_pattern(r"^(?P<subject>[^']{2,40}[a-z])'s (?=[a-z])")
FINITE: Final = lazy_pattern(
    r"(?<!\w)(?:is|are|am|was|were|has|have|had|do|does|did|will|can|must|should|need|needs)(?!\w)"
)

SPLIT: Final = lazy_pattern(
    r"[.;!](?:\s+|$)|[,:](?: |$)(?!not )|\s[-\u2013\u2014]+\s|, | (?:but|because|cause|cos)(?= )|"
    r" (?:and )?so "
    r"(?=(?:i|we|it|they|he|she|the|my|our|that|there|just|only|keep|use|i'm|we're|it's|there's|that's)(?!\w)|\d|"
    r"(?!much|many)[a-z][\w-]{1,20}(?:'s| is) )|"
    r" and (?=(?:i|we|it|they|he|she|the|my|our|that|there)(?!\w)|[a-z][\w-]{1,20}(?:'s| is) )"
)
BECAUSE: Final = listed("because cause cos")

OPENS: Final = lazy_pattern(
    joined(r"""
    (?:(?:so|and|but|then|ok|okay|well|oh|no|nope|yes|yeah|yep|right|wait|sorry|actually|btw|anyway|anyways|fine|cool|
    (?:it )?turn(?:s|ed) out(?: that)?|heads up|fyi|update|quick update|correction|good news|bad news|looks like|
    guess what|in the end|after all|tbh|honestly|unfortunately|luckily|as of (?:today|now|this \w+)|from now on|
    (?:after|since|as of) (?:today|yesterday|last night|this (?:morning|week|month)|last (?:week|month)))(?:[,:]? |$))+
""")
)

NOW: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:(?<!just )(?<!right )(?<!for )(?<!until )(?<!till )(?<!by )now|nowadays|these days|from (?:now|here|today|
    this \w+|next \w+)(?: on)?|going forward|as (?:of|from) (?:today|now|this \w+|last \w+|yesterday)|after all|
    in the end|instead(?! of)|any ?more|any longer|no longer|at the moment|currently|
    since (?:today|yesterday|this \w+|last \w+)|after today)(?!\w)
""")
)
"""It is so from now on, or lately. What matches is left out of a clause."""
LATELY: Final = lazy_pattern(
    r"(?<=[a-z\d]) (?:last (?:week|month|night)|yesterday|the other day|"
    r"(?:an?|two|three|few|couple of) (?:day|week|month)s? ago)"
    r"(?=[.!]*$)"
)
"""When something changed: it is so now."""
AFTER_IT: Final = lazy_pattern(r" (?:since|after) (?!(?:well)(?!\w))\D.{2,60}$")
"""What follows says why: 'since Priya left'."""
TURNED_OUT: Final = lazy_pattern(
    r"(?<!\w)(?:(?:it )?turn(?:s|ed) out|actually|sorry|correction|wait|heads up|oops|my bad|i was wrong)(?!\w)"
)
THEN: Final = lazy_pattern(r" (?:then|instead)$")
ONLY: Final = lazy_pattern(r"(?<!\w)(?:only|just)(?!\w)")
HEDGES: Final = lazy_pattern(
    r"(?<!\w)(?:more like|only|just|about|around|roughly|exactly|like|really|still|already|officially|finally|"
    r"probably|some guy called|a guy called|somebody called|someone called|called|pretty much|basically|please|pls|"
    r"all|both)(?!\w)"
)

BARRED: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:if|unless|whether|maybe|perhaps|would|wouldn't|i'd|we'd|he'd|she'd|they'd|could|couldn't|might|wish|
    almost|nearly|supposed|suppose|imagine|pretend|wants?|wanted|wanna|tried|trying|considering|consider|thinking (?:of|
    about)|thought|hoping|hope|hopes|asked|asks|says? (?:that|he|she|they)|said|told me|tells|wrote|reckons?|heard|
    joked?|joking|kidding|used to|rumou?rs?|dreamt|dreamed|suggest\w*|propos\w+|recommend\w*|for example|e\.g|
    according to|next (?:year|month|time)|eventually|one day|someday|what if|not sure|dunno|depends|
    should (?:i|we)|shall|let me|ever)(?!\w)
""")
)
"""With these a text supposes, wants, asks or reports."""
FOR_ONCE: Final = lazy_pattern(
    r"(?<!\w)(?<!as of )(?<!from )(?<!since )(?<!after )(?:this (?:week|weekend|time|once|morning|afternoon|evening)|"
    r"today|tonight|tomorrow|for (?:once|today|tonight|this \w+)|just this|next (?:week|weekend)|temporarily)(?!\w)"
)
"""What is so for a while."""
APART: Final = listed("""
    other another next second third first last old former previous back extra own also too either partly sometimes
    spare return backup each every most some many few locally globally elsewhere abroad normally usually
""")
"""A clause with one of these that the earlier one lacks is about another thing."""
PAST: Final = lazy_pattern(r"(?<!\w)(?:was|were|wasn't|weren't|did|had)(?!\w)")
_HAPPENED: Final = (
    r"(?<!\w)(?:was|were|had|did|got|went|came|left|quit|broke|took|gave|sent|said no|lost|sold|cut|put|reset|fell|"
    r"pulled|called|changed|moved|flooded|can not|give up|is not|did not|will not|has|have|"
    r"is gone|is off|can't|cannot|couldn't|didn't|won't|isn't|is closed|"
    r"is too|[a-z]{2,20}ed)(?!\w)"
)
EVENT: Final = lazy_pattern(_HAPPENED)
"""A clause that tells what happened, after which something else may be so."""

_CHANGED: Final = (
    r"(?:raised|increased|lowered|reduced|cut|dropped|bumped|upped|extended|expanded|scaled|upgraded|downgraded|changed|"
    r"adjusted|shortened|updated|brought|got|gotten|put|pushed|moved|turned|took|taken|knocked|switched|set|raise|bump|"
    r"make|change|move|switch|delayed|postponed|shifted|rescheduled|lengthened|trimmed|swapped|converted|migrated)"
)
_UP: Final = r"(?: back| up| down| out| over| forward| across| through)?"
_FROM: Final = r"(?: from (?P<before>\S+(?: \S+){0,3}?))?"
_TO: Final = r"(?: to| until| till| onto| into)"
_AUX: Final = r"(?:(?:have|has|had to|have to|had|just|got|then) ){0,2}"
CHANGES: Final = (
    lazy_pattern(r"^(?:we will |let us )?(?:make|call) (?:that|it) (?P<value>\S.*)$"),
    # The rent went up to 1240; the bed has been bumped to 4 litres; completion slipped to the 17th.
    lazy_pattern(
        r"^(?P<thing>(?!(?:i|we|they|he|she|you)(?!\w))[^,]{1,60}?) (?:have |has |had )?"
        r"(?:(?:is|are|was|were|got|gets|been|being) ){0,3}"
        rf"(?:{_CHANGED}|slipped|gone|went|jumped|climbed|risen|rose|fell|fallen|grew|grown|shrunk|shrank)"
        rf"{_UP}{_FROM}{_TO} "
        r"(?P<value>\S.*)$"
    ),
    # We bumped the limit to 60; they moved the party to Sunday; had to raise it to 24; make that five.
    lazy_pattern(
        rf"^(?:(?P<who>[^,]{{1,40}}?) )?{_AUX}{_CHANGED}{_UP} "
        rf"(?P<thing>(?!to |from |up |down |over |back )[^,]{{1,60}}?){_UP}{_FROM}{_TO} "
        r"(?P<value>\S.*)$"
    ),
    # I've cut down to 12k; switched to Xero; we've gone to every four weeks; down to 6 tests; up to 14 kilos.
    lazy_pattern(
        rf"^(?:(?P<who>i|we) )?{_AUX}(?:(?:{_CHANGED}|gone|went|is|are|am){_UP}|up|down|back){_FROM} to "
        r"(?P<value>\S.*)$"
    ),
    # We ended up with 95 guests; went with five years fixed; settled on navy.
    lazy_pattern(
        rf"^(?:(?P<who>i|we) )?{_AUX}(?:ended up|wound up|settled|gone|went|going|go|agreed)(?: with| on| for) "
        r"(?P<value>\S.*)$"
    ),
)
"""Groups: `who` changed `thing` from `before` to `value`."""
MOVES: Final = lazy_pattern(
    r"(?<!\w)(?:moved|switched|changed|migrated|swapped|converted|transferred|rescheduled|relocated|ended up|wound up|"
    r"settled on)(?!\w)"
)
"""Verbs after which any value may be another one of the thing; after others only an amount or a time is."""
IS_OFF: Final = lazy_pattern(
    r"^(?P<thing>[^,]{3,60}?) (?:is|are|got|has been|have been|was|were) (?:all |now )?"
    r"(?:off|cancelled|canceled|called off|scrapped|"
    r"not happening|not going ahead)$|^(?P<fell>[^,]{3,60}?) (?:fell through|is not happening|got axed)$|"
    r"^(?:(?:we|i|they) )?(?:have )?(?:scrap|scrapped|forget|skip|skipping|ditch|ditched|"
    r"cancel|cancelled|called off|binned|dropped|"
    r"ripped out|tore out|pulled out of|bailed on) (?P<gone>[^,]{3,50})$"
)
NOT: Final = lazy_pattern(r"(?<!\w)(?:(?:do|does|did) not|not|no longer|never)(?!\w)")
LEFT_OUT: Final = listed("""
    a an the my our your his her its their i we you it he she they me us him them this that these those there here i'm
    is are am was were be been being has have had do does did will can must should need needs got get gets go going
    gone in on at for from to with by of off out up down over into onto as per via under until till through about
    and or so but then than not no any more now just only still also too very really quite
    who which what one's ok okay yeah well else
    thinking doing having got getting new
""")
"""Words that tell neither of what a clause states something nor what it states."""
HOLDS_ONE: Final = lazy_pattern(
    joined(r"""
    ^(?:is|are) (?:(?:the|our|my) [a-z][\w-]{1,20}(?: [a-z][\w-]{1,20})?|our|the|captain|chair|treasurer|lead|keeper|
    goalie|in charge|responsible|driving|handling|doing|hosting|running|leading|managing|covering|cooking|refereeing|
    coaching|bringing|organi[sz]ing|presenting|chairing|taking (?:care|over|the|minutes|notes)|
    on (?:the )?(?:[a-z]{3,20}|call)|on (?:nights?|days?|lates?|earlies))(?!\w)
""")
)
"""What one person at a time is or does."""
