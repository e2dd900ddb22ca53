"""Statements that something has ended: 'we no longer use Kafka', 'I don't do judo any more', 'scratch the encore'.

They give no other value. They end an earlier statement that says, of the same subject, everything that is ended.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold_worker.pipeline.anchors.rules import frame_rules
from turnfold_worker.pipeline.anchors.statements.frames import clauses_of, stems_in_order, without_measure
from turnfold_worker.pipeline.anchors.statements.temporal_scope import begins_again, without_time
from turnfold_worker.pipeline.language.common_words import is_common, listed
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes

_LONGEST: Final = 160
_CUES: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:no longer|any ?more|any longer|stopped|quit|gave up|given up|got rid of|scratch|scrap|cancel|"
    r"let's (?:drop|skip))(?!\w)"
)
"""Cue words of endings; texts without one, the great majority, are skipped."""
_NO_LONGER: Final = lazy_pattern(
    r"(?<!\w)(?:no longer|(?:(?:do|does|is|are|am|can|will|have|has) )?not(?= .{1,80}? (?:any ?more|any longer)(?!\w)))"
    r"(?!\w)"
)
_ANY_MORE: Final = lazy_pattern(r"(?<!\w)(?:any ?more|any longer)(?!\w)")
_STOPPED: Final = lazy_pattern(
    r"^(?P<who>(?:[\w'-]+ ){1,4}?)(?:(?:have|has) )?(?:stopped|quit|gave up|given up|got rid of) "
    r"(?P<rest>[\w'-]+.*)$"
)
_USING: Final = "using "
_USED: Final = frozenset({"use", "in", "with", "on", "via", "by", "through"})
"""Words before the thing that is used: 'we track bugs in Jira'."""
_TAKES_AWAY: Final = lazy_pattern(
    r"^(?:(?:please|we can) )?(?:(?:we )?(?:scratch|scrap|cancel)|we (?:drop|skip)) (?:the|our|my) "
    r"(?P<thing>[^,;:.!?]{3,60})$"
)
_PART: Final = lazy_pattern(
    r"[,;:.!?](?=\s|$)| (?:because|since|so|but|as|now that|after|and (?=(?:i|we|it)(?!\w)))(?= )"
)
_PREPOSITION: Final = frozenset({"in", "at", "on", "for", "with", "from", "to", "by", "of", "via", "through", "during"})
_NO_SUBJECTS: Final = listed("it he she they this that these those there who which what nobody everybody anybody you")
_OF_PAST: Final = lazy_pattern(r"(?<!\w)[a-z]{2,20}ed(?!\w)")
_SEVERAL: Final = frozenset({"and", "or"})
_LEAST: Final = 2
_MOST_BESIDE: Final = 6


class Ending(NamedTuple):
    """Something that no longer holds, in stems."""

    core: tuple[str, ...]
    """Subject, verb and object in order; for a thing that is dropped, its words."""
    beside: frozenset[str]
    """Stems of the place, time or purpose."""
    is_use: bool = False
    """The use of a thing ends: 'we stopped using Trello' ends 'we track tasks in Trello'."""
    is_thing: bool = False
    """Only a thing is named: 'scratch the encore'."""


@lru_cache(maxsize=1_024)
def ending_of(text: str) -> Ending | None:
    """Return what a short text ends, or None if it ends nothing, asks, supposes or quotes it.

    >>> ending_of("We no longer use Kafka in staging.").core
    ('i', 'use', 'kafka')
    >>> ending_of("If we no longer used Kafka, what then?")
    """
    if len(text) > _LONGEST or _CUES.search(text) is None or is_question(text):
        return None
    plain = plain_words(without_quotes(text))
    if begins_again(plain):
        return None
    opening = frame_rules.OPENS.match(plain)
    rest = plain[opening.end() :] if opening else plain
    where = frame_rules.WHERE.match(rest)
    for part in _PART.split(rest[where.end() :] if where else rest):
        clause = without_time(frame_rules.bare_clause(part))
        if _CUES.search(part) is None or frame_rules.DOUBTS.search(clause):
            continue
        ending = _ended(clause, where.group() if where else "")
        if ending is not None:
            return ending
    return None


def _ended(clause: str, where: str) -> Ending | None:
    taken = _TAKES_AWAY.match(clause)
    if taken is not None:
        thing = stems_in_order(taken["thing"])
        telling = [stem for stem in thing if not is_common(stem) and stem not in _PREPOSITION]
        return Ending(tuple(telling), frozenset(), is_thing=True) if telling else None
    stopped = _STOPPED.match(clause)
    if stopped is not None:
        using = stopped["rest"].startswith(_USING)
        kept = f"{stopped['who']}{'use ' if using else ''}{stopped['rest'].removeprefix(_USING)}"
        return _split(kept, where, is_use=using)
    kept, denied = _NO_LONGER.subn(" ", clause)
    return _split(_ANY_MORE.sub(" ", kept), where) if denied == 1 and not frame_rules.NEGATION.search(
        _ANY_MORE.sub(" ", kept)
    ) else None  # fmt: skip


def _split(affirmed: str, where: str, *, is_use: bool = False) -> Ending | None:
    words = affirmed.split()
    if not words or words[0] in _NO_SUBJECTS:
        return None
    behind = next((at for at, word in enumerate(words) if at >= _LEAST and word in _PREPOSITION), len(words))
    core = stems_in_order(" ".join(words[:behind]))
    beside = frozenset(stems_in_order(" ".join([where, *words[behind:]]))) - _PREPOSITION
    if len(core) < _LEAST or len(beside) > _MOST_BESIDE:
        return None
    # 'I no longer do' names nothing that ends.
    tells = beside or any(len(stem) > _LEAST and not is_common(stem) for stem in core[1:])
    return Ending(core, beside, is_use=is_use) if tells else None


def ends(new: str, old: str) -> bool:
    """Check whether a later text ends what an earlier one of the same speaker states.

    >>> ends("We no longer use Kafka.", "We use Kafka for the event bus.")
    True
    >>> ends("We no longer use Kafka for the audit log.", "We use Kafka for the event bus.")
    False
    """
    ending = ending_of(new)
    if ending is None or len(old) > _LONGEST or is_question(old):
        return False
    return any(
        frame_rules.NEGATION.search(clause) is None
        and any(_is_over(ending, stated, place_before) for stated in {clause, without_measure(clause)})
        for clause, place_before in clauses_of(old)
    )


def _is_over(ending: Ending, clause: str, place_before: str) -> bool:
    stated = stems_in_order(clause)
    said = {*stated, *stems_in_order(place_before)}
    # Of 'we use Kafka and Redis' one may still hold when the other does not.
    if not ending.beside <= said or not _SEVERAL & said <= _SEVERAL & {*ending.core, *ending.beside}:
        return False
    if ending.is_thing:
        return set(ending.core) <= said
    if ending.is_use:
        return _is_used(ending.core, stated)
    # 'I used' is past, although it has the stem of 'I use'.
    is_past = _OF_PAST.search(" ".join(clause.split()[1:3])) is not None
    return not is_past and stated[: len(ending.core)] == ending.core


def _is_used(core: tuple[str, ...], stated: tuple[str, ...]) -> bool:
    """Check whether a clause states that the same subject uses what the ending names."""
    at = core.index(STEMS["use"])
    who, thing = core[:at], core[at + 1 :]
    places = range(len(who) + 1, len(stated) - len(thing) + 1)
    return bool(thing) and stated[:at] == who and any(
        stated[place : place + len(thing)] == thing and stated[place - 1] in _USED for place in places
    )  # fmt: skip
