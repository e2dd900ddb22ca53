"""Summarizes JSON, or JSON Lines: its shape, and its most informative values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.statements import LONGEST_PACK, Statement, counted, is_bad, shown, state

_LONGEST_PARSED: Final = 2_000_000
_DEEPEST: Final = 5
_MOST_ROWS: Final = 30
"""Maximum number of objects of a list that are shown."""
_MOST_ITEMS: Final = 8
"""Maximum number of items of a list that are read."""
_MOST_VALUES: Final = 200
_LONGEST_VALUE: Final = 80
_LONGEST_LEAF: Final = 160
"""Code points above which a string of several lines is a text of its own."""
_TELLING: Final = lazy_pattern(
    r"(?i)(?:^|[._])(?:id|name|title|status|state|error|errors|message|reason|code|type|version|path|file|line|url|total|count|date|time|user"
    r"|email|result|value|price|amount|query|key)$"
)
_REFUSED: Final = lazy_pattern(r"(?i)(?:^|[\W_])(?:ok|success|succeeded|passed|valid|healthy|ready): false")
_QUOTED: Final = lazy_pattern(r'"([^"\\\n]{1,80})"\s*:\s*("[^"\\\n]{0,200}"|-?\d[\d.eE+-]{0,30}|true|false|null)')


def parse_json(text: str) -> Any:
    """Parse an object or list in JSON, or JSON Lines; None for other texts and for very long ones."""
    head = text[:200].lstrip()[:1]
    if head not in {"{", "["} or len(text) > _LONGEST_PARSED:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or head != "{":
        return None
    try:
        return [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        return None


def looks_cut(text: str) -> bool:
    """True for the beginning of a JSON object or list whose end is missing."""
    head = text[:4_000].lstrip()
    return head[:1] in {"{", "["} and len(_QUOTED.findall(head)) >= 3


def summarize_json(value: Any) -> list[Statement]:
    """State the shape, then values by path; the most informative are worth most."""
    # An object's keys are shown with its values, so its shape is worth little.
    return [state(_shape(value), 30 if isinstance(value, dict) else 110), *_packed(_leaves(value, "", 0))]


def summarize_cut_json(text: str) -> list[Statement]:
    """State the key-value pairs that can be read from truncated JSON."""
    pairs = [(key, value.strip('"')) for key, value in _QUOTED.findall(text[:50_000])[:_MOST_VALUES]]
    described = [
        (f"{key}: {shown(value, _LONGEST_VALUE)}", _worth(key, value))
        for key, value in pairs
        if value not in {"", "null"}
    ]
    return [state("JSON without its end", 50), *_packed(iter(dict(described).items()))]


def texts_inside(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the long multi-line strings inside a value, such as a command's output, each with its path."""
    if isinstance(value, str):
        if is_text(value):
            yield path, value
    elif isinstance(value, dict) and depth < _DEEPEST:
        for key, inner in list(value.items())[:_MOST_VALUES]:
            yield from texts_inside(inner, f"{path}.{shown(str(key), 40)}" if path else shown(str(key), 40), depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for place, inner in enumerate(value[:_MOST_ITEMS]):
            yield from texts_inside(inner, f"{path}[{place}]", depth + 1)


def is_text(value: str) -> bool:
    """True for a string that is a text of its own, to be summarized instead of truncated."""
    return len(value) > _LONGEST_LEAF and "\n" in value


def _shape(value: Any) -> str:
    if isinstance(value, list):
        keys = list(value[0]) if value and isinstance(value[0], dict) else []
        of = f" with {', '.join(shown(str(key), 40) for key in keys[:12])}" if keys else ""
        return f"JSON list of {counted(len(value), 'item')}{of}"
    if isinstance(value, dict):
        return f"JSON object with {', '.join(shown(str(key), 40) for key in list(value)[:16])}"
    return "JSON value"


def _leaves(value: Any, path: str, depth: int) -> Iterator[tuple[str, int]]:
    """Yield texts of the form `path: value` with their worth, depth first."""
    if isinstance(value, dict) and value and depth < _DEEPEST:
        for key, inner in list(value.items())[:_MOST_VALUES]:
            yield from _leaves(inner, f"{path}.{shown(str(key), 40)}" if path else shown(str(key), 40), depth + 1)
    elif isinstance(value, list) and value and depth < _DEEPEST:
        yield from _items(value, path, depth)
    elif value not in (None, "", [], {}) and not (isinstance(value, str) and is_text(value)):
        text = shown(_scalar(value), _LONGEST_VALUE)
        yield (f"{path}: {text}" if path else text), _worth(path, text) - 3 * depth


def _rows(value: list[dict[str, Any]], path: str, depth: int) -> Iterator[tuple[str, int]]:
    """Yield a text per object of a list: values alone if all objects have the same keys, which are then shown once."""
    keys = list(value[0])
    alike = all(list(row) == keys for row in value)
    if path:
        yield f"{path}: {_shape(value).removeprefix('JSON list of ')}", 80 - 3 * depth
    for place, row in enumerate(value[:_MOST_ROWS]):
        cells = [(shown(key, 40), _cell(inner)) for key, inner in row.items() if inner not in (None, "", [], {})]
        pairs_text = "; ".join(f"{key}: {cell}" for key, cell in cells)
        row_text = " | ".join(cell for _, cell in cells) if alike else pairs_text
        yield f"{path}[{place}]: {row_text}" if path else row_text, _worth("", pairs_text, 78) - 3 * depth - place


def _cell(value: Any) -> str:
    if isinstance(value, list) and value and not any(isinstance(element, dict | list) for element in value):
        return shown(", ".join(map(_scalar, value[:_MOST_ITEMS])), _LONGEST_VALUE)
    return shown(_scalar(value), _LONGEST_VALUE)


def _items(value: list[Any], path: str, depth: int) -> Iterator[tuple[str, int]]:
    if all(isinstance(element, dict) and element for element in value):
        yield from _rows(value, path, depth)
        return
    if all(not isinstance(element, dict | list) for element in value):
        joined = ", ".join(shown(_scalar(element), 40) for element in value[:_MOST_ITEMS])
        more = f" and {len(value) - _MOST_ITEMS} more" if len(value) > _MOST_ITEMS else ""
        yield f"{path}: {joined}{more}" if path else f"{joined}{more}", _worth(path, joined) - 3 * depth
        return
    if path:
        yield f"{path}: {counted(len(value), 'item')}", 75 - 3 * depth
    for place, element in enumerate(value[:_MOST_ITEMS]):
        for text, worth in _leaves(element, f"{path}[{place}]", depth + 1):
            yield text, worth - 5 * place


def _scalar(value: Any) -> str:
    if isinstance(value, dict | list):
        return f"{{{len(value)} more}}" if isinstance(value, dict) else counted(len(value), "item")
    return value if isinstance(value, str) else json.dumps(value)


def _worth(path: str, text: str, usual: int = 60) -> int:
    described = f"{path[-80:]}: {text}"
    return 100 if is_bad(described) or _REFUSED.search(described) else 85 if _TELLING.search(path) else usual


def _packed(leaves: Iterator[tuple[str, int]]) -> list[Statement]:
    """Pack several short values of similar worth into each statement."""
    statements: list[Statement] = []
    held, best = "", 0
    for count, (text, worth) in enumerate(leaves):
        if count >= _MOST_VALUES:
            break
        row = " | " in text or "]: " in text or " | " in held
        if held and (row or len(held) + len(text) + 2 > LONGEST_PACK or abs(best - worth) > 20):
            statements.append(state(held, best))
            held, best = "", 0
        held = f"{held}; {text}" if held else text
        best = max(best, worth)
    if held:
        statements.append(state(held, best))
    return statements
