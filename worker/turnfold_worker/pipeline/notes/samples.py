"""Find assistant text that says nothing about its user: samples, templates, drafts of letters, headings. Pure.

A user's own turn is never examined: an example of what a person wants is what they want.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.prose import Span, joined_spans

_LINE: Final = lazy_pattern(r"[^\n]+")
_HASHES: Final = lazy_pattern(r"[ \t]{0,3}(?P<marks>#{1,6})[ \t]+\S")
_BOLD_LINE: Final = lazy_pattern(r"[ \t]{0,3}\*\*[^*\n]{1,120}\*\*:?[ \t]*$|[ \t]{0,3}\*\*[^*\n]{1,120}:\*\*[ \t]*$")
_BOLD_LEVEL: Final = 7
"""A bold line ranks below every heading."""
_ITEM: Final = lazy_pattern(r"(?P<indent>[ \t]{0,24})(?:[-*+\u2022>]|\d{1,3}[.)])[ \t]+(?P<words>[^\n]*)")
_LABEL: Final = lazy_pattern(r"(?:\*\*)?(?P<label>[^:*\n]{1,60})(?:\*\*)?:")
_EXAMPLE: Final = lazy_pattern(r"(?i)\b(?:examples?|for instance)\b")
"""A worked example may also have prose, which is kept."""
_MADE_UP: Final = lazy_pattern(
    r"(?i)\b(?:samples?(?! (?:sizes?|means?|spaces?|points?|varianc\w{1,3}|proportions?|statistics?|rates?|standard"
    r"|of)\b)|placeholders?|mock-?ups?|templates? (?:for|of|you|to|below)"
    r"|(?:e-?mail|letter|message|resume|cv|response|post|speech|bio|profile|report|agreement|invitation|script|outline"
    r"|page|section|entry|checklist) (?:templates?|drafts?)|(?:templates?|drafts?)(?=[\W\d]{0,9}$)"
    r"|draft (?:of|e-?mail|letter|message|version|post|response|speech|bio|text|section|resume|paragraph|agreement)"
    r"|example (?:e-?mail|letter|message|resume|cv|post|speech|bio|profile|entry|paragraph|bullet)s?)\b"
)
"""Text to be filled in or sent off, which was not said of anyone."""
_OWN: Final = lazy_pattern(r"(?i)\b(?:your|my|our|his|her|their|the user's) (?:own )?(?:examples?|samples?|drafts?)\b")
"""Refers to a sample, example or draft that a person has."""
_PLACEHOLDER: Final = lazy_pattern(r"(?<![\w\\\]])\[(?![Xx]\])[A-Z][A-Za-z'\u2019/ ]{1,40}\](?!\()")
_GREETING: Final = lazy_pattern(
    r"(?i)[ \t>*]{0,8}(?:subject: \S|dear [^\n]{1,60}[,:][ \t*]*$|(?:hi|hello) \[?[^\n,.!?]{1,30}\]?,[ \t*]*$)"
)
_CLOSING: Final = lazy_pattern(
    r"(?i)[ \t>*]{0,8}(?:(?:yours )?sincerely|(?:best|kind|warm|warmest) (?:regards|wishes)|regards"
    r"|yours (?:truly|faithfully)|best|cheers|thank you|thanks),[ \t*]*$"
)
_LETTER_LINES: Final = 60
_ENDS: Final = "*_ \t"
_SENTENCE_END: Final = lazy_pattern(r"[.!?] ")


class Samples(NamedTuple):
    """Lines of an assistant's text that say nothing by themselves, in order."""

    headings: Sequence[Span]
    examples: Sequence[Span]
    """List items below a line that announces an example."""
    made_up: Sequence[Span]
    """Samples, templates, drafts of letters, and lines to be filled in."""


def samples_of(content: str) -> Samples:
    r"""Return the headings, examples and made-up parts of a text as spans of lines.

    >>> text = samples_of("## Sample entry\n- Led a team of 50\n## Cost\nIt is $45.")
    >>> [(span.start, span.end) for span in text.made_up], len(text.headings)
    ([(0, 15), (16, 34)], 2)
    """
    lines = [Span(match.start(), match.end()) for match in _LINE.finditer(content)]
    levels = [_level(content, line) for line in lines]
    headings = [line for line, level in zip(lines, levels, strict=True) if level]
    spans = [*_sections(content, lines, levels), *_lists(content, lines, levels)]
    made_up = [span for span, is_made_up in spans if is_made_up]
    made_up += [*_letters(content, lines)]
    made_up += [line for line in lines if _PLACEHOLDER.search(content, line.start, line.end)]
    examples = [span for span, is_made_up in spans if not is_made_up]
    return Samples(headings, joined_spans(examples), joined_spans(made_up))


def _level(content: str, line: Span) -> int:
    """Return the level of a heading, 1 for the highest; 0 for any other line."""
    if marks := _HASHES.match(content, line.start, line.end):
        return len(marks["marks"])
    return _BOLD_LEVEL if _BOLD_LINE.match(content, line.start, line.end) else 0


def _is_made_up(words: str) -> bool:
    return _MADE_UP.search(words) is not None and _OWN.search(words) is None


def _says_sample(words: str) -> bool:
    return (_EXAMPLE.search(words) is not None or _is_made_up(words)) and _OWN.search(words) is None


def _sections(content: str, lines: Sequence[Span], levels: Sequence[int]) -> Iterator[tuple[Span, bool]]:
    """Yield the lines of a section whose heading announces a sample; of an example, only headings and list items.

    A section ends at the next heading of the same or a higher level. Each line comes with whether it is made up.
    """
    begun, whole = 0, False
    for line, level in zip(lines, levels, strict=True):
        if level and (not begun or level <= begun):
            words = content[line.start : line.end]
            begun, whole = (level, _is_made_up(words)) if _says_sample(words) else (0, False)
        if begun and (whole or level or _ITEM.match(content, line.start, line.end)):
            yield line, whole


def _lists(content: str, lines: Sequence[Span], levels: Sequence[int]) -> Iterator[tuple[Span, bool]]:
    """Yield the items below a line that announces a sample and ends in a colon, and each item labelled as one."""
    for i, line in enumerate(lines):
        item_match = _ITEM.match(content, line.start, line.end)
        words = item_match["words"] if item_match else content[line.start : line.end]
        label = _LABEL.match(words) if item_match else None
        depth = len(item_match["indent"]) if item_match else -1
        if levels[i]:
            continue
        if label is not None and _says_sample(label["label"]):
            yield Span(line.start, _end_of_items(content, lines, levels, i, deeper_than=depth)), _is_made_up(words)
        elif words.rstrip(_ENDS).endswith(":") and _says_sample(_SENTENCE_END.split(words)[-1]):
            yield Span(line.end, _end_of_items(content, lines, levels, i, deeper_than=depth)), _is_made_up(words)


def _end_of_items(content: str, lines: Sequence[Span], levels: Sequence[int], at: int, *, deeper_than: int) -> int:
    """Return the end of the deeper items that follow a line; the end of the line itself if there are none."""
    following = at + 1
    while following < len(lines) and not levels[following]:
        item_match = _ITEM.match(content, *lines[following])
        if item_match is None or len(item_match["indent"]) <= deeper_than:
            break
        following += 1
    return lines[following - 1].end


def _letters(content: str, lines: Sequence[Span]) -> Iterator[Span]:
    """Yield the span of each letter, from a greeting or subject to its closing."""
    begun: int | None = None
    for i, line in enumerate(lines):
        if begun is not None and i - begun > _LETTER_LINES:
            begun = None
        if begun is None and _GREETING.match(content, line.start, line.end):
            begun = i
        elif begun is not None and _CLOSING.match(content, line.start, line.end):
            yield Span(lines[begun].start, line.end)
            begun = None
