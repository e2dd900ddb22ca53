"""Actions: what was done with tools, read from tool calls in both providers' shapes and from commands in code fences.

Whoever continues the work needs to know what was changed, what was run, and how it ended. An action that only looks
at something can be repeated at any time, so it matters only when it was the last one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from turnfold.contract.actions import Action, clipped, kept_actions
from turnfold.contract.fences import fences_of
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.origins import holds_tool_words
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.content.statements import RESULT, is_bad, read_lines
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.mentions import is_path, mentions
from turnfold_worker.pipeline.language.plain_lines import one_line
from turnfold_worker.pipeline.language.prose import READ_HEAD
from turnfold_worker.pipeline.turns.edits import (
    END_MARK,
    NOTHING,
    NUMBERED,
    PATCHED,
    bare_line,
    file_shown,
    patched_files,
    written,
)
from turnfold_worker.pipeline.turns.tool_groups import Call, calls_of, result_ids, tool_failed

LONGEST_DID: Final = 320
"""Maximum code points of the description of a call."""
MOST_FOUND: Final = 12
"""Maximum number of files kept from a search result."""
_LEAST_FOUND: Final = 2
"""Minimum number of files in a search result."""
LONGEST_ENDED: Final = 140
"""Maximum code points of the description of an outcome."""
_LONGEST_LINE: Final = 100
_SHORT_OUTPUT: Final = 3
"""Maximum lines of an output that is shown whole."""
_HEAD: Final = 1_000
"""Code points of a command that are read to find out what it does."""
_SHORT_ANSWER: Final = 400
"""Maximum code points of an output that only reports that something was not found."""
_MOST_PARTS: Final = 4
"""Maximum number of commands on a line that are checked for writing."""
_MOST_SEEN: Final = 4
"""Number of outputs before a call whose lines do not count as new when the call writes them."""
_LOOKS: Final = listed(
    """
    ls dir cat bat head tail less more nl open view read find fd locate grep rg ag search goto scroll pwd cd pushd popd
    which where whereis type show list get fetch browse query tree stat file wc du df env printenv date whoami history
    describe inspect look lookup diff log status blame ps top id hostname uname think plan sort uniq cut awk
    """
)
"""First words of commands, and words of tool names, that only look."""
_CHANGES: Final = listed(
    """
    edit multiedit create write insert replace patch append update save touch rm mv cp delete remove rename move undo
    tee
    """
)
"""First words of commands, and words of tool names, that change the file they name."""
_SEARCHES: Final = listed("grep egrep rg ag ack find fd locate search glob")
"""First words of commands, and words of tool names, that list the files containing something."""
_PRINTS: Final = listed("cat echo printf")
"""First words of commands that write a file when their output is redirected to one."""
_WRAPPERS: Final = listed("git gh docker kubectl sudo time env")
"""First words of commands whose second word says what is done."""
_WRITES: Final = lazy_pattern(r"(?<![-=<>&\d])>{1,2}(?![&=>])\s*(?!/dev/null)\S|\s-i\b|--in-place|<<")
"""Signs of a command that writes a file: a redirection, an in-place option, a heredoc."""
_INTO_FILE: Final = lazy_pattern(r"(?<![-=<>&\d])>{1,2}(?![&=>])\s*(?!/dev/null)\S")
_SHELL_LINE: Final = lazy_pattern(r"^(?:/\S{1,40}/)?(?:ba|z|da|k)?sh: (?:line )?\d{1,7}: ")
"""Prefix of a shell's error message; its line number differs each time."""
_PARTS: Final = lazy_pattern(r"&&|\|\||[;|\n]")
_WORD: Final = lazy_pattern(r"[A-Za-z]+")
_LINE_HEAD: Final = lazy_pattern(r"[:\s(]")
"""Ends a path at the beginning of a line: `src/pay.py:3: cut`."""
_AROUND: Final = lazy_pattern(
    r"\s*[\[(]?(?:File: |Open file|Current dir|\d+ (?:more )?lines|-{4,}|={4,}|bash-?\S{0,4}\$)"
)
"""Lines that tools print around the contents of a file."""
_QUOTED: Final = lazy_pattern(r"\"[^\"]{0,200}\"|'[^']{0,200}'|`[^`]{0,200}`")
_NOTHING_THERE: Final = lazy_pattern(
    r"(?i)\b(?:(?:no|0) (?:such|match(?:es)?|results?|files?)|not found|not exist|too many (?:results|matches|files)"
    r"|narrow (?:your|the) search|cannot|could not|denied|fatal:|error:)"
)
"""A failed look, by the first line of its output; further lines are the content that it shows."""
_ECHO: Final = lazy_pattern(r"\s*(?:[$>] |\[?exit(?:ed)?\b.{0,20}$)", re.IGNORECASE)
"""A line that repeats the command, or contains only the exit code."""
_SENTENCE: Final = lazy_pattern(r"(?<=[.!?])\s+(?=[A-Z])")
_TELLING: Final = lazy_pattern(r"(?:Error|Exception)\b|\d|[a-z][A-Z]|:\s*\S|`|'|\"")
_EXIT: Final = lazy_pattern(r"(?i)\bexit(?:ed)?(?: (?:code|status|with(?: code)?))?[: ]+(\d{1,3})\b")


def actions_of(turns: Sequence[StoredTurn], *, before: Sequence[StoredTurn] = ()) -> tuple[Action, ...]:
    """Return the actions of the turns that are worth keeping, in order; `before` are the turns before them."""
    if not any(map(holds_tool_words, turns)) and not any(turn.parts for turn in turns):
        return ()
    outputs = [turn.content for turn in before if holds_tool_words(turn)]
    actions: list[Action] = []
    for place, turn in enumerate(turns):
        if holds_tool_words(turn):
            outputs.append(turn.content)
            continue
        results = list(_after(turns, place))
        waits = bool(outputs) and place == len(turns) - 1
        actions.extend(_actions(turn, results, outputs[-_MOST_SEEN:], waits=waits))
    return kept_actions(actions)


def found_nothing(output: str) -> bool:
    """True for a short tool output that only reports that something was not found."""
    return len(output) <= _SHORT_ANSWER and bool(_NOTHING_THERE.search(output))


def _fenced(turn: StoredTurn) -> str:
    """Return the content of the last closed code fence of a turn, or an empty string."""
    text = turn.content[-READ_HEAD:]
    closed = [fence for fence in fences_of(text) if fence.closed] if "```" in turn.content else []
    return text[closed[-1].inside : closed[-1].inside_end].strip("\n") if closed else ""


def _after(turns: Sequence[StoredTurn], place: int) -> Iterator[StoredTurn]:
    """Yield the tool turns right after a turn."""
    for turn in turns[place + 1 :]:
        if not holds_tool_words(turn):
            return
        yield turn


def _actions(
    turn: StoredTurn, results: Sequence[StoredTurn], outputs: Sequence[str], *, waits: bool
) -> Iterator[Action]:
    calls = calls_of(turn)
    if not calls and turn.role is Role.ASSISTANT and (results or waits):
        command = _fenced(turn)
        calls = (Call("", "", (command,)),) if command.strip() else ()
    for place, call in enumerate(calls):
        answers = [one for one in results if call.id and call.id in result_ids(one)]
        # Results without ids come in the order of the calls.
        in_order = [one for one in results[place : place + 1] if not result_ids(one)]
        answer = next(iter((*answers, *in_order)), None)
        action = _action(turn, call, answer, outputs)
        files = patched_files(call) if action.changed else ()
        if len(files) > 1:
            for path in files:
                wrote, gone = written(call, outputs, path=path)
                did = clipped(f"{action.did.split(maxsplit=1)[0]} {path}", LONGEST_DID)
                yield action._replace(did=did, about=path, wrote=wrote, gone=gone)
        else:
            yield action


def _action(turn: StoredTurn, call: Call, answer: StoredTurn | None, outputs: Sequence[str]) -> Action:
    values = [argument for argument in call.values if argument.strip()]
    content = answer.content if answer is not None else ""
    looked = _only_looks(call.name, values)
    ended, failed = _outcome(content, answer, looked=looked) if answer is not None else ("", False)
    if looked and answer is not None and not content.strip() and _searches(call.name, values):
        failed = True
    changed = not looked and _changes(call.name, values)
    about = _about(values, content)
    wrote, gone = written(call, outputs, about=about) if changed and not failed else NOTHING
    return Action(
        seq=turn.seq, ended_seq=answer.seq if answer is not None else 0, did=_did(call.name, values, outputs),
        about=about, ended=ended, failed=failed, looked=looked,
        changed=changed, found=() if failed else _found(call.name, values, content), wrote=wrote, gone=gone,
    )  # fmt: skip


def _did(name: str, values: Sequence[str], outputs: Sequence[str]) -> str:
    """Describe a call on one line; of the lines it writes, those that no output showed before come first."""
    seen = {line for text in (*outputs, *values[:-1]) for line in map(bare_line, text[:READ_HEAD].split("\n"))}
    words_told = [name] if name and not _is_shell(name, values) else []
    for argument in values:
        first, *rest = [line for line in argument[:READ_HEAD].split("\n") if line.strip()]
        rest = rest[:-1] if rest and END_MARK.fullmatch(rest[-1].strip()) else rest
        new = [line for line in rest if bare_line(line) not in seen]
        words_told.append(clipped(first.strip(), _LONGEST_LINE))
        words_told.extend(line.strip() for line in new or rest)
    return clipped(one_line(" ".join(words_told)), LONGEST_DID)


def _is_shell(name: str, values: Sequence[str]) -> bool:
    """True for a tool that runs a command line: its name adds nothing to the command."""
    return len(values) == 1 and (" " in values[0].strip() or not name)


def _only_looks(name: str, values: Sequence[str]) -> bool:
    """True for a call that prints without changing anything, judging by its words."""
    if name and not _is_shell(name, values):
        if any("\n" in argument for argument in values):
            return False
        # A file tool whose command is `view` only looks, though its name contains `edit`.
        commanded = values[0].strip().lower() if values else ""
        words = _words_of(name, values)
        return commanded in _LOOKS or (not _LOOKS.isdisjoint(words) and _CHANGES.isdisjoint(words))
    text = "\n".join(values)
    return not _WRITES.search(text) and all(_looks(part) for part in _PARTS.split(text) if part.strip())


def _looks(command: str) -> bool:
    words = command.split()
    first = words[0].lower()
    if first in _WRAPPERS and len(words) > 1:
        first = words[1].lower()
    if first == "sed":
        return "-n" in words
    found = _WORD.findall(first)
    return bool(found) and found[0] in _LOOKS


def _found(name: str, values: Sequence[str], content: str) -> tuple[str, ...]:
    """Return the paths in a search result; only paths with a folder count."""
    if not (values and _only_looks(name, values) and _searches(name, values)):
        return ()
    named = mentions(content[:READ_HEAD])
    begun = {
        _LINE_HEAD.split(line.strip(), maxsplit=1)[0].removeprefix("./") for line in content[:READ_HEAD].split("\n")
    }
    paths = [name for name in named.names if "/" in name.strip("/") and (name in named.listed or name in begun)]
    return tuple(paths[:MOST_FOUND]) if len(paths) >= _LEAST_FOUND else ()


def command_words(turn: StoredTurn) -> frozenset[str]:
    """Return the first word of a command in a code fence, and its end mark: how an agent calls its tools."""
    lines = _fenced(turn).strip().split("\n") if turn.role is Role.ASSISTANT else [""]
    last = lines[-1].strip() if len(lines) > 1 else ""
    return frozenset((lines[0].split(maxsplit=1) or [""])[:1] + ([last] if END_MARK.fullmatch(last) else []))


def _changes(name: str, values: Sequence[str]) -> bool:
    """True for a call that writes a file, judging by its words."""
    if name and not _is_shell(name, values):
        return not _CHANGES.isdisjoint(_words_of(name, values))
    if any(map(_is_patch, values[:1])):
        return True
    return any(
        _writes(part) for argument in values[:1] for part in _PARTS.split(argument.lstrip()[:_HEAD])[:_MOST_PARTS]
    )


def _is_patch(value: str) -> bool:
    """True for a patch, or a command followed by one."""
    begins = "<<" in value[:_HEAD] or value.lstrip().startswith(("*** ", "--- ", "diff "))
    return begins and PATCHED.search(value, 0, _HEAD) is not None


def _words_of(name: str, values: Sequence[str]) -> list[str]:
    """Return the words that say what a tool does: those of its name, and the first word of its arguments."""
    return [*_WORD.findall(name.lower()), *(_WORD.findall(values[0].lower())[:1] if values else ())]


def _searches(name: str, values: Sequence[str]) -> bool:
    """True for a call that lists the files containing something."""
    if name and not _is_shell(name, values):
        return not _SEARCHES.isdisjoint(_words_of(name, values))
    firsts = (_WORD.match(part.lstrip().lower()) for part in _PARTS.split(values[0][:_HEAD])[:_MOST_PARTS])
    return any(first is not None and first.group() in _SEARCHES for first in firsts)


def _writes(command: str) -> bool:
    words = command.split(maxsplit=1)
    first = words[0].lower() if words else ""
    if first == "git" and len(words) > 1:
        first = words[1].split(maxsplit=1)[0].lower()
        return first in _CHANGES or first == "restore" or (first == "checkout" and " -- " in words[1])
    return first in _CHANGES or (
        bool(_INTO_FILE.search(command)) if first in _PRINTS else first == "sed" and " -i" in command
    )


def _about(values: Sequence[str], content: str) -> str:
    """Return the first path that a call names, in full if the output shows that file; else the file that it shows."""
    heads = [argument.split("\n", 1)[0][:400] for argument in values]
    heads.extend(match[1] for argument in values if (match := PATCHED.search(argument, 0, _HEAD)))
    named = next((name for head in heads for name in mentions(head).names if is_path(name)), "")
    path_shown = file_shown(content)
    return path_shown if not named or path_shown.endswith(f"/{named}") else named


def _outcome(content: str, answer: StoredTurn, *, looked: bool) -> tuple[str, bool]:
    """Summarize how a call ended in a few words, and say whether it failed."""
    lines = read_lines(content[:READ_HEAD] + content[-READ_HEAD:] if len(content) > 2 * READ_HEAD else content).kept
    plain = [line for line in lines if not (NUMBERED.match(line) or _AROUND.match(line) or _ECHO.match(line))]
    if looked:
        bad = [line for line in plain[:1] if _NOTHING_THERE.search(_QUOTED.sub("", line))]
    else:
        bad = [line for line in plain if is_bad(_QUOTED.sub("", line))]
    exits = _EXIT.findall(content[-400:])
    told_failed = tool_failed(answer)
    failed = told_failed if told_failed is not None else bool(exits and exits[-1] != "0") or bool(bad)
    if not lines:
        return "no output", failed
    if failed and bad:
        telling = [line for line in bad if _TELLING.search(line)] or bad
        return _joined((telling[0], *telling[-1:]) if len(telling) > 1 else telling), failed
    results = [line for line in plain if RESULT.search(line)]
    if len(plain) > _SHORT_OUTPUT and results:
        return _joined(results[-1:]), failed
    return _joined(
        plain[:_SHORT_OUTPUT] if len(plain) <= _SHORT_OUTPUT else plain[-1:] if not looked else plain[:1]
    ), failed


def _joined(lines: Iterable[str]) -> str:
    """Join the first sentence of each line on one line."""
    bare = (_SHELL_LINE.sub("", one_line(line).lstrip("-* ")) for line in lines)
    sentences = dict.fromkeys(_SENTENCE.split(line, maxsplit=1)[0] for line in bare)
    return clipped("; ".join(sentences).replace("→ L", "\u203aL"), LONGEST_ENDED)
