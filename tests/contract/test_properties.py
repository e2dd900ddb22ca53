"""Every module of the pure packages is exercised by a property-based (hypothesis) test."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PURE = {
    "turnfold_worker.pipeline": ROOT / "worker/turnfold_worker/pipeline",
    "turnfold.assemble": ROOT / "producer_sdk/turnfold/assemble",
    "turnfold.contract": ROOT / "producer_sdk/turnfold/contract",
}
WITHOUT_RULES = {
    "turnfold.contract.canonical": "names of columns",
}
"""Modules without functions to test, each with the reason."""


def modules() -> list[str]:
    """Return all modules of the pure packages that contain more than a docstring."""
    found = [
        ".".join((package, *file.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__")
        for package, folder in PURE.items()
        for file in folder.rglob("*.py")
        if file.read_text(encoding="utf-8").split('"""', 2)[2].strip()
    ]
    return sorted(set(found) - PURE.keys() - WITHOUT_RULES.keys())


def imports(file: Path) -> set[str]:
    """Return the modules that a file imports, and each imported name with its module."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found


@cache
def proven() -> frozenset[str]:
    """Return the modules that property-based tests reach, directly or through other pure modules."""
    tests = [file for file in (ROOT / "tests").rglob("test_*.py") if "@given" in file.read_text(encoding="utf-8")]
    reached = set().union(*map(imports, tests))
    sources = {
        ".".join((package, *file.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__"): imports(file)
        for package, folder in PURE.items()
        for file in folder.rglob("*.py")
    }
    waiting = [name for name in sources if name in reached]
    while waiting:
        for name in sources[waiting.pop()] & sources.keys() - reached:
            reached.add(name)
            waiting.append(name)
    return frozenset(reached)


@pytest.mark.parametrize("module", modules())
def test_a_property_reaches_the_module(module: str) -> None:
    assert module in proven()
