"""The tests in docs/testing.md pass exactly as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.child_processes import child_environment

PAGE = (Path(__file__).parents[2] / "docs" / "testing.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?ms)^```python\n(.*?)^```$", PAGE)


def test_documented_tests_in_memory_pass(tmp_path: Path) -> None:
    run([block for block in BLOCKS if "embedded(" not in block], tmp_path)


@pytest.mark.processes
def test_documented_tests_on_a_redis_pass(redis_program: None, tmp_path: Path) -> None:
    run([block for block in BLOCKS if "embedded(" in block], tmp_path)


def run(blocks: list[str], folder: Path) -> None:
    """Run code blocks as test files, and require one passing test of each."""
    for place, block in enumerate(blocks):
        (folder / f"test_block_{place}.py").write_text(block, encoding="utf-8")
    environment = child_environment(PYTEST_ADDOPTS="", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"],
        check=False, capture_output=True, text=True, env=environment, cwd=folder, timeout=100,
    )  # fmt: skip
    assert blocks
    assert f"\n{len(blocks)} passed" in done.stdout, done.stdout + done.stderr
