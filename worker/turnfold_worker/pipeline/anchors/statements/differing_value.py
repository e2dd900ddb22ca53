"""The value in which two clauses differ: where it stands in each, what it hangs on, and of what sort it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold_worker.pipeline.anchors.rules import frame_rules, retelling_rules
from turnfold_worker.pipeline.anchors.statements.told_clauses import Token, Told
from turnfold_worker.pipeline.language.common_words import is_common, listed

TO: Final = "→"
"""Stands before what a value was changed to."""
DAY: Final = lazy_pattern(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?")
_ORDINAL: Final = lazy_pattern(r"\d+(?:st|nd|rd|th)")
MONTHS: Final = listed("january february march april may june july august september october november december")
PREPOSITIONS: Final = listed(
    "in on at for from to with by of under until till through via behind near after before between into per"
)
BE: Final = frozenset({"is", "are", "am", "be", "been"})
_ENDS_IN_ED: Final = lazy_pattern(r"[a-z]{2,20}ed")
_JOINS: Final = frozenset({"a", "an", "the", "my", "our", "and", "or", "new"})
"""What may stand between two words of one value."""
_UNTOLD: Final = MONTHS | {
    STEMS[unit]
    for unit in listed("seconds minutes hours days nights weeks months years euros dollars pounds percent times kilos")
}
"""Months and units: many things are clause_told in them."""
_LEAST: Final = 3


class Run(NamedTuple):
    """Words that only one of two clauses has."""

    start: int
    end: int


class ValuePair(NamedTuple):
    """A later and an earlier clause that differ in a value."""

    later: Told
    earlier: Told
    run: Run
    """Where the value stands in the later clause."""
    gone: Run
    """Where it stands in the earlier one."""
    shared: frozenset[str]
    """Stems of the telling words of both."""
    new: str
    old: str

    @property
    def sorts(self) -> tuple[str, str]:
        """Of what sorts the values are: `number`, `day`, `word`; of two names `name`."""
        ours, theirs = map(_sort, self.values)
        return ("name", "name") if ours == theirs == "word" and are_names(self) else (ours, theirs)

    @property
    def values(self) -> tuple[list[Token], list[Token]]:
        ours = self.later.tokens[self.run.start : self.run.end]
        theirs = self.earlier.tokens[self.gone.start : self.gone.end]
        return [token for token in ours if token.tells], [token for token in theirs if token.tells]

    @property
    def leads(self) -> tuple[str, str]:
        """What stands before the values: a preposition, 'be', a verb, or nothing."""
        return _lead(self.later.tokens, self.run.start), _lead(self.earlier.tokens, self.gone.start)

    @property
    def names_what_was(self) -> bool:
        """Whether the later text names the earlier value beside its own."""
        gone = {token.stem for token in self.values[1]}
        return any(map(tells, gone)) and (gone <= self.later.before or gone <= self.later.was)


def are_names(pair: ValuePair) -> bool:
    """Whether both values begin with a capital."""
    return all(
        frame_rules.is_name(value_tokens[0].word, text)
        for value_tokens, text in zip(pair.values, (pair.new, pair.old), strict=True)
    )


def tells(stem: str) -> bool:
    """Whether a stem tells of what a clause is: no everyday word, month or unit."""
    return (len(stem) >= _LEAST and not is_common(stem) and stem not in _UNTOLD) or any(map(str.isdigit, stem))


def _lead(tokens: Sequence[Token], at: int) -> str:
    """The word that a value hangs on."""
    for token in reversed(tokens[:at]):
        if token.word == TO or token.word in PREPOSITIONS:
            return token.word
        if token.word in BE or token.word in {"have", "has"}:
            return "be"
        if token.tells:
            return token.stem
    return ""


def _sort(value_tokens: Sequence[Token]) -> str:
    words = [token.word for token in value_tokens]
    if len(words) == 1 and DAY.fullmatch(words[0]):
        return "days" if words[0].endswith("s") else "day"
    sorts = (sort for sort, is_one in _SORTS if any(map(is_one, words)))
    sort = next(sorts, "word")
    return sort if sort != "number" or len(words) <= _LEAST else "word"


_SORTS: Final[tuple[tuple[str, Callable[[str], object]], ...]] = (
    ("days", DAY.fullmatch),
    ("ordinal", _ORDINAL.fullmatch),
    ("month", MONTHS.__contains__),
    ("time", lambda word: ":" in word),
    ("number", lambda word: word.replace(".", "").replace(",", "").isdigit()),
    ("identifier", lambda word: any(map(str.isdigit, word))),
)
"""The first that a word is of counts."""


def runs(tokens: Sequence[Token], others: frozenset[str]) -> Iterator[Run]:
    """The runs of telling words that others have not; what stands between two of them tells nothing."""
    start, end = -1, -1
    for at, token in enumerate(tokens):
        is_own = token.tells and token.stem not in others
        if is_own:
            start, end = (at if start < 0 else start), at + 1
        elif start >= 0 and (token.tells or token.word not in _JOINS):
            yield Run(start, end)
            start = -1
    if start >= 0:
        yield Run(start, end)


def only_run(tokens: Sequence[Token], theirs: frozenset[str]) -> Run | None:
    """The only run of telling words that others have not; None where there are several."""
    own = list(runs(tokens, theirs))
    return own[0] if len(own) == 1 else None


def said(clause_told: Told) -> str:
    """The words of a clause."""
    return " ".join(token.word for token in clause_told.tokens)


def is_past(clause_told: Told) -> bool:
    """Whether a clause tells of what was or was done."""
    return retelling_rules.PAST.search(said(clause_told)) is not None or any(
        _ENDS_IN_ED.fullmatch(token.word) and token.tells for token in clause_told.tokens[1:3]
    )  # fmt: skip


def units_agree(pair: ValuePair) -> bool:
    """Whether what the numbers count is the same, as far as both tell."""
    ours, theirs = (
        tokens[run.end : run.end + 1]
        for tokens, run in ((pair.later.tokens, pair.run), (pair.earlier.tokens, pair.gone))
    )
    if not ours or not theirs or not (ours[0].tells and theirs[0].tells):
        return True
    return ours[0].stem == theirs[0].stem
