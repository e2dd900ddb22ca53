"""An import loads no more than the importing program needs."""

from __future__ import annotations

import copy
import re
import subprocess
import sys

import pytest

from support.child_processes import child_environment
from turnfold.contract.lazy_patterns import lazy_pattern


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules loaded in a fresh process after a statement."""
    program = f"import sys\n{statement}\nprint('\\n'.join(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, env=child_environment(), timeout=60
    )
    return set(done.stdout.split())


MODELS = {"torch", "openai", "sentence_transformers", "tiktoken", "numpy"}
SQL = {"sqlalchemy", "sqlmodel", "pydantic", "alembic", "psycopg", "sqlite3"}
WORDS = {"wordfreq", "ftfy", "langcodes"}
HEAVY = MODELS | SQL | WORDS | {"celery", "kombu", "click", "rich", "turnfold_worker"}


@pytest.mark.parametrize(
    "statement",
    [
        "import turnfold",
        "import turnfold, sys; assert not {'redis', 'asyncio', 'opentelemetry', 'email'} & set(sys.modules)",
        "from turnfold import Turnfold; Turnfold(tenant='acme').for_tenant('other').close()",
        "from turnfold import AsyncTurnfold; AsyncTurnfold(tenant='acme')",
        "from turnfold.contract import canonical, configuration, keys, records, tasks, terms",
        "from turnfold.wire.encode import accept; accept({'role': 'user', 'content': 'Hi.'}, max_bytes=1024)",
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


def test_the_help_of_the_command_imports_no_command() -> None:
    loaded = modules_after(
        "import contextlib, io, sys; from turnfold_worker.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()): main(['--help'], standalone_mode=False)\n"
        "commands = {'turnfold_worker.cli.fold', 'turnfold_worker.cli.status', 'turnfold_worker.cli.output'}\n"
        "assert not (commands | {'turnfold_worker.wiring', 'turnfold_worker.pipeline'}) & set(sys.modules)"
    )
    assert not loaded & (HEAVY - {"click", "turnfold_worker"} | {"redis", "asyncio", "opentelemetry"})


def test_the_tasks_are_named_without_what_they_run() -> None:
    loaded = modules_after("import turnfold_worker.celery_app, turnfold_worker.tasks")
    assert not loaded & (MODELS | SQL | WORDS | {"redis", "opentelemetry"})


def test_a_worker_without_a_model_imports_nothing_of_what_models_take() -> None:
    loaded = modules_after(
        "import sys, turnfold_worker.tasks, turnfold_worker.wiring\n"
        "names = {name for name in sys.modules if name.startswith('turnfold_worker.pipeline.refinement')}\n"
        "refining = {'turnfold_worker.wiring.models', 'turnfold_worker.use_cases.refine'}\n"
        "assert not names | refining & set(sys.modules), names"
    )
    assert not loaded & (MODELS | WORDS | {"tenacity", "httpx"})


def test_a_worker_starts_without_the_rest_of_celerys_command_line() -> None:
    loaded = modules_after(
        "import sys, turnfold_worker.local.celery_program, celery.bin.worker\n"
        "assert 'celery.bin.celery' not in sys.modules"
    )
    assert not loaded & {"flower", "tornado", "click_repl", "prompt_toolkit"}


PRELOADED = """
from types import SimpleNamespace
from turnfold.contract.lazy_patterns import compiled_patterns
from turnfold_worker.celery_parts.preload import preload
preload(SimpleNamespace(app=SimpleNamespace(amqp=SimpleNamespace(queues=SimpleNamespace(consume_from={queues})))))
print("compiled" * (compiled_patterns() > 100))
import gc
print("frozen" * (gc.isenabled() and gc.get_freeze_count() > 100_000))
print("seldom" * (gc.get_threshold()[0] > 10_000))
import sys
turn_acts = sys.modules.get("turnfold_worker.pipeline.anchors.dialogue_acts.turn_acts")
attributes = sys.modules.get("turnfold_worker.pipeline.anchors.statements.attributes")
value_changes = sys.modules.get("turnfold_worker.pipeline.anchors.statements.value_changes")
indexes = turn_acts and (turn_acts._RULES_BY_WORD, attributes._BY_WORD, value_changes._CHANGES_BY_WORD)
print("indexed" * bool(indexes and all("_by_word" in vars(index) for index in indexes)))
"""


def test_a_worker_that_folds_loads_all_that_a_fold_needs_before_it_forks() -> None:
    loaded = modules_after(PRELOADED.format(queues={"turnfold.ingest": 1, "turnfold.compress": 1}))
    assert {"sqlalchemy", "redis", "wordfreq", "compiled", "indexed", "frozen", "seldom"} <= loaded
    assert not loaded & MODELS


def test_a_worker_that_does_not_fold_loads_no_words() -> None:
    loaded = modules_after(PRELOADED.format(queues={"turnfold.ingest": 1}))
    assert {"sqlalchemy", "redis"} <= loaded
    assert not loaded & (MODELS | WORDS | {"compiled", "indexed"})


WITH_COMPILING_MODULES = """
import re, sys
from turnfold.contract.lazy_patterns import compiled_patterns
modules, compile_now = set(), re.compile
def compile_and_note(*arguments, **options):
    modules.add(sys._getframe(1).f_globals["__name__"])
    return compile_now(*arguments, **options)
re.compile = compile_and_note
import turnfold_worker.tasks, turnfold_worker.wiring, turnfold_worker.wiring.models, turnfold_worker.use_cases.refine
early = {name for name in modules if name.startswith("turnfold")} - {"turnfold.contract.lazy_patterns"}
assert not early, early
assert compiled_patterns() < 10
"""


def test_no_module_compiles_patterns_when_it_is_imported() -> None:
    modules_after(WITH_COMPILING_MODULES)


def test_a_pattern_that_is_compiled_late_is_the_pattern_itself() -> None:
    pattern = lazy_pattern(lambda: r"(?P<word>[a-z]+)", re.IGNORECASE)

    assert pattern.pattern == r"(?P<word>[a-z]+)"
    assert [match["word"] for match in pattern.finditer("We ship")] == ["We", "ship"]
    assert pattern.sub("x", "a1") == "x1"
    assert pattern.groupindex == {"word": 1}
    assert pattern.flags & re.IGNORECASE
    assert not hasattr(pattern, "no_such_method")
    assert copy.copy(pattern).fullmatch("A")
