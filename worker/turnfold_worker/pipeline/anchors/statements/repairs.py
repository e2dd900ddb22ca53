"""Brief corrections: '9443, typo', 'no, 47', 'wait, the 4th of June, sorry', 'raise it to 8'.

They give a value and say that another was wrong, but not what it is a value of: that is in the last statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules import frame_rules
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.facts import NAMES, VALUES, extract_facts
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes

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
_ENDINGS: Final = ("not ", "typo", "mist", "missp", "sorry", "mean", "bad", "oops", "rather", "correction", "*", "^")
"""Substrings of which a match of `_AFTER`, `_MISTYPED` or `_DENIED` needs at least one."""
_MOST: Final = 4
"""Maximum number of words of a bare value: 'the 4th of June'."""
_MOST_MARKED: Final = 12
"""Maximum number of words of a statement that is repeated because of a typo."""
_HEDGES: Final = frozenset({"ok", "okay", "oh", "ah", "it's", "it is", "that's"})
"""Openings that correct nothing by themselves."""


_LONGEST_MARKER: Final = 40
_ONLY_WRONG: Final = lazy_pattern(
    r"(?:(?:oh|ah|hm+|er+m?|uh|um|no|nope|ok|sorry|damn|argh|ugh)(?!\w)|[,.!\u2026 -])*"
    r"(?:wait|hang on|hold on|oops|whoops|correction|typo|my mistake|my bad|i misspoke|that's (?:wrong|not right)|"
    r"that was wrong|i got that wrong|let me correct (?:that|myself)|no,? no)(?!\w)"
    r"(?:(?:oh|ah|hm+|no|nope|sorry|wait|typo|my mistake|my bad|that's (?:wrong|not right)|a (?:sec|moment))(?!\w)|"
    r"[,.!:\u2026 -])*"
)
_MOST_OTHERWISE: Final = 3
"""Maximum number of words that a correction of a whole sentence replaces."""
_LEAST_SAME: Final = 3
_LONGEST: Final = 160
_LEAST_BESIDE: Final = 2
_STRIPPED: Final = " ,.;:!?…"
_TELLS_NOTHING: Final = listed("""
    the and but for are was has had have our your his her its their this that these those they she you not with from
    will would could can
""")
_DETERMINERS: Final = frozenset({"the", "a", "an", "our", "my"})
_LEADS_TO_ONE: Final = frozenset({"in", "at", "on", "with", "from", "to", "by", "via", "is", "are", "for", "called"})
_DENIES: Final = lazy_pattern(r",? (?:and )?not (?P<gone>[^\s,;:]+(?: [^\s,;:]+){0,3})$")
_ENDED: Final = lazy_pattern(
    r"(?<!\w)(?:(?:do|does) not|(?<=is )not|(?<=are )not|(?<=am )not|no longer|any ?more)(?!\w)"
)


def says_otherwise(correction: str, sentence: str) -> bool:
    """Check whether a correction repeats a sentence with a few other words in one place, or says that it has ended.

    >>> says_otherwise("Actually, we fly from Eindhoven.", "We fly from Schiphol.")
    True
    >>> says_otherwise("We no longer fly from Schiphol.", "We fly from Schiphol.")
    True
    >>> says_otherwise("Actually, they fly from Eindhoven.", "We fly from Schiphol.")
    False
    """
    if max(len(correction), len(sentence)) > _LONGEST or is_question(sentence) or is_question(correction):
        return False
    later, earlier = _tokens(correction), _tokens(sentence)
    if (denied := _DENIES.search(plain_words(correction).rstrip(_STRIPPED))) is not None:
        # The wrong words are named, so the correction may come from anyone.
        gone, later = _words(denied["gone"]), _tokens(correction[: -len(denied.group()) or None].rstrip(_STRIPPED))
        return _is_put_in_place(later, earlier, gone)
    ended = _tokens(_ENDED.sub(" ", " ".join(later)))
    if ended != later:
        return ended == earlier and len(earlier) >= _LEAST_SAME
    same = [word for word, _ in takewhile(lambda pair: pair[0] == pair[1], zip(later, earlier, strict=False))]
    rest = (later[len(same) :], earlier[len(same) :])
    behind = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*map(reversed, rest), strict=False)))
    changed = [words[: len(words) - behind] for words in rest]
    if not all(0 < len(words) <= _MOST_OTHERWISE for words in changed) or not same:
        return False
    if not _is_one_value(changed, same):
        return False
    shared = [*same, *later[len(later) - behind :]]
    return len(shared) >= _LEAST_SAME and any(len(word) >= _LEAST_SAME for word in shared if word not in _TELLS_NOTHING)


def _is_one_value(changed: Sequence[Sequence[str]], same: Sequence[str]) -> bool:
    """Check whether two sentences differ in one value: in 'the ferry to Oslo' and 'the bus to Rome' two values differ.

    Two words or more on each side are one value after a preposition: 'at the old mill', 'at the town hall'.
    """
    if not set(changed[0]).isdisjoint(changed[1]):
        return False
    before = next((word for word in reversed(same) if word not in _DETERMINERS), "")
    return min(map(len, changed)) == 1 or before in _LEADS_TO_ONE


def _is_put_in_place(later: list[str], earlier: list[str], gone: list[str]) -> bool:
    """Check whether a later sentence is the earlier one with a few words in place of the denied ones."""
    for at in range(len(earlier) - len(gone) + 1):
        behind = earlier[at + len(gone) :]
        end = len(later) - len(behind)
        if earlier[at : at + len(gone)] != gone or (later[:at], later[end:]) != (earlier[:at], behind):
            continue
        shared = [*earlier[:at], *behind]
        tells = any(len(word) > _LEAST_SAME and word not in _TELLS_NOTHING for word in shared)
        if 0 < end - at <= _MOST_OTHERWISE and len(shared) >= _LEAST_BESIDE and tells:
            return True
    return False


def _words(text: str) -> list[str]:
    return [word for word in (token.strip(_STRIPPED) for token in text.split()) if word]


def _tokens(text: str) -> list[str]:
    clause = frame_rules.bare_clause(plain_words(without_quotes(text)))
    return _words(clause)


def only_says_wrong(turn: str) -> bool:
    """Check whether a turn only says that something was wrong, so that the right value follows.

    >>> only_says_wrong("no, wait..."), only_says_wrong("Oops, sorry"), only_says_wrong("No, wait for me.")
    (True, True, False)
    """
    return len(turn) <= _LONGEST_MARKER and _ONLY_WRONG.fullmatch(plain_words(turn)) is not None


def sets_right(sentence: str, repair: str) -> bool:
    """Check whether a brief repair replaces a value that the sentence before it states.

    >>> sets_right("The budget is 2,000 euros.", "No, 3,500."), sets_right("Is the budget 2,000 euros?", "No, 3,500.")
    (True, False)
    """
    plain = plain_words(repair)
    # 'Decision: Fennpay, not Okralink' names what was wrong itself.
    if not is_repair(plain) or is_question(sentence) or is_question(repair) or _DENIED.search(plain.rstrip(_STRIPPED)):
        return False
    ours, theirs = (extract_facts(text) for text in (repair, sentence))
    return any(ours.texts(kind) and theirs.texts(kind) for kind in (*VALUES, *NAMES))


def is_repair(said: str) -> bool:
    """Check whether a short turn is phrased as a repair; the caller checks that it contains a value.

    >>> is_repair("9443, typo"), is_repair("16:15 i mean"), is_repair("no, 47")
    (True, True, True)
    >>> is_repair("it's 9443"), is_repair("no problem, 9443 is fine with me")
    (False, False)
    """
    if not (_BEFORE.match(said) or any(map(said.__contains__, _ENDINGS))):
        return False
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
