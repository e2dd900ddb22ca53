"""Split a claim into content words, sentences and clauses."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.prose import NO_TITLE

_WORD: Final = lazy_pattern(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_OWNER: Final = lazy_pattern(r"['\u2019]s?\Z")
_SENTENCE: Final = lazy_pattern(rf"{NO_TITLE}(?<=[.!?;\u2026])\s+|\n+|\s[-\u2013\u2014]\s")
_WHOLE_SENTENCE: Final = lazy_pattern(rf"{NO_TITLE}(?<=[.!?])\s+(?=[A-Z\"'\u201c])")
_CLAUSE: Final = lazy_pattern(
    r"[,;:.!?()\n\u2026]{1,20}(?:\s|\Z)|\s[-\u2013\u2014]\s"
    r"|\s(?:but|because|although|though|while|since|so|whereas|yet|unless)\s"
)


_JOINED: Final = lazy_pattern(r"(?i)\s(?:and|or|that|which|who|when|if|than)\s")

_STRUCTURE: Final = listed(
    """
    a an the and or but nor so yet if then than that this these those which who whom whose what when where why
    how whether while as because since until though although i me my mine we us our ours you your yours he him
    his she her hers it its they them their theirs himself herself itself themselves myself yourself ourselves
    is are was were be been being am do does did done doing have has had having can could will would shall
    should may might must ought of in on at by for from to into onto with within about over under between among
    through during across along around near off out up down upon per via toward towards behind beside besides
    beyond there here also too very really quite still already again ever well such own same other another each
    both any some one ones else say says said saying tell tells told telling ask asks asked asking mention
    mentions mentioned explain explains explained note notes noted describe describes described state states
    stated report reports reported call calls called named name names reply replies replied respond responds
    responded answer answers answered talk talks talked talking speak speaks spoke add adds added discuss
    discusses discussed cover covers covered think thinks thought believe believes believed feel feels felt
    consider considers considered find finds found know knows knew see sees saw seen want wants wanted plan
    plans planned planning intend intends intended hope hopes hoped wish wishes wished need needs needed show
    shows showed shown showing share shares shared sharing include includes included including regarding
    concerning according make makes made making get gets got getting go goes went gone going give gives gave
    given giving take takes took taken taking use uses used using keep keeps kept come comes came put puts set
    let lets thing things something someone way ways kind part reason result time times conversation message
    photo photos picture pictures image images caption title user assistant speaker shows depicts depicting
    showing shown currently now several about approximately towards whose receive receives received create
    creates created creating offer offers offered expect expects expected promise promises promised suggest
    suggests suggested recommend recommends recommended confirm confirms confirmed express expresses expressed
    agree agrees agreed provide provides provided propose proposes proposed like likes liked ago instead refer
    refers referred regards leave leaves left visit visits visited become becomes became begin begins began
    start starts started continue continues continued open likely apparently thanks more much many today
    yesterday tomorrow day days week weeks weekend weekends month months year years daily date dates dated
    morning evening night afternoon before after not never no none without nothing nobody cannot neither don't
    doesn't didn't isn't wasn't aren't weren't won't can't couldn't wouldn't shouldn't hasn't haven't hadn't i'm
    i've i'll i'd hi hey oh ah um eg ie vs re ve ll pm am etc ok'd it's that's he's she's they're we're you're
    there's together owns owned stay stays stayed somebody anybody everybody everyone anyone held due few remaining
    shortly afterwards either next later plus likewise even titled entitled list lists listed listing hold holds
    holding run runs ran running otherwise people
    """
)
"""Words that a summary may add: they say who said something, or connect what was said."""
_TIME_NAMES: Final = listed(
    """
    january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday spring summer autumn fall winter
    """
)
_CONTRACTED: Final = lazy_pattern(r"(?:i|you|he|she|it|we|they|who|that|there)'(?:m|re|s|ve|ll|d)")
_SHORTEST: Final = 2
FIRST: Final = listed(
    """
    i i'm i've i'll i'd my mine me myself im ive we we're we've we'll we'd our ours us ourselves
    """
)
SECOND: Final = listed(
    """
    you you're you've you'll you'd your yours yourself u ur y'all
    """
)
THIRD: Final = frozenset({"he", "he's", "he'd", "he'll", "she", "she's", "she'd", "she'll"})
ADDRESSES: Final = SECOND | {"we", "we're", "we've", "we'll", "we'd", "our", "ours", "us", "let's", "together"}
"""Words by which a speaker addresses the listener, alone or together with the speaker."""
REPORTS: Final = listed(
    """
    said says say tells told asks asked thinks thought believes believed hopes hoped wishes wished suggests
    suggested recommends recommended advises advised offers offered agrees agreed thanks thanked congratulates
    congratulated praises praised encourages encouraged reminds reminded notes noted mentions mentioned explains
    explained appreciates appreciated assures assured proposes proposed describes described confirms confirmed
    answers answered replies replied lists listed warns warned points pointed provides provided compliments
    complimented promises promised doubts admires admired invites invited urges urged comments commented reacts
    reacted gives gave
    """
)
"""Verbs by which a sentence reports what its subject said."""


ADVICE: Final = frozenset(
    {
        "tip", "tips", "advice", "suggestion", "suggestions", "recommendation", "recommendations", "question", "step",
        "steps", "plan", "example", "proposal",
    }
)  # fmt: skip
SAYINGS: Final = frozenset({"idea", "instruction", "request", "wish", "view", "opinion", "rule"})
"""Nouns for what a person said: 'Ana's idea: ...'."""


class Word(NamedTuple):
    """A word of a text."""

    text: str
    """In lower case, without a possessive ending."""
    start: int
    capital: bool
    owns: bool
    """Whether it has a possessive ending."""


def words_of(text: str) -> list[Word]:
    """Return the words of a text in order."""
    words = []
    for match in _WORD.finditer(text):
        spelled = match.group().replace("\u2019", "'")
        bare = _OWNER.sub("", spelled)
        lowered = spelled.lower()
        kept = lowered if lowered in _STRUCTURE or lowered in SECOND or lowered in FIRST else bare.lower()
        words.append(Word(kept, match.start(), spelled[0].isupper(), bare != spelled))
    return words


def says_something(word: str) -> bool:
    """Return whether a word carries content, and so must occur in the source."""
    return len(word) >= _SHORTEST and word not in _TIME_NAMES and not _joins(word)


@lru_cache(maxsize=20_000)
def _joins(word: str) -> bool:
    """Return whether a summary may add a word, in any inflection: 'keeping' like 'keep'."""
    return (
        word in _STRUCTURE
        or bool(_CONTRACTED.fullmatch(word))
        or any(
            len(root) > _SHORTEST and (root in _STRUCTURE or f"{root}e" in _STRUCTURE)
            for bare in (word.removesuffix(ending) for ending in ("s", "ed", "ing") if word.endswith(ending))
            for root in (bare, bare[:-1] if bare[-1:] == bare[-2:-1] else bare)
        )
    )


def is_telling(word: str) -> bool:
    """Return whether a word carries content or names a weekday, month or season."""
    return says_something(word) or word in _TIME_NAMES


def content_words(text: str) -> list[str]:
    """Return the distinct words of a text that must occur in its source."""
    return list(dict.fromkeys(word.text for word in words_of(text) if says_something(word.text)))


def whole_sentences(text: str) -> list[str]:
    """Split a text into sentences that begin with a capital, as they are shown.

    >>> whole_sentences("Mr. Bos goes to bed early. He lives upstairs.")
    ['Mr. Bos goes to bed early.', 'He lives upstairs.']
    """
    return _WHOLE_SENTENCE.split(text)


def sentences_of(text: str) -> list[str]:
    """Split a text roughly into sentences, and at dashes, semicolons and line breaks."""
    return [piece for piece in _SENTENCE.split(text) if piece and piece.strip()]


def statements_of(text: str) -> list[str]:
    """Split a text into statements about one thing each, finer than clauses."""
    return [piece for clause in clauses_of(text) for piece in _JOINED.split(clause) if piece and piece.strip()]


def clauses_of(text: str) -> list[str]:
    """Split a text roughly into clauses, within which one negation applies."""
    return [piece for piece in _CLAUSE.split(text) if piece and piece.strip()]
