"""Conversations of ten kinds, each a series of segments about one or two things of a topic.

Everything is determined by a seed. Speakers alternate across a join as they do inside a segment, so that they do not
reveal it; segment lengths are drawn for each conversation, so that lengths do not either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from made_talk import phrases as p

TOPICS: Final = Path(__file__).with_name("topics.txt")


@dataclass(frozen=True, slots=True)
class Topic:
    """Vocabulary of a topic."""

    things: tuple[str, ...]
    verbs: tuple[str, ...]
    qualities: tuple[str, ...]


def topics() -> tuple[Topic, ...]:
    """Return the topics of the file, in order."""
    lines = [line for line in TOPICS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    parts = [[column.strip() for column in line.split("|")] for line in lines]
    return tuple(Topic(*(tuple(one.strip() for one in column.split(",")) for column in row[1:])) for row in parts)


@dataclass(frozen=True, slots=True)
class MadeTurn:
    """A turn: `role` is user, assistant or tool; `name` is set where people talk among themselves."""

    role: str
    text: str
    name: str | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Talk:
    """A conversation and the indexes of the turns at which a new segment begins."""

    kind: str
    turns: list[MadeTurn] = field(default_factory=list)
    boundaries: list[int] = field(default_factory=list)


class Speech:
    """Fills phrases with the things that a segment is about."""

    def __init__(self, random: Random, topic: Topic, things: list[str], *, lower: bool) -> None:
        self.random, self.topic, self.things, self.lower = random, topic, things, lower
        self.last = things[0]

    def say(self, phrases: tuple[str, ...]) -> str:
        """Fill one of the phrases; more often than not, it names the thing that was named last."""
        random = self.random
        if random.random() < 0.5:
            self.last = random.choice(self.things)
        text = random.choice(phrases)
        if random.random() < 0.15:
            text = f"{text[:-1]} {random.choice(p.SUFFIXES)}{text[-1]}" if text[-1] in "?.!" else text
        filled = text.format_map(
            {"n": self.last, "m": random.choice(self.things), "v": random.choice(self.topic.verbs),
             "w": random.choice(self.topic.verbs), "q": random.choice(self.topic.qualities),
             "o": random.choice(self.topic.things), "who": random.choice(p.NAMES), "place": random.choice(p.PLACES),
             "a": random.choice(p.ATTRIBUTES), "b": random.choice(p.ATTRIBUTES),
             "day": random.choice(p.DAYS), "num": random.randint(2, 60), "big": random.randint(100, 9000)}
        )  # fmt: skip
        return filled.lower() if self.lower else filled[0].upper() + filled[1:]

    def some(self, *parts: tuple[float, tuple[str, ...]]) -> str:
        """Join phrases, each chosen with its probability; at least one is chosen."""
        chosen = [phrases for share, phrases in parts if self.random.random() < share] or [parts[-1][1]]
        return " ".join(self.say(phrases) for phrases in chosen)


Lines = Iterator[tuple[str, str]]
"""(who, text); who is an index into the speakers or a role."""


def _advice(s: Speech, turns: int, *, opening: bool) -> Lines:
    """Generate a user who asks about rules and an agent who answers, sometimes with a question."""
    random, said = s.random, 0
    if opening and random.random() < 0.4:
        yield "user", s.some((0.7, p.GREETINGS), (0.6, p.NEEDS))
        yield "assistant", s.say(p.OFFERS)
        yield "user", s.some((0.3, p.SELF), (1, p.QUESTIONS))
        said += 3
    elif not opening and random.random() < 0.08:
        yield "assistant", s.say(p.CHECKS)
        yield "user", s.some((0.9, p.SHORT), (0.6, p.SELF))
        yield "assistant", s.say(p.FACTS)
        said += 3
    else:
        yield "user", s.some((0.2, p.SHORT), (0.15, p.THANKS), (0.2, p.SELF), (0.12, p.CUES), (1, p.QUESTIONS))
        said += 1
    while said < turns:
        if random.random() < 0.35:
            yield "assistant", s.some((0.3, p.FACTS), (1, p.CHECKS))
            yield "user", s.some((0.85, p.SHORT), (0.4, p.SELF))
            said += 2
            if random.random() < 0.3:
                yield "assistant", s.say(p.CHECKS)
                yield "user", s.some((0.9, p.SHORT), (0.3, p.SELF))
                said += 2
        yield "assistant", s.some((0.2, p.SHORT), (0.9, p.FACTS), (0.35, p.FACTS))
        said += 1
        if said < turns:
            yield "user", s.some((0.25, p.SHORT), (0.15, p.SELF), (0.8, p.FOLLOW_UPS))


def _chat(s: Speech, turns: int, *, opening: bool) -> Lines:
    """Generate two people who tell each other about themselves."""
    random = s.random
    if opening:
        yield "0", s.some((0.9, p.GREETINGS), (0.5, p.SMALL_TALK))
        yield "1", s.some((0.8, p.GREETINGS), (0.6, p.TOLD))
    yield "0", s.some((0.25, p.REACTIONS), (0.7, p.TOLD), (0.5, p.ASKED))
    for i in range(1, turns):
        asks = random.random() < 0.4
        yield str(i % 2), s.some((0.5, p.REACTIONS), (0.7, p.MORE_TOLD), (0.25, p.TOLD), (1.0 * asks, p.ASKED_BACK))


def _task(s: Speech, turns: int, *, opening: bool) -> Lines:
    """Generate a user who has something done, slot by slot."""
    random, said = s.random, 1
    yield (
        "user",
        s.some(
            (0.3 * opening, p.GREETINGS),
            (0.3 * (not opening), p.THANKS),
            (0.2 * (not opening), p.CUES),
            (1, p.REQUESTS),
        ),
    )
    while said < turns:
        if random.random() < 0.6:
            yield "assistant", s.some((0.2, p.SHORT), (1, p.SLOTS))
            yield "user", s.some((0.3, p.SHORT), (0.9, p.SLOT_ANSWERS))
        elif random.random() < 0.5:
            yield "assistant", s.say(p.CONFIRMATIONS)
            yield "user", s.some((0.9, p.SHORT), (0.2, p.SLOT_ANSWERS))
        else:
            yield "assistant", s.say(p.RESULTS)
            yield "user", s.some((0.4, p.SHORT), (0.8, p.FOLLOW_UPS))
        said += 2
    yield "assistant", s.some((1, p.RESULTS), (0.3, p.ANYTHING_ELSE))
    if random.random() < 0.4:
        yield "user", s.say(p.THANKS)
        yield "assistant", s.some((0.8, p.WELCOME), (0.5, p.ANYTHING_ELSE))


def _meeting(s: Speech, turns: int, *, opening: bool) -> Lines:
    """Generate a meeting in which one person leads a topic and the others chime in."""
    random = s.random
    chair, lead = "0", str(random.randint(0, 3))
    who = chair if not opening and random.random() < 0.5 else lead
    if random.random() < 0.2:
        yield who, s.say(p.OPENERS)
    yield (
        who,
        s.some(
            (0.03, p.GREETINGS), (0.45, p.OPENERS), (0.5, p.MEETING_SHIFTS), (1, p.MEETING_TALK), (0.4, p.MEETING_TALK)
        ),
    )
    if random.random() < 0.4:
        yield str(random.randint(0, 3)), s.say(p.BACKCHANNELS)
    yield lead, s.some((0.4, p.MEETING_SHIFTS), (1, p.MEETING_TALK), (0.4, p.MEETING_TALK))
    speaker = lead
    for _ in range(turns):
        if random.random() < 0.35:
            yield str(random.randint(0, 3)), s.say(p.BACKCHANNELS)
            continue
        if random.random() < 0.3:
            speaker = str(random.randint(0, 3)) if speaker == lead else lead
        yield (
            speaker,
            s.some(
                (0.3, p.HESITATIONS),
                (0.07, p.MEETING_ASIDES),
                (0.35, p.CLAUSES),
                (0.3, p.MEETING_TALK),
                (0.1, p.FACTS),
                (0.15, p.MEETING_QUESTIONS),
                (0.35, p.GENERAL_TALK),
            ),
        )
    if random.random() < 0.25:
        for _ in range(random.randint(1, 4)):
            yield str(random.randint(0, 3)), s.say(p.SETTLED)


def _assistant(s: Speech, turns: int, *, opening: bool) -> Lines:
    """Generate a user and an assistant that writes at length."""
    random = s.random
    yield "user", s.some((0.2 * opening, p.GREETINGS), (0.12, p.CUES), (0.4, p.SELF), (1, p.PROMPTS))
    said = 1
    while said < turns:
        yield "assistant", " ".join(s.say(p.LONG_ANSWERS) for _ in range(random.randint(2, 7)))
        asked = p.PROMPT_FOLLOW_UPS if random.random() < 0.6 else p.FOLLOW_UPS
        yield "user", s.some((0.2, p.THANKS), (0.15, p.SELF), (1, asked))
        said += 2
    yield "assistant", " ".join(s.say(p.LONG_ANSWERS) for _ in range(random.randint(2, 7)))


def _team(s: Speech, turns: int, *, opening: bool) -> Lines:
    """Generate colleagues in a channel."""
    random = s.random
    yield (
        str(random.randint(0, 2)),
        s.some((0.08, p.GREETINGS), (0.15 * (not opening), p.CUES), (0.6, p.TEAM_NEWS), (0.5, p.QUESTIONS)),
    )
    for _ in range(turns - 1):
        yield (
            str(random.randint(0, 2)),
            s.some(
                (0.3, p.SHORT),
                (0.5, p.FACTS),
                (0.3, p.CLAUSES),
                (0.2, p.FOLLOW_UPS),
                (0.2, p.REACTIONS),
                (0.2, p.GENERAL_TALK),
                (0.1, p.PLANS),
            ),
        )


def _agent(s: Speech, turns: int, *, opening: bool) -> Lines:  # noqa: ARG001 - all kinds have one form
    """Generate an agent that calls tools: a request, output of the tools, a report."""
    random = s.random
    yield "user", s.some((0.15, p.THANKS), (0.15, p.CUES), (0.3, p.SELF), (1, p.ORDERS))
    for _ in range(max(1, turns // 3)):
        yield "assistant", s.say(p.STEPS)
        yield "tool", " ".join(s.say(p.OUTPUTS) for _ in range(random.randint(1, 6)))
        if random.random() < 0.3:
            yield "assistant", s.some((1, p.FACTS), (0.3, p.CHECKS))
            yield "user", s.some((0.6, p.SHORT), (0.7, p.PROMPT_FOLLOW_UPS))
    yield "assistant", s.some((1, p.REPORTS), (0.5, p.FACTS))


def _errand(s: Speech, turns: int, *, opening: bool) -> Lines:  # noqa: ARG001 - all kinds have one form
    """Generate a whole short conversation about one errand, from the request to the goodbye."""
    random, said = s.random, 2
    yield "user", s.some((0.12, p.GREETINGS), (1, p.NEW_TASKS), (0.15, p.SLOT_ANSWERS))
    for _ in range(3):
        if random.random() < 0.45:
            yield "assistant", s.some((0.15, p.SHORT), (1, p.SLOTS))
            yield "user", s.some((0.2, p.SHORT), (0.9, p.SLOT_ANSWERS))
            said += 2
    yield "assistant", s.some((1, p.DONE))
    while said < turns:
        asked = random.random() < 0.5
        yield "user", s.some((0.2, p.SHORT), (0.15, p.THANKS), (1, p.DETAILS if asked else p.CHOICES))
        yield "assistant", s.some((1, p.GIVEN if asked else p.DONE), (0.15, p.ANYTHING_ELSE))
        said += 2
    if random.random() < 0.65:
        yield "user", s.say(p.ENDS)
        yield "assistant", s.some((1, p.FAREWELLS), (0.2, p.FAREWELLS))


def _prompting(s: Speech, turns: int, *, opening: bool) -> Lines:  # noqa: ARG001 - all kinds have one form
    """Generate a whole chat with an assistant that writes at length; later prompts take up its answers."""
    random, said = s.random, 2
    starts = p.CHAT_STARTS if random.random() < 0.5 else p.PROMPTS
    yield "user", s.some((0.2, p.GREETINGS), (0.4, p.SELF), (1, starts), (0.1, p.SELF))
    yield "assistant", s.some((0.1, p.GREETINGS), *[(0.7, p.LONG_ANSWERS)] * random.randint(1, 7))
    while said < turns:
        asked = random.choice((p.PROMPT_FOLLOW_UPS, p.FOLLOW_UPS, p.QUESTIONS))
        yield "user", s.some((0.35, p.ACKNOWLEDGED), (0.2, p.SELF), (1, asked), (0.15, p.REMARKS))
        yield "assistant", s.some(*[(0.7, p.LONG_ANSWERS)] * random.randint(1, 7))
        said += 2


def _matters(s: Speech, turns: int, *, opening: bool) -> Lines:  # noqa: ARG001 - all kinds have one form
    """Generate long messages to an assistant about new parts of one matter, all in the form of the first message."""
    random, first, things = s.random, True, s.things
    for _ in range(max(1, turns // 2)):
        s.things = random.sample(s.topic.things, 2) if random.random() < 0.7 else things
        s.last = s.things[0]
        if not first and random.random() < 0.25:
            yield "user", s.some((0.5, p.ACKNOWLEDGED), (1, random.choice((p.PROMPT_FOLLOW_UPS, p.FOLLOW_UPS))))
        else:
            told = [(0.75, random.choice((p.MATTERS, p.MATTERS, p.SELF, p.CHAT_STARTS))) for _ in range(4)]
            asked = (0.85, random.choice((p.ASKED_FOR, p.ASKED_FOR, p.PROMPTS, p.QUESTIONS)))
            polite = (0.3, p.GREETINGS) if first else (0.25, p.ACKNOWLEDGED)
            yield "user", s.some(polite, *told[: random.randint(1, 4)], asked, (0.12, p.PASTED), (0.1, p.REMARKS))
        answers = [
            (0.8, random.choice((p.LONG_ANSWERS, p.LONG_ANSWERS, p.FACTS))) for _ in range(random.randint(3, 12))
        ]
        yield "assistant", s.some(*answers)
        first = False


@dataclass(frozen=True, slots=True)
class Kind:
    """Parameters of a kind of talk."""

    lines: Callable[..., Lines]
    lengths: tuple[int, int]
    """Range of the mean length of a segment, in turns."""
    turns: int
    """Approximate turns of a conversation."""
    one_topic: float
    """Probability that all segments are about different things of one topic."""
    clause_seconds: tuple[float, float] | None = None
    """Range of seconds between turns inside a segment, and of the extra seconds at a join, if turns have times."""
    breaks: float = 0.0
    """Probability that people leave for some minutes at a join."""


KINDS: Final[Mapping[str, Kind]] = {
    "advice": Kind(_advice, (2, 7), 20, 0.8),
    "chat": Kind(_chat, (3, 7), 20, 0.2),
    "task": Kind(_task, (5, 12), 30, 0.3),
    "meeting": Kind(_meeting, (20, 120), 500, 0.95, (2.5, 1.5), 0.05),
    "assistant": Kind(_assistant, (2, 12), 40, 0.2),
    "team": Kind(_team, (4, 16), 60, 0.7, (90, 900)),
    "errand": Kind(_errand, (2, 7), 30, 0.15),
    "prompting": Kind(_prompting, (2, 10), 36, 0.15),
    "matters": Kind(_matters, (4, 12), 40, 0.1),
    "agent": Kind(_agent, (5, 16), 50, 0.5),
}


def make_talk(kind: str, seed: int) -> Talk:
    """Make a conversation of a kind. Equal seeds make equal talk."""
    random = Random(f"{kind} {seed}")  # noqa: S311 - talk, not secrets
    rules, talk = KINDS[kind], Talk(kind)
    mean = random.uniform(*rules.lengths)
    names = random.sample(p.NAMES, 4)
    lower = random.random() < 0.3
    shared = random.choice(topics())
    whole = random.random() < rules.one_topic
    used: list[str] = []
    clock = 0.0 if rules.clause_seconds and random.random() < 0.7 else None
    shift = 0
    while len(talk.turns) < rules.turns:
        topic = shared if whole else random.choice(topics())
        things = [one for one in topic.things if one not in used] or list(topic.things)
        focus = random.sample(things, min(len(things), random.choice((1, 2, 2, 3)) + (mean > 15) * 2))
        used = [*used, *focus][-6:]
        speech = Speech(random, topic, focus, lower=lower)
        length = max(1, round(random.gammavariate(3, mean / 3)))
        lines = list(rules.lines(speech, length, opening=not talk.turns))
        if talk.turns:
            talk.boundaries.append(len(talk.turns))
            clock = _later(random, clock, rules, joined=True)
        shift = _alternating(talk, lines, shift)
        for who, text in lines:
            clock = _later(random, clock, rules, joined=False)
            talk.turns.append(_turn(who, text, names, clock, shift))
    return talk


def _later(random: Random, clock: float | None, rules: Kind, *, joined: bool) -> float | None:
    if clock is None or rules.clause_seconds is None:
        return None
    inside, between = rules.clause_seconds
    if joined and random.random() < rules.breaks:
        return clock + random.uniform(200, 2_400)
    return clock + (random.expovariate(1 / between) if joined else random.expovariate(1 / inside))


def _alternating(talk: Talk, lines: list[tuple[str, str]], shift: int) -> int:
    """Return which of two people begins a segment, so that they keep alternating across the join."""
    if talk.kind != "chat" or not talk.turns:
        return 0
    last = int(talk.turns[-1].name == talk.turns[0].name)
    return last if lines[0][0] == "0" else shift


def _turn(who: str, text: str, names: list[str], clock: float | None, shift: int) -> MadeTurn:
    if not who.isdigit():
        return MadeTurn(who, text, seconds=clock)
    return MadeTurn("user", text, names[(int(who) + shift) % (2 if shift else 4)], clock)
