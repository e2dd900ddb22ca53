"""Plan capacity: what a number of turns a day needs and costs, and what it overloads; writes docs/scale.md.

make bench BENCH_ARGS=--capacity                  measure, check, write docs/scale.md, its figures, scale.json
make bench BENCH_ARGS="--capacity --again"        rewrite the page from scale.json of the last run, in a second
… --capacity --again --turns-a-day 5e7 --peak 5   print what 50 million turns a day need; nothing is written

Three steps. (1) Real workers, Redis and PostgreSQL store and fold made talk in waves, one stage at a time, with several
numbers of turns a fold; CPU time comes from /proc, so that other load distorts it little. (2) A model of costs and
queues is fitted to these measurements and compared with a different run: turns at a rate, another number of turns a
fold, one worker for all queues. The page shows the errors. (3) The model predicts the busiest hour of 1 million to 10
billion turns a day. Sizes: S are turns of 136 bytes, L of 2.2 KB. Takes about six minutes on two idle cores. Prices and
loads are arguments; the page names the source of the prices.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from capacity_check import checked, predicted_anew
from capacity_constants import Constants, constants_by_size, constants_of
from capacity_document import document, figures, needs_table
from capacity_plan import PRICES, Limits, Load, Prices, plan
from capacity_stages import WAVES, measured
from databases import machine
from rich.progress import Progress, TimeElapsedColumn

TURNS_A_FOLD: Final = {"S": (1, 8, 16), "L": (1, 2, 8)}
"""A fold of size L waits for 2,000 tokens, which is four turns, by default."""
DOCS: Final = Path(__file__).resolve().parent.parent / "docs"


def measure(sizes: Sequence[str], seconds: float) -> dict[str, Any]:
    """Carry out steps 1 and 2."""
    begun, before = time.time(), machine()
    made: dict[str, Any] = {"measured": {}, "checked": {}}
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn()) as progress:
        for size in sizes:
            task = progress.add_task(f"constants of {size}", total=WAVES * len(TURNS_A_FOLD[size]))
            made["measured"][size] = measured(size, TURNS_A_FOLD[size], lambda task=task: progress.advance(task))
        for size in sizes:
            progress.add_task(f"a run of {size} that was not fitted to", total=None)
            made["checked"][size] = checked(size, constants_of(made["measured"][size]), seconds)
    made["machine"] = {**before, "load": f"{before['load']} and {os.getloadavg()[0]:.1f}"}
    made["day"], made["minutes"] = time.strftime("%Y-%m-%d", time.gmtime(begun)), (time.time() - begun) / 60
    return made


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--capacity", action="store_true", help="given by `make bench`; says nothing here")
    made.add_argument("--again", action="store_true", help="measure nothing: take scale.json of the last run")
    made.add_argument(
        "--check", action="store_true", help="with --again: only the model's run anew, into scale.json too"
    )
    made.add_argument("--sizes", nargs="+", default=list(TURNS_A_FOLD), choices=TURNS_A_FOLD)
    made.add_argument("--seconds", type=float, default=90.0, help="of the run that the model is held against")
    made.add_argument("--out", type=Path, default=DOCS, help="folder of scale.md, scale.json and the figures")
    load = made.add_argument_group("a load of your own: printed, not written")
    load.add_argument("--turns-a-day", type=float, help="such as 2e6")
    defaults = Load(0)
    for name, says in (
        ("turns_a_fold", "turns of a conversation that are folded together"),
        ("peak", "rate of the busiest hour by the mean one"),
        ("reads_a_turn", "contexts read for each turn"),
        ("outage_minutes", "of the database, for which Redis holds all that comes"),
        ("keep_days", "days for which rows are kept"),
    ):
        default = getattr(defaults, name)
        load.add_argument(f"--{name.replace('_', '-')}", type=float, default=default, help=f"{says} ({default:g})")
    prices = made.add_argument_group("US dollars")
    for name, default in PRICES._asdict().items():
        prices.add_argument(f"--{name.replace('_', '-')}", type=float, default=default, help=f"({default:g})")
    return made


def print_one(constants: dict[str, Constants], load: Load, prices: Prices) -> None:
    """Print what one load needs, as a table on the terminal."""
    for size, of_size in constants.items():
        print(f"turns of size {size}:\n{needs_table([plan(of_size, load, Limits(), prices)])}\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure or load measurements, then write the page or print one load."""
    command = parser()
    chosen = command.parse_args(arguments)
    load = Load(chosen.turns_a_day or 0, **{name: getattr(chosen, name) for name in Load._fields[1:]})
    prices = Prices(**{name: getattr(chosen, name) for name in Prices._fields})
    if min(load) < 0 or load.turns_a_fold < 1 or load.peak < 1 or min(prices) < 0:
        command.error("turns a fold and peak must be at least 1, nothing below 0")
    results = chosen.out / "scale.json"
    if chosen.again and not results.is_file():
        command.error(f"{results} is not there: leave out --again, and the run makes it")
    made = json.loads(results.read_text()) if chosen.again else measure(chosen.sizes, chosen.seconds)
    constants = constants_by_size(made["measured"])
    if chosen.again and chosen.check:
        made["checked"] = {size: checked(size, of_size, chosen.seconds) for size, of_size in constants.items()}
    made["checked"] = {size: predicted_anew(made["checked"][size], constants[size]) for size in made["checked"]}
    if not chosen.again or chosen.check:
        chosen.out.mkdir(parents=True, exist_ok=True)
        results.write_text(json.dumps(made, indent=1) + "\n")
    if chosen.turns_a_day:
        print_one(constants, load, prices)
        return
    (chosen.out / "scale.md").write_text(document(made, constants, load, prices))
    for name, figure in figures(constants, load, prices).items():
        (chosen.out / name).write_text(figure)
    print(f"wrote {chosen.out / 'scale.md'}")


if __name__ == "__main__":
    main()
