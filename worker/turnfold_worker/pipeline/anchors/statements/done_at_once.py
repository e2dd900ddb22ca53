"""What sounds like a promise, but is done while it is said: 'I'll start', 'I'll show you', 'I'll give it a seven'."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import joined
from turnfold_worker.pipeline.anchors.rules.statement_rules import LATER

AT_ONCE: Final = lazy_pattern(
    joined(r"""
    (?<!\w)i(?:'ll| will| shall|'m (?:going to|gonna)| am (?:going to|gonna)) (?:(?:just|also|then|now|quickly|first|
    probably|maybe|basically|actually|again|try (?:and|to)|go ahead and) ){0,3}(?:show|explain|introduce|summari[sz]e|
    draw|mention|describe|demonstrate|recap|repeat|skip|say|agree|vote|choose|pick(?! (?:\w+ )?up)|
    start(?= (?:with|off|again|by|from|if|now)|\W*$)|begin(?= (?:with|by|now)|\W*$)|go (?:first|next|for|with|
    without|through|over|on|ahead(?! and)|a?round|back to|to (?:the|that|my) (?:next|slide)|into (?:that|this|it|
    detail))|come (?:back )?to (?:that|this|it)|move (?:on|to|back)|(?:hand|pass) (?:it|this|that|them|you|out|over|
    back|a?round)|talk (?:about|a (?:bit|little)|you through|for|more)|tell (?:you|everybody|everyone)(?! (?:how|when|
    if|whether|as soon))|give (?:it |this |that |them |myself |him |her )?(?:an? )?(?:{mark}|try|go|shot)|make (?:it|
    that|this|mine) (?:an?|{mark})|put (?:like|down|(?:an?|my|that|it|this|either|him|her)(?: down| here| there|
    \W*$| in (?:here|there)| (?:on|up on) the board| (?:question )?mark| name| ideas?))|take (?:the |some |a |my |
    again )?(?:minutes|notes?|mouse|pen|turn)|do (?:the |my )?(?:notes|minutes|presentation)|leave (?:it|that|this|
    space|the (?:decision|room|rest))|let (?:us|everybody|everyone)|(?:open|close|shut) (?:it|this|that|them|'em|
    the (?:door|window|file|slide|meeting|presentation))|use (?:the|this|that|my|some|it|a)(?: same| other| different|
    new)? (?:mouse|pen|pointer|whiteboard|board|sheet|slides?|colou?r)|raise (?:an?|another|one|this|that)|
    keep (?:going|it (?:short|brief|quick)|\w+ing)|stop (?:there|here|now|\w+ing)|stick (?:with|to)|
    try (?:something|this|that|again))(?!\w)
    """)
    .replace("\n", "")
    .replace("{mark}", r"\d|one|two|three|four|five|six|seven|eight|nine|ten")
)
"""What people who sit together say while they do it: they show, start, vote and take notes."""


def is_done_at_once(statement: str) -> bool:
    """Whether somebody announces what he does at once, and names no later time; `plain_words` gives `statement`."""
    return AT_ONCE.search(statement) is not None and LATER.search(statement) is None
