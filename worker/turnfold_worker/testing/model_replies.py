"""A fake model with good replies, which it copies from the words of the request.

Replies are faithful and short, so that only replies that a test corrupts are rejected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from turnfold.contract.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    from turnfold_worker.testing.model_server import Request

_SEGMENT = lazy_pattern(r"=== segment (\d+)(?: \(([^()]*)\))?")
_TURN = lazy_pattern(r"((?:#\d+ )+)([^:]+): (.*)", re.DOTALL)
_ABOUT = lazy_pattern(r"about (\d+) notes")


@dataclass
class ReadSegment:
    """A segment as a model sees it."""

    number: int
    asked: str
    """What to write about the segment, and how long."""
    turns: list[tuple[list[int], str, str]] = field(default_factory=list)
    """(numbers, speaker, words): a turn has one number, a note those of all its sources."""


def read_request(user: str) -> list[ReadSegment]:
    """Parse the segments of a request."""
    fence = next(line for line in user.splitlines() if line.startswith("-----"))
    segments: list[ReadSegment] = []
    for line in user.split(fence)[1].strip("\n").split("\n"):
        heading, turn = _SEGMENT.fullmatch(line), _TURN.fullmatch(line)
        if heading:
            segments.append(ReadSegment(int(heading[1]), heading[2] or ""))
        elif not segments:
            continue  # Earlier anchors.
        elif turn:
            numbers = [int(number[1:]) for number in turn[1].split()]
            segments[-1].turns.append((numbers, turn[2], turn[3]))
        elif segments[-1].turns and not line.startswith("["):
            numbers, speaker, words = segments[-1].turns[-1]
            segments[-1].turns[-1] = (numbers, speaker, f"{words}\n{line}")
    return segments


def sentences(words: str, *, kept: str = " | ") -> list[str]:
    """Return the longer sentences of a turn; text kept already is replaced by `kept`."""
    unmarked = re.sub(r"<<\d+: (.*?)>>", kept, words, flags=re.DOTALL)
    return [part.strip(" .|") for part in re.split(r"[!?\n|]|\.(?!\d)", unmarked) if len(part.split()) > 3]


def notes(turns: list[tuple[list[int], str, str]], most: int) -> list[dict[str, Any]]:
    """Return the first sentence of each turn, at most `most`."""
    written = [
        {
            "turns": numbers,
            "speaker": speaker,
            "text": sentence,
            "brief": " ".join(sentence.split()[:9]),
            "importance": 1 + len(sentence) % 5,
        }
        for numbers, speaker, words in turns
        for sentence in sentences(words, kept=r"\1")[:1]
    ]
    return written[:most]


def tags(segments: list[ReadSegment]) -> list[str]:
    counts: dict[str, int] = {}
    for segment in segments:
        for _, _, words in segment.turns:
            for word in re.findall(r"[a-z]{6,}", words.lower()):
                counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: (-counts[word], word))[:4]


def segments_of(user: str) -> list[dict[str, Any]]:
    """Return notes, quotes and tags of all requested segments."""
    return [
        {
            "segment": segment.number, "notes": notes(segment.turns, _count(segment.asked)),
            "quotes": quotes(segment), "filler": [], "overtaken": [],
            "tags": tags([segment]),
        }
        for segment in read_request(user)
        if segment.asked
    ]  # fmt: skip


def _count(heading: str) -> int:
    about = _ABOUT.search(heading)
    return int(about[1]) if about else 0


def quotes(segment: ReadSegment) -> list[dict[str, Any]]:
    """Quote the longest sentence that the rules did not keep."""
    candidates = [(numbers[0], sentence) for numbers, _, words in segment.turns for sentence in sentences(words)]
    if not candidates:
        return []
    seq, sentence = max(candidates, key=lambda numbered: len(numbered[1]))
    return [{"turn": seq, "type": "critical_fact", "quote": sentence}]


def chapter(user: str) -> dict[str, Any]:
    """Return some of the notes of a chapter, and tags."""
    segments = read_request(user)
    wanted = _count(user.rpartition("Write ")[2])
    turns = [turn for segment in segments for turn in segment.turns]
    return {"notes": notes(turns[:: max(1, len(turns) // max(1, wanted))], wanted), "tags": tags(segments)}


def whole_objects(cut: str) -> list[Any]:
    """Return the complete objects of a list that was cut off."""
    objects: list[Any] = []
    at = cut.find("[{") + 1
    while at > 0 and cut[at : at + 1] == "{":
        try:
            decoded, end = json.JSONDecoder().raw_decode(cut, at)
        except ValueError:
            break
        objects.append(decoded)
        at = end + 2 if cut[end : end + 2] == ", " else 0
    return objects


def answer(request: Request) -> str:
    """Return the reply of a careful model."""
    user, purpose = request["messages"][1]["content"], request["response_format"]["json_schema"]["name"]
    schema = request["response_format"]["json_schema"]["schema"]
    body: dict[str, Any]
    if purpose == "reconstruct":
        body = {"passage": user.rpartition("Summary:\n")[2]}
    elif user.startswith("Problem: "):
        body = {key: whole_objects(user) for key in schema["properties"]}
    elif "segments" in schema["properties"]:
        body = {"segments": segments_of(user)}
    else:
        body = chapter(user)
    return json.dumps(body, ensure_ascii=False)


def changing(change: Callable[[dict[str, Any]], object], purpose: str = "notes") -> Callable[[Request], str]:
    """Make a model that corrupts its replies of one purpose, repairs included."""

    def wrong(request: Request) -> str:
        body = json.loads(answer(request))
        schema = request["response_format"]["json_schema"]["schema"]["properties"]
        if ("segments" in schema) == (purpose == "notes"):
            change(body)
        return json.dumps(body, ensure_ascii=False)

    return wrong
