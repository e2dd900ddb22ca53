"""`Material`: a snapshot prepared for selection, with turns that can be shown raw and nodes that cover the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain, starmap
from typing import Final, NamedTuple, TypeVar

from turnfold.assemble.forms.chat import inside_groups
from turnfold.assemble.forms.markers import turns_marker
from turnfold.assemble.forms.render_text import line_openings
from turnfold.assemble.pricing import Style
from turnfold.assemble.request import Request
from turnfold.assemble.revision_cache import Memo
from turnfold.assemble.turns import Turns
from turnfold.contract.notes import FIRST_WRITTEN, NO_PLACE, Covered, Note
from turnfold.contract.outlines import Outline, overtaken_by
from turnfold.contract.overtaken import NOTHING_OVERTAKEN, OvertakenIndex
from turnfold.contract.records import Node, StoredTurn, TurnState
from turnfold.contract.results import Snapshot
from turnfold.contract.speakers import label_of, speaker_label
from turnfold.contract.terms import distinct_terms, rarest
from turnfold.contract.turn_limits import TURNS_A_READ
from turnfold.search.matter import matter_terms

_Found = TypeVar("_Found")

_MOST_TURNS: Final = 2 * TURNS_A_READ
"""Maximum number of turns cached by `of_turn`: while nothing is folded, reads go on with the same memo."""


class Material(NamedTuple):
    """Input of a selection, made from a snapshot and a request alone."""

    snapshot: Snapshot
    request: Request
    memo: Memo
    style: Style
    closed_seq: int
    """Last turn that the outline covers; 0 without an outline."""
    last_seq: int
    window: Turns
    """The newest turns without a gap, up to the last: candidates for raw display."""
    inside_groups: frozenset[int]
    """Turns at which a raw block may not begin, because it would split a tool group."""
    system_turns: tuple[StoredTurn, ...]
    """Turns whose text is shown as the system text, in order."""
    detailed: frozenset[int] | None = None
    """Segments whose level 1 was fetched and is there; None before any is: all may be chosen."""

    @property
    def question(self) -> str | None:
        """The query, or the text of the newest user turn in its place."""
        return self.request.query or self.snapshot.question

    @property
    def is_matched(self) -> bool:
        """Whether the passages found may answer the query."""
        likely = self.snapshot.answerable
        return likely is None or likely >= self.request.policy.no_match_below

    @property
    def roots(self) -> tuple[Node, ...]:
        """Nodes that cover all folded turns."""
        outline = self.snapshot.outline
        return () if outline is None else self.memo.of("roots", lambda: tuple(map(_root, outline.cover)))

    @property
    def notes(self) -> Sequence[Note]:
        """Notes of folded turns, best first; on chapters where room is tight and there is no query."""
        outline = self.snapshot.outline or Outline()
        return (outline.chapter_notes if self.style.brief_from == 0 else ()) or outline.notes

    @property
    def overtaken(self) -> OvertakenIndex:
        """Statements that no longer hold."""
        return overtaken_of(self.snapshot.outline, self.memo)

    def of_turn(self, what: str, turn: StoredTurn, make: Callable[[StoredTurn], _Found]) -> _Found:
        """Result of `make` for a turn, computed once for all reads that share the memo."""
        table: dict[int, tuple[StoredTurn, _Found]] = self.memo.of(what, dict)
        known = table.get(turn.seq)
        if known is None or known[0] is not turn:
            # An inbox turn may come again with other words; at another revision an equal turn is another object.
            made = known[1] if known is not None and known[0] == turn else make(turn)
            if len(table) >= _MOST_TURNS:
                table.clear()
            known = table[turn.seq] = (turn, made)
        return known[1]

    @property
    def asked_stems(self) -> tuple[str, ...]:
        """Distinct terms of the query, or of the subject of the newest user turn in its place, in order.

        Of a pasted document only the rarest terms: each is searched for in each turn of the tail.
        """
        question, terms_of = self.question, distinct_terms if self.request.query else matter_terms
        return self.memo.of(("stems", terms_of, question), lambda: rarest(terms_of(question))) if question else ()

    def after(self, seq: int) -> tuple[StoredTurn, ...]:
        """The turns of the window after a number."""
        return self.window[max(0, seq + 1 - self.window.seqs[0]) :] if self.window else ()

    def marker_of(self, turn: StoredTurn) -> str:
        """Marker of the whole turn; empty while the turn has no number."""
        stored = self.snapshot.head.turn_count if self.snapshot.head else 0
        return "" if self.snapshot.unread and turn.seq > stored else turns_marker(turn.seq, turn.seq)


def gather(snapshot: Snapshot, request: Request, memo: Memo | None = None) -> Material:
    """Prepare a snapshot for a request. `memo` is shared by all reads of the same stored state."""
    memo = memo or Memo()
    head = snapshot.head
    cover: Sequence[Covered] = snapshot.outline.cover if snapshot.outline else ()
    turns = Turns.of(snapshot.turns)
    window = _window(snapshot, turns)
    return Material(
        snapshot=snapshot,
        request=request,
        memo=memo,
        style=Style(
            short=request.usable_tokens < request.policy.short_markers_below,
            seal=snapshot.seals.numbered(snapshot.sealed),
            brief_from=_brief_from(snapshot, request),
            openings=line_openings(chain(_labels(snapshot, turns), _folded_labels(snapshot, request, memo))),
        ),
        closed_seq=cover[-1].last_seq if cover else 0,
        last_seq=max(snapshot.last_seq, head.turn_count if head else 0),
        window=window,
        inside_groups=inside_groups(window),
        system_turns=tuple(
            turn for turn in snapshot.system_turns if turn.state is TurnState.STORED and turn.content.strip()
        ),
    )


def overtaken_of(outline: Outline | None, memo: Memo) -> OvertakenIndex:
    """Index of an outline's statements that no longer hold."""
    return NOTHING_OVERTAKEN if outline is None else memo.of("overtaken", lambda: overtaken_by(outline))


def _labels(snapshot: Snapshot, turns: Turns) -> Iterator[str]:
    """Labels of all speakers in the turns and notes that a read fetched."""
    yield from starmap(label_of, set(turns.voices))
    for turn in (
        *(excerpt.turn for excerpt in snapshot.excerpts),
        *(block.turn for block in snapshot.blocks),
        *(turn for passage in snapshot.passages for turn in passage.expansion.turns),
    ):
        yield speaker_label(turn)
    yield from [note.speaker for note in snapshot.hits]


def _folded_labels(snapshot: Snapshot, request: Request, memo: Memo) -> frozenset[str]:
    """Labels of all speakers in anchors and notes."""

    def labels() -> frozenset[str]:
        of_anchors = frozenset([anchor.speaker for anchor in snapshot.anchors if anchor.speaker])
        return of_anchors | snapshot.outline.speakers if snapshot.outline else of_anchors

    # Budget and bands decide how many of the notes were read.
    return memo.of(("labels", request.budget_tokens, bool(request.policy.bands)), labels)


def _brief_from(snapshot: Snapshot, request: Request) -> int:
    """Place from which notes are shown in brief: where room is tight all of them, or with a query only a model's."""
    said_tokens = sum(snapshot.outline.said.values()) if snapshot.outline else 0
    room, policy = request.usable_tokens, request.policy
    if room < policy.whole_notes_from or room < policy.whole_notes_share * said_tokens:
        return FIRST_WRITTEN if request.query else 0
    # A model's notes are as clear in brief, and twice as many fit.
    return FIRST_WRITTEN if room < policy.written_whole_share * said_tokens else NO_PLACE


def _root(covered: Covered) -> Node:
    return Node(
        height=covered.height, idx=covered.idx, first_seq=covered.first_seq, last_seq=covered.last_seq,
        slug=covered.slug, tokens=(covered.tokens, 0, 0, 0), started_at=_day(covered.first_day),
        ended_at=_day(covered.last_day),
    )  # fmt: skip


def _day(day: str) -> datetime | None:
    return datetime.fromisoformat(day).replace(tzinfo=UTC) if day else None


def _window(snapshot: Snapshot, turns: Turns) -> Turns:
    """The longest run of fetched turns without a gap that ends at the newest one."""
    # Turns that retention removed are left only in the nodes.
    least = 1 if snapshot.head is None else snapshot.head.expired_seq + 1
    if snapshot.unread and snapshot.head is not None:
        least = snapshot.head.turn_count + 1
    seqs = turns.seqs
    if seqs and seqs[0] >= least and seqs[-1] - seqs[0] == len(seqs) - 1:
        return turns
    start = len(seqs)
    while start and seqs[start - 1] >= least and (start == len(seqs) or seqs[start - 1] + 1 == seqs[start]):
        start -= 1
    return turns.from_place(start)
