"""Edits: the lines that a tool call writes into a file, and those that it removes.

Read from arguments (`old_str`, `new_str`), patches, search/replace blocks, and commands followed by the new lines. No
tool is recognized by its full name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import dedent
from typing import Final, NamedTuple

from turnfold.contract.actions import ALL_OF_FILE, GAP_LINE, NEW_LINE, OLD_LINE, is_same_file
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.text import whole_numbers
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.mentions import is_path, mentions
from turnfold_worker.pipeline.turns.tool_groups import Call

LONGEST_WROTE: Final = 800
"""Maximum code points kept of the lines that a call writes."""
LONGEST_LINE: Final = 160
"""Maximum code points of a line; a longer one is truncated and ends in an ellipsis."""
MOST_GONE: Final = 12
"""Maximum number of removed lines that are kept."""
_READ: Final = 4_000
_BESIDE: Final = 2
"""Lines of context kept before and after a new line when not all lines are kept."""
_WORDS: Final = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+")
_OLD: Final = listed("old search find before original pattern target anchor")
"""Words in names of arguments that contain the text to replace, or its location."""
_NEW: Final = listed("new replace replacement content contents text insert code body patch diff input data source with")
"""Words in names of arguments that contain the text to write."""
_PART: Final = listed("insert append line lines start range")
"""Words of a tool or its arguments that mean writing a part of a file, although no old text is given."""
_UNDOES: Final = listed("undo revert restore checkout rm delete remove")
"""Words of a command that discards everything written to the file before."""
_HEREDOC: Final = lazy_pattern(r"<<-?\s{0,4}(['\"]?)([A-Za-z_]\w{0,30})\1")
_APPENDS: Final = lazy_pattern(r">>|tee -a")
END_MARK: Final = lazy_pattern(r"[A-Za-z_]{2,20}")
"""A last line that only ends the text to write: `EOF`."""
_RANGE: Final = lazy_pattern(r"\s{0,8}\w{1,20} (?:\S{1,200} )?(\d{1,7})[:,-](\d{1,7})\s*$")
"""An editor's command for a range of line numbers."""
NUMBERED: Final = lazy_pattern(r"[ \t]{0,8}(\d{1,7})(?:[:|\t→]|[ ]{2})")
_OF_FILE: Final = lazy_pattern(r"^\W{0,2}[Ff]ile:? [^\n]{1,300}", re.MULTILINE)
"""A line that names the file that follows."""
_HEAD: Final = 1_000
"""Code points of an output that are searched for that line."""
PATCHED: Final = lazy_pattern(r"(?m)^(?:\*{3} (?:Update|Add|Delete) File: |\+{3} (?:b/)?)([^\n\t]{1,300})")
"""The line of a patch that names the file to change."""
_PATCH_HEAD: Final = lazy_pattern(r"\*{3} |-{3} |\+{3} |diff |index |@@|\\ No newline|new file|deleted file|similarity")


class Written(NamedTuple):
    """The lines that a call writes and removes."""

    lines: tuple[str, ...] = ()
    """Each with the prefix `NEW_LINE`, `OLD_LINE` (unchanged) or `GAP_LINE` (lines left out)."""
    gone: tuple[str, ...] = ()
    """Removed lines, without their common indentation."""


NOTHING: Final = Written()


def written(call: Call, outputs: Sequence[str], *, path: str = "", about: str = "") -> Written:
    """Return the edit that a call makes to the file `about`; for a patch of several files, to the one at `path`."""
    values = [argument for argument in call.values if argument.strip()]
    if not values:
        return NOTHING
    if not _UNDOES.isdisjoint(word for text in (call.name, values[0][:80]) for word in _parts(text.split("\n", 1)[0])):
        return Written(gone=(ALL_OF_FILE,))
    old, new, whole = _halves(call, values)
    if not new:
        return Written(gone=(ALL_OF_FILE,)) if whole else NOTHING
    if any(map(PATCHED.search, new)) or new[0].startswith("@@"):
        return _of_patch("\n".join(new), path)
    blocks = [block for text in new for block in _blocks(text)]
    if blocks:
        old, new, whole = [text_before for text_before, _ in blocks], [after for _, after in blocks], False
    if not whole and not old:
        old = _replaced(values[0], [output for output in outputs if not _shows_other(output, about)])
    seen = {bare_line(line) for text in (*outputs, *old) for line in text[:_READ].split("\n")}
    lines: list[str] = []
    for text in new:
        lines += [GAP_LINE] if lines else []
        lines += _marked(dedent(text.expandtabs(4)).strip("\n").split("\n"), seen)
    kept = {line[1:].strip() for line in lines}
    gone = () if whole else _gone((line for text in old for line in _unnumbered(text)), kept)
    return Written(_bounded(lines), (ALL_OF_FILE,) if whole else gone)


def patched_files(call: Call) -> tuple[str, ...]:
    """Return the files that a patch changes, in order."""
    names = (match[1].strip() for argument in call.values for match in PATCHED.finditer(argument))
    return tuple(dict.fromkeys(name for name in names if name != "/dev/null"))


def file_shown(output: str) -> str:
    """Return the path of the file that an output says it shows; empty if it names none."""
    head = _OF_FILE.search(output, 0, _HEAD)
    return next((name for name in mentions(head.group()).names if is_path(name)), "") if head else ""


def _shows_other(output: str, path: str) -> bool:
    """True when an output shows a file other than `path`: an edit of `path` replaces none of its numbered lines."""
    path_shown = file_shown(output)
    return bool(path_shown and path) and not is_same_file(path_shown, path)


def bare_line(line: str) -> str:
    """Strip the line number and the indentation from a line."""
    return NUMBERED.sub("", line, count=1).strip() if line[:1].isdigit() or line[:1] == " " else line.strip()


def _parts(text: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(text)]


def _halves(call: Call, values: Sequence[str]) -> tuple[list[str], list[str], bool]:
    """Return the texts to replace, the texts to write, and whether the latter are the whole file."""
    if len(values) == 1 or not call.keys:
        body, whole = _behind_command(values[0] if len(values) == 1 else values[-1])
        return [], [body] if body.strip() else [], whole
    old, new, is_part = [], [], False
    for key, argument in zip(call.keys, call.values, strict=False):
        words = set(_parts(key))
        is_part = is_part or not words.isdisjoint(_PART)
        if words & _OLD:
            old.append(argument)
        elif words & _NEW:
            new.append(argument)
    is_part = is_part or not _PART.isdisjoint(_parts(call.name)) or not _PART.isdisjoint(_parts(values[0][:40]))
    return old, [text for text in new if text.strip()], bool(new) and not old and not is_part


def _behind_command(value: str) -> tuple[str, bool]:
    """Return the text that a command writes, up to its end mark if any, and whether that is the whole file."""
    first, _, rest = value.strip("\n").partition("\n")
    if (match := _HEREDOC.search(first)) is not None:
        body = rest.split(f"\n{match[2]}", 1)[0] if not rest.startswith(match[2]) else ""
        return body, not _APPENDS.search(first)
    if PATCHED.search(value) is not None:
        return value, False
    lines = rest.split("\n")
    if len(lines) > 1 and END_MARK.fullmatch(lines[-1].strip()):
        lines = lines[:-1]
    return "\n".join(lines), False


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the old and the new text of each search/replace block."""
    halves: list[list[str]] = []
    for line in text.split("\n") if "<<<<<" in text else ():
        if line.startswith("<<<<<"):
            halves = [[]]
        elif line.startswith("=====") and len(halves) == 1:
            halves.append([])
        elif line.startswith(">>>>>") and len(halves) == 2:
            yield "\n".join(halves[0]), "\n".join(halves[1])
            halves = []
        elif halves:
            halves[-1].append(line)


def _replaced(command: str, outputs: Sequence[str]) -> list[str]:
    """Return the lines in an editor's range, from the newest output that shows its first line by number."""
    match = _RANGE.match(command.split("\n", 1)[0])
    if match is None:
        return []
    first, last = int(match[1]), int(match[2])
    for output in reversed(outputs):
        numbered = {
            int(numbered_line[1]): line for line in output.split("\n") if (numbered_line := NUMBERED.match(line))
        }
        if first in numbered:
            return [numbered[number] for number in sorted(numbered) if first <= number <= last]
    return []


def _marked(lines: Iterable[str], seen: set[str]) -> list[str]:
    """Prefix each line as new or old by whether an output showed it before; all count as new if all were shown."""
    bare = [line.rstrip() for line in lines]
    marks = [NEW_LINE if line.strip() and line.strip() not in seen else OLD_LINE for line in bare]
    if NEW_LINE not in marks:
        marks = [NEW_LINE] * len(bare)
    return [mark + line for mark, line in zip(marks, bare, strict=True)]


def _of_patch(patch: str, path: str) -> Written:
    lines: list[str] = []
    gone: list[str] = []
    file, many = "", PATCHED.findall(patch)
    for line in patch.split("\n"):
        if (match := PATCHED.match(line)) is not None:
            file = match[1].strip()
        is_other = bool(path) and len(many) > 1 and file != path
        if _PATCH_HEAD.match(line) or is_other:
            lines += [GAP_LINE] if lines and lines[-1] != GAP_LINE else []
        elif line.startswith("-"):
            gone.append(line[1:].rstrip())
        elif file or line.startswith(("+", " ")):
            lines.append((NEW_LINE if line.startswith("+") else OLD_LINE) + line[1:].rstrip())
    while lines and lines[-1] in {GAP_LINE, OLD_LINE}:
        lines.pop()
    return Written(_bounded(lines), _gone(gone, {line[1:].strip() for line in lines}))


def _bounded(lines: Sequence[str]) -> tuple[str, ...]:
    """Keep all lines, or if too long the new ones with their context, with marks that count the lines left out."""
    kept = [_clipped(line) for line in lines]
    wanted = list(range(len(kept)))
    if sum(map(len, kept)) > LONGEST_WROTE:
        new = [at for at, line in enumerate(kept) if line[:1] == NEW_LINE]
        near = {at + step for at in new for step in range(-_BESIDE, _BESIDE + 1)}
        wanted = [at for at in wanted if at in near]
    bounded: list[str] = []
    left, last = LONGEST_WROTE, -1
    for at in wanted:
        if len(kept[at]) > left:
            break
        bounded += _gap(kept[last + 1 : at])
        bounded.append(kept[at])
        left -= len(kept[at])
        last = at
    return (*bounded, *_gap(kept[last + 1 :]))


def _gap(lines: Sequence[str]) -> list[str]:
    """Return the mark that counts the lines left out; an empty list for none."""
    return [f"{GAP_LINE}{len(lines) - lines.count(GAP_LINE)}"] if lines else []


def _gone(lines: Iterable[str], kept: set[str]) -> tuple[str, ...]:
    """Return the removed lines, with marks for kept lines between them and for removed ones beyond `MOST_GONE`."""
    gone: list[str] = []
    staying: list[str] = []
    for line in dedent("\n".join(lines)).split("\n"):
        if line.strip() in kept:
            staying.append(line)
        elif line.strip():
            gone += _gap(staying) if gone else []
            gone.append(line)
            staying = []
    return (*map(_clipped, gone[:MOST_GONE]), *_gap(gone[MOST_GONE:]))


def _unnumbered(text: str) -> list[str]:
    """Return the lines of a text without their line numbers."""
    return [NUMBERED.sub("", line, count=1).rstrip() for line in text.expandtabs(4).split("\n")]


def _clipped(line: str) -> str:
    longest = whole_numbers(line, LONGEST_LINE)
    return (line if longest >= len(line) else f"{line[:longest]}…").replace("→L", "\u203aL")
