"""The frame of the notes: headers, and lines for all turns that are not shown raw."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from turnfold.assemble.by_value.group_spans import GroupSpan, spans_of
from turnfold.assemble.fixed_parts import header_tokens, not_shown
from turnfold.assemble.forms.markers import turns_marker
from turnfold.assemble.forms.render_text import group_line
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Plan
from turnfold.assemble.pricing import Pricing
from turnfold.assemble.recent import lines_of
from turnfold.contract.outlines import Outline


class Frame:
    """The lines before the recent turns of a plan."""

    def __init__(self, material: Material, plan: Plan, outline: Outline, *, target: int) -> None:
        self._material = material
        self._plan = plan
        self._outline = outline
        self._most_tokens = int(material.request.policy.markers_share * target)
        self.first_raw: Final = _first_raw(material, plan)
        """The number of the first recent turn."""

    @cached_property
    def spans(self) -> list[GroupSpan]:
        """Groups of nodes up to the first raw turn, as many as the budget has room for lines."""
        before_seq, most_tokens, short = self._spans_by
        return self._material.memo.of(
            ("spans", *self._spans_by),
            lambda: spans_of(
                self._outline.cover, self._outline.chapters, before=before_seq, most_tokens=most_tokens, short=short
            ),
        )

    @property
    def tail(self) -> GroupSpan | None:
        """Turns of the open tail that are shown only in notes."""
        first, last = self._material.closed_seq + 1, min(self.first_raw - 1, self._outline.tail_seq)
        if last < first or self._plan.unread:
            return None
        return GroupSpan(first, last, turns_marker(first, last))

    @property
    def unfolded(self) -> tuple[int, int] | None:
        """Range of turns that neither notes nor raw turns cover yet."""
        hidden_turns, _ = not_shown(self._material, self._plan.raw)
        if self.tail is None or hidden_turns is None:
            return hidden_turns
        return (self.tail.last_seq + 1, hidden_turns[1]) if self.tail.last_seq < hidden_turns[1] else None

    def tokens(self, pricing: Pricing, *, may_be_parted: bool) -> int:
        """Upper bound of the tokens of the background's headers and of the lines below them."""
        lines = [group_line(self.tail.marker)] if self.tail else []
        lines += lines_of(self.unfolded, self._plan.unread)
        folded = self.folded_tokens(pricing)
        return folded + header_tokens(lines, pricing, has_folded=bool(folded), may_be_parted=may_be_parted)

    def folded_tokens(self, pricing: Pricing) -> int:
        """Tokens of the lines for folded turns."""
        return self._material.memo.of(
            ("lines", *self._spans_by), lambda: sum(pricing.count(group_line(span.marker)) for span in self.spans)
        )

    @property
    def _spans_by(self) -> tuple[int, int, bool]:
        """Cache key of the spans: last turn, tokens, whether markers are short."""
        last = min(self.first_raw - 1, self._material.closed_seq)
        return last, self._most_tokens, self._material.style.short


def _first_raw(material: Material, plan: Plan) -> int:
    if plan.unread:
        return material.closed_seq + 1
    return plan.raw[0].turn.seq if plan.raw else material.last_seq + 1
