"""Find the blocks of a text, which are shown whole or not at all, and name each on one line. Pure, linear, total."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.code_blocks.languages import BlockKind, kind_of_language, language_of
from turnfold.contract.fences import Fence, code_runs, fences_of
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.lookalikes import UNSEEN

MOST_BLOCKS: Final = 200
"""Most blocks found in a text."""
READ: Final = 200_000
"""Code points of a text that are searched."""
INTRODUCTION: Final = 240
"""Code points before a block that are searched for the line that introduces it."""
_LONGEST_JSON: Final = 100_000
_LONGEST_LINE: Final = 600
_FEWEST_ROWS: Final = 2
_LONGEST_NAME: Final = 80
_MOST_NAMED: Final = 4
_ROW: Final = lazy_pattern(r"[ \t]{0,8}\|.{1,2000}\|[ \t]*$")
_IN_LINE: Final = lazy_pattern(
    r"`[^`\n]*[^`\s][ =:/][^`\s][^`\n]{3,}`|https?://[^\s<>\"'`)\]]{4,}|(?<![\w-])(?:sk-|gh[pousr]_|AKIA)[A-Za-z0-9_-]{12,}"
)
"""A command, an assignment, a link or a key in a line of prose."""
_DEFINES: Final = lazy_pattern(
    r"(?m)^[ \t]{0,40}(?:(?i:export|default|public|private|protected|static|final|abstract|async|pub|create|or|replace"
    r"|unique)[ \t]+){0,4}(?i:class|interface|enum|struct|trait|impl|type|def|fn|func|function|table|view|index)[ \t]+"
    r"(?i:if[ ]not[ ]exists[ ])?[\"`]?(?P<name>[A-Za-z_][\w.]{0,60})"
)
_MARKDOWN: Final = str.maketrans({"#": " ", "*": " ", "`": " ", ">": " "})


class Block(NamedTuple):
    """The span of a block in a text, including a fence, and its kind and language."""

    start: int
    end: int
    kind: BlockKind
    language: str
    inside: int
    """Start of the content, after the opening fence."""
    inside_end: int


@lru_cache(maxsize=64)
def blocks_of(text: str, *, printed: bool = False) -> tuple[Block, ...]:
    """Return the blocks of a text in order, without nesting; a tool's output (`printed`) is one block as a whole.

    Blocks are fenced code, code without a fence, tables, a text that is JSON or SQL as a whole, and lines of prose that
    contain a command, a link or a key.
    """
    text = text[:READ]
    if (as_whole := _as_whole(text, printed=printed)) is not None:
        return (as_whole,)
    blocks: list[Block] = []
    at = 0
    for fence in (*fences_of(text), None):
        blocks += _outside(text, at, fence.start if fence else len(text))
        if fence is None or len(blocks) >= MOST_BLOCKS:
            break
        if text[fence.inside : fence.inside_end].strip():
            blocks.append(_fenced(text, fence))
        at = fence.end
    return tuple(blocks[:MOST_BLOCKS])


def _fenced(text: str, fence: Fence) -> Block:
    language = language_of(fence.info, text[fence.inside : fence.inside_end])
    end = fence.end - (text[fence.end - 1 : fence.end] == "\n")
    return Block(fence.start, end, kind_of_language(language), language, fence.inside, min(fence.inside_end, end))


def _as_whole(text: str, *, printed: bool) -> Block | None:
    """Return the whole text as one block, if it is JSON, SQL or a tool's output; None otherwise."""
    bare = text.strip()
    if not bare:
        return None
    start = text.index(bare[0])
    end = start + len(bare)
    if bare[0] in "[{" and bare[-1] in "]}" and len(bare) <= _LONGEST_JSON and _is_json(bare):
        return Block(start, end, BlockKind.JSON, "json", start, end)
    if printed and "```" not in text:
        return Block(start, end, BlockKind.OUTPUT, language_of("", bare), start, end)
    if language_of("", bare) == "sql" and bare.endswith(";"):
        return Block(start, end, BlockKind.SQL, "sql", start, end)
    return None


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (dict, list))
    except (ValueError, RecursionError):
        return False


def _outside(text: str, start: int, end: int) -> Iterator[Block]:
    """Yield the blocks of a stretch of text without fences."""
    lines = _lines(text, start, end)
    runs = code_runs(text, lines)
    i = 0
    while i < len(lines):
        first, last = lines[i]
        rows = i
        while rows < len(lines) and text.startswith("|", lines[rows][0]) and _ROW.match(text, *lines[rows]):
            rows += 1
        if rows - i >= _FEWEST_ROWS:
            yield Block(first, lines[rows - 1][1], BlockKind.TABLE, "table", first, lines[rows - 1][1])
            i = rows
        elif i in runs:
            last = lines[runs[i]][1]
            language = language_of("", text[first:last])
            yield Block(first, last, kind_of_language(language) or BlockKind.CODE, language, first, last)
            i = runs[i] + 1
        else:
            if 0 < last - first <= _LONGEST_LINE and _IN_LINE.search(text, first, last):
                yield Block(first, last, BlockKind.LINE, "", first, last)
            i += 1


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    lines = []
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        lines.append((start, stop))
        start = stop + 1
    return lines


def introduction(text: str, start: int) -> str:
    """Return the last line before a block without Markdown marks; empty if there is none or it is a fence."""
    text_before = text[max(0, start - INTRODUCTION) : start].rstrip()
    line = text_before.rsplit("\n", 1)[-1].strip()
    return "" if line.startswith(("```", "~~~")) else " ".join(line.translate(_MARKDOWN).split())


def headings(text: str, start: int) -> str:
    """Return the lines shortly before a block, whose words a query may use for it."""
    text_before = text[max(0, start - INTRODUCTION) : start].rsplit("```", 1)[-1]
    return text_before[text_before.find("\n") + 1 :] if len(text_before) == INTRODUCTION else text_before


def defined_names(inside: str) -> tuple[str, ...]:
    """Return the names that a block defines, in order."""
    return tuple(dict.fromkeys(match["name"] for match in _DEFINES.finditer(inside)))


def block_name(inside: str, block_kind: BlockKind, language: str, *, lines: int) -> str:
    r"""Describe a block on one line: its language or kind, length, defined names, and beginning.

    >>> block_name("server {\n  listen 80;\n}\n", BlockKind.CONFIGURATION, "nginx", lines=3)
    'nginx, 3 lines: server { listen 80; }'
    """
    label = language or block_kind.name.lower()
    counted = f"{label}, {lines} {'line' if lines == 1 else 'lines'}"
    if names := defined_names(inside):
        more = " …" if len(names) > _MOST_NAMED else ""
        counted += f", with {', '.join(names[:_MOST_NAMED])}{more}"
    begins = " ".join(inside[: 4 * _LONGEST_NAME].split()).translate(UNSEEN).replace("→L", "→ L")
    if len(begins) > _LONGEST_NAME:
        begins = begins[:_LONGEST_NAME].rsplit(" ", 1)[0] + " …"
    return f"{counted}: {begins}"


def line_count(text: str) -> int:
    """Return the number of lines of a text."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0
