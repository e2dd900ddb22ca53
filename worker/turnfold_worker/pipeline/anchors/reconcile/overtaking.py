"""Whether a new anchor supersedes an earlier one: it corrects, moves, changes, takes back or restates it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import AnchorType, Role
from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.anchors.reconcile.attribute_values import (
    of_other_holders,
    of_other_people,
    tell_of_self_and_another,
)
from turnfold_worker.pipeline.anchors.reconcile.differences import (
    about_another,
    another_value,
    assigns_otherwise,
    contradicts,
    denies_of_another_number,
    has_a_subject_of_its_own,
    is_told_apart,
    narrower,
    nearly_same_value,
    of_another_number,
    one_word_apart,
    orders_otherwise,
    others,
    same_but_for_a_word,
    same_value,
)
from turnfold_worker.pipeline.anchors.reconcile.likeness import (
    Known,
    cosine,
    place_of,
    same_names,
    same_person,
    same_speaker,
    shared,
)
from turnfold_worker.pipeline.anchors.reconcile.said_between import is_for_another, is_last_said
from turnfold_worker.pipeline.anchors.reconcile.subjects import (
    does_something_else,
    happened_once,
    head_of,
    is_unreal,
    lifts,
    lifts_another,
    of_other_things,
    supposes,
)
from turnfold_worker.pipeline.anchors.rules import statement_rules
from turnfold_worker.pipeline.anchors.statements.deeds import gives_up
from turnfold_worker.pipeline.anchors.statements.employers import changes_employer, employment_of
from turnfold_worker.pipeline.anchors.statements.endings import ending_of, ends
from turnfold_worker.pipeline.anchors.statements.holders import holder_of, takes_over
from turnfold_worker.pipeline.anchors.statements.limits import limits_otherwise
from turnfold_worker.pipeline.anchors.statements.moves import (
    is_only_supposed,
    moved_thing,
    moves_to_a_time,
    stands_somewhere,
)
from turnfold_worker.pipeline.anchors.statements.needs import ends_need, need_of
from turnfold_worker.pipeline.anchors.statements.numbers import gives_a_number, renumbers
from turnfold_worker.pipeline.anchors.statements.obligations import sets_aside, takes_back_all
from turnfold_worker.pipeline.anchors.statements.repairs import says_otherwise
from turnfold_worker.pipeline.anchors.statements.restated import restates_otherwise, says_now
from turnfold_worker.pipeline.anchors.statements.style_wishes import turns_round
from turnfold_worker.pipeline.anchors.statements.temporal_scope import only_then, sometimes_only, tells_of_then, waits
from turnfold_worker.pipeline.anchors.statements.turnovers import turnovers_of, turns_over
from turnfold_worker.pipeline.anchors.statements.value_changes import overtakes_value, value_change
from turnfold_worker.pipeline.language.facts import NAMES, VALUES, FactKind, extract_facts
from turnfold_worker.pipeline.language.spoken import is_question, without_quotes
from turnfold_worker.pipeline.language.words import specific_words

CORRECTS_FROM: Final = 0.30
"""Similarity from which a correction with another name is about the same thing."""
_SAME_VALUE_FROM: Final = 0.15
"""Similarity from which a correction with another number or date is about the same thing."""
_SAME_SUBJECT_FROM: Final = 0.70
MENDS_WITHIN: Final = 4
"""Number of turns within which a correction without a subject refers to the last statement."""
MENDS_MISTYPED_WITHIN: Final = 12
"""The same limit where the values differ by a likely typo: '88231' for '88213', '4 June' for '3 June'."""
_SUBJECT_OF_ITS_OWN: Final = 2
"""Number of specific words before its value from which a correction names its own subject."""
_NAMES_OF_ACTS: Final = frozenset({"decision", "decided", "decide", "agreed", "correction"})
"""Words that name a dialogue act and say nothing about its subject."""
_ASKS_OF_A_THING: Final = lazy_pattern(r"(?:so |and |but )?(?:could|can|should|would|will|may) (?:the|our|my|it) .*\?$")
"""'Could the kickoff be in room Turing instead?' corrects nothing, while 'Could you make it Tuesday?' may."""
OVERTAKEN: Final = frozenset(
    {AnchorType.DECISION, AnchorType.CRITICAL_FACT, AnchorType.COMMITMENT, AnchorType.CORRECTION}
)
_STATEMENTS: Final = frozenset({AnchorType.DECISION, AnchorType.CRITICAL_FACT})
_TELL_OF_A_CHANGE: Final[tuple[Callable[[str], object], ...]] = (
    employment_of, holder_of, turnovers_of, ending_of, need_of, value_change, says_now,
)  # fmt: skip
_TAKES_BACK: Final = frozenset({AnchorType.DECISION, AnchorType.CORRECTION, AnchorType.CRITICAL_FACT})


def corrects(new: Known, old: Known, similarity: float) -> bool:
    """Check whether a correction gives another value or name for the same subject, or differs in a single word."""
    if new.kind is not AnchorType.CORRECTION or similarity < _SAME_VALUE_FROM or not _may_correct(new, old):
        return False
    if same_but_for_a_word(new, old):
        return not about_another(new, old)
    if shared(new, old) <= sum(1 for act in _NAMES_OF_ACTS if act in new.words and act in old.words):
        return False
    differs = similarity >= CORRECTS_FROM and (_differ(new, old, *NAMES) or one_word_apart(new, old))
    differs = differs or any(another_value(new, old, kind, of_any_unit=True) for kind in VALUES)
    return differs and not any(other(new, old) for other in (about_another, denies_of_another_number, lifts_another))


def _may_correct(new: Known, old: Known) -> bool:
    """Check whether the new speaker may correct the old statement: their own, or another's by contradicting it.

    Questions correct nothing.
    """
    return not is_question(new.said) and (same_speaker(new, old) or contradicts(new))


def changes(new: Known, old: Known) -> bool:
    """Check for a change: 'We raised the monthly cap to 750 dollars' after 'The monthly cap is 500 dollars'."""
    mends_itself = new.kind is AnchorType.CORRECTION or bool(new.taken_back)
    if (
        old.anchor.turn_seq >= new.anchor.turn_seq
        or not (mends_itself or _tells_of_a_change(new.anchor.text))
        or not same_speaker(new, old)
        or of_other_people(new, old)
    ):
        return False
    if takes_over(new.anchor.text, old.anchor.text) or turns_over(new.anchor.text, old.anchor.text):
        return True
    if mends_itself and says_otherwise(new.anchor.text, old.anchor.text):
        return True
    if ends(new.anchor.text, old.anchor.text):
        # 'I stopped drinking it last month' is about the present despite its date.
        return not sometimes_only(new.said, old.said)
    if ends_need(new.anchor.text, old.anchor.text):
        return not (only_then(new.said, old.said) or sometimes_only(new.said, old.said))
    ways = (overtakes_value, restates_otherwise, changes_employer)
    return any(changed(new.anchor.text, old.anchor.text) for changed in ways)


@lru_cache(maxsize=1_024)
def _tells_of_a_change(text: str) -> bool:
    """Check whether a text reports any change, before it is compared with earlier texts; most do not."""
    return any(tells(text) for tells in _TELL_OF_A_CHANGE)


def moves(new: Known, old: Known) -> bool:
    """Check for a move: 'The deadline for the report has been pushed to 17 May' after 'The report is due by 3 May'."""
    thing = moved_thing(new.said)
    if not thing or old.anchor.turn_seq >= new.anchor.turn_seq or not same_speaker(new, old):
        return False
    if is_question(new.said) or supposes(old.said) or waits(old.said):
        return False
    return bool(old.values) if moves_to_a_time(new.said) else stands_somewhere(old.text)


def moves_another(new: Known, old: Known) -> bool:
    """Check whether a move is of another thing ('The review of the report has been moved') or only supposed."""
    thing = moved_thing(new.said)
    return bool(thing) and (is_only_supposed(new.said) or not thing <= frozenset(note_stems(old.said)))


def _differ(new: Known, old: Known, *kinds: FactKind) -> bool:
    """Check whether both state something of a kind and have no value in common."""
    return any(
        ours and theirs and not any(same_value(*pair) for pair in product(ours, theirs))
        for kind in kinds
        for ours, theirs in ((others(new, old, kind), others(old, new, kind)),)
    )


def rules_otherwise(new: Known, old: Known) -> bool:
    """Check for a superseding rule: an order for an order, a permission for a prohibition, a later limit for a limit.

    Across speakers only people override each other: an assistant cannot lift a user's rule, nor a user the system
    prompt's. A rule for a later time, once or for some days does not lift one that holds now and always.
    """
    if waits(new.said) or only_then(new.said, old.said) or sometimes_only(new.said, old.said):
        return False
    if orders_otherwise(new, old) or assigns_otherwise(new, old) or (same_speaker(new, old) and lifts(new, old)):
        return True
    if new.anchor.turn_seq == old.anchor.turn_seq:
        return False
    text, earlier_text = new.text, old.text
    if not (same_speaker(new, old) or {new.anchor.role, old.anchor.role} <= {Role.USER, None}):
        return False
    if gives_up(text, earlier_text):
        return old.kind is AnchorType.COMMITMENT and same_speaker(new, old)
    return any(rules(text, earlier_text) for rules in (takes_back_all, sets_aside, limits_otherwise, turns_round))


def takes_back(new: Known, old: Known) -> bool:
    """Check for a replacement: 'We'll use MySQL for the ledger, not PostgreSQL' after 'We chose PostgreSQL'."""
    if new.kind not in _TAKES_BACK or old.kind not in _STATEMENTS or not new.taken_back & old.words.keys():
        return False
    if not _may_correct(new, old) or denies_of_another_number(new, old):
        return False
    if any(map(str.isdigit, "".join(new.taken_back))) and of_other_things(new, old):
        return False
    subject = (new.specific - new.taken_back - _NAMES_OF_ACTS) & old.specific
    if new.kind is AnchorType.CRITICAL_FACT and not (
        new.taken_back & specific_words(" ".join(old.facts.texts(*VALUES, *NAMES)))
    ):
        return False
    return any(map(str.isalpha, subject)) and not old.taken_back & new.taken_back


def _may_mend(new: Known, old: Known) -> bool:
    return (same_speaker(new, old) or contradicts(new)) and _ASKS_OF_A_THING.match(new.said) is None


def mends(new: Known, old: Known) -> bool:
    """Check whether a correction without a subject, 'Sorry, I meant Tuesday', may refer to a recent statement.

    The earlier statement must have another value of the same kind, the last one said by anybody unless it looks like a
    typo.
    """
    turns = new.anchor.turn_seq - old.anchor.turn_seq
    mistyped = nearly_same_value(new, old)
    within = MENDS_MISTYPED_WITHIN if mistyped else MENDS_WITHIN
    if not old.active or old.kind not in OVERTAKEN or not 0 <= turns <= within:
        return False
    if place_of(old) >= place_of(new) or moves_another(new, old) or not _may_mend(new, old):
        return False
    if statement_rules.SETS_RIGHT.search(new.said) and new.anchor.speaker == old.anchor.speaker:
        return False
    if not shared(new, old) and len(_telling_before_value(new)) >= _SUBJECT_OF_ITS_OWN:
        return False
    if not _differ(new, old, *VALUES, *NAMES) or _is_of_another(new, old):
        return False
    return mistyped or is_last_said(new, old)


def _is_of_another(new: Known, old: Known) -> bool:
    """Check whether a correction says in some way that it is about something else."""
    ways = (
        tell_of_self_and_another, does_something_else, about_another, denies_of_another_number,
        has_a_subject_of_its_own, lifts_another,
    )  # fmt: skip
    return is_for_another(new, old) or any(is_another(new, old) for is_another in ways)


def _telling_before_value(new: Known) -> frozenset[str]:
    """Return the specific words up to the first value; those after it give the reason: 'the landlord raised it'."""
    stated = new.facts.texts(*VALUES, *NAMES)
    ends = [new.text.find(value) + len(value) for value in stated if value in new.text]
    return specific_words(new.text[: min(ends, default=len(new.text))]) - specific_words(" ".join(stated))


def restates(new: Known, old: Known, similarity: float) -> bool:
    """Check for the same subject with another value: 'the launch is on 7 May' after 'the launch is on 3 May'."""
    if not similarity > 0 or new.kind is not old.kind or new.kind not in _STATEMENTS:
        return False
    # Cheap checks first: most pairs differ in more than a value.
    if (
        new.negations != old.negations
        or not shared(new, old, least=2)
        or not same_person(new, old)
        or not same_names(new, old)
    ):
        return False
    if only_then(new.said, old.said) or any(happened_once(each.said) for each in (new, old)) or is_unreal(new.said):
        return False
    if of_other_holders(new, old) or not _holds_outright(old, new):
        return False
    ours, theirs = new.facts, old.facts
    kinds = (FactKind.DATE,) if sometimes_only(new.said, old.said) else VALUES
    differs = any(
        len(ours.texts(kind)) == 1 == len(theirs.texts(kind))
        and another_value(new, old, kind)
        and _subject_similarity(new, old, ours.texts(kind)[0], theirs.texts(kind)[0]) >= _SAME_SUBJECT_FROM
        for kind in kinds
    )
    if not differs or is_told_apart(new, old):
        return False
    return not (about_another(new, old) or of_another_number(new, old) or narrower(new, old))


def _holds_outright(old: Known, new: Known) -> bool:
    """Check that a statement is not about an earlier time than the later one, hypothetical or quoted."""
    outside = without_quotes(old.text)
    quoted = outside != old.text and not set(old.facts.texts(*VALUES)) & set(extract_facts(outside).texts(*VALUES))
    return not (quoted or waits(old.said) or (tells_of_then(old.said) and not tells_of_then(new.said)))


def _subject_similarity(new: Known, old: Known, our_value: str, their_value: str) -> float:
    """Return the similarity of two texts without their values, or of their parts given by `head_of` if higher."""
    pairs = ((new.text, old.text), (head_of(new.text, our_value), head_of(old.text, their_value)))
    return max(cosine(ours.replace(our_value, " "), theirs.replace(their_value, " ")) for ours, theirs in pairs)


def renumbered_by(new: Known, known: Sequence[Known]) -> Known | None:
    """Find the only earlier anchor whose phone number the new one corrects: 'the number is …'."""
    if not gives_a_number(new.anchor.text):
        return None
    earlier = [
        old
        for old in known
        if old.active and old.anchor.turn_seq < new.anchor.turn_seq and same_speaker(new, old)
        and not old.shown_only and renumbers(new.anchor.text, old.anchor.text)
    ]  # fmt: skip
    return earlier[0] if len(earlier) == 1 else None
