"""Summarizes search results and the output of compilers and linters: counts, files, line numbers, texts."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.statements import Lines, Statement, counted, is_bad, state
from turnfold_worker.pipeline.language.mentions import file_name, is_path, mentions

_MATCH: Final = lazy_pattern(
    r"(?P<path>(?:[A-Za-z]:)?[\w./\\@+~ -]{1,250}?)"
    r"(?:[:-](?P<line>\d{1,7})(?:[:-]\d{1,5})?[:-]|(?<=\.)?:(?=[ \t]*\S))[ \t]*(?P<text>.*)$"
)
_INSIDE: Final = lazy_pattern(r"[Ll]ine (?P<line>\d{1,7}):[ \t]*(?P<text>.*)$")
_MOST_FILES: Final = 30
_MOST_LINES: Final = 8
_MOST_TEXTS: Final = 4


def summarize_matches(lines: Lines) -> list[Statement]:
    """State the count, other lines verbatim, then each file with its line numbers and the text of one match."""
    files: dict[str, list[tuple[str, str]]] = {}
    statements: list[Statement] = []
    header = ""
    for line in lines.kept:
        if inside := _INSIDE.match(line):
            files.setdefault(header, []).append((inside.group("line"), inside.group("text")))
            continue
        match = _MATCH.match(line)
        if match is None or not _like_a_path(match):
            header = named[-1] if (named := mentions(line).names) and is_path(named[-1]) else header
            worth = 100 if is_bad(line) or line.startswith("Found ") else 40
            statements.append(state(line, worth - min(len(statements), 20)))
            continue
        files.setdefault(match.group("path"), []).append((match.group("line") or "", match.group("text")))
    total = sum(len(hits) for hits in files.values())
    head = [state(f"{counted(total, 'match')} in {counted(len(files), 'file')}", 110)] if total else []
    shown_files = list(files.items())[:_MOST_FILES]
    of_files = [statement for i, (path, hits) in enumerate(shown_files) for statement in _file(path, hits, i)]
    if len(files) > _MOST_FILES:
        of_files.append(state(f"and {counted(len(files) - _MOST_FILES, 'more file')}", 60))
    return [*head, *statements, *of_files]


def _like_a_path(match: re.Match[str]) -> bool:
    path = match.group("path")
    return bool(match.group("line")) or ("." in path and " " not in path)


def _file(path: str, hits: list[tuple[str, str]], place: int) -> list[Statement]:
    """State a file with its line numbers and one text, then its other texts."""
    numbers = [line for line, _ in hits if line]
    where = ""
    if numbers:
        more = f" and {len(numbers) - _MOST_LINES} more" if len(numbers) > _MOST_LINES else ""
        where = f":{numbers[0]}" if len(numbers) == 1 else f" lines {', '.join(numbers[:_MOST_LINES])}{more}"
    elif len(hits) > 1:
        where = f" {counted(len(hits), 'match')}"
    first = next((text for _, text in hits if is_bad(text)), hits[0][1])
    name = file_name(path)
    further_texts = [(line, text) for line, text in dict.fromkeys(hits) if text != first][:_MOST_TEXTS]
    return [
        state(f"{path}{where}: {first}".strip(": "), 100 - place),
        *(
            state(f"{name}:{line}: {text}" if line else f"{name}: {text}", 65 - place - 3 * i)
            for i, (line, text) in enumerate(further_texts)
        ),
    ]
