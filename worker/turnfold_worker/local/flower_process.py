"""Flower as a child process: a password-protected local page that shows what workers do."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from turnfold_worker.local.web_process import WebProcess, chosen_port

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

USER: Final = "turnfold"

MOST_TASKS: Final = 10_000
"""Tasks that Flower remembers; older ones are dropped."""
SAVE_SECONDS: Final = 60
"""Interval at which Flower saves its state to disk; it also does when it ends."""
INSPECT_SECONDS: Final = 3
"""How long Flower waits for workers to report their queues."""
OFFLINE_SECONDS: Final = 600
"""How long a worker that is gone stays in the list."""

TASK_COLUMNS: Final = ("name", "args", "result", "state", "received", "runtime", "worker", "uuid")


def is_installed() -> bool:
    """Tell whether the extra `flower` is installed."""
    return find_spec("flower") is not None


class FlowerProcess(WebProcess):
    """Flower, read-only, with its state saved in its folder."""

    title = "Flower"
    health_path = "/healthcheck"
    if_taken = "choose another with --flower-port, or use --no-flower"

    def __init__(self, *, folder: Path, port: int | None, password: str, environment: Mapping[str, str]) -> None:
        """Take the process's whole `environment`; without a `port`, reuse this folder's last one, or a free one."""
        port = chosen_port(folder, "flower_url", port)
        self._password = password
        # Flower reads every FLOWER_* variable: a user's own could turn off the password or change the address.
        mine = {name: value for name, value in environment.items() if not name.startswith("FLOWER_")}
        command = [
            sys.executable, "-m", "turnfold_worker.local.celery_program", "flower",
            "--address=127.0.0.1", f"--port={port}", "--read-only",
            "--persistent", f"--db={folder / 'flower.db'}", f"--state-save-interval={SAVE_SECONDS * 1_000}",
            f"--max-tasks={MOST_TASKS}", f"--purge-offline-workers={OFFLINE_SECONDS}",
            f"--tasks-columns={','.join(TASK_COLUMNS)}", f"--inspect-timeout={INSPECT_SECONDS * 1_000}",
        ]  # fmt: skip
        # In a variable, because every user can see a process's arguments.
        environment = {**mine, "FLOWER_BASIC_AUTH": f"{USER}:{password}"}
        super().__init__(command, folder=folder, log="flower.log", port=port, environment=environment)

    @property
    def url(self) -> str:
        """Address of the page, including the user and the password."""
        return f"http://{USER}:{self._password}@127.0.0.1:{self.port}/"
