"""Build the wheels and source archives of a release, check them, and run the demo from them alone.

`make dist` runs this. Each wheel is built from its source archive, which proves both complete. The demo's environment
contains only the wheels and their dependencies, in the versions of constraints.txt.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
DISTRIBUTIONS: Final = ("producer_sdk", "worker", "gateway")
EXTRAS: Final = {"turnfold_worker": "[embedded,openai]"}
OUTPUT: Final = ROOT / "dist"
CLEAN: Final = ROOT / "build" / "dist-environment"


def main() -> None:
    shutil.rmtree(OUTPUT, ignore_errors=True)
    for folder in DISTRIBUTIONS:
        _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", OUTPUT, ROOT / folder)
    wheels = sorted(OUTPUT.glob("*.whl"))
    archives = sorted(OUTPUT.glob("*.tar.gz"))
    if not len(wheels) == len(archives) == len(DISTRIBUTIONS):
        sys.exit(f"dist/ should hold a wheel and an archive of each of {DISTRIBUTIONS}: {[*wheels, *archives]}")
    _run(sys.executable, "-m", "twine", "check", "--strict", *wheels, *archives)
    # W004: Alembic orders migrations by the number at the start of their names, and loads them by path.
    _run(sys.executable, "-m", "check_wheel_contents", "--ignore", "W004", *wheels)
    python = _install(wheels)
    with tempfile.TemporaryDirectory() as elsewhere:
        _run(python.with_name("turnfold"), "demo", folder=elsewhere)
        _run(python.with_name("turnfold"), "serve", "--help", folder=elsewhere)


def _install(wheels: list[Path]) -> Path:
    """Install the wheels into a new environment; return its Python."""
    shutil.rmtree(CLEAN, ignore_errors=True)
    _run(sys.executable, "-m", "venv", "--without-pip", CLEAN)
    python = CLEAN / "bin" / "python"
    wanted = [f"{wheel}{EXTRAS.get(wheel.name.split('-')[0], '')}" for wheel in wheels]
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    _run(*pip, "install", "--quiet", "-c", ROOT / "constraints.txt", *wanted)
    _run(*pip, "check")
    return python


def _run(*command: str | Path, folder: str | Path = ROOT) -> None:
    """Run one step in `folder`, without this repository on Python's path; a failure ends the program."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*map(str, command)], cwd=folder, env=environment, check=True)  # noqa: S603 - our own steps


if __name__ == "__main__":
    main()
