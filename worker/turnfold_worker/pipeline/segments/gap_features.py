"""Evidence for and against a change of topic at a gap, as numbers from -1 to 1.

The first turns after a gap are compared with the last turns before it: which words they share, whether the next
utterance refers back, how it begins, who speaks, how long the pause is, and, where there are sentence vectors, how
similar their embeddings are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from turnfold.contract.records import Role
from turnfold_worker.pipeline.segments.gap_signs import Signs

BEFORE: Final = 6
"""Maximum number of turns with telling words before a gap that are compared."""
REACH: Final = 13
"""Number of turns before a gap among which they are found."""
AFTER: Final = 4
"""Maximum number of turns after a gap that are compared."""
WORDY: Final = 60
"""Average words per turn from which talk counts as fully wordy."""

_WORDS: Final = (
    "words_window", "words_next", "words_adjacent", "words_later", "words_ahead", "nothing_telling", "new_words",
)  # fmt: skip
_FORMS: Final = (
    "short", "short_before", "short_run", "long", "long_after", "cue", "cue_unasked", "marker", "marker_long", "closed",
    "closed_earlier", "greeting", "thanks", "answered", "answered_short", "asks", "asks_unasked", "asking", "reply",
    "leaning", "leaning_question", "asked_next", "lengths", "ended", "ending", "ending_next", "pointing", "introducing",
    "wordy",
)  # fmt: skip
_PEOPLE: Final = (
    "same_speaker", "by_assistant", "by_user", "user_statement", "new_speakers", "pause", "long_pause",
)  # fmt: skip
_MEANING: Final = (
    "meaning_window", "meaning_next", "meaning_adjacent", "meaning_best", "meaning_later", "meaning_both",
    "meaning_ahead", "meaning_before", "meaning_known",
)  # fmt: skip

LEXICAL: Final = (*_WORDS, *_FORMS, *_PEOPLE)
SEMANTIC: Final = (*LEXICAL, *_MEANING)

GROUP_LEXICAL: Final = (
    "words_window", "short_before", "short_run", "marker", "marker_long", "about_talk", "closed", "greeting", "leaning",
    "floor", "slower", "long_pause",
)  # fmt: skip
"""With more than two speakers a single turn's words say little; who has the floor and who steers the talk says more."""
GROUP_SEMANTIC: Final = (*GROUP_LEXICAL, "meaning_window", "meaning_later", "meaning_known")


def features(turns_before: Sequence[Signs], after: Sequence[Signs], *, roles: bool) -> dict[str, float]:
    """Compute the features of the gap between two non-empty runs of turns, by name.

    `roles`: the conversation has turns of both a user and an assistant.
    """
    near, after = turns_before[-REACH:], after[:AFTER]
    telling = [turn for turn in near[:-1] if turn.words][1 - BEFORE :]
    window = [*telling, near[-1]]
    spoken = [after[0], *(turn for turn in after[1:] if turn.words)]
    return {
        **_words(window, spoken), **_forms(near, after), **_people(near[-BEFORE:], after, roles=roles),
        **_floor(near, after), **_meaning(window, spoken),
    }  # fmt: skip


def _floor(turns_before: Sequence[Signs], after: Sequence[Signs]) -> dict[str, float]:
    """Measure how the speakers' shares change, how much the talk is about itself, and how much its pace slows."""
    old, new = _shares(turns_before), _shares(after)
    pause = pause_seconds(turns_before[-1], after[0])
    usual = pause_seconds(turns_before[0], turns_before[-1]) / max(1, len(turns_before) - 1)
    return {
        "about_talk": min(1.0, sum(turn.about_talk for turn in after) / 3),
        "floor": sum(abs(new.get(speaker, 0.0) - old.get(speaker, 0.0)) for speaker in sorted(old.keys() | new.keys()))
        / 2,
        "slower": pause / (pause + 3 * usual + 1),
    }


def _shares(turns: Sequence[Signs]) -> dict[str, float]:
    """Return each speaker's share of the words."""
    whole = sum(turn.length for turn in turns) or 1
    shares: dict[str, float] = {}
    for turn in turns:
        shares[turn.speaker] = shares.get(turn.speaker, 0.0) + turn.length / whole
    return shares


def _words(turns_before: Sequence[Signs], after: Sequence[Signs]) -> dict[str, float]:
    first, later = after[0].words, _joined(after[1:])
    window = _joined(turns_before)
    return {
        "words_window": _share(_joined(after), window),
        "words_next": _share(first, _joined(turns_before[-3:])),
        "words_adjacent": _share(first, turns_before[-1].words),
        "words_later": _share(later, window),
        "words_ahead": _share(later, first),
        "nothing_telling": float(not first),
        "new_words": min(1.0, sum(weight for word, weight in first.items() if word not in window) / 24),
    }


def _joined(turns: Iterable[Signs]) -> dict[str, int]:
    return {word: weight for turn in turns for word, weight in turn.words.items()}


def _share(words: Mapping[str, int], known: Mapping[str, int]) -> float:
    """Return the share of `words`, by weight, that are in `known`; rare words weigh more."""
    whole = sum(words.values())
    return sum(weight for word, weight in words.items() if word in known) / whole if whole else 0.0


def _forms(turns_before: Sequence[Signs], after: Sequence[Signs]) -> dict[str, float]:
    last, first = turns_before[-1], after[0]
    answered = last.asks and last.speaker != first.speaker
    short = max(0.0, 1 - first.length / 10)
    return {
        "short": short,
        "short_before": max(0.0, 1 - last.length / 10),
        "short_run": sum(turn.length <= 2 for turn in turns_before[-4:]) / 4,
        "long": min(1.0, first.length / 40),
        "long_after": min(1.0, sum(turn.length for turn in after) / len(after) / 20),
        "marker": float(first.marker),
        "marker_long": first.marker * min(1.0, sum(turn.length for turn in after[:2]) / 30),
        "cue": float(first.cue),
        "cue_unasked": float(first.cue and not answered),
        "closed": float(last.closing),
        "closed_earlier": float(len(turns_before) > 1 and turns_before[-2].closing),
        "greeting": float(first.greeting),
        "thanks": float(first.closing),
        "answered": float(answered),
        "answered_short": short * answered,
        "asks": float(first.asks),
        "asks_unasked": float(first.asks and not answered),
        "asking": float(first.asking and not answered),
        "reply": float(first.reply),
        "leaning": float(first.leaning),
        "leaning_question": float(first.leaning and first.asks),
        "asked_next": float(len(after) > 1 and after[1].asks and after[1].speaker != first.speaker),
        "lengths": _lengths(turns_before, after),
        "ended": float(last.farewell),
        "ending": float(first.farewell and not first.asking),
        "ending_next": float(len(after) > 1 and after[1].farewell and after[1].speaker != first.speaker),
        "pointing": min(1.0, first.pointing / 2),
        "introducing": min(1.0, first.introducing / 2),
        "wordy": _wordy(turns_before, after),
    }


def _wordy(turns_before: Sequence[Signs], after: Sequence[Signs]) -> float:
    """Scale the average length of turns to 0 to 1: in long turns single signs say little, embeddings say more."""
    near = (*turns_before[-BEFORE:], *after)
    return min(1.0, sum(turn.length for turn in near) / len(near) / WORDY)


def _lengths(turns_before: Sequence[Signs], after: Sequence[Signs]) -> float:
    """Measure how much the average length of turns changes, from 0 to 1."""
    old, new = (sum(turn.length for turn in turns) / len(turns) for turns in (turns_before[-BEFORE:], after))
    return abs(old - new) / (old + new) if old + new else 0.0


def _people(turns_before: Sequence[Signs], after: Sequence[Signs], *, roles: bool) -> dict[str, float]:
    last, first = turns_before[-1], after[0]
    spoke = {turn.speaker for turn in turns_before}
    pause = pause_seconds(last, first)
    return {
        "same_speaker": float(last.speaker == first.speaker),
        "by_assistant": float(roles and first.role in {Role.ASSISTANT, Role.TOOL}),
        "by_user": float(roles and first.role is Role.USER),
        "user_statement": float(roles and first.role is Role.USER and not first.asks),
        "new_speakers": sum(turn.speaker not in spoke for turn in after) / len(after),
        "pause": min(1.0, pause / 60),
        "long_pause": min(1.0, pause / 1800),
    }


def pause_seconds(last: Signs, first: Signs) -> float:
    """Return the seconds between two turns; 0 if either time is unknown."""
    if last.created_at is None or first.created_at is None:
        return 0.0
    return abs((first.created_at - last.created_at).total_seconds())


def _meaning(turns_before: Sequence[Signs], after: Sequence[Signs]) -> dict[str, float]:
    """Compute cosine similarities of turns and of sums of turns, all from stored dot products of pairs."""
    old = [turn for turn in turns_before if turn.products]
    first, later = after[:1], [turn for turn in after[1:] if turn.products]
    if not old or not after[0].products:
        return {}
    return {
        "meaning_known": 1.0,
        "meaning_window": _cosine(old, [*first, *later]),
        "meaning_next": _cosine(old[-3:], first),
        "meaning_adjacent": _cosine(old[-1:], first),
        "meaning_best": max(_cosine([signs], first) for signs in old),
        "meaning_later": _cosine(old, later),
        "meaning_both": _cosine(old[-3:], later),
        "meaning_ahead": _cosine(first, later),
        "meaning_before": _cosine(old[-4:-1], old[-1:]),
    }


def _cosine(some: Sequence[Signs], other_signs: Sequence[Signs]) -> float:
    """Return the cosine similarity of two sums of vectors; 0 if either is empty."""
    lengths = _product(some, some) * _product(other_signs, other_signs)
    return _product(some, other_signs) / math.sqrt(lengths) if lengths > 0 else 0.0


def _product(some: Sequence[Signs], other_signs: Sequence[Signs]) -> int:
    return sum(_of_pair(signs, other) for signs in some for other in other_signs)


def _of_pair(signs: Signs, other: Signs) -> int:
    later, distance = (signs, signs.seq - other.seq) if signs.seq >= other.seq else (other, other.seq - signs.seq)
    return later.products[distance] if distance < len(later.products) else 0
