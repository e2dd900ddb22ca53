"""Summarizes diffs: files with counts of added and removed lines, locations, and the changed lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.statements import Lines, Statement, counted, state

_GIT: Final = lazy_pattern(r"diff --git \"?a/(.+?)\"? \"?b/(.+?)\"?$")
_NEW: Final = lazy_pattern(r"\+\+\+ \"?(?:b/)?([^\t\"]+)")
_OLD: Final = lazy_pattern(r"--- \"?(?:a/)?([^\t\"]+)")
_HUNK: Final = lazy_pattern(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,(\d+))? @@ ?(.*)$")
_HOW: Final = {"new file": "new", "deleted file": "deleted", "rename from": "renamed", "Binary files": "binary"}
_NOISE: Final = ("index ", "rename to", "similarity", "Index: ", "=====", "old mode", "new mode", "\\ No newline")
_MOST_FILES: Final = 20
_MOST_CHANGES: Final = 12


@dataclass(slots=True)
class _File:
    path: str
    how: str = "changed"
    added: int = 0
    removed: int = 0
    places: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        where = f" in {'; '.join(dict.fromkeys(self.places))}" if self.places and self.how == "changed" else ""
        return f"{self.path} {self.how} +{self.added} -{self.removed}{where}"


@dataclass(slots=True)
class _Diff:
    """Parser state: the files and other lines read so far."""

    files: list[_File] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    fresh: bool = False
    """True while the last file was begun by `diff --git` and its `---` line has not been read."""

    def take(self, line: str, before: str, after: str) -> None:
        if match := _GIT.match(line):
            self._begin(match.group(2))
            self.fresh = True
        elif (match := _OLD.match(line)) and after.startswith("+++ "):
            # Inside a hunk `--- x` may be a removed line `-- x`: only a header is followed by `+++`.
            if not self.fresh:
                self._begin(match.group(1))
            self.fresh = False
        elif (match := _NEW.match(line)) and before.startswith("--- ") and self.files:
            if match.group(1).strip() != "/dev/null":
                self.files[-1].path = match.group(1).strip()
        elif match := _HUNK.match(line):
            if not self.files:
                self._begin("a file")
            self.files[-1].places.append(match.group(4).strip() or f"line {match.group(2)}")
        else:
            self._take_text(line)

    def _begin(self, path: str) -> None:
        self.files.append(_File(path.strip()))

    def _take_text(self, line: str) -> None:
        file = self.files[-1] if self.files else None
        if file is None or not file.places:
            how = next((how for begin, how in _HOW.items() if line.startswith(begin)), "")
            if file and how:
                file.how = how
            elif not line.startswith(_NOISE):
                self.other.append(line)
        elif line[0] in "+-":
            file.added += line[0] == "+"
            file.removed += line[0] == "-"
            if any(map(str.isalnum, line)):
                file.changes.append(f"{line[0]} {line[1:].strip()}")


def summarize_diff(lines: Lines) -> list[Statement]:
    """State the totals, then each file with its changed lines verbatim, prefixed with `-` or `+`."""
    diff = _Diff()
    for line_before, line, after in zip(("", *lines.kept[:-1]), lines.kept, (*lines.kept[1:], ""), strict=True):
        diff.take(line, line_before, after)
    files = diff.files
    added, removed = sum(file.added for file in files), sum(file.removed for file in files)
    statements = [state(line, 60) for line in diff.other[:3]]
    statements.append(state(f"diff of {counted(len(files), 'file')}: {added} lines added, {removed} removed", 105))
    for i, file in enumerate(files[:_MOST_FILES]):
        statements.append(state(file.said, 100 - i))
        statements.extend(state(change, 80 - i - 2 * j) for j, change in enumerate(file.changes[:_MOST_CHANGES]))
    if len(files) > _MOST_FILES:
        statements.append(state(f"and {counted(len(files) - _MOST_FILES, 'more file')}", 70))
    return statements
