"""Run all faults and print the table of docs/reliability.md: `make chaos`."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from support.chaos import Chaos, Outcome, Plan
from support.chaos_faults import FAULTS, FULL_TURNS, Fault
from support.pgbouncer import installed_pgbouncer
from support.talk import talk
from turnfold_worker import offline

TURNS_A_CONVERSATION: Final = 100
LONGEST_RUN_SECONDS: Final = 1_200.0
HEAD: Final = (
    "| fault | database | turns | strikes | appends repeated | turns read again | folds discarded | seconds "
    "| lost, doubled, reordered | rows |\n|---|---|--:|---|--:|--:|--:|--:|--:|---|"
)
TITLES: Final = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "pgbouncer": "PgBouncer"}

Digests = Mapping[tuple[str, str], str]


def main() -> int:
    """Run the selected rows; return 1 if one of them differs from an undisturbed run."""
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--turns", type=int, default=FULL_TURNS, help=f"in conversations of {TURNS_A_CONVERSATION}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="rows whose fault has this in its name")
    parser.add_argument("--database", choices=sorted(TITLES), help="one of them alone")
    asked = parser.parse_args()

    runs = list(_runs(asked.only, asked.database))
    if not runs:
        parser.error(f"no fault is called {asked.only!r}; there are: " + "; ".join(fault.name for fault in FAULTS))
    conversations = {
        (f"tenant-{n % 3}", f"conversation {n}"): talk(f"{asked.seed} {n}", TURNS_A_CONVERSATION)
        for n in range(max(1, asked.turns // TURNS_A_CONVERSATION))
    }
    _say(f"folding {len(conversations)} conversations undisturbed, in one process")
    undisturbed = {address: _folded(address, said) for address, said in conversations.items()}
    _print(HEAD)
    bad = 0
    for number, (fault, database) in enumerate(runs, start=1):
        title = f"{number}/{len(runs)} {fault.name}, {TITLES[database]}"
        folder = Path(mkdtemp(prefix="turnfold-chaos-"))
        try:
            outcome = _run(folder, fault.plan(conversations, database=database, seed=asked.seed), title)
        except AssertionError as error:
            _say(f"{title}: {error}", last=True)
            _print(f"| {fault.name} | {TITLES[database]} | - | - | - | - | - | - | - | **did not end** |")
            bad += 1
            continue
        verdict = verdict_of(outcome, undisturbed)
        if verdict:
            bad += 1
            _say(f"{title}: {verdict}; {'; '.join(outcome.parked)}; logs are in {folder}", last=True)
        else:
            shutil.rmtree(folder)
        _print(_row(fault, database, outcome, verdict, sum(map(len, conversations.values()))))
    return 1 if bad else 0


def verdict_of(outcome: Outcome, undisturbed: Digests) -> str:
    """Return the differences from an undisturbed run; empty if there are none."""
    found = [f"breaks: {name}" for name in outcome.broken]
    if different := [address for address, digest in outcome.digests.items() if undisturbed[address] != digest]:
        found.append(f"{len(different)} conversations differ")
    for what, number in (
        ("lost", len(outcome.verdict.lost)), ("doubled", len(outcome.verdict.doubled)),
        ("reordered", len(outcome.verdict.reordered)), ("unknown", len(outcome.verdict.unknown)),
        ("plain segments", outcome.plain_segments),
        # Numbers of their anchors are higher than in an undisturbed run.
        ("segments folded again", outcome.folded_again), ("parked jobs", len(outcome.parked)),
        ("keys left in Redis", len(outcome.left_in_redis)),
    ):  # fmt: skip
        if number:
            found.append(f"{number} {what}")
    return "; ".join(found)


def _runs(only: str, database: str | None) -> Iterator[tuple[Fault, str]]:
    for fault in FAULTS:
        if only.lower() in fault.name.lower():
            yield from ((fault, each) for each in fault.databases if database in {None, each} and _is_here(each))


def _is_here(database: str) -> bool:
    is_here = database != "pgbouncer" or installed_pgbouncer() is not None
    if not is_here:
        _say("pgbouncer is not on the PATH: its row is left out", last=True)
    return is_here


def _folded(address: tuple[str, str], said: list[dict[str, Any]]) -> str:
    with offline.fold(said, conversation_id=address[1]) as folded:
        return folded.digest()


def _run(folder: Path, plan: Plan, title: str) -> Outcome:
    told = 0.0

    def tell(folded: int) -> None:
        nonlocal told
        if time.monotonic() - told > 1:
            told = time.monotonic()
            _say(f"{title}: {folded} of {plan.turns} turns folded")

    with Chaos(folder, plan) as chaos:
        outcome = chaos.run(timeout_seconds=LONGEST_RUN_SECONDS, progress=tell)
    _say(f"{title}: {outcome}", last=True)
    return outcome


def _row(fault: Fault, database: str, outcome: Outcome, verdict: str, turns: int) -> str:
    strikes = ", ".join(f"{number} {kind}" for kind, number in sorted(outcome.strikes.items())) or "none"
    wrong = len(outcome.verdict.lost), len(outcome.verdict.doubled), len(outcome.verdict.reordered)
    return (
        f"| {fault.name} | {TITLES[database]} | {turns:,} | {strikes} | {outcome.appends_repeated} "
        f"| {outcome.entries_replayed} | {outcome.folds_discarded} | {outcome.seconds:.0f} "
        f"| {', '.join(map(str, wrong))} | {f'**{verdict}**' if verdict else 'equal'} |"
    )


def _print(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def _say(words: str, *, last: bool = False) -> None:
    live = sys.stderr.isatty()
    sys.stderr.write((f"\r\x1b[K{words}" if live else words) + ("" if live and not last else "\n"))
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
