"""Shorten a clause for where room is tight: a selection of its words, in order, shown after its speaker's name.

Articles, fillers, 'that' after 'say', a leading 'I' and lead-ins such as 'there is' are dropped. Prepositions,
negations, modals, numbers, other pronouns, quoted text and an answered question are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.notes.whole import BARE, PAST, are_quoted

_ARTICLES: Final = listed("a an the")
_MEANS_WITH_ARTICLE: Final = listed(
    """
    few little bit lot while number couple day days week weeks weekend month months year years hour hours minute
    second night time times quarter third half dozen hundred thousand million more less better sooner same one ones
    other others former latter most least only first best worst last next rest way point kind sort
    one two three four five six seven eight nine ten eleven twelve
    monday tuesday wednesday thursday friday saturday sunday
    """
)
"""Words whose meaning changes without the article: 'a few', 'twice a day', 'the Friday before'."""
_FILLERS: Final = listed(
    """
    just simply pretty also kinda basically somewhat overall currently really actually definitely totally literally
    absolutely honestly truly certainly super please
    """
)
_NO_FILLER_AFTER: Final = listed(
    "not no never nor without cannot only a an the is are was were too so as if than or but and who what how"
)
"""Words after which a filler carries meaning: 'not just', 'the just', 'is really not'."""
_NO_FILLER_BEFORE: Final = listed(
    """
    a an the as if like when though because in on at for from to with of by and or but not no never more less much many
    few little i he she it we they you this that one two three four five six seven eight nine ten eleven twelve about
    """
)
_TELLS: Final = listed(
    """
    think thinks thought say says said know knows knew hope hopes hoped believe believes believed feel feels felt sure
    glad happy guess suppose mean means told realize realized found
    """
)
_SUBJECTS: Final = listed("i you he she it we they this these those my your his her our their the a an there")
_SPEAKER: Final = listed("i i'm i've")
_TELLS_OF_SPEAKER: Final = lazy_pattern(rf"{PAST}|love|like|want|need|hope|prefer|have|am")
"""Verbs after an 'I' that may be dropped: 'went' is no imperative, as 'use' would be."""
_NOT_OF_SPEAKER: Final = listed("and or myself to")
_LEAD_IN: Final = lazy_pattern(
    r"(?i)(?:i (?:wanted|have|had|need|needed) to (?:say|tell you|let you know) that"
    r"|(?:there(?:'s| is| are)|here(?:'s| is| are)) (?=(?:an?|some|lots|my|the|such)\b)"
    r"|it(?:'s| is) (?=(?:great|nice|good|cool|amazing|awesome|normal|important|hard|easy|fun|fine|clear) ))"
)
_LEADS_IN: Final = listed("i there there's here here's it it's")
_SENTENCE_ENDS: Final = (".", "!", ";", "/", "…")
_QUESTION_ENDS: Final = "?)"


class _Sentence(NamedTuple):
    first: int
    end: int
    asks: bool


def telegraphic(clause: str) -> str:
    """Return the clause in fewer words, on one line; never empty unless the clause is.

    >>> telegraphic("I was walking in the park with my sister, and she has not told the others")
    'was walking in park with my sister, and she has not told the others'
    >>> telegraphic("You should not restart the database before the backup has finished")
    'You should not restart database before backup has finished'
    """
    words = clause.split()
    inside = are_quoted(words)
    kept: list[str] = []
    for sentence in _sentences(words):
        lead_in = _words_of_lead_in(words, sentence, inside)
        for i in range(sentence.first, sentence.end):
            is_spare = i < sentence.first + lead_in or _is_spare(words, i, sentence)
            if inside[i] or not is_spare:
                kept.append(words[i])
    return " ".join(kept) or clause


def _sentences(words: Sequence[str]) -> Iterator[_Sentence]:
    """Yield the sentences in order; a question in brackets before its answer is one of its own, and stays as it is."""
    first = 0
    for i, word in enumerate(words):
        is_last = i + 1 == len(words)
        if is_last or word.endswith((*_SENTENCE_ENDS, _QUESTION_ENDS, "?")):
            yield _Sentence(first, i + 1, word.rstrip(")").endswith("?"))
            first = i + 1


def _words_of_lead_in(words: Sequence[str], sentence: _Sentence, inside: Sequence[bool]) -> int:
    """Return how many words at the beginning of a sentence only lead in."""
    if sentence.asks or inside[sentence.first] or BARE[words[sentence.first]] not in _LEADS_IN:
        return 0
    match = _LEAD_IN.match(" ".join(words[sentence.first : sentence.end]) + " ")
    count = 0 if match is None else len(match.group().split())
    return count if count < sentence.end - sentence.first else 0


def _is_spare(words: Sequence[str], i: int, sentence: _Sentence) -> bool:
    """Return whether the sentence says the same without a word."""
    word, bare = words[i], BARE[words[i]]
    opens = i == sentence.first
    # Punctuation on a word affects how its neighbours are read.
    if sentence.asks or (word != bare and not (word.lower() == bare and (opens or bare in _SPEAKER))):
        return False
    following = words[i + 1] if i + 1 < sentence.end else ""
    word_before = "" if opens else BARE[words[i - 1]]
    if bare in _ARTICLES:
        is_name = opens and following[:1].isupper()
        return following[:1].isalpha() and BARE[following] not in _MEANS_WITH_ARTICLE and not is_name
    if bare in _SPEAKER:
        return opens and _tells_of_speaker(bare, following)
    return following.isalpha() and _only_joins(bare, word_before, following)


def _tells_of_speaker(bare: str, following: str) -> bool:
    """Return whether the text after 'I' is still about the speaker without the 'I'."""
    if bare == "i":
        return _TELLS_OF_SPEAKER.fullmatch(following) is not None
    return following.isalpha() and following.islower() and following not in _NOT_OF_SPEAKER


def _only_joins(bare: str, word_before: str, following: str) -> bool:
    """Return whether a word is a filler, or 'that' after 'say'."""
    after = BARE[following]
    if bare in _FILLERS:
        return (
            word_before not in _NO_FILLER_AFTER and not word_before.endswith("n't") and after not in _NO_FILLER_BEFORE
        )
    return bare == "that" and word_before in _TELLS and after in _SUBJECTS
