"""Find what was denied in some turns, and check that a note denies only that."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.quantities import WORD
from turnfold_worker.pipeline.language.word_forms import forms, meanings
from turnfold_worker.pipeline.refinement.claims import is_telling, says_something, sentences_of
from turnfold_worker.pipeline.refinement.negations import (
    ASKED_OF,
    CANNOT,
    DEEDS,
    DENIES,
    NONE,
    OF_ANYTHING,
    OF_SOME,
    QUOTED,
    REACH,
    WILL,
    WISHES,
    WITHHOLDS,
    without_emphasis,
)
from turnfold_worker.pipeline.refinement.passages import Passage, passages_of

_SUPPORT: Final = 0.5
_FEW: Final = 2
_CODE: Final = lazy_pattern(r"```.*?(?:```|\Z)", re.DOTALL)
_PREPOSITION: Final = lazy_pattern(r"\s(?:from|in|at|on|after|before|to|with|for|during)\s")
_REFERS: Final = lazy_pattern(r"(?i)(?<!\w)(?:it|that|this|these|those|them|one|any|so|to|then)(?!\w)")
_NEVER_YET: Final = lazy_pattern(r"(?i)(?<!\w)(?:never|yet|before)(?!\w)")
_PLAIN_NO: Final = lazy_pattern(
    r"(?i)\W{0,8}(?:(?:oh|well|hm{1,9}|unfortunately|sadly)\W{1,8})?(?:(?:no|nah|nope|not|never|none)(?: \w+)?[,.!]"
    r"|i (?:think|guess|believe) not(?!\w)|i don['\u2019]?t think so(?!\w))"
)
"""The beginning of an answer that denies the question."""


_PLAIN_WORD: Final = lazy_pattern(r"[a-z]+(?:'[a-z]+)?|\d+")
_APOSTROPHE: Final = lazy_pattern(r"'")
_AUXILIARY: Final = {
    "can't": "can", "cannot": "can", "won't": "will", "isn't": "is", "aren't": "is", "wasn't": "was", "weren't": "was",
    "hasn't": "has", "haven't": "has", "hadn't": "had", "couldn't": "could", "wouldn't": "would", "shouldn't": "should",
    "am": "is", "are": "is", "were": "was", "have": "has", "m": "is", "re": "is", "s": "is", "ve": "has", "ll": "will",
}  # fmt: skip
"""Auxiliary verbs mapped to one form for all persons, without negation."""
_EMPTY: Final = frozenset({"", "do", "does", "did"})
_SUBJECTS: Final = frozenset({"i", "we", "you", "he", "she", "it", "they", "and", "but"})

_FUNCTION: Final = listed(
    """
    a an the to be been being am is are was were have has had having do does did done will would can could may might
    should any so too very really yet ever even already it its that this these those them they he she i me my you your
    we our us his her their there of in on at by for with from and or as all just quite only exactly currently
    """
)
"""Words after a negation that do not say what is denied."""


class Denials:
    """The denials of some turns."""

    def __init__(self, lines: Sequence[tuple[int, str, str]], seqs: Collection[int]) -> None:
        """`lines` are (number, speaker, text) of the turns; `seqs` are the numbers of turns whose denials count."""
        # A program with `NOT NULL` denies nothing.
        self._lines = [
            (seq, speaker, without_emphasis(NONE.sub(" ", _CODE.sub(" ", text)))) for seq, speaker, text in lines
        ]
        self._seqs = seqs

    @cached_property
    def _sentences(self) -> list[Passage]:
        return list(passages_of((line for line in self._lines if line[0] in self._seqs), clauses=False))

    @cached_property
    def _clauses(self) -> list[Passage]:
        return list(passages_of((line for line in self._lines if line[0] in self._seqs), clauses=True))

    @cached_property
    def _stated(self) -> list[Passage]:
        """Clauses without the quotes that deny, such as error messages: quoting one is no denial."""
        lines = [
            (seq, speaker, QUOTED.sub(lambda quote: " " if DENIES.search(quote.group()) else quote.group(), text))
            for seq, speaker, text in self._lines
            if seq in self._seqs
        ]
        return list(passages_of(lines, clauses=True))

    def support(self, words: Sequence[str], claim: str, who: str | None = None) -> bool:
        """Return whether the turns deny what a claim denies, with as many negations.

        A denial that another speaker makes about themselves does not count for `who`, the speaker that the claim is
        about.
        """
        claim = without_emphasis(claim)
        negations = DENIES.findall(claim)
        count, noun = len(negations), negations[0].lower() in ("no", "none", "without")
        behind = claim[_end_of_negation(claim) :]
        denied = Passage(_PREPOSITION.split(behind)[0] if noun else behind, 0, "")
        # In 'not with any other' the verb comes before the negation.
        noun = noun or bool(_PREPOSITION.match(behind))
        if not words and not denied.shapes:
            plain = set(WORD.findall(claim.lower()))
            figures = {word for word in plain if word.isdigit()}
            verbs = {word for word in plain - _FUNCTION if not DENIES.fullmatch(word) and not word.isdigit()}
            return any(
                len(DENIES.findall(passage.text)) == count
                and figures <= passage.plain
                and (not verbs or any(_is_like(verb, word) for verb in verbs for word in passage.plain))
                and len(plain & passage.plain) >= _FEW
                for passage in self._clauses
            )
        return any(
            self._denies(passage, denied, count, noun=noun)
            for passage in (*self._clauses, *self._sentences)
            if not (who and passage.speaker not in ("", who) and passage.speaks_of_self)
        ) or (count == 1 and any(self._answers(passage, words, _first(denied)) for passage in self._answered_no))

    @staticmethod
    def _answers(passage: Passage, words: Sequence[str], first: str) -> bool:
        """Return whether a question answered with 'no' has the first word of a denial and most of the others."""
        if not any(_is_like(first, word.text) for word in passage.words):
            return False
        return passage.shared(words) + _SUPPORT * is_telling(first) > _SUPPORT * len(words)

    def _denies(self, passage: Passage, claimed: Passage, count: int, *, noun: bool) -> bool:
        """Return whether a passage denies, at least `count` times, a claim's first word and most of its other words.

        The passage may also deny nothing but words of the claim, or refer to the other words by an 'it'. `noun` says
        that the claim denies a thing, as in 'no plans'.
        """
        match = DENIES.search(passage.text) or WITHHOLDS.search(passage.text)
        if match is None or len(WITHHOLDS.findall(passage.text)) < count:
            return False
        first = _first(claimed)
        if first and any(word.text == f"un{first}" for word in passage.words):
            return True
        denied = Passage(REACH.split(passage.text[match.end() :])[0], passage.seq, passage.speaker)
        telling = [word for word in dict.fromkeys(word.text for word in claimed.words) if says_something(word)]
        shared = denied.shared(telling)
        if first and not _is_like(first, _first(denied)):
            # 'No other plans' restates 'I have made no plans'.
            return bool(noun and telling) and shared == len(telling)
        if shared > _SUPPORT * len(telling) or not telling:
            return True
        there = [word.text for word in denied.words if says_something(word.text)]
        if there and all(map(claimed.has, there)):
            return True
        # 'I can't come' denies what was just spoken of, as does 'I can't do that'.
        refers = not there or _REFERS.search(denied.text)
        return bool(refers) and self._around(passage).shared(telling) > _SUPPORT * len(telling)

    def _around(self, passage: Passage) -> Passage:
        """Return a passage's turn together with the turn before."""
        at = next((place for place, line in enumerate(self._lines) if line[0] == passage.seq), 0)
        return Passage("\n".join(text for *_, text in self._lines[max(0, at - 1) : at + 1]), passage.seq, "")

    @cached_property
    def _answered_no(self) -> list[Passage]:
        """Questions that the next turn answers with a plain 'no', as denials by the speaker of that turn.

        A question that has an 'it' or 'one' comes with the sentences before, which the word may refer to.
        """
        passages = []
        for question, answer in pairwise(self._lines):
            if answer[0] in self._seqs and _PLAIN_NO.match(answer[2]):
                sentences = sentences_of(question[2])
                for place, sentence in enumerate(sentences):
                    if "?" in sentence:
                        sentences_before = sentences[max(0, place - _FEW) : place] if _REFERS.search(sentence) else ()
                        passages.append(Passage(" ".join(("not", sentence, *sentences_before)), answer[0], answer[1]))
        return passages

    def refute(self, words: Sequence[str], claim: str) -> bool:
        """Return whether the passages that share the most words with a claim all deny those words.

        A wish is refuted only by a denied wish: one who has not seen the sea may hope to see it.
        """
        if not words:
            return False
        statements = (*(passage for passage in self._stated if not passage.asks), *self._answered_no)
        shared = [(passage.shared(words), passage) for passage in statements]
        most_shared = max((count for count, _ in shared), default=0)
        best = [passage for count, passage in shared if count == most_shared]
        wished = WISHES.search(claim)
        if wished and not any(
            wished.group().lower() in passage.text.lower()
            or (WILL.fullmatch(wished.group()) and CANNOT.search(passage.text))
            for passage in best
        ):
            return False
        if "first" in words and best and all(_NEVER_YET.search(passage.text) for passage in best):
            # Something never done may be done for the first time.
            return False
        if self._turns_round(words, _deeds(claim), shared):
            return True
        if most_shared < min(_FEW, len(words)):
            return False
        return all(DENIES.search(passage.text) and _denied_of(passage, words) for passage in best) and (
            any(passage.denies for passage in best) or any(passage.affirms(words) for passage in best)
        )

    def is_stripped(self, claim: str) -> bool:
        """Return whether a claim drops a statement's one negation: 'we did make it' from 'but we didn't make it'."""
        run, _ = _run_of(claim)
        return len(run) >= _FEW and any(
            at is not None and len(DENIES.findall(passage.text)) == 1 and passage.denies and _holds(words_said, run, at)
            for passage in self._stated
            if not passage.asks
            for words_said, at in (_run_of(passage.text),)
        )

    @staticmethod
    def _turns_round(words: Sequence[str], deeds: Sequence[str], shared: Sequence[tuple[int, Passage]]) -> bool:
        """Return whether a word or deed is denied in one passage, and affirmed in none with as many of the words."""
        for count, passage in shared:
            first = _first(_without_asked_subject(passage.denied)) if passage.denies else ""
            is_deed = not OF_SOME.search(passage.denied.text) and any(_is_like(first, deed) for deed in deeds)
            if not first or not (is_deed or (is_telling(first) and any(_is_like(first, word) for word in words))):
                continue
            if (
                count + is_deed < min(_FEW, len(words))
                and not (words and _is_like(first, words[0]))
                and not OF_ANYTHING.search(passage.denied.text)
            ):
                continue
            if not any(
                more >= count and _says(other, first) and not DENIES.search(other.text) for more, other in shared
            ):
                return True
        return False


def _deeds(claim: str) -> list[str]:
    """Return the verbs of a claim that need not occur in its source, but may have been denied there."""
    return [word for word in WORD.findall(claim.lower()) if word in DEEDS]


def _says(passage: Passage, verb: str) -> bool:
    return passage.has(verb) or (verb in DEEDS and any(_is_like(verb, word) for word in passage.plain))


def _without_asked_subject(denied: Passage) -> Passage:
    """Drop the person asked about from a denial: 'no' to 'did Tom pass?' denies the passing, not Tom."""
    return Passage(ASKED_OF.sub(lambda asked: asked["verb"], denied.text, count=1), denied.seq, denied.speaker)


def _denied_of(passage: Passage, words: Sequence[str]) -> bool:
    """Return whether a passage denies one of some words, other than the subject of the denial."""
    match = DENIES.search(passage.text)
    subject = Passage(passage.text[: match.start()] if match else "", passage.seq, passage.speaker)
    return any(passage.denied.has(word) for word in words if not subject.has(word))


def _first(denied: Passage) -> str:
    """Return the first word after a negation that says what is denied, such as its verb."""
    return next((word.text for word in denied.words if word.text not in _FUNCTION), "")


def _run_of(text: str) -> tuple[list[str], int | None]:
    """Return a text's words without subject and negation, and the index at which the negation was (None: none)."""
    run: list[str] = []
    at = None
    for word in _PLAIN_WORD.findall(text.lower().replace("\u2019", "'")):
        if DENIES.fullmatch(word):
            at = len(run) if at is None else at
            word = _AUXILIARY.get(word, "")  # noqa: PLW2901 - 'can't' becomes 'can'
        run += [_AUXILIARY.get(part, part) for part in _APOSTROPHE.split(word) if part not in _EMPTY]
    subject = bool(run) and run[0] in _SUBJECTS
    return run[subject:], None if at is None else max(0, at - subject)


def _holds(words_said: Sequence[str], run: Sequence[str], at: int) -> bool:
    """Return whether a run of words occurs across the negated index, or from there if that is the start."""
    starts = range(max(0, at - len(run) + 1), at + 1)
    return any(words_said[start : start + len(run)] == run for start in starts if start < at or at == 0)


def _is_like(word: str, other: str) -> bool:
    return not forms(word).isdisjoint(forms(other)) or not meanings(word).isdisjoint(forms(other))


def _end_of_negation(text: str) -> int:
    match = DENIES.search(text)
    return match.end() if match else 0
