"""docs/settings.md matches the settings, packages list their modules, and links resolve."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from turnfold_gateway.settings import PREFIX, GatewaySettings
from turnfold_worker.settings import WorkerSettings

ROOT = Path(__file__).parents[2]
SETTINGS = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")

PAGES = sorted((ROOT / "docs").rglob("*.md"))
PACKAGES = [
    ROOT / "producer_sdk" / "turnfold",
    ROOT / "worker" / "turnfold_worker",
    ROOT / "gateway" / "turnfold_gateway",
]
LISTED = re.compile(r"(?m)^([a-z]\w*(?:, [a-z]\w*)*)(?:  .*)?$")
"""A line of a module list: comma-separated names, then at least two spaces before their description."""
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]+)\)")
GATEWAY_SETTINGS = {f"{PREFIX}{field.name.upper()}" for field in fields(GatewaySettings) if field.name != "turnfold"}
LISTS_NOTHING = {"frameworks", "migrations"}
"""Packages of one framework or migration per file: a list would only repeat the names."""


def headings(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    lines = re.findall(r"(?m)^#+ (.+)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", line.lower()).strip().replace(" ", "-") for line in lines}


@pytest.mark.parametrize("name", [field.name for field in fields(WorkerSettings)])
def test_every_setting_is_in_the_table(name: str) -> None:
    assert f"| `TURNFOLD_{name.upper()}` |" in SETTINGS


@pytest.mark.parametrize("variable", sorted(GATEWAY_SETTINGS))
def test_every_setting_of_the_gateway_is_in_its_table(variable: str) -> None:
    assert f"| `{variable}` |" in SETTINGS


def test_every_setting_of_the_table_exists() -> None:
    known = {f"TURNFOLD_{field.name.upper()}" for field in fields(WorkerSettings)} | {"TURNFOLD_STATE_DIR"}
    known |= GATEWAY_SETTINGS
    listed = {line.split("`")[1] for line in SETTINGS.splitlines() if line.startswith("| `TURNFOLD_")}
    assert listed == known


def test_the_readme_is_short_and_its_first_python_stands_near_the_top() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 900
    assert text.splitlines().index("```python") <= 12


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_a_link_of_a_page_leads_to_a_file_and_a_heading(page: Path) -> None:
    broken = []
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        file, _, heading = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        if not path.exists() or (heading and heading not in headings(path)):
            broken.append(target)
    assert broken == []


def test_every_page_is_in_the_sites_navigation_once() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(leaves(site["nav"])) == [page.relative_to(ROOT / "docs").as_posix() for page in PAGES]


def leaves(entry: Any) -> list[str]:
    """Return the pages below an entry of the navigation."""
    if isinstance(entry, str):
        return [entry]
    return [page for part in (entry if isinstance(entry, list) else entry.values()) for page in leaves(part)]


@pytest.mark.parametrize(
    "package",
    [
        pytest.param(found.parent, id=str(found.parent.relative_to(ROOT)))
        for root in PACKAGES
        for found in sorted(root.rglob("__init__.py"))
        if found.parent.name not in LISTS_NOTHING
    ],
)
def test_a_package_says_what_each_of_its_modules_is_and_names_none_that_is_gone(package: Path) -> None:
    said = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    listed = [name for line in LISTED.findall(said) for name in line.split(", ")]
    modules = {path.stem for path in package.glob("*.py")} | {
        path.parent.name for path in package.glob("*/__init__.py")
    }
    assert sorted(listed) == sorted(modules - {"__init__"})
