"""The ledger: which paths and symbols a conversation is about, with scores. A context shows its best names.

A segment's ledger is made from its turns alone; the conversation's is the merge of its segments', so that folding a
segment costs what the segment costs. A ledger is bounded the way mergeable counters are (Agarwal et al. 2012, after
Misra and Gries): what overflows is subtracted from all, so that new names can rise and unused ones fade.
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
"""Names that a ledger keeps."""
MAX_TOOL_SHARE: Final = 0.8
"""Share of a budget that the ledger may have in a conversation that is all tool output."""
_BY_TOOL: Final = 1
"""Points of a name for each tool turn that names it."""
_BY_PERSON: Final = 5
"""Points for each turn of anyone else: what is said was chosen."""
_MOST_COMMANDS: Final = 6
"""Words by which an agent commands its tools that are shown: whoever goes on needs them."""
_LISTED: Final = 3
"""Points for standing in a result list."""
_LONG_LIST: Final = 12
"""Names of a result list from which each has fewer points: what lists everything chooses nothing."""
_LENDERS: Final = 60
"""Best symbols that lend to the paths whose file name holds them."""
_SHORTEST_LENDER: Final = 6
_LENT: Final = 5
"""A path gains one point for this many of the symbol."""
_WORKED_ON: Final = 4
"""How much more a path is worth whose file was changed or run."""
_LEAST_OF_ROW: Final = 3
_SCALE: Final = 10_000
_DISCOUNT: Final = tuple(round(_SCALE * math.pow(max(tokens, 1), -0.3)) for tokens in range(128))
"""What a point is worth in a name of so many tokens, in whole numbers, so that no platform rounds another way."""
_CODE_POINTS_PER_TOKEN: Final = 4
_KEY: Final = lazy_pattern(r"[\"'][A-Za-z_][\w-]{0,60}[\"']\s{0,2}:")
"""Keys of JSON: they name what a tool always tells."""
_DIGITS: Final = lazy_pattern(r"\d+")
_LEAST_FROM_ROOT: Final = 2
"""Paths that are written from a folder on, at least, for others to be written so too."""
_LONGEST_SERIES: Final = 30


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A name and how much the conversation is about it."""

    name: str
    score: int
    seq: int
    """The turn that named it last."""
    commanded: int = 0
    """In how many turns an agent commanded a tool by it, or ended a command with it."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Names of a segment or a conversation; at most `MAX_NAMES`, by score, then newest, then by name."""

    entries: tuple[LedgerEntry, ...] = ()

    def to_json(self) -> list[list[str | int]]:
        """Rows of name, score and turn; of a command also how often it was given."""
        return [
            [entry.name, entry.score, entry.seq, *([entry.commanded] if entry.commanded else [])]
            for entry in self.entries
        ]

    @classmethod
    def from_json(cls, rows: Any) -> Ledger:
        """Read what `to_json` wrote; rows that are none are left out."""
        read = [row for row in rows if _is_row(row)] if isinstance(rows, list | tuple) else []
        return _bounded(LedgerEntry(*row) for row in read)


def _is_row(row: object) -> bool:
    if not isinstance(row, list | tuple) or not _LEAST_OF_ROW <= len(row) <= _LEAST_OF_ROW + 1:
        return False
    return [type(cell) for cell in row] == [str, *[int] * (len(row) - 1)]


def segment_ledger(readings: Iterable[Reading]) -> Ledger:
    """The ledger of the turns of one segment."""
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
        LedgerEntry(name, score, last[name], commanded[name]) for name, score in scores.items() if name not in absent
    )


def _in_manual(turn: StoredTurn, mentioned: Mentions, manual: Span | None) -> frozenset[str]:
    """Names that only a harness's standing instructions say."""
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


def merge_ledgers(*ledgers: Ledger) -> Ledger:
    """One ledger for all. Their order does not matter; merging all at once loses less than one after the other."""
    scores: dict[str, int] = {}
    last: dict[str, int] = {}
    commanded: Counter[str] = Counter()
    for ledger in ledgers:
        for entry in ledger.entries:
            scores[entry.name] = scores.get(entry.name, 0) + entry.score
            last[entry.name] = max(last.get(entry.name, 0), entry.seq)
            commanded[entry.name] += entry.commanded
    return _bounded(LedgerEntry(name, score, last[name], commanded[name]) for name, score in scores.items())


def _bounded(entries: Iterable[LedgerEntry]) -> Ledger:
    ordered = sorted(entries, key=lambda entry: (-entry.score, -entry.seq, entry.name))
    kept, over = ordered[:MAX_NAMES], ordered[MAX_NAMES:]
    if not over:
        return Ledger(tuple(kept))
    lost = over[0].score
    return Ledger(tuple(replace(entry, score=entry.score - lost) for entry in kept))


def rank(ledger: Ledger, worked_on: AbstractSet[str] = frozenset(), *, told: Sequence[str] = ()) -> tuple[str, ...]:
    """The names worth most per token first; none is part of a name before it.

    Before them the commonest words by which an agent commands its tools, as one: `(commands: find_file end_of_edit)`;
    without those in `told`.

    Points are divided by `tokens ** 0.3`: half the length is worth a fifth more points. `worked_on` are files, without
    folders, that were changed or run: paths to them come early. Where the conversation writes paths from a folder on,
    that folder stands once, before the first of them.
    """
    points, root = _from_root(_with_tails_merged(ledger), ledger)
    _lend(points)
    for name in points:
        if file_name(name) in worked_on:
            points[name] *= _WORKED_ON
    worth = _without_series({name: (1 + score) * _discount(name) for name, score in points.items()})
    commands = {entry.name: entry.commanded for entry in ledger.entries if entry.commanded}
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


def _from_root(points: dict[str, int], ledger: Ledger) -> tuple[dict[str, int], str]:
    """Points with paths from the folder on from which the conversation writes them, and that folder.

    It is what stands before a path of the ledger in the most longer ones; nothing when hardly any is written both ways.
    """
    tails = [entry.name for entry in ledger.entries if "/" in entry.name.strip("/") and not entry.name.startswith("/")]
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
    """Values by name; of names that differ in digits alone each one is worth half of the one before it."""
    seen: dict[str, int] = {}
    worth = {}
    for name in sorted(value, key=lambda series_name: (-value[series_name], series_name)):
        shape = _DIGITS.sub("0", name)
        worth[name] = value[name] >> min(seen.get(shape, 0), _LONGEST_SERIES)
        seen[shape] = seen.get(shape, 0) + 1
    return worth


def _discount(name: str) -> int:
    return _DISCOUNT[min(1 + len(name) // _CODE_POINTS_PER_TOKEN, len(_DISCOUNT) - 1)]


def _with_tails_merged(ledger: Ledger) -> dict[str, int]:
    """Points by name, in fifths; a path that is the tail of a longer one adds to the best of those."""
    points = {entry.name: _LENT * entry.score for entry in ledger.entries}
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
    """A path is about the symbols that its file is named after."""
    symbols = [name for name in points if len(name) >= _SHORTEST_LENDER and not is_path(name)]
    lenders = sorted(symbols, key=lambda name: (-points[name], name))[:_LENDERS]
    for path in [name for name in points if is_path(name)]:
        file = file_name(path)
        lender = next((name for name in lenders if name in file), None)
        if lender is not None:
            points[path] += points[lender] // _LENT


def tool_share(tool_tokens: int, all_tokens: int) -> float:
    """Share of a budget for the ledger: that of tool output in the conversation, at most `MAX_TOOL_SHARE`."""
    return min(MAX_TOOL_SHARE, max(0, tool_tokens) / all_tokens) if all_tokens > 0 else 0.0
