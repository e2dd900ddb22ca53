"""Similarity of two anchors by their words, their sentence vectors and their exact values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final

from turnfold.contract import vectors
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import PASTED, Anchor, AnchorState, AnchorType
from turnfold_worker.pipeline.anchors.rules import standing_rules, statement_rules
from turnfold_worker.pipeline.anchors.rules.attribute_rules import KIN
from turnfold_worker.pipeline.language.common_words import WEIGHTS, is_common, listed
from turnfold_worker.pipeline.language.facts import NAMES, VALUES, Facts, extract_facts
from turnfold_worker.pipeline.language.quantities import in_one_form
from turnfold_worker.pipeline.language.spoken import plain_words
from turnfold_worker.pipeline.language.words import SPECIFIC, specific_words, word_vector, words
from turnfold_worker.pipeline.turns.reading import Reading

_MARKS: Final = '.,;:!?()[]"“”'
_SAME_ROOT: Final = 5
"""Number of leading letters in common from which two words are forms of the same one."""
_LEAST_ROOT: Final = 3
"""Minimum length of a whole word that counts as the root of another."""
_WRITTEN_NUMBERS: Final = frozenset(
    {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty",
     "thirty", "forty", "fifty", "hundred", "thousand", "million", "once", "twice", "half", "double", "first", "second",
     "third", "last"}
)  # fmt: skip
_COMPARISONS: Final = frozenset(
    {"<", ">", "<=", ">=", "≤", "≥", "maximum", "minimum", "max", "min", "least", "most", "only", "some", "sometimes",
     "few", "hardly", "barely", "rarely", "seldom", "almost", "nearly"}
)  # fmt: skip
"""Signs and words that change what a value means; both texts must have the same ones to agree."""
_OPPOSITES: Final = (
    ("on", "off"), ("in", "out"), ("up", "down"), ("left", "right"), ("before", "after"), ("above", "below"),
    ("over", "under"), ("more", "less"), ("more", "fewer"), ("enable", "disable"), ("enabled", "disabled"),
    ("allow", "deny"), ("allowed", "denied"), ("always", "sometimes"), ("from", "until"), ("to", "from"),
    ("first", "last"), ("old", "new"), ("true", "false"), ("start", "stop"), ("open", "closed"), ("buy", "sell"),
    ("add", "remove"), ("add", "drop"), ("keep", "remove"), ("keep", "drop"), ("give", "take"), ("get", "lose"),
    ("win", "lose"), ("high", "low"), ("higher", "lower"), ("good", "bad"), ("better", "worse"), ("early", "late"),
    ("earlier", "later"), ("same", "different"), ("inside", "outside"), ("today", "tomorrow"), ("day", "night"),
    ("morning", "evening"), ("may", "must"), ("my", "your"), ("his", "her"), ("he", "she"), ("all", "none"),
    ("long", "short"), ("big", "small"), ("public", "private"),
)  # fmt: skip


_TURNS_ROUND: Final = ("un", "in", "im", "ir", "il", "non", "dis", "de", "mis")
"""Prefixes that make a word its opposite."""
_DIRECTIONS: Final = frozenset({"before", "after", "than", "instead", "from", "into", "onto", "until", "over", "under"})
"""Words that make the order of the things around them matter."""
_ORDERING: Final = listed("""
    always never from now on here going forward in the future please so and but also remember to make sure be you i
    want need expect should must do don't not ever
""")
"""Words that make an order a standing one, without its content."""
_ANY_OCCASION: Final = listed(" about for to you a an any the my of how what why question questions something")
_LIKE_FACTS: Final = frozenset({AnchorType.CONSTRAINT, AnchorType.INSTRUCTION, AnchorType.PREFERENCE})
_OWN: Final = listed("i i'm i've i'd i'll my me we we're we've our us")
_OTHERS: Final = listed("she she's he he's his her they they're they've their him them")
_OWN_KIN: Final = lazy_pattern(rf"(?<!\w)(?:my|our) (?:\w{{1,20}} )?{KIN}(?!\w)")
"""A relative whom the next statement may call 'she'."""
_KIN_FIRST: Final = lazy_pattern(rf"(?:(?:so|and|but|also),? )?(?:my|our) (?:\w{{1,20}} )?{KIN}(?!\w|'s)")
_SELF_FIRST: Final = lazy_pattern(r"(?:(?:so|and|but|also),? )?(?:i|we)(?! meant?,?(?!\w))(?!\w)")
_DOES: Final = lazy_pattern(
    r"(?:has |had |just ){0,2}(?:moved|joined|started|quit|resigned|married|lives|works|studies)(?!\w)"
)
"""Verbs after a name that show it to be a person's."""
_ANYBODY: Final = listed("it this that there they he she we i you who somebody someone everybody everyone")
_LETTER: Final = lazy_pattern(r"(?<=[^\W_] )[A-Z](?![^\W_]|['\u2019])")
"""A single capital that names something: 'plan B'."""


@dataclass
class Known:
    """An anchor under comparison; `anchor` is replaced as its state changes, while its text stays."""

    anchor: Anchor
    vector: vectors.Vector = vectors.NO_VECTOR
    turns_before: tuple[Reading, ...] | None = None
    """For a correction, its turn and those before it; None if they are not at hand."""
    text: str = field(init=False)
    """The text with amounts, days and times in one form, used for comparisons."""
    words: Mapping[str, int] = field(init=False)
    squared: int = field(init=False)

    def __post_init__(self) -> None:
        self.text = in_one_form(self.anchor.text)
        self.words, self.squared = _weighed(self.text)

    @property
    def kind(self) -> AnchorType:
        """The type for comparisons: limits, instructions and preferences count as facts, which others may change."""
        return AnchorType.CRITICAL_FACT if self.anchor.type in _LIKE_FACTS else self.anchor.type

    @property
    def shown_only(self) -> bool:
        """Whether the turn only shows text by someone else, so that the anchor settles nothing."""
        return PASTED in self.anchor.factors

    @cached_property
    def facts(self) -> Facts:
        return extract_facts(self.text)

    @cached_property
    def said(self) -> str:
        return plain_words(self.text)

    @cached_property
    def values(self) -> frozenset[str]:
        """The numbers and dates stated, without a leading 'on'."""
        return frozenset(bare_value(text) for text in self.facts.texts(*VALUES))

    @cached_property
    def turning(self) -> frozenset[str]:
        """Number words and comparison words."""
        return self.tokens & (_WRITTEN_NUMBERS | _COMPARISONS)

    @cached_property
    def tokens(self) -> frozenset[str]:
        return frozenset(word.strip(_MARKS) for word in self.said.split())

    @cached_property
    def exact(self) -> tuple[str, ...]:
        """Tokens with a digit in text order, then single letters that name something."""
        digits = [word.strip(_MARKS) for word in self.said.split() if any(map(str.isdigit, word))]
        return (*digits, *(letter for letter in _LETTER.findall(self.text) if letter != "I"))

    @cached_property
    def negations(self) -> int:
        """The number of negations."""
        return len(statement_rules.NEGATION.findall(self.said))

    @cached_property
    def denied(self) -> frozenset[str]:
        """The first content word after each negation."""
        denied_words = set()
        for match in statement_rules.NEGATION.finditer(self.said):
            after = [word for word in word_vector(self.said[match.end() :]) if not is_common(word)]
            denied_words.update(after[:1])
        return frozenset(denied_words)

    @cached_property
    def specific(self) -> frozenset[str]:
        """The words that tell what the anchor is about."""
        return frozenset(specific_words(self.text))

    @cached_property
    def taken_back(self) -> frozenset[str]:
        """Content words of what the anchor replaces, without those it also states."""
        parts = statement_rules.TAKEN_BACK.findall(self.said)
        stated = statement_rules.TAKEN_BACK.sub(" ", self.said)
        kept = {word for word in words(stated) if not is_common(word)}
        return frozenset(
            word
            for word in words(" ".join(parts))
            if word and not is_common(word) and not any(same_root(word, other) for other in kept)
        )

    @cached_property
    def order(self) -> frozenset[str]:
        """The words of a standing order without its introduction, names and values; empty for other anchors."""
        if not statement_rules.STANDING_ORDER.search(self.text):
            return frozenset()
        stated = {word for text in self.facts.texts(*NAMES, *VALUES) for word in plain_words(text).split()}
        return self.tokens - stated - _ORDERING

    @cached_property
    def occasion(self) -> frozenset[str]:
        """The words for the occasion on which an instruction applies; empty for other anchors."""
        if self.anchor.type is not AnchorType.INSTRUCTION:
            return frozenset()
        occasion = standing_rules.OCCASION.search(self.said)
        return frozenset(words(occasion["occasion"])) - _ANY_OCCASION if occasion else frozenset()

    @property
    def personal(self) -> bool:
        """Whether the meaning depends on who says it."""
        return self.anchor.type is AnchorType.COMMITMENT or statement_rules.PERSONAL.search(self.said) is not None

    @cached_property
    def tells_of_self(self) -> bool:
        """Whether the anchor is about its speaker, possibly among others: 'my budget'."""
        return not _OWN.isdisjoint(self.tokens)

    @cached_property
    def tells_of_others(self) -> bool:
        """Whether the anchor is about other people, possibly among others: 'their budget', 'my sister'."""
        return not _OTHERS.isdisjoint(self.tokens) or _OWN_KIN.search(self.said) is not None

    @cached_property
    def begins_with_self(self) -> bool:
        """Whether the anchor begins with its speaker: 'I live in Leeds'."""
        return _SELF_FIRST.match(self.said) is not None

    @cached_property
    def begins_with_another(self) -> bool:
        """Whether the anchor begins with another person: 'My sister moved', 'Ela has moved'."""
        if _KIN_FIRST.match(self.said):
            return True
        first, _, behind = self.text.partition(" ")
        return first.istitle() and first.lower() not in _ANYBODY and _DOES.match(behind) is not None

    @property
    def active(self) -> bool:
        return self.anchor.state is AnchorState.ACTIVE


def place_of(known_anchor: Known) -> tuple[int, int]:
    """Return where an anchor was said, as a key of the conversation's order."""
    return known_anchor.anchor.turn_seq, known_anchor.anchor.start


def bare_value(stated: str) -> str:
    """Strip the leading 'on' from a number or date and lower-case it."""
    return stated.lower().removeprefix("on ")


def cosine(a: str, b: str) -> float:
    """Return the cosine of the rarity-weighted terms of two texts, 0 to 1, rounded to four digits."""
    return _cosine(*_weighed(a), *_weighed(b))


def by_words(known_anchor: Known, other: Known) -> float:
    """Return the `cosine` of two anchors from their stored weights."""
    return _cosine(known_anchor.words, known_anchor.squared, other.words, other.squared)


def by_meaning(known_anchor: Known, other: Known) -> float:
    """Return the cosine of the sentence vectors of two anchors, -1 to 1; 0 without vectors."""
    return vectors.cosine(vectors.numbers_of(known_anchor.vector), vectors.numbers_of(other.vector))


def both(known_anchor: Known, other: Known, *, least: int = SPECIFIC) -> list[str]:
    """Return the terms in both anchors of at least this weight, by default those that tell what a text is about."""
    return [term for term in known_anchor.words if term in other.words and WEIGHTS[term] >= least]


def shared(known_anchor: Known, other: Known, *, least: int = SPECIFIC) -> int:
    """Count the terms that `both` returns."""
    return len(both(known_anchor, other, least=least))


def agree(known_anchor: Known, other: Known) -> bool:
    """Check that neither text has a number, date, name, comparison or negation that the other lacks.

    The order and the negated words must agree too ('Ana pays Omar' does not repeat 'Omar pays Ana'), and a personal
    statement must not come from two people.
    """
    if not same_person(known_anchor, other):
        return False
    if known_anchor.negations != other.negations or known_anchor.turning != other.turning:
        return False
    if (
        known_anchor.exact != other.exact
        or not _deny_the_same(known_anchor, other)
        or not _in_one_order(known_anchor, other)
    ):
        return False
    if (
        _turned_round(known_anchor, other)
        or _turned_round(other, known_anchor)
        or any(_faces(known_anchor, other, *pair) or _faces(other, known_anchor, *pair) for pair in _OPPOSITES)
    ):
        return False
    if _under_other_conditions(known_anchor, other):
        return False
    return (
        known_anchor.values == other.values
        and same_names(known_anchor, other)
        and not _name_other_things(known_anchor, other)
    )


def _under_other_conditions(known_anchor: Known, other: Known) -> bool:
    """Check whether both are orders for different occasions: 'when I ask about style', 'about costs'."""
    ours, theirs = known_anchor.occasion, other.occasion
    return bool(ours or theirs) and ours != theirs


def says_no_more(known_anchor: Known, other: Known) -> bool:
    """Check that the other anchor contains each value, name and content word of this one, which states something exact.

    >>> from turnfold.contract.records import Anchor, AnchorType
    >>> said = [
    ...     Known(Anchor(id=1, type=AnchorType.CRITICAL_FACT, text=text, turn_seq=1, start=0, end=len(text)))
    ...     for text in ("We run Redis 7.2 on 3 hosts.", "We run Redis 7.2 on 3 hosts in Oslo.", "Not on 3 hosts.")
    ... ]
    >>> says_no_more(said[0], said[1]), says_no_more(said[1], said[0]), says_no_more(said[2], said[1])
    (True, False, False)
    """
    if not known_anchor.exact or not _in_turn(known_anchor.exact, other.exact) or not same_person(known_anchor, other):
        return False
    if (
        known_anchor.negations != other.negations
        or not known_anchor.turning <= other.turning
        or not known_anchor.values <= other.values
    ):
        return False
    if not (_DIRECTIONS | {"to", "was", "were", "will"}).isdisjoint(known_anchor.tokens ^ other.tokens):
        return False
    telling = [term for term in known_anchor.words if not is_common(term)]
    if not _all_in(known_anchor.facts.texts(*NAMES), other.said) or not _in_turn(telling, other.words):
        return False
    # Repeated words must be repeated in the other: 'Omar, then Omar' is not contained in 'Ana, then Omar'.
    ours, theirs = (Counter(word.strip(_MARKS) for word in each.said.split()) for each in (known_anchor, other))
    return all(theirs[word] >= times for word, times in ours.items() if times > 1 and not is_common(word))


def shares_half(known_anchor: Known, other: Known) -> bool:
    """Check whether the other anchor has at least half of this one's words, common words included."""
    return 2 * len(known_anchor.words.keys() & other.words.keys()) >= len(known_anchor.words)


def _in_turn(some: Iterable[str], every: Iterable[str]) -> bool:
    """Check whether the first sequence is a subsequence of the second."""
    rest = iter(every)
    return all(wanted in rest for wanted in some)


def _deny_the_same(known_anchor: Known, other: Known) -> bool:
    """Check whether both negate the same words, in any form."""
    return all(any(same_root(word, known) for known in other.denied) for word in known_anchor.denied) and all(
        any(same_root(word, known) for known in known_anchor.denied) for word in other.denied
    )


def _in_one_order(known_anchor: Known, other: Known) -> bool:
    """Check whether names come in the same order, and all content words too where a word like 'before' is present."""
    if known_anchor.said == other.said:
        return True
    named = {plain_words(name) for each in (known_anchor, other) for name in each.facts.texts(*NAMES)}
    if sorted(named, key=known_anchor.said.find) != sorted(named, key=other.said.find):
        return False
    if _DIRECTIONS.isdisjoint(known_anchor.tokens | other.tokens):
        return True
    both = [term for term in known_anchor.words if term in other.words and not is_common(term)]
    return both == [term for term in other.words if term in known_anchor.words and not is_common(term)]


def _turned_round(known_anchor: Known, other: Known) -> bool:
    """Check whether one has a word that the other has with a reversing prefix: 'unset' for 'set'."""
    return any(
        word.startswith(_TURNS_ROUND)
        and word not in other.tokens
        and any(
            word == f"{begin}{other_token}" and other_token not in known_anchor.tokens
            for other_token in other.tokens
            for begin in _TURNS_ROUND
        )
        for word in known_anchor.tokens
    )


def _faces(known_anchor: Known, other: Known, word: str, opposite: str) -> bool:
    """Check whether one has a word and the other has its opposite instead."""
    tokens, answered = known_anchor.tokens, other.tokens
    return word in tokens and opposite in answered and word not in answered and opposite not in tokens


def same_names(known_anchor: Known, other: Known) -> bool:
    """Check whether each name in one anchor also occurs in the other."""
    return _all_in(known_anchor.facts.texts(*NAMES), other.said) and _all_in(
        other.facts.texts(*NAMES), known_anchor.said
    )


def same_person(known_anchor: Known, other: Known) -> bool:
    """Check that the statements are not personal ones, such as promises, of two different speakers.

    'I'm allergic to nuts' said by Ana is not the same as said by Ben. An unknown speaker matches any.
    """
    return same_speaker(known_anchor, other) or not (known_anchor.personal or other.personal)


def same_speaker(known_anchor: Known, other: Known) -> bool:
    """Check that the anchors are not from two different known speakers."""
    ours, theirs = known_anchor.anchor.speaker, other.anchor.speaker
    return ours is None or theirs is None or ours == theirs


def _all_in(names: tuple[str, ...], statement: str) -> bool:
    return all(plain_words(name) in statement for name in names)


def _name_other_things(known_anchor: Known, other: Known) -> bool:
    """Check whether each has a content word of its own: 'the keys for ana', 'the keys for omar'."""
    return bool(own_words(known_anchor, other)) and bool(own_words(other, known_anchor))


def own_words(known_anchor: Known, other: Known) -> list[str]:
    """Return content words of which the other has no form or fewer occurrences: 'Ana pays Ana'."""
    return [
        term
        for term, weighed in known_anchor.words.items()
        if not is_common(term)
        and (weighed > other.words.get(term, weighed) or not any(same_root(term, known) for known in other.words))
    ]


def same_root(term: str, other: str) -> bool:
    """Check whether two words are forms of one: 'pay' and 'payment', but not 'ana' and 'an'."""
    letters = min(len(term), len(other), _SAME_ROOT)
    return term == other or (letters >= _LEAST_ROOT and term[:letters] == other[:letters])


@lru_cache(maxsize=1_024)
def _weighed(text: str) -> tuple[Mapping[str, int], int]:
    """Return the weights of a text's words and the sum of their squares; cached since anchors recur across segments."""
    words = word_vector(text)
    return words, sum([value * value for value in words.values()])


def _cosine(a: Mapping[str, int], a_squared: int, b: Mapping[str, int], b_squared: int) -> float:
    # Most pairs share no word.
    common = a.keys() & b.keys()
    if not common:
        return 0.0
    dot = sum([a[term] * b[term] for term in common])
    return round(dot / math.sqrt(a_squared * b_squared), 4)
