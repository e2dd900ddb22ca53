"""Summarizes key-value text: properties, environment files, YAML, INI, headers. Nesting becomes dotted keys."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.statements import LONGEST_PACK, Lines, Statement, is_bad, shown, state

_PAIR: Final = lazy_pattern(
    r"(?P<indent>[ \t]*)(?:[-*•] )?[\"']?(?P<key>[\w@$][\w .()/@$-]{0,60}?)[\"']?[ \t]*"
    r"(?P<mark>:(?=\s|$)|=(?!=)|\t+|\s{3,})[ \t]*(?P<value>.*)$"
)
_SECTION: Final = lazy_pattern(r"\[(?P<name>[\w. -]{1,60})\]$")
_TELLING: Final = lazy_pattern(
    r"(?i)(?:name|id|status|state|error|message|reason|version|host|port|url|path|total|count|date|time|user|title|type)\b"
)
_EMPTY: Final = frozenset({"", "null", "none", "~", "{}", "[]", '""', "''", "n/a", "-"})
_DEEPEST: Final = 4
_LONGEST_VALUE: Final = 100


def summarize_pairs(lines: Lines) -> list[Statement]:
    """State the pairs in order, several per statement; pairs with empty values are dropped."""
    statements: list[Statement] = []
    held: list[str] = []
    worth = 0
    for text, pair_worth in _pairs(lines):
        if held and sum(map(len, held)) + 2 * len(held) + len(text) > LONGEST_PACK:
            statements.append(state("; ".join(held), worth - len(statements)))
            held, worth = [], 0
        held.append(text)
        worth = max(worth, pair_worth)
    if held:
        statements.append(state("; ".join(held), worth - len(statements)))
    return statements


def _pairs(lines: Lines) -> list[tuple[str, int]]:
    """Return texts of the form `key: value` with their worth."""
    pairs: list[tuple[str, int]] = []
    parents: list[tuple[int, str]] = []
    section = ""
    for line in lines.kept:
        if titled := _SECTION.match(line.strip()):
            section, parents = titled.group("name"), []
            continue
        if line.lstrip().startswith(("#", ";", "//")):
            continue
        match = _PAIR.match(line)
        if match is None:
            bare = line.strip(" \t-*•{}[],")
            if bare:
                pairs.append((shown(_keyed(section, parents, bare)), 95 if is_bad(line) else 60))
            continue
        indent = len(match.group("indent")) + 2 * line.lstrip().startswith("- ")
        parents = [(depth, key) for depth, key in parents if depth < indent][-_DEEPEST:]
        key, value = match.group("key").strip(), match.group("value").strip().rstrip(",").strip("\"'")
        if not value and match.group("mark") == ":":
            parents.append((indent, key))
        elif value.lower() not in _EMPTY:
            worth = 100 if is_bad(f"{key}: {value}") else 90 if _TELLING.search(key) else 70
            pairs.append((_keyed(section, parents, f"{key}: {shown(value, _LONGEST_VALUE)}"), worth))
    return pairs


def _keyed(section: str, parents: list[tuple[int, str]], text: str) -> str:
    return shown(".".join([part for part in (section, *(key for _, key in parents), text) if part]))
