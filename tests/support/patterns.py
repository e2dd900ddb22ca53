"""Attack every regex of the packages with long strings made of pieces of its own alphabet.

`python -m support.patterns` prints the names of the slow ones, one a line.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined] # what a pattern consists of is told nowhere else
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Final

import turnfold
import turnfold_worker
from turnfold.contract.lazy_patterns import LazyPattern

LENGTH: Final = 20_000
"""Code points of an attack, for which a quadratic pattern takes hundreds of millions of steps."""
LINE: Final = 400
"""Code points of a line of structured content; see `content.statements.LONGEST_LINE`."""
LINES: Final = LENGTH // LINE
SECONDS: Final = 0.4
"""CPU seconds allowed for an attack; a linear pattern needs a hundredth of that."""
UNITS: Final = 24
_WITHOUT: Final = (".migrations", ".lazy_patterns", ".frameworks.")
"""Modules left out: lazy patterns are found under their own names, and importing users' frameworks takes seconds."""
_ALWAYS: Final = (
    "a", " ", "(", "1", ".", "\n", "-", "_", "a.", "1,", "a ", '"', "[", ":", "=", "|", "é", "a\n", "a-", "a_", "aA",
    "/a", "a'", "a@",
)  # fmt: skip
_CATEGORIES: Final = {op.CATEGORY_DIGIT: "1", op.CATEGORY_SPACE: " ", op.CATEGORY_WORD: "a"}


class _TooSlowError(Exception):
    pass


@cache
def patterns() -> Mapping[str, re.Pattern[str]]:
    """Return all compiled patterns by `module.name`, including those inside tuples, mappings and dataclasses."""
    found: dict[str, re.Pattern[str]] = {}
    for package in (turnfold, turnfold_worker):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not any(part in module.name for part in _WITHOUT):
                for name, value in vars(importlib.import_module(module.name)).items():
                    _collect(f"{module.name}.{name}", value, found)
    once = {(pattern.pattern, pattern.flags): name for name, pattern in reversed(found.items())}
    return {name: pattern for name, pattern in found.items() if once[pattern.pattern, pattern.flags] == name}


def _collect(name: str, value: Any, found: dict[str, re.Pattern[str]], depth: int = 0) -> None:
    if isinstance(value, LazyPattern):
        # The pattern that it compiled: compiling all of them a second time takes seconds.
        found[name] = value.search.__self__
    elif isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            found[name] = value
    elif depth < 3 and isinstance(value, tuple | list | frozenset | dict):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in inner:
            _collect(f"{name}[{key}]", one, found, depth + 1)
    elif depth < 3 and is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            _collect(f"{name}[{field.name}]", getattr(value, field.name), found, depth + 1)


def is_only_matched(name: str) -> bool:
    """Return whether a private pattern of a module is used with `match` and `fullmatch` only."""
    module, _, constant = name.rpartition(".")
    file = sys.modules[module].__file__ if module in sys.modules else None
    if file is None or not constant.startswith("_"):
        return False
    source = Path(file).read_text(encoding="utf-8")
    asked = set(re.findall(rf"\b{constant}\.(\w+)", source))
    handed_on = re.search(rf"[(,\[] *{constant}[),\]]", source)
    return bool(asked) and asked <= {"match", "fullmatch"} and handed_on is None


def scraps(tree: Any) -> Iterator[str]:
    """Yield the literal runs of a pattern, and members of its character classes."""
    run = ""
    for code, value in tree:
        if code is op.LITERAL:
            run += chr(value)
            continue
        if run:
            yield run
            run = ""
        if code is op.IN:
            yield from _members(value)
        else:
            for inner in _inside(code, value):
                yield from scraps(inner)
    if run:
        yield run


def _inside(code: Any, value: Any) -> list[Any]:
    if code in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
        return [value[2]]
    if code is op.SUBPATTERN:
        return [value[3]]
    if code is op.BRANCH:
        return list(value[1])
    if code in {op.ASSERT, op.ASSERT_NOT}:
        return [value[1]]
    return [value] if code is op.ATOMIC_GROUP else []


def _members(items: Any) -> list[str]:
    if any(code is op.NEGATE for code, _ in items):
        return ["x", " "]
    found = []
    for code, value in items:
        if code is op.LITERAL:
            found.append(chr(value))
        elif code is op.RANGE:
            found.append(chr(value[0]))
        elif code is op.CATEGORY:
            found.append(_CATEGORIES.get(value, "x"))
    return found[:4]


def sample(tree: Any, chance: random.Random) -> str:
    """Return a text that nearly matches."""
    text = ""
    for code, value in tree:
        if code is op.LITERAL:
            text += chr(value)
        elif code in {op.ANY, op.NOT_LITERAL}:
            text += "x"
        elif code is op.IN:
            text += chance.choice(_members(value) or ["x"])
        elif code in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
            times = chance.randint(value[0], min(int(value[1]), value[0] + 2))
            text += "".join(sample(value[2], chance) for _ in range(times))
        elif code not in {op.ASSERT, op.ASSERT_NOT}:
            inner = _inside(code, value)
            text += sample(chance.choice(inner), chance) if inner else ""
    return text


def attacks(pattern: re.Pattern[str], seed: str) -> Iterator[tuple[str, str]]:
    """Yield attacks: (what comes first, what is repeated after that)."""
    chance = random.Random(seed)
    tree = _parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    alphabet = sorted({*scraps(tree), *_ALWAYS})
    begun = [sample(tree, chance) for _ in range(6)]
    units = [*_ALWAYS, *chance.sample(alphabet, min(len(alphabet), UNITS))]
    units += ["".join(chance.choices(alphabet, k=chance.choice((2, 2, 3)))) for _ in range(UNITS)]
    units += [one for text in begun for one in (text, text[:-1], text[: len(text) // 2]) if one]
    for unit in dict.fromkeys(units):
        yield "", unit
    for text in begun:
        for cut in (len(text) // 2, len(text) - 1):
            yield text[: max(1, cut)], chance.choice(units)
            yield text[: max(1, cut)], chance.choice(_ALWAYS)


def is_slow(pattern: re.Pattern[str], first: str, unit: str, *, matched: bool, lines: bool) -> bool:
    """Return whether an attack takes longer than any linear pattern could."""
    size = LINE if lines else LENGTH
    text = (first + unit * (size // len(unit) + 1))[: size - 1] + "\x00"
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        for _ in range(LINES if lines else 1):
            if matched:
                pattern.match(text)
            else:
                for _ in pattern.finditer(text):
                    pass
    except _TooSlowError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return False


def slow(named: Mapping[str, re.Pattern[str]]) -> Iterator[str]:
    """Yield the names of slow patterns, each with its attack."""

    def give_up(*_: object) -> None:
        raise _TooSlowError

    signal.signal(signal.SIGVTALRM, give_up)
    for name, pattern in named.items():
        lines = ".pipeline.content." in name
        only = is_only_matched(name)
        for first, unit in attacks(pattern, name):
            if is_slow(pattern, first, unit, matched=only, lines=lines):
                yield f"{name}: {first!r} then {unit!r} again and again"
                break


if __name__ == "__main__":
    for line in slow(patterns()):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
