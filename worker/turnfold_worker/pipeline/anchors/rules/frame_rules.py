"""Clauses that state one value at a time, and words that keep a clause from doing so. See `statements.frames`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.attribute_rules import KIN
from turnfold_worker.pipeline.anchors.rules.rule import joined
from turnfold_worker.pipeline.anchors.rules.state_rules import REACHED, SUBJECT
from turnfold_worker.pipeline.language.common_words import listed

OPENS: Final = lazy_pattern(
    joined(r"""
    (?:(?:so|and|but|then|ok|okay|well|oh|no|yes|yeah|right|wait|hold on|sorry|actually|btw|by the way|fyi|update|
    correction|hey|hi|(?:it )?turn(?:s|ed) out|i(?:'ve| have)? changed my mind|change of plans?|(?:new|the) plan|
    on second thoughts?|(?:scratch|scrap|forget|ignore) (?:that|it|what i (?:said|told you|wrote))|to be clear|
    i meant|i mean|we(?:'ve| have) moved|as agreed|unfortunately|luckily|good news|bad news|as of today|
    as of this \w+|from (?:today|now)(?: on)?|with \w+ \w+ing(?=,)|
    (?:because of|due to|thanks to) (?:the |my |our |a )?\w+(?: \w+)?(?=,? (?:the|my|our|we|i|it|there)(?!\w))|
    since (?:the|my|our) \w+(?: \w+)?(?=,? (?:the|my|our|we|i|it|there)(?!\w))|
    for the record|just so you know|one more thing|heads up|quick update|news)(?: that)?[,.:;!]? (?:[-\u2013\u2014] )?)+
""")
)
"""Openings of a clause that say nothing about its content."""
WHERE: Final = lazy_pattern(
    r"(?:in|on|at|for|about|regarding|concerning|as for|with|during|by|under|from|according to|per|after|before|since|"
    r"of|to) [^,:;.!?]{1,60}[,:] "
)
"""Opening phrases for the place or topic of a clause: 'In staging, …', 'About refunds: …'."""
OF_HEALTH: Final = lazy_pattern(r"(?<!\w)(?:intolerant|intolerance|allergic|allergy)(?!\w)")
"""Health conditions: of two such statements either may be the error, so both stay active."""
ADVERBS: Final = lazy_pattern(
    r"(?<!\w)(?:now|nowadays|currently|still|just|actually|really|already|officially|finally|after all|instead|"
    r"please|definitely|probably|from now on|these days|at the moment|recently|once again)(?!\w)"
)
SHORT_FORMS: Final = (
    ("let's", lazy_pattern(r"(?<!\w)let's(?!\w)"), "we"),
    ("", REACHED, "is "),
    ("won't", lazy_pattern(r"(?<!\w)won't(?!\w)"), "will not"),
    ("can", lazy_pattern(r"(?<!\w)(?:can't|cannot)(?!\w)"), "can not"),
    ("n't", lazy_pattern(r"(?<=[a-z])n't(?!\w)"), " not"),
    ("'m", lazy_pattern(r"'m(?!\w)"), " am"),
    ("'re", lazy_pattern(r"'re(?!\w)"), " are"),
    ("'ve", lazy_pattern(r"'ve(?!\w)"), " have"),
    ("'ll", lazy_pattern(r"'ll(?!\w)"), " will"),
    ("'s", lazy_pattern(r"(?<!\w)(?P<who>it|that|he|she|there)'s(?!\w)"), r"\g<who> is"),
)
"""Required substring, pattern and replacement for each short form."""


def written_out(plain: str, forms: Iterable[tuple[str, re.Pattern[str], str]] = SHORT_FORMS) -> str:
    """Write out the short forms of a normalized text."""
    for letters, pattern, whole in forms:
        if letters in plain:
            plain = pattern.sub(whole, plain)
    return plain


def bare_clause(plain: str) -> str:
    """Return a normalized clause without its opening and adverbs, with short forms written out.

    >>> bare_clause("actually, we don't ship on friday anymore.")
    'we do not ship on friday anymore'
    """
    opening = OPENS.match(plain)
    clause = written_out(ADVERBS.sub(" ", plain[opening.end() :] if opening else plain))
    return " ".join(clause.split()).strip(" ,.;:!…")


DOUBTS: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:if|suppose|supposing|imagine|assume|assuming|pretend|whenever|until|unless|whether|wish|would|i'd|we'd|
    could|might|maybe|perhaps|may(?! \d)(?= \w)|used to|was|were|goal|hop(?:e|es|ing)|plan(?:s|ned|ning)?|thought|
    dream\w{0,9}|jok(?:e|es|ed|ing)|kidding|rumou?rs?|threaten\w{0,3}|reckons?|heard|
    almost|nearly|as if|said|says|told|tells|asked|ask|asking|wrote|claims?|thinks?|i think|consider\w{0,9}|
    propos\w+|suggest\w{0,9}|(?:for|an?) (?:example|instance)|character|story|novel|according to|one day|
    someday|eventually|
    next (?:year|month|week|time)|competitor|not sure|depends|had|did|ago)(?!\w)
    """)
)
"""Words for something supposed, planned, past or reported."""
UNREAL: Final = lazy_pattern(
    r"(?<!\w)(?:almost|nearly|about to|jok(?:e|es|ed|ing)|kidding|rumou?rs?|threaten\w{0,3}|pretend\w{0,3}|"
    r"dream\w{0,3}|in my dreams?|wish(?:es|ed)?)(?!\w)"
)
"""Words for something that did not happen."""
BESIDE: Final = lazy_pattern(
    r"(?<!\w)(?:also|too|as well|another|other|second|third|additional|additionally|extra|both|besides|partly|"
    r"sometimes|part-time|on the side|together|either|among|one of|each|every|some)(?!\w)"
)
NEGATION: Final = lazy_pattern(r"(?<!\w)(?:no longer|not|never|any ?more)(?!\w)")
PRESENT: Final = lazy_pattern(
    r"(?<!\w)(?:is|are|am|have|has|will|can|must|need|needs|want|wants|support|supports|use|uses|smoke|smokes|drink|"
    r"drinks|eat|eats|like|likes|love|loves|work|works|drive|drives|require|requires|allow|allows|accept|accepts|"
    r"include|includes|ship|ships|offer|offers|wear|wears|own|owns|speak|speaks|live|lives)(?!\w)"
)
NEEDS: Final = lazy_pattern(
    r"(?:i|we|you|they|he|she|(?:the|my|our) [\w' -]{1,40}?|(?!this|that|these)[a-z][\w'-]{1,20})"
    r"(?: (?:do|does|will))?(?: not| no longer)? "
    r"(?:need|needs|require|requires|wants?(?= (?:an?|the|no|any|some) )|have to|has to|supports?(?= [a-z\d])|accepts?|"
    r"smokes?|drinks?|can(?: not)? (?:eat|drink|drive|fly|swim|walk|work|take|have)|"
    r"(?:am|is|are)(?: not| no longer)? allowed)(?! to (?:make sure|know|ask|see|understand|start))(?!\w)"
)
"""Clauses that plainly say what is or is not needed, wanted or allowed."""
TIMES: Final = lazy_pattern(r"(?<!\w)(?:once|twice)(?!\w)")
NO_NUMBERS: Final = listed("one half both hundred thousand once")
_COUNTING: Final = (
    r"is|are|am|have|has|need|needs|want|wants|go|goes|take|takes|pay|pays|cost|costs|weigh|weighs|run|runs|use|uses|"
    r"allow|allows|expect|expects|charge|charges|spend|spends|earn|earns|hold|holds|fit|fits|work|works|sleep|sleeps|"
    r"train|trains|exercise|get|gets|owe|owes|keep|keeps|accept|accepts|employ|employs|last|lasts"
)
COUNTS: Final = lazy_pattern(rf"(?<!\w)(?:{_COUNTING}|can)(?!\w)")
LENGTH: Final = lazy_pattern(
    r"(?<=last # )(?:seconds|minutes?|hours?|days?|nights?|weeks?|months?|years?)"
    r"(?=$| (?:now|from|in|on|at|for)(?!\w))|(?<=is for # )(?:days?|nights?|weeks?|months?|years?)(?=$)"
)
"""The unit of a duration; 'ninety minutes' and 'two hours' are both durations."""
COUNTED: Final = lazy_pattern(
    rf"(?:^|(?<!\w)(?:{_COUNTING}|about|only|exactly|around|over|under|all|for|to|at|by|of|most|least|than|the|my|our|"
    r"[$€£]) ?)[$€£]?# ?(?=[^\W\d_]|%|$)|# times(?! (?:as|more|less)(?!\w))"
)
"""Numbers that count things or units, as opposed to labels: 'room 12 is free', 'question number 3'."""

UNIQUE: Final = lazy_pattern(
    r"(?<!\w)(?:favou?rite|default|main|primary|current|preferred|latest|name|title|colou?r|password|codename|nickname|"
    r"branch|language|theme|mode|winner|status)(?!\w)"
)
_DIGIT_UNIT: Final = lazy_pattern(r"^\W{0,2}\d[\d.,:]*(?P<unit>%| [^\W\d_]+)?")
_WEEKDAY: Final = lazy_pattern(r"(?<!\w)(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?!\w)")
_MONTH: Final = lazy_pattern(
    r"(?<!\w)(?:january|february|march|april|may|june|july|august|september|october|november|december)(?!\w)"
)
_ORDINAL: Final = lazy_pattern(r"(?<!\w)\d{1,2}(?:st|nd|rd|th)(?!\w)")
_VERSION: Final = lazy_pattern(r"^(?:[a-z]+ )?v?\d+(?:\.\d+){0,3}$")
_TELLING: Final = 2
_SELF: Final = frozenset({"i", "we"})
_CALLED: Final = frozenset({"called", "named"})
_PLACED: Final = frozenset({"in", "at", "on", "under", "behind", "next to", "hosted on", "based in", "located in"})

Sort = Callable[[str, re.Match[str], str], str]
"""Function from a value, its match and the text to the sort of the value; empty if it is none."""


def is_name(words: str, text: str) -> bool:
    """Check whether words have a capital in a text or name a family member."""
    first = words.split(maxsplit=1)[0] if words else ""
    if words.removeprefix("my ").removeprefix("our ") in _KIN_WORDS or re.fullmatch(
        KIN, words.rsplit(maxsplit=1)[-1] if words else ""
    ):
        return True
    at = text.lower().find(first) if first not in {"i", "we"} else -1
    # The capital may come later: 'MySQL', 'eBay'.
    return bool(first) and at >= 0 and any(map(str.isupper, text[at : at + len(first)]))


_KIN_WORDS: Final = listed("mom mum dad grandma grandpa granny")


def _of_copula(value: str, match: re.Match[str], text: str) -> str:
    """Return the sort of the value after 'is': a day, a number, a place or a name."""
    subject, prep = match["subject"].strip(), match["prep"] or ""
    if subject == "my name":
        # Two people may each have said it.
        return ""
    if subject in _SELF:
        return "place" if prep == "based in" else ""
    return _measured(value) or _named_or_placed(value, subject, prep, text)


def _measured(value: str) -> str:
    if _WEEKDAY.search(value):
        return "weekday"
    if _MONTH.search(value) or _ORDINAL.search(value):
        return "date"
    amount = _DIGIT_UNIT.match(value)
    return f"number{(amount['unit'] or '').strip()}" if amount else ""


def _named_or_placed(value: str, subject: str, prep: str, text: str) -> str:
    if not _is_definite(subject):
        # 'My brother is in Leeds' may be temporary; 'a cat is called Tom' is about one of several.
        return "called" if prep in _CALLED else ""
    if prep:
        return "place" if prep in _PLACED else "called" if prep in _CALLED else ""
    is_exact = _VERSION.match(value) is not None or "@" in value or "://" in value
    return "name" if is_exact or is_name(value, text) or UNIQUE.search(subject) else ""


def _is_definite(subject: str) -> bool:
    return (
        re.match(r"(?:(?:in|on|at|for|this|during) [^,]+?,? )?(?:the|my|our)(?!\w)|[\w-]+'s(?!\w)", subject) is not None
    )


def _any(value: str, _match: re.Match[str], _text: str) -> str:
    # Someone who lives in Portugal may live in Lisbon, so countries are a sort of their own.
    return "land" if value.strip(" .") in _LANDS else "value" if value else ""


def _named(value: str, _match: re.Match[str], text: str) -> str:
    return "name" if is_name(value, text) else ""


def _with_head(value: str, _match: re.Match[str], _text: str) -> str:
    """Return the head noun as the sort: 'a window seat' and 'an aisle seat' are two values of it."""
    words = value.split()
    return f"of {words[-1]}" if len(words) >= _TELLING + (words[0] in {"a", "an", "the"}) else ""


_LANDS: Final = frozenset(
    """
    argentina|australia|austria|belgium|brazil|canada|chile|china|colombia|croatia|denmark|egypt|england|estonia|europe|
    finland|france|germany|greece|hungary|iceland|india|indonesia|ireland|israel|italy|japan|kenya|latvia|lithuania|
    malaysia|mexico|morocco|netherlands|new zealand|nigeria|norway|peru|philippines|poland|portugal|romania|scotland|
    serbia|singapore|slovakia|slovenia|south africa|south korea|spain|sweden|switzerland|taiwan|thailand|tunisia|turkey|
    uk|ukraine|united kingdom|united states|uruguay|us|usa|vietnam|wales|california|texas|florida|bavaria|ontario
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
_NOW: Final = r"(?:(?:is|are|am|will|have|has|going to) ){0,2}"
_ARTICLE: Final = r"(?:(?:the|a|an|our|my) )?"
_NO_SERIES: Final = (
    r"(?!(?:option|room|question|item|number|page|line|step|chapter|plan|day|lesson|level|task|ticket|issue|point|table"
    r"|figure|part|section|variant|choice|candidate)(?!\w))"
)
"""Excludes nouns of a series: 'option 5' is not a version."""
FRAMES: Final[tuple[tuple[str, re.Pattern[str], Sort], ...]] = (
    ("is", lazy_pattern(
        rf"^(?P<subject>{SUBJECT})(?:is|are|am|will be) (?:(?P<prep>based in|located in|hosted on|due on|"
        r"due by|due in|in|at|on|by|under|behind|next to|from|with|called|named|until|of|"
        r"to) )?(?P<value>.+)$"), _of_copula),
    ("verb", lazy_pattern(
        rf"^{SUBJECT}{_NOW}(?:(?:live|lives|living) (?:in|at|on)|(?:work|works|working) (?:at|for)|"
        r"(?:stay|stays|staying) (?:in|at|with)|(?:meet|meets|meeting) (?:at|in)|(?:listen|listens|listening) on|"
        r"(?:run|runs|running) on|(?:fly|flying|deploy|deploying|travel|travelling|pay|paying|bank|banking) "
        r"(?:with|via|by)|"
        r"(?:written|built|hosted|stored|kept|deployed|based|parked) (?:in|on|with|at|under)|"
        r"takes? place (?:in|at|on)|(?:starts?|begins?|ends?|leaves?|leaving|departs?|"
        r"arrives?|"
        r"ships?|launch(?:es)?|opens?|closes?) "
        rf"(?:at|on|in|from)) {_ARTICLE}(?P<value>.+)$"), _any),
    ("for", lazy_pattern(
        rf"^{SUBJECT}{_NOW}(?:use|uses|using|chose|chosen|choose|picked|pick|decided on|settled on|go with|going with|"
        r"went with|take|takes|taking|prefer|prefers|run|runs|running|book|booked|want|wants|need|needs|hire|hired) "
        rf"{_ARTICLE}(?P<value>[^,]+?) (?P<behind>(?:for|as) (?=[^,]*\w{{4}}).+)$"), _any),
    ("way", lazy_pattern(
        rf"^{SUBJECT}{_NOW}(?:take|takes|taking|catch|go by|going by|travel by) {_ARTICLE}"
        r"(?P<value>train|bus|car|plane|ferry|taxi|tram|bike|flight|boat|coach|metro|subway)"
        r"(?P<behind> (?:to|from) .+)$"), _any),
    ("which", lazy_pattern(
        rf"^{SUBJECT}{_NOW}(?:chose|chosen|choose|picked|pick|go with|going with|went with|prefer|prefers) "
        r"(?P<value>.+)$"), _with_head),
    ("liking", lazy_pattern(
        rf"^(?:i|we) {_NOW}prefer (?P<value>[^,]+?)(?P<behind> (?:in the (?:morning|afternoon|evening)s?|at night|"
        r"(?:on|at|in|for|with|during|to) (?:the |my |our )?[\w-]+)$)"), _any),
    ("weekday", lazy_pattern(
        rf"^(?P<subject>(?:the|our|my) {SUBJECT})(?!(?:is|are|will)(?!\w))[a-z]{{3,20}}s? (?:on|every|each) "
        r"(?P<value>(?:mon|tues|wednes|thurs|fri|satur|sun)days?)$"), _any),
    ("there", lazy_pattern(
        r"^(?:i|we) (?:will |am |are |can )?(?:be )?(?:there|back|home|over|here|in|out) (?:at|by) "
        r"(?P<value>\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?)$"), _any),
    ("part", lazy_pattern(
        rf"^{SUBJECT}(?:prefer|prefers) [\w-]+ (?:in|at|on) (?:the )?(?P<value>mornings?|afternoons?|evenings?|"
        r"weekdays|weekends?|\w+days?)$"), _any),
    ("version", lazy_pattern(
        rf"^{SUBJECT}{_NOW}(?:run|runs|running|use|uses|using|on) {_ARTICLE}{_NO_SERIES}[a-z][\w.+-]{{1,30}} "
        r"(?:version )?v?"
        r"(?P<value>\d{1,4}(?:\.\d{1,4}){0,3})(?P<behind> (?:in|on|for) [^,]+)?$"), _any),
    ("kept", lazy_pattern(
        rf"^{SUBJECT}{_NOW}(?:store|stores|storing|keep|keeps|keeping|track|tracks|tracking|host|hosts|hosting|write|"
        rf"writes|writing) (?:the |our |my |its |their )?[\w-]{{3,20}}(?: [\w-]{{3,20}})? (?:in|on|with) {_ARTICLE}"
        r"(?P<value>[^\s,]+(?: [^\s,]+)?)$"), _named),
    ("name", lazy_pattern(
        rf"^{SUBJECT}{_NOW}(?:name|naming|named|call|calling) (?:the|our|my) [\w-]+ (?P<value>[\w-]+)$"), _named),
)  # fmt: skip
"""Names and patterns of frames, with the function for the sort of value."""
_TASKS: Final = (
    r"(?!(?:com|go|attend|join|visit|see|watch|read|know|lik|lov|enjoy|hear|learn|study|us|eat|drink|try|play|hav|"
    r"be|get|need|want|miss|tak|stay|liv|work|run|meet|sleep)(?:e|ing|ning|ting|ying)?(?!\w))"
)
OWNER: Final = lazy_pattern(
    rf"^(?P<value>(?:my |our )?[a-z][\w'-]{{1,30}}(?: [a-z][\w'-]{{1,30}})?) (?P<task>"
    r"(?:owns|maintains|leads|manages|handles|runs|chairs|looks after|takes care of|"
    r"(?:is|are) (?:responsible for|in charge of|the owner of)) .+|"
    rf"(?:is|will|are)(?: be)? (?={_TASKS}){_TASKS}[a-z]{{3,20}}(?: up| out| off| over)? (?:the|our|my|this) .+)$"
)
"""Owners of tasks that one person does."""
