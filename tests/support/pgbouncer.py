"""A real PgBouncer in transaction mode: the transactions of several clients share a few PostgreSQL sessions."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any, Final

import psycopg

from support.needed import skip_or_fail
from support.postgresql import ACCOUNT, USER
from support.waiting import wait_until
from turnfold_worker.local.local_port import free_port

SESSIONS: Final = 4
"""PostgreSQL sessions that all clients of one database share."""


class PgBouncer:
    """A pooler on a free port of 127.0.0.1, in front of a PostgreSQL on another port."""

    def __init__(self, folder: Path, postgresql_port: int, **options: str) -> None:
        """`options` are added to its required configuration."""
        self.port = free_port()
        self._program = find_pgbouncer()
        self._process: subprocess.Popen[bytes] | None = None
        self._log = folder / "pgbouncer.log"
        self._configuration = folder / "pgbouncer.ini"
        users = folder / "pgbouncer.users"
        users.write_text(f'"{USER}" ""\n')
        lines = {
            "listen_addr": "127.0.0.1", "listen_port": str(self.port), "unix_socket_dir": "", "auth_type": "trust",
            "auth_file": str(users), "pool_mode": "transaction", "default_pool_size": str(SESSIONS),
            "max_client_conn": "400", "admin_users": USER, **options,
        }  # fmt: skip
        self._configuration.write_text(
            f"[databases]\n* = host=127.0.0.1 port={postgresql_port}\n[pgbouncer]\n"
            + "".join(f"{name} = {setting}\n" for name, setting in lines.items())
        )
        self._account: dict[str, Any] = {}
        if os.geteuid() == 0:
            # It refuses to run as root.
            self._account = {"user": ACCOUNT, "group": "nogroup", "extra_groups": []}
            folder.chmod(0o755)

    def url_of(self, database_url: str) -> str:
        """Return the URL of a database through the pooler."""
        return f"postgresql+psycopg://{USER}@127.0.0.1:{self.port}/{database_url.rpartition('/')[2]}"

    def start(self) -> None:
        """Start the pooler and wait until it answers."""
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(
                [self._program, str(self._configuration)],
                stdout=output, stderr=subprocess.STDOUT, cwd="/", start_new_session=True, **self._account,
            )  # fmt: skip
        wait_until(self._answers, what=f"PgBouncer answers, see {self._log}")

    def _answers(self) -> bool:
        try:
            self.ask("SHOW VERSION")
        except psycopg.OperationalError:
            return False
        return True

    def ask(self, command: str) -> list[dict[str, Any]]:
        """Return the rows that a command of its console prints."""
        with (
            psycopg.connect(
                host="127.0.0.1", port=self.port, user=USER, dbname="pgbouncer", autocommit=True, connect_timeout=5,
                row_factory=psycopg.rows.dict_row, cursor_factory=psycopg.ClientCursor,
            ) as connection,
            connection.execute(command) as cursor,
        ):  # fmt: skip
            return cursor.fetchall()

    def kill(self) -> None:
        """End the pooler as a crash does: all transactions in flight are lost."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None


def installed_pgbouncer() -> str | None:
    """Return the path of the program, or None."""
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


def find_pgbouncer() -> str:
    """Return the path of the program. Skips without one, but fails where CI is set."""
    return installed_pgbouncer() or skip_or_fail("pgbouncer is not on the PATH: install it")
