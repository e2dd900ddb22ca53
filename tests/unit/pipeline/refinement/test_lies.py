"""Nearly all true notes are kept, and nearly none of the lies made from them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

import pytest

from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.refinement.faithfulness import Evidence
from turnfold_worker.pipeline.refinement.quotes import align, with_conditions

TALK = """
2026-04-02 Ines: Hi Paul! I finally moved to Porto two weeks ago, the flat has 3 rooms and a tiny balcony.
2026-04-02 Paul: Wow, congrats! How do you like your new job at the aquarium?
2026-04-02 Ines: I love it. I feed the otters every morning and train 2 apprentices. My boss Helena is really kind.
2026-04-02 Paul: Otters! My daughter would go crazy. We visited the zoo last Saturday and she only wanted the penguins.
2026-04-02 Ines: Bring her here! How old is she now?
2026-04-02 Paul: She turned seven in March. She doesn't like fish on her plate, but she loves them in the water.
2026-04-02 Ines: Ha. By the way, I stopped drinking coffee, my doctor said it was bad for my sleep.
2026-04-02 Paul: I could never do that. I drink four cups a day.
2026-04-02 Ines: I bought a bicycle instead of a car. It was 450 euros, second hand, painted green.
2026-04-02 Paul: Nice. I'm restoring an old sailing boat with my brother Karl. We haven't found a mast yet.
2026-04-16 Ines: Guess what, the aquarium gave me a permanent contract yesterday!
2026-04-16 Paul: Brilliant! We celebrated too: Karl found a mast in Aveiro last week.
2026-04-16 Ines: When will the boat be ready?
2026-04-16 Paul: We want to launch it in June, if the engine is repaired by then. The mechanic asks for 900 euros.
2026-04-16 Ines: I'd love to come. I'm taking a course in underwater photography next month.
2026-04-16 Paul: Then you can take pictures of the hull. We named the boat Petrel.
2026-04-20 Ines: We had a picnic with our neighbours two weekends ago. Have you ever tried grilled sardines?
2026-04-20 Paul: Nah, not yet. We should eat some together at the harbour this summer, you and me!
2026-04-20 Ines: Deal! My grandma gave me her pan when I was a student. [shares a photo: a blue pan]
2026-04-20 Paul: Ha, lovely. I'm off to feed the cat, talk to you soon!
"""

NOTES = """
1 | Ines | Ines moved to Porto in March 2026.
1 | Ines | Ines's flat has 3 rooms and a small balcony.
2 3 | Ines | Ines loves her new job at the aquarium.
3 | Ines | Ines feeds the otters each morning.
3 | Ines | Ines trains 2 apprentices.
3 | Ines | Helena, the boss of Ines, is kind.
4 | Paul | Paul visited the zoo with his daughter on 28 March 2026.
4 | Paul | Paul's daughter only wanted to see the penguins.
5 6 | Paul | Paul's daughter turned seven in March 2026.
6 | Paul | Paul's daughter does not like fish on her plate but loves them in the water.
7 | Ines | Ines stopped drinking coffee because her doctor said that it was bad for her sleep.
8 | Paul | Paul drinks four cups a day.
9 | Ines | Ines bought a second-hand green bicycle for 450 euros instead of a car.
10 | Paul | Paul is restoring an old sailing boat with his brother Karl.
10 | Paul | Paul had not found a mast yet.
11 | Ines | The aquarium gave Ines a permanent contract on 15 April 2026.
12 | Paul | Karl found a mast in Aveiro in the week before 16 April 2026.
13 14 | Paul | Paul and Karl want to launch the boat in June 2026 if the engine is repaired by then.
14 | Paul | The mechanic asks for 900 euros.
15 | Ines | Ines takes a course in underwater photography in May 2026.
16 | Paul | Paul and Karl named the boat Petrel.
17 | Ines | Ines had a picnic with her neighbours on the weekend of 11 April 2026.
17 18 | Paul | Paul has not tried grilled sardines.
18 19 | Paul | Ines and Paul want to eat sardines at the harbour in summer 2026.
19 | Ines | Ines got a pan from her grandma, when Ines was a student.
19 | Ines | The color of the pan is blue.
20 | Paul | Paul fed the cat on 20 April 2026.
"""
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
STRANGERS = ("Karl", "Helena", "Oskar", "Lisbon", "Maddalena", "Vienna", "Quentin", "Ostend")
OTHER_WORDS = ("violin", "hospital", "desert", "helicopter", "mushrooms", "lottery", "umbrella", "castle", "trumpet")
NUMBERS = {"seven": "nine", "four": "six"}
ROUNDS = 12
LEAST_LIES = 100
KEPT, REFUSED = 0.95, 0.99


class Told(NamedTuple):
    """A note with its turns and its speaker."""

    turns: tuple[int, ...]
    speaker: str
    text: str


def turns() -> Iterator[StoredTurn]:
    for seq, line in enumerate(TALK.strip().splitlines(), 1):
        day, name, content = re.fullmatch(r"(\S+) (\w+): (.*)", line).groups()  # type: ignore[union-attr]
        said_at = datetime.fromisoformat(day).replace(tzinfo=UTC)
        yield StoredTurn(
            seq=seq, turn_id=f"t{seq}", role=Role.USER, name=name, content=content, tokens=20, created_at=said_at
        )


TURNS = list(turns())
EVIDENCE = Evidence(TURNS)
TRUE = [
    Told(tuple(map(int, seqs.split())), speaker.strip(), text.strip())
    for seqs, speaker, text in (line.split("|") for line in NOTES.strip().splitlines())
]


@cache
def is_kept(note: Told) -> bool:
    """Return whether a note has no problems; cached, since a lie is often drawn again."""
    return EVIDENCE.problems(note.text, note.turns, note.speaker) == []


def test_nearly_all_true_notes_are_kept() -> None:
    refused = [note for note in TRUE if not is_kept(note)]
    assert len(refused) <= (1 - KEPT) * len(TRUE), refused


def wrong_number(note: Told, chance: random.Random) -> Told | None:
    text = re.sub(r"\b\d{1,2} (?=[A-Z])|\b20\d\d\b", lambda match: "#" * len(match.group()), note.text)
    found = list(re.finditer(rf"\d+|\b(?:{'|'.join(NUMBERS)})\b", text))
    if not found:
        return None
    match = chance.choice(found)
    other = NUMBERS.get(match.group()) or str(int(match.group()) + chance.choice([1, 5, 40]))
    return note._replace(text=note.text[: match.start()] + other + note.text[match.end() :])


def wrong_name(note: Told, chance: random.Random) -> Told | None:
    names = re.findall(r"\b(?:Porto|Helena|Karl|Aveiro|Petrel|Paul|Ines)\b", note.text)
    strangers = [name for name in STRANGERS if name not in names]
    return note._replace(text=note.text.replace(chance.choice(names), chance.choice(strangers))) if names else None


def turned_round(note: Told, chance: random.Random) -> Told | None:
    for pattern, by in (
        (r" (?:does|had|has|could) (?:not|never) ", " "), (r"\b(is|has|does) ", r"\1 not "),
        (r"\b(loves|feeds|trains|visited|wanted|turned|drinks|bought|gave|named|takes|asks|moved)\b", r"never \1"),
    ):  # fmt: skip
        changed = re.sub(pattern, by, note.text, count=1)
        if changed != note.text:
            return note._replace(text=changed)
    return None


def wrong_speaker(note: Told, chance: random.Random) -> Told | None:
    other = {"Ines": "Paul", "Paul": "Ines"}[note.speaker]
    if chance.random() < 0.5 or not note.text.startswith(note.speaker):
        return note._replace(speaker=other) if len({TURNS[seq - 1].name for seq in note.turns}) == 1 else None
    return note._replace(text=other + note.text[len(note.speaker) :])


def wrong_date(note: Told, chance: random.Random) -> Told | None:
    found = re.search(r"\d{1,2} [A-Z]\w+ 2026|(?:March|May|June) 2026", note.text)
    if not found:
        return note._replace(text=f"{note.text[:-1]} on {chance.randint(17, 28)} {chance.choice(MONTHS)} 2026.")
    words = found.group().split()
    at = chance.randrange(len(words))
    others = [month for month in MONTHS if month != words[at]]
    words[at] = str((int(words[at]) + 3) % 27 + 1) if words[at].isdigit() and at == 0 else words[at]
    words[at] = chance.choice(others) if words[at] in MONTHS else words[at]
    words[at] = "2025" if words[at] == "2026" else words[at]
    return note._replace(text=note.text.replace(found.group(), " ".join(words)))


def wrong_word(note: Told, chance: random.Random) -> Told | None:
    said = re.findall(
        r"\b(?:flat|balcony|job|aquarium|otters|apprentices|zoo|penguins|fish|plate|coffee|doctor|sleep|cups|bicycle|car"
        r"|boat|brother|mast|contract|engine|mechanic|course|photography|daughter)\b",
        note.text,
    )
    return note._replace(text=note.text.replace(chance.choice(said), chance.choice(OTHER_WORDS))) if said else None


@pytest.mark.parametrize(
    "lie", [wrong_number, wrong_name, turned_round, wrong_speaker, wrong_date, wrong_word], ids=lambda lie: lie.__name__
)
def test_nearly_all_lies_are_refused(lie: Callable[[Told, random.Random], Told | None]) -> None:
    chance = random.Random(lie.__name__)
    made = [lie(note, chance) for _ in range(ROUNDS * 2) for note in TRUE if is_kept(note)]
    lies = [note for note in made if note is not None]
    passed = [note for note in lies if is_kept(note)]
    assert len(lies) >= LEAST_LIES
    assert len(passed) <= (1 - REFUSED) * len(lies), passed


def test_a_quote_without_its_negation_gets_it_back() -> None:
    for start, quote in (
        (6, "like fish on her plate"),
        (8, "do that"),
        (10, "found a mast yet"),
        (14, "launch it in June"),
    ):
        found = align(quote, start, TURNS)
        assert found is not None
        whole = with_conditions(found)
        kept = whole.turn.content[whole.span.start : whole.span.end]
        assert re.search(r"n't|never|\bif\b", kept), kept
