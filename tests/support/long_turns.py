"""Long turns about one or several topics, with sentences that share words within a topic and none across topics."""

from __future__ import annotations

import random
from typing import Final

TOPICS: Final = {
    "ferry": (
        "ferry harbour timetable sailing island passengers crossing captain pier tide ticket lifeboat mooring cargo "
        "deck anchor gangway swell lighthouse berth"
    ),
    "roof": (
        "roof slates gutter rafters carpenter leak attic insulation chimney scaffold battens flashing timber plaster "
        "skylight joists beams moss ladder mortar"
    ),
    "bakery": (
        "bakery dough sourdough oven flour crust yeast kneading loaf proofing starter rye bagel pastry baker tray "
        "butter croissant seeds hydration"
    ),
}
_SHAPES: Final = (
    "The {0} near the {1} was checked because the {2} had moved.",
    "Every {0} needs a {1} before the {2} is ready.",
    "We asked about the {0}, and the {1} came with a {2} and a {3}.",
    "On the second day the {0} and the {1} were put beside the {2}.",
    "Nobody had seen a {0} like that since the {1} was replaced by a {2}.",
)


def prose(topic: str, *, tokens: int) -> str:
    """Return paragraphs about a topic, of roughly `tokens` estimated tokens."""
    chance = random.Random(f"prose {topic}")
    words = TOPICS[topic].split()
    sentences = [chance.choice(_SHAPES).format(*chance.sample(words, 4)) for _ in range(tokens // 14)]
    return "\n\n".join(" ".join(sentences[at : at + 6]) for at in range(0, len(sentences), 6))
