"""Write a version into every file that states it: `python ops/set_version.py 0.2.0`. A test keeps them equal."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
VERSION: Final = r"\d+\.\d+\.\d+"
PLACES: Final = (
    ("producer_sdk/pyproject.toml", r'^version = "({})"'),
    ("worker/pyproject.toml", r'^version = "({})"'),
    ("worker/pyproject.toml", r'"turnfold(?:\[\w+\])?==({})"'),
    ("gateway/pyproject.toml", r'^version = "({})"'),
    ("gateway/pyproject.toml", r'"turnfold(?:\[\w+\])?==({})"'),
    ("gateway/openapi.json", r'^    "version": "({})"'),
    ("gateway/server.json", r'"version": "({})"'),
    ("docker-compose.yml", r"image: turnfold-\w+:({})"),
    ("ops/semantic.compose.yml", r"image: turnfold-semantic-worker:({})"),
    ("ops/helm/turnfold/Chart.yaml", r"^(?:version|appVersion): ({})"),
)
"""Each file, and the pattern that finds the version in it."""


def places() -> list[tuple[str, re.Pattern[str]]]:
    return [(name, re.compile(form.replace("{}", VERSION), re.MULTILINE)) for name, form in PLACES]


def main() -> None:
    if len(sys.argv) != 2 or not re.fullmatch(VERSION, sys.argv[1]):
        sys.exit("give one version, such as: python ops/set_version.py 0.2.0")
    for name, pattern in places():
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        path.write_text(pattern.sub(_with_version, text), encoding="utf-8")


def _with_version(match: re.Match[str]) -> str:
    return match[0].replace(match[1], sys.argv[1])


if __name__ == "__main__":
    main()
