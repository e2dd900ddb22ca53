"""The words of a claim that say something, and where in the source they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.quantities import WORD
from turnfold_worker.pipeline.language.word_forms import forms, is_ordinary, meanings

_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_OWNER: Final = re.compile(r"['\u2019]s?\Z")
_SENTENCE: Final = re.compile(r"(?<=[.!?;\u2026])\s+|\n+|\s[-\u2013\u2014]\s")
_CLAUSE: Final = re.compile(
    r"[,;:.!?()\n\u2026]{1,20}(?:\s|\Z)|\s[-\u2013\u2014]\s"
    r"|\s(?:but|because|although|though|while|since|so|whereas|yet|unless)\s"
)


def emphasis_of(text: str) -> list[str]:
    """The negations of a text that deny nothing."""
    return [match.group() for match in _EMPHASIS.finditer(text)]


def without_emphasis(text: str) -> str:
    """A text without negations that deny nothing."""
    return _EMPHASIS.sub(" ", text)


_JOINED: Final = re.compile(r"(?i)\s(?:and|or|that|which|who|when|if|than)\s")

NO: Final = (
    r"not|never|no|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|barely|no-one|\w{2,8}n['\u2019]t"
    r"|dont|doesnt|didnt|cant|wont|isnt|wasnt|wish (?:i|we) (?:had|were|was|could)"
)
DENIES: Final = re.compile(rf"(?i)(?<!\w)(?:{NO})(?!\w)")
_AFFIRMS: Final = re.compile(
    r"(?i)(?<!\w)(?:not|never|cannot|\w{2,8}n['\u2019]t)(?: \w+ly)? (?:forget|fail|miss|wait|hesitate|doubt|mind|stop"
    r"|help|be happier|agree more|imagine|thank|get enough|worry)(?!\w)"
    r"|(?<!\w)wish (?:i|we) \w{2,8}n['\u2019]t(?!\w)"
)
"""Negations that affirm: 'can't wait', 'never forget', 'I wish I wasn't late'."""
WITHHOLDS: Final = re.compile(
    rf"(?i)(?<!\w)(?:{NO}|refus\w*|declin\w*|reject\w*|avoid\w*|forbid\w*|forbade|instead of"
    r"|rather than|fail\w*|stop\w*|exclud\w*|ban|banned|unable|unless|cancel\w*|abandon\w*|rul\w{1,3} out|miss\w*"
    r"|lack\w*|except|skip\w*|quit|den(?:y|ie[sd])|drop\w*|disable\w*|remov\w*|zero)(?!\w)"
)
"""What a denial may rest on."""
_ASKS: Final = r"(?<!\w)(?:whether|if|unless|until|ask(?:s|ed)?|wonder(?:s|ed)?|check(?:s|ed|ing)?|ensur(?:e|es|ed|ing)|verif(?:y|ies|ied))(?!\w)"
OPEN: Final = re.compile(f"(?i){_ASKS}")
"""Behind it stands what is asked, or what something depends on: it is not said to be so."""
OPEN_BEFORE: Final = re.compile(rf"(?i){_ASKS}(?: that)?\s*\Z")
_EMPHASIS: Final = re.compile(
    r"(?i)(?<!\w)(?:why not|nothing (?:like|better|more|beats)|no (?:doubt|wonder|problem|matter|better)|not (?:only|just)"
    r"|not to mention|mak(?:e|es|ing) sure|who (?:does|would|could)n['\u2019]t|(?-i:NOT [A-Z]+))(?!\w)"
)
"""Negations that deny nothing."""
WISHES: Final = re.compile(r"(?i)(?<!\w)(?:hop|want|wish|plan|intend|dream|would like|aim|will|going to)\w*")
LEANS_AWAY: Final = re.compile(
    rf"(?i)(?<!\w)(?:{NO}|refus\w*|declin\w*|reject\w*"
    r"|avoid\w*|forbid\w*|forbade|against|instead|rather|fail\w*|drop\w*|stop\w*|exclud\w*|ban|banned|unable|unless"
    r"|cancel\w*|abandon\w*|rul\w{1,3} out|miss\w*|lack\w*|except|dislike\w*|hate\w*|prevent\w*|disable\w*|remov\w*"
    r"|un\w{4,}|zero|too|few|little|skip\w*|den(?:y|ie[sd])|quit|regret\w*|doubt\w*|\w{3,}less)(?!\w)"
)

_NO_SUBJECT: Final = re.compile(rf"(?i)\W*(?:{NO})(?!\w)")
REACH: Final = re.compile(r"[,;:.!?]|\s(?:and|but|or|because|since|so)\s")
"""Where what a negation denies ends."""

_FACTIVE: Final = re.compile(r"(?i) *(?:really |even )?(?:notic|realiz|realis|know|knew|remember|regret|mind)\w*")
"""Verbs whose denial does not deny what follows: 'didn't notice that it rained'."""

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
    holding run runs ran running
    """
)
"""Words that a summary may add: they tell who said something, or join what was said."""
_TIME_NAMES: Final = listed(
    """
    january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday spring summer autumn fall winter
    """
)
_SHORTEST: Final = 2
ONE_WORD: Final = 4
_LIKE_WORD: Final = 0.75
_FIRST: Final = listed(
    """
    i i'm i've i'll i'd my mine me myself im ive we we're we've we'll we'd our ours us ourselves
    """
)
_SECOND: Final = listed(
    """
    you you're you've you'll you'd your yours yourself u ur y'all
    """
)
ADDRESSES: Final = _SECOND | {"we", "we're", "we've", "we'll", "we'd", "our", "ours", "us", "let's", "together"}
"""Words with which a speaker means the one spoken to, alone or with themselves."""
_EXCLAIMED: Final = re.compile(r"\W*\w+[,!]")
_OWNED: Final = frozenset({"my", "our", "your"})
_NO_SUBJECTS: Final = frozenset({"my", "mine", "me", "myself", "our", "ours", "us", "ourselves", "your", "yours"})
_ONLY_SUBJECTS: Final = _FIRST - _NO_SUBJECTS
_PAUSE: Final = re.compile(r"[,;:.!?(\[\u2013\u2014]")
_UNHELD: Final = 0.5
"""How surely a word belongs to whoever says it without an 'I'."""
_ASKED: Final = 0.8
"""How surely a word of a question belongs to whom it asks."""
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
"""Verbs with which a sentence tells of its subject's words, whomever these are about."""


class Word(NamedTuple):
    """A word of a text."""

    text: str
    """In lower case, without the ending of an owner."""
    start: int
    capital: bool
    owns: bool
    """Whether it ends as an owner's name does."""


def denies(text: str) -> bool:
    """Whether a clause denies something."""
    return bool(DENIES.search(_AFFIRMS.sub(" ", text)))


def words_of(text: str) -> list[Word]:
    """The words of a text in order."""
    found = []
    for match in _WORD.finditer(text):
        shown = match.group().replace("\u2019", "'")
        bare = _OWNER.sub("", shown)
        lowered = shown.lower()
        kept = lowered if lowered in _STRUCTURE or lowered in _SECOND or lowered in _FIRST else bare.lower()
        found.append(Word(kept, match.start(), shown[0].isupper(), bare != shown))
    return found


def says_something(word: str) -> bool:
    """Whether a word has to be found in the source."""
    return len(word) >= _SHORTEST and word not in _TIME_NAMES and not _joins(word)


@lru_cache(maxsize=20_000)
def _joins(word: str) -> bool:
    """Whether a word is one that a summary may add, in any of its endings: 'keeping' as 'keep'."""
    return word in _STRUCTURE or any(
        len(root) > _SHORTEST and (root in _STRUCTURE or f"{root}e" in _STRUCTURE)
        for bare in (word.removesuffix(ending) for ending in ("s", "ed", "ing") if word.endswith(ending))
        for root in (bare, bare[:-1] if bare[-1:] == bare[-2:-1] else bare)
    )


def is_telling(word: str) -> bool:
    """Whether a word says something, a day's name too."""
    return says_something(word) or word in _TIME_NAMES


def content_words(text: str) -> list[str]:
    """The words of a text that have to be found in its source, each once."""
    return list(dict.fromkeys(word.text for word in words_of(text) if says_something(word.text)))


def sentences_of(text: str) -> list[str]:
    """Sentences, roughly."""
    return [piece for piece in _SENTENCE.split(text) if piece and piece.strip()]


def statements_of(text: str) -> list[str]:
    """Finer than clauses: what is said of one thing."""
    return [piece for clause in clauses_of(text) for piece in _JOINED.split(clause) if piece and piece.strip()]


def clauses_of(text: str) -> list[str]:
    """Clauses, roughly: what one negation speaks about."""
    return [piece for piece in _CLAUSE.split(text) if piece and piece.strip()]


@dataclass(frozen=True)
class Passage:
    """A sentence or clause of the source."""

    text: str
    seq: int
    speaker: str
    asks: bool = False
    """Whether it is part of a question."""

    @cached_property
    def words(self) -> list[Word]:
        return words_of(self.text)

    @cached_property
    def shapes(self) -> frozenset[str]:
        """All forms of all of its words."""
        telling = (word.text for word in self.words if is_telling(word.text))
        return frozenset(form for word in telling for form in forms(word))

    @cached_property
    def plain(self) -> frozenset[str]:
        """Its words and figures in lower case as they are."""
        return frozenset(WORD.findall(self.text.lower()))

    def names(self, word: str) -> bool:
        """Whether a name in lower case stands here as a name; in a text without capitals, as a word.

        An ordinary word that is exclaimed at the beginning is none: 'Certainly!'.
        """
        if word not in self.plain and word.removesuffix("s") not in self.plain:
            return False
        written = {
            word.text for place, word in enumerate(self.words)
            if word.capital and not (place == 0 and is_ordinary(word.text) and _EXCLAIMED.match(self.text))
        }  # fmt: skip
        return word in written or word.removesuffix("s") in written or not written or not word.isalpha()

    @cached_property
    def denies(self) -> bool:
        return denies(self.text)

    @cached_property
    def denied(self) -> Passage:
        """What stands behind the negation, as far as it reaches."""
        match = DENIES.search(self.text)
        behind = REACH.split(self.text[match.end() :])[0] if match else ""
        factive = _FACTIVE.match(behind)
        return Passage(factive.group() if factive else behind, self.seq, self.speaker)

    @cached_property
    def withheld(self) -> Passage | None:
        """What is denied, refused or missed here, with what stands behind it; None where nothing is."""
        match = WITHHOLDS.search(self.text)
        if match is None:
            return None
        start = match.end() if DENIES.fullmatch(match.group()) else match.start()
        return Passage(REACH.split(self.text[start:])[0], self.seq, self.speaker)

    def affirms(self, words: Iterable[str]) -> bool:
        """Whether some words hold the verb of a negation that affirms: 'forget' of 'never forget'."""
        verbs = [match.group().split()[-1] for match in _AFFIRMS.finditer(self.text)]
        return any(not forms(verb.lower()).isdisjoint(forms(word)) for verb in verbs for word in words)

    def has(self, word: str) -> bool:
        """Whether a word stands here in some form, or one that means the same."""
        return not self.shapes.isdisjoint(forms(word)) or not self.shapes.isdisjoint(meanings(word))

    @cached_property
    def speaks_of_self(self) -> bool:
        """Whether it is about its speaker: 'I have not', or 'Have not' at its beginning."""
        return any(word.text in _FIRST for word in self.words) or bool(_NO_SUBJECT.match(self.text))

    def shared(self, words: Iterable[str]) -> int:
        """How many of some words stand here."""
        return sum(map(self.has, words))

    def closeness(self, words: Iterable[str]) -> float:
        """How near this comes to some words: more for a form of a word than for one that means the same."""
        return sum(
            ONE_WORD if not self.shapes.isdisjoint(forms(word)) else self.has(word) * _LIKE_WORD * ONE_WORD
            for word in words
        )

    def votes(self, word: str, speakers: Sequence[str], *, said: bool) -> dict[str, float]:
        """To whom a word belongs here, and how surely; with `said` to whoever said it."""
        found: dict[str, float] = {}
        for shapes, held in self._held(tuple(speakers)):
            weight = float(not shapes.isdisjoint(forms(word))) or _LIKE_WORD * (not shapes.isdisjoint(meanings(word)))
            for owner, surely in ({self.speaker: 1.0} if said else held).items() if weight else ():
                found[owner] = max(found.get(owner, 0.0), weight * surely)
        return found

    def _held(self, speakers: tuple[str, ...]) -> list[tuple[frozenset[str], dict[str, float]]]:
        """The forms of each telling word, with how surely it belongs to whom.

        That is whom the 'I' or 'you' before it means, both for 'I sent you a map'; what a 'you' does ends with its
        clause. Before the first of them it may be whoever speaks, or is asked, or the one of whom it goes on to speak.
        """
        if speakers not in self._holders:
            mine, yours = {self.speaker}, {one for one in speakers if one != self.speaker}
            unheld = dict.fromkeys(yours if self.asks and yours else mine, _UNHELD)
            holder = mine if _NO_SUBJECT.match(self.text) and not self.asks else set()
            owner: set[str] = set()
            found = []
            open_words: list[dict[str, float]] = []
            end = 0
            for word in self.words:
                if _PAUSE.search(self.text[end : word.start]):
                    open_words.clear()
                    holder, owner = (holder if holder == mine else set()), set()
                end = word.start + len(word.text)
                if word.text in _FIRST or word.text in _SECOND:
                    meant = mine if word.text in _FIRST else yours
                    owner = meant if word.text in _OWNED else set()
                    if word.text in _ONLY_SUBJECTS or not holder:
                        holder = meant
                    elif word.text not in _NO_SUBJECTS:
                        holder = holder | meant
                    for before in open_words:
                        before.update(dict.fromkeys(meant, _UNHELD))
                    open_words.clear()
                elif not says_something(word.text):
                    owner = set()
                else:
                    held = dict.fromkeys(owner or holder, _ASKED if self.asks else 1.0) or dict(unheld)
                    found.append((forms(word.text), held))
                    if not holder:
                        open_words.append(held)
            self._holders[speakers] = found
        return self._holders[speakers]

    @cached_property
    def _holders(self) -> dict[tuple[str, ...], list[tuple[frozenset[str], dict[str, float]]]]:
        return {}

    def owners(self, claimed: Sequence[str], others: Iterable[str]) -> set[str]:
        """Of whom the claimed words are said here: by the person before each. Empty where nobody stands before them."""
        shapes = frozenset(form for word in claimed for form in (*forms(word), *meanings(word)))
        owners: set[str] = set()
        holder: set[str] = set()
        for word in self.words:
            if word.text in _FIRST:
                holder = {self.speaker}
            elif word.text in _SECOND:
                holder = set(others) - {self.speaker}
            elif says_something(word.text) and not shapes.isdisjoint(forms(word.text)):
                owners |= holder
        return owners


def passages_of(turns: Iterable[tuple[int, str, str]], *, clauses: bool) -> Iterator[Passage]:
    """The sentences or statements of turns, given as (number, speaker, words)."""
    for seq, speaker, content in turns:
        for sentence in sentences_of(content):
            asks = sentence.rstrip().endswith("?")
            pieces = statements_of(sentence) if clauses else [sentence]
            for place, piece in enumerate(pieces, 1):
                yield Passage(piece, seq, speaker, asks and place == len(pieces))
