"""The distributions, images and charts of a release share one version, which the change log includes."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def loaded(name: str) -> ModuleType:
    """Load a script of `ops/` as a module."""
    specification = importlib.util.spec_from_file_location(name, ROOT / "ops" / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


PLACES = loaded("set_version").places()


@pytest.mark.parametrize(("name", "pattern"), PLACES)
def test_every_place_names_the_version_of_the_sdk(name: str, pattern: re.Pattern[str]) -> None:
    version = re.search(r'(?m)^version = "(.+)"', (ROOT / "producer_sdk/pyproject.toml").read_text(encoding="utf-8"))
    assert version is not None

    named = pattern.findall((ROOT / name).read_text(encoding="utf-8"))

    assert set(named) == {version[1]}


def test_no_other_distribution_or_chart_names_a_version() -> None:
    known = {name for name, _ in PLACES}
    files = [*ROOT.glob("*/pyproject.toml"), *(ROOT / "ops").rglob("Chart.yaml")]
    assert files
    assert {str(path.relative_to(ROOT)) for path in files} <= known


def test_the_change_log_has_the_sections_of_keep_a_changelog_each_once() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.split(r"(?m)^## ", text)[1:]
    assert releases[0].startswith("[Unreleased]")
    for release in releases:
        sections = re.findall(r"(?m)^### (.+)$", release)
        assert set(sections) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
        assert len(sections) == len(set(sections))
