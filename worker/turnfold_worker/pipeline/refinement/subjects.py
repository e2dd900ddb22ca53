"""Check whom the parts of a note are about, and that what they say of a speaker was said by or to that speaker.

Each word of a part votes for the speakers to whom it belongs in the cited turns: the one meant by the 'I' or 'you'
before it there, or else the one who says it (in a question, the one asked). A part whose words belong more to another
speaker is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.refinement.claims import (
    ADVICE,
    REPORTS,
    SAYINGS,
    Word,
    content_words,
    says_something,
    sentences_of,
    words_of,
)
from turnfold_worker.pipeline.refinement.passages import REQUEST, Passage
from turnfold_worker.pipeline.refinement.unfaithful import Unfaithful
from turnfold_worker.pipeline.turns.reading import is_participant

REFERS: Final = lazy_pattern(r"(?i)(?<!\w)(?:it|that|this|there|these|those|them)(?!\w)")
"""Words that refer to a thing mentioned before."""
_STANDS_FOR: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:it|that|this|these|those|them|he|she|they|his|her|him|their|its|we|our|us)(?!\w)"
)
_SUBJECT: Final = 4
"""Number of words at the start of a sentence among which its first subject is looked for."""
_PRONOUNS: Final = frozenset({"he", "she", "they"})
_JOINS: Final = frozenset(
    {
        "and", "but", "so", "or", "because", "that", "while", "when", "since", "as", "after", "before", "until", "if",
        "where", "whether", "though", "although",
    }
)  # fmt: skip
"""Words after which a subject may follow."""
_CLAUSES: Final = frozenset({"that", "if", "whether"})
"""Words that introduce reported speech."""
_WHO: Final = frozenset({"who", "whom", "whose"})
_PAUSE: Final = lazy_pattern(r"[,;:(]\s*\Z")
_WORDS_OF: Final = lazy_pattern(rf"\w{{1,40}}['\u2019]s?(?: \w{{1,20}})? (?:{'|'.join(sorted(SAYINGS))}): ")
"""'Ana's idea: ': what follows are Ana's words."""
_ADVISES: Final = lazy_pattern(
    r"(?i)(?:the )?assistant(?::| (?:would|should|said"
    r"|(?:suggest|advise|recommend|say|ask|propose|warn|explain|offer)\w*)(?!\w)"
    r"|['\u2019]s (?:plan|idea|remark|advice|suggestion|list|answer)(?!\w))"
)
"""Words or advice of an assistant, as opposed to what it does or is."""
_WISHES: Final = frozenset({"wants", "wanted", "needs", "needed", "wishes", "wished", "requests", "requested"})
_TOWARDS: Final = frozenset({"to", "with", "for", "from"})
_OBJECT: Final = 15
"""Number of words after a subject in which it may be named again as the object of the same verb."""
_NEAR: Final = 3
_DOUBT: Final = -0.1
_SURELY: Final = 0.5
"""Margin by which the words of a part must belong more to another speaker."""
_ENDS: Final = lazy_pattern(r"[,;:()\u2013\u2014]")
_NAMED_SO: Final = r"(?i)(?<!\w)(?:i'm|i am|my name is|my name's|call me) {0}(?!\w)|\w, {0}[!,.]"
"""How speakers tell their name, or are called by it."""
_FEW: Final = 2
_THIRD: Final = 0.7
"""Share of a part's words above which the part is about a third person."""
_ROLES: Final = {"user": "user", "assistant": "assistant", "ai": "assistant", "tool": "tool"}


class _Part(NamedTuple):
    """The words that a sentence says of one subject."""

    who: str
    words: list[str]
    reports: bool
    """Whether it reports what the subject said, about anyone."""
    wishes: bool = False
    """Whether it says what the subject wants, perhaps from another speaker."""
    owns: bool = False
    """Whether it is about something of the subject's: 'Ana's son'."""
    names: frozenset[str] = frozenset()
    """Those of the words that are names, for which an answer may have an 'it'."""


class Subjects:
    """The speakers of some sentences, and what the sentences say about whom."""

    def __init__(self, sentences: Sequence[Passage], speakers: Sequence[str]) -> None:
        self._sentences = sentences
        self._speakers = speakers

    def problems(self, text: str, seqs: Sequence[int], speaker: str | None = None) -> Iterator[Unfaithful]:
        """Yield a problem for each part that gives one speaker another's words; `speaker` is the note's own."""
        for number, sentence in enumerate(sentences_of(text)):
            for place, part in enumerate(self._parts(sentence)):
                # A note usually begins with the speaker who said it.
                # Except in an assistant's note on a program's users, and a user's note on the assistant's advice.
                of_users = (speaker, part.who) == ("assistant", "user")
                first = not number + place and not (of_users or _ADVISES.match(sentence))
                doubt = first and speaker is not None and not is_participant(speaker, [part.who])
                if self._is_anothers(part, seqs, doubt=doubt):
                    yield Unfaithful.SPEAKER
            if self._does_to_itself(sentence):
                yield Unfaithful.SPEAKER
            if self.of(sentence)[0] is None and self._is_of_speaker(sentence, seqs):
                yield Unfaithful.NAME

    def is_anothers(self, text: str, seqs: Sequence[int], speaker: str) -> bool:
        """Return whether a sentence that names no speaker restates what another speaker said of themselves nearby."""
        for sentence in sentences_of(text):
            words = content_words(sentence)
            if len(words) < _FEW or self.of(sentence)[0] is not None:
                continue
            near = [(passage.closeness(words), passage) for passage in self._sentences if passage.speaker]
            closest = max((closeness for closeness, _ in near), default=0)
            best = [passage for closeness, passage in near if closeness == closest]
            owners = {owner for passage in best for owner in passage.owners(words, self._speakers)}
            if (
                owners
                and all(passage.seq not in seqs for passage in best)
                and not is_participant(speaker, owners)
                and not self._stands_in(words, seqs, speaker)
            ):
                return True
        return False

    def _stands_in(self, words: Sequence[str], seqs: Sequence[int], speaker: str) -> bool:
        """Return whether a speaker said all of some words in the given turns, perhaps in several sentences."""
        theirs = [
            sentence
            for sentence in self._sentences
            if sentence.seq in seqs and is_participant(speaker, [sentence.speaker])
        ]
        return all(any(passage.has(word) for passage in theirs) for word in words)

    def of(self, sentence: str) -> tuple[str | None, int]:
        """Return the speaker that a sentence begins with, and the index of the word; (None, 0) if there is none."""
        words = words_of(sentence)
        for place in range(min(_SUBJECT, len(words))):
            who = self._speaker_at(sentence, words, place)
            if who is not None:
                return who, place
        return None, 0

    def is_name(self, word: str) -> bool:
        """Return whether the first word of a sentence is capitalized elsewhere, too, and never in lower case."""
        written = [
            (place > 0, word_here.capital)
            for passage in self._sentences
            for place, word_here in enumerate(passage.words)
            if word_here.text == word
        ]
        return (True, True) in written and all(capital for _, capital in written)

    def _speaker_at(self, sentence: str, words: Sequence[Word], place: int) -> str | None:
        """Return the speaker that a word names; `user_id` and 'the User model' name things."""
        word = words[place]
        if word.text in _ROLES:
            article = place > 0 and words[place - 1].text == "the"
            named = sentence[word.start + len(word.text) :][:1] == "_" or (place > 0 and (word.capital or not article))
            if named or any(behind.capital for behind in words[place + 1 : place + 2]):
                return None
            return next((speaker for speaker in self._speakers if speaker.lower() == _ROLES[word.text]), None)
        if not word.capital:
            return None
        return next((speaker for speaker in self._speakers if is_participant(word.text, [speaker])), None)

    def _parts(self, sentence: str) -> Iterator[_Part]:
        """Yield what a sentence says of each speaker that is a subject, up to the next speaker's name.

        Skips what is said of two speakers at once, and what follows a 'who'.
        """
        words = words_of(sentence)
        who_at = [self._speaker_at(sentence, words, place) for place in range(len(words))]
        starts = [False] * len(words)
        for place, who in enumerate(who_at):
            first = place - (place > 1 and words[place - 1].text == "the")
            joined = first > 0 and (
                words[first - 1].text in _JOINS or bool(_PAUSE.search(sentence[: words[first].start]))
            )
            object_of_pronoun = any(word.text in _PRONOUNS for word in words[:place])
            starts[place] = who is not None and (
                joined or (not any(starts) and place < _SUBJECT and not object_of_pronoun)
            )
        for place, who in enumerate(who_at):
            if not starts[place] or who is None or self._is_shared(words, place):
                continue
            if any(_ROLES.get(word.text) == "assistant" for word in words[:place]):
                # The assistant wrote the rest, whoever it is about.
                break
            start = place if any(starts[:place]) or (place and words[place - 1].text in _JOINS) else 0
            ends = [at for at in range(place + 1, len(words)) if starts[at]]
            reports = self._reports(sentence, words, place, words[start : next(iter(ends), len(words))])
            told_words = words[start : next((at for at in ends if words[at - 1].text not in _CLAUSES), len(words))]
            if not reports:
                end = next(
                    (at for at in range(place + 1, len(words)) if self._ends(words, who_at, place, at)), len(words)
                )
                told_words = words[start:end]
            telling = [
                word.text
                for word in told_words
                if says_something(word.text)
                and not (reports and (word.text in REPORTS or word.text in ADVICE))
                and not is_participant(word.text, self._speakers)
            ]
            wishes = any(word.text in _WISHES for word in words[place + 1 : place + 2])
            names = frozenset(word.text for at, word in enumerate(told_words) if word.capital and at)
            yield _Part(who, list(dict.fromkeys(telling)), reports, wishes, words[place].owns, names)

    @staticmethod
    def _ends(words: Sequence[Word], who_at: Sequence[str | None], place: int, at: int) -> bool:
        """Return whether a part about the speaker at `place` ends at `at`: another's name, a 'who', a joint 'they'."""
        of_both = words[at].text == "they" and words[at - 1].text in _JOINS
        return (
            of_both
            or (words[at].text in _WHO and at > place + 1)
            or bool(who_at[at] and not (words[at].owns and who_at[at] == who_at[place]))
        )

    @staticmethod
    def _reports(sentence: str, words: Sequence[Word], place: int, told: Sequence[Word]) -> bool:
        """Return whether a subject's words or advice are reported: 'Ana asked', 'asked by Ana', 'Ana's tips'."""
        if words[place].text in _ROLES and _ROLES[words[place].text] == "assistant":
            return True
        if sentence[words[place].start + len(words[place].text) :][:1] == ":":
            return True
        if words[place].owns:
            behind = sentence[words[place].start :]
            return any(word.text in ADVICE for word in told) or bool(_WORDS_OF.match(behind))
        if words[place - 1].text == "by" and place > 1 and words[place - 2].text in REPORTS:
            return True
        return any(word.text in REPORTS for word in words[place + 1 : place + 2])

    def _does_to_itself(self, sentence: str) -> bool:
        """Return whether a speaker is named again as an object, or next to themselves: 'Ana gave Ana a map'."""
        words = words_of(sentence)
        for place, word in enumerate(words):
            who = self._speaker_at(sentence, words, place)
            if who is None or word.owns or word.text in _ROLES:
                continue
            for at in range(place + _FEW, min(place + _OBJECT, len(words))):
                between = sentence[word.start : words[at].start]
                if _ENDS.search(between) or words[at].owns or self._speaker_at(sentence, words, at) != who:
                    continue
                last = words[at - 1].text
                if (last == "and" and at == place + _FEW) or (last not in _JOINS and at <= place + _NEAR):
                    return True
                if last in _TOWARDS:
                    return True
        return False

    def _is_shared(self, words: Sequence[Word], place: int) -> bool:
        """Return whether a subject is joined with another speaker: 'Ana and Ben', 'she and Ben'."""
        following, words_before = words[place + 1 : place + 3], words[max(0, place - 2) : place]
        beside = following[1:] if following and following[0].text == "and" else ()
        behind = words_before[:1] if len(words_before) == _FEW and words_before[1].text == "and" else ()
        return any(
            word.text in _PRONOUNS or (word.capital and not word.owns and is_participant(word.text, self._speakers))
            for word in (*beside, *behind)
        )

    def _is_anothers(self, part: _Part, seqs: Sequence[int], *, doubt: bool) -> bool:
        """Return whether the words of a part belong more to another speaker than to its subject."""
        who = part.who
        if not part.words:
            return False
        named = [passage for passage in self._sentences if passage.seq in seqs and passage.speaker]
        plain = [word for word in part.words if word not in part.names]
        referred = bool(plain) and any(
            is_participant(who, [passage.speaker]) and REFERS.search(passage.text) and all(map(passage.has, plain))
            for passage in named
        )
        if not (part.reports or part.owns) and self._is_of_third(part, named):
            return True
        votes: Counter[str] = Counter()
        for word in plain if referred else part.words:
            best: dict[str, float] = {}
            for passage in named:
                for owner, weight in passage.votes(word, self._speakers, said=part.reports).items():
                    best[owner] = max(best.get(owner, 0), weight)
                if passage.has(word) and self._is_also_theirs(passage, part):
                    best[who] = 1.0
            votes.update(best)
        return max(votes.values(), default=0) > votes[who] + (_DOUBT if doubt else _SURELY)

    @staticmethod
    def _is_of_third(part: _Part, named: Sequence[Passage]) -> bool:
        """Return whether most words of a part were said of a 'he' or 'she', and no cited sentence names the subject."""
        if any(passage.names(name.lower()) for passage in named for name in part.who.split()):
            return False
        of_third = [word for word in part.words if any(passage.is_of_third(word) for passage in named)]
        return len(of_third) > _THIRD * max(1, len(part.words))

    @staticmethod
    def _is_also_theirs(passage: Passage, part: _Part) -> bool:
        """Return whether a passage mentions the subject as a role of a program, or asks for what its speaker wants."""
        if part.wishes and is_participant(part.who, [passage.speaker]):
            return bool(REQUEST.search(passage.text))
        return not part.reports and part.who in _ROLES and not passage.plain.isdisjoint((part.who, f"{part.who}s"))

    def _is_of_speaker(self, sentence: str, seqs: Sequence[int]) -> bool:
        """Return whether a sentence names another person but says what a speaker said of themselves."""
        sentence_words = words_of(sentence)
        if len(sentence_words) < _FEW or not sentence_words[0].capital or not self.is_name(sentence_words[0].text):
            return False
        name = sentence_words[0].text
        if any(re.search(_NAMED_SO.format(re.escape(name)), other_sentence.text) for other_sentence in self._sentences):
            return False
        words = [word.text for word in sentence_words[1:] if says_something(word.text)]
        named = [passage for passage in self._sentences if passage.seq in seqs]
        theirs: list[Passage] = []
        for passage in named:
            if passage.names(name) or (theirs and (_STANDS_FOR.search(passage.text) or not passage.speaks_of_self)):
                theirs.append(passage)
        owned = sum(
            any(max(passage.votes(word, self._speakers, said=False).values(), default=0) >= 1 for passage in named)
            for word in words
        )
        return owned > sum(any(passage.has(word) for passage in theirs) for word in words)
