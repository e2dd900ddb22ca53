"""Summarizes source code, with or without line numbers: its definitions, imports, and where they are."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.statements import Lines, Statement, counted, is_bad, lists, state
from turnfold_worker.pipeline.language.common_words import listed

_NUMBER: Final = lazy_pattern(r"[ \t]{0,8}(\d{1,7})(?:[:|\t→]|[ ]{2})(?!\d)")
_WORDS: Final = (
    "class|interface|enum|struct|trait|impl|type|record|object|module|namespace"
    "|def|fn|func|function|sub|fun|macro_rules!"
)
_DEFINES: Final = lazy_pattern(
    r"\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)]*\))?|unsafe"
    r"|override|virtual|inline|const|extern|suspend|open|sealed|data)\s+)*"
    rf"(?:(?P<word>{_WORDS})\s+"
    r"(?:\([^)]{0,60}\)\s*)?(?P<name>[A-Za-z_]\w{0,80})"
    r"|(?:<[^<>()]{1,80}(?:<[^<>()]{0,40}>[^<>()]{0,40})?>\s+)?(?P<method>(?:[\w<>\[\],.?]+\s+){1,3})"
    r"(?P<called>[A-Za-z_]\w{0,80})\s*\([^;=]{0,300}$"
    r"|(?:let|var)\s+(?P<bound>\w{1,80})\s*=\s*(?:async\s*)?(?:\([^)]{0,120}\)|\w+)\s*=>)"
)
_COMMENTS: Final = frozenset({"//", "/*", "* ", "*/", "# ", '""', ""})
_NOT_METHODS: Final = listed(
    "return new else throw if for while switch case await yield not in print raise assert del do and or is"
)
_IMPORT: Final = lazy_pattern(
    r"\s*(?:from\s+([\w.]+)\s+import\s|import\s.{0,120}\sfrom\s+['\"]([^'\"]+)|(?:import|using|use|#include)\s+"
    r"(?:static\s+)?([\w.:/<>\"*-]{1,120}))"
)
_HEAD: Final = lazy_pattern(r"\[File: |File: |//\s*\S+\.\w+$|#\s*\S+\.\w+$|\(Open file|\(Current dir")
_NOISE: Final = lazy_pattern(r"\(\d+ more lines|\s*@\w")
_MOST: Final = 40


def summarize_code(lines: Lines) -> list[Statement]:
    """State the text around numbered lines, then definitions with their line numbers, then imports."""
    numbers = [_NUMBER.match(line) for line in lines.kept]
    numbered = sum(map(bool, numbers)) > len(numbers) // 4
    statements: list[Statement] = []
    defined: list[str] = []
    imported: list[str] = []
    for line, number in zip(lines.kept, numbers, strict=True):
        if _HEAD.match(line):
            statements.append(state(line, 95))
        elif numbered and number is None:
            if not _NOISE.match(line):
                statements.append(state(line, 100 if is_bad(line) else 75 - min(len(statements), 30)))
        elif name := _defined(line[number.end() :] if number else line):
            defined.append(f"{name} (line {number.group(1)})" if number else name)
        elif match := _IMPORT.match(line[number.end() :] if number else line):
            imported.append(next(filter(None, match.groups())).strip("'\"<>"))
    seen = [number.group(1) for number in numbers if number]
    span = f"code, lines {seen[0]} to {seen[-1]}" if numbered else f"code of {counted(lines.count, 'line')}"
    statements.append(state(span, 60))
    statements.extend(lists("defines", defined, worth=90, most=_MOST))
    statements.extend(lists("imports", imported, worth=55, most=20))
    return statements


def _defined(text: str) -> str:
    if text[-1:] == ";" or (text[-1:] == "," and "(" not in text) or text.lstrip()[:2] in _COMMENTS:
        return ""
    match = _DEFINES.match(text)
    if match is None:
        return ""
    if match.group("method") and not _NOT_METHODS.isdisjoint(match.group("method").split()):
        return ""
    word = match.group("word")
    name = match.group("name") or match.group("called") or match.group("bound")
    return (
        f"{word} {name}"
        if word in {"class", "interface", "enum", "struct", "trait", "impl", "type", "record"}
        else name
    )
