"""Splits a text into sentences, clauses and code blocks, by offset, in linear time on any input.

Offsets count code points of the whole text, so a span is always a slice of the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from turnfold.contract.fences import code_runs, fences_of
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.text import whole_numbers

READ_HEAD: Final = 40_000
"""Code points read from the beginning of a turn; text between head and tail is stored but not read."""
READ_TAIL: Final = 10_000
"""Code points read from the end of a longer turn."""
MAX_CLAUSE: Final = 300
"""Maximum code points of a clause."""

_ITEM: Final = lazy_pattern(r"[ \t]{0,40}(?:(?:[-*+•>]|#{1,6}|\d{1,3}[.)])[ \t]+){1,3}(?:\[[ xX]\][ \t]+)?")
_END: Final = lazy_pattern(
    "(?P<plain>[.!?…]{1,8}[\"'”\u2019»)\\]*_]{0,4}(?=\\s))|(?P<wide>[。\uff01\uff1f؟\u06d4]{1,8}[」』”\uff09]{0,2})"
)
_TITLES: Final = ("Mr", "Mrs", "Ms", "Dr", "Prof")
NO_TITLE: Final = "".join(rf"(?<!\b{title}\.)" for title in _TITLES)
"""Lookbehinds that reject a position after 'Mr.' and the like, where no sentence ends."""
_ABBREVIATION: Final = lazy_pattern(
    rf"(?i)(?:^|[\s(])(?:e\.g|i\.e|{'|'.join(_TITLES)}|vs|etc|approx|no|st|fig|inc|ltd|cf|[a-z])\.$"
)
_LONGEST_STRUCK: Final = 400
_SHORTEST_TITLE: Final = 3
_CAPITALS: Final = 40
"""Maximum code points of a heading in capitals."""
_LOWER_NEXT: Final = lazy_pattern(r"\s+[a-z]")
_FACTORIAL: Final = lazy_pattern(
    r"(?<![^\W_])(?:(?:\d{1,9}|[a-z])!\s+[^\w\s\"'“\u2018]|[\dn]!\s+[a-z])"
    r"|\)!\s+[=+*/^)\\}×·÷-]"
)
"""A factorial sign: `4! = 24`, `\\( n! \\)`, `(n - 1)! / 2`, `use 4! or not`."""
DASH: Final = r"(?:(?<![\d%)}\]]) [-–—]+ (?![\d\\(])| [-–—]+ (?![\dA-Z\\(£$€]))"
"""A dash between clauses: no minus sign, and no range as in `Nov 16 - Dec 15` and `9 AM - 12 PM`."""
_JOINT: Final = lazy_pattern(
    rf";\s|{DASH}|—"
    r"|,\s(?=(?:and|but|so|because|which|while|although|since|where|when|as|or|then)\s)"
)
JOINS: Final = lazy_pattern(
    r"(?i)(?:and|but|so)\s+(?!for\b|not\b|no\b|that\b|far\b|as\b|much\b|many\b|long\b)(?=\S+\s+\S)"
)
"""A conjunction at the beginning of a clause that can be dropped without changing what the clause says."""
_MIN_CLAUSE_WORDS: Final = 4
_LAST_ITEM: Final = lazy_pattern(r"(?i)(?:and|or) (?!(?:i|we|you|he|she|they|it)(?:['\u2019]\w{1,2})? )")
"""Begins the last item of an enumeration, not a clause with its own subject."""
_ITEM_WORDS: Final = 2
_LONGEST_ITEM: Final = 40


class Span(NamedTuple):
    """A slice of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Prose:
    """The sentences and code blocks of a text, each in order."""

    sentences: tuple[Span, ...]
    code: tuple[Span, ...]
    """Contents of code fences, and runs of lines that look like code."""


def split_prose(text: str) -> Prose:
    """Split a text into sentences and code blocks; only the head and the tail of a very long text are read."""
    sentences: list[Span] = []
    code: list[Span] = []
    for start, end in windows(len(text)):
        for is_code, block in _blocks(text, start, end):
            if is_code:
                code.append(block)
            else:
                sentences.extend(_sentences(text, block))
    return Prose(tuple(sentences), tuple(code))


def windows(length: int) -> list[tuple[int, int]]:
    """Return the ranges that are read of a text of the given length: all of it, or its head and its tail."""
    if length <= READ_HEAD + READ_TAIL:
        return [(0, length)]
    return [(0, READ_HEAD), (length - READ_TAIL, length)]


def _lines(text: str, start: int, end: int) -> list[Span]:
    lines = []
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        lines.append(Span(start, stop))
        start = stop + 1
    return lines


def _blocks(text: str, start: int, end: int) -> list[tuple[bool, Span]]:
    """Split a text into paragraphs, list items, headings and code blocks; True marks code."""
    lines = _lines(text, start, end)
    fences = {fence.start: fence for fence in fences_of(text, start, end)}
    coded = code_runs(text, lines)
    blocks: list[tuple[bool, Span]] = []
    paragraph: Span | None = None
    i = 0
    while i < len(lines):
        line = lines[i]
        item_match = _ITEM.match(text, line.start, line.end)
        blank = not text[line.start : line.end].strip()
        fence = fences.get(line.start)
        if paragraph and (blank or item_match or fence or i in coded):
            blocks.append((False, paragraph))
            paragraph = None
        if fence is not None:
            blocks.append((True, Span(fence.inside, max(fence.inside, fence.inside_end - fence.closed))))
            while i < len(lines) and lines[i].start < fence.end:
                i += 1
            continue
        if i in coded:
            blocks.append((True, Span(line.start, lines[coded[i]].end)))
            i = coded[i] + 1
            continue
        if not blank:
            begin = item_match.end() if item_match else line.start
            paragraph = Span(paragraph.start if paragraph else begin, line.end)
            if (item_match and text[line.start : item_match.end()].lstrip().startswith("#")) or _is_title(
                text, paragraph, line
            ):
                blocks.append((False, paragraph))
                paragraph = None
        i += 1
    if paragraph:
        blocks.append((False, paragraph))
    return blocks


def _is_title(text: str, paragraph: Span, line: Span) -> bool:
    """True for a short line all in capitals that begins a paragraph: `DISCUSSION`."""
    if paragraph.end - paragraph.start > _CAPITALS or paragraph.end != line.end:
        return False
    title = text[paragraph.start : paragraph.end].strip()
    return title.isupper() and title.replace(" ", "").isalpha() and title.isascii() and len(title) > _SHORTEST_TITLE


def _sentences(text: str, block: Span) -> list[Span]:
    spans: list[Span] = []
    start = block.start
    for match in _END.finditer(text, block.start, block.end):
        if match.group("plain") and not _ends_sentence(text, start, match):
            continue
        spans.append(Span(start, match.end()))
        start = match.end()
    spans.append(Span(start, block.end))
    return [span for raw in spans if (span := trimmed(text, raw)).start < span.end]


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    mark = match.group()
    if _is_struck(text, start, match.end()):
        return False
    if mark[0] in "!?":
        return mark != "!" or not _FACTORIAL.match(text, _word_before(text, start, match.start()))
    if _LOWER_NEXT.match(text, match.end()):
        return False
    return not (mark == "." and _ABBREVIATION.search(text, max(start, match.end() - 8), match.end()))


def _word_before(text: str, start: int, end: int) -> int:
    """Return the start of the alphanumeric run (at most 10 code points) or closing bracket that ends at `end`."""
    if text[start:end].endswith(")"):
        return end - 1
    begin = end
    while begin > max(start, end - 10) and text[begin - 1].isalnum():
        begin -= 1
    return begin


def _is_struck(text: str, start: int, end: int) -> bool:
    """True between `~~` and `~~`: struck-out text is not split, so that no part of it passes for a statement."""
    return end - start < _LONGEST_STRUCK and text.find("~~", start, end) >= 0 and text.count("~~", start, end) % 2 == 1


def trimmed(text: str, span: Span) -> Span:
    """Strip white space from the ends of a span."""
    inside = text[span.start : span.end]
    start = span.start + len(inside) - len(inside.lstrip())
    return Span(start, start + len(inside.strip()))


def joined_spans(spans: Iterable[tuple[int, int]]) -> list[Span]:
    """Sort spans, and merge those that overlap or touch."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(end, joined[-1].end))
        else:
            joined.append(Span(start, end))
    return joined


def spread_over(spans: Sequence[Span], most_spans: int) -> Sequence[Span]:
    """Return at most `most_spans` of the spans, in order, evenly spread over the text."""
    return spans if len(spans) <= most_spans else [spans[i * len(spans) // most_spans] for i in range(most_spans)]


def clauses(text: str, span: Span, longest: int) -> list[Span]:
    """Split a span longer than `longest` into clauses: at semicolons, dashes, and commas before a conjunction.

    No such cut leaves a piece under four words. No clause is longer than `MAX_CLAUSE`.
    """
    if span.end - span.start <= longest:
        return [span]
    pieces: list[Span] = []
    start = span.start
    for match in _JOINT.finditer(text, span.start, span.end):
        if (
            _is_struck(text, span.start, match.end())
            or _few_words(text, start, match.end())
            or _few_words(text, match.end(), span.end)
            or _is_listed(text, start, match)
        ):
            continue
        pieces.append(Span(start, match.end()))
        start = match.end()
    pieces.append(Span(start, span.end))
    short = [part for piece in pieces for part in _hard_cuts(text, trimmed(text, piece))]
    return [piece for piece in short if piece.start < piece.end]


def _is_listed(text: str, start: int, joint: re.Match[str]) -> bool:
    """True before the last item of an enumeration: `May 10, 12, and 15`, not `by May 10, 2024, and I said so`."""
    if joint.group()[0] != "," or not _LAST_ITEM.match(text, joint.end()):
        return False
    comma = text.rfind(",", max(start, joint.start() - _LONGEST_ITEM), joint.start())
    return comma >= 0 and len(text[comma + 1 : joint.start()].split()) <= _ITEM_WORDS


def _few_words(text: str, start: int, end: int) -> bool:
    return len(text[start : min(end, start + 80)].split()) < _MIN_CLAUSE_WORDS and end - start < MAX_CLAUSE


def _hard_cuts(text: str, span: Span) -> list[Span]:
    pieces = []
    start = span.start
    while span.end - start > MAX_CLAUSE:
        comma = text.rfind(", ", start + MAX_CLAUSE // 2, start + MAX_CLAUSE)
        space = comma + 1 if comma > 0 else text.rfind(" ", start + 1, start + MAX_CLAUSE)
        stop = space if space > 0 else whole_numbers(text, start + MAX_CLAUSE)
        pieces.append(trimmed(text, Span(start, stop)))
        start = stop
    pieces.append(trimmed(text, Span(start, span.end)))
    return pieces
