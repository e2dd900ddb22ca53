"""Clauses as people write them in chats, each with what it states and whether it is said to be so from now on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.remembered import remembers_clauses
from turnfold.contract.terms import STEMS
from turnfold_worker.pipeline.anchors.rules import frame_rules, retelling_rules
from turnfold_worker.pipeline.anchors.rules.attribute_rules import KIN
from turnfold_worker.pipeline.anchors.rules.relation_rules import in_one_relation
from turnfold_worker.pipeline.anchors.rules.state_rules import REACHED
from turnfold_worker.pipeline.anchors.statements.when import is_bygone, waits
from turnfold_worker.pipeline.language.quantities import in_one_form, spelled_number
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes

_LONGEST: Final = 140
"""Characters of a text that is looked at."""
_MOST_CLAUSES: Final = 6
_MOST_TOKENS: Final = 24
_TO: Final = "→"
"""Stands before what a value was changed to."""
_WORD: Final = lazy_pattern(
    r"\d+(?:[.,:/]\d+)*(?:st|nd|rd|th)(?!\w)|\d+(?:[.,:/]\d+)*(?:%|)|→|#?[^\W_](?:[\w'/@+#&-]*\w)?|…"
)
_TIMES: Final = {"once": "1", "twice": "2"}
_TIMES_OF: Final = lazy_pattern(r"(?<!\w)(?:once|twice)(?= (?:a|an|per|each|every|daily|weekly)(?!\w))")
_HALF_HOUR: Final = lazy_pattern(r"(?<!\w)(?:half (?P<past>past )?(?P<hour>\w+))(?!\w)")
_OWN_PARTICLES: Final = lazy_pattern(r"(?<!\w)(?:have|has) got(?!\w)")


_OF_OTHERS: Final = lazy_pattern(rf"'s? |(?<!\w)(?:(?:his|her|their|your)(?!\w)|{KIN}(?!\w))")


_WRITTEN: Final = lazy_pattern(r"^[\[*-]|\n|\*\*|[({]|[^\W\d_][:] (?=\S)")
"""A caption, a list or a label: nothing that is said in a chat."""


class Token(NamedTuple):
    """A word of a clause."""

    word: str
    stem: str
    tells: bool
    """Whether it says of what the clause states something, or what."""


class Told(NamedTuple):
    """A clause that states something."""

    tokens: tuple[Token, ...]
    says_now: bool
    """Whether its own words say that it is so from now on, or was changed."""
    is_after: bool
    """Whether a clause of the text before it tells what happened, or that something was wrong."""
    before: frozenset[str]
    """Stems of the clauses of the text before it."""
    denied: bool
    is_change: bool
    """Whether it tells of a change: its thing, then what the value is now."""
    only: bool
    """Whether it says 'only' or 'just'."""
    is_off: bool = False
    """Whether it says that something does not take place, or is had no longer."""
    was: frozenset[str] = frozenset()
    """Stems of the value that it names as the earlier one."""
    ends_in_then: bool = False
    moves: bool = False
    """Whether a change is told by a verb after which any value may stand: 'moved to', 'switched to'."""

    @property
    def telling(self) -> frozenset[str]:
        """Stems of the words that tell."""
        return frozenset(token.stem for token in self.tokens if token.tells)


@remembers_clauses
def told_clauses(text: str) -> tuple[Told, ...]:
    """The clauses of a short text that state something as so; none of what asks, supposes, wants or reports.

    >>> [" ".join(token.stem for token in told.tokens) for told in told_clauses("Bed 4's been bumped to 4 litres")]
    ['bed bed 4 → 4 litr']
    >>> told_clauses("they almost moved me to 7A")
    ()
    """
    if len(text) > _LONGEST or _WRITTEN.search(text) is not None or is_question(text):
        return ()
    plain = retelling_rules.LATELY.sub("", plain_words(in_one_form(without_quotes(text))))
    if waits(plain) or is_bygone(plain) or retelling_rules.BARRED.search(plain):
        return ()
    return tuple(_told(plain))


def _told(plain: str) -> Iterator[Told]:
    opening = frame_rules.OPENS.match(plain)
    where = frame_rules.WHERE.match(plain, opening.end() if opening else 0)
    place = where.group().strip(" ,:") if where else ""
    parts = [part.strip() for part in retelling_rules.SPLIT.split(plain[where.end() if where else 0 :]) if part.strip()]
    happened = retelling_rules.TURNED_OUT.search(plain) is not None
    clauses = [_bare(part) for part in parts[:_MOST_CLAUSES]]
    stems = [frozenset(STEMS[word] for word in _WORD.findall(clause)) for clause in clauses]
    before: frozenset[str] = frozenset()
    for at, clause in enumerate(clauses):
        if clause:
            told = _clause(clause, parts[at], is_after=happened, before=before)
            # 'In staging, the port is 9443': where it is so tells as much as what stands behind it.
            yield told._replace(tokens=(*told.tokens, *_tokens(place))) if place else told
        happened = happened or retelling_rules.EVENT.search(clause) is not None
        before |= stems[at]


def _clause(clause: str, part: str, *, is_after: bool, before: frozenset[str]) -> Told:
    says_now = retelling_rules.NOW.search(clause) is not None or retelling_rules.NOW.search(part) is not None
    rest = " ".join(retelling_rules.NOW.sub(" ", clause).split())
    after = retelling_rules.AFTER_IT.search(rest)
    ends_in_then = retelling_rules.THEN.search(clause) is not None
    only = retelling_rules.ONLY.search(clause) is not None
    rest = retelling_rules.THEN.sub("", rest[: after.start()] if after else rest)
    denied = retelling_rules.NOT.search(rest) is not None or "no longer" in clause
    rest = " ".join(retelling_rules.NOT.sub(" ", rest).split())
    off = None if denied else retelling_rules.IS_OFF.match(rest)
    if off is not None:
        thing = off["thing"] or off["fell"] or off["gone"]
        return Told(
            _tokens(thing), says_now=True, is_after=is_after, before=before, denied=False, is_change=False, only=only,
            is_off=True,
        )  # fmt: skip
    rest, was, is_change = _changed(rest) if not denied else (rest, frozenset(), False)
    return Told(
        _tokens(rest), says_now or after is not None or is_change, is_after, before, denied, is_change, only,
        was=was, ends_in_then=ends_in_then,
        moves=is_change and retelling_rules.MOVES.search(clause) is not None,
    )  # fmt: skip


def _changed(clause: str) -> tuple[str, frozenset[str], bool]:
    """A clause that tells of a change as its thing, a sign and the value that holds now; the value before it."""
    for pattern in retelling_rules.CHANGES:
        match = pattern.match(clause)
        if match is None:
            continue
        groups = match.groupdict()
        if _OF_OTHERS.search(groups.get("who") or ""):
            # 'My brother's school raised the fee' is about another fee.
            continue
        was = frozenset(STEMS[word] for word in _WORD.findall(groups.get("before") or ""))
        thing = groups.get("thing") or groups.get("who") or ""
        return f"{thing} {_TO} {match['value']}", was, True
    return clause, frozenset(), False


def _bare(part: str) -> str:
    """A clause without what opens it and without hedges, short forms written out, numbers in digits."""
    opening = retelling_rules.OPENS.match(part)
    clause = part[opening.end() :] if opening else part
    clause = _written_out(clause)
    clause = retelling_rules.HEDGES.sub(lambda hedge: hedge.group() if hedge.group() in _KEPT else " ", clause)
    clause = _HALF_HOUR.sub(_hour, clause)
    clause = _TIMES_OF.sub(lambda times: f"{_TIMES[times.group()]} times", clause)
    words = (spelled_number(word) or word if word not in frame_rules.NO_NUMBERS else word for word in clause.split())
    return " ".join(in_one_relation(" ".join(words)).split())


_KEPT: Final = frozenset({"only", "just"})


def _written_out(clause: str) -> str:
    for pattern, written_out in frame_rules.SHORT_FORMS:
        if pattern is not REACHED:
            clause = pattern.sub(written_out, clause)
    clause = retelling_rules.HAS.sub(" has", retelling_rules.IS.sub(" is", clause))
    if retelling_rules.FINITE.search(clause) is None:
        clause = retelling_rules.LAST_IS.sub(r"\g<subject> is ", clause)
    return _OWN_PARTICLES.sub("have", clause).strip(" ,.;:!")


def _hour(match: re.Match[str]) -> str:
    digits = spelled_number(match["hour"]) or match["hour"]
    return f"{digits}:30" if digits.isdigit() else match.group()


def _tokens(clause: str) -> tuple[Token, ...]:
    tokens: list[Token] = []
    for word in _WORD.findall(clause)[:_MOST_TOKENS]:
        for piece in _pieces(word):
            bare = piece.removesuffix("'s").removesuffix("'").removeprefix("#")
            stem = STEMS[bare] if bare.isalpha() else bare
            if bare.isdigit() and tokens and tokens[-1].tells and tokens[-1].word.isalpha():
                # 'Bed 4' is another thing than 'bed 5', and no 4 litres.
                stem = f"{tokens[-1].stem} {bare}"
            tells = piece != _TO and piece not in retelling_rules.LEFT_OUT and (len(bare) > 1 or bare not in {"a", "i"})
            tokens.append(Token(piece, stem, tells))
    return tuple(tokens)


_UNIT: Final = lazy_pattern(
    r"(?P<number>\d+(?:[.,]\d+)*)(?P<unit>k|kg|km|g|mg|ml|l|m|cm|mm|gb|mb|tb|ms|s|min|h|x|p|px)"
)


def _pieces(word: str) -> tuple[str, ...]:
    """A number apart from its unit: '20k' is two words."""
    match = _UNIT.fullmatch(word)
    return (match["number"], match["unit"]) if match else (word,)
