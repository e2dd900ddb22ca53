"""Notes of all turns that are not shown raw, by value per token, and notes that a question adds.

The room for folded turns changes in steps, so that their notes stay the same while the recent turns grow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from turnfold.assemble.by_value.draft import WORTH_FILLING, Draft
from turnfold.assemble.by_value.fitting import fitting_notes, with_whole
from turnfold.assemble.by_value.group_spans import grouped, with_more
from turnfold.assemble.by_value.past import Taken, filled_from
from turnfold.assemble.by_value.query_notes import Asked, asked, header_of, room_unasked, without_rules
from turnfold.assemble.forms.groups import Group
from turnfold.assemble.last_turns import reserve
from turnfold.assemble.policy import rounded_down, rounded_up
from turnfold.assemble.revision_cache import Memo
from turnfold.contract.notes import FIRST_WRITTEN, Note

_MOST_OF_NOTES: Final = 12
"""Maximum number of results cached for the same notes; they differ in the tokens left over for a few more."""
_CHANGING_LINES: Final = 48
"""Approximate upper bound of the tokens of headers and of lines for turns neither folded nor raw."""
_OF_TAIL: Final = 0.75
"""Share of the least gain of a selected past note: notes of the open tail below that are not shown."""
_STEERED: Final = 4
"""Divisor of the room for notes that caps notes about the last turn, which asks for nothing."""
_ENOUGH: Final = 2**31
"""Unlimited room, in tokens."""


class NotedPast:
    """The notes of a draft with its present recent turns."""

    def __init__(self, draft: Draft) -> None:
        """Select notes of folded turns and of the open tail, best first."""
        self._draft = draft
        self._opened = draft.opened
        self._past = draft.past
        self._chosen, self._answer, self._memo = self._with_answer(self._steady_room())
        self._left = draft.left - self._chosen.tokens - self._answer.tokens
        self._late = self._notes_of_tail(self._left)
        self._left -= self._late.tokens
        draft.left = self._left + draft.kept_free

    def finish(self) -> None:
        """Show the notes, and more where there is room; no further turns are shown raw."""
        draft = self._draft
        self._groups = self._memo.of("groups", lambda: grouped(draft.frame.spans, self._chosen.notes))
        if draft.is_worth_filling:
            self._fill()
        draft.show_notes(self._groups, self._late.notes, self._answer)
        draft.plan = draft.plan._replace(settled=self._settled(self._chosen, self._groups))

    def _fill(self) -> None:
        """Spend what is left on more notes near the end, before which everything stays the same."""
        draft, answer = self._draft, self._answer
        if self._left <= WORTH_FILLING * draft.target:
            return
        if answer.notes:
            self._answer = answer.with_more(self._past, self._chosen.notes, self._left, draft.pricing)
            self._left -= self._answer.tokens - answer.tokens
        elif self._chosen.notes:
            self._groups, tokens = self._with_near(self._chosen, self._groups, self._left)
            self._left -= tokens

    def _settled(self, chosen: Taken, groups: Sequence[Group]) -> int:
        """Number of leading groups that filling with more notes leaves unchanged."""
        if not chosen.notes:
            return 0
        end = self._memo.of("end", lambda: filled_from(chosen.notes, self._starts()))
        return sum([group.last_seq < end for group in groups])

    def _starts(self) -> list[int]:
        """First turns of the groups of folded turns."""
        return [span.first_seq for span in self._draft.frame.spans]

    def _notes_of_tail(self, left: int) -> Taken:
        """Notes of the open tail, within the tokens that are left."""
        draft, chosen, answer = self._draft, self._chosen, self._answer
        notes = [note for note in draft.outline.tail if note.seq < draft.frame.first_raw] if draft.frame.tail else []
        told_elsewhere = {*answer.said.whole, *draft.whole_requests}
        notes = draft.past.without_anchored(note for note in notes if note.seq not in told_elsewhere)
        worth = _OF_TAIL * self._memo.of("least", lambda: min([note.gain for note in chosen.notes], default=0))
        draft.has_more_notes = self._has_more()
        draft.telling = self._telling_turns(worth)
        # Tokens that recent turns only got because they were left over.
        more_raw = draft.raw_tokens - draft.raw_at_first - draft.taken_of_answer
        room = min(left + more_raw, left + draft.kept_free)
        return self._fitting((note for note in notes if note.gain >= worth), room)

    def _telling_turns(self, worth: float) -> frozenset[int]:
        """Turns of the open tail whose notes are worth as much per token of the turn; all turns if no notes remain."""
        material, told = self._draft.material, Counter[int]()
        tail = material.after(material.closed_seq)
        if not self._draft.has_more_notes:
            return frozenset([turn.seq for turn in tail])
        for note in self._draft.outline.tail:
            told[note.seq] += note.gain * note.least_tokens
        return frozenset([turn.seq for turn in tail if told[turn.seq] >= worth * turn.tokens])

    def _has_more(self) -> bool:
        """Whether some notes of the past are not shown."""
        shown = self._memo.of("shown", lambda: {note[:2] for note in self._chosen.notes})
        return self._memo.of("has more", lambda: any(note[:2] not in shown for note in self._past))

    def _with_near(self, chosen: Taken, groups: tuple[Group, ...], room: int) -> tuple[tuple[Group, ...], int]:
        """Add notes near the end of the groups; returns the groups and the cost of the notes."""
        memo = self._memo
        more = memo.of("more", lambda: self._past.near_the_end_of(chosen.notes, starts=self._starts()))
        near = self._fitting(more, room).notes
        # Priced together, because they share labels.
        return memo.of(
            ("near", tuple(near)),
            lambda: (
                with_more(groups, near),
                fitting_notes(near, self._opened, _ENOUGH, self._draft.pricing, standing=chosen.standing).tokens,
            ),
        )

    def _steady_room(self) -> int:
        """Tokens for notes of folded turns: the same while turns are appended, but for steps."""
        draft, usable = self._draft, self._draft.usable
        last = rounded_up(draft.raw_at_first, int(draft.policy.recent_step * usable))
        kept = max(reserve(draft.material, usable), last)
        changing_lines = draft.frame_tokens - draft.frame.folded_tokens(draft.pricing)
        room = draft.left + draft.raw_tokens - kept + usable - draft.target + changing_lines - _CHANGING_LINES
        room = rounded_down(room, int(draft.policy.tail_step * usable))
        return room - usable + draft.target

    def _with_answer(self, steady_room: int) -> tuple[Taken, Asked, Memo]:
        """Notes of the past, the same for any query; notes that a query adds; a cache of results from the former.

        Later reads use the cache too.
        """
        draft, first_raw = self._draft, self._draft.frame.first_raw
        room = max(0, min(steady_room, draft.left + draft.kept_free))
        query = draft.material.request.query
        most_tokens = room if query else min(room, int(draft.policy.steered_share * draft.target))
        quote = partial(
            draft.answers.quoted, draft.pricing, before_seq=first_raw, target=draft.target, most_tokens=most_tokens // 2
        )
        hits = without_rules(draft.answers.notes(first_raw), draft.plan.anchors)
        # If steered, any turn may add notes: what precedes them stays the same even though this one adds none.
        if not hits and not draft.material.request.steered:
            quoted = quote(background=())
            chosen, memo = self._of_the_past(room - quoted.tokens)
            return chosen, Asked(quoted, tokens=quoted.tokens), memo
        chosen, memo = self._of_the_past(min(room, self._room_unasked(steady_room)))
        background = memo.of("shown", lambda: {note[:2] for note in chosen.notes})
        quoted = quote(background=background)
        left = room - chosen.tokens - draft.taken_of_answer
        # Unchanged in most of the rounds in which further turns are shown raw.
        key = (memo, len(hits), quoted.shown, left)
        if draft.asked is None or draft.asked[0] != key:
            header = header_of(query, matches=draft.material.is_matched)
            answer = asked(hits, background, quoted, left, draft.pricing, header=header)
            draft.asked = (key, answer.with_beside(self._past, background, left - answer.tokens, draft.pricing))
            # For a query, the notes besides those that answer are part of the answer.
            draft.left_by_answer = 0 if query else draft.asked[1].tokens - answer.tokens
        return chosen, draft.asked[1], memo

    def _room_unasked(self, steady_room: int) -> int:
        """Tokens of the steady room for notes chosen regardless of the query.

        Computed for the first attempt at a budget: the query affects the targets of further attempts.
        """
        draft, usable = self._draft, self._draft.usable
        first_room = steady_room + usable - draft.target
        if draft.material.request.query is None:
            unasked_tokens = first_room - min(int(draft.policy.steered_share * usable), first_room // _STEERED)
        else:
            unasked_tokens = room_unasked(first_room, share=draft.policy.unasked_share, target=usable)
        return max(0, min(steady_room, unasked_tokens))

    def _of_the_past(self, room: int) -> tuple[Taken, Memo]:
        """Select notes of the past, and return them with a cache of results from them."""
        draft = self._draft
        key = (
            "past", draft.material.request.budget_tokens, min(draft.frame.first_raw, draft.material.closed_seq + 1),
            draft.anchors_by, room, tuple(draft.frame.spans), draft.frame.tail is not None, draft.in_detail,
            draft.pricing.brief_from,
        )  # fmt: skip
        memo = draft.material.memo.of(key, partial(Memo, _MOST_OF_NOTES))
        return memo.of("notes", lambda: self._whole_where_it_fits(room)), memo

    def _whole_where_it_fits(self, room: int) -> Taken:
        """Notes of the past; the best of a model's brief notes are shown whole in what is left."""
        taken = self._fitting(self._past, room)
        if self._draft.pricing.brief_from != FIRST_WRITTEN:
            return taken
        return with_whole(taken, self._past, self._opened, room, self._draft.pricing)

    def _fitting(self, notes: Iterable[Note], room: int) -> Taken:
        return fitting_notes(notes, self._opened, room, self._draft.pricing)
