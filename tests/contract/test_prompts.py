"""Prompts are versioned files: stored rows name the version, so its text never changes."""

from __future__ import annotations

from hashlib import sha256

import pytest

from turnfold_worker.adapters import prompt_files

TEXTS: dict[str, str] = {
    "notes-8": "8252dc9f37e7c755",
    "chapter-5": "ade3a4ba7155e059",
    "repair-1": "6f1074f834941b5f",
    "reconstruct-1": "bcdfa5db13dbd8ba",
    "reconstruct-facts-1": "fd1270a0cf7a1262",
}
"""Prefix of the SHA-256 of each text."""


@pytest.mark.parametrize("version", TEXTS)
def test_a_text_that_changes_is_a_new_version(version: str) -> None:
    text = prompt_files.prompt(version).text
    assert sha256(text.encode()).hexdigest()[:16] == TEXTS[version], (
        "rows say that they were made by this version: give the new text a new file, such as notes-8.md"
    )


def test_the_versions_in_force_exist() -> None:
    in_force = {
        prompt_files.NOTES, prompt_files.CHAPTER, prompt_files.REPAIR, prompt_files.RECONSTRUCT,
        prompt_files.RECONSTRUCT_FROM_FACTS,
    }  # fmt: skip
    assert in_force <= set(TEXTS)


def test_every_prompt_says_that_the_conversation_is_data() -> None:
    for version in TEXTS:
        assert "ollow" in prompt_files.prompt(version).text
