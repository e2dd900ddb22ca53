"""Splitting of clauses that state, then ask: 'I'm on Flask 2.3, how do I add a page?'.

A question states nothing about the asker, whatever numbers or names it contains; the statement before it does.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules import statement_rules, wanted_rules
from turnfold_worker.pipeline.anchors.rules.rule import LEAD
from turnfold_worker.pipeline.language.prose import Span, trimmed
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_fillers

_AUXILIARY: Final = "(?:can|could|do|does|did|should|would|will|shall|is|are|was|were|am|has|have|had|may|might|must)"
_OUTRIGHT: Final = rf"(?:what(?! can i say)|how|why)(?:'s|'re|(?: \w+)? {_AUXILIARY})"
_OPENS: Final = lazy_pattern(rf"{LEAD}{_OUTRIGHT}(?!\w)")

_UNSURE: Final = (
    r"i(?:'m| am| was)(?: (?:just|also|still|really|kinda|a bit|not))? (?:wondering|curious|sure|certain)"
    r"(?: about)? (?:if|whether|how|what|why|where|which|when)"
)
_ASKS: Final = (
    r"(?:can|could|would|will) (?:you|u|we|i|someone|anyone|anybody|somebody)"
    r"|(?:do|does|did|should|have|has) (?:i|we|you|they|he|she|it|this|that|anyone|anybody)"
    rf"|(?:is|are) (?:there|you|they)|{_OUTRIGHT}|any (?:tips|ideas?|advice|suggestions|thoughts)|{_UNSURE}"
)
_JOINT: Final = lazy_pattern(
    rf"(?i)(?:[,;]|\s[-\u2013\u2014])\s(?=(?:(?:and|but|so|or|also|then|please|now) ){{0,2}}(?:{_ASKS})(?!\w))"
)
_REASON: Final = lazy_pattern(
    r"(?i),\s(?=(?:considering|given(?: that)?|seeing(?: that)?|since) (?:i|i['\u2019](?:m|ve)|my|we|our)(?!\w))"
)
_TELLS: Final = lazy_pattern(r"(?<!\w)(?:i(?! mean)|i'(?:m|ve|d|ll)|my|we|we'(?:re|ve|d|ll)|our)(?!\w)")
_TELLS_NOTHING: Final = lazy_pattern(
    LEAD
    + rf"(?:if|once|when|whenever|unless|whether|where|which|who|what|how|why|than|{_AUXILIARY}"
    + r"|i(?:'m| am)(?: \w+)? (?:curious|wondering))(?!\w)"
)
_TOLD_WORDS: Final = 4
_ASKED_WORDS: Final = 4
"""Minimum number of words of a statement and of the question after it: 'I like it, do you?' stays whole."""

_WISH: Final = lazy_pattern(
    r"(?<!\w)i(?:'m|'ve| am| have|'d| would)?(?: (?:also|still|just|really|now|currently|kinda|been|a bit)){0,2}"
    r" (?:trying to|want(?:ed)? to|need(?:ed)? to|like to|hop(?:e|ing) to|wish to|struggling to|"
    r"having (?:trouble|difficulty|a hard time))"
    r"(?: (?:make sure|be sure|ensure)(?: that)? i(?:'m| am)?)?(?: (?:fully|really|better|correctly|properly|just))?"
    r" (?:understand(?:ing)?|figur(?:e|ing) out|grasp(?:ing)?|calculat(?:e|ing)|verify(?:ing)?|determin(?:e|ing)|"
    r"comput(?:e|ing)|work(?:ing)? out|solv(?:e|ing))(?!\w)"
    rf"|(?<!\w){_UNSURE}(?!\w)"
)
"""The speaker wants to understand something or is unsure, so a reply is wanted."""

_NAMED: Final = r"(?P<noun>[a-z][\w-]+)"
_OF_A_PART: Final = lazy_pattern(
    rf"(?<![\w-])(?P<thing>[\w-]{{4,30}} (?:on|in|for|of) (?:(?:the|our|my|your) )?){_NAMED}"
)
_WHEN_IS: Final = lazy_pattern(
    rf"{LEAD}(?:when|where|what time)(?:'s| (?:is|are|was|were|does|do|did|will)) (?:the|our|my|your) {_NAMED}"
)
_IT_IS: Final = lazy_pattern(rf"(?:the|our|my|your) {_NAMED} (?:is|are|was|were|will|starts?|begins?|ends?)(?!\w)")
_HOW_MANY: Final = lazy_pattern(rf"{LEAD}how many(?!\w)")
_PRICE: Final = lazy_pattern(r"(?<!\w)(?:costs?|priced)(?!\w)")


def told_and_asked(text: str, span: Span) -> tuple[Span, ...]:
    """Split a clause into a speaker's statement about themselves and the question next to it, if it has both."""
    for joint in _JOINT.finditer(text, span.start, span.end):
        told_span, asked_span = (
            trimmed(text, Span(span.start, joint.start())),
            trimmed(text, Span(joint.end(), span.end)),
        )
        if len(text[asked_span.start : asked_span.end].split()) < _ASKED_WORDS:
            break
        told_text = _plain(text, told_span)
        if len(told_text.split()) >= _TOLD_WORDS and _TELLS.search(told_text) and not _TELLS_NOTHING.match(told_text):
            return told_span, asked_span
    return _asked_and_told(text, span) if is_question(_plain(text, span)) else (span,)


def _asked_and_told(text: str, span: Span) -> tuple[Span, ...]:
    """Split a question from the reason that follows: 'can you check it, since I passed 2 of 3 exams?'."""
    for joint in _REASON.finditer(text, span.start, span.end):
        asked_span, told_span = (
            trimmed(text, Span(span.start, joint.start())),
            trimmed(text, Span(joint.end(), span.end)),
        )
        if min(len(text[part.start : part.end].split()) for part in (asked_span, told_span)) >= _TOLD_WORDS:
            return asked_span, Span(
                told_span.start, told_span.start + len(text[told_span.start : told_span.end].rstrip("?"))
            )
    return (span,)


def _plain(text: str, span: Span) -> str:
    return without_fillers(plain_words(text[span.start : span.end]))


def asks_outright(statement: str) -> bool:
    """Check whether a normalized statement opens like a question, even without a question mark: 'Why is Linux …'."""
    return _OPENS.match(statement) is not None


def wishes_to_know(statement: str) -> bool:
    """Check whether a normalized statement only expresses a wish to understand and nothing else of the speaker."""
    wish = _WISH.search(statement)
    return (
        wish is not None and not _TELLS.search(statement[: wish.start()]) and not _TELLS.search(statement, wish.end())
    )


def asks_of_another(question: str, reply: str) -> bool:
    """Check whether a reply is about something other than the thing asked about.

    >>> asks_of_another("When is the freeze?", "The release is on 12 June.")
    True
    >>> asks_of_another("Did the backup on the old server finish?", "The backup on the new one finished.")
    True
    >>> asks_of_another("When is the freeze?", "It is on 12 June.")
    False
    """
    asked, told = plain_words(question), plain_words(reply)
    if (about := _WHEN_IS.match(asked)) and (named := _IT_IS.match(told)):
        return about["noun"] not in told and named["noun"] not in asked
    if _HOW_MANY.match(asked) and not _PRICE.search(asked):
        return _PRICE.search(told) is not None
    others = {part["thing"]: part["noun"] for part in _OF_A_PART.finditer(told)}
    return any(
        others.get(part["thing"], part["noun"]) != part["noun"] and part["noun"] not in told
        for part in _OF_A_PART.finditer(asked)
    )


def asks_for_a_reply(statement: str) -> bool:
    """Check whether a request to an assistant asks for words, a text or code, so that the reply settles it.

    >>> asks_for_a_reply("can you draft the form?"), asks_for_a_reply("i'll draft it tomorrow")
    (True, False)
    """
    wanted = wanted_rules.WORDS_WANTED.search(statement) or wanted_rules.TEXT_WANTED.search(statement)
    # 'An example of how to send mail' sends nothing.
    deed = statement.partition(" how to ")[0]
    beyond = (wanted_rules.WORLD, wanted_rules.PROMISES, statement_rules.LATER)
    return wanted is not None and not any(pattern.search(deed) for pattern in beyond)
