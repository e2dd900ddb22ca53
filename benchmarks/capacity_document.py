"""Write docs/scale.md and its figures from the measurements of `capacity.py`."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from capacity_constants import QUANTITIES, STAGES, Constants
from capacity_model import waiting
from capacity_plan import ANSWERS, SOURCES, Limits, Load, Plan, Prices, cells, plan
from charts import log_chart
from performance_document import markdown
from steady import SIZES

STEPS: Final = (1e6, 1e7, 1e8, 1e9, 1e10)
TURNS_A_FOLD: Final = {"S": 8.0, "L": 2.0}
"""Eight short turns, the default; two long ones, half of the default's 2,000 tokens, as measured."""
_NOTHING: Final = 1e-9
_LEAST_SECONDS: Final = 0.001
"""The shortest wait that is shown as a number, in seconds."""
_ELSEWHERE: Final = {"redis bytes", "service ms"}
_UNITS: Final = ((1e9, " billion"), (1e6, " M"), (1e4, " k"))


def short(number: float) -> str:
    """Return a number with two or three significant digits.

    >>> short(0.0312), short(35), short(5_800), short(84_000_000)
    ('0.031', '35', '5,800', '84 M')
    """
    if math.isinf(number):
        return "unbounded"
    if abs(number) < _NOTHING:
        return "0"
    for unit, name in _UNITS:
        if number >= unit:
            return f"{number / (1e3 if name == ' k' else unit):,.3g}{name}"
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def _seconds(seconds: float) -> str:
    return short(seconds) if seconds >= _LEAST_SECONDS else "< 0.001"


def _load(size: str, turns_a_day: float, load: Load) -> Load:
    return load._replace(turns_a_day=turns_a_day, turns_a_fold=min(load.turns_a_fold, TURNS_A_FOLD[size]))


def plans(size: str, constants: Constants, load: Load, prices: Prices) -> list[Plan]:
    """Return the plan of each step."""
    return [plan(constants, _load(size, turns, load), Limits(), prices) for turns in STEPS]


def needs_table(made: Sequence[Plan]) -> str:
    """Return a table of needs with a column for each load."""
    rows = [
        {"in the busiest hour": name, **{short(each.load.turns_a_day): short(each.needs[name]) for each in made}}
        for name in made[0].needs
    ]
    rows += [
        {
            "in the busiest hour": f"seconds that a task waits, and takes: {stage}",
            **{
                short(p.load.turns_a_day): f"{_seconds(p.staffing[stage].wait)}, {_seconds(p.staffing[stage].service)}"
                for p in made
            },
        }
        for stage in made[0].staffing
    ]
    rows += [
        {"in the busiest hour": "dollars a month", **{short(p.load.turns_a_day): short(p.dollars) for p in made}},
        {"in the busiest hour": "dollars a million turns",
         **{short(p.load.turns_a_day): short(p.dollars / p.load.turns_a_day / 30.4 * 1e6) for p in made}},
        {"in the busiest hour": "breaks first, of one of each",
         **{short(p.load.turns_a_day): p.broken[0] if p.broken else "nothing" for p in made}},
        {"in the busiest hour": "installations (cells) at least",
         **{short(p.load.turns_a_day): str(cells(p)) for p in made}},
    ]  # fmt: skip
    return markdown(rows)


def _breaks_table(made: Sequence[Plan]) -> str:
    rows = []
    for name, answer in ANSWERS.items():
        shares = {short(each.load.turns_a_day): _share(each.shares[name]) for each in made}
        at = min(
            (each.load.turns_a_day / each.shares[name] for each in made if each.shares[name] > 1), default=math.inf
        )
        rows.append(
            {"what": name, **shares, "from turns a day": "–" if at == math.inf else short(at), "answer": answer}
        )
    return markdown(rows)


def _share(share: float) -> str:
    return f"**{short(share)}**" if share > 1 else short(share)


def _title(quantity: str) -> str:
    return quantity.replace("own", "its process").replace("postgresql", "PostgreSQL").replace(" ms", ", CPU ms")


def _constants_table(size: str, constants: Constants) -> str:
    k = TURNS_A_FOLD[size]
    shapes = {"append": (1.0, 1.0), "store": (1.0, 8.0), "fold": (k, 4 * k), "read": (1.0, 1.0)}

    def cell(stage: str, name: str) -> str:
        made = constants.stages[stage]
        return short(made.cost(name, *shapes[stage])) if name in made.laws else "–"

    return markdown([
        {"stage": stage, **{_title(name): cell(stage, name) for name in QUANTITIES if name not in _ELSEWHERE}}
        for stage in STAGES
    ])  # fmt: skip


def _by_fold_table(size: str, made: Mapping[str, Any]) -> str:
    rows = [
        {"turns a fold": f"{row['group']:.0f}", "turns a task": f"{row['task']:.0f}",
         "worker, CPU ms": short(row["own ms"]), "PostgreSQL, CPU ms": short(row["postgresql ms"]),
         "statements": short(row["statements"]), "transaction ids": short(row["transaction ids"]),
         "WAL bytes": short(row["WAL bytes"]), "Redis commands": short(row["redis commands"])}
        for row in made["measured"][size]["points"]["fold"]
    ]  # fmt: skip
    return markdown(rows)


def _check_table(made: Mapping[str, Any]) -> str:
    rows = [
        {"turns": size, "a turn": row["quantity"], "predicted": short(row["predicted"]),
         "measured": short(row["measured"]), "error": _percent(row["error"])}
        for size, check in made["checked"].items() for row in check["rows"]
    ]  # fmt: skip
    return markdown(rows)


def _percent(share: float) -> str:
    return f"{100 * share:+.0f} %" if math.isfinite(share) else "–"


def document(made: Mapping[str, Any], constants: Mapping[str, Constants], load: Load, prices: Prices) -> str:
    """Return the page."""
    where, check = made["machine"], next(iter(made["checked"].values()))
    parts = [
        _HEAD.format(
            minutes=made["minutes"], day=made["day"], note=f" ({made['note']})" if "note" in made else "", **where
        )
    ]
    for size, of_size in constants.items():
        parts.append(f"""## {SIZES[size]:,} bytes a turn

{needs_table(plans(size, of_size, load, prices))}

How many of what one server bears are needed, and from where on; bold is broken:

{_breaks_table(plans(size, of_size, load, prices))}
""")
    parts.append(_ASSUMED.format(
        sources=SOURCES,
        prices="; ".join(f"`--{name.replace('_', '-')}` {price:g}" for name, price in prices._asdict().items()),
        **load._asdict(), **Limits()._asdict(),
    ))  # fmt: skip
    idle = next(iter(constants.values())).idle
    parts.append(_BY_STAGE.format(idle="; ".join(f"{_title(name)} {short(max(0, idle[name]))}" for name in idle)))
    for size, of_size in constants.items():
        waiting_alone = short(of_size.stages["append"].cost("redis bytes", 1, 1))
        parts.append(f"""{SIZES[size]:,} bytes, {TURNS_A_FOLD[size]:.0f} turns a fold; {short(of_size.sql_bytes)} bytes
of SQL a turn, and {waiting_alone} of Redis while it waits alone in its inbox:

{_constants_table(size, of_size)}

Folding, by how many turns are folded together:

{_by_fold_table(size, made)}
""")
    parts.append(_CHECK.format(
        table=_check_table(made), seconds=check["seconds"], fold=check["turns a fold"],
        conversations=check["conversations"],
        rates=", ".join(f"{size}: {each['rate']:.1f} turns a second" for size, each in made["checked"].items()),
        stretch=", ".join(f"{each['stretch']:.1f}" for each in made["checked"].values()),
    ))  # fmt: skip
    return "\n".join(parts)


def figures(constants: Mapping[str, Constants], load: Load, prices: Prices) -> dict[str, str]:
    """Return SVGs by file name."""
    needs: dict[str, list[tuple[float, float]]] = {}
    dollars: dict[str, list[tuple[float, float]]] = {}
    for size, of_size in constants.items():
        for each in (plan(of_size, _load(size, 10 ** (6 + step / 2), load), Limits(), prices) for step in range(9)):
            at = each.load.turns_a_day
            for name in ("processes that store", "processes that fold", "PostgreSQL cores", "Redis servers"):
                needs.setdefault(f"{name}, {SIZES[size]:,} bytes", []).append((at, each.needs[name]))
            dollars.setdefault(f"{SIZES[size]:,} bytes a turn", []).append((at, each.dollars))
    return {
        "scale-needs.svg": log_chart(
            "what the busiest hour needs", "turns a day", "number", needs, dashed=_long_as_short(needs)
        ),
        "scale-dollars.svg": log_chart("dollars a month", "turns a day", "US dollars", dollars),
        "scale-waiting.svg": _waiting_chart(constants),
    }  # fmt: skip


def _long_as_short(names: Collection[str]) -> dict[str, str]:
    """Map the lines of long turns to those of short ones, whose colour they share, where there are both."""
    short_turns, long_turns = (f"{size:,} bytes" for size in SIZES.values())
    pairs = {name: name.replace(long_turns, short_turns) for name in names if name.endswith(long_turns)}
    return {name: other for name, other in pairs.items() if other in names}


def _waiting_chart(constants: Mapping[str, Constants]) -> str:
    size, of_size = next(iter(constants.items()))
    stage, k = of_size.stages["fold"], TURNS_A_FOLD[size]
    service = k * stage.cost("service ms", k, k) / 1_000
    lines = {
        f"{servers} process{'es' if servers > 1 else ''}": [
            (100 * busy / 40, wait)
            for busy in range(4, 40)
            if (wait := waiting(servers * busy / 40 / service, service, servers, stage.variation)) >= _LEAST_SECONDS
        ]
        for servers in (1, 2, 8, 32)
    }
    return log_chart(f"folds of {k:.0f} turns of {SIZES[size]} bytes wait", "% busy", "seconds", lines)


_HEAD: Final = """# Scale

What a number of turns a day needs, what of it breaks first and what it costs, on paper: constants that were measured,
and a model that was held against another run. Written by `make bench BENCH_ARGS=--capacity` in {minutes:.0f} minutes on
{day}{note}:
{processor}, {cores} cores, load {load}, Python {python}, {system}. All constants are CPU time; where the load is above
the cores, caches are cold, and it is up to twice that of a machine at rest: compare with
[a turn's cost](lab/performance-steady.md). `make bench BENCH_ARGS="--capacity --again --turns-a-day 5e7 --peak 5"`
prints a load of your own from the same constants, at your prices. What was run at the extremes stands in
[its lab notes](lab/scale-runs.md).

**Nothing above some million turns a day was run here.** Beyond, this says where to look first, not what will be.

![processes, cores and servers by turns a day](scale-needs.svg)

![dollars a month by turns a day](scale-dollars.svg)
"""

_ASSUMED: Final = """## What is assumed

- The busiest hour has {peak:g} times the mean rate; {reads_a_turn:g} contexts are read for each turn; at most
  {turns_a_fold:g} turns are folded together (of long turns two, where the default waits for 2,000 tokens, some four);
  rows are kept for {keep_days:g} days; Redis has room for {outage_minutes:g} minutes of an outage of the database. No
  model, no sentence vectors.
- Processes and servers are busy at most 70 % of the busiest hour, and are paid for all day. A core is one of the
  machine that measured. Standbys, replicas, backups, traffic between zones and people are not in the dollars.
- What one server bears: Redis one core and {redis_gb:g} GB for inboxes; PostgreSQL {postgresql_cores:.0f} busy cores,
  {wal_mb_a_second:g} MB of WAL a second, {ids_a_day:.2g} transaction ids a day, {stored_tb:g} TB,
  {sessions:g} sessions. These are assumptions; measure yours.
- A **cell** is a whole installation. Where the last row says more than one, that is how many it takes, each with a
  database and Redis of its own: [cells](cells.md) says how tenants are given to them, and moved.
- {sources} Here: {prices}.
"""

_BY_STAGE: Final = """## What a turn costs, by stage

Of `read`: a context of 4,000 tokens, half of them cold, half with a question. Eight turns a drain, four folds a task.
Redis counts the commands of scripts too. A worker of all queues without work costs so much a second: {idle}.
"""

_CHECK: Final = """## How the model compares with a run

The constants are from waves, one stage at a time, in which one, six or twenty-four conversations get turns. The run
below is of another kind: {rates}, to {conversations} conversations in turn,
{fold} in an append and {fold} a fold (which nothing was fitted at), for {seconds:.0f} seconds, by one process that
serves all queues. It waited for a core while it could have worked: its work took {stretch} times as long as on a
machine of its own, by `/proc/PID/schedstat`, and that alone is taken from the run. Seconds are means, measured by how
many turns were on their way (Little's law).

{table}

**Plan with these errors in mind**, and by what you measure: nothing was tuned to make them smaller.

What a stage's task costs, how turns are put together and how long tasks wait is in the docstring of
`benchmarks/capacity_model.py`, with the sources of its formulas.

![how long folds wait by how busy the processes are](scale-waiting.svg)
"""
