"""Words that point at something, and what goes with them: where a sentence without them would say something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.word_places import DETERMINERS, NUMBER, Rule, after, before, ends

_THINGS: Final = listed("it this that these those")
_PERIODS: Final = listed("week weekend month year morning afternoon evening spring summer autumn fall winter")
_PLACED: Final = listed("like about because for in on at from when how why what where")
_REPLACES: Final = ("replac", "swap", "compar", "confus", "mistak")
_THANKED: Final = frozenset({"thanks", "thank"})


def _it(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'It taught me', 'it's got photos', 'it's rich': else the speaker would be meant, or what was said before.

    'It's my first one', 'it was in May', 'it was Omar' say enough without it.
    """
    if i or len(words) == 1:
        return _thing(words, bare, i)
    said = 1 if bare[i] == "it's" else 2 if after(bare, i) in {"is", "was"} else 0
    if not said or said >= len(words):
        return True
    first = words[said]
    return not (bare[said] in DETERMINERS or bare[said] in _PLACED or first[:1].isupper() or NUMBER.match(first))


def _thing(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Something like that', 'those with a dog', 'make it for her', 'this month'."""
    if before(bare, i) == "like" and bare[i] != "it":
        return True
    if ends(words, i) or not i:
        return False
    follows = after(bare, i)
    return (
        follows in {"with", "for"}
        or (bare[i] in {"these", "those"} and follows == "who")
        or (bare[i] == "this" and follows in _PERIODS)
    )


def _of_thing(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Make it with flour', 'got this for you', 'for now', 'replaced Redis with Kafka'."""
    if bare[i] == "with" and any(word.startswith(_REPLACES) for word in bare[max(0, i - 5) : i]):
        return True
    if after(bare, i) == "now" or (bare[i] == "for" and not _THANKED.isdisjoint(bare[max(0, i - 4) : i])):
        return True
    return i > 1 and bare[i - 1] in _THINGS and _thing(words, bare, i - 1)


POINTERS: Final[Mapping[str, Rule]] = {
    **dict.fromkeys(("it", "it's"), _it),
    **dict.fromkeys(("this", "that", "these", "those"), _thing),
    **dict.fromkeys(("with", "for"), _of_thing),
}
