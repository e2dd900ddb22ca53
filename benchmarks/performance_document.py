"""The document of a benchmark's numbers: docs/performance.md and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any, Final

from charts import headline_chart, log_chart, percent_chart

Row = dict[str, Any]

MIDDLE: Final = 4_000
"""Tokens of the budget that peers are compared at."""
NEWEST: Final = 100
"""Turns that are not old: what is shown of the others is the last column of the table of peers."""
APPENDS: Final = 50
"""Contexts of the prefix table."""
ASKED: Final = ("no question", "the same question", "another each time")
"""What they are asked."""
CELL_SECONDS: Final = 20.0
"""After which no more calls of one kind are measured, from the third on."""


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


def _read_table(rows: Sequence[Row], kinds: Sequence[str]) -> str:
    return markdown(
        [
            {
                "read": row["kind"], "database": row["database"], "turns": f"{row['turns']:,}",
                "budget": f"{row['budget']:,}" if row["budget"] else "–", "p50 ms": _ms(row["p50"]),
                "p95": _ms(row["p95"]), "p99": _ms(row["p99"]), "floor": f"{row['floor']:.3f}",
                "× floor": f"{row['times']:.1f}",
                "CPU ms": _ms(row["cpu"]), "× floor's CPU": f"{row['cpu times']:.1f}", **_shown(row),
            }
            for kind in kinds for row in rows if row["kind"] == kind
        ]
    )  # fmt: skip


def _shown(row: Row) -> Row:
    """What a context holds, where the row is about one."""
    if "over" not in row:
        return {}
    return {"over the budget": f"{row['over']:,}", "old turns": _share(row["old"])}


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _peer_table(ours: Sequence[Row], theirs: Sequence[Row]) -> str:
    rows = [
        {"system": f"Turnfold, {row['kind']}, {row['database']}", "turns": row["turns"], "p50": row["p50"],
         "p95": row["p95"], "tokens": row["tokens"], "over": row["over"], "old": row["old"]}
        for row in ours if row["kind"] in {"cold", "warm"} and row["budget"] == MIDDLE
    ]  # fmt: skip
    rows += [{**row, "system": row["name"]} for row in theirs]
    return markdown(
        [
            {
                "system": row["system"], "turns": f"{row['turns']:,}", "p50 ms": _ms(row["p50"]),
                "p95": _ms(row["p95"]), "tokens": f"{row['tokens']:,}", "over the budget": f"{row['over']:,}",
                "old turns represented": _share(row["old"]),
            }
            for row in rows
        ]
    )  # fmt: skip


_FINDINGS: Final = """\
### Where the time goes, and what does not help

- A read waits for Redis once and for SQL once or twice. On PostgreSQL that is some .15 ms of a warm read and .55 ms of
  a cold one, of which the servers take half; the floor is .13 ms. All else is Python: choosing notes and putting them
  into words.
- Length costs nothing: PostgreSQL answers what a cold read asks in .46, .47 and .48 ms at 1,000, 10,000 and 100,000
  turns. 100 turns are shown raw: their notes are a ninth of the bytes, which is all that the ratio to 100 turns says.
- A query fetches 200 to 250 passages and shows nearly all that fit, so that hardly one can be passed over early: an
  upper bound of what a note can still tell spares 0 to 10 % of the comparisons.

Tried and left out:

- Replies of Redis parsed in C (`hiredis`): no difference to be seen.
- PostgreSQL without `BEGIN` and `COMMIT`, with the revision read once more to know that it was one state: .04 ms.
- Outlines stored uncompressed: .006 ms.
- SQL while Redis is still asked: a turn that is stored and trimmed in between would be in neither.
- All that a first read needs in one row, packed at the fold: of the .38 ms that PostgreSQL takes (SQLite: .17), anchors
  and older turns beside the outline, in one round trip, would save .15 (.10), and newest turns too .21 (.15). But
  edits, refinement, retention and what is settled by hand would each have to pack it again. One round trip alone: .05.
- All of it from one statement, as JSON: half of the client's CPU, and longer by the clock.
- Notes that are taken in blocks where all of a block fit: no faster than one by one. Cursors that are kept: .004 ms.
- Scores, and what passages lend to their neighbours, in fewer steps: less than 1 % of a query.
- No garbage collection during reads: no difference of the median. But once in some hundred reads Python looks through
  all objects of a process: 100 ms beside the dictionaries that folding keeps, which no reader has, 3 ms without. Here
  they are frozen before anything is read; a service with a large heap of its own may call `gc.freeze()` at its start.
"""
"""Measured once, by stages."""


def document(result: Row) -> str:
    """docs/performance.md."""
    where = result["machine"]
    prefixes = [{"budget": f"{row['budget']:,}", **_prefix_cells(row["shares"])} for row in result["prefixes"]]
    drains = [{name: _grouped(value) for name, value in row.items()} for row in result["drains"]]
    minutes, cores = result["minutes"], f"{where['processor']}, {where['cores']} cores"
    return f"""# Performance

Written by `make bench` in one run of {60 * minutes:.0f} seconds: {cores},
load {where["load"]} (one minute, at the beginning and at the end), Python {where["python"]}, {where["system"]}.
Milliseconds move with the machine and with what else runs on it: compare with the floor of the same rows, one Redis
round trip and one indexed SELECT of 60 rows by the plain drivers. Where the load is above the number of cores, whatever
takes longer than a floor also waits longer for its turn: then go by the CPU time of the calling thread, which does not
count that wait, nor what the servers do.

- **cold**: the process has not read this conversation yet. **warm**: the conversation's revision is the one that the
  process read last, and a user turn was appended since, which says what is looked for. **unsteered**: the same with
  `query=False`. **unchanged**: nothing was appended since. **query**: `context(query=…)`, a new question each time.
- **over the budget**: tokens of the largest context above it. **old turns**: the share of all but the newest {NEWEST}
  that is shown, or stands under a line that leads to it, in the context that has the least of them.
- p50, p95 and p99 are of 200 reads, of 40 questions, of 50 reads of a peer; of what takes long, of as many as
  {CELL_SECONDS:.0f} seconds hold, three at least.
- No token is counted but those of what is short or new, no model is asked, no statement depends on the length.
- PostgreSQL's tables are analysed before, as autovacuum does within a minute.
- A process remembers what it parsed of the conversations that it read last: 16 million characters, about 64 MB.

![p50 of a context by the length of the conversation](performance-length.svg)

## Reads

{_read_table(result["reads"], ("cold", "unsteered cold", "warm", "unsteered warm", "unchanged", "query"))}

{_FINDINGS}
## Expand and append

The floor of `append` is a PING. What both cost over HTTP is in [the gateway's guide](gateway.md#what-it-costs).

{_read_table(result["reads"], ("expand", "append"))}

## Beside what is used today

A budget of {MIDDLE:,} tokens, counted by Turnfold's estimator for all. The peers store in SQLite files and are read by
an open connection. *Old turns* are all but the newest {NEWEST}; represented means shown, or under a line that names
them and leads to them: each of Turnfold's contexts covers every turn.

{_peer_table(result["reads"], result["peers"])}

## Prefixes that stay

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
    """The chart of the README: one line a system, and what becomes of old turns in it."""
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
