"""Summarizes tool output of no special kind: errors, results, first and last lines, and names."""

from __future__ import annotations

from typing import Final

from turnfold_worker.pipeline.content.statements import RESULT, Lines, Statement, counted, is_bad, lists, spread, state
from turnfold_worker.pipeline.language.mentions import is_path, mentions

_MOST_BAD: Final = 8
_MOST_RESULTS: Final = 4
_FEW_LINES: Final = 6


def summarize_plain(lines: Lines) -> list[Statement]:
    """State a few lines whole; of more, the informative ones in order, then paths, names and the line count."""
    bad = dict.fromkeys(line for line in lines.kept if is_bad(line))
    results = dict.fromkeys(line for line in lines.kept if line not in bad and RESULT.search(line))
    worths = {line: 100 - i for i, line in enumerate(spread(list(bad), _MOST_BAD))}
    worths.update({line: 85 - i for i, line in enumerate(list(results)[::-1][:_MOST_RESULTS])})
    if len(lines.kept) <= _FEW_LINES:
        worths = {line: worths.get(line, 75 - i) for i, line in enumerate(lines.kept)}
    else:
        worths.setdefault(lines.kept[0], 80)
        worths.setdefault(lines.kept[-1], 55)
        for i, line in enumerate(lines.kept[1:4]):
            worths.setdefault(line, 50 - i)
    statements = [state(line, worths[line]) for line in dict.fromkeys(lines.kept) if line in worths]
    if len(lines.kept) <= _FEW_LINES:
        return statements
    telling_text = "\n".join(worths)
    names = [name for name in mentions("\n".join(lines.kept[:400])).names if name not in telling_text]
    paths = [name for name in names if is_path(name)]
    statements.extend(lists("paths", paths, worth=70, most=16))
    symbols = [name for name in names if not is_path(name)]
    statements.extend(lists("names", symbols, worth=52, most=16))
    statements.append(state(counted(lines.count, "line"), 30))
    return statements
