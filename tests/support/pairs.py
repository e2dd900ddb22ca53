"""Pairs of statements with the same words that differ in a number, a name, a negation or their order."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

FRAMES: Final = (
    "We decided that {place} must answer within {number} ms.",
    "{place} may not exceed {number} entries.",
    "{first} pays {second} {number} euros for {place}.",
    "{first} decided to keep {place} until {day} May 2026.",
    "{place} runs version 2.{number}.4 and belongs to {first}.",
    "I'll call {first} and then {second} about {place} on {day} June.",
    "Order {number} for {place} goes to {first} instead of {second}.",
    "The ticket #{number} of {first} blocks {place}.",
    "Set LIMIT_{number}=on for {place}, {first} asked for it.",
)
PLACES: Final = ("the gateway", "the ledger of the house", "our nightly backup", "the search page")
NAMES: Final = ("Ana", "Omar", "Tereza Novak", "Piotr", "Wei", "Imani", "Redis", "Kafka")
TURNED: Final = (
    ("You must restart {place} {number} times.", "You must not restart {place} {number} times."),
    ("We will move {place} to {first}.", "We won't move {place} to {first}."),
    ("{first} can open {place}.", "{first} cannot open {place}."),
    ("{place} has a spare key of {first}.", "{place} has no spare key of {first}."),
    ("Everybody may deploy {place} on {day} May.", "Nobody may deploy {place} on {day} May."),
    ("We ship {place} with the tests of {first}.", "We ship {place} without the tests of {first}."),
    ("Never restart but always log {place}.", "Always restart but never log {place}."),
    ("{place} must not deploy but test {number} times.", "{place} must deploy but not test {number} times."),
    ("It is possible to revert {place}.", "It is impossible to revert {place}."),
    ("Deploy {place} before the worker.", "Deploy the worker before {place}."),
    ("{place} has {number} workers and {day} queues.", "{place} has {day} workers and {number} queues."),
    ("We migrate {place} from {number} to {day}.", "We migrate {place} from {day} to {number}."),
)

_slots: Final = st.fixed_dictionaries({
    "place": st.sampled_from(PLACES), "number": st.integers(32, 10**20), "first": st.sampled_from(NAMES),
    "second": st.sampled_from(NAMES), "day": st.integers(1, 28),
})  # fmt: skip


@st.composite
def differing_pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two statements that must never be merged."""
    slots = draw(_slots)
    if draw(st.booleans()):
        one, other = draw(st.sampled_from(TURNED))
        return one.format(**slots), other.format(**slots)
    frame = draw(st.sampled_from(FRAMES))
    changed = dict(slots)
    if "{second}" in frame and draw(st.booleans()):
        changed |= {"first": slots["second"], "second": slots["first"]}
    else:
        slot = draw(st.sampled_from([name for name in ("number", "first", "day") if f"{{{name}}}" in frame]))
        changed[slot] = draw(_slots)[slot]
        if slot == "number" and draw(st.booleans()):
            changed[slot] = int(str(slots[slot])[:-1] + str((int(str(slots[slot])[-1]) + 1) % 10))
    pair = frame.format(**slots), frame.format(**changed)
    return pair if pair[0] != pair[1] else (TURNED[0][0].format(**slots), TURNED[0][1].format(**slots))
