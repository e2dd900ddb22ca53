"""What an import costs the program that makes it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def modules_after(statement: str) -> set[str]:
    """Top-level modules that a fresh process holds after a statement."""
    program = f"import sys\n{statement}\nprint('\\n'.join(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment, timeout=60
    )
    return set(done.stdout.split())


HEAVY = {
    "celery", "kombu", "sqlalchemy", "sqlmodel", "pydantic", "alembic", "torch", "openai", "sentence_transformers",
    "tiktoken", "numpy", "click", "rich", "turnfold_worker",
}  # fmt: skip


@pytest.mark.parametrize(
    "statement",
    [
        "import turnfold",
        "from turnfold import Turnfold; Turnfold(tenant='acme').for_tenant('other').close()",
        "from turnfold import AsyncTurnfold; AsyncTurnfold(tenant='acme')",
        "from turnfold.contract import canonical, configuration, keys, records, tasks, terms",
        "from turnfold.edge import accept; accept({'role': 'user', 'content': 'Hi.'}, max_bytes=1024)",
    ],
)
def test_what_a_web_process_imports_first_is_light(statement: str) -> None:
    assert modules_after(statement) & HEAVY == set()


def test_the_tables_leave_a_host_applications_metadata_empty() -> None:
    modules_after(
        "import turnfold.contract.tables as t; from sqlmodel import SQLModel; "
        "assert not SQLModel.metadata.tables, SQLModel.metadata.tables; assert 'turn' in t.Base.metadata.tables"
    )


def test_the_sdk_reads_without_celery_and_without_the_worker() -> None:
    loaded = modules_after("import turnfold.database.reader, turnfold.database.engines")
    assert not loaded & {"celery", "kombu", "turnfold_worker", "alembic"}
