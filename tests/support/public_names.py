"""The names that users rely on: the SDK with its signatures, commands, tasks, settings, tables, importable modules.

`python -m support.public_names > contract/public_names.txt`, run in tests/, updates the list.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import EnumMeta
from importlib import import_module

import click

import turnfold
from turnfold.contract.tables import Base
from turnfold.contract.tasks import Queue, Task
from turnfold_worker.cli import main
from turnfold_worker.settings import WorkerSettings

MODULES = (
    "turnfold", "turnfold.frameworks.langchain", "turnfold.frameworks.llama_index", "turnfold.frameworks.openai_agents",
    "turnfold.testing", "turnfold_worker.celery_app", "turnfold_worker.offline", "turnfold_worker.summarizers",
)  # fmt: skip
"""Modules that README and docs import from."""


def public_names() -> list[str]:
    """Return the sorted names, each as a line."""
    return sorted({*MODULES, *_sdk(), *_commands(main, ("turnfold",)), *_work()})


def _sdk() -> Iterator[str]:
    for name in turnfold.__all__:
        value = getattr(turnfold, name)
        yield f"turnfold.{name}"
        if isinstance(value, EnumMeta):
            yield from (f"turnfold.{name}.{member.name}" for member in value)  # type: ignore[attr-defined]
        elif inspect.isclass(value):
            yield from _members(name, value)


def _members(name: str, value: type) -> Iterator[str]:
    if is_dataclass(value):
        yield from (f"turnfold.{name}.{field.name}" for field in fields(value) if not field.name.startswith("_"))
    for member, found in inspect.getmembers(value):
        if member.startswith("_") or member in dir(Exception):
            continue
        if inspect.isfunction(found) or inspect.ismethod(found):
            arguments = [parameter for parameter in inspect.signature(found).parameters if parameter != "self"]
            yield f"turnfold.{name}.{member}({', '.join(arguments)})"
        elif isinstance(found, property):
            yield f"turnfold.{name}.{member}"


def _commands(command: click.Command, path: tuple[str, ...]) -> Iterator[str]:
    yield " ".join(path)
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield f"{' '.join(path)} {max(parameter.opts, key=len)}"
        else:
            yield f"{' '.join(path)} {parameter.human_readable_name}"
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _commands(inner, (*path, name))


def _work() -> Iterator[str]:
    yield from (f"task {task}" for task in Task)
    yield from (f"queue {queue}" for queue in Queue)
    yield from (f"TURNFOLD_{field.name.upper()}" for field in fields(WorkerSettings))
    for rows in Base.metadata.sorted_tables:
        yield from (f"table {rows.name}.{column.name}" for column in rows.columns)


def importable(module: str) -> bool:
    """Return whether a module of ours exists; a missing framework of a third party does not count."""
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        return not (error.name or "").startswith("turnfold")
    return True


if __name__ == "__main__":
    print("\n".join(public_names()))  # noqa: T201 - what it is for
