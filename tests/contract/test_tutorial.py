"""The code blocks of docs/tutorial.md are files, and its tests pass as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from support.child_processes import child_environment

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
FILES = re.findall(r"(?ms)^```python\n# (\w+\.py)\n(.*?)^```$", PAGE)


def test_the_tests_of_the_tutorial_pass(tmp_path: Path) -> None:
    for name, text in FILES:
        (tmp_path / name).write_text(text, encoding="utf-8")
    environment = child_environment(PYTEST_ADDOPTS="", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"],
        check=False, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=100,
    )  # fmt: skip
    tests = [name for name, _ in FILES if name.startswith("test_")]
    assert len(tests) == 3
    assert f"\n{len(tests)} passed" in done.stdout, done.stdout + done.stderr


def test_every_block_of_python_is_one_of_these_files() -> None:
    assert len(FILES) == PAGE.count("```python")
