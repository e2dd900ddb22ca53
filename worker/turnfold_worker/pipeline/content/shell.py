"""Summarizes shell commands and transcripts: the commands as typed, and how each ended."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.statements import RESULT, Lines, Statement, is_bad, state

_PROMPT: Final = lazy_pattern(
    r"(?:\([\w.-]{1,40}\)\s?)?(?:[\w.-]{1,40}@[\w.:~/-]{1,120}\s?[$#%]|bash[\w.-]{0,10}[$#]"
    r"|PS [^>]{1,120}>|[$%\u276f➜>])\s+(?P<command>\S.*)$"
)
_COMMENT: Final = lazy_pattern(r"\s*#(?!!)")
_MOST_OUTPUT: Final = 2
"""Maximum number of output lines shown per command, not counting errors and results."""


def summarize_shell(lines: Lines) -> list[Statement]:
    """State commands, errors and results; errors and the commands that caused them are worth most.

    Without any prompt every line is a command.
    """
    prompted = any(_PROMPT.match(line) for line in lines.kept)
    statements: list[Statement] = []
    commands = output = 0
    command_place: int | None = None
    for line in lines.kept:
        match = _PROMPT.match(line)
        if match:
            commands, output, command_place = commands + 1, 0, len(statements)
            statements.append(state(f"$ {match.group('command')}", 95 - min(commands, 20)))
        elif not prompted:
            commands += 1
            statements.append(state(line, 40 if _COMMENT.match(line) else 95 - min(commands, 20)))
        elif is_bad(line):
            if command_place is not None:
                # The command that led to an error is worth as much as the error.
                statements[command_place], command_place = state(statements[command_place].text, 101), None
            statements.append(state(line, 100))
        elif output < _MOST_OUTPUT or RESULT.search(line):
            output += 1
            statements.append(state(line, 70 if RESULT.search(line) else 50 - output))
    return statements
