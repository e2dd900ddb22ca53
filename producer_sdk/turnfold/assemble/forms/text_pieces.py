"""Split a long text into pieces for clipping: paragraphs or sentences, list items, rows, runs of lines. Pure.

A fence and a displayed formula are whole pieces. A heading, a line that only introduces what follows, and the bold
words with which an item begins are labels of the pieces below or after them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from turnfold.assemble.forms.clip import head_of
from turnfold.code_blocks.blocks import block_name, line_count
from turnfold.code_blocks.languages import kind_of_language, language_of
from turnfold.contract.fences import Fence, code_runs, fences_of
from turnfold.contract.lazy_patterns import lazy_pattern

LONGEST_PIECE: Final = 320
"""Longest paragraph, in code points, that stays whole."""
_LONGEST_WORDS: Final = 60
"""Code points of each part of a sentence that is longer."""
_LONGEST_RUN: Final = 160
"""Code points of lines of code that form one piece."""
_LONGEST_LABEL: Final = 120
_LINE: Final = lazy_pattern(r"[^\n]+")
_ITEM: Final = lazy_pattern(r"[ \t]{0,40}(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+\S")
_ITEM_HEAD: Final = lazy_pattern(r"(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+(\*\*|__)[^*_\n]{1,80}\1:?(?=[ \t]*\S)")
"""Bold words at the beginning of a list item that is not nested."""
_ROW: Final = lazy_pattern(r"[ \t]{0,8}\|[^\n]{0,400}\|[ \t]*$")
_HEADING: Final = lazy_pattern(
    r"[ \t]{0,3}#{1,6}[ \t]+\S|[ \t]{0,3}(\*\*|__)[^*_\n]{1,100}\1:?[ \t]*$|[ \t]*[-*_]{3,}[ \t]*$"
)
_FORMULA: Final = lazy_pattern(
    r"\\\[(?:(?!\\[\]\[]).){1,2000}\\\]|\$\$(?:(?!\$\$).){1,2000}\$\$"
    r"|\\begin\{(\w{1,20}\*?)\}(?:(?!\\end\{\1).){0,2000}\\end\{\1\}",
    re.DOTALL,
)
_OPEN_FORMULA: Final = lazy_pattern(
    r"\\\((?:(?!\\\)).)*$|\\\[(?:(?!\\\]).)*$|\$\$(?:(?!\$\$).)*$|(?<![\w$])\$[A-Za-z\\({][^$]*$"
)
_SENTENCE_END: Final = lazy_pattern(r"(?<=[.!?])[ \t]+(?=\S)|(?<=[\u3002\uff01\uff1f])")
_ITEM_NUMBER: Final = lazy_pattern(r"\s*\d{1,3}\.\s*")
_RULE: Final = lazy_pattern(r"[ \t]{0,8}\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t|:-]{0,400})?")
"""The line below the header of a table."""
_DEEPEST: Final = 6
_BOLD_DEPTH: Final = _DEEPEST + 1
_ITEM_DEPTH: Final = _DEEPEST + 2
_ENDED: Final = (".", "!", "?", ":", ";", "|")


class Piece(NamedTuple):
    """A stretch of a text that is shown or left out as one; a fence is shown whole or named, not both."""

    start: int
    end: int
    text: str
    """The text that is shown."""
    label: int = -1
    """Place of the label above the piece; -1 without one."""
    is_label: bool = False
    is_code: bool = False
    fence: int = -1
    """Number of the fence or formula in the text; -1 for other pieces."""
    named: bool = False
    depth: int = 0
    """Depth of a heading, 1 the highest; greater for a bold line and an item's head; else 0."""


def pieces_of(text: str, kept: int | None, *, is_output: bool = False) -> list[Piece]:
    """The pieces in order. A fence that a read cut at `kept` is not whole; `is_output`: lines of a tool, no prose."""
    pieces = _Pieces(text, kept, is_output=is_output)
    at = 0
    for start, end, fence in _wholes(text):
        pieces.add_lines(at, start)
        pieces.add_whole(start, end, fence)
        at = end
    pieces.add_lines(at, len(text))
    return pieces.found


def closed(words: str) -> str:
    """Drop a formula or a piece of code that is not closed at the end of a text, unless nothing else is left."""
    if words.count("`") % 2:
        words = words[: words.rindex("`")].rstrip() or words
    opened = _OPEN_FORMULA.search(words) if "\\" in words or "$" in words else None
    return words[: opened.start()].rstrip() or words if opened else words


def _wholes(text: str) -> list[tuple[int, int, Fence | None]]:
    """Spans of fences and of formulas between them, without text after them on their last lines."""
    fences = fences_of(text)
    wholes: list[tuple[int, int, Fence | None]] = [(fence.start, fence.end, fence) for fence in fences]
    if "\\" in text or "$$" in text:
        edges = [0, *(edge for fence in fences for edge in (fence.start, fence.end)), len(text)]
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            wholes += [(match.start(), match.end(), None) for match in _FORMULA.finditer(text, start, end)]
    return sorted(wholes, key=lambda whole: whole[0])


class _Pieces:
    """The pieces found so far, and the labels in force for further ones."""

    def __init__(self, text: str, kept: int | None, *, is_output: bool) -> None:
        self._text = text
        self._kept = kept
        self._is_output = is_output
        self._heading = self._introduction = -1
        self._wholes = 0
        self.found: list[Piece] = []

    def add_whole(self, start: int, end: int, fence: Fence | None) -> None:
        """Add a fence, whole and by its name, or a formula."""
        text, label = self._text, max(self._heading, self._introduction)
        end -= text[end - 1 : end] == "\n"
        # A fence that the read cut is no longer whole.
        if self._kept is None or not start < self._kept < end:
            self.found.append(Piece(start, end, text[start:end], label, is_code=True, fence=self._wholes))
        name = _name(text, fence) if fence is not None else ""
        if name and len(name) < end - start:
            self.found.append(Piece(start, end, name, label, fence=self._wholes, named=True))
        self._wholes += 1

    def add_lines(self, start: int, end: int) -> None:
        """Add the text between two fences or formulas."""
        lines = [match.span() for match in _LINE.finditer(self._text, start, end)]
        runs = {0: len(lines) - 1} if self._is_output and lines else code_runs(self._text, lines)
        place = 0
        while place < len(lines):
            if place in runs:
                self._add_run(lines[place : runs[place] + 1])
                place = runs[place] + 1
                continue
            last = place
            while last + 1 < len(lines) and last + 1 not in runs and self._goes_on(lines[last], lines[last + 1]):
                last += 1
            self._add_prose(lines[place][0], lines[last][1])
            place = last + 1

    def _goes_on(self, line: tuple[int, int], following: tuple[int, int]) -> bool:
        """True if the next line continues a line: a wrapped line, or the rule below a table's header."""
        text = self._text
        if following[0] != line[1] + 1 or _HEADING.match(text, *line):
            return False
        if _RULE.fullmatch(text, *following):
            return bool(_ROW.match(text, *line))
        return not text[slice(*line)].rstrip().endswith(_ENDED) and text[slice(*following)].lstrip()[:1].islower()

    def _add_prose(self, start: int, end: int) -> None:
        text = self._text
        words = text[start:end].strip()
        if not words:
            return
        if _HEADING.match(text, start, end):
            self._introduction = -1
            marks = len(words) - len(words.lstrip("#"))
            depth = min(marks, _DEEPEST) or _BOLD_DEPTH * any(map(str.isalnum, words))
            self._heading = self._put(start, end, label=-1, is_label=True, depth=depth)
            return
        is_below = _ITEM.match(text, start, end) or _ROW.match(text, start, end) or text[start] in " \t"
        # One paragraph may follow right below the line that introduces it.
        if not is_below and self._introduction != len(self.found) - 1:
            self._introduction = -1
        is_head = words[0] == "|" and _RULE.fullmatch(words.rpartition("\n")[2])
        if is_head or (words.endswith((":", ":**")) and len(words) <= _LONGEST_LABEL):
            self._introduction = self._put(start, end, label=self._heading, is_label=True)
            return
        label = max(self._heading, self._introduction)
        if head := _ITEM_HEAD.match(text, start, end):
            label, start = self._put(start, head.end(), label=label, is_label=True, depth=_ITEM_DEPTH), head.end()
        for first, last in self._sentences(start, end):
            self._put(first, last, label=label)

    def _sentences(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Spans of a paragraph: whole if short and not the first, else sentences; long ones are cut between words."""
        text, kept = self._text, self._kept
        edges = {end}
        if end - start > LONGEST_PIECE or not self.found:
            ends = [match.end() for match in _SENTENCE_END.finditer(text, start, end)]
            edges |= {edge for edge in ends if not _ITEM_NUMBER.fullmatch(text, start, edge)}
        if kept is not None and start < kept < end:
            edges.add(kept)
        for edge in sorted(edges):
            while start < edge:
                stop = edge
                if edge - start > LONGEST_PIECE:
                    words = closed(head_of(text[start:edge], _LONGEST_WORDS))
                    stop = start + max(1, len(words))
                yield start, stop
                start = stop

    def _add_run(self, lines: list[tuple[int, int]]) -> None:
        """Add lines of code or of a tool's output, in runs that are not too long."""
        label = max(self._heading, self._introduction)
        first = lines[0][0]
        for place, (start, end) in enumerate(lines):
            following = lines[place + 1] if place + 1 < len(lines) else None
            if (
                self._kept is not None
                and start < self._kept <= (following[0] if following else end)
                and first < self._kept
            ):
                self._put_run(first, min(self._kept, end), label)
                first = self._kept
            parted = following is not None and following[0] > end + 1 and end - first > _LONGEST_RUN // 2
            # The first line of an output says what follows.
            parted |= self._is_output and not self.found
            if following is None or following[1] - first > _LONGEST_RUN or parted:
                self._put_run(first, end, label)
                first = following[0] if following else end

    def _put_run(self, start: int, end: int, label: int) -> None:
        for first, last in self._sentences(start, end):
            self._put(first, last, label=label, is_code=True)

    def _put(
        self, start: int, end: int, *, label: int, is_label: bool = False, is_code: bool = False, depth: int = 0
    ) -> int:
        """Add the text between two places as a piece, with its first line's indentation; return its place."""
        text = self._text
        words = text[start:end].rstrip()
        begins_line = start == 0 or text[start - 1] == "\n"
        bare = words.lstrip("\r\n") if begins_line else words.lstrip()
        if bare.strip():
            first = start + len(words) - len(bare)
            self.found.append(
                Piece(first, first + len(bare), bare, label, is_label=is_label, is_code=is_code, depth=depth)
            )
        return len(self.found) - 1


def _name(text: str, fence: Fence) -> str:
    inside = text[fence.inside : fence.inside_end]
    language = language_of(fence.info, inside)
    return f"({block_name(inside, kind_of_language(language), language, lines=line_count(inside))})"
