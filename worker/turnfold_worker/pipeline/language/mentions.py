"""Finds the names in a text: paths with an extension, file names, camelCase and snake_case symbols. Linear time.

A cheaper pass than `facts`: a name index only needs strings that look like names in any language, without offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import listed

LONGEST_NAME: Final = 200
"""Maximum code points of a path."""
LONGEST_SYMBOL: Final = 64
"""Maximum code points of a symbol; longer runs are data."""
_SHORTEST_SYMBOL: Final = 4
_MAX_DIGIT_GROUPS: Final = 3
"""Maximum groups of digits in a symbol; a run with more is a hash or a key."""
_LISTED_SHARE: Final = 0.5
"""Minimum share of a line that its path makes up in a result list."""
_LONGEST_LISTED: Final = 2 * LONGEST_NAME
_MOST_WORDS_LISTED: Final = 5

_RUN: Final = lazy_pattern(
    r"(?P<windows>[A-Za-z]:\\{1,2}(?:[\w.+-]{1,80}\\{1,2}){0,24}[\w.+-]{1,80})"
    r"|(?:\\[nrt])?(?P<run>(?!(?<=<)/)[A-Za-z0-9_.@~/\u00c0-\u024f\u0370-\u052f-]{3,})",
    re.ASCII,
)
"""A run of characters that names consist of. The `n` of an escaped `\\n` is not part of it, and `</a.b>` is no path."""
_PLAIN_RUN: Final = lazy_pattern(r"(?!(?<=<)/)[A-Za-z0-9_.@~/\u00c0-\u024f\u0370-\u052f-]{3,}")
"""The same for a text without backslashes."""
_HUMP: Final = lazy_pattern(r"[a-z0-9][A-Z]")
_DIGITS: Final = lazy_pattern(r"\d+")
_INSIDE: Final = lazy_pattern(r"[^A-Za-z0-9_]+")
_EXTENSION: Final = lazy_pattern(r"\.([A-Za-z][A-Za-z0-9]{0,11})$")
_PLAIN_EXTENSION: Final = 6
_MAX_DOTS: Final = 2
"""Maximum dots in a file name without a folder: `a.b.c.json` is more likely a package."""
_KNOWN_EXTENSIONS: Final = listed(
    """
    py pyi pyx ipynb js jsx ts tsx mjs cjs vue svelte java kt kts groovy scala clj go rs rb php pl pm lua r jl dart
    ex exs erl hs ml fs cs vb c h cc cpp cxx hpp hh m mm swift s asm sh bash zsh fish ps1 bat cmd sql json jsonl
    json5 yaml yml toml ini cfg conf config env lock md rst adoc txt text csv tsv parquet xml xsd xsl html htm css
    scss sass less svg png jpg jpeg gif webp ico pdf doc docx xls xlsx ppt pptx zip gz tgz tar bz2 xz zst jar war
    whl egg so dll dylib exe bin o a log out proto thrift graphql gradle sbt cmake mk mod sum tf tfvars hcl tpl tmpl
    j2 jinja ejs erb hbs properties plist db sqlite sqlite3 pem crt key pub snap patch diff rules service cabal
    gemspec podspec sol zig nim
    """
)
_WHOLE_NAMES: Final = listed(
    "Makefile Dockerfile Jenkinsfile Vagrantfile Procfile Gemfile Rakefile Pipfile Brewfile LICENSE NOTICE"
)


def _is_plain(run: str) -> bool:
    return run.isalpha() and (run.islower() or run.isupper() or run[1:].islower()) and run not in _WHOLE_NAMES


_IS_PLAIN: Final = Remembered(_is_plain)
"""Whether a run is a plain word; cached, because most runs are, and the same words recur."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """The names of one text."""

    names: tuple[str, ...]
    """Distinct, in order of first mention."""
    listed: frozenset[str]
    """The paths in a result list: two or more lines that consist mostly of a path."""


def mentions(text: str) -> Mentions:
    """Find the names in a text, and which of them are in a result list."""
    if "\\" in text:
        runs = dict.fromkeys(run or windows for windows, run in _RUN.findall(text))
    else:
        runs = dict.fromkeys(_PLAIN_RUN.findall(text))
    names: dict[str, None] = {}
    paths: dict[str, str] = {}
    unprefixed = "diff --git" in text or "+++ b/" in text
    for run in runs:
        if _IS_PLAIN[run]:
            continue
        path = _path(run, unprefixed=unprefixed)
        if path:
            paths[run] = path
            names[path] = None
        else:
            names.update(dict.fromkeys(_symbols(run)))
    return Mentions(tuple(names), _listed_paths(text, paths) if len(paths) > 1 else frozenset())


def is_path(name: str) -> bool:
    """True for a name from `Mentions` that is a path or a file name, False for a symbol."""
    return "/" in name or "." in name or "\\" in name or name in _WHOLE_NAMES


def file_name(path: str) -> str:
    """Return the last part of a path."""
    return path[max(path.rfind("/"), path.rfind("\\")) + 1 :]


def _path(run: str, *, unprefixed: bool) -> str:
    """Return the path that a run of characters denotes, or an empty string."""
    if ":\\" in run[:3]:
        return run.rstrip(".-") if _has_extension(file_name(run.rstrip(".-"))) and len(run) <= LONGEST_NAME else ""
    path = run.rstrip(".-/@~")
    while path.startswith(("./", "-")):
        path = path[2 if path[0] == "." else 1 :]
    if unprefixed and path[:2] in {"a/", "b/"}:
        path = path[2:]
    if not 3 <= len(path) <= LONGEST_NAME or "//" in path:
        return ""
    last = path[path.rfind("/") + 1 :]
    if last in _WHOLE_NAMES:
        return path
    if "/" not in path and ("@" in path or "~" in path or path.count(".") > _MAX_DOTS):
        return ""
    return path if _has_extension(last, known_only="/" not in path) else ""


def _has_extension(name: str, *, known_only: bool = False) -> bool:
    match = _EXTENSION.search(name)
    if not match or not any(map(str.isalnum, name[: match.start()])):
        return False
    extension = match.group(1)
    if extension.lower() in _KNOWN_EXTENSIONS and (
        extension.islower() or extension.isupper() or extension[1:].isdigit()
    ):
        return True
    return not known_only and extension.islower() and len(extension) <= _PLAIN_EXTENSION


def _symbols(run: str) -> Iterator[str]:
    """Yield the camelCase and snake_case symbols in a run of characters that is no path."""
    for part in _INSIDE.split(run):
        bare = part.strip("_")
        if not _SHORTEST_SYMBOL <= len(bare) <= LONGEST_SYMBOL or bare[0].isdigit():
            continue
        if "_" not in bare and not (_HUMP.search(bare) and any(map(str.islower, bare))):
            continue
        if len(_DIGITS.findall(bare)) <= _MAX_DIGIT_GROUPS:
            yield part if len(part) <= LONGEST_SYMBOL else bare


def _listed_paths(text: str, paths: dict[str, str]) -> frozenset[str]:
    """Return the paths on lines that consist mostly of a path, if there are at least two such lines."""
    own_lines: list[str] = []
    for line in text.split("\n"):
        if len(line) > _LONGEST_LISTED or ("/" not in line and "." not in line):
            continue
        words = line.split(None, _MOST_WORDS_LISTED)
        if len(words) > _MOST_WORDS_LISTED:
            continue
        for word in words:
            run = word.strip("\"'`()[]{}<>:,;*|")
            path = paths.get(run)
            if path is not None and len(run) >= _LISTED_SHARE * sum(map(len, words)):
                own_lines.append(path)
                break
    return frozenset(own_lines) if len(own_lines) > 1 else frozenset()
