"""Renders a text on one line, as a level shows it: without Markdown markup or anything that looks like our markers."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from unicodedata import category

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.lookalikes import UNSEEN

_EMPHASIS: Final = lazy_pattern(r"[*_]+")
_LONGEST_RUN: Final = 3
"""Maximum length of a run of marks that is emphasis; longer ones are blanks to fill in, or masks: `****1234`."""
_LONGEST_EMPHASIS: Final = 400
_BEFORE_OPENING: Final = frozenset("([\"'\u201c\u2018«¿¡—–:,;>|`")
"""Characters beside spaces after which emphasis may begin, and words of scripts without spaces."""
_NOT_EMPHASIZED_FIRST: Final = frozenset("/.{}^\\=),;:!?]")
_NOT_EMPHASIZED_LAST: Final = frozenset("/{^\\=([")
_AFTER_CLOSING: Final = frozenset(",;:!?)]\"'\u201d\u2019»…—–|`、。\uff0c")
_CLOSES_BEFORE: Final = lazy_pattern(r"[.-]+(?=[\s\"'\u201d\u2019»)\]]|$)")
"""A full stop or hyphen after emphasis; followed by a letter, it is part of a name: `*draft*.txt`."""
_NAME: Final = lazy_pattern(r"[a-z0-9]+|[A-Z0-9]+")
"""A word that double underscores are a part of: `__init__`, `__FILE__`."""
_NO_EMPHASIS: Final = frozenset({"*_", "_*"})
"""Marks that are a part of patterns: `*_test_*`."""
_PATTERN_SIGNS: Final = frozenset("_*{}\\/^=.")
_QUOTES: Final = frozenset("\"'")
_BESIDE_BOLD: Final = frozenset("/-")
"""Characters beside which bold text may begin or end: `**read**-only`."""
_MARKED: Final = lazy_pattern(r"[*_`~|]|--")
"""Characters without which a text has no markup to remove."""
_CODE_SPAN: Final = lazy_pattern(r"(?<!`)(`{1,3})(?!`)([^`\n]{1,400}?)(?<!`)\1(?!`)")
_FORMULA: Final = lazy_pattern(
    r"\$\$[^$]{1,400}\$\$|(?<![\\$\w])\$(?![\s$])[^$\n]{1,400}(?<![\s\\])\$(?![\w$])"
    r"|\\\([^\n]{1,400}?\\\)|\\\[[^$]{1,400}?\\\]"
)
_MARKS_IN_CODE: Final = {mark: chr(0xE000 + i) for i, mark in enumerate("*_~|[]\\{}")}
"""Placeholders for marks inside code and formulas, which are no emphasis: `__init__`."""
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
    if not _MARKED.search(text) and "](" not in text:
        return one_line(text)
    guarded = ("`" in text or "$" in text or "\\" in text) and not any(map(text.__contains__, _MARKS_IN_CODE.values()))
    if guarded:
        text = _FORMULA.sub(_guarded, _CODE_SPAN.sub(_guarded, text))
    if "](" in text:
        text = _LINK.sub(_linked, text)
    line = _without_emphasis(text)
    return line.translate(_FROM_CODE) if guarded else line


def _guarded(match: re.Match[str]) -> str:
    return match[0].translate(_TO_CODE)


def _without_emphasis(text: str) -> str:
    if not text.isprintable():
        # First, so that removing an invisible character later cannot join two numbers that it separated.
        text = " ".join(text.split()).translate(UNSEEN)
    if "~~" in text:
        text = _STRUCK.sub(r"(struck out: \1)", text)
    text = _without_cells(text).replace("<!--", " ").replace("-->", " ")
    if "*" in text or "_" in text:
        text = _without_pairs(text)
    return one_line(_CODE_SPAN.sub(_unticked, text) if "`" in text else text)


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


def _without_pairs(text: str) -> str:
    """Remove emphasis marks, which stand in pairs around words; all others stay: `2*3`, `*.py`, `__init__`."""
    opened: dict[str, re.Match[str]] = {}
    dropped: list[re.Match[str]] = []
    for run in _EMPHASIS.finditer(text):
        opening = opened.get(run[0][::-1])
        if opening is not None and _closes(run):
            del opened[opening[0]]
            if _is_emphasis(opening, run):
                dropped += [opening, run]
        elif _opens(run):
            opened[run[0]] = run
        elif run.start() == 0 and run[0] == "*" and text[1:2] == " ":
            dropped.append(run)
    kept = 0
    parts = []
    for run in sorted(dropped, key=re.Match.start):
        parts.append(text[kept : run.start()])
        kept = run.end()
    return "".join([*parts, text[kept:]])


def _opens(run: re.Match[str]) -> bool:
    """Return whether emphasis may begin at a run of marks: after a space, before a word."""
    char_before, after = _beside(run)
    if after.isspace() or after in _NOT_EMPHASIZED_FIRST:
        return False
    return char_before.isspace() or char_before in _BEFORE_OPENING or _is_beside(run, char_before)


def _closes(run: re.Match[str]) -> bool:
    """Return whether emphasis may end at a run of marks: after a word, before a space or punctuation."""
    char_before, after = _beside(run)
    if char_before.isspace() or char_before in _NOT_EMPHASIZED_LAST:
        return False
    if after.isspace() or after in _AFTER_CLOSING or _CLOSES_BEFORE.match(run.string, run.end()):
        return True
    return _is_beside(run, after)


def _is_beside(run: re.Match[str], char: str) -> bool:
    """Return whether asterisks beside a character may be emphasis; two of them beside a slash or hyphen too."""
    if run[0][0] != "*":
        return False
    is_symbol = not char.isascii() and category(char)[0] == "S"
    return _is_unspaced(char) or is_symbol or (len(run[0]) > 1 and char in _BESIDE_BOLD)


def _beside(run: re.Match[str]) -> tuple[str, str]:
    """Return the characters before and after a run, a space at the beginning and end of the text."""
    return run.string[max(0, run.start() - 1) : run.start()] or " ", run.string[run.end() : run.end() + 1] or " "


def _is_unspaced(char: str) -> bool:
    """Return whether a character is a letter of a script without capitals, whose words may have no spaces."""
    return char.isalpha() and char.lower() == char.upper()


def _is_emphasis(opening: re.Match[str], closing: re.Match[str]) -> bool:
    """Return whether a pair of marks emphasizes what is inside, and is no part of a name or a pattern."""
    inside = opening.string[opening.end() : closing.start()]
    marks = opening[0]
    if len(marks) > _LONGEST_RUN or marks in _NO_EMPHASIS or len(inside) > _LONGEST_EMPHASIS:
        return False
    if " " in inside or not any(map(str.isalnum, inside)):
        return " " in inside
    if len(marks) == 1:
        quoted = _beside(opening)[0] == _beside(closing)[1] in _QUOTES
        return not quoted and _PATTERN_SIGNS.isdisjoint(inside)
    return marks[0] not in inside and not (marks == "__" and _NAME.fullmatch(inside))


def _linked(match: re.Match[str]) -> str:
    """Return the text of a link, spaced from a word right before or after it: `25[1](…)` is not 251."""
    text, start, end = match.string, match.start(), match.end()
    space_before = " " if text[max(0, start - 1) : start].isalnum() else ""
    return f"{space_before}{match[1]} " if text[end : end + 1].isalnum() else f"{space_before}{match[1]}"


def _unticked(match: re.Match[str]) -> str:
    """Return code without its backticks, which stay where the code would become part of a word: '`2`0'."""
    char_before, after = _beside(match)
    joins = (char_before.isalnum() and match[2][0].isalnum()) or (after.isalnum() and match[2][-1].isalnum())
    return match[0] if joins else match[2]
