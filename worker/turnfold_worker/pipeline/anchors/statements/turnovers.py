"""Things replaced or given up: 'we traded in the Civic for a RAV4', 'we let Tom go'.

Such a text ends an earlier statement that the same subject has, uses or does what is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold_worker.pipeline.anchors.rules import frame_rules, turnover_rules, value_change_rules
from turnfold_worker.pipeline.anchors.rules.turnover_rules import Way
from turnfold_worker.pipeline.anchors.statements.frames import clauses_of, stems_in_order, without_measure
from turnfold_worker.pipeline.anchors.statements.temporal_scope import begins_again, is_bygone, waits, without_time
from turnfold_worker.pipeline.language.common_words import is_common, listed
from turnfold_worker.pipeline.language.quantities import in_one_form
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes

_LONGEST: Final = 160
_PART: Final = lazy_pattern(
    r"[,;:.!?](?=\s|$)| (?:because|since|but|so|now that|and(?! (?:i|we) (?:have|are|got|broke|split|separated|"
    r"divorced|parted)(?!\w)))(?= )"
)
_TIME_FIRST: Final = lazy_pattern(r"^(?:last|this|the other|on|in) \w+,? (?=(?:i|we)(?!\w))")
_AIM: Final = lazy_pattern(
    r"(?:^|(?<= ))(?:to|because|after|since|before|when|until|while|as|by|over|completely|entirely|instead)(?!\w)"
)
"""Words after which a reason or a time limit follows, not a place."""
_PLACE_FIRST: Final = lazy_pattern(r"(?:at|for) (?:(?:the|my|our) )?[\w-]{2,20},? (?=(?:i|we)(?!\w))")
_IN_MAY: Final = lazy_pattern(r"(?<!\w)(?:from|in|to|until|till|by|of|since) may(?!\w)")
"""The month, as opposed to the verb 'may'."""
_PREPOSITIONS: Final = frozenset({"in", "at", "on", "for", "with", "of", "during"})
_NO_SUBJECTS: Final = listed("it he she they this that these those there who which what nobody you everybody everyone")
_VAGUE: Final = listed("it that this them these those him her everything anything one something all both")
_BESIDE: Final = lazy_pattern(
    r"(?<!\w)(?:also|too|another|second|third|other|extra|spare|one of|some of|most of|half|partly|part of|some)(?!\w)"
)
_SEVERAL: Final = frozenset({"and", "or"})
_PAST: Final = lazy_pattern(r"^[a-z]{2,20}ed$")
_HELPS: Final = frozenset({"i", "my", "to", "currently", "both", "all", "not", "no"})
_PLACES: Final = frozenset({"for", "with", "in", "on", "at", "of", "from", "to", "under", "by"})
_GOES_TO: Final = _PLACES | {"go", "attend"}
_DOES_WITH: Final = frozenset({"with", "via", "by", "through", "in", "on"})
_MANY_THINGS: Final = lazy_pattern(r"[\w'-]+s(?!\w)|[\w-]+ [\w-]+s (?:are|live|run|go|come|sit) ")
"""'Logs are shipped with …', 'feature flags live in …'."""
_TITLES: Final = frozenset(
    {"dr", "mr", "mrs", "ms", "miss", "doctor", "coach", "professor", "prof", "sister", "father"}
)
_ARTICLES: Final = frozenset({"a", "an", "the", "our", "my"})
_SELF: Final = ("i",)
_MOST_BEFORE: Final = 6
_KINDS_OF_LEAD: Final = {
    lead: family
    for family in (frozenset({"in", "into"}), frozenset({"on", "onto", "to", "at", "in"}), frozenset({"with", "by"}))
    for lead in family
} | {"to": frozenset({"in", "on", "at", "to", "with"}), "with": frozenset({"with", "by"})}  # fmt: skip


class Turnover(NamedTuple):
    """Something that no longer holds, in stems."""

    way: Way
    who: tuple[str, ...]
    """The subject; empty where the text is about the thing itself."""
    gone: tuple[str, ...]
    thing: tuple[str, ...]
    """The thing of which `gone` was a value."""
    now: tuple[str, ...]
    beside: frozenset[str]
    """Stems of the place or purpose."""
    lead: str = ""
    """The preposition before the new value."""
    is_name: bool = False
    """What is gone is given by name."""


@lru_cache(maxsize=1_024)
def turnovers_of(text: str) -> tuple[Turnover, ...]:
    """Return what a short text says was replaced or given up; empty if it only asks, wants, supposes or quotes it.

    >>> turnovers_of("We sold the camper van.")[0].gone
    ('camper', 'van')
    >>> turnovers_of("I almost sold the camper van.")
    ()
    """
    words = text.replace(",", " ").replace(".", " ").lower().split()
    if len(text) > _LONGEST or turnover_rules.CUES.isdisjoint(words) or is_question(text):
        return ()
    unquoted = without_quotes(text)
    plain = plain_words(in_one_form(unquoted))
    if waits(plain) or is_bygone(plain) or begins_again(plain):
        return ()
    return tuple(_turnovers(plain, unquoted))


def _turnovers(plain: str, text: str) -> Iterator[Turnover]:
    opening = frame_rules.OPENS.match(plain)
    rest = plain[opening.end() :] if opening else plain
    where = frame_rules.WHERE.match(rest) or _PLACE_FIRST.match(rest)
    place = where.group() if where else ""
    for part in _PART.split(rest[len(place) :]):
        # 'Instead' alone is an adverb, which `bare_clause` removes.
        clause = frame_rules.bare_clause(part.replace("instead of", "in place of")).removeprefix("and ")
        clause = without_time(_TIME_FIRST.sub("", clause))
        if value_change_rules.SUPPOSED.search(_IN_MAY.sub(" ", clause)) or frame_rules.NEGATION.search(clause):
            # Later clauses may depend on this one: 'they said that we sold it', 'we never did, we sold it'.
            return
        found = _turnover(clause, place, text) if clause else None
        if found is not None:
            yield found


def _turnover(clause: str, place: str, text: str) -> Turnover | None:
    for way, pattern, of_a_name in turnover_rules.TURNS:
        match = pattern.match(clause)
        if match is None:
            continue
        groups = {name: words or "" for name, words in match.groupdict().items()}
        who = stems_in_order(groups.get("who", ""))
        gone = groups.get("gone", "") or groups.get("habit", "")
        if (who and who[0] in _NO_SUBJECTS) or _BESIDE.search(match.group()) or gone.split(" ", 1)[0] in _VAGUE:
            continue
        named = bool(gone) and frame_rules.is_name(gone, text)
        tells = groups.get("whose") or named or groups.get("habit") or "who" not in groups or way is Way.MOVED
        if gone and not (tells and _is_told(gone)):
            continue
        if of_a_name not in {None, named} or (way is Way.PARTED and not (named or groups.get("whose"))):
            continue
        behind = _AIM.split(clause[match.end() :].strip())[0]
        beside = frozenset(stems_in_order(f"{place} {behind}")) - _PREPOSITIONS - {"my"}
        return Turnover(
            way, who, stems_in_order(gone), stems_in_order(groups.get("thing", "")),
            stems_in_order(groups.get("now", "")), beside, groups.get("lead", ""), is_name=named,
        )  # fmt: skip
    return None


def _is_told(gone: str) -> bool:
    first = gone.split(" ", 1)[0]
    return first not in {"a", "an", "one", "two", "three", "four", "five", "some", "any", "no"}


def words_sought(text: str) -> frozenset[str]:
    """Return stems of which an earlier text that is ended must contain at least one, common words included."""
    return frozenset(
        stem for each in turnovers_of(text) for stem in (*each.gone, *each.thing, *each.now, *each.beside)
        if len(stem) > 1
    )  # fmt: skip


def turns_over(new: str, old: str) -> bool:
    """Check whether a later text ends what an earlier one of the same speaker says.

    >>> turns_over("We moved the launch from May to June.", "The launch is in May.")
    True
    >>> turns_over("We moved the press event from May to June.", "The launch is in May.")
    False
    """
    turnovers = turnovers_of(new)
    if not turnovers or len(old) > _LONGEST or is_question(old):
        return False
    return any(
        frame_rules.NEGATION.search(clause) is None
        and any(_is_over(turnover, stated) for stated in {clause, without_measure(clause)})
        for clause, place in clauses_of(old)
        for turnover in turnovers
        if turnover.beside <= {*stems_in_order(clause), *stems_in_order(place), *turnover.now, *turnover.thing}
    )


def _is_over(turnover: Turnover, clause: str) -> bool:
    stated = stems_in_order(clause)
    if _SEVERAL & {*stated} - {*turnover.gone} or (turnover.now and _within(turnover.now, stated) is not None):
        return False
    if turnover.way is Way.REMADE:
        return _is_remade(turnover, stated)
    if turnover.way is Way.TAKEN_UP:
        return _is_of_its_kind(turnover, clause, stated)
    at = _within(turnover.gone, stated)
    return at is not None and is_state(clause) and _is_gone(turnover, at, clause, stated)


def _is_gone(turnover: Turnover, at: int, clause: str, stated: tuple[str, ...]) -> bool:
    """Check whether a clause says that the subject of the change has, uses or does what is gone."""
    if turnover.way is Way.MOVED:
        return _within(turnover.thing, stated) is not None and _is_ours(turnover, clause, stated)
    if not at:
        return _is_about_it(turnover, clause)
    if turnover.way is Way.LEFT:
        about = turnover.thing or turnover.who
        return stated[: len(about)] == about and stated[at - 1] in _GOES_TO
    return _is_ours(turnover, clause, stated) and at <= _MOST_BEFORE


def _within(some: tuple[str, ...], stated: tuple[str, ...]) -> int | None:
    """Return the position of a contiguous sequence of words in another, or None."""
    places = range(len(stated) - len(some) + 1)
    return next((at for at in places if stated[at : at + len(some)] == some), None) if some else None


def is_state(clause: str) -> bool:
    """Check whether a clause describes a state rather than a past event, a feeling or the future."""
    if "will" in clause.split():
        return False
    words = [word for word in clause.split()[1:4] if word not in _HELPS]
    has_auxiliary = any(word in {"is", "are", "am"} for word in clause.split()[:6])
    verbs = {STEMS[word] for word in clause.split()[1:3] if word not in _ARTICLES}
    return not verbs & turnover_rules.NO_STATE and (has_auxiliary or not any(map(_PAST.match, words[:2])))


def _is_ours(turnover: Turnover, clause: str, stated: tuple[str, ...]) -> bool:
    """Check whether a clause is about the subject of the change or a thing of theirs."""
    who = turnover.who or _SELF
    if stated[: len(who)] == who:
        return True
    if who != _SELF:
        return False
    if turnover.way is Way.MOVED and stated[: len(turnover.thing)] == turnover.thing:
        return True
    return clause.startswith(("the ", "our ", "my ")) or stated[0] == "my" or _MANY_THINGS.match(clause) is not None


def _is_about_it(turnover: Turnover, clause: str) -> bool:
    """Check whether a clause describes the job of someone who is gone, or what a replaced value is."""
    behind = clause.split()
    while behind and stems_in_order(behind[0]) in {(), ("my",)}:
        del behind[0]
    rest = " ".join(behind[len(turnover.gone) :])
    if turnover.way is Way.PARTED or (turnover.is_name and turnover.now):
        return turnover_rules.ROLE.match(rest) is not None
    return bool(turnover.now) and not turnover.who and rest.startswith(("is ", "are "))


def _is_remade(turnover: Turnover, stated: tuple[str, ...]) -> bool:
    """Check whether a clause says in, on or with what the thing is made: 'the frontend is written in Angular'."""
    if not turnover.lead:
        told = (*turnover.thing, *turnover.now)
        return any(stated[:at] == told[:at] and stated[at:][:1] == ("paint",) for at in range(1, len(told)))
    at = _within(turnover.thing, stated)
    if at is None or at > 1 + (stated[0] in {"my", "i"}):
        return False
    behind = stated[at + len(turnover.thing) :]
    leads = _KINDS_OF_LEAD[turnover.lead]
    return any(word in leads for word in behind[:-1])


def _is_of_its_kind(turnover: Turnover, clause: str, stated: tuple[str, ...]) -> bool:
    """Check whether a clause names another of the same kind: 'cow's milk' for 'oat milk'."""
    if len(stated) > 2 and stated[0] == turnover.who[0] and turnover.beside == {stated[1]}:
        # 'For deploys' corresponds to 'we deploy with'.
        return stated[2] in _DOES_WITH
    kind = turnover.now[-1] if len(turnover.now) > 1 else ""
    if kind and turnover.now[0] in _TITLES:
        return turnover.now[0] in stated[1:-1] and stated[0] == turnover.who[0] and bool(turnover.beside)
    if not kind or kind not in stated or is_common(kind) or stated[0] != turnover.who[0]:
        return False
    at = stated.index(kind)
    return at > 1 and stated[at - 1] not in {turnover.now[-2], *_PLACES} and is_state(clause)
