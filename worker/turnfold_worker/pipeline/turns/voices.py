"""Voices: whose words a turn contains, its sender's, a tool's, or those of a page that a tool fetched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.origins import OUTSIDE, holds_tool_words, least_trusted, turn_origin
from turnfold.contract.records import Origin, Role, StoredTurn
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.pasted import pasted_in
from turnfold_worker.pipeline.turns.tool_groups import Call, calls_of, result_ids, voice_of

_BROWSERS: Final = listed("browse browser browsing web url urls http crawl scrape webpage website internet")
"""Words in names of tools that fetch web pages; `fetch_orders` fetches its owner's data and is none of them."""
_NAME_PART: Final = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_URL: Final = lazy_pattern(r"\s*https?://\S")
_DOWNLOADS: Final = lazy_pattern(r"\b(?:curl|wget|lynx|w3m)\b[^\n|;]{0,400}https?://")


def voices_of(turns: Iterable[StoredTurn]) -> dict[int, str]:
    """Return the voice of each of a run of turns, by number: a role, or `OUTSIDE` for a fetched page."""
    fetching: set[str] = set()
    voices: dict[int, str] = {}
    for turn in turns:
        fetching.update(call.id for call in calls_of(turn) if call.id and _fetches(call))
        is_page = holds_tool_words(turn) and (
            not fetching.isdisjoint(result_ids(turn)) or (turn.role is Role.TOOL and _is_browser(turn.name or ""))
        )
        voices[turn.seq] = OUTSIDE if is_page else voice_of(turn)
    return voices


def origin_of_turns(turns: Iterable[StoredTurn], voices: Mapping[int, str]) -> Origin:
    """Return the least trusted origin among several turns; text that a person pastes counts as outside words."""
    return least_trusted(_origin(turn, voices) for turn in turns)


def _origin(turn: StoredTurn, voices: Mapping[int, str]) -> Origin:
    origin = turn_origin(turn)
    is_outside = voices.get(turn.seq) == OUTSIDE or (origin is Origin.USER and pasted_in(turn.content))
    return Origin.OUTSIDE if is_outside else origin


def _fetches(call: Call) -> bool:
    return _is_browser(call.name) or any(
        _URL.match(argument) or _DOWNLOADS.search(argument) for argument in call.values
    )


def _is_browser(name: str) -> bool:
    return any(part.lower() in _BROWSERS for part in _NAME_PART.findall(name))
