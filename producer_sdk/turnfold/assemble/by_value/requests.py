"""Requests to an agent, quoted within their room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.assemble.by_value.past import TakenAnchors
from turnfold.assemble.forms.clip_around import Focus, clip_around
from turnfold.assemble.forms.markers import turns_marker
from turnfold.assemble.forms.render_text import Openings, closed_line, guarded, request_opening
from turnfold.assemble.plan import ShownRequest
from turnfold.assemble.pricing import Pricing
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.notes import bare_words
from turnfold.contract.requests import Request

_RULES: Final = "rules: "
_LEAST: Final = 24
"""Minimum tokens of a quoted request: fewer words would say nothing."""
_GAP: Final = " […] "
_GAPS: Final = lazy_pattern(r"(\[…\])(?:\s{0,4}\[…\])+")
_OF_FIRST: Final = 3
"""Divisor of the room that caps an earlier request when a newer one is shown too."""


def fitting_requests(
    requests: Sequence[Request], before_seq: int, most_tokens: int, openings: Openings, pricing: Pricing
) -> tuple[ShownRequest, ...]:
    """Requests of turns before `before_seq`, in order, each cut by whole blocks; the newest gets what others leave."""
    asked_requests = [request for request in requests if request.seq < before_seq]
    fitting: list[ShownRequest] = []
    for request in asked_requests:
        request_tokens = most_tokens if request is asked_requests[-1] else most_tokens // _OF_FIRST
        marker = turns_marker(request.seq, request.seq)
        opening = request_opening(request.seq, request.speaker, marker)
        room = request_tokens - pricing.count(closed_line(opening))
        if room < _LEAST:
            continue
        words = request.text
        rules = _fitting_rules(request, room, pricing)
        for tokens in (room, room * 4 // 5, room * 3 // 5):
            left = tokens - (pricing.count(rules) if rules else 0)
            if pricing.count(words) > left:
                words = clip_around(request.text, left, _GAP, pricing.count, focus=Focus(in_order=True))
                words = _GAPS.sub(r"\1", words)
            text = closed_line(opening + guarded(f"{rules}{words}", openings))
            if pricing.count(text) <= request_tokens:
                fitting.append(ShownRequest(request.seq, marker, text, words))
                most_tokens -= pricing.count(text)
                break
    return tuple(fitting)


def _fitting_rules(request: Request, room: int, pricing: Pricing) -> str:
    """Line of the rules before a request, up to half of the room, unless the shown request contains them all."""
    if not request.rules:
        return ""
    words = request.text
    if pricing.count(words) > room:
        words = clip_around(words, room, _GAP, pricing.count, focus=Focus(in_order=True))
    shown_text = " ".join(words.split())
    rules = [] if all(rule in shown_text for rule in request.rules) else list(request.rules)
    while rules and pricing.count(rules_line := _RULES + " ".join(rules) + "\n") > room // 2:
        rules.pop()
    return rules_line if rules else ""


def beside_requests(requests: Sequence[ShownRequest], anchors: TakenAnchors, pricing: Pricing) -> TakenAnchors:
    """Drop anchors that a request contains, and add the words of requests to those of anchors."""
    if not requests:
        return anchors
    words_of = {request.seq: request.words for request in requests}
    kept = tuple(anchor for anchor in anchors.anchors if anchor.text not in words_of.get(anchor.turn_seq, ""))
    tokens = anchors.tokens
    if len(kept) < len(anchors.anchors):
        tokens = pricing.anchors(kept)[1] if kept else 0
    words = {seq: set(bare_words(text)) | anchors.words.get(seq, set()) for seq, text in words_of.items()}
    return TakenAnchors(kept, tokens, {**anchors.words, **words})
