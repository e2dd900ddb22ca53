"""Corrections in few words: '9443, typo', 'no, 47', 'wait, the 4th of June, sorry', 'raise it to 8'.

They say a value and that another one was wrong, and nothing of what it is a value of: that is in what was said last.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern

_BEFORE: Final = lazy_pattern(
    r"^(?:[*^]+|(?:no|nope)[,.!]{1,3} |(?:oh|wait|sorry|oops|ah|hm+|actually|rather|er+|uh|ok|okay)(?:[,.! ]{1,3}|$)|"
    r"(?:i mean|i meant|make (?:it|that)|it's|it is|that's|should be|should read|correction:?)(?: |$))"
)
_AFTER: Final = lazy_pattern(
    r"[,.!;: -]{0,4}(?:\((?:typo|sorry|oops)\)|(?<!\w)(?:typo|sorry|i mean|i meant|my bad|oops|my mistake|i mistyped|"
    r"(?<!not )rather|correction)|[*^])\W{0,4}$"
)
_MISTYPED: Final = lazy_pattern(
    r"(?<!\w)(?:typo|mistyped|misspelled|misspelt)\W{0,4}$|(?<!\w)my (?:bad|mistake)\W{0,4}$"
)
_DENIED: Final = lazy_pattern(r",? (?:and )?not (?:on |at |in )?\S{1,40}(?: \S{1,40})?$")
_MOST: Final = 4
"""Words of a bare value: 'the 4th of June'."""
_MOST_MARKED: Final = 12
"""Words of a statement that is said again because it was mistyped."""
_HEDGES: Final = frozenset({"ok", "okay", "oh", "ah", "it's", "it is", "that's"})
"""Openings that correct nothing by themselves."""


def is_repair(said: str) -> bool:
    """Whether a turn of few words gives a value in place of another; that it has a value is for the caller to know.

    >>> is_repair("9443, typo"), is_repair("16:15 i mean"), is_repair("no, 47")
    (True, True, True)
    >>> is_repair("it's 9443"), is_repair("no problem, 9443 is fine with me")
    (False, False)
    """
    if _MISTYPED.search(said):
        return len(said.split()) <= _MOST_MARKED
    rest, marked = said, False
    while (match := _BEFORE.match(rest)) and match.end():
        marked = marked or match.group().strip(" ,.!") not in _HEDGES
        rest = rest[match.end() :]
    for ending in (_AFTER, _DENIED):
        if (match := ending.search(rest)) is not None:
            marked, rest = True, rest[: match.start()]
    return marked and 0 < len(rest.split()) <= _MOST
