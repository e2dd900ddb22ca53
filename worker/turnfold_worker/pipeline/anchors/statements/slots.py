"""Slot filling: whether a direct statement supplies what a question asks for: 'Which …?', 'We went with …'.

A statement fills the slot of a question if it has a value of the kind asked for and otherwise only words of the
question and function words; a statement with more content may be about something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold.dates.expressions import time_expressions
from turnfold.dates.time_expression import Form
from turnfold_worker.pipeline.anchors.rules import reply_rules
from turnfold_worker.pipeline.anchors.rules.frame_rules import SHORT_FORMS, written_out
from turnfold_worker.pipeline.anchors.rules.rule import joined
from turnfold_worker.pipeline.anchors.statements.completion_reports import base_of
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.quantities import SPELLED
from turnfold_worker.pipeline.language.spoken import is_question, plain_words

_MOST_WORDS: Final = 16
"""Maximum number of words of a direct answer."""
_MOST_OF_VALUE: Final = 3
"""Maximum number of words of a choice or a place."""
_LONGEST: Final = 80
"""Maximum number of code points of a sentence that may be a direct answer."""
_OPENS: Final = lazy_pattern(
    r"(?i:yes|yeah|yep|no|nope)[,.!] \w|(?i:i|we|it|they|he|she|my \w+|our \w+|that)(?: |['\u2019])|[A-Z][\w'-]+ \w"
)
_LEAD: Final = lazy_pattern(r"^(?:(?:so|and|but|ok|okay|also|then|well|hey|by the way)[,.]? ){0,3}")
_WHICH: Final = lazy_pattern(
    r"(?:which|what) (?!about|if|else|is|are|was|were|do|does|did|would|will|should|can|kind|sort|type|happen)"
    r"(?P<noun>[\w-]+(?: [\w-]+)?) (?:do|does|did|should|shall|will|can|are|is|was|have|has|am)(?!\w)(?P<rest>.*)"
)
_WHO: Final = lazy_pattern(r"who(?:'s| is| are| was)?(?: going to)?(?!\w)(?P<rest>.*)")
_WHEN: Final = lazy_pattern(r"(?:when|(?:on )?(?:what|which) (?:day|date)|(?:at )?what time)(?:'s)?(?!\w)(?P<rest>.*)")
_WHERE: Final = lazy_pattern(r"where(?:'s)?(?!\w)(?P<rest>.*)")
_HOW_MANY: Final = lazy_pattern(r"how (?:many|much|long)(?!\w)(?P<rest>.*)")
_YES_OR_NO: Final = lazy_pattern(
    r"(?:do|does|did|is|are|am|was|were|has|have|had|can|should|shall|will)(?: not|n't)?(?!\w)(?P<rest>.*)"
)
_WRITTEN_OUT: Final = (
    *SHORT_FORMS,
    ("'d", lazy_pattern(r"'d(?!\w)"), " would"),
    ("'s", lazy_pattern(r"'s(?!\w)"), " is"),
    ("would be", lazy_pattern(r"(?:that|it) would be"), "it is"),
    (
        "",
        lazy_pattern(r"(?:in the end|after all|finally|eventually|already|just|ended up|indeed|still|again)(?!\w)"),
        " ",
    ),
    ("", lazy_pattern(r"(?:,? (?:because|since|so that|which|as it|as they)|;| -| \().*$"), ""),
)
_DOUBTS: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:if|unless|maybe|perhaps|might|could|would|probably|possibly|likely|think|thinks|thought|guess|hope|hopes|
    wish|wonder|wondering|ask|asks|asked|check|sure|depends?|know|idea|yet|never|always|usually|often|everybody|
    everyone|somebody|someone|anybody|anyone|nobody|who|whom|what|which|when|where|how|why|whether|or|please|need to|
    have to|had to|want|wants|wanted|used to|ago|last|another|other|others|suppose|supposed|imagine|said|says|heard|
    until|before|after|almost|about|only if|instead)(?!\w)|["“”«»]
    """)
)
"""Words with which a statement is no reliable answer."""
_OUGHT: Final = lazy_pattern(r"(?<!\w)(?:should|ought|must|may(?! \d)(?<!in may)(?<!\d may))(?!\w)")
_NOT: Final = lazy_pattern(r"(?<!\w)(?:not|no|none|nothing|without)(?!\w)")
_YES: Final = lazy_pattern(r"^(?:yes|yeah|yep|yup|no|nope|nah|sure|of course|right|correct)[,.!]+ ")
_TELLS_NOTHING: Final = listed("""
    the a an is are am was were be been being do does did has have had having will shall going gonna of it its they them
    that this those these he she him her his their we i you us me my our your one ones there so then well ok okay not no
    yes and all with now can to let up by on at in for from as s
""")


def _root(word: str) -> str:
    """Return the stem of a word's base form: one for 'take', 'taking' and 'took'."""
    base = base_of(word)
    return STEMS[base].removesuffix("e") if base.isalpha() else base


_CHOOSE: Final = frozenset(map(_root, listed("go choose pick select opt settle decide")))
"""Verbs for any choice."""
_TAKE: Final = _CHOOSE.union(map(_root, listed("take use get buy book hire switch prefer order rent adopt")))
_COLOURS: Final = listed("""
    red green blue yellow white black grey gray brown orange purple pink violet beige turquoise navy teal cream ivory
    silver gold olive
""")
_UNITS: Final = frozenset(
    map(
        _root,
        listed("""
    euro dollar pound franc usd eur gbp chf percent people person guest time hour minute second day week month year
    night piece item kg km metre meter mile gb mb tb
"""),
    )
)
_CLOCK: Final = lazy_pattern(
    r"(?<!\w)(?:(?:at |by |from )?(?:\d{1,2}:\d\d(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\.?|noon|midnight)|"
    r"at \d{1,2})(?!\w)"
)
"""A time of day; `turnfold.dates` handles days."""
_ANY_DAY: Final = date(2000, 1, 3)
"""Arbitrary reference day: times are only located here, not resolved."""
_AMOUNT: Final = lazy_pattern(r"(?<![\w.])[$€£]?\d+(?:[.,:]\d+)*[$€£%]?(?!\w)")
_PLACE: Final = lazy_pattern(
    r"(?:^| )(?P<place>(?:in|at|on|to|near|behind|under|inside|outside|beside|above|below|next to|opposite|over at) "
    r"(?:the |my |our |your |a )?[\w'-]+(?: [\w'-]+){0,2})$"
)
_DETERMINERS: Final = frozenset({"the", "my", "our", "your", "a"})
_SPEAKERS: Final = lazy_pattern(r"(?:i|we|you)(?!\w)")
_OF_PAST: Final = lazy_pattern(r"(?:(?:when|who|where|which \w+|how \w+) )?(?:did|has|have|had|was|were)(?!\w)")
_WILL: Final = lazy_pattern(r"(?<!\w)(?:will|shall|going to)(?!\w)")
_PART: Final = lazy_pattern(r" (?:for|in|at|on|of|from|during|per|with|before|after|until) (?=\w)")
"""The start of a modifier in a question; words after it are not what the question asks about."""
_PERSON: Final = lazy_pattern(r"(?:it (?:is|was) )?(?P<who>i|(?:my|our) [a-z]+|[^\W\d_][\w'-]+)(?!\w)")
_PRONOUN: Final = lazy_pattern(r"(?:we|you|i|they|he|she|it|there)(?!\w)")
_OR: Final = lazy_pattern(r"(?<!\w)or(?!\w)")
_TOKEN: Final = lazy_pattern(r"[^\W_][\w'-]*(?:\.\w+)*")


class _Asked(NamedTuple):
    """A question with its slot and the roots of its content words."""

    slot: str
    text: str
    roots: frozenset[str]
    core: frozenset[str]
    """The roots of what is asked about, without modifiers of place, time or topic."""
    noun: str = ""
    """The noun of a 'which' question."""


class _Said(NamedTuple):
    """A statement with its normalized text and tokens."""

    plain: str
    text: str
    """The original text, in which names are capitalised."""
    tokens: Sequence[str]
    """Tokens in lower case, including function words."""

    def beside(self, question: _Asked, *, also: frozenset[str] = frozenset()) -> list[int]:
        """Return the positions of tokens outside the question, the function words and the additional roots."""
        return [
            at
            for at, token in enumerate(self.tokens)
            if token not in _TELLS_NOTHING and _root(token) not in question.roots and _root(token) not in also
        ]

    def without(self, pattern: re.Pattern[str]) -> _Said:
        """Return the statement without the matches of a pattern."""
        left = pattern.sub(" ", self.plain)
        return self._replace(plain=left, tokens=_TOKEN.findall(left))

    def without_moments(self) -> _Said:
        """Return the statement without days and times."""
        left = self.plain
        for moment in _moments(self.text):
            left = re.sub(rf"(?<!\w){re.escape(moment)}(?!\w)", " ", left)
        left = _CLOCK.sub(" ", left)
        return self._replace(plain=left, tokens=_TOKEN.findall(left))

    def shares(self, question: _Asked) -> bool:
        """Check whether the statement has a word for what the question asks about."""
        return any(_root(token) in question.core for token in self.tokens if token not in _TELLS_NOTHING)


def fills(question: str, statement: str) -> bool:
    """Check whether a statement answers a question in other words.

    >>> fills("Which database do we take?", "We went with PostgreSQL.")
    True
    >>> fills("Which database do we take?", "We went with PostgreSQL for the website.")
    False
    >>> fills("When does the lease start?", "It starts on 3 June.")
    True
    """
    wanted = _asked(question)
    if wanted is None or is_question(plain_words(statement)) or reply_rules.NO_ANSWER.search(plain_words(statement)):
        return False
    plain = _plain(statement)
    denies = _NOT.search(_YES.sub("", plain)) is not None
    if _DOUBTS.search(plain) or (_OUGHT.search(plain) and not wanted.text.startswith(("should", "shall"))):
        return False
    if denies and wanted.slot != "yes":
        return False
    if _OF_PAST.match(wanted.text) and _WILL.search(plain):
        return False
    tokens = _TOKEN.findall(plain)
    return 0 < len(tokens) <= _MOST_WORDS and _FILLS[wanted.slot](wanted, _Said(plain, statement, tokens))


def names_what_is_asked(question: str, statement: str) -> bool:
    """Check whether an answer names the subject of the question itself: 'The offsite is in Lisbon'."""
    wanted = _asked(question)
    return wanted is not None and _Said("", statement, _TOKEN.findall(_plain(statement))).shares(wanted)


def may_fill(statement: str) -> bool:
    """Check whether a sentence is short and direct enough to answer a question."""
    if len(statement) > _LONGEST or not _OPENS.match(statement):
        return False
    plain = _plain(statement)
    return len(plain.split()) <= _MOST_WORDS // 2 and not is_question(plain) and not _DOUBTS.search(plain)


@lru_cache(maxsize=1_024)
def _moments(text: str) -> tuple[str, ...]:
    """Return the days, months and years in a text, as they appear in its normalized form."""
    expressions = time_expressions(text, _ANY_DAY)
    dated = (time for time in expressions if time.form in {Form.WRITTEN, Form.COUNTED})
    return tuple(plain_words(text[time.start : time.end]).rstrip(".") for time in dated)


@lru_cache(maxsize=1_024)
def _asked(question: str) -> _Asked | None:
    plain_text = plain_words(question)
    plain_text = plain_text[_LEAD.match(plain_text).end() :].rstrip(" ?.!")  # type: ignore[union-attr]
    for slot, pattern in _SLOTS:
        match = pattern.match(plain_text)
        if match is None:
            continue
        if slot == "yes" and _OR.search(plain_text):
            return None
        rest = _plain(match["rest"])
        noun = match.groupdict().get("noun") or ""
        head = rest[: part.start()] if (part := _PART.search(rest.strip() + " ")) else rest
        return _Asked(slot, plain_text, _roots(f"{noun} {rest}"), _roots(f"{noun} {head}"), noun)
    return None


def _plain(text: str) -> str:
    plain_text = written_out(plain_words(text).rstrip(" .!?…"), _WRITTEN_OUT)
    return " ".join(plain_text.split()).rstrip(" .,!")


def _roots(text: str) -> frozenset[str]:
    return frozenset(_root(token) for token in _TOKEN.findall(text) if token not in _TELLS_NOTHING)


def _which(question: _Asked, stated: _Said) -> bool:
    verbs = _TAKE if question.roots & _TAKE else _CHOOSE
    extra = stated.beside(question, also=verbs)
    chosen = {stated.tokens[at] for at in extra}
    does = any(_root(token) in question.core | verbs for token in stated.tokens)
    if not does and not stated.plain.startswith(("it is", "it was")):
        return False
    if not extra:
        # The slot value is in the question: 'The blue one or the green one?', 'We took the blue one.'
        return _chooses(question, stated)
    if len(extra) > _MOST_OF_VALUE or any(later - at > 1 for at, later in pairwise(extra)):
        return False
    if _root(question.noun.split()[-1]) in {"colour", "color"}:
        return chosen <= _COLOURS
    after = stated.tokens[extra[-1] + 1 :][:1]
    if after in (["one"], ["ones"]) or (after and _root(after[0]) in _roots(question.noun)):
        return True
    return not chosen & _COLOURS and all(_is_named(token, stated.text) for token in chosen)


def _chooses(question: _Asked, stated: _Said) -> bool:
    first, is_choice, second = question.text.rpartition(" or ")
    spoken = {_root(token) for token in stated.tokens if token not in _TELLS_NOTHING}
    ours, theirs = _roots(first.rpartition(",")[2]), _roots(second)
    return bool(is_choice) and bool(spoken & (ours - theirs)) is not bool(spoken & (theirs - ours))


def _who(question: _Asked, stated: _Said) -> bool:
    who = _PERSON.match(stated.plain)
    if who is None:
        return False
    person = who["who"]
    if not (person == "i" or person.startswith(("my ", "our ")) or _is_named(person, stated.text, may_open=True)):
        return False
    if person in _TELLS_NOTHING - {"i"} or _root(person) in question.roots:
        return False
    rest = stated._replace(tokens=_TOKEN.findall(stated.plain[who.end() :]))
    if rest.beside(question):
        return False
    return stated.plain == who.group() or rest.shares(question)


def _when(question: _Asked, stated: _Said) -> bool:
    left = stated.without_moments()
    if left.plain == stated.plain:
        return False
    return not left.beside(question) and _is_about(question, left)


def _where(question: _Asked, stated: _Said) -> bool:
    if stated.without_moments().plain != stated.plain:
        return False
    place = _PLACE.search(stated.plain)
    if place is not None:
        before_place = stated._replace(tokens=_TOKEN.findall(stated.plain[: place.start("place")]))
        new = _roots(place["place"]) - question.roots
        words = place["place"].split()
        if not any(word in _DETERMINERS or _is_named(word, stated.text) for word in words):
            # 'It is in good shape.' names no place.
            return False
        return bool(new) and not before_place.beside(question) and _is_about(question, before_place)
    extra = stated.beside(question, also=_CHOOSE)
    chosen = [stated.tokens[at] for at in extra]
    if not chosen or len(chosen) > _MOST_OF_VALUE or any(later - at > 1 for at, later in pairwise(extra)):
        return False
    return any(_root(token) in _CHOOSE for token in stated.tokens) and all(
        _is_named(one, stated.text) for one in chosen
    )


def _how_many(question: _Asked, stated: _Said) -> bool:
    units = {_root(token) for token in stated.tokens} & _UNITS
    if question.text.startswith("how many") and not units <= question.roots:
        # The units differ: 'How many rooms do we need?', 'We need 3 weeks.'
        return False
    counted = " ".join(SPELLED.get(word, word) if word != "one" else word for word in stated.plain.split())
    left = stated._replace(plain=counted).without(_AMOUNT)
    if left.plain == counted:
        return False
    return not left.beside(question, also=_UNITS) and _is_about(question, left)


def _yes(question: _Asked, stated: _Said) -> bool:
    left = stated._replace(plain=_YES.sub("", stated.plain)).without_moments()
    moments = [*_moments(stated.text), *(hour.group().split()[-1] for hour in _CLOCK.finditer(stated.plain))]
    if any(moment not in question.text for moment in moments):
        return False
    subject = _PRONOUN.match(question.text.partition(" ")[2])
    about = question.core
    if subject is None and _SPEAKERS.match(left.plain):
        # The subject differs: 'Has the landlord signed?', 'I signed.'
        return False
    if subject is None:
        words = [token for token in _TOKEN.findall(question.text) if token not in _TELLS_NOTHING]
        about -= {_root(words[0])} if words else frozenset()
    return not left.beside(question) and any(
        _root(token) in about for token in left.tokens if token not in _TELLS_NOTHING
    )  # fmt: skip


def _is_about(question: _Asked, left: _Said) -> bool:
    """Check whether the statement without the value is about the thing asked about or refers to it by a pronoun."""
    telling = [token for token in left.tokens if token not in _TELLS_NOTHING and _root(token) not in _UNITS]
    return left.shares(question) or (
        not telling and left.plain.startswith(("it ", "they ", "there ", "he ", "she ", "we "))
    )


def _is_named(word: str, text: str, *, may_open: bool = False) -> bool:
    """Check whether a word has a digit or a capital in the text; a capital in first place needs `may_open`."""
    if any(map(str.isdigit, word)):
        return True
    capital = word[0].upper() + word[1:]
    written = re.search(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", text)
    if written is None or not written.group()[0].isupper():
        return False
    return may_open or written.start() > 0 or capital != written.group()


_SLOTS: Final = (
    ("when", _WHEN), ("who", _WHO), ("where", _WHERE), ("how", _HOW_MANY), ("which", _WHICH), ("yes", _YES_OR_NO),
)  # fmt: skip
_FILLS: Final[Mapping[str, Callable[[_Asked, _Said], bool]]] = {
    "when": _when, "who": _who, "where": _where, "how": _how_many, "which": _which, "yes": _yes,
}  # fmt: skip
