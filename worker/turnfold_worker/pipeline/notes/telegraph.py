"""A clause in fewer words, for where room is tight: what could change the claim stays.

Dropped are articles, fillers, 'that' after 'say', 'have' before what was done, forms of be that only join.
Prepositions, negations, modals, numbers, pronouns, conjunctions and forms of be of a passive or a past stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.remembered import remembers_clauses
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.spoken_verbs import has_verb
from turnfold_worker.pipeline.language.word_places import is_negation
from turnfold_worker.pipeline.notes.whole import BARE, quoted, without_intensifiers

_ARTICLES: Final = listed("a an the")
_MEANS_WITH_ARTICLE: Final = listed(
    """
    few little bit lot while number couple day week month year hour minute second night time quarter third half
    more less better sooner same one other others former latter
    """
)
"""'A few' is not few, 'twice a day' not twice day."""
_FILLERS: Final = listed("just simply pretty also please kinda basically somewhat overall currently")
_NO_FILLER: Final = listed("not only a an the is are was were isn't aren't wasn't don't doesn't didn't can't won't")
_TELLS: Final = listed(
    """
    think thinks thought say says said know knows knew hope hopes hoped believe believes believed feel feels felt sure
    glad happy guess suppose mean means told realize realized found
    """
)
_DOERS: Final = listed("i we you they he she it who")
_SUBJECTS: Final = listed("i you he she it we they this these those my your his her our their the a an there")
_THERE_IS: Final = lazy_pattern(
    r"(?i:there(?:'s| is| are)) (?=(?:an?|no|some|many|several|lots|plenty|two|three|four|five|\d+)\b)"
)
_ASIDE: Final = lazy_pattern(r", (?:which|because|since|while|where|thanks to)\b[^,;:()\"\u201c\u201d]*$")
"""A reason or a remark at the end; a condition stays, and so does what names: 'like my clay bowl'."""
_MAIN_WORDS: Final = 4
_REWRITTEN: Final = (
    (lazy_pattern(r"(?i)\ba lot of\b"), "lots of", "lot of"),
    (lazy_pattern(r"(?i)\bin order to\b"), "to", "order to"),
)
"""What is found, what stands instead, and letters that it holds."""
_JOINED_BEFORE: Final = listed(
    "what who how that which there it this these those here than as where when why i and or but if not whether i'm"
)
_JOINED_AFTER: Final = listed(
    "to not there that what how why who where when in on at for from by of with i you it they"
)


_MAY_GO: Final = _ARTICLES | _FILLERS | {"have", "has", "is", "are", "that"}
"""All that is ever spare: most words are not, and what stands around them is not looked at."""


@remembers_clauses
def telegraphic(whole: str) -> str:
    """The clause in fewer words, on one line; never empty unless it is, never longer.

    >>> telegraphic("You should not restart the database before the backup has finished")
    'You should not restart database before backup has finished'
    >>> telegraphic("gave in after seeing the six in a thousand")
    'gave in after seeing the six in a thousand'
    """
    line = whole
    small = whole.lower()
    for pattern, shorter, sign in _REWRITTEN:
        if sign in small or not whole.isascii():
            line = pattern.sub(shorter, line)
    if match := _THERE_IS.match(line):
        line = line[match.end() :]
    if (aside := _ASIDE.search(line)) and not line.endswith("?"):
        main = line[: aside.start()]
        rest = line[aside.start() :]
        exact = any(map(str.isdigit, rest)) or any(is_negation(BARE[word]) for word in rest.split())
        if not exact and len(main.split()) >= _MAIN_WORDS and has_verb(main):
            line = main
    words = line.split()
    words = [words[i] for i in without_intensifiers(words)]
    inside = quoted(words)
    asks = line.endswith("?")
    kept = [word for i, word in enumerate(words) if inside[i] or not _is_spare(words, i, asks=asks)]
    return " ".join(kept) or whole


def _is_spare(words: Sequence[str], i: int, *, asks: bool) -> bool:
    """True for a word without which the clause says the same."""
    word = words[i]
    bare = word if i else word.lower()
    if bare not in _MAY_GO or (i and word != BARE[word]):
        return False
    following = BARE[words[i + 1]] if i + 1 < len(words) else ""
    word_before = BARE[words[i - 1]] if i else ""
    if bare in _ARTICLES or not following.isalpha():
        noun = following[:1].isalnum() and following not in _MEANS_WITH_ARTICLE and not _counts(following)
        return bare in _ARTICLES and noun
    match bare:
        case "have" | "has":
            return not asks and word_before in _DOERS and following.endswith("ed") and not following.endswith("eed")
        case "is" | "are":
            return not asks and bool(i) and word_before not in _JOINED_BEFORE and _only_joins(following)
        case "that":
            return word_before in _TELLS and following in _SUBJECTS
        case _:
            filler = bare in _FILLERS and word_before not in _NO_FILLER and bool(i)
            return filler and following not in _ARTICLES and following not in _NUMBERS


_NUMBERS: Final = listed(
    "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million"
)


def _counts(following: str) -> bool:
    return following in _NUMBERS or following[:1].isdigit()


def _only_joins(following: str) -> bool:
    """'The gate is open'; not 'is sued by', 'is to leave', 'is what I want'."""
    return following not in _JOINED_AFTER and not following.endswith(("ed", "en", "n't"))
