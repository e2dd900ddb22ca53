"""What is said otherwise in a chat: 'training's at 8 now', 'down to 6 flaky tests', 'Sam's off so Noor is handling it'.

A later clause may say nothing that an earlier one of its speaker does not say too, but for one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules import frame_rules, retelling_rules
from turnfold_worker.pipeline.anchors.statements.differing_value import (
    BE,
    DAY,
    PREPOSITIONS,
    TO,
    ValuePair,
    are_names,
    is_past,
    only_run,
    runs,
    said,
    tells,
    units_agree,
)  # fmt: skip
from turnfold_worker.pipeline.anchors.statements.restated import of_many
from turnfold_worker.pipeline.anchors.statements.told_clauses import Token, Told, told_clauses
from turnfold_worker.pipeline.anchors.statements.when import sometimes_only
from turnfold_worker.pipeline.language.spoken import plain_words

_MOST: Final = 4
"""Telling words of a value."""
_MOST_TOLD: Final = 7
"""Telling words of a clause that states one value."""
_MOST_DROPPED: Final = 2
"""Telling words that the later clause leaves out beside the value."""
_WRONG: Final = lazy_pattern(r"(?:, not|instead of|rather than) [^,.;]{1,30}")
_NUMBERS: Final = lazy_pattern(r"\d+(?:[.,:]\d+)*")
_TYPED: Final = frozenset({"number", "time", "day", "days", "ordinal", "month", "identifier"})
_AMOUNTS: Final = frozenset({"number", "time", "day", "days", "ordinal", "month"})
_TIMED: Final = frozenset({"number", "time"})
_TO_A_TIME: Final = frozenset({"at", "till", "until", "by", "from", "", TO, "be"})
_PLACES: Final = frozenset({"in", "on", "at", "under", "behind", "near"})
_SELF: Final = frozenset({"i", "we", "my", "our", "us", "me"})
_OTHERS: Final = frozenset({"he", "she", "they", "his", "her", "their", "you", "your"})
_POINTS: Final = frozenset({"it", "that", "this", "there", "them"})
_NOT_BEFORE_A_SUBJECT: Final = BE | _SELF | _POINTS | {TO, "have", "has"}
_LEAST: Final = 3
_LEAST_TOLD: Final = 2


def tells_otherwise(new: str, old: str) -> bool:
    """Whether a later text of one speaker states another value of what an earlier one states, or ends it.

    >>> tells_otherwise("it's more like 110 covers on a friday now", "we do 80 covers on a friday")
    True
    >>> tells_otherwise("we do 110 covers on a saturday now", "we do 80 covers on a friday")
    False
    """
    later, earlier = told_clauses(new), told_clauses(old)
    if not later or not earlier or not _is_now(new, old) or _denies_another(new, earlier):
        return False
    return any(_is_otherwise(clause_told, was, new, old) for clause_told in later for was in earlier)


@lru_cache(maxsize=1_024)
def may_tell_otherwise(text: str) -> bool:
    """Whether a short text says of something that it is so from now on, was changed or is over."""
    return any(_states(clause_told) for clause_told in told_clauses(text))


def _states(clause_told: Told) -> bool:
    if clause_told.is_off:
        return any(map(tells, clause_told.telling))
    if len(clause_told.telling) < _LEAST_TOLD or (
        retelling_rules.PAST.search(said(clause_told)) and not clause_told.is_change
    ):
        return False
    has_digits = any(map(str.isdigit, "".join(clause_told.telling)))
    if clause_told.is_change:
        return has_digits or clause_told.moves
    return (clause_told.says_now and sum(map(tells, clause_told.telling)) >= _LEAST_TOLD) or (
        clause_told.is_after and has_digits
    )


def _denies_another(new: str, earlier: Sequence[Told]) -> bool:
    """Whether the later text says which value was wrong, and the earlier one states another."""
    wrong = {digits for match in _WRONG.finditer(new.lower()) for digits in _NUMBERS.findall(match.group())}
    return bool(wrong) and wrong.isdisjoint(token.word for clause_told in earlier for token in clause_told.tokens)


def _are_of_two(later: Told, earlier: Told) -> bool:
    """Whether numbers before the clauses say that they are about two things: 'we took room 12, and the limit is 30'."""
    ours, theirs = ({stem for stem in clause_told.before if stem.isdigit()} for clause_told in (later, earlier))
    return bool(ours and theirs) and ours.isdisjoint(theirs)


def _is_now(new: str, old: str) -> bool:
    plain, plain_before = plain_words(new), plain_words(old)
    for_once = retelling_rules.FOR_ONCE.search(plain) is not None and not retelling_rules.FOR_ONCE.search(plain_before)
    at_times = sometimes_only(plain, plain_before) and not (
        DAY.search(plain_before) or retelling_rules.NOW.search(plain)
    )
    return not (for_once or at_times)


def _is_otherwise(later: Told, earlier: Told, new: str, old: str) -> bool:
    if earlier.denied or earlier.is_off or _are_of_two(later, earlier) or _is_of_others(later, earlier):
        return False
    if later.denied or later.is_off:
        return _is_ended(later, earlier)
    theirs = earlier.telling
    run = only_run(later.tokens, theirs)
    if run is None:
        return _is_cut(later, earlier)
    value_tokens = [token for token in later.tokens[run.start : run.end] if token.tells]
    is_short = 0 < len(value_tokens) <= _MOST and max(len(theirs), len(later.telling)) <= _MOST_TOLD
    if not is_short or _is_apart(later, earlier):
        return False
    shared = later.telling & theirs
    pairs = (ValuePair(later, earlier, run, gone, shared, new, old) for gone in runs(earlier.tokens, later.telling))
    return any(map(_takes_its_place, pairs))


def _is_apart(later: Told, earlier: Told) -> bool:
    """Whether a word says that the later clause is about another thing of the kind, or about the past."""
    ours, theirs = ({token.word for token in clause_told.tokens} for clause_told in (later, earlier))
    if not retelling_rules.APART.isdisjoint(ours - theirs):
        return True
    return retelling_rules.PAST.search(said(later)) is not None and not later.is_change


def _takes_its_place(pair: ValuePair) -> bool:
    ours, theirs = pair.sorts
    is_typed = ours == theirs in _TYPED or ({ours, theirs} <= _TIMED and pair.leads[0] in _TO_A_TIME)
    if not (_stands_alike(pair) and _is_as_whole(pair) and _is_of_the_same(pair, is_typed=is_typed)):
        return False
    later = pair.later
    is_cued = later.says_now or later.is_after or later.only or pair.names_what_was or later.ends_in_then
    if is_typed:
        return _is_newer_amount(pair, ours, is_cued=is_cued)
    return is_cued and not {ours, theirs} & _AMOUNTS and _is_newer_word(pair)


def _is_newer_amount(pair: ValuePair, sort: str, *, is_cued: bool) -> bool:
    if is_cued:
        return sort != "number" or units_agree(pair)
    # 'I sent report 4' is of another report.
    tells_which = any(" " in token.stem for token in pair.values[0])
    if tells_which or max(map(len, pair.values)) > 1:
        return False
    return sort not in {"days", "identifier"} and _is_only_difference(pair) and units_agree(pair)


def _is_newer_word(pair: ValuePair) -> bool:
    """Whether another name or word stands where one value stands at a time."""
    later, (lead, lead_before) = pair.later, pair.leads
    if lead == "" and later.ends_in_then:
        return True
    if pair.names_what_was:
        return are_names(pair) or later.says_now or (lead == lead_before and lead in PREPOSITIONS | BE | {"be"})
    if later.is_change:
        return later.moves and (lead_before in PREPOSITIONS or lead_before == "be")
    if lead == "be":
        return lead_before == "be" and (pair.sorts[0] == "name" or frame_rules.UNIQUE.search(said(later)) is not None)
    if not later.says_now and not _is_only_difference(pair):
        return False
    return _hangs_alike(pair, lead, lead_before)


def _hangs_alike(pair: ValuePair, lead: str, lead_before: str) -> bool:
    later = pair.later
    if lead != lead_before and not {lead, lead_before} <= (PREPOSITIONS if later.says_now else _PLACES):
        return False
    if lead == "":
        return _opens(later.tokens, pair.run.start)
    return later.says_now if lead in PREPOSITIONS else _has_one_object(pair)


def _stands_alike(pair: ValuePair) -> bool:
    """Whether both values are what is stated, or both who does it: of neither is it the subject of one alone."""
    ours, theirs = pair.run.start, pair.gone.start
    if pair.leads[0] == "" and pair.later.ends_in_then and len(pair.later.tokens) <= _LEAST:
        return True
    is_first, was_first = (
        _opens(tokens, at) for tokens, at in ((pair.later.tokens, ours), (pair.earlier.tokens, theirs))
    )
    if not is_first and not was_first:
        return True
    if is_first and was_first:
        return _does_instead(pair)
    # 'Two of us', 'only 12 left', '12k a week': an amount may open a clause of few words.
    return is_first and any(map(str.isdigit, pair.later.tokens[ours].word)) and not pair.later.is_change


def _opens(tokens: Sequence[Token], at: int) -> bool:
    tokens_before = (token for token in tokens[:at] if token.word not in {"my", "our"})
    return not any(token.tells or token.word in _NOT_BEFORE_A_SUBJECT for token in tokens_before)


def _does_instead(pair: ValuePair) -> bool:
    """Whether another person does what one person does: 'Sam's off so Noor is handling the migration'."""
    if not (pair.later.says_now or pair.names_what_was or pair.later.is_after):
        return False
    ours, theirs = pair.later.tokens[pair.run.end :], pair.earlier.tokens[pair.gone.end :]
    named = [
        frame_rules.is_name(value[0].word, text) for value, text in zip(pair.values, (pair.new, pair.old), strict=True)
    ]
    behind = " ".join(token.word for token in ours)
    told = [{token.stem for token in tokens if token.tells} for tokens in (ours, theirs)]
    is_role = retelling_rules.HOLDS_ONE.match(behind) is not None
    return (
        all(named) and is_role and bool(told[0]) and told[0] <= told[1] and (pair.names_what_was or pair.later.says_now)
    )


def _is_of_the_same(pair: ValuePair, *, is_typed: bool) -> bool:
    """Whether the clauses share what tells of what the values are."""
    if any(tells(stem) for stem in pair.shared):
        return True
    if pair.names_what_was and pair.later.says_now and are_names(pair):
        return all(clause_told.tokens[0].word in _SELF for clause_told in (pair.later, pair.earlier))
    ours, theirs = ([token.word for token in tokens] for tokens in (pair.later.tokens, pair.earlier.tokens))
    # 'We're 3rd in the league', 'after today we're 5th'.
    same_opening = len(ours) > 1 and ours[:2] == theirs[:2] and ours[0] in _SELF
    cued = pair.later.says_now or pair.later.is_after
    return cued and same_opening and is_typed and pair.sorts[0] in {"ordinal", "identifier"}


def _is_only_difference(pair: ValuePair) -> bool:
    """Whether the clauses say the same but for the value, in which no word tells that anything changed."""
    ours, theirs = pair.later.telling, pair.earlier.telling
    gone, now = ({token.stem for token in value} for value in reversed(pair.values))
    return ours - now == theirs - gone and pair.leads[0] == pair.leads[1] and bool(ours - now)


def _is_as_whole(pair: ValuePair) -> bool:
    """Whether the earlier clause states how something is, and the later one says of it all but a little."""
    gone = {token.stem for token in pair.values[1]}
    dropped = pair.earlier.telling - pair.shared - gone
    if any(len(stem) == 1 or any(map(str.isdigit, stem)) for stem in dropped):
        # 'Block A has 12 flats' and 'the block has 18 flats'.
        return False
    if len(dropped) > _MOST_DROPPED or len(pair.values[1]) > _MOST:
        return False
    if not is_past(pair.earlier):
        return True
    return (pair.later.is_change or pair.later.says_now) and any(map(str.isdigit, pair.values[0][0].word))


def _has_one_object(pair: ValuePair) -> bool:
    """Whether a verb before both values has one object at a time, of who speaks or of one thing."""
    ours, theirs = pair.later.tokens, pair.earlier.tokens
    lead = pair.leads[0]
    if pair.leads[1] != lead or of_many(lead):
        return False
    heads = [{token.stem for token in tokens[: at] if token.tells} for tokens, at in
             ((ours, pair.run.start), (theirs, pair.gone.start))]  # fmt: skip
    return heads[0] == heads[1]


def _is_of_others(later: Told, earlier: Told) -> bool:
    """Whether the later clause is of other people than the earlier one, which is of its speaker."""
    ours, theirs = ({token.word for token in clause_told.tokens} for clause_told in (later, earlier))
    return bool(ours & _OTHERS - theirs) and not (later.is_change and ours & _SELF)


def _is_cut(later: Told, earlier: Told) -> bool:
    """Whether only a part of several holds from now on: 'training's only Thursdays from now on'."""
    if not (later.only and later.says_now) or later.is_change or not later.telling < earlier.telling:
        return False
    rest = {token.stem for token in earlier.tokens} - {token.stem for token in later.tokens}
    days = [token.word for token in earlier.tokens if DAY.fullmatch(token.word)]
    return len(days) > 1 and "and" in rest


def _is_ended(later: Told, earlier: Told) -> bool:
    """Whether all that is denied or called off is what the earlier clause states, of the same subject."""
    ours, theirs = later.telling, earlier.telling
    if not ours or not ours <= theirs or _is_of_others(later, earlier):
        return False
    if later.is_off:
        return _is_thing(later, earlier)
    if not (later.says_now or later.is_after):
        return False
    heads = [[token.word for token in clause_told.tokens if token.word != "so"][:1] for clause_told in (later, earlier)]
    points = any(token.word in _POINTS for token in later.tokens)
    return heads[0] == heads[1] and (later.says_now or points) and not is_past(earlier)


def _is_thing(later: Told, earlier: Told) -> bool:
    """Whether what is off is what the earlier clause is of, whole: 'Stripe interview's off'."""
    stems = [token.stem for token in later.tokens if token.tells]
    return not is_past(earlier) and (len(stems) > 1 or earlier.tokens[0].stem == stems[0])
