"""Echoes: tool output at the end of a turn of another role, repeated by a harness or made up by a model.

It is not the speaker's own text, and the actual tool result has a turn of its own.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.fences import code_runs, fences_of
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.language.prose import READ_TAIL, Span

_LINE: Final = lazy_pattern(r"[^\n]+")
_STATUS: Final = lazy_pattern(
    r"[ \t]{0,8}(?:\[[^][\n:\d]{0,300}[:\d][^][\n]{0,300}\]|\([^()\n:\d]{0,300}[:\d][^()\n]{0,300}\))[ \t]*$"
)
"""A line entirely in brackets: the file that follows, the open folder, the number of lines left out."""
_PROMPT: Final = lazy_pattern(r"\S{0,60}[$#>%][ \t]*$")
_NUMBERED: Final = lazy_pattern(r"[ \t]{0,8}\d{1,7}[:|\t\u2192]")
_LEAST: Final = 0.5
"""Minimum share of lines that look like output."""
_FEWEST: Final = 2


def output_in(turn: StoredTurn) -> Span | None:
    """Return the output after the last code fence of an agent's turn, or ending in a prompt in any turn; else None."""
    content = turn.content
    fences = fences_of(content[-READ_TAIL:])
    is_agents = turn.role is Role.ASSISTANT and bool(fences) and fences[-1].closed
    start = max(0, len(content) - READ_TAIL) + (fences[-1].end if fences else 0)
    lines = [match.span() for match in _LINE.finditer(content, start) if match.group().strip()]
    first = next((place for place, line in enumerate(lines) if _STATUS.match(content, *line)), None)
    if first is None:
        return None
    code = {place for begin, last in code_runs(content, lines).items() for place in range(begin, last + 1)}
    alike = [place for place, line in enumerate(lines) if place in code or _is_output(content, line)]
    last = alike[-1]
    held = sum(place >= first for place in alike)
    least = _LEAST if is_agents else 1.0
    if held < max(_FEWEST, least * (last + 1 - first)) or not (is_agents or _PROMPT.match(content, *lines[-1])):
        return None
    return Span(lines[first][0], lines[last][1])


def _is_output(content: str, line: tuple[int, int]) -> bool:
    return any(pattern.match(content, *line) for pattern in (_STATUS, _PROMPT, _NUMBERED))
