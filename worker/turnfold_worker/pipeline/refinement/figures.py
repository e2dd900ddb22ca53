"""Check that the numbers of a note occur in some turns, and count the same things there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.facts import FactKind, extract_facts
from turnfold_worker.pipeline.language.quantities import DIGITS, SPELLED, WORD, quantity, value_of
from turnfold_worker.pipeline.refinement.claims import says_something, words_of
from turnfold_worker.pipeline.refinement.passages import Passage
from turnfold_worker.pipeline.refinement.spellings import spaced

_FEW: Final = 2
_AROUND: Final = 40
"""Code points around a number in which the thing that it counts is looked for."""
_WIDE: Final = 160
"""Code points around a large number in which the other words of a claim are looked for."""
_CLOSE: Final = 15
"""Maximum code points between a name and a short number that belongs to it."""
_STOP: Final = lazy_pattern(r"[,;:.!?()\n]|\s(?:and|or|but|in|on|at|for|to|by|from|with|per|than|as|when|while)\s")
_COMPOUND: Final = lazy_pattern(r"(?<![\w.])\d+(?:(?:[:/x\u00d7]\d+)+|(?:-\d+){2,}| or \d+)(?!\w)")
"""Ratios, fractions and measures, whose numbers belong together."""
_ASSIGNED: Final = lazy_pattern(
    r"(?<![\w.])[\w.]{1,80} ?={1,2} ?[\"']?\d[\w.]{0,80}(?<!\.)|(?<!\w)\w{1,80}\(\d[\w.]{0,80}\)"
)
"""`user_id = 6`, `sleep(2)`: a value with the name that it belongs to."""
_VERSIONED: Final = lazy_pattern(r"(?<!\w)(?P<name>[A-Z]\w{1,60}) v?(?P<version>\d+(?:\.\d+)+)(?!\w)")
_LISTED: Final = lazy_pattern(r"(?m)^[ \t#*]{0,12}\d{1,2}[.)](?= )")
"""The number of a list item, which counts nothing."""
_RANGE: Final = lazy_pattern(r" (?:to|or|and|-) \d+(?P<behind> .*)", re.DOTALL)
_ENDS: Final = lazy_pattern(r"[,;:.!?()\n]")
_LARGE: Final = 3
"""Minimum digits of a large number."""
_NAMED: Final = lazy_pattern(r"(?<=[a-z,] )[A-Z]\w* \Z")
_WORD_BEFORE: Final = lazy_pattern(r"(?<![^\W\d_])[^\W\d_]{3,40} \Z")
_ORDINAL: Final = lazy_pattern(r"\A(?:st|nd|rd|th)(?!\w)")
_NUMERAL: Final = lazy_pattern(rf"(?i)(?<!\w)(?:{DIGITS.pattern}|(?:{'|'.join(SPELLED)})(?!\w))")
_NOT_COUNTED: Final = frozenset({"one", "once", "half", "both"})
"""Number words that mostly count nothing."""


def flat(text: str) -> str:
    """Return a text in lower case with single spaces and straight apostrophes."""
    return " ".join(text.lower().replace("\u2019", "'").split())


def _bare(text: str) -> str:
    """Return a text in lower case without white space, quotation marks and square brackets."""
    return re.sub(r"[\s'\"`\[\]]", "", text.lower())


def _counted_in(after: str) -> list[str]:
    """Return the words after a number that may say what it counts."""
    counted = (word.text for word in words_of(_STOP.split(_ORDINAL.sub("", after))[0])[:_FEW])
    return [word for word in counted if says_something(word)]


class Figures:
    """The numbers of some turns."""

    def __init__(self, lines: Sequence[tuple[int, str, str]]) -> None:
        """`lines` are (number, speaker, text) of the turns."""
        self._lines = [(seq, speaker, _LISTED.sub("", text)) for seq, speaker, text in lines]

    def support(self, text: str) -> bool:
        """Return whether every number of a text without dates occurs in the turns, and counts the same thing there."""
        return not any(self._missing(text))

    def _missing(self, text: str) -> Iterator[str]:
        yield from (match.group() for match in _COMPOUND.finditer(text) if flat(match.group()) not in self._flat)
        yield from (match.group() for match in _ASSIGNED.finditer(text) if _bare(match.group()) not in self._bare)
        yield from (match.group() for match in _VERSIONED.finditer(text) if not self._is_version(match))
        yield from (match.group() for match in DIGITS.finditer(text) if value_of(match.group()) not in self._quantities)
        for fact in extract_facts(text).of(FactKind.NUMBER):
            if not self._has_number(fact.text, text, fact.start):
                yield fact.text
        for word in words_of(text):
            if word.text in SPELLED and word.text not in _NOT_COUNTED:
                number, end = SPELLED[word.text], word.start + len(word.text)
                if number not in self._quantities or not self._counts(number, text[: word.start], text[end:]):
                    yield word.text

    def _is_version(self, match: re.Match[str]) -> bool:
        """Return whether a version occurs in the turns shortly after the name that a claim gives it."""
        name, version = re.escape(match["name"].lower()), re.escape(match["version"])
        return bool(re.search(rf"{name}(?:(?!\d+\.\d).){{0,{_AROUND}}}(?<![\d.]){version}(?![\d]|\.\d)", self._flat))

    @cached_property
    def _flat(self) -> str:
        return flat("\n".join(text for *_, text in self._lines))

    @cached_property
    def _bare(self) -> str:
        return _bare(self._flat)

    @cached_property
    def _spaced(self) -> str:
        return spaced(self._flat)

    @cached_property
    def _quantities(self) -> dict[str, set[str]]:
        """Units by value; includes an empty unit if the value occurs without one."""
        units_by_value: dict[str, set[str]] = {}
        for *_, text in self._lines:
            for fact in extract_facts(text).of(FactKind.NUMBER):
                number, unit = quantity(fact.text)
                units_by_value.setdefault(number, set()).add(unit)
            for word in WORD.findall(text.lower()):
                if word in SPELLED:
                    units_by_value.setdefault(SPELLED[word], set()).add("")
            for match in DIGITS.finditer(text):
                # A figure inside an identifier or a date, without a unit of its own.
                units_by_value.setdefault(value_of(match.group()), {""})
        return units_by_value

    def _has_number(self, shown: str, text: str, start: int) -> bool:
        value, unit = quantity(shown)
        units = self._quantities.get(value)
        if units is None or (unit and unit not in units and ("" not in units or len(value) < _LARGE)):
            return False
        word_before = _WORD_BEFORE.search(text, 0, start)
        if word_before and spaced(word_before.group() + shown) in self._spaced:
            return True
        named = _NAMED.search(text, 0, start)
        if (
            word_before
            and not named
            and len(value) < _LARGE
            and not unit
            and not _counted_in(text[start + len(shown) :])
            and says_something(word_before.group().strip().lower())
        ):
            named = word_before
        if named:
            # A number after a name is part of the name, or its value in a table.
            name, number = re.escape(flat(named.group()).strip()), re.escape(flat(shown))
            apart = _AROUND if len(value) >= _LARGE else _CLOSE
            return bool(re.search(rf"{name}[^\d]{{0,{apart}}}{number}(?!\d)", self._flat))
        return bool(unit) or self._counts(value, text[:start], text[start + len(shown) :])

    def _counts(self, number: str, text_before: str, after: str) -> bool:
        """Return whether a number counts the same thing in the turns; True for a short number without a thing."""
        counted = _counted_in(after)
        if not counted and (further := _RANGE.match(after)):
            return self._counts(number, text_before, further["behind"])
        if not counted and len(number) >= _LARGE:
            beside = [word.text for word in words_of(_ENDS.split(text_before)[-1]) if says_something(word.text)]
            return not beside or any(around.has(word) for around in self._around(number) for word in beside)
        if not counted or quantity(f"{number} {counted[0]}")[1] in self._quantities.get(number, ()):
            return True
        if len(number) >= _LARGE:
            # Large numbers rarely coincide: one word of the same clause nearby is enough.
            counted += [word.text for word in words_of(_ENDS.split(text_before)[-1]) if says_something(word.text)]
            return any(wide.has(word) for _, wide in self._counted.get(number, ()) for word in counted)
        return any(not near.shapes or near.has(word) for near, _ in self._counted.get(number, ()) for word in counted)

    def _around(self, number: str) -> Iterator[Passage]:
        """Yield the text around each occurrence of a large number, lines of code included."""
        for seq, speaker, text in self._lines:
            for match in DIGITS.finditer(text):
                if value_of(match.group()) == number:
                    yield Passage(text[max(0, match.start() - _WIDE) : match.end() + _WIDE], seq, speaker)

    @cached_property
    def _counted(self) -> dict[str, list[tuple[Passage, Passage]]]:
        """By value, the words after each number (or before it if none follow), and those on both sides."""
        counted: dict[str, list[tuple[Passage, Passage]]] = {}
        for seq, speaker, text in self._lines:
            for match in _NUMERAL.finditer(text):
                word = match.group().lower()
                number = SPELLED.get(word) or value_of(word)
                text_before, behind = (
                    text[max(0, match.start() - _AROUND) : match.start()],
                    text[match.end() :][:_AROUND],
                )
                near = "" if word == "both" else _STOP.split(behind)[0]
                if word != "both" and not any(says_something(word.text) for word in words_of(near)[:_FEW]):
                    near = f"{_STOP.split(text_before)[-1]} {near}"
                counted.setdefault(number, []).append(
                    (Passage(near, seq, speaker), Passage(f"{text_before} {behind}", seq, speaker))
                )
        return counted
