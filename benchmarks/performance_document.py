"""Write docs/performance.md and its figures from a benchmark's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any, Final

from charts import headline_chart, log_chart, percent_chart

Row = dict[str, Any]

MIDDLE: Final = 4_000
"""Token budget at which peers are compared."""
MIDDLE_TURNS: Final = 10_000
"""Length, in turns, of the conversation for which budgets are compared."""
CONTEXTS: Final = ("cold", "unsteered cold", "warm", "unsteered warm", "unchanged", "query")
"""Kinds of reads that build a context."""
NEWEST: Final = 100
"""Number of newest turns; the last column of the table of peers shows how much is covered of all older ones."""
APPENDS: Final = 50
"""Contexts of the prefix table."""
ASKED: Final = ("no question", "the same question", "another each time")
"""Queries of the contexts in the prefix table."""
CELL_SECONDS: Final = 20.0
"""Seconds after which no more calls of one kind are measured, from the third on."""


def markdown(rows: Sequence[Row]) -> str:
    names = list(rows[0])
    lines = [
        "| " + " | ".join(names) + " |",
        "|" + "|".join("---" if i < 1 else "--:" for i in range(len(names))) + "|",
    ]
    return "\n".join([*lines, *("| " + " | ".join(str(row[name]) for name in names) + " |" for row in rows)])


def _ms(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def _grouped(value: Any) -> Any:
    return f"{value:,}" if isinstance(value, int) else value


def _pivot(rows: Sequence[Row], by: str) -> str:
    """Return a table with a line for each kind of call and database, and a column for each value of `by`."""
    cells = [
        (f"{row['kind']}, {row['database']}", row[by], f"{_ms(row['p50'])} ({_ms(row['p95'])}, {row['times']:.1f})")
        for row in rows
    ]
    return _crossed("p50 ms (p95, × floor)", cells)


def _crossed(title: str, cells: Sequence[tuple[str, int, str]]) -> str:
    """Return a table of cells by the name of their line and the number of their column."""
    columns = sorted({column for _, column, _ in cells})
    lines: dict[str, dict[int, str]] = {}
    for name, column, text in cells:
        lines.setdefault(name, {})[column] = text
    return markdown(
        [{title: name, **{f"{column:,}": line.get(column, "–") for column in columns}} for name, line in lines.items()]
    )


def _of_kinds(rows: Sequence[Row], kinds: Sequence[str], **chosen: int) -> list[Row]:
    return [
        row
        for kind in kinds
        for row in rows
        if row["kind"] == kind and all(row[name] == value for name, value in chosen.items())
    ]


def _held(rows: Sequence[Row]) -> str:
    """Return a sentence on the sizes and the coverage of the contexts."""
    over = max(row["over"] for row in rows)
    old = min(row["old"] for row in rows if row["old"] is not None)
    above = f"The largest context is {over:,} tokens above its budget" if over else "No context is above its budget"
    return f"{above}, and each shows at least {_share(old)} of the old turns."


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _peer_table(ours: Sequence[Row], theirs: Sequence[Row]) -> str:
    rows = [
        {"system": f"Turnfold, {row['kind']}, {row['database']}", "turns": row["turns"], "p50": row["p50"],
         "tokens": row["tokens"], "old": row["old"]}
        for row in ours if row["kind"] in {"cold", "warm"} and row["budget"] == MIDDLE
    ]  # fmt: skip
    rows += [{**row, "system": row["name"]} for row in theirs]
    cells = [
        (row["system"], row["turns"], f"{_ms(row['p50'])} ({row['tokens']:,}, {_share(row['old'])})") for row in rows
    ]
    return _crossed("p50 ms (tokens, old turns)", cells)


def document(result: Row) -> str:
    """Return the text of docs/performance.md."""
    where = result["machine"]
    prefixes = [{"budget": f"{row['budget']:,}", **_prefix_cells(row["shares"])} for row in result["prefixes"]]
    drains = [{name: _grouped(value) for name, value in row.items()} for row in result["drains"]]
    minutes, cores = result["minutes"], f"{where['processor']}, {where['cores']} cores"
    return f"""# Performance

Written by `make bench` in one run of {60 * minutes:.0f} seconds: {cores},
load {where["load"]} (one minute, at the beginning and at the end), Python {where["python"]}, {where["system"]}.
Milliseconds move with the machine and with what else runs on it: compare with the floor of the same rows, one Redis
round trip and one indexed SELECT of 60 rows by the plain drivers. Where the load is above the number of cores, whatever
takes longer than a floor also waits longer for its turn: then go by the CPU time of the calling thread, which
[performance.json](performance.json) has beside all other rows and p99.

- **cold**: the process has not read this conversation yet. **warm**: the conversation's revision is the one that the
  process read last, and a user turn was appended since, which says what is looked for. **unsteered**: the same with
  `query=False`. **unchanged**: nothing was appended since. **query**: `context(query=…)`, a new question each time.
- **old turns**: all but the newest {NEWEST}; each is shown, or stands under a line that leads to it.
- p50 and p95 are of 200 reads, of 40 questions, of 50 reads of a peer; of what takes long, of as many as
  {CELL_SECONDS:.0f} seconds hold, three at least.
- No token is counted but those of what is short or new, no model is asked, no statement depends on the length.
- PostgreSQL's tables are analysed before, as autovacuum does within a minute.
- A process remembers what it parsed of the conversations that it read last: 16 million characters, about 64 MB.

![p50 of a context by the length of the conversation](performance-length.svg)

## Reads

By the turns of the conversation, at a budget of {MIDDLE:,} tokens:

{_pivot(_of_kinds(result["reads"], CONTEXTS, budget=MIDDLE), "turns")}

By the budget, at {MIDDLE_TURNS:,} turns:

{_pivot(_of_kinds(result["reads"], CONTEXTS, turns=MIDDLE_TURNS), "budget")}

{_held(_of_kinds(result["reads"], CONTEXTS))}
[Where the time goes](lab/performance-reads.md), and what was tried and left out.

## Expand and append

The floor of `append` is a PING. What both cost over HTTP is in [the gateway's guide](gateway.md#what-it-costs).

{_pivot(_of_kinds(result["reads"], ("expand", "append")), "turns")}

## Compared with what is used today

A budget of {MIDDLE:,} tokens, counted by Turnfold's estimator for all. The peers store in SQLite files and are read by
an open connection. A cell ends in how many of the old turns are shown, or under a line that names them and leads to
them: each of Turnfold's contexts covers every turn.

{_peer_table(result["reads"], result["peers"])}

## Stable prefixes

Providers charge less for the beginning of a prompt that they have seen. Over {APPENDS} turns that are appended and
folded one by one, so much of a context, in bytes, stands at the beginning of the next one, as the median and the tenth
percentile:

{markdown(prefixes)}

![share of a context that stands at the beginning of the next one, over 50 appends](performance-prefixes.svg)

## Draining and folding

Inboxes to SQL in one process, beside executemany of the same rows; folding by rules, without a model, in one process:
{", ".join(f"{row['turns']:,} turns at {row['rate']:,.0f} a second" for row in result["folds"])}.

{markdown(drains)}
"""


def _prefix_cells(shares: dict[str, list[float]]) -> dict[str, str]:
    ranked = {asked: sorted(those) for asked, those in shares.items()}
    return {
        asked: f"{100 * median(those):.0f} %, {100 * those[len(those) // 10]:.0f} %" for asked, those in ranked.items()
    }


def chart(result: Row) -> str:
    lines: dict[str, list[tuple[float, float]]] = {}
    for kind in ("warm", "cold", "query"):
        for row in result["reads"]:
            if row["budget"] == MIDDLE and row["kind"] == kind:
                lines.setdefault(f"Turnfold {kind}, {row['database']}", []).append((row["turns"], row["p50"]))
    for row in result["reads"]:
        if row["budget"] == MIDDLE and row["kind"] == "cold":
            lines.setdefault(f"floor, {row['database']}", []).append((row["turns"], row["floor"]))
    for row in result["peers"]:
        lines.setdefault(row["name"].replace("SQLChatMessageHistory + ", ""), []).append((row["turns"], row["p50"]))
    dashed = {name: name.replace("postgresql", "sqlite") for name in lines if name.endswith(", postgresql")}
    return log_chart("context of 4,000 tokens, p50", "turns in the conversation", "milliseconds", lines, dashed=dashed)


def headline(result: Row) -> str:
    """Return the chart of the README: a line for each system, with what happens to old turns in it."""
    longest = max(row["turns"] for row in result["peers"])
    lines: dict[tuple[str, str], list[tuple[float, float]]] = {
        ("Turnfold", "every turn stands behind a line"): [
            (row["turns"], row["p50"])
            for row in result["reads"]
            if (row["budget"], row["kind"], row["database"]) == (MIDDLE, "warm", "postgresql")
        ]
    }
    for name in dict.fromkeys(row["name"] for row in result["peers"]):
        rows = [row for row in result["peers"] if row["name"] == name]
        last = next(row for row in rows if row["turns"] == longest)
        remark = (
            f"{100 * last['old']:.1f} % of old turns left" if last["tokens"] < 2 * MIDDLE
            else f"all of it: {last['tokens'] / 1_000_000:.1f} million tokens"
        )  # fmt: skip
        short = name.replace("SQLChatMessageHistory + ", "").replace(" SDK SQLiteSession", " SDK session")
        lines[short, remark] = [(row["turns"], row["p50"]) for row in rows]
    title = "One read of 4,000 tokens: milliseconds by the length of the conversation"
    return headline_chart(title, "turns in the conversation", "milliseconds", lines)


def prefix_chart(result: Row) -> str:
    lines = {
        f"{row['budget']:,} tokens": [(number, 100 * share) for number, share in enumerate(row["shares"][ASKED[0]], 1)]
        for row in result["prefixes"]
    }
    return percent_chart("how much of a context without a question begins the next one", "append", "% of bytes", lines)
