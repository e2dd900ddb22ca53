"""Summarizes directory listings (`ls`, `find`, `tree`, file searches): counts, and names by folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.statements import Lines, Statement, counted, is_bad, lists, state

_LONG: Final = lazy_pattern(
    r"(?P<type>[dlbcps-])[rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+[\d.,]+[KMGT]?\s+\w{3}\s+\d{1,2}\s+"
    r"(?:\d\d:\d\d|\d{4})\s(?P<name>.+)$|(?P<kind>[dl-])[rwxsStT-]{9}[.+@]?\s.{0,200}\s(?P<last>\S+)$"
)
_BRANCH: Final = lazy_pattern(r"(?P<stem>[ \t\u00a0│|]*)(?:[├└]─{1,3}|[|`+]-{1,3}) ?(?P<name>.+)$")
_ENTRY: Final = lazy_pattern(
    r"(?:[-*•] +)?(?P<path>(?:\.{1,2}/|/|~/)?[\w.@+-][\w.@+ -]{0,99}(?:/[\w.@+ -]{1,100}){0,24}/?)\*?"
    r"(?P<note> ?\(.{1,40}\))?$"
)
_NO_ENTRIES: Final = frozenset({".", "..", "./", "../"})
_MOST_FOLDERS: Final = 16
_MOST_OTHER: Final = 20


@dataclass(slots=True)
class _Listing:
    folders: list[str] = field(default_factory=list)
    files: dict[str, list[str]] = field(default_factory=dict)
    """Names by folder."""
    other: list[str] = field(default_factory=list)

    def add(self, path: str, *, folder: bool, note: str = "") -> None:
        if path in _NO_ENTRIES:
            return
        if folder:
            self.folders.append(path.rstrip("/"))
        else:
            inside, slash, name = path.rpartition("/")
            self.files.setdefault(inside + slash, []).append(f"{name} {note}".strip())

    def take(self, line: str) -> None:
        if long := _LONG.match(line):
            name = (long.group("name") or long.group("last")).split(" -> ", 1)[0]
            self.add(name, folder=(long.group("type") or long.group("kind")) == "d")
            return
        entry = _ENTRY.match(line.strip())
        path = entry.group("path").strip() if entry else ""
        if entry is None or (" " in path and "/" not in path):
            if not line.startswith(("total ", "End of ")):
                self.other.append(line)
            return
        self.add(path, folder=path.endswith("/"), note=(entry.group("note") or "").strip())


def summarize_listing(lines: Lines) -> list[Statement]:
    """State the counts, the names by folder, and verbatim the lines that are no entries."""
    listing = _Listing()
    branches: list[tuple[int, str]] = []
    for line in lines.kept:
        if branch := _BRANCH.match(line):
            branches.append((len(branch.group("stem").expandtabs(4)), branch.group("name").strip()))
        else:
            listing.take(line)
    _grow(branches, listing)
    return _told(listing)


def _grow(branches: Sequence[tuple[int, str]], listing: _Listing) -> None:
    """Add the paths of a tree: a branch is inside the nearest earlier branch with a smaller indentation."""
    above: list[tuple[int, str]] = []
    for place, (column, name) in enumerate(branches):
        above = [(left, folder) for left, folder in above if left < column]
        path = "/".join([folder for _, folder in above] + [name.rstrip("/")])
        deeper = place + 1 < len(branches) and branches[place + 1][0] > column
        listing.add(path, folder=deeper or name.endswith("/"))
        if deeper:
            above.append((column, name.rstrip("/")))


def _told(listing: _Listing) -> list[Statement]:
    statements = [
        state(line, 100 if is_bad(line) or line.startswith("Found ") else 50 - i)
        for i, line in enumerate(listing.other[:_MOST_OTHER])
    ]
    count = sum(map(len, listing.files.values()))
    counts = [counted(count, "file")] if count else []
    counts += [counted(len(listing.folders), "folder")] if listing.folders else []
    # Names say more than their count, which the tool's own `Found` line may state already.
    if counts and not any(line.startswith("Found ") for line in listing.other):
        statements.append(state(" and ".join(counts), 60))
    for i, (folder, names) in enumerate(list(listing.files.items())[:_MOST_FOLDERS]):
        if len(names) == 1:
            statements.append(state(folder + names[0], 85 - 2 * i))
        else:
            statements.extend(lists(f"{folder}:" if folder else "files", names, worth=85 - 2 * i, most=24))
    if len(listing.files) > _MOST_FOLDERS:
        statements.append(state(f"and {counted(len(listing.files) - _MOST_FOLDERS, 'more folder')}", 40))
    if listing.folders:
        statements.extend(lists("folders", listing.folders, worth=70, most=24))
    return statements
