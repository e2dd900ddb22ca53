"""A model that is good at its work, as far as words of the request themselves can be: it copies what was said.

What it returns is faithful and short, so that what is refused in a test is what the test made wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnfold_worker.testing.model_server import Request

_SEGMENT = re.compile(r"=== segment (\d+)(?: \(([^()]*)\))?")
_TURN = re.compile(r"#(\d+) ([^:]+): (.*)", re.DOTALL)
_CHAPTER = re.compile(r"Write node 0 for all of it \(([^()]*)\)")


@dataclass
class ReadSegment:
    """A segment as a model sees it."""

    number: int
    asked: str
    """What is to be written of it, and how long."""
    turns: list[tuple[int, str, str]] = field(default_factory=list)
    """(number, speaker, words)."""


def read_request(user: str) -> list[ReadSegment]:
    """The segments of a request."""
    fence = next(line for line in user.splitlines() if line.startswith("-----"))
    segments: list[ReadSegment] = []
    for line in user.split(fence)[1].strip("\n").split("\n"):
        heading, turn = _SEGMENT.fullmatch(line), _TURN.fullmatch(line)
        if heading:
            segments.append(ReadSegment(int(heading[1]), heading[2] or ""))
        elif turn:
            segments[-1].turns.append((int(turn[1]), turn[2], turn[3]))
        elif segments[-1].turns and not line.startswith("["):
            seq, speaker, words = segments[-1].turns[-1]
            segments[-1].turns[-1] = (seq, speaker, f"{words}\n{line}")
    return segments


def sentences(words: str) -> list[str]:
    """What of a turn is not kept already, a sentence each."""
    said = re.sub(r"<<.*?>>", " | ", words, flags=re.DOTALL)
    return [part.strip(" .|") for part in re.split(r"[!?\n|]|\.(?!\d)", said) if len(part.split()) > 3]


def statements(segment: ReadSegment, words: int) -> list[dict[str, Any]]:
    """The first sentences that fit into a number of words."""
    found: list[dict[str, Any]] = []
    for seq, _, said in segment.turns:
        for sentence in sentences(said)[:1] if words > 0 else ():
            room = words - 3
            words -= len(sentence.split()) + 3
            if words < 0 and found:
                return found
            found.append({"turn": seq, "text": " ".join(sentence.split()[:room])})
    return found


def tags(segments: list[ReadSegment]) -> list[str]:
    counts: dict[str, int] = {}
    for segment in segments:
        for _, _, said in segment.turns:
            for word in re.findall(r"[a-z]{6,}", said.lower()):
                counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: (-counts[word], word))[:4]


def summary(user: str) -> list[dict[str, Any]]:
    """Nodes for all that is asked for."""
    segments = read_request(user)
    chapter = _CHAPTER.search(user)
    if chapter:
        segments.append(ReadSegment(0, chapter[1], [turn for one in segments for turn in one.turns]))
    return [_node(one) for one in segments if one.asked]


def _node(segment: ReadSegment) -> dict[str, Any]:
    words = {kind: int(count) for kind, count in re.findall(r"(\w+): (\d+) words", segment.asked)}
    only = segment.asked.startswith("only ")
    return {
        "node": segment.number, "detailed": statements(segment, words.get("detailed", 0)),
        "brief": statements(segment, words.get("brief", 0)),
        "tags": tags([segment]) if "tags" in segment.asked or not only else [],
    }  # fmt: skip


def quotes(user: str) -> list[dict[str, Any]]:
    """A quote a segment: the longest sentence that the rules did not keep."""
    found = []
    for segment in read_request(user):
        said = [(seq, sentence) for seq, _, words in segment.turns for sentence in sentences(words)]
        if said:
            seq, sentence = max(said, key=lambda one: len(one[1]))
            found.append({"turn": seq, "type": "critical_fact", "quote": sentence})
    return found


def whole_objects(cut: str) -> list[Any]:
    """What is whole in a list of objects that was cut off."""
    found: list[Any] = []
    at = cut.find("[{") + 1
    while at > 0 and cut[at : at + 1] == "{":
        try:
            value, end = json.JSONDecoder().raw_decode(cut, at)
        except ValueError:
            break
        found.append(value)
        at = end + 2 if cut[end : end + 2] == ", " else 0
    return found


def answer(request: Request) -> str:
    """What a careful model would say."""
    user, purpose = request["messages"][1]["content"], request["response_format"]["json_schema"]["name"]
    schema = request["response_format"]["json_schema"]["schema"]
    body: dict[str, Any]
    if purpose == "reconstruct":
        body = {"passage": user.rpartition("Summary:\n")[2]}
    elif user.startswith("Problem: "):
        body = {key: whole_objects(user) for key in schema["properties"]}
    elif "anchors" in schema["properties"]:
        body = {"anchors": quotes(user)}
    else:
        body = {"nodes": summary(user)}
    return json.dumps(body, ensure_ascii=False)


def changing(change: Callable[[dict[str, Any]], object], purpose: str = "summarize") -> Callable[[Request], str]:
    """A model that does something wrong in its replies of a purpose, repairs included."""

    def wrong(request: Request) -> str:
        body = json.loads(answer(request))
        schema = request["response_format"]["json_schema"]["schema"]["properties"]
        if ("nodes" in schema) == (purpose == "summarize"):
            change(body)
        return json.dumps(body, ensure_ascii=False)

    return wrong
