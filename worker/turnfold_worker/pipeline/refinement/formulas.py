r"""Rewrite LaTeX as people type it inline, `\frac{1}{17}` as `1/17`, for comparison with notes."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern

_NESTED: Final = 4
"""Maximum nesting depth of fractions that are rewritten."""
_INSIDE: Final = r"\s{0,3}([^{}\n]{1,200}?)\s{0,3}"
_FRACTION: Final = lazy_pattern(rf"\\[dtc]?frac\s?\{{{_INSIDE}\}}\s?\{{{_INSIDE}\}}")
_CHOICE: Final = lazy_pattern(rf"\\[dt]?binom\s?\{{{_INSIDE}\}}\s?\{{{_INSIDE}\}}")
_WORDS: Final = lazy_pattern(rf"\\(?:text|textbf|mathrm|mathbf|boxed)\s?\{{{_INSIDE}\}}")
_POWER: Final = lazy_pattern(r"([\^_])\{([^{}\n]{1,40})\}")
_SIGNS: Final = {
    "times": "×", "cdot": "×", "div": "÷", "approx": "≈", "cap": "\u2229", "cup": "\u222a", "neq": "≠", "ne": "≠",
    "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "mid": "|", "pm": "±", "neg": "not ", "to": "→", "rightarrow": "→",
    "cdots": "...", "ldots": "...", "dots": "...", "quad": " ", "left": "", "right": "", "displaystyle": "",
}  # fmt: skip
_SIGN: Final = lazy_pattern(rf"\\(?:{'|'.join(_SIGNS)})(?![a-zA-Z])")
_AROUND: Final = lazy_pattern(r"\\[()\[\],;!]|\\(?=[%$#&_{}])|\$\$")
_IS_LATEX: Final = lazy_pattern(r"\\(?:\(|\[|[dtc]?frac|[dt]?binom)|\$")
_TERMS: Final = lazy_pattern(r"(?<=[\w)!]) ?[-+] ?(?=[\w(])")


def plain_formulas(text: str) -> str:
    r"""Return a text with its LaTeX in plain characters; a text without LaTeX is returned unchanged.

    >>> plain_formulas(r"\( P(A) = \frac{4}{52} \times \frac{3}{51} \approx 0.5\% \), \(\binom{5}{2} = 10\)")
    ' P(A) = 4/52 × 3/51 ≈ 0.5% , 5C2 = 10'
    """
    if "\\" not in text or not _IS_LATEX.search(text):
        return text
    for _ in range(_NESTED):
        plain = _CHOICE.sub(r"\1C\2", _FRACTION.sub(_fraction, _WORDS.sub(r"\1", _POWER.sub(r"\1\2", text))))
        if plain == text:
            break
        text = plain
    return _AROUND.sub("", _SIGN.sub(lambda match: _SIGNS[match.group()[1:]], text))


def _fraction(match: re.Match[str]) -> str:
    """Return a fraction on one line, with sums in parentheses."""
    return "/".join([f"({part})" if _TERMS.search(part) else part for part in match.groups()])
