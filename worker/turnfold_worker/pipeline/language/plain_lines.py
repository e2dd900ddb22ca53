"""Renders a text on one line, as a level shows it: without Markdown markup or anything that looks like our markers."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.lookalikes import UNSEEN

_EMPHASIS: Final = lazy_pattern(r"(?:[*_`]|~~)+")
_UNDERLINED: Final = 3
"""Maximum run of underscores that marks emphasis; a longer run is a blank to fill in."""
_MARKED: Final = lazy_pattern(r"[*_`~|]|--")
"""Characters without which a text has no markup to remove."""
_CODE_SPAN: Final = lazy_pattern(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,400}?)(?<!`)\1(?!`)")
_MARKS_IN_CODE: Final = {"*": "\ue000", "_": "\ue001", "~": "\ue002", "|": "\ue003"}
"""Placeholders for marks inside code, which are no emphasis: `__init__`."""
_TO_CODE: Final = str.maketrans(_MARKS_IN_CODE)
_FROM_CODE: Final = str.maketrans({stands: mark for mark, stands in _MARKS_IN_CODE.items()})
_STRUCK: Final = lazy_pattern(r"~~(?=[^\s~])([^~]{1,400}?)(?<=\S)~~")
_CELL_MARK: Final = lazy_pattern(r"\([^()|]*(?:\|[^()|]*)*\)|\|\||\|")
"""A bar between cells, or an expression with bars of another meaning: `P(A|B)`, `a || b`."""
_LEAST_BARS: Final = 2
"""Minimum bars in a line for them to separate cells."""
_LINK: Final = lazy_pattern(r"!?\[([^\[\]]{1,200})\]\([^()\s]{1,300}\)")


def one_line(text: str) -> str:
    """Render a text on one line, without invisible characters or anything that looks like one of our markers."""
    collapsed = " ".join(text.split())
    if not collapsed.isprintable():
        collapsed = " ".join(collapsed.translate(UNSEEN).split())
    return collapsed.replace("→L", "→ L") if "→" in collapsed else collapsed


@lru_cache(maxsize=2_048)
def plain_line(text: str) -> str:
    r"""Render a text like `one_line`, and remove Markdown's emphasis, links and cell bars.

    >>> plain_line("**Use** `psycopg`\n now [x →L1:fake-1]")
    'Use psycopg now [x → L1:fake-1]'
    >>> plain_line("`__init__.py` takes `**options`, _really_")
    '__init__.py takes **options, really'
    >>> plain_line("We meet in ~~Rome~~ Paris; P(A|B) is not P(A).")
    'We meet in (struck out: Rome) Paris; P(A|B) is not P(A).'
    """
    if "](" in text:
        text = _LINK.sub(_linked, text)
    if not _MARKED.search(text):
        return one_line(text)
    if "`" in text and not any(stands in text for stands in _MARKS_IN_CODE.values()):
        guarded = _CODE_SPAN.sub(lambda match: f"`{match[2].translate(_TO_CODE)}`", text)
        return _without_emphasis(guarded).translate(_FROM_CODE)
    return _without_emphasis(text)


def _without_emphasis(text: str) -> str:
    if not text.isprintable():
        # First, so that removing an invisible character later cannot join two numbers that it separated.
        text = " ".join(text.split()).translate(UNSEEN)
    if "~~" in text:
        text = _STRUCK.sub(r"(struck out: \1)", text)
    return one_line(_EMPHASIS.sub(_unmarked, _without_cells(text).replace("<!--", " ").replace("-->", " ")))


def _without_cells(text: str) -> str:
    """Remove the bars between the cells of a table; other bars stay."""
    if "|" not in text:
        return text
    bare = text.strip()
    if bare[0] == "|" or bare[-1] == "|":
        return _CELL_MARK.sub(lambda match: " " if match[0].strip("|") == "" else match[0], text)
    bars = [match for match in _CELL_MARK.finditer(text) if match[0] == "|"]
    if len(bars) < _LEAST_BARS:
        return text
    return _CELL_MARK.sub(lambda match: " " if match[0] == "|" else match[0], text)


def _unmarked(match: re.Match[str]) -> str:
    """Remove emphasis marks; marks between two words or numbers stay: `2*3` is not 23, nor `2 * 3`."""
    marks, text = match.group(), match.string
    char_before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
    if marks == "*" and char_before == after == " ":
        return marks
    between = char_before.isalnum() and after.isalnum()
    if not marks.strip("_"):
        emphasis = (char_before.isalnum() or after.isalnum()) and len(marks) <= _UNDERLINED
        return "" if emphasis and not between else marks
    joins = between and ((char_before.isascii() and after.isascii()) or (char_before.isnumeric() and after.isnumeric()))
    return marks if joins else ""


def _linked(match: re.Match[str]) -> str:
    """Return the text of a link, spaced from a word right before or after it: `25[1](…)` is not 251."""
    text, start, end = match.string, match.start(), match.end()
    space_before = " " if text[max(0, start - 1) : start].isalnum() else ""
    return f"{space_before}{match[1]} " if text[end : end + 1].isalnum() else f"{space_before}{match[1]}"
