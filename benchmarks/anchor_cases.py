"""Measure exact-span recall on the made cases of `anchor_cases.jsonl`: which spans are kept, and in what state.

python benchmarks/anchor_cases.py [--semantic] [--cases FILE] [--show]

A case is a short conversation, the spans that some anchor must contain word for word (with its type, its state and the
anchor it replaces, where these are certain), and words that no active anchor may contain. An anchor that contains a
span counts only if it is at most a sentence longer, so that keeping everything earns no recall.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from turnfold import Anchor
from turnfold_worker.offline import fold

CASES = Path(__file__).with_name("anchor_cases.jsonl")
MOST_EXTRA = 120
"""Code points by which an anchor may exceed the span that it must contain."""
CLOSING = [{"role": "user", "content": "Let us talk about something else now."}]
"""One more turn, so that the segment of the case can close."""


def anchors_of(turns: Sequence[dict[str, str]], *, semantic: bool) -> list[Anchor]:
    """Return the anchors of a case's turns, folded as one segment."""
    settings = {"segment_max_turns": max(4, len(turns))}
    filler = [{"role": "user", "content": f"Nothing of note, part {part}."} for part in range(max(4, len(turns)))]
    with fold([*turns, *filler, *CLOSING], settings=settings, semantic=semantic) as folded:
        return [anchor for anchor in folded.anchors(states=None) if anchor.turn_seq <= len(turns)]


def missing(case: dict[str, Any], found: Sequence[Anchor]) -> list[str]:
    """Return the unmet expectations of a case, in words."""
    by_id = {anchor.id: anchor for anchor in found}
    faults = []
    for wanted in case.get("expect", []):
        holders = [one for one in found if one.turn_seq == wanted["turn"] and wanted["text"] in one.text]
        holders = [one for one in holders if len(one.text) <= len(wanted["text"]) + MOST_EXTRA]
        if not holders:
            faults.append(f"span lost: {wanted['text']!r}")
            continue
        one = holders[0]
        if wanted.get("type") and one.type != wanted["type"]:
            faults.append(f"type {one.type}, not {wanted['type']}: {one.text!r}")
        if wanted.get("state") and one.state != wanted["state"]:
            faults.append(f"state {one.state}, not {wanted['state']}: {one.text!r}")
        replaced = by_id[one.replaces].text if one.replaces in by_id else None
        if wanted.get("replaces") and replaced != wanted["replaces"]:
            faults.append(f"replaces {replaced!r}, not {wanted['replaces']!r}")
    active = [one.text for one in found if one.state == "active"]
    faults += [
        f"kept for nothing: {words!r}" for words in case.get("absent", []) if any(words in text for text in active)
    ]
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--semantic", action="store_true", help="with the sentence model")
    parser.add_argument("--show", action="store_true", help="print what does not hold")
    arguments = parser.parse_args()
    spans: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for line in arguments.cases.read_text().splitlines():
        case = json.loads(line)
        faults = missing(case, anchors_of(case["turns"], semantic=arguments.semantic))
        count = spans[case["kind"]]
        lost = sum(fault.startswith("span lost") for fault in faults)
        count[0] += len(case.get("expect", []))
        count[1] += lost
        count[2] += 1
        count[3] += not faults
        if arguments.show and faults:
            print(case["id"], *faults, sep="\n    ")
    print(f"{'kind':16} {'spans':>6} {'recall':>7} {'cases':>6} {'whole':>6}")
    for kind, (wanted, lost, cases, whole) in [
        *spans.items(),
        ("all", [sum(each) for each in zip(*spans.values(), strict=True)]),
    ]:
        recall = f"{(wanted - lost) / wanted:.2f}" if wanted else "–"
        print(f"{kind:16} {wanted:6} {recall:>7} {cases:6} {whole / cases:6.2f}")


if __name__ == "__main__":
    main()
