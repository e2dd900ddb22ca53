"""Parts of the patterns of `standing_rules`, and what makes a limit or an order of the words beside it.

For one clause as `spoken.plain_words` gives it.
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
