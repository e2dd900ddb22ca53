"""Rows of anchors: written by folds, settled by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, case, func, literal_column, or_, select, text, update

from turnfold.contract.model_anchors import FILLER, TOLD, mark_of_segment
from turnfold.contract.records import Anchor, AnchorChange, AnchorState, AnchorType, ConversationId, Role
from turnfold.contract.speakers import label_of
from turnfold.contract.tables import AnchorPostingRow, AnchorRow, ConversationRow, TurnRow, table
from turnfold.database.rows import KINDS, STATES
from turnfold.database.statements import ACTIVE, ANCHORS_BY_RANK, CLOSED_BY
from turnfold_worker.adapters.sql.bulk_insert import BulkInsert
from turnfold_worker.adapters.sql.turns import insert_new
from turnfold_worker.pipeline.anchors.deduplicate import anchor_terms
from turnfold_worker.pipeline.anchors.ranks import ANSWERED_AT_ONCE
from turnfold_worker.pipeline.notes.overtaken_values import SettledAnchor
from turnfold_worker.pipeline.notes.taken_back import OPENS_A_CORRECTION

CANDIDATES_A_TERM: Final = 8
NEWEST_CANDIDATES: Final = 32
MOST_CANDIDATES: Final = 96
POSTINGS_A_TERM: Final = 4 * CANDIDATES_A_TERM
"""Newest anchors of a term among which active ones are searched: superseded anchors keep their postings too."""
_TERMS_A_STATEMENT: Final = 32
_SHARED: Final = 840
"""Weight of a term that one anchor shares: a multiple of every number up to 8, so that all shares are whole."""

_conversation = table(ConversationRow)
_anchor = table(AnchorRow)
_anchor_posting = table(AnchorPostingRow)
_turn = table(TurnRow)

_KIND_NUMBER: Final = {kind: number for number, kind in enumerate(KINDS)}
_STATE_NUMBER: Final = {state: number for number, state in enumerate(STATES)}
_ACTIVE: Final = _STATE_NUMBER[AnchorState.ACTIVE]

_PLACES: Final = tuple(f"t{i}" for i in range(_TERMS_A_STATEMENT))
# Many lookups of one term each, in one constant statement: no term reads more than its newest anchors.
SHARING: Final = text(
    " UNION ALL ".join(
        f"SELECT {i}, anchor FROM (SELECT anchor FROM anchor_posting WHERE conversation = :of_conversation "  # noqa: S608
        f"AND term = :{place} ORDER BY anchor DESC LIMIT {POSTINGS_A_TERM}) AS p{i}"
        for i, place in enumerate(_PLACES)
    )
)

_RULED: Final = _anchor.c.settled_after.is_(None)
"""Anchors that no person has settled: the rules decide their state."""
RULES: Final = _anchor.c.id > 0
"""Anchors of the rules. A model's ids are below 0: the rules must never depend on a model's anchors."""
_OURS: Final = _anchor.c.conversation == bindparam("of_conversation")
_SETTLED_LATER: Final = and_(_anchor.c.ruled == _ACTIVE, _anchor.c.settled_after >= bindparam("first_seq"))

# Built once: SQLAlchemy takes longer to build these than the database to run them.
_NUMBER: Final = _anchor.c.id + 0
"""The id, hidden from SQLite's planner: by ids it would scan every anchor for the few settled ones."""
_NEWEST: Final = (
    select(_anchor.c.id).where(_OURS, ACTIVE, RULES).order_by(_anchor.c.id.desc()).limit(NEWEST_CANDIDATES),
    select(_anchor.c.id).where(_OURS, _SETTLED_LATER, _NUMBER > 0).order_by(_NUMBER.desc()).limit(NEWEST_CANDIDATES),
)
_STILL_ACTIVE: Final = (_OURS, _anchor.c.id.in_(bindparam("ids", expanding=True)), or_(ACTIVE, _SETTLED_LATER))
_ACTIVE_AMONG: Final = select(_anchor.c.id).where(*_STILL_ACTIVE)
_BY_ID: Final = (
    select(
        _anchor.c.id, _anchor.c.kind, _anchor.c.body, _anchor.c.seq, _anchor.c.start_offset, _anchor.c.end_offset,
        _anchor.c.score, _anchor.c.rank, _anchor.c.node_idx, _anchor.c.tokens, _anchor.c.related, _anchor.c.replaces,
        _turn.c.name, _turn.c.role, _anchor.c.factors,
    )
    .join(_turn, and_(_turn.c.conversation == _anchor.c.conversation, _turn.c.seq == _anchor.c.seq))
    .where(*_STILL_ACTIVE)
    .order_by(_anchor.c.id)
)  # fmt: skip
_CHANGE: Final = (
    update(_anchor)
    .where(_OURS, _anchor.c.id == bindparam("of_anchor"))
    .values(
        state=case((_RULED, bindparam("now")), else_=_anchor.c.state),
        ruled=case((_RULED, None), else_=bindparam("now")),
        related=bindparam("by"), replaces=bindparam("instead_of"),
    )
)  # fmt: skip
_MOST_OVERTAKEN: Final = 256
_MOST_ANSWERED: Final = 64
_by: Final = _anchor.alias("by_anchor")


def _over(state: AnchorState, most: int, *conditions: Any) -> Any:
    """Select the newest anchors of the rules in a state other than active, with the anchors that ended them."""
    # Literals: a partial index is not used for a bound parameter.
    in_state = text(f"anchor.state <> 0 AND anchor.state = {_STATE_NUMBER[state]}")
    return (
        select(_anchor.c.seq, _anchor.c.body, _anchor.c.state, _by.c.seq.label("by_seq"), _by.c.body.label("by_text"))
        .outerjoin_from(_anchor, _by, and_(_by.c.conversation == _anchor.c.conversation, _by.c.id == _anchor.c.related))
        .where(_OURS, in_state, RULES, *conditions)
        .order_by(_anchor.c.id.desc())
        .limit(literal_column(str(most)))
    )


SETTLED: Final = (
    _over(AnchorState.SUPERSEDED, _MOST_OVERTAKEN),
    _over(AnchorState.DISMISSED, _MOST_OVERTAKEN),
    # Questions answered in their own segment are shown next to the reply, so they are left out.
    _over(
        AnchorState.RESOLVED, _MOST_ANSWERED, or_(_anchor.c.related.is_not(None), ~_RULED),
        _anchor.c.rank != literal_column(str(ANSWERED_AT_ONCE)),
    ),
)  # fmt: skip
_BEST_ACTIVE: Final = 256
"""Number of active anchors, by rank, that are searched for contradictions."""
_best: Final = (
    select(_anchor.c.id)
    .where(_OURS, ACTIVE)
    .order_by(*ANCHORS_BY_RANK)
    .limit(literal_column(str(_BEST_ACTIVE)))
    .subquery("want")
)
STANDING: Final = (
    select(_anchor.c.seq, _anchor.c.body, _by.c.seq.label("by_seq"), _by.c.body.label("by_text"))
    .join_from(_anchor, _by, and_(_by.c.conversation == _anchor.c.conversation, _by.c.id == _anchor.c.replaces))
    .where(
        _OURS, _anchor.c.id.in_(select(_best.c.id)), RULES, _by.c.state == literal_column("0"),
        or_(_by.c.seq > _anchor.c.seq, and_(_by.c.seq == _anchor.c.seq, _by.c.id > _anchor.c.id)),
    )
    .order_by(_anchor.c.id)
)  # fmt: skip
"""Active anchors with an active successor, next to them or later: another value, or a partial correction."""
CORRECTIONS: Final = (
    select(_anchor.c.seq, _anchor.c.body)
    .where(
        _OURS, _anchor.c.id.in_(select(_best.c.id)), RULES,
        or_(
            _anchor.c.kind == literal_column(str(_KIND_NUMBER[AnchorType.CORRECTION])),
            _anchor.c.body.like(literal_column(f"'{OPENS_A_CORRECTION}%'")),
        ),
    )
    .order_by(_anchor.c.id)
)  # fmt: skip
"""Anchors that correct something, possibly a statement that has no anchor."""
_INSERT_ANCHORS: Final = _anchor.insert()
_INSERT_POSTINGS: Final = BulkInsert(_anchor_posting, ("conversation", "term", "anchor"))


def candidates(
    connection: Connection, conversation: ConversationId, terms: Sequence[str], first_seq: int
) -> list[Anchor]:
    """Return active anchors that share a term, at most 8 per term, and the 32 newest; oldest first, at most 96.

    Beyond that, anchors that share most are preferred; a term weighs less the more anchors share it. An anchor that a
    person settled after turn `first_seq` counts in the state that the rules gave it.
    """
    ours = {"of_conversation": conversation}
    after = {**ours, "first_seq": first_seq}
    ids = {*connection.scalars(_NEWEST[0], ours), *connection.scalars(_NEWEST[1], after)}
    ids = set(sorted(ids, reverse=True)[:NEWEST_CANDIDATES])
    sharing: Counter[int] = Counter()
    for start in range(0, len(terms), _TERMS_A_STATEMENT):
        for holding in _active_of_each(connection, terms[start : start + _TERMS_A_STATEMENT], after):
            for anchor in holding:
                sharing[anchor] += _SHARED // len(holding)
    likest = sorted(sharing, key=lambda anchor: (sharing[anchor], anchor), reverse=True)
    ids.update(likest[: MOST_CANDIDATES - NEWEST_CANDIDATES])
    return list(starmap(_candidate, connection.execute(_BY_ID, {**after, "ids": sorted(ids)}).all()))


def _active_of_each(connection: Connection, terms: Sequence[str], after: Mapping[str, Any]) -> Iterator[list[int]]:
    """Yield, for each of at most 32 terms with postings, its newest active anchors."""
    newest: dict[int, list[int]] = {}
    padded = dict(zip(_PLACES, [*terms, *([""] * _TERMS_A_STATEMENT)], strict=False))
    for place, anchor in connection.execute(SHARING, {**after, **padded}):
        newest.setdefault(place, []).append(anchor)
    if not newest:
        return
    # In a separate statement: within a join, each anchor would be looked up once per shared term.
    ids = sorted({anchor for anchors in newest.values() for anchor in anchors})
    active = set(connection.scalars(_ACTIVE_AMONG, {**after, "ids": ids}))
    for anchors in newest.values():
        if holding := sorted(active.intersection(anchors), reverse=True)[:CANDIDATES_A_TERM]:
            yield holding


def _candidate(  # noqa: PLR0913, PLR0917 - the columns of `_BY_ID`: a fold makes dozens
    id_: int, kind: int, body: str, seq: int, start: int, end: int, score: int, rank: int, node_idx: int, tokens: int,
    related: int | None, replaces: int | None, name: str | None, role: str, factors: Mapping[str, int],
) -> Anchor:  # fmt: skip
    return Anchor(
        id=id_, type=KINDS[kind], text=body, turn_seq=seq, start=start, end=end, state=AnchorState.ACTIVE, score=score,
        rank=rank, node_idx=node_idx, tokens=tokens, related=related, replaces=replaces,
        speaker=label_of(name, role), role=Role(role), factors=factors,
    )  # fmt: skip


def settled(connection: Connection, conversation: ConversationId) -> list[SettledAnchor]:
    """Return the newest ended anchors with their causes, active anchors with an active successor, and corrections."""
    ours = {"of_conversation": conversation}
    rows = [row for statement in SETTLED for row in connection.execute(statement, ours)]
    over = [
        SettledAnchor(
            row.seq, row.body, STATES[row.state] is not AnchorState.RESOLVED,
            *(() if row.by_seq is None else (row.by_seq, row.by_text)),
        )
        for row in rows
    ]  # fmt: skip
    corrections = [
        SettledAnchor(row.seq, row.body, is_overtaken=False, is_correction=True)
        for row in connection.execute(CORRECTIONS, ours)
    ]
    return over + [SettledAnchor.standing(*row) for row in connection.execute(STANDING, ours)] + corrections


def overtaken_by_models(connection: Connection, conversation: ConversationId) -> list[SettledAnchor]:
    """Return the newest anchors of the rules that a model found superseded, and their successors."""
    taking = (
        select(_anchor.c.seq, _anchor.c.body, _by.c.seq.label("by_seq"), _by.c.body.label("by_text"))
        .join_from(_by, _anchor, and_(_anchor.c.conversation == _by.c.conversation, _anchor.c.id == _by.c.replaces))
        .where(_by.c.conversation == conversation, _by.c.id < 0, ACTIVE, _anchor.c.filler < 0)
        .order_by(_by.c.id)
        .limit(_MOST_OVERTAKEN)
    )
    return [
        SettledAnchor(row.seq, row.body, is_overtaken=True, by_seq=row.by_seq, by_text=row.by_text)
        for row in connection.execute(taking)
    ]


def settle(connection: Connection, conversation: ConversationId, body: Mapping[str, Any], *, after_seq: int) -> None:
    """Set an anchor to the state that a person chose; does nothing if the anchor does not exist."""
    mine = and_(_anchor.c.conversation == conversation, _anchor.c.id == body["anchor"])
    found = connection.execute(select(_anchor.c.state, _anchor.c.tokens).where(mine)).first()
    if found is None:
        return
    connection.execute(
        update(_anchor)
        .where(mine)
        .values(
            state=_STATE_NUMBER[AnchorState(body["state"])],
            ruled=case((_RULED, _anchor.c.state), else_=_anchor.c.ruled),
            settled_after=func.coalesce(_anchor.c.settled_after, after_seq),
            filler=case((_anchor.c.filler < 0, 0), else_=_anchor.c.filler),
        )
    )
    if body["anchor"] < 0:
        if body["state"] == AnchorState.DISMISSED:
            # Anchors ended by a dismissed one of a model are active again.
            ended = (_anchor.c.conversation == conversation, _anchor.c.filler < literal_column("0"))
            by_it = CLOSED_BY.element == body["anchor"]
            connection.execute(update(_anchor).where(*ended, by_it).values(filler=0))
    elif found.state == _ACTIVE:
        connection.execute(
            update(_conversation)
            .where(_conversation.c.id == conversation)
            .values(
                anchor_count=_conversation.c.anchor_count - 1,
                anchor_tokens=_conversation.c.anchor_tokens - found.tokens,
            )
        )
    count_model_anchors(connection, conversation)


def count_model_anchors(connection: Connection, conversation: ConversationId) -> None:
    """Update the number of active anchors that a model adds: its own, minus those of the rules that it ended."""
    sums = select(func.count(), func.coalesce(func.sum(_anchor.c.tokens), 0)).where(
        _anchor.c.conversation == conversation, ACTIVE
    )
    written, written_tokens = connection.execute(sums.where(_anchor.c.id < 0)).one()
    ended, ended_tokens = connection.execute(sums.where(_anchor.c.filler < literal_column("0"))).one()
    connection.execute(
        update(_conversation)
        .where(_conversation.c.id == conversation)
        .values(refined_anchors=written - ended, refined_anchor_tokens=written_tokens - ended_tokens)
    )


def active_difference(
    connection: Connection, conversation: ConversationId, anchors: Sequence[Anchor], changes: Sequence[AnchorChange]
) -> dict[str, int]:
    """Return the change in the active anchors by a merge, as parameters of `folds.ANCHORS_ADDED`.

    `ended_before` counts removed anchors that a model had ended already, which were not counted.
    """
    new = [anchor for anchor in anchors if anchor.state is AnchorState.ACTIVE]
    gone = [change.id for change in changes if change.state is not AnchorState.ACTIVE]
    count = lost = ended = ended_tokens = 0
    if gone:
        by_model = _anchor.c.filler < literal_column("0")
        count, lost, ended, ended_tokens = connection.execute(
            select(
                func.count(), func.coalesce(func.sum(_anchor.c.tokens), 0),
                func.count(case((by_model, 1))), func.coalesce(func.sum(case((by_model, _anchor.c.tokens))), 0),
            ).where(_anchor.c.conversation == conversation, _anchor.c.id.in_(gone), ACTIVE)
        ).one()  # fmt: skip
    more_tokens = sum(anchor.tokens for anchor in new) - int(lost)
    return {
        "more_anchors": len(new) - count, "more_anchor_tokens": more_tokens, "ended_before": ended,
        "ended_tokens": int(ended_tokens),
    }  # fmt: skip


def insert_anchors(
    connection: Connection, conversation: ConversationId, anchors: Sequence[Anchor], changes: Sequence[AnchorChange]
) -> None:
    """Insert new anchors with their postings, and update the states of earlier ones."""
    if anchors:
        connection.execute(_INSERT_ANCHORS, [anchor_row(conversation, anchor) for anchor in anchors])
    # Repetitions get no postings: among many of them the active anchor would not be found.
    found = {anchor.id: anchor.text for anchor in anchors if anchor.state is AnchorState.ACTIVE}
    _INSERT_POSTINGS.run(connection, _postings(conversation, found))
    change_anchors(connection, conversation, changes)


def _postings(conversation: ConversationId, texts: Mapping[int, str]) -> list[tuple[ConversationId, str, int]]:
    return [(conversation, term, id_) for id_, said in texts.items() for term in anchor_terms(said)]


def find_again(connection: Connection, conversation: ConversationId, texts: Mapping[int, str]) -> None:
    """Add the postings of anchors of the rules that are active again: `texts` by their ids."""
    rows = [
        {"conversation": conversation, "term": term, "anchor": id_} for _, term, id_ in _postings(conversation, texts)
    ]
    if rows:
        connection.execute(insert_new(connection, _anchor_posting).on_conflict_do_nothing(), rows)


def change_anchors(connection: Connection, conversation: ConversationId, changes: Sequence[AnchorChange]) -> None:
    """Update the states of anchors, unless a person has settled them."""
    if changes:
        rows = [
            {"of_conversation": conversation, "of_anchor": change.id, "now": _STATE_NUMBER[change.state],
             "by": change.related, "instead_of": change.replaces}
            for change in changes
        ]  # fmt: skip
        connection.execute(_CHANGE, rows)


def mark_hidden(
    connection: Connection, conversation: ConversationId, filler: Sequence[int], told: Sequence[int],
    first_idx: int, last_idx: int,
) -> None:  # fmt: skip
    """Let contexts omit the given anchors of some segments, and show all others; ended ones stay as they are."""
    mine = (_anchor.c.conversation == conversation, _anchor.c.node_idx.between(first_idx, last_idx))
    connection.execute(update(_anchor).where(*mine, _anchor.c.filler > 0).values(filler=0))
    for ids, why in ((filler, FILLER), (set(told) - set(filler), TOLD)):
        if ids:
            shown = (_anchor.c.id.in_(ids), _anchor.c.filler == 0)
            connection.execute(update(_anchor).where(*mine, *shown).values(filler=why))


def mark_over(connection: Connection, conversation: ConversationId, since: Mapping[int, Sequence[int]]) -> None:
    """End anchors that a model found superseded: `since` lists ids by the segment that ended them.

    Anchors that a person settled stay as they are.
    """
    for idx, ids in since.items():
        mark = mark_of_segment(idx)
        if mark is not None:
            # Of several segments that end an anchor, the first counts.
            over = (_anchor.c.id.in_(ids), _RULED, or_(_anchor.c.filler >= 0, _anchor.c.filler < mark))
            connection.execute(update(_anchor).where(_anchor.c.conversation == conversation, *over).values(filler=mark))


def unmark_over(connection: Connection, conversation: ConversationId, segments: Iterable[int]) -> None:
    """Reactivate anchors that a model's text on some segments had ended: that text is gone."""
    marks = sorted(mark for idx in segments if (mark := mark_of_segment(idx)) is not None)
    if marks:
        # As a literal, so that the partial index is used.
        marked = (_anchor.c.filler < literal_column("0"), _anchor.c.filler.in_(marks))
        connection.execute(update(_anchor).where(_anchor.c.conversation == conversation, *marked).values(filler=0))


def unmark(connection: Connection, conversation: ConversationId) -> None:
    """Let contexts show all anchors again."""
    mine = (_anchor.c.conversation == conversation, _anchor.c.filler != 0)
    connection.execute(update(_anchor).where(*mine).values(filler=0))


def anchor_row(conversation: ConversationId, anchor: Anchor) -> dict[str, Any]:
    """Return the columns of an anchor."""
    return {
        "conversation": conversation, "id": anchor.id, "node_idx": anchor.node_idx, "seq": anchor.turn_seq,
        "start_offset": anchor.start, "end_offset": anchor.end, "kind": _KIND_NUMBER[anchor.type],
        "body": anchor.text, "tokens": anchor.tokens, "score": anchor.score, "rank": anchor.rank,
        "factors": dict(anchor.factors), "valid_from": anchor.valid_from, "valid_to": anchor.valid_to,
        "state": _STATE_NUMBER[anchor.state], "related": anchor.related, "replaces": anchor.replaces,
    }  # fmt: skip
