"""Choose requests to an agent, anchors by rank, names by score and the state of the work, each up to its share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.assemble.by_value.doubts import doubts_of
from turnfold.assemble.by_value.draft import Draft
from turnfold.assemble.by_value.fitting import fitting_anchors, fitting_late_names, fitting_names
from turnfold.assemble.by_value.past import TakenAnchors
from turnfold.assemble.by_value.requests import beside_requests, fitting_requests
from turnfold.assemble.by_value.top_anchors import TopAnchors
from turnfold.assemble.by_value.work_state import WorkState
from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.render_text import names_line
from turnfold.assemble.plan import ShownRequest
from turnfold.assemble.policy import AnchorsRoom
from turnfold.contract.actions import Action
from turnfold.contract.requests import Request

_ALL_FOR_NAMES: Final = 1_000
"""Budget tokens of which names get at most the percentage of the conversation that tools wrote."""
_MOST_FOR_NAMES: Final = 2_000
"""Budget tokens beyond which the share of names does not grow: further names say nothing."""
_FOR_ANSWER: Final = 0.2
"""Share of the budget that requests, names and the state of the work leave to a query's answer."""
_LATE_NAMES: Final = 6
"""Divisor of the room for names that caps the names of unfolded turns."""
_DEARER: Final = 1.1
"""Cap, as a multiple of the target, on the tokens that the share of anchors is computed from."""


def take_first_parts(draft: Draft) -> None:
    """Choose requests, anchors, names and actions; anchors of raw turns are left out, as those turns contain them."""
    pricing, policy, outline = draft.pricing, draft.policy, draft.outline
    actions = draft.material.memo.of("actions", lambda: outline.all_actions)
    room = draft.target - draft.fixed - draft.raw_tokens - draft.frame_tokens
    for_answer = int(_FOR_ANSWER * draft.target) if draft.material.request.query else 0
    most_names = _names_share(draft)
    # With an answer there is not room for everything: long requests and many actions must leave the names their room.
    kept = for_answer + most_names if for_answer else 0
    # The same for any actions: tokens that they leave are for the end.
    for_actions = min(int(policy.actions_share * draft.target) if actions else 0, max(0, (room - kept) // 2))
    room -= for_actions
    most_for_requests = min(int(policy.request_share * _first_target(draft)), max(0, room - kept))
    # Before the first fold, the request that the work began with comes first too.
    early, asked_late = outline.requests, outline.tail_requests
    if not outline.last_seq:
        early, asked_late = asked_late[:1], asked_late[1:]
    requests = _requests(draft, early, draft.first_raw_at_first, most_for_requests)
    for_requests = _tokens(draft, requests)
    room -= for_requests
    anchors = _anchors(draft, requests, room)
    room -= anchors.tokens
    for_names = max(0, min(room - for_answer, most_names))
    for_late = for_names // (_LATE_NAMES if outline.names else 1)
    names = fitting_names(_names_beside(draft, requests, actions), for_names - for_late, pricing)
    late = fitting_late_names(outline.tail_names, names, for_late, pricing) if draft.frame.tail else ()
    named = pricing.count(names_line(names)) if names else 0
    room -= named + for_late
    late_requests = _requests(draft, asked_late, draft.frame.first_raw, for_actions // 2)
    for_late_requests = _tokens(draft, late_requests)
    lines = _state(draft, actions, draft.plan.raw).fitting(for_actions - for_late_requests, pricing) if actions else ()
    changing = (*lines, *([names_line(late)] if late else []))
    draft.kept_free = for_actions + for_late - for_late_requests - sum(map(pricing.count, changing))
    draft.plan = draft.plan._replace(
        requests=requests, anchors=anchors.anchors, names=names, late_names=late, late_requests=late_requests,
        actions=lines,
        allotted=(
            ("anchors", max(int(policy.anchors_share * draft.target), anchors.tokens)),
            ("names", most_names),
            ("actions", for_actions),
            ("recent", policy.recent_room(draft.target)),
        ),
    )  # fmt: skip
    draft.left = room
    draft.first_tokens = for_actions + for_requests + anchors.tokens + named + for_late
    draft.anchor_words = anchors.words
    draft.anchor_tokens = anchors.tokens
    whole = {(request.seq, request.text) for request in early}
    draft.whole_requests = tuple(
        shown_request.seq for shown_request in requests if (shown_request.seq, shown_request.words) in whole
    )


def _requests(draft: Draft, requests: Sequence[Request], before_seq: int, most_tokens: int) -> tuple[ShownRequest, ...]:
    return fitting_requests(requests, before_seq, most_tokens, draft.material.style.openings, draft.pricing)


def _tokens(draft: Draft, requests: Sequence[ShownRequest]) -> int:
    return sum(draft.pricing.count(request.text) for request in requests)


def _anchors(draft: Draft, requests: tuple[ShownRequest, ...], room: int) -> TakenAnchors:
    """Choose anchors that no request contains."""
    material, pricing, first_raw = draft.material, draft.pricing, draft.first_raw_at_first
    # At most half of the room: a context of anchors alone says nothing else. Anchors chosen before more turns were
    # shown raw stay: those turns only got what was left over.
    half = max(room // 2, min(room, draft.anchor_tokens))
    allowed = AnchorsRoom.of(draft.policy, target=_first_target(draft), most=half, most_with_pins=room)
    newest = material.window[-1].created_at if material.window else None
    today = None if newest is None else newest.date()
    top = TopAnchors.of(material.snapshot.anchors)
    # The beginning of the raw turns matters only by the number of anchors before it.
    many_before = sum(map(first_raw.__gt__, top.seqs))
    doubts = doubts_of(material)
    draft.anchors_by = ("anchors", many_before, allowed, draft.target, today, requests, doubts)

    def take() -> TakenAnchors:
        fitting = fitting_anchors(top, first_raw, allowed, pricing, today=today, doubts=doubts)
        return beside_requests(requests, fitting, pricing)

    return material.memo.of(draft.anchors_by, take)


def _first_target(draft: Draft) -> int:
    """Tokens that shares of anchors and requests are computed from, the same for any query."""
    return min(draft.usable, int(_DEARER * draft.target))


def _names_beside(draft: Draft, requests: tuple[ShownRequest, ...], actions: Sequence[Action]) -> Sequence[str]:
    """Names that neither requests nor the state of the work mention."""

    def others() -> Sequence[str]:
        files = [action.about for action in actions if action.kind == "open" or (action.changed and not action.failed)]
        known = "\n".join([*(request.text for request in requests), *files])
        return [name for name in draft.outline.names if name not in known] if known else draft.outline.names

    return draft.material.memo.of(("names beside", requests), others)


def _state(draft: Draft, actions: Sequence[Action], raw: Sequence[ShownTurn]) -> WorkState:
    """State of the work, without turns that are shown raw."""
    whole = frozenset(shown_turn.turn.seq for shown_turn in raw if shown_turn.marker is None)
    return draft.material.memo.of(
        ("state", whole), lambda: WorkState(actions, whole, _root_of(draft.outline.names))
    )  # fmt: skip


def _root_of(names: Sequence[str]) -> str:
    """Folder that the conversation's paths are relative to, according to its names; empty if unknown."""
    return next((name for name in names if name.startswith("/") and name.endswith("/")), "")


def _names_share(draft: Draft) -> int:
    """Tokens for names: the percentage of a small budget that tools wrote, at most the names' share."""
    of_tools = draft.outline.tool_percent * min(draft.target, _ALL_FOR_NAMES) // 100
    return min(of_tools, int(draft.policy.names_share * min(draft.target, _MOST_FOR_NAMES)))
