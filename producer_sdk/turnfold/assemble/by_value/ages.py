"""Choose notes by age: most of the near past, fewer of older turns, the best of all earlier ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Final

from turnfold.assemble.by_value.draft import Draft
from turnfold.assemble.by_value.fitting import fitting_notes
from turnfold.assemble.by_value.group_spans import GroupSpan, grouped
from turnfold.assemble.by_value.past import NOTHING_STANDS, Taken
from turnfold.assemble.by_value.query_notes import Asked, asked, header_of
from turnfold.assemble.by_value.raw_turns import raise_to_share, room_for_answers
from turnfold.assemble.forms.render_text import group_line
from turnfold.assemble.policy import Policy
from turnfold.assemble.pricing import Pricing
from turnfold.contract.notes import Note

_SEQ: Final = itemgetter(0)
_GAIN: Final = itemgetter(Note._fields.index("gain"))


def take_notes_by_age(draft: Draft, *, is_filling: bool) -> None:
    """Show raw turns up to their share, then notes by age; tokens that these leave go to more turns."""
    policy = draft.policy
    for_answers = room_for_answers(draft.material, draft.answers, draft.target)
    shared = max(0, draft.target - draft.fixed - draft.first_tokens - for_answers)
    raise_to_share(draft, int(policy.recent_share * shared))
    frame = draft.frame
    left = draft.target - draft.fixed - draft.first_tokens - draft.raw_tokens - draft.frame_tokens
    kept = for_answers if draft.answered is None else draft.answered
    chosen = _taken(draft, shared, left - kept, is_filling=is_filling)
    notes = chosen.notes
    answer = _answer(draft, {note[:2] for note in notes}, for_answers) if for_answers else Asked()
    groups = grouped(frame.spans, [note for note in notes if note.seq <= draft.material.closed_seq])
    draft.plan = draft.plan._replace(allotted=(*draft.plan.allotted, ("recent", int(policy.recent_share * shared))))
    draft.show_notes(groups, [note for note in notes if note.seq > draft.material.closed_seq], answer)
    draft.answered = answer.tokens
    draft.left = left - chosen.tokens - answer.tokens + draft.kept_free


def fill_by_age(draft: Draft) -> None:
    """Spend what is left on more notes, if that is enough."""
    if draft.is_worth_filling:
        take_notes_by_age(draft, is_filling=True)


def _taken(draft: Draft, shared: int, room: int, *, is_filling: bool) -> Taken:
    """Select the notes of all ages, cached for later reads."""
    opened, tail = draft.opened, draft.frame.tail

    def take() -> Taken:
        late = [note for note in draft.outline.tail if tail and note.seq <= tail.last_seq]
        ages = _Ages([*draft.past, *draft.past.without_anchored(late)], opened, draft.pricing)
        ages.take(draft.policy, shared, room)
        if is_filling:
            ages.take_more(room)
        return ages.taken

    key = (
        "ages", draft.policy, draft.frame.first_raw, draft.anchors_by, shared, room, tuple(opened),
        draft.in_detail, draft.pricing.brief_from, is_filling,
    )  # fmt: skip
    return draft.material.memo.of(key, take)


def _answer(draft: Draft, background: set[tuple[int, int]], room: int) -> Asked:
    """Content that a question adds to the notes that are shown anyway."""
    before_seq = draft.frame.first_raw
    quoted = draft.answers.quoted(
        draft.pricing, before_seq=before_seq, target=draft.target, most_tokens=room // 2, background=background
    )
    return asked(
        draft.answers.notes(before_seq),
        background,
        quoted,
        room,
        draft.pricing,
        header=header_of(draft.material.request.query, matches=draft.material.is_matched),
    )


class _Ages:
    """Notes, newest turns first, from which bands take their shares."""

    def __init__(self, notes: Iterable[Note], spans: Sequence[GroupSpan], pricing: Pricing) -> None:
        self._notes = sorted(notes, key=_SEQ, reverse=True)
        self._spans = spans
        self._pricing = pricing
        self.taken = Taken([], 0, NOTHING_STANDS)

    def take(self, policy: Policy, shared: int, room: int) -> None:
        """Select the best of each age within its share of `shared` tokens, lines included, and within `room`."""
        oldest = 1 - policy.recent_share - sum(band.share for band in policy.bands)
        begin, before_seq = 0, self._notes[0][0] + 1 if self._notes else 1
        for share, kept in (*((band.share, band.kept) for band in policy.bands), (oldest, 0.0)):
            most_tokens = int(share * shared)
            end = self._reach(begin, most_tokens / kept) if kept else len(self._notes)
            first_seq = self._notes[end - 1][0] if begin < end < len(self._notes) else 1
            lines = [span.marker for span in self._spans if first_seq <= span.last_seq < before_seq]
            most_tokens -= sum(self._pricing.count(group_line(marker)) for marker in lines)
            self._add(self._notes[begin:end], min(most_tokens, room - self.taken.tokens))
            begin, before_seq = end, first_seq

    def take_more(self, room: int) -> None:
        """Add notes, newest turns first, until all cost `room` tokens."""
        known = {note[:2] for note in self.taken.notes}
        untaken = (note for note in self._notes if note[:2] not in known)
        self._put(fitting_notes(untaken, self._spans, room - self.taken.tokens, self._pricing, standing=self.taken[2]))

    def _reach(self, begin: int, tokens: float) -> int:
        """End of the notes that cost so many tokens, with all of the last turn's notes."""
        end = begin
        while end < len(self._notes) and (tokens > 0 or self._notes[end][0] == self._notes[end - 1][0]):
            note = self._notes[end]
            tokens -= (note.brief_tokens if note.place >= self._pricing.brief_from else 0) or note.tokens
            end += 1
        return end

    def _add(self, notes: Iterable[Note], room: int) -> None:
        best = sorted(notes, key=_GAIN, reverse=True)
        self._put(fitting_notes(best, self._spans, room, self._pricing, standing=self.taken[2]))

    def _put(self, more: Taken) -> None:
        self.taken = Taken([*self.taken.notes, *more.notes], self.taken.tokens + more.tokens, more.standing)
