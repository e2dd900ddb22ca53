"""Detect a block's language, from its fence or how it begins, and the kind of block that the language implies."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern


class BlockKind(IntEnum):
    """The kinds of blocks that people ask for. The numbers are stored and must not change."""

    TEXT = 0
    CODE = 1
    SQL = 2
    JSON = 3
    CONFIGURATION = 4
    COMMANDS = 5
    MARKUP = 6
    TABLE = 7
    OUTPUT = 8
    """Output of a program: a log, a traceback, test results."""
    DIFF = 9
    TREE = 10
    """A tree of folders and files."""
    LINE = 11
    """A line of prose that contains a command, a link or a value."""


_ALIASES: Final = {
    "py": "python", "python3": "python", "js": "javascript", "mjs": "javascript", "jsx": "javascript",
    "ts": "typescript", "tsx": "typescript", "sh": "bash", "shell": "bash", "zsh": "bash", "console": "bash",
    "terminal": "bash", "shell-session": "bash", "yml": "yaml", "docker": "dockerfile", "make": "makefile",
    "md": "markdown", "rb": "ruby", "rs": "rust", "golang": "go", "c++": "cpp", "cs": "csharp", "c#": "csharp",
    "kt": "kotlin", "ps1": "powershell", "postgresql": "sql", "psql": "sql", "mysql": "sql", "plaintext": "",
    "text": "", "txt": "", "plain": "", "conf": "ini", "dotenv": "env", "patch": "diff", "htm": "html",
}  # fmt: skip
_KINDS: Final = {
    BlockKind.SQL: ("sql", "plsql", "sqlite"),
    BlockKind.JSON: ("json", "jsonc", "json5", "jsonl"),
    BlockKind.CONFIGURATION: (
        "yaml", "toml", "ini", "nginx", "env", "properties", "hcl", "terraform", "dockerfile", "apache", "cfg",
        "editorconfig", "gitignore", "caddyfile", "makefile",
    ),
    BlockKind.COMMANDS: ("bash", "powershell", "bat", "cmd", "fish"),
    BlockKind.MARKUP: ("html", "xml", "markdown", "svg", "latex", "tex", "jinja", "jinja2", "css", "scss"),
    BlockKind.TABLE: ("csv", "tsv", "table"),
    BlockKind.OUTPUT: ("log", "output", "traceback", "stacktrace"),
    BlockKind.DIFF: ("diff",),
    BlockKind.TREE: ("tree",),
    BlockKind.TEXT: ("",),
}  # fmt: skip
_KIND_OF: Final = {language: kind for kind, languages in _KINDS.items() for language in languages}
_WORD: Final = lazy_pattern(r"[A-Za-z][\w+#.-]*")
_LOOKS: Final = lazy_pattern(
    r"""
  (?P<tree>(?:[^\n]*\n)?(?:[ \t\u00a0│|]*(?:[├└]─|[|`+]--)[^\n]*\n){2,})
| (?P<dockerfile>(?:\#[^\n]*\n|\s)*FROM[ ]\S+[^\n]*\n(?s:.*?)^(?:RUN|COPY|CMD|WORKDIR|ENTRYPOINT)[ ])
| (?P<diff>(?:diff[ ]--git|---[ ]\S+[^\n]*\n\+\+\+[ ]|@@[ ]-\d))
| (?P<traceback>(?:Traceback[ ]\(most|[\w.]*(?:Error|Exception)(?::[ ]|$)|panic:[ ]|Exception[ ]in[ ]thread))
| (?P<json>[\[{]\s*(?:"[^"\n]*"\s*:|\{|\[|\d|"[^"\n]*"\s*[,\]])(?s:.*)[\]}]\s*$)
| (?P<sql>(?:--[^\n]*\n|\s)*(?i:select\s(?s:.{1,600}?)\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s
    |create\s+(?:or\s+replace\s+)?(?:temp\w*\s+|unique\s+)?(?:table|index|view|database|function|trigger|schema|type)\s
    |alter\s+table\s|drop\s+(?:table|index|view)\s|with\s+\w+\s+as\s*\(|explain\s+|begin\s*;))
| (?P<nginx>(?:\#[^\n]*\n|\s)*(?:server|upstream\s+\S+|location\s+\S+|http|events)\s*\{)
| (?P<html>\s*<(?:!DOCTYPE|html|head|body|div|form|table|script|a|p|ul|nav|button|input|\?xml|!--|\w+[ >]))
| (?P<python>(?:\#[^\n]*\n|\s)*(?:from\s+[\w.]+\s+import\s|import\s+[\w.]+(?:\s+as\s+\w+)?\s*$|(?:async\s+)?def\s+\w+\(
    |class\s+\w+(?:\([^)]*\))?:|@\w[\w.]*(?:\(|$)))
| (?P<javascript>(?://[^\n]*\n|\s)*(?:(?:const|let|var)\s+[\w{\[][^\n]*=
    |(?:export\s+)?(?:default\s+)?(?:async\s+)?function[\s*]|import\s[^\n]*\sfrom\s+['"]|module\.exports|require\())
| (?P<bash>(?:\#[^\n]*\n|\s)*(?:\$\s|sudo\s|(?:git|cd|npm|npx|yarn|pnpm|pip3?|python3?|docker(?:-compose)?|kubectl|helm
    |terraform|make|cmake|cargo|go|curl|wget|mkdir|rm|cp|mv|export|source|apt(?:-get)?|brew|chmod|ssh|scp|psql|redis-cli|flask|pytest
    |gunicorn|uvicorn|virtualenv|systemctl)\s))
| (?P<ini>(?:[#;][^\n]*\n|\s)*\[[\w. "-]{1,60}\][ \t]*\n\s*[\w.-]+\s*=)
| (?P<env>(?:\#[^\n]*\n|\s)*[A-Z][A-Z0-9_]{2,40}=\S*[ \t]*(?:\n|$))
| (?P<yaml>(?:\#[^\n]*\n|---\n|\s)*[A-Za-z][\w.-]{0,40}:(?:[ ][^\n]{0,200})?\n
    (?:[ \t]*(?:-[ ]|[\w."-]{1,40}:)[^\n]*(?:\n|$)))
""",
    re.VERBOSE | re.MULTILINE,
)
_LOOKED_AT: Final = 4_000


def language_of(info: str, inside: str) -> str:
    """Return the language in lower case, by its usual name; empty if unknown.

    >>> language_of("py title=app.py", ""), language_of("", "SELECT id FROM orders;"), language_of("", "Hello there")
    ('python', 'sql', '')
    """
    word = _WORD.search(info)
    if word is not None:
        named = word[0].lower().rstrip(".")
        if language := _ALIASES.get(named, named):
            return language
    match = _LOOKS.match(inside[:_LOOKED_AT].strip() + "\n")
    return (match.lastgroup or "") if match else ""


def kind_of_language(language: str) -> BlockKind:
    """Return the kind of a block in a language; an unknown language is taken for code."""
    return _KIND_OF.get(language, BlockKind.CODE)
