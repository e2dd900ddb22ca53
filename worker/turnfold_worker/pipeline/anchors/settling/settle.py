"""What a new anchor does to those before it: it repeats, corrects, answers or finishes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import AnchorState, AnchorType, Role
from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.anchors.rules import statement_rules
from turnfold_worker.pipeline.anchors.settling.answers import ANSWERS, answered_in_other_words, answers
from turnfold_worker.pipeline.anchors.settling.attribute_values import (
    of_other_holders,
    of_other_people,
    says_again,
    states_another_value,
    tell_of_self_and_another,
)
from turnfold_worker.pipeline.anchors.settling.differences import (
    about_another,
    another_value,
    assigns_otherwise,
    contradicts,
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
from turnfold_worker.pipeline.anchors.settling.likeness import (
    Known,
    agree,
    by_meaning,
    by_words,
    cosine,
    same_names,
    same_person,
    same_speaker,
    says_no_more,
    shared,
    shares_half,
)
from turnfold_worker.pipeline.anchors.settling.opposites import is_newer_value, oppose
from turnfold_worker.pipeline.anchors.settling.plans import is_empty_marker, plans_instead, plans_set_aside
from turnfold_worker.pipeline.anchors.settling.subjects import (
    adds_another,
    does_something_else,
    happened_once,
    head_of,
    lifts,
    lifts_another,
    of_other_things,
    supposes,
    takes_back_only,
)
from turnfold_worker.pipeline.anchors.settling.two_values import (
    are_a_choice,
    are_contested,
    contest,
    gives_two_values,
    is_contested,
    part,
    says_which_holds,
    tells_which,
)
from turnfold_worker.pipeline.anchors.statements.deeds import gives_up
from turnfold_worker.pipeline.anchors.statements.denials import denial_of
from turnfold_worker.pipeline.anchors.statements.departures import departs
from turnfold_worker.pipeline.anchors.statements.done import SOON, does, does_it, opens_with
from turnfold_worker.pipeline.anchors.statements.duties import sets_aside, takes_back_all
from turnfold_worker.pipeline.anchors.statements.endings import ends
from turnfold_worker.pipeline.anchors.statements.holders import takes_over
from turnfold_worker.pipeline.anchors.statements.limits import limits_otherwise
from turnfold_worker.pipeline.anchors.statements.manner import turns_round
from turnfold_worker.pipeline.anchors.statements.moves import (
    is_only_supposed,
    moved_thing,
    moves_to_a_time,
    stands_somewhere,
)
from turnfold_worker.pipeline.anchors.statements.needs import ends_need
from turnfold_worker.pipeline.anchors.statements.numbers import (
    corrected_value,
    gives_a_number,
    holds_an_address,
    renumbers,
)
from turnfold_worker.pipeline.anchors.statements.repairs import says_otherwise
from turnfold_worker.pipeline.anchors.statements.value_changes import overtakes_value
from turnfold_worker.pipeline.anchors.statements.when import only_then, sometimes_only, waits
from turnfold_worker.pipeline.language.facts import NAMES, VALUES, FactKind
from turnfold_worker.pipeline.language.spoken import is_question
from turnfold_worker.pipeline.language.words import specific_words
from turnfold_worker.pipeline.settings import FoldSettings

_CORRECTS_FROM: Final = 0.30
_SAME_VALUE_FROM: Final = 0.15
"""Likeness from which a correction with another number or date is about the same thing."""
_SAME_SUBJECT_FROM: Final = 0.70
_MEANT_FROM: Final = 0.10
"""Likeness by words from which two anchors may be alike in meaning: below it they share no telling word."""
MENDS_WITHIN: Final = 4
"""Turns within which a correction that names nothing else is about what was said last."""
MENDS_MISTYPED_WITHIN: Final = 12
"""The same, where the values are nearly the same: '88231' for '88213', '4 June' for '3 June'."""
_SUBJECT_OF_ITS_OWN: Final = 7
"""Telling words from which a correction says itself what it is about."""
_NAMES_OF_ACTS: Final = frozenset({"decision", "decided", "decide", "agreed", "correction"})
"""They tell what a clause does, and nothing of its subject."""
_ASKS_OF_A_THING: Final = lazy_pattern(r"(?:so |and |but )?(?:could|can|should|would|will|may) (?:the|our|my|it) .*\?$")
"""'Could the kickoff be in room Turing instead?' sets nothing right, as 'Could you make it Tuesday?' may."""
_MAX_SUPERSEDED: Final = 2
_ADDRESSES: Final = (FactKind.EMAIL, FactKind.URL, FactKind.PATH)
_OVERTAKEN: Final = frozenset(
    {AnchorType.DECISION, AnchorType.CRITICAL_FACT, AnchorType.COMMITMENT, AnchorType.CORRECTION}
)
_STATEMENTS: Final = frozenset({AnchorType.DECISION, AnchorType.CRITICAL_FACT})
_TAKES_BACK: Final = frozenset({AnchorType.DECISION, AnchorType.CORRECTION, AnchorType.CRITICAL_FACT})


def settle(new: Known, known: Sequence[Known], settings: FoldSettings) -> None:
    """Change the states of the new anchor and of the earlier ones that it repeats, corrects or answers."""
    if not new.active or new.shown_only:
        return
    near = [(by_words(new, old), old) for old in known if old.active or _done_as_asked(new, old)]
    near = sorted(near, key=lambda pair: (-pair[0], -pair[1].anchor.id))
    confirmed = _confirmed(new, near)
    alike = [
        pair for pair in near if pair[1].active and pair[1] not in confirmed and not states_another_value(new, pair[1])
    ]
    if says_again(new, [old for _, old in alike]) or _repeats(new, alike, settings):
        return
    _supersede(new, near)
    for old in confirmed:
        if old.active:
            _change(old, AnchorState.DUPLICATE, new.anchor.id)
    part(known)
    for similarity, old in near:
        if not old.active:
            continue
        if answers(new, old, similarity):
            _change(old, AnchorState.RESOLVED, new.anchor.id)
    finish(new, known)
    answer(new, known)
    oppose(new, known)


def answer(new: Known, known: Sequence[Known]) -> bool:
    """Settle the question that a statement answers in other words; whether there is one."""
    question = answered_in_other_words(new, known)
    if question is not None:
        _change(question, AnchorState.RESOLVED, new.anchor.id)
    return question is not None


def _confirmed(new: Known, near: Sequence[tuple[float, Known]]) -> list[Known]:
    """Those of two values of a turn beside which a later statement gives another one: it may say the same again."""
    if not any(is_contested(old.anchor) for _, old in near):
        return []
    other = [old for similarity, old in near if states_another_value(new, old) or _restates(new, old, similarity)]
    return [old for _, old in near if old not in other and any(are_contested(old, contesting) for contesting in other)]


def hand_on(fresh: Sequence[Known], known: Sequence[Known]) -> None:
    """What only takes something back leaves its place to the statement of its turn that is most like it.

    'Full refund until 24 hours before. So forget the 48-hour rule.': the first sentence says what holds instead.
    """
    by_id = {beside_it.anchor.id: beside_it for beside_it in known}
    for new in fresh:
        old = by_id.get(new.anchor.replaces or 0)
        if old is None or old.anchor.related != new.anchor.id or not new.values <= old.values:
            continue
        beside = [beside_it for beside_it in fresh if beside_it is not new and _says_instead(beside_it, new, old)]
        best = max(beside, key=lambda beside_it: (by_words(beside_it, old), -beside_it.anchor.id), default=None)
        if best is not None:
            _change(old, AnchorState.SUPERSEDED, best.anchor.id)
            best.anchor = replace(best.anchor, replaces=old.anchor.id)
            new.anchor = replace(new.anchor, replaces=None)


def set_plans_aside(fresh: Sequence[Known], known: Sequence[Known], *, only: Sequence[Known] | None = None) -> None:
    """Let the plan of a turn that sets an earlier one aside take its place; what only says so has done its part.

    Of `known` none but those of `only` are changed, where it is given.
    """
    for new, old in plans_set_aside(fresh, known):
        if old is not None and (only is None or old in only):
            _overtake(new, old)
        for marker in fresh:
            if (
                marker is not new
                and marker.active
                and marker.anchor.turn_seq == new.anchor.turn_seq
                and is_empty_marker(marker)
            ):
                _change(marker, AnchorState.RESOLVED, new.anchor.id)


def _says_instead(one: Known, new: Known, old: Known) -> bool:
    """Whether a statement beside the one that takes something back tells what holds in its place."""
    return (
        one.active
        and not one.shown_only
        and one.anchor.replaces is None
        and one.anchor.turn_seq == new.anchor.turn_seq != old.anchor.turn_seq
        and one.anchor.type in ANSWERS
        and (
            (bool(one.values) and one.values != old.values and by_words(one, old) >= _CORRECTS_FROM)
            or (takes_back_only(new) and plans_instead(one))
        )
    )


def finish(new: Known, known: Sequence[Known]) -> bool:
    """Settle the promises of earlier turns that a report says are done; whether there were any."""
    if new.shown_only:
        return False
    promises = [old for old in known if old.kind is AnchorType.COMMITMENT and old.anchor.turn_seq < new.anchor.turn_seq]
    finished = [old for old in promises if old.active and does(new.text, old.text)]
    if not finished:
        meant = max((old for old in promises if _means(new, old)), key=_place, default=None)
        finished = [meant] if meant is not None and meant.active else []
    for old in finished:
        _change(old, AnchorState.RESOLVED, new.anchor.id)
    return bool(finished)


def _means(new: Known, old: Known) -> bool:
    """'Sent it.' and, in the next turn of somebody else, 'Done.' name no thing: they are about what was said last."""
    turns = new.anchor.turn_seq - old.anchor.turn_seq
    if turns == 1 and not same_speaker(new, old) and opens_with(new.text, old.text):
        return True
    return turns <= SOON and does_it(new.text, old.text)


def _done_as_asked(new: Known, old: Known) -> bool:
    """'I changed my mind' reaches what was asked for and done already."""
    done = old.anchor.state is AnchorState.RESOLVED and old.kind is AnchorType.COMMITMENT
    return done and new.kind is AnchorType.CORRECTION


def _change(known_anchor: Known, state: AnchorState, related: int) -> None:
    known_anchor.anchor = replace(known_anchor.anchor, state=state, related=related)


def comparable(new: Known, old: Known) -> bool:
    """Whether two anchors may say the same: of one type, with a telling word in both."""
    return new.kind is old.kind and by_words(new, old) >= _MEANT_FROM


def _repeats(new: Known, near: Sequence[tuple[float, Known]], settings: FoldSettings) -> bool:
    """Mark the longer of two equals as the duplicate; True when the new one is it."""
    for words_alike, old in near:
        if new.kind is not old.kind or words_alike < _MEANT_FROM or of_other_holders(new, old):
            continue
        if new.kind is AnchorType.CRITICAL_FACT and says_no_more(new, old) and shares_half(new, old):
            _change(new, AnchorState.DUPLICATE, old.anchor.id)
            return True
        meant_alike = by_meaning(new, old) if new.vector and old.vector else 0.0
        if max(words_alike, meant_alike) <= settings.deduplicate_above or not agree(old, new):
            continue
        # 'I wish I had no allergy' is a small part of what tells of one, in words; what it means tells them apart.
        longer, shorter = sorted((new, old), key=lambda equal: -len(equal.words))
        if meant_alike <= settings.deduplicate_above and not shares_half(longer, shorter):
            continue
        if len(new.anchor.text) < len(old.anchor.text) and new.anchor.rank >= old.anchor.rank - 100:
            _change(old, AnchorState.DUPLICATE, new.anchor.id)
            return False
        _change(new, AnchorState.DUPLICATE, old.anchor.id)
        return True
    return False


def _supersede(new: Known, near: Sequence[tuple[float, Known]]) -> None:
    """A correction overtakes what it corrects; a statement overtakes an earlier one that differs in a value."""
    adds = new.kind is not AnchorType.CORRECTION and adds_another(new.said)
    left = 0 if adds or supposes(new.said) or denial_of(new.anchor.text) else _MAX_SUPERSEDED
    overtaken_in: dict[int, Known] = {}
    renumbered = _renumbered(new, [old for _, old in near])
    for similarity, old in near:
        overtaken = old.kind in _OVERTAKEN and old.anchor.turn_seq <= new.anchor.turn_seq
        # What the new one just repeated is a duplicate of it, and replaced by nothing.
        overtaken = overtaken and old.anchor.state is not AnchorState.DUPLICATE
        overtaken = overtaken and (new.kind is AnchorType.CORRECTION or not of_other_people(new, old))
        if not left or not overtaken or _moves_another(new, old):
            continue
        if _stands_beside(old, overtaken_in.get(old.anchor.turn_seq)):
            continue
        if _is_left_open(new, old, similarity):
            if not are_a_choice(new, old):
                contest(new, old)
            continue
        if (
            _corrects(new, old, similarity)
            or _restates(new, old, similarity)
            or _takes_back(new, old)
            or _rules_otherwise(new, old)
            or is_newer_value(new, old)
            or states_another_value(new, old)
            or _moves(new, old)
            or _changes(new, old)
            or says_which_holds(new, old)
            or old is renumbered
        ):
            _overtake(new, old)
            overtaken_in[old.anchor.turn_seq] = old
            left -= 1
    if left == _MAX_SUPERSEDED and new.kind is AnchorType.CORRECTION:
        said_last = max((old for _, old in near if _mends(new, old)), key=_place, default=None)
        if said_last is not None:
            _overtake(new, said_last)


def _renumbered(new: Known, known: Sequence[Known]) -> Known | None:
    """What alone gives a number for calls in the place of which its speaker gives another: 'the number is …'."""
    if not gives_a_number(new.anchor.text):
        return None
    earlier = [
        old
        for old in known
        if old.active and old.anchor.turn_seq < new.anchor.turn_seq and same_speaker(new, old)
        and not old.shown_only and renumbers(new.anchor.text, old.anchor.text)
    ]  # fmt: skip
    return earlier[0] if len(earlier) == 1 else None


def _stands_beside(old: Known, overtaken: Known | None) -> bool:
    """Whether a statement is another than one of its turn that was overtaken: the room beside the day."""
    if overtaken is None or are_contested(old, overtaken):
        return False
    return not _words_of_values(overtaken) & _words_of_values(old)


def _is_left_open(new: Known, old: Known, similarity: float) -> bool:
    """Whether both give one thing a value in one turn, and nothing tells which one holds."""
    if new.anchor.turn_seq != old.anchor.turn_seq or tells_which(new, old):
        return False
    if gives_two_values(new, old) or _restates(new, old, similarity):
        return True
    return assigns_otherwise(new, old) or orders_otherwise(new, old)


def _words_of_values(known_anchor: Known) -> frozenset[str]:
    """What names its values, so that "the 14th of July" is "the 14th"."""
    return frozenset(word for value_text in known_anchor.values for word in value_text.split())


def _overtake(new: Known, old: Known) -> None:
    if _tells_more(old, new):
        # Both go on to hold: the older is shown with what corrects a part of it.
        old.anchor = replace(old.anchor, replaces=new.anchor.id)
        return
    _change(old, AnchorState.SUPERSEDED, new.anchor.id)
    if new.anchor.replaces is None:
        new.anchor = replace(new.anchor, replaces=old.anchor.id)


def _tells_more(old: Known, new: Known) -> bool:
    """Whether a statement holds an address that a correction of one of its numbers does not name: a house, a mail."""
    ours, theirs = new.facts, old.facts
    if holds_an_address(old.anchor.text) and not holds_an_address(new.anchor.text):
        return corrected_value(old.anchor.text, new.anchor.text) is not None
    return bool(theirs.texts(*_ADDRESSES)) and bool(ours.texts(*VALUES)) and not ours.texts(*_ADDRESSES)


def _place(known_anchor: Known) -> tuple[int, int]:
    return known_anchor.anchor.turn_seq, known_anchor.anchor.start


def _corrects(new: Known, old: Known, similarity: float) -> bool:
    """Another value or name of the same subject, or nearly the same words."""
    if new.kind is not AnchorType.CORRECTION or similarity < _SAME_VALUE_FROM or not _may_correct(new, old):
        return False
    if same_but_for_a_word(new, old):
        return not about_another(new, old)
    if shared(new, old) <= sum(1 for act in _NAMES_OF_ACTS if act in new.words and act in old.words):
        return False
    differs = similarity >= _CORRECTS_FROM and (_differ(new, old, *NAMES) or one_word_apart(new, old))
    differs = differs or any(another_value(new, old, kind, of_any_unit=True) for kind in VALUES)
    return differs and not (about_another(new, old) or lifts_another(new, old))


def _may_correct(new: Known, old: Known) -> bool:
    """Who speaks may set right his own words, and another's by saying so; a question sets nothing right."""
    return not is_question(new.said) and (same_speaker(new, old) or contradicts(new))


def _changes(new: Known, old: Known) -> bool:
    """'We raised the monthly cap to 750 dollars' after 'The monthly cap is 500 dollars'."""
    if old.anchor.turn_seq >= new.anchor.turn_seq or not same_speaker(new, old) or of_other_people(new, old):
        return False
    if takes_over(new.anchor.text, old.anchor.text) or departs(new.anchor.text, old.anchor.text):
        return True
    if (new.kind is AnchorType.CORRECTION or new.taken_back) and says_otherwise(new.anchor.text, old.anchor.text):
        return True
    if ends(new.anchor.text, old.anchor.text):
        # 'I stopped drinking it last month' tells of now.
        return not sometimes_only(new.said, old.said)
    if ends_need(new.anchor.text, old.anchor.text):
        return not (only_then(new.said, old.said) or sometimes_only(new.said, old.said))
    return overtakes_value(new.anchor.text, old.anchor.text)


def _moves(new: Known, old: Known) -> bool:
    """'The deadline for the report has been pushed to 17 May' after 'The report is due by 3 May'."""
    thing = moved_thing(new.said)
    if not thing or old.anchor.turn_seq >= new.anchor.turn_seq or not same_speaker(new, old):
        return False
    if is_question(new.said) or supposes(old.said) or waits(old.said):
        return False
    return bool(old.values) if moves_to_a_time(new.said) else stands_somewhere(old.text)


def _moves_another(new: Known, old: Known) -> bool:
    """'The review of the report has been moved' moves no report, 'if it is moved' nothing."""
    thing = moved_thing(new.said)
    return bool(thing) and (is_only_supposed(new.said) or not thing <= frozenset(note_stems(old.said)))


def _differ(new: Known, old: Known, *kinds: FactKind) -> bool:
    """Whether both state something of a kind, and nothing of it in common."""
    return any(
        ours and theirs and not any(same_value(*pair) for pair in product(ours, theirs))
        for kind in kinds
        for ours, theirs in ((others(new, old, kind), others(old, new, kind)),)
    )


def _rules_otherwise(new: Known, old: Known) -> bool:
    """An order takes the place of an order, a permission lifts a prohibition, a later limit an earlier one.

    Of two speakers only people lift what the other said: no assistant what its user forbade, no user what the system's
    text forbids. What holds later, once or on some days lifts nothing that holds now and always.
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


def _takes_back(new: Known, old: Known) -> bool:
    """'We will use MySQL for the ledger, not PostgreSQL' after 'We decided to use PostgreSQL for the ledger'."""
    if new.kind not in _TAKES_BACK or old.kind not in _STATEMENTS or not new.taken_back & old.words.keys():
        return False
    if not _may_correct(new, old):
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


def _mends(new: Known, old: Known) -> bool:
    """'Sorry, I meant Tuesday' names no subject: it is about the last statement with another value of the kind."""
    turns = new.anchor.turn_seq - old.anchor.turn_seq
    within = MENDS_MISTYPED_WITHIN if nearly_same_value(new, old) else MENDS_WITHIN
    if not old.active or old.kind not in _OVERTAKEN or not 0 <= turns <= within:
        return False
    if _place(old) >= _place(new) or _moves_another(new, old) or not _may_mend(new, old):
        return False
    if statement_rules.SETS_RIGHT.search(new.said) and new.anchor.speaker == old.anchor.speaker:
        return False
    if len(specific_words(new.text)) >= _SUBJECT_OF_ITS_OWN and not shared(new, old):
        return False
    if not _differ(new, old, *VALUES, *NAMES) or tell_of_self_and_another(new, old) or does_something_else(new, old):
        return False
    return not (about_another(new, old) or has_a_subject_of_its_own(new, old) or lifts_another(new, old))


def _restates(new: Known, old: Known, similarity: float) -> bool:
    """Same subject, other value: 'the launch is on 7 May' after 'the launch is on 3 May'."""
    if not (new.kind is old.kind and new.kind in _STATEMENTS) or not shared(new, old, least=2):
        return False
    if not similarity > 0 or not same_names(new, old) or not same_person(new, old) or new.negations != old.negations:
        return False
    if only_then(new.said, old.said) or happened_once(new.said) or happened_once(old.said):
        return False
    if of_other_holders(new, old):
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


def _subject_similarity(new: Known, old: Known, our_value: str, their_value: str) -> float:
    """How alike they are without their values, whole or up to the comma behind the value."""
    pairs = ((new.text, old.text), (head_of(new.text, our_value), head_of(old.text, their_value)))
    return max(cosine(ours.replace(our_value, " "), theirs.replace(their_value, " ")) for ours, theirs in pairs)
