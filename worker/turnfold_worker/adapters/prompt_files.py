"""Prompts as files of the package: `<purpose>-<version>.md`. A changed text gets a new file and version."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Final

from turnfold_worker.pipeline.refinement.sources import Prompt

NOTES: Final = "notes-8"
CHAPTER: Final = "chapter-5"
REPAIR: Final = "repair-1"
RECONSTRUCT: Final = "reconstruct-1"
RECONSTRUCT_FROM_FACTS: Final = "reconstruct-facts-1"


@lru_cache(maxsize=16)
def prompt(version: str) -> Prompt:
    """Read the prompt of a version, such as `notes-8`."""
    text = resources.files(__package__).joinpath("prompts", f"{version}.md").read_text(encoding="utf-8")
    return Prompt(version, text)
