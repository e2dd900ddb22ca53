"""The name index: the paths and symbols a conversation is about, with scores. A context shows its best names.

A segment's index is built from its turns alone, and a conversation's is the merge of its segments' indexes, so the
cost of folding a segment depends on that segment only. An index is bounded like mergeable Misra-Gries counters
(Agarwal et al. 2012): the highest score that overflows is subtracted from all, so new names rise and unused ones fade.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.language.mentions import Mentions, file_name, is_path, mentions
from turnfold_worker.pipeline.language.prose import READ_HEAD, READ_TAIL, Span
from turnfold_worker.pipeline.turns.actions import command_words, found_nothing
from turnfold_worker.pipeline.turns.reading import Reading
from turnfold_worker.pipeline.turns.tool_groups import call_texts, called_tools

MAX_NAMES: Final = 400
"""Maximum number of names in an index."""
MAX_TOOL_SHARE: Final = 0.8
"""Share of a token budget that the names get in a conversation that is all tool output."""
_BY_TOOL: Final = 1
"""Points of a name for each tool turn that mentions it."""
_BY_PERSON: Final = 5
"""Points of a name for each turn of a person or an agent that mentions it: they chose to, a tool did not."""
_MOST_COMMANDS: Final = 6
"""Maximum number of tool commands shown: whoever continues the work needs to know how the tools are called."""
_LISTED: Final = 3
"""Points for appearing in a result list."""
_LONG_LIST: Final = 12
"""Length of a result list from which each name in it gets fewer points: a list of everything selects nothing."""
_LENDERS: Final = 60
"""Number of best symbols that lend points to paths whose file name contains them."""
_SHORTEST_LENDER: Final = 6
_LENT: Final = 5
"""A path gains one point per this many points of the symbol."""
_WORKED_ON: Final = 4
"""Factor by which a path is worth more when its file was changed or run."""
_LEAST_OF_ROW: Final = 3
_SCALE: Final = 10_000
_DISCOUNT: Final = tuple(round(_SCALE * math.pow(max(tokens, 1), -0.3)) for tokens in range(128))
"""Worth of a point by the tokens of the name, as integers, so that rounding is the same on every platform."""
_CODE_POINTS_PER_TOKEN: Final = 4
_KEY: Final = lazy_pattern(r"[\"'][A-Za-z_][\w-]{0,60}[\"']\s{0,2}:")
"""A JSON key: part of a tool's output format, not a name that the conversation is about."""
_DIGITS: Final = lazy_pattern(r"\d+")
_LEAST_FROM_ROOT: Final = 2
"""Minimum number of paths that must also occur relative to a folder before all paths are written relative to it."""
_LONGEST_SERIES: Final = 30


@dataclass(frozen=True, slots=True)
class IndexedName:
    """A name, with a score for how much the conversation is about it."""

    name: str
    score: int
    seq: int
    """The last turn that mentions the name."""
    commanded: int = 0
    """Number of turns in which an agent used the name as a tool command or as the end mark of a command."""


@dataclass(frozen=True, slots=True)
class NameIndex:
    """Names of a segment or a conversation: at most `MAX_NAMES`, ordered by score, then newest first, then by name."""

    entries: tuple[IndexedName, ...] = ()

    def to_json(self) -> list[list[str | int]]:
        """Serialize as rows of name, score and turn number; a command's row also has its count."""
        return [
            [entry.name, entry.score, entry.seq, *([entry.commanded] if entry.commanded else [])]
            for entry in self.entries
        ]

    @classmethod
    def from_json(cls, rows: Any) -> NameIndex:
        """Read the output of `to_json`; malformed rows are dropped."""
        read = [row for row in rows if _is_row(row)] if isinstance(rows, list | tuple) else []
        return _bounded(IndexedName(*row) for row in read)


def _is_row(row: object) -> bool:
    if not isinstance(row, list | tuple) or not _LEAST_OF_ROW <= len(row) <= _LEAST_OF_ROW + 1:
        return False
    return [type(cell) for cell in row] == [str, *[int] * (len(row) - 1)]


def segment_name_index(readings: Iterable[Reading]) -> NameIndex:
    """Build the index of one segment from its turns."""
    scores: dict[str, int] = {}
    last: dict[str, int] = {}
    commanded: Counter[str] = Counter()
    sought: set[str] = set()
    there: set[str] = set()
    for reading in readings:
        turn, by_tool = reading.turn, reading.tool
        mentioned = _mentioned(turn)
        listed = _LISTED * min(_LONG_LIST, len(mentioned.listed)) // max(1, len(mentioned.listed))
        if by_tool and found_nothing(turn.content):
            sought.update(mentioned.names)
        elif turn.role is not Role.ASSISTANT:
            there.update(mentioned.names)
        tools = called_tools(turn)
        if not by_tool:
            commanded.update(command_words(turn))
        by_manual = frozenset() if by_tool else _in_manual(turn, mentioned, reading.manual)
        for name in mentioned.names:
            if name in tools:
                continue
            weight = _BY_TOOL if by_tool else 0 if name in by_manual else _BY_PERSON
            scores[name] = (
                scores.get(name, 0) + weight + (listed if name in mentioned.listed and "/" in name.strip("/") else 0)
            )
            last[name] = turn.seq
    absent = {name for name in sought - there if is_path(name)}
    return _bounded(
        IndexedName(name, score, last[name], commanded[name]) for name, score in scores.items() if name not in absent
    )


def _in_manual(turn: StoredTurn, mentioned: Mentions, manual: Span | None) -> frozenset[str]:
    """Return the names that a turn mentions only inside a harness's standing instructions."""
    if manual is None:
        return frozenset()
    outside = turn.content[: manual.start] + turn.content[manual.end :]
    return frozenset(mentioned.names).difference(mentions(outside).names)


def _mentioned(turn: StoredTurn) -> Mentions:
    content = turn.content
    if len(content) > READ_HEAD + READ_TAIL:
        content = f"{content[:READ_HEAD]}\n{content[-READ_TAIL:]}"
    calls = call_texts(turn)
    return mentions(_KEY.sub("", "\n".join((content, *calls)) if calls else content))


def merge_name_indexes(*indexes: NameIndex) -> NameIndex:
    """Merge indexes; their order does not matter. Merging all at once loses less than merging pairwise."""
    scores: dict[str, int] = {}
    last: dict[str, int] = {}
    commanded: Counter[str] = Counter()
    for index in indexes:
        for entry in index.entries:
            scores[entry.name] = scores.get(entry.name, 0) + entry.score
            last[entry.name] = max(last.get(entry.name, 0), entry.seq)
            commanded[entry.name] += entry.commanded
    return _bounded(IndexedName(name, score, last[name], commanded[name]) for name, score in scores.items())


def _bounded(entries: Iterable[IndexedName]) -> NameIndex:
    ordered = sorted(entries, key=lambda entry: (-entry.score, -entry.seq, entry.name))
    kept, over = ordered[:MAX_NAMES], ordered[MAX_NAMES:]
    if not over:
        return NameIndex(tuple(kept))
    lost = over[0].score
    return NameIndex(tuple(replace(entry, score=entry.score - lost) for entry in kept))


def rank(index: NameIndex, worked_on: AbstractSet[str] = frozenset(), *, told: Sequence[str] = ()) -> tuple[str, ...]:
    """Rank names by worth per token, highest first; no name is a substring of an earlier one.

    The most frequent tool commands come first, as one entry: `(commands: find_file end_of_edit)`. Commands that already
    appear in `told` are left out.

    Points are divided by `tokens ** 0.3`: half the length is worth a fifth more points. `worked_on` are file names,
    without folders, of files that were changed or run; paths to them rank higher. Where the conversation writes paths
    relative to a root folder, that folder is listed once, before the first such path.
    """
    points, root = _from_root(_with_tails_merged(index), index)
    _lend(points)
    for name in points:
        if file_name(name) in worked_on:
            points[name] *= _WORKED_ON
    worth = _without_series({name: (1 + score) * _discount(name) for name, score in points.items()})
    commands = {entry.name: entry.commanded for entry in index.entries if entry.commanded}
    commonest = sorted(commands, key=lambda name_ranked: (-commands[name_ranked], name_ranked))[:_MOST_COMMANDS]
    new = [name for name in commonest if not any(name in name_ranked for name_ranked in told)]
    shown_names = [f"(commands: {' '.join(new)})"] if new else []
    text = "\n".join((root, *commands))
    for name in sorted(points, key=lambda name_ranked: (-worth[name_ranked], name_ranked)):
        if name not in text and points[name]:
            if root and "/" in name and not name.startswith("/"):
                shown_names.append(root)
                root = ""
            shown_names.append(name)
            text = f"{text}\n{name}"
    return tuple(shown_names)


def _from_root(points: dict[str, int], index: NameIndex) -> tuple[dict[str, int], str]:
    """Rewrite paths relative to the conversation's root folder; return the points by name, and that folder.

    The root is the prefix that turns the most relative paths of the index into absolute ones; empty when fewer than
    `_LEAST_FROM_ROOT` paths occur in both forms.
    """
    tails = [entry.name for entry in index.entries if "/" in entry.name.strip("/") and not entry.name.startswith("/")]
    roots: Counter[str] = Counter()
    by_file: dict[str, list[str]] = {}
    for name in points:
        if name.startswith("/"):
            by_file.setdefault(file_name(name), []).append(name)
    for tail in tails:
        roots.update(path[: -len(tail)] for path in by_file.get(file_name(tail), ()) if path.endswith(f"/{tail}"))
    root = min(roots, key=lambda path: (-roots[path], len(path), path), default="")
    if roots[root] < _LEAST_FROM_ROOT:
        return points, ""
    merged: dict[str, int] = {}
    for name, score in points.items():
        short = name[len(root) :] if name.startswith(root) and len(name) > len(root) else name
        merged[short] = merged.get(short, 0) + score
    return merged, root


def _without_series(value: Mapping[str, int]) -> dict[str, int]:
    """Return values by name, halved for each higher-valued name that differs in digits alone."""
    seen: dict[str, int] = {}
    worth = {}
    for name in sorted(value, key=lambda series_name: (-value[series_name], series_name)):
        shape = _DIGITS.sub("0", name)
        worth[name] = value[name] >> min(seen.get(shape, 0), _LONGEST_SERIES)
        seen[shape] = seen.get(shape, 0) + 1
    return worth


def _discount(name: str) -> int:
    return _DISCOUNT[min(1 + len(name) // _CODE_POINTS_PER_TOKEN, len(_DISCOUNT) - 1)]


def _with_tails_merged(index: NameIndex) -> dict[str, int]:
    """Return points by name, in fifths; a path that is the tail of longer paths adds its points to the best of them."""
    points = {entry.name: _LENT * entry.score for entry in index.entries}
    alike: dict[str, list[str]] = {}
    for name in points:
        if is_path(name):
            alike.setdefault(file_name(name), []).append(name)
    for paths in alike.values():
        for path in sorted(paths, key=lambda longer_path: (len(longer_path), longer_path)) if len(paths) > 1 else ():
            tail = f"/{path.lstrip('/')}"
            longer = [
                longer_path
                for longer_path in paths
                if len(longer_path) > len(path) and f"/{longer_path}".endswith(tail)
            ]
            if longer:
                best = max(longer, key=lambda longer_path: (points[longer_path], -len(longer_path), longer_path))
                points[best] += points.pop(path)
    return points


def _lend(points: dict[str, int]) -> None:
    """Add to each path a share of the points of the best symbol that its file name contains."""
    symbols = [name for name in points if len(name) >= _SHORTEST_LENDER and not is_path(name)]
    lenders = sorted(symbols, key=lambda name: (-points[name], name))[:_LENDERS]
    for path in [name for name in points if is_path(name)]:
        file = file_name(path)
        lender = next((name for name in lenders if name in file), None)
        if lender is not None:
            points[path] += points[lender] // _LENT


def tool_share(tool_tokens: int, all_tokens: int) -> float:
    """Return the names' share of a budget: the share of tool output in the conversation, at most `MAX_TOOL_SHARE`."""
    return min(MAX_TOOL_SHARE, max(0, tool_tokens) / all_tokens) if all_tokens > 0 else 0.0
