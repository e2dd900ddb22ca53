"""Compare the tokens sent to models for conversations of 100, 1,000 and 3,000 turns: Turnfold and two other methods.

PYTHONPATH=tests python benchmarks/model_tokens.py --figure docs/model-tokens.svg

Turnfold's numbers come from its real requests: turns go through Redis into SQL and are folded and refined with a server
that speaks OpenAI's protocol and answers well. Everything that this server receives is counted, prompts and schemas
included. The two others are computed over the same turns, with the same counter and prompts of the same length:

all again      each time the history has grown by 4,000 tokens, a model is given all of it once more
rolling        every 20 turns one model is given those turns and the summary so far, of at most 1,000 tokens
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import log10
from pathlib import Path

from support.talk import talk
from turnfold import Turnfold
from turnfold.tokens import ESTIMATOR, MESSAGE_TOKENS, estimate_tokens
from turnfold_worker.adapters import prompt_files
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.operate import migrate
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.testing.messages import HeldMessages, run_until_idle
from turnfold_worker.testing.model_server import OpenAIServer
from turnfold_worker.wiring import build

ALL_AGAIN_TOKENS = 4_000
ROLLING_TURNS = 20
ROLLING_SUMMARY_TOKENS = 1_000
PAUSE_TURNS = 30
APPENDED_AT_ONCE = 500
GOAL = 2.5


@dataclass(frozen=True)
class Measured:
    """Tokens of one conversation."""

    turns: int
    conversation: int
    sent: int
    got: int
    calls: int
    all_again: int
    rolling: int

    @property
    def shares(self) -> tuple[float, float, float]:
        """Return the tokens sent per token of the conversation: by Turnfold, all again, rolling."""
        return (self.sent / self.conversation, self.all_again / self.conversation, self.rolling / self.conversation)


def measured(turns: list[dict[str, str]], redis_url: str, folder: Path) -> Measured:
    """Append, fold and refine a conversation; count the tokens sent to the models."""
    url = f"sqlite:///{folder / f'{len(turns)}.db'}"
    migrate.upgrade(url)
    with OpenAIServer() as server:
        settings = WorkerSettings(
            redis_url=redis_url, database_url=url, tenant=f"t{len(turns)}", openai_base_url=server.base_url,
            doorbell=False, refine_attempts=1, slice_seconds=3_600, max_inbox_turns=1_000_000,
        )  # fmt: skip
        messages = HeldMessages()
        worker = replace(build(settings), publisher=messages)
        with Turnfold(settings=settings) as tf:
            for start in range(0, len(turns), APPENDED_AT_ONCE):
                tf.append("c", turns[start : start + APPENDED_AT_ONCE])
            run_until_idle(worker, messages, most=1_000_000)
            status = tf.status("c")
            if status.parked or status.lag_seconds:
                message = f"not all was done: {status}"
                raise RuntimeError(message)
        schemas = sum(estimate_tokens(json.dumps(r["response_format"]["json_schema"])) for r in server.requests)
        sizes = [estimate_tokens(turn["content"]) + MESSAGE_TOKENS for turn in turns]
        return Measured(
            turns=len(turns), conversation=sum(sizes), sent=server.billed_input + schemas, got=server.billed_output,
            calls=len(server.requests), all_again=sum(_all_again(sizes)), rolling=sum(_rolling(sizes)),
        )  # fmt: skip


def _all_again(sizes: list[int]) -> Iterator[int]:
    system = estimate_tokens(prompt_files.prompt(prompt_files.NOTES).text)
    so_far = fresh = 0
    for size in sizes:
        so_far, fresh = so_far + size, fresh + size
        if fresh >= ALL_AGAIN_TOKENS:
            yield so_far + system
            fresh = 0


def _rolling(sizes: list[int]) -> Iterator[int]:
    system = estimate_tokens(prompt_files.prompt(prompt_files.NOTES).text)
    for start in range(0, len(sizes), ROLLING_TURNS):
        block = sum(sizes[start : start + ROLLING_TURNS])
        yield system + block + min(ROLLING_SUMMARY_TOKENS, sum(sizes[:start]) // 4)


def chat(turns: int) -> list[dict[str, str]]:
    """Return talk as with assistants: a few sentences by the user, a paragraph by the assistant, occasional pauses."""
    said = talk("bench", 4 * turns)
    at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    made = []
    for number in range(turns):
        block = said[4 * number : 4 * number + (4 if number % 2 else 2)]
        at += timedelta(hours=5) if number % PAUSE_TURNS == PAUSE_TURNS - 1 else timedelta(minutes=2)
        made.append({
            "role": "assistant" if number % 2 else "user", "content": " ".join(one["content"] for one in block),
            "created_at": at.isoformat(),
        })  # fmt: skip
    return made


# The figure

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 380, 70, 50, 190, 60
HIGHEST = 1_000.0
LOWEST = 1.0
LINES = (("Turnfold", "#0f766e"), ("rolling, every 20 turns", "#b45309"), ("all again", "#b91c1c"))


def figure(found: Sequence[Measured]) -> str:
    """Return an SVG of the tokens sent per token over the length of a conversation, both axes in powers of ten."""
    first, last = log10(found[0].turns), log10(found[-1].turns)

    def x(turns: float) -> float:
        return LEFT + (log10(turns) - first) / max(last - first, 1e-9) * (WIDTH - LEFT - RIGHT)

    def y(share: float) -> float:
        height = HEIGHT - TOP - BOTTOM
        # Nothing is sent until as many segments are closed as a call contains.
        return TOP + (log10(HIGHEST) - log10(max(share, LOWEST))) / (log10(HIGHEST) - log10(LOWEST)) * height

    right = WIDTH - RIGHT
    title = "Tokens sent to models per token of the conversation"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">',
        '<g font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="26" font-weight="600" fill="#0f172a">{title}</text>',
    ]
    for share in (1, 10, 100, 1_000):
        parts.append(f'<path d="M{LEFT} {y(share):.1f}H{right}" stroke="#e2e8f0"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(share) + 4:.1f}" text-anchor="end" fill="#475569">{share:,}</text>')
    parts += [
        f'<text x="{x(one.turns):.1f}" y="{HEIGHT - 38}" text-anchor="middle" fill="#475569">{one.turns:,}</text>'
        for one in found
    ]
    parts.append(
        f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 14}" text-anchor="middle" fill="#475569">turns</text>'
    )
    parts.append(f'<path d="M{LEFT} {y(GOAL):.1f}H{right}" stroke="#0f766e" stroke-dasharray="5 4"/>')
    parts.append(f'<text x="{LEFT + 6}" y="{y(GOAL) - 6:.1f}" fill="#0f766e" font-size="11">at most {GOAL}</text>')
    for (name, colour), place in zip(LINES, (0, 2, 1), strict=True):
        points = [(x(one.turns), y(one.shares[place])) for one in found]
        line = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="{colour}"/>' for px, py in points]
        parts.append(
            f'<text x="{points[-1][0] + 10:.1f}" y="{points[-1][1] + 4:.1f}" fill="{colour}">{name} '
            f"{found[-1].shares[place]:.2f}</text>"
        )
    return "\n".join([*parts, "</g>", "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, nargs="+", default=[100, 1_000, 3_000])
    parser.add_argument("--figure", type=Path, help="write the figure to this SVG file")
    options = parser.parse_args()
    print(f"tokens by {ESTIMATOR.name}; sent tokens include prompts and schemas\n")
    print("| turns | tokens | calls | sent | got | Turnfold | rolling, every 20 | all again |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    found: list[Measured] = []
    with tempfile.TemporaryDirectory() as folder, RedisServer(Path(folder)) as redis_server:
        for turns in options.turns:
            one = measured(chat(turns), redis_server.url, Path(folder))
            found.append(one)
            mine, all_again, rolling = one.shares
            print(
                f"| {one.turns:,} | {one.conversation:,} | {one.calls:,} | {one.sent:,} | {one.got:,} | **{mine:.2f}** "
                f"| {rolling:.2f} | {all_again:.2f} |",
                flush=True,
            )
    if options.figure:
        options.figure.write_text(figure(found), encoding="utf-8")


if __name__ == "__main__":
    main()
