"""Frames: clauses without the value they state, so that another value of the same thing is recognized.

'We use Kafka for the event bus' and 'We're using RabbitMQ for the event bus' have one frame. Frames are kept narrow: a
verb that can have many values at a time, like *visit* or *like*, gives no frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold_worker.pipeline.anchors.rules import frame_rules
from turnfold_worker.pipeline.anchors.rules.relation_rules import in_one_relation
from turnfold_worker.pipeline.anchors.rules.state_rules import states_of
from turnfold_worker.pipeline.anchors.statements.temporal_scope import is_bygone, waits
from turnfold_worker.pipeline.language.common_words import is_common, listed
from turnfold_worker.pipeline.language.quantities import SPELLED, in_one_form, spelled_number
from turnfold_worker.pipeline.language.required_words import PatternIndex
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes

_LONGEST: Final = 400
"""Maximum length in characters of a text that is searched for frames; statements of a value are short."""
_SHORT: Final = 120
"""Maximum length in characters of a text that states little else than a value."""
_MOST_PLAIN: Final = 12
"""Maximum number of words of a clause that states one thing plainly."""
_HOLDS: Final = "holds "
"""Key prefix of frames that are affirmed or denied: 'a second monitor' is needed, or it is not."""
_STATE: Final = "state"
"""Key prefix of states: 'the second chapter' is a draft, or it is final."""
_LEAST_DENIED: Final = 3
"""Minimum number of words of a clause that can be affirmed or denied."""
_DROPPED: Final = listed("the a an is are am will be been have has had to do does did us going")
"""Words that may differ between two clauses of one frame."""
_SAME: Final = {"our": "my", "we": "i", "must": "need", "should": "need", "cannot": "can"} | {
    form: verb
    for verb in (
        "use", "live", "take", "choose", "hire", "leave", "arrive", "close", "begin", "run", "work", "stay", "meet",
        "go", "fly", "deploy", "pay", "travel", "listen", "prefer", "need", "want", "book", "start", "end", "ship",
        "open", "depart", "sit", "name", "call", "pick",
    )
    for form in (f"{verb}s", f"{verb}es", f"{verb.removesuffix('e')}ing", f"{verb}{verb[-1]}ing")
}  # fmt: skip
"""Word forms that are equivalent in a frame."""
_FRAMES_BY_WORD: Final = PatternIndex(lambda: (pattern.pattern for _, pattern, _ in frame_rules.FRAMES))
_NUMBER: Final = lazy_pattern(r"(?<![\w.,:-])\d+(?:[.,:]\d+)*(?![\w-])")
_DATE: Final = lazy_pattern(
    r"(?<!\w)(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|"
    r"july?|aug(?:ust)?|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|\d{1,2}(?:st|nd|rd|th))(?!\w)"
)
_MEASURED: Final = ("number", "date", "weekday")
"""Prefixes of the sorts of values that are amounts or days."""
_SEVERAL: Final = lazy_pattern(r",|(?<!\w)(?:and|or)(?!\w)")
_MEASURE: Final = lazy_pattern(
    r"(?<![\w.,])(?:an?|half an?|\d[\d.,]{0,12}) ?[a-z]{1,15} of (?!(?:the|my|our|it|them)(?!\w))"
)
_BEHIND: Final = lazy_pattern(
    r" (?:for|in|at|on|from|to|with|of|per|during|until|by|near|next|as|instead|rather|not|because|since|when|if|after|"
    r"before|while|though|although|but)(?= )"
)
_SPLIT: Final = lazy_pattern(
    r"[.;!](?:\s+|$)|[,:] (?:so |and |but )?(?=(?:i|we|it|there|the|my|our|they|he|she|let's|that's|it's|i'm|we're)"
    r"(?!\w))|, (?:and )?(?=[a-z][\w'-]+ (?:is|are|has|have|moved|left|retired|resigned|quit|stepped|went|died|got)"
    r"(?!\w))|"
    r" (?:and|but|so) (?=(?:i|we|it|the|my|our|they|he|she|i'm|we're)(?!\w))"
)


class Frame(NamedTuple):
    """A value that a clause states."""

    key: str
    """Stems of the clause without the value, in order."""
    value: frozenset[str]
    """Stems of the value; for affirmed or denied frames, whether it holds."""
    tail: frozenset[str]
    """Content stems after the value; an empty tail is compatible with any other."""
    is_beside: bool
    """The clause presents the value as one of several: 'also', 'another'."""
    is_plain: bool = True
    """The clause says little else: something needed or allowed, rather than anything that may be denied one day."""

    def gives_way_to(self, later: Frame) -> bool:
        """Check whether a later frame has another value of the same thing."""
        if self.key != later.key or later.is_beside is not self.is_beside:
            return False
        if self.is_beside and not self.key.startswith((_HOLDS, _STATE)):
            return False
        if self.tail and later.tail and not (self.tail <= later.tail or later.tail <= self.tail):
            return False
        return not (self.value <= later.value or later.value <= self.value)


def other_value(new: str, old: str) -> bool:
    """Check whether a later text states another value for what an earlier one states.

    >>> other_value("We're using RabbitMQ for the event bus.", "We use Kafka for the event bus.")
    True
    >>> other_value("We don't need a visa for Nepal.", "We need a visa for India.")
    False
    """
    later = frames_of(new)
    return bool(later) and any(earlier.gives_way_to(frame) for earlier in frames_of(old) for frame in later)


def states_a_value(text: str) -> bool:
    """Check whether a short text plainly states a value, so that it is kept until something changes it."""
    return len(text) <= _SHORT and any(frame.is_plain for frame in frames_of(text))


@lru_cache(maxsize=1_024)
def frames_of(text: str) -> tuple[Frame, ...]:
    """Return the frames of what a short text asserts about the present."""
    if len(text) > _LONGEST or is_question(text):
        return ()
    unquoted = without_quotes(text)
    frames = [
        frame._replace(key=f"{_key(place_before)} {frame.key}".strip())
        for clause, place_before in clauses_of(text)
        for frame in _frames(clause, unquoted)
    ]
    return tuple(dict.fromkeys(frames))


@lru_cache(maxsize=1_024)
def clauses_of(text: str) -> tuple[tuple[str, str], ...]:
    """Return the clauses that assert something about the present, each with the place or topic phrase before it."""
    if len(text) > _LONGEST or is_question(text):
        return ()
    plain = plain_words(in_one_form(without_quotes(text)))
    return () if waits(plain) or is_bygone(plain) else tuple(_clauses(plain))


def stems_in_order(clause: str) -> tuple[str, ...]:
    """Return the stems of a clause without articles and auxiliaries, with verb forms unified."""
    return tuple(_key(clause).split())


def without_measure(clause: str) -> str:
    """Return a clause without amounts, so that it can match a text that ends the activity altogether.

    >>> without_measure("i take 5 mg of ramipril")
    'i take ramipril'
    """
    return _MEASURE.sub("", clause)


def _clauses(plain: str) -> Iterator[tuple[str, str]]:
    """Yield the asserting clauses with short forms written out, each with the place or topic phrase before it."""
    opening = frame_rules.OPENS.match(plain)
    rest = plain[opening.end() :] if opening else plain
    where = frame_rules.WHERE.match(rest)
    place_before = where.group() if where else ""
    for part in filter(None, _SPLIT.split(rest[len(place_before) :])):
        clause = in_one_relation(frame_rules.bare_clause(part))
        if clause and not frame_rules.DOUBTS.search(f"{place_before}{clause}"):
            yield clause, place_before
        # A number identifies the thing in later clauses: 'We booked room 12, and the limit is 30 people.'
        place_before += " ".join(_NUMBER.findall(part))


def _frames(clause: str, text: str) -> Iterator[Frame]:
    beside = frame_rules.BESIDE.search(clause) is not None
    denied = frame_rules.NEGATION.search(clause)
    affirmed = frame_rules.NEGATION.sub(" ", clause)
    if frame_rules.PRESENT.search(affirmed) and not frame_rules.OF_HEALTH.search(clause) and _tells(affirmed):
        words = _key(affirmed)
        if len(words.split()) >= _LEAST_DENIED:
            holds = frozenset({"no" if denied else "yes"})
            yield Frame(f"{_HOLDS}{words}", holds, frozenset(), beside, is_plain=_is_plain(clause))
    yield from _states(clause, is_beside=beside)
    if not denied:
        yield from _values(clause, text, is_beside=beside)
        yield from _counts(clause, is_beside=beside)


def _states(clause: str, *, is_beside: bool) -> Iterator[Frame]:
    """Yield a frame for each scale of a state: 'The audit is pending'."""
    for subject, state, scale in states_of(clause):
        if not frame_rules.UNIQUE.search(subject):
            yield Frame(f"{_STATE}{scale} {_key(subject)}", frozenset({state}), frozenset(), is_beside)


def _values(clause: str, text: str, *, is_beside: bool) -> Iterator[Frame]:
    for place in _FRAMES_BY_WORD.worth_trying(clause):
        name, pattern, sort_of = frame_rules.FRAMES[place]
        match = pattern.match(clause)
        if match is None:
            continue
        words, tail = _without_tail(match["value"])
        sort = sort_of(words, match, text)
        if sort and not _SEVERAL.search(words):
            key = _key(clause[: match.start("value")] + " … " + (match.groupdict().get("behind") or ""))
            # 'Our mortgage is 3 percent' and 'the mortgage is 2 percent' are about one thing.
            key = key.removeprefix("my ") if sort.startswith(_MEASURED) else key
            yield Frame(f"{name} {sort} {key}", _stems(words), _stems(tail), is_beside)
    owner = frame_rules.OWNER.match(clause)
    if owner and frame_rules.is_name(owner["value"], text):
        yield Frame(f"owner {_key(owner['task'])}", _stems(owner["value"]), frozenset(), is_beside)


def _counts(clause: str, *, is_beside: bool) -> Iterator[Frame]:
    """Yield a frame for the only number of a clause: 'There are five interviews'."""
    counted = frame_rules.TIMES.sub(lambda match: f"{SPELLED[match.group()]} times", clause)
    counted = " ".join(
        spelled_number(word) or word if word not in frame_rules.NO_NUMBERS else word for word in counted.split()
    )
    numbers = _NUMBER.findall(counted)
    if len(numbers) != 1 or not frame_rules.COUNTS.search(counted) or _DATE.search(counted):
        return
    without = _NUMBER.sub("#", counted)
    if frame_rules.COUNTED.search(without):
        length = frame_rules.LENGTH.findall(without)
        key = _key(frame_rules.LENGTH.sub("long", without))
        yield Frame(f"count {key}", frozenset((*numbers, *map(STEMS.__getitem__, length))), frozenset(), is_beside)


def _is_plain(clause: str) -> bool:
    return len(clause.split()) <= _MOST_PLAIN and frame_rules.NEEDS.match(clause) is not None


def _without_tail(value: str) -> tuple[str, str]:
    behind = _BEHIND.search(value)
    return (value[: behind.start()], value[behind.start() :]) if behind else (value, "")


def _key(clause: str) -> str:
    words = (_SAME.get(word, word) for word in clause.replace(",", " ").split())
    return " ".join(STEMS[word] if word.isalpha() else word for word in words if word not in _DROPPED)


def _stems(words: str) -> frozenset[str]:
    bare = (word.strip("'\"().:") for word in words.split())
    return frozenset(STEMS[word] if word.isalpha() else word for word in bare if word and word not in _DROPPED)


def _tells(clause: str) -> bool:
    return any(len(word) > 2 and not is_common(STEMS[word]) for word in clause.split())
