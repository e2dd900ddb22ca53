"""Generated talk that reads like work: questions, decisions, promises, numbers, changes of subject, pauses."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from turnfold import Turnfold

if TYPE_CHECKING:
    from conftest import Filling

_SUBJECTS = (
    ("invoice export", "PostgreSQL", "Mara"), ("ticket scanner", "Redis", "Tomas"),
    ("visitor calendar", "SQLite", "Ines"), ("payment retries", "Stripe", "Ola"), ("photo archive", "S3", "Jun"),
    ("mailing list", "Postmark", "Petra"),
    ("seat map", "Canvas", "Amir"), ("audit log", "Kafka", "Lena"),
)  # fmt: skip
_UNITS = ("euros", "ms", "GB", "requests a minute", "users", "days")
_ADJECTIVES = ("nightly", "regional", "shared", "public", "offline", "encrypted")

_Pick = Callable[[tuple[str, ...]], str]
_Phrase = Callable[[_Pick, str, str, str, int], str]

_PHRASES: tuple[_Phrase, ...] = (
    lambda pick, topic, tool, who, n: f"How should the {topic} behave when {tool} is down for {n} minutes?",
    lambda pick, topic, tool, who, n: f"We decided to use {tool} {n % 9 + 8}.{n % 7} for the {topic}.",
    lambda pick, topic, tool, who, n: f"The {topic} must stay below {n} {pick(_UNITS)}, that is a hard limit.",
    lambda pick, topic, tool, who, n: (
        f"{who} will send the {pick(_ADJECTIVES)} numbers for the {topic} by the {n % 27 + 1}th."
    ),
    lambda pick, topic, tool, who, n: f"Actually, the {topic} needs {n + 5} {pick(_UNITS)}, not {n}.",
    lambda pick, topic, tool, who, n: f"I'll write the migration for the {topic} and test it with {n} rows on {tool}.",
    lambda pick, topic, tool, who, n: f"Who owns the {pick(_ADJECTIVES)} part of the {topic} after {who} leaves?",
    lambda pick, topic, tool, who, n: (
        f"I measured {n}.{n % 10} {pick(_UNITS)} on the {pick(_ADJECTIVES)} {topic} yesterday."
    ),
    lambda pick, topic, tool, who, n: f"Let's keep {tool} for the {topic} and drop the {pick(_ADJECTIVES)} copy.",
    lambda pick, topic, tool, who, n: f"{who} has merged the {topic} change, it is live for {n} {pick(_UNITS)}.",
)

_BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)


def talk(seed: object, turns: int) -> list[dict[str, Any]]:
    """Return messages with distinct contents, the same for the same seed; about ten turns make a segment."""
    chance = random.Random(f"talk {seed}")
    pick: _Pick = chance.choice
    subject = chance.choice(_SUBJECTS)
    at = _BEGIN
    made: list[dict[str, Any]] = []
    for number in range(1, turns + 1):
        if chance.random() < 0.08:
            subject = chance.choice(_SUBJECTS)
        at += timedelta(hours=5) if chance.random() < 0.1 else timedelta(seconds=chance.randint(20, 400))
        said = [chance.choice(_PHRASES)(pick, *subject, chance.randint(2, 900)) for _ in range(chance.randint(1, 3))]
        made.append({
            "role": "user" if number % 2 else "assistant",
            "content": f"{' '.join(said)} (note {seed}-{number})",
            "created_at": at.isoformat(),
        })  # fmt: skip
    return made


def talk_with(fact: str, seed: str, many: int) -> list[dict[str, Any]]:
    """Return a talk that states a fact once, early, among much else."""
    turns = talk(seed, many)
    turns[40]["content"] += f" {fact}"
    return turns


def talk_to_look_up(conversation: str, fact: str, seed: str) -> Filling:
    """Return what folds a conversation that states a fact once, early, so that it has to be looked up at its end."""

    def fill(tf: Turnfold, make_worker: Callable[..., Any]) -> None:
        tf.configure(conversation, settings={"segment_max_turns": 8})
        tf.append(conversation, talk_with(fact, seed, 200))
        make_worker().settle()

    return fill
