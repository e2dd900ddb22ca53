"""Corrections of a phone number alone: 'The number is 555-0199 now' after 'Send it to 12 Elm Street, ring 555-0101'."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.spoken import is_question, plain_words

_PHONE: Final = r"\+?(?<![\w-])(?:\(?\d{1,4}\)?[ ./-]){1,5}\d{2,6}(?![\w-])"
_PHONES: Final = lazy_pattern(_PHONE)
_RENUMBERS: Final = lazy_pattern(
    r"^(?:(?:actually|correction|sorry|so|ok|okay|and|oh|btw|by the way|please note|update)[,:]? (?:that )?){0,2}"
    r"(?:(?P<whose>the|my|our|his|her|their|its) )?(?:(?:new|right|correct|phone|telephone|mobile|cell|contact) ){0,3}"
    r"(?:number|phone|telephone|mobile|cell|line)(?: number)? (?:is|was|has|should be|should read|changed|changes)"
    rf"(?: changed| been changed| now)*(?: to)? (?P<new>{_PHONE})(?: now| instead| from now on)?"
    rf"(?:,? (?:and )?not (?P<old>{_PHONE}))?(?: now)?[.!]*$"
)
_STREET: Final = lazy_pattern(
    r"(?<!\w)(?:\d{1,5}[a-z]?,? (?:[A-Z][\w'.-]{0,30} ){1,4}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Way|Square|"
    r"Close|Court|Boulevard|Blvd|Place|Terrace|Row|Crescent)|"
    r"[A-Z][\w-]{0,30}(?:stra(?:ß|ss)e|weg|platz|gasse) \d{1,5}[a-z]?)(?!\w)"
)
_OF_OTHERS: Final = lazy_pattern(r"(?<!\w)(?:his|her|their|its|[a-z]+'s)(?!\w)")
_NUMBER: Final = lazy_pattern(r"(?<![\w.,:/-])\d+(?:[.,:/]\d+)*(?![\w-])")
_NOT: Final = lazy_pattern(r"(?:,? (?:and )?not|instead of|rather than) (?P<old>\S+(?: \S+)?)$")


def renumbers(new: str, old: str) -> bool:
    """Check whether a text corrects the only phone number that an earlier one gives.

    >>> renumbers("The number is 555-0199 now.", "Send it to 12 Elm Street, ring 555-0101.")
    True
    >>> renumbers("Her number is 555-0199 now.", "Send it to 12 Elm Street, ring 555-0101.")
    False
    """
    plain, earlier_text = plain_words(new), plain_words(old)
    match = _RENUMBERS.match(plain)
    earlier = _PHONES.findall(earlier_text)
    if match is None or is_question(plain) or len(earlier) != 1 or earlier[0] == match["new"]:
        return False
    if match["old"]:
        return bool(earlier[0] == match["old"])
    other_match = _OF_OTHERS.search(earlier_text)
    if match["whose"] in {"his", "her", "their", "its"}:
        return other_match is not None and other_match.group() == match["whose"]
    return other_match is None


def gives_a_number(text: str) -> bool:
    """Check whether a text states what a phone number is."""
    return _RENUMBERS.match(plain_words(text)) is not None


def holds_an_address(text: str) -> bool:
    """Check whether a text contains a street address with a house number."""
    return _STREET.search(text) is not None


def corrected_value(old: str, new: str) -> tuple[str, str] | None:
    """Return the value of an earlier text that a correction replaces, with the new value; None if unclear.

    >>> corrected_value("Mails go to ops@mail.example, port 2525.", "The port is 587, not 2525.")
    ('2525', '587')
    >>> corrected_value("We meet at 5 or 6.", "We meet at 7.")
    """
    denied = _NOT.search(new.rstrip(" .!"))
    stated = new[: denied.start()] if denied else new
    for pattern in (_PHONES, _NUMBER):
        earlier = list(dict.fromkeys(pattern.findall(_STREET.sub(" ", old))))
        now = list(dict.fromkeys(number for number in pattern.findall(stated) if number not in earlier))
        if denied:
            earlier = [number for number in earlier if number in denied["old"]]
        if len(earlier) == 1 == len(now):
            return earlier[0], now[0]
        if earlier and now:
            return None
    return None
