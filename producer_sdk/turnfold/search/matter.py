"""The subject of the newest user turn, and the notes about it, for reads without a query. Pure.

In a query each word counts. A turn that continues a conversation is full of words that any other turn has too ("can
you help me make sure"): notes fetched for it have to share its subject.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from heapq import nlargest
from math import log
from typing import Final, NamedTuple, Self

from turnfold.contract.fences import fences_of
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.passages import Passage
from turnfold.contract.terms import distinct_terms, rarity, terms

MATTER_TERMS: Final = 16
"""Maximum number of terms of a turn to look up."""
MOST_STEERED: Final = 40
"""Passages that are considered for a turn that asks nothing."""
PLEASANTRIES: Final = frozenset(
    terms(
        """
        absolutely agreed alright amazing awesome bye care catch cheers continue cool correct day easy exactly fine
        forward glad go going good goodbye got great haha happy keep know later look looking see soon talk take worries
        hello help hey hi hmm indeed it lol lot love lovely many maybe morning much nice night no nope not ok okay
        perfect please right sorry sound sure thank thanks thx true understood welcome wonderful wow yep yes
        """
    )
)
"""Terms of a text that only greets, agrees or thanks."""
_MANNER: Final = """
    able accept achieve across act actual actually add additional address advice aim allow almost along already also
    although always among amount another answer anything apart appear apply appreciate approach appropriate area
    around ask aspect assist attempt available avoid aware away back bad base basic basically become begin behind
    believe benefit besides best better beyond big bit boost bring broad build call can care carefully carry case
    catch cause certain certainly challenge chance change check choice choose clarify clarity clear clearly close
    come comfortable common compare complete completely complex concept concern confidence confident confirm confuse
    confusing confusion consider consistent constantly contain continue convey cope correct correctly couple cover
    create crucial curious current currently deal decide deep deeply define definitely deliver demonstrate depend
    describe design desire despite detail determine develop different difference difficult directly discuss done
    easily easy effect effective effectively efficient effort either else emphasize enable encounter encourage end
    enhance enjoy enough ensure enter entire especially essential establish etc even eventually ever every everyday
    everything exact exactly examine example excite exist expect experience explain explore express extra extremely
    face fact fail fairly familiar far fast feel figure final finally find fine finish first fit fix focus follow
    forget form forward four frustrate full fully fun function further future gain gather general get give glad go
    goal gonna good grasp great ground grow growth guess guidance guide handle happen happy hard hear help helpful
    hey hi high highlight hit hmm hold honest hope however huge idea ideal identify imagine immediate impact
    implement important impress improve improvement include incorporate increase increasingly initial inside insight
    instance instead integrate intend interest introduce involve issue join keep key kind kinda know lack large last
    lately later latest lead learn least leave less let level leverage life light like likely limit line listen
    little live long look lose lot love low luck main maintain major make manage manner many mark master matter
    maximize maybe mean meantime meet mention merely method might mind minor miss mix moment mostly motivate move
    much multiple must name nature near necessary need nervous never nevertheless new next nice none normally note
    nothing notice number object obtain obvious occur offer often old one onto open opinion opportunity option order
    organize otherwise outcome overall overcome overwhelm own part particular particularly pass past people per
    perfect perform perhaps person personal perspective pick piece place plan play plenty please plus point popular
    position positive possible possibly potential power practical practice prefer prepare present pretty prevent
    previous prioritize probably problem proceed process produce progress project prompt proper properly proud prove
    provide purpose pursue put quality question quick quickly quite raise range rather reach react read ready real
    realistic realize really reason reasonable recap receive recent recently recognize recommend recommendation
    reduce refer refine reflect regard regular relate relevant rely remain remember remind remove repeat replace
    reply report represent request require requirement resolve respect respond rest result return review right rough
    roughly round run safe same satisfy save say scenario scratch seamless see seek seem select sense separate
    series serious set setup several shape share shift short show showcase side sight significant similar simple
    simply since single situation skip slightly slow small smooth solid solidify solution solve someone something
    sometimes somewhat soon sort sound specific specifically spend stage stand standard start state stay steady step
    stick still straightforward strategy strength strengthen strengths stress strong struggle stuck study stuff
    style succeed success successful suggest suggestion suit summarize super support suppose sure surprise tackle
    take talk task tell tend term test thing think third though thought thoughtful three through throughout thus tie
    time tip together today tomorrow tool top topic total totally touch toward track tried trouble true try turn
    tweak twice two type typically uncertain unclear understand unfortunately unique unless update upcoming use
    useful user usual usually valuable value various verify via view visit wait walk wanna want way weak week
    welcome wide willing wise wish within without wonder wonderful word work world worry worth write wrong year yes
    yesterday yet january february march april may june july august september october november december jan feb mar
    apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday month day hour
    minute date
"""
"""General words, months and days: they say how a subject is discussed, not which one."""
_ENDINGS: Final = ("", "s", "es", "d", "ed", "ing", "ly")
_NAMES: Final = lazy_pattern(r"(?<=[\w,;:)(\"'`] )[A-Z][\w'-]*|\b\w+(?:[._/\-]\w+)+|\b[a-z]+[A-Z]\w*")
_FEW_DIGITS: Final = 2
"""Maximum number of digits of a number that is too common for a subject."""
_SHARE: Final = 0.35
"""Share of the weight of a turn's heaviest terms that a note about its subject has at least."""
_HEAVIEST: Final = 5
_RARE: Final = 4
"""Divisor of the number of segments: a term in fewer segments than that counts as rare."""
_NAMED_IN: Final = 2
"""Maximum number of segments in which a name may occur and still identify a subject by itself."""


@cache
def _manner() -> frozenset[str]:
    """Terms of the general words and pleasantries, with any ending."""
    words = _MANNER.split()
    forms = [stem + ending for word in words for stem in {word, word.removesuffix("e")} for ending in _ENDINGS]
    return PLEASANTRIES | frozenset(terms(" ".join(forms)))


def matter_terms(text: str) -> tuple[str, ...]:
    """Distinct terms of a text's subject, in order: of its prose, unless there is only code.

    >>> matter_terms("Can you help me make sure that the backup of Lisbon works?")
    ('backup', 'lisbon')
    """
    prose = _without_code(text)
    return tuple([term for term in distinct_terms(prose if prose.strip() else text) if _is_matter(term)])


def _is_matter(term: str) -> bool:
    return term not in _manner() and not (term.isdigit() and len(term) <= _FEW_DIGITS)


def _without_code(text: str) -> str:
    kept, at = [], 0
    for fence in fences_of(text):
        kept.append(text[at : fence.start])
        at = fence.end
    return " ".join([*kept, text[at:]])


def heaviest_matter(text: str) -> tuple[str, ...]:
    """The `matter_terms` of a text that are looked up, the rarest first."""
    return tuple(sorted(matter_terms(text), key=rarity, reverse=True)[:MATTER_TERMS])


class Matter(NamedTuple):
    """Subject of a text, by terms that tell segments of a conversation apart."""

    told: Mapping[str, float]
    """Weight of each term."""
    names: frozenset[str]
    """Terms that name something."""
    rare: float
    """Weight of a term that is rare in the conversation."""
    named: float
    """Minimum weight of a name that identifies a subject by itself."""
    least: float
    """Minimum weight of a note about the subject."""

    @classmethod
    def of(cls, text: str, told: Mapping[str, float], *, segments: int) -> Self:
        """Subject of a text, from the weights of its terms in a conversation of `segments` segments."""
        rare = log(1.0 + segments / _RARE)
        return cls(
            told,
            frozenset([term for name in _NAMES.findall(text) for term in terms(name) if not term.isdigit()]),
            rare,
            log(1.0 + segments / _NAMED_IN),
            # A rare word may be in a turn by chance: the rarest count no more than any rare one.
            _SHARE * sum(nlargest(_HEAVIEST, [min(rare, weight) for weight in told.values()])),
        )

    def is_in(self, words: Collection[str]) -> bool:
        """Whether words are about the subject: enough of its terms, or a name that hardly any other segment has."""
        shared = [term for term in self.told if term in words]
        # 'flask-talisman' is one thing: its parts do not count again.
        apart = [term for term in shared if not any(term != other and term in other.split("-") for other in shared)]
        weights = [self.told[term] for term in apart]
        if sum(weights) >= self.least and (len(weights) > 1 or max(weights, default=0.0) > self.rare):
            return True
        return any(term in self.names and self.told[term] >= self.named for term in apart)

    def among(self, passages: Sequence[Passage]) -> list[Passage]:
        """Reduce passages to their notes about the subject."""
        matching = []
        for passage in passages:
            kept = [at for at, words in enumerate(passage.words) if self.is_in(words.split())]
            if kept:
                notes, words = passage.notes, passage.words
                matching.append(
                    passage._replace(notes=tuple([notes[at] for at in kept]), words=tuple([words[at] for at in kept]))
                )
        return matching
