"""Run `turnfold` in forks of a process that has imported it: separate processes that cost no import time."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from turnfold.contract.lazy_patterns import compile_lazy_patterns
from turnfold_worker.cli.group import COMMANDS
from turnfold_worker.cli.lazy_group import OthersCommand
from turnfold_worker.pipeline.language.rarity import rarity_of

TESTS = Path(__file__).parents[1]
PROGRAM = "from support.command_server import serve; serve()"


class CommandServer:
    """Runs commands one after the other and writes their output to files in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._outputs = (folder / "stdout", folder / "stderr")
        path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], env={**os.environ, "PYTHONPATH": path}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=120)

    def run(self, arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run a command; returns what `subprocess.run` would."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {
            "arguments": arguments, "environment": dict(environment), "outputs": [str(path) for path in self._outputs],
        }  # fmt: skip
        print(json.dumps(request), file=self._process.stdin, flush=True)
        code = int(self._process.stdout.readline())
        out, err = (path.read_text(encoding="utf-8") for path in self._outputs)
        return subprocess.CompletedProcess(arguments, code, out, err)


def serve() -> None:
    """Fork for each line of standard input and answer with the exit code, until the input ends."""
    for command in COMMANDS.values():
        if not isinstance(command, OthersCommand):
            import_module(f"turnfold_worker.cli.{command.module}")
    for module in ("wiring", "offline", "operate.inspection", "operate.doctor", "operate.migrate"):
        import_module(f"turnfold_worker.{module}")
    compile_lazy_patterns()
    rarity_of("word")
    # Exempt the imports from garbage collection: scanning them in a fork would copy their pages and take seconds.
    gc.freeze()
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if child == 0:
            _become(json.loads(line))
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201 - the answer


def _become(request: Mapping[str, Any]) -> None:
    """Turn this process into the command, until it exits."""
    os.environ.clear()
    os.environ.update(request["environment"])
    files = [os.open(os.devnull, os.O_RDONLY), *(os.open(path, _NEW, 0o600) for path in request["outputs"])]
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    from turnfold_worker.cli import main

    main(request["arguments"], prog_name="turnfold")


_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
