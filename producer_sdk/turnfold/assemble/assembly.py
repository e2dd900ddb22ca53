"""Render a plan: every part once with its token count, and the totals of the three forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Final, NamedTuple

from turnfold.assemble.fixed_parts import least_plan
from turnfold.assemble.forms.chat import ChatBlock
from turnfold.assemble.forms.form_tokens import messages_tokens, request_tokens
from turnfold.assemble.forms.groups import Group
from turnfold.assemble.forms.markers import COARSEST, markers_beside, node_marker, turns_marker
from turnfold.assemble.forms.render_anthropic import anthropic_messages, cached_blocks
from turnfold.assemble.forms.render_openai import openai_messages
from turnfold.assemble.forms.render_text import (
    BACKGROUND_HEADER,
    CONTINUED_HEADER,
    EXCERPTS_HEADER,
    EXPANDED_HEADER,
    RECENT_HEADER,
    closed_line,
    day_line_after,
    excerpt_opening,
    guarded,
    names_line,
    node_opening,
    range_line,
    shown_words,
)
from turnfold.assemble.forms.seal import opener, record_end, record_opening
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Plan
from turnfold.assemble.pricing import FormTokens, Pricing, SpokenTurn, Style
from turnfold.assemble.recent import lines_of
from turnfold.contract.records import LevelKey, Role
from turnfold.tokens import MESSAGE_TOKENS

_NAME_OF: Final = attrgetter("name")


class Part(NamedTuple):
    """One part of the text form."""

    name: str
    text: str
    tokens: int


class Assembly(NamedTuple):
    """A rendered plan."""

    plan: Plan
    system: str
    """System text and task."""
    record: str
    """Everything else before the recent turns."""
    stable: Part
    """The prefix of both that stays the same while turns are appended."""
    text: str
    parts: tuple[Part, ...]
    chat: ChatBlock
    tokens: FormTokens

    @property
    def lengths(self) -> tuple[tuple[str, int], ...]:
        """Name and length in code points of the text's parts in order; neighbours of one name are merged."""
        return tuple((name, sum(len(part.text) for part in parts)) for name, parts in groupby(self.parts, _NAME_OF))

    @property
    def largest(self) -> int:
        return max(self.tokens.text, self.tokens.openai, self.tokens.anthropic)


def assemble(plan: Plan, texts: Mapping[LevelKey, str], *, pricing: Pricing, style: Style) -> Assembly:
    """Render a plan and count its tokens: by sums where counts are stored, else over the finished forms."""
    fixed = tuple(_fixed(plan, pricing))
    stable, changing = tuple(_stable(plan, pricing)), tuple(_changing(plan, texts, pricing, style))
    if stable or changing:
        # One frame around everything: no text of the conversation is outside, and none can close it.
        stable = (_line("frame", record_opening(style.seal), pricing), *stable)
        changing = (*changing, _line("frame", record_end(style.seal), pricing))
    recent = [pricing.turn(shown_turn) for shown_turn in plan.raw]
    after = tuple(_after(recent, pricing))
    system, record = _joined(fixed), _joined((*stable, *changing))
    text = system + record + _joined(after)
    chat = ChatBlock(plan.raw, style.seal)
    parts = (*fixed, *stable, *changing, *after)
    beginning = Part("stable", _joined((*fixed, *stable)), sum([part.tokens for part in (*fixed, *stable)]))
    tokens = (
        _summed(parts, fixed, (*stable, *changing), chat, recent, pricing)
        if pricing.trusts_stored
        else _counted(text, system, record, len(beginning.text) - len(system), chat, pricing)
    )
    return Assembly(
        plan=plan, system=system, record=record, stable=beginning, text=text, parts=parts, chat=chat, tokens=tokens
    )


def least_assembly(material: Material, pricing: Pricing) -> Assembly:
    """Render the smallest context."""
    return assemble(least_plan(material), {}, pricing=pricing, style=material.style)


def frame_tokens(pricing: Pricing, style: Style) -> int:
    """Tokens of the frame around the record, and of the message that the record becomes."""
    return MESSAGE_TOKENS + pricing.count(record_opening(style.seal)) + pricing.count(record_end(style.seal))


def _line(name: str, line: str, pricing: Pricing) -> Part:
    return Part(name, line, pricing.count(line))


def _joined(parts: Sequence[Part]) -> str:
    return "".join([part.text for part in parts])


def markers_of(plan: Plan, *, short: bool) -> tuple[str, ...]:
    """Markers that Turnfold wrote, in order of appearance, without duplicates."""
    markers = [request.marker for request in plan.requests]
    if plan.joined_turns:
        markers.append(turns_marker(*plan.joined_turns, level=COARSEST))
    markers += [group.marker for group in plan.groups]
    markers += [node_marker(node, level=0, short=short) for node in plan.often]
    markers += [shown_turn.marker for shown_turn in plan.excerpts if shown_turn.marker]
    markers += [marker for passage in plan.expanded for marker in passage.markers]
    if plan.tail:
        markers.append(plan.tail.marker)
    if plan.unfolded:
        markers.append(turns_marker(*plan.unfolded))
    markers += [request.marker for request in plan.late_requests]
    markers += [marker for lines in plan.actions for marker in markers_beside(lines)]
    markers += [shown_turn.marker for shown_turn in plan.raw if shown_turn.marker and not shown_turn.hidden]
    return tuple(dict.fromkeys(markers))


def _fixed(plan: Plan, pricing: Pricing) -> Iterator[Part]:
    """System text and task."""
    for name, words in (("system", plan.system), ("task", plan.task)):
        if words:
            yield _line(name, words, pricing)


def _stable(plan: Plan, pricing: Pricing) -> Iterator[Part]:
    """Parts of the record that are the same for every query and while turns are appended, until a fold."""
    for request in plan.requests:
        yield _line("task", request.text, pricing)
    if plan.anchors:
        yield Part("anchors", *pricing.anchors(plan.anchors))
    if plan.names:
        yield _line("names", names_line(plan.names), pricing)
    if plan.has_folded:
        yield _line("background", BACKGROUND_HEADER, pricing)
    yield from _background(plan.groups[: plan.settled], pricing)


def _changing(plan: Plan, texts: Mapping[LevelKey, str], pricing: Pricing, style: Style) -> Iterator[Part]:
    yield from _background(plan.groups[plan.settled :], pricing)
    if plan.joined_turns:
        line = range_line(*plan.joined_turns, marker=turns_marker(*plan.joined_turns, level=COARSEST))
        yield _line("background", line, pricing)
    yield from _often(plan, texts, pricing, style)
    yield from _repeated(plan, pricing, style)
    yield from _latest(plan, pricing)
    for request in plan.late_requests:
        yield _line("task", request.text, pricing)
    for line in plan.actions:
        yield _line("actions", line, pricing)


def _often(plan: Plan, texts: Mapping[LevelKey, str], pricing: Pricing, style: Style) -> Iterator[Part]:
    header = plan.often_header
    for node in plan.often:
        opening = node_opening(node, level=1, short=style.short)
        # Counted again: the size known when the node was chosen may be that of an earlier text.
        text = header + closed_line(opening + guarded(texts[0, node.idx, 1], style.openings))
        yield _line("often", text, pricing)
        header = ""


def _repeated(plan: Plan, pricing: Pricing, style: Style) -> Iterator[Part]:
    """Content that is shown again because the query or the caller asks for it."""
    if plan.hits:
        yield Part("excerpts", plan.hits.text, pricing.notes(plan.hits))
    if plan.excerpts:
        yield _line("excerpts", EXCERPTS_HEADER, pricing)
    for shown_turn in plan.excerpts:
        line = closed_line(excerpt_opening(shown_turn.turn) + guarded(shown_words(shown_turn), style.openings))
        yield Part("excerpts", line, pricing.excerpt(shown_turn))
    if plan.expanded:
        yield _line("expanded", EXPANDED_HEADER, pricing)
    for passage in plan.expanded:
        yield _line("expanded", passage.text, pricing)


def _background(groups: Sequence[Group], pricing: Pricing) -> Iterator[Part]:
    for group in groups:
        yield Part("background", group.text, pricing.notes(group))


def _latest(plan: Plan, pricing: Pricing) -> Iterator[Part]:
    """Parts that change with each turn, after all that do not."""
    if plan.has_latest and (plan.is_parted or not plan.has_folded):
        header = CONTINUED_HEADER if plan.has_folded else BACKGROUND_HEADER
        yield _line("background", header, pricing)
    if plan.tail:
        yield Part("background", plan.tail.text, pricing.notes(plan.tail))
    for line in lines_of(plan.unfolded, plan.unread):
        yield _line("background", line, pricing)
    if plan.late_names:
        yield _line("names", names_line(plan.late_names), pricing)


def _after(spoken: Sequence[SpokenTurn], pricing: Pricing) -> Iterator[Part]:
    if not any(spoken_turn.line for spoken_turn in spoken):
        return
    yield _line("recent", RECENT_HEADER, pricing)
    today = ""
    for tokens, _, _, line, day, _ in spoken:
        if day and day != today:
            dated = day_line_after(day, today)
            today = day
            yield _line("recent", dated, pricing)
        if line:
            yield Part("recent", line, tokens)


def _summed(
    parts: Sequence[Part], fixed: Sequence[Part], record: Sequence[Part], chat: ChatBlock,
    recent: Sequence[SpokenTurn], pricing: Pricing,
) -> FormTokens:  # fmt: skip
    tokens_before = sum(
        [MESSAGE_TOKENS + sum([part.tokens for part in message]) for message in (fixed, record) if message]
    )
    voices = [False] if record else []
    voices += [
        shown_turn.turn.role is Role.ASSISTANT
        for shown_turn, tokens in zip(chat.turns, recent, strict=True) if tokens.anthropic
    ]  # fmt: skip
    joins = sum(voice == following for voice, following in pairwise(voices))
    begins = MESSAGE_TOKENS + pricing.count(opener(chat.seal)) if voices and voices[0] else 0
    return FormTokens(
        text=sum([part.tokens for part in parts]),
        openai=tokens_before + sum([tokens.openai for tokens in recent]),
        anthropic=tokens_before + sum([tokens.anthropic for tokens in recent]) - MESSAGE_TOKENS * joins + begins,
    )


def _counted(text: str, system: str, record: str, stable_length: int, chat: ChatBlock, pricing: Pricing) -> FormTokens:
    blocks = cached_blocks(system, 0)
    return FormTokens(
        text=pricing.count(text) if text else 0,
        openai=messages_tokens(openai_messages(system, record, chat), pricing.count),
        anthropic=request_tokens(
            {"system": blocks, "messages": anthropic_messages(record, chat, stable_length=stable_length)},
            pricing.count,
        ),
    )
