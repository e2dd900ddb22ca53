"""An audit that could not look every package up does not pass, nor does an incomplete bill of materials."""

from __future__ import annotations

import re
import runpy
import sysconfig
import tomllib
from pathlib import Path

import pytest

AUDIT = runpy.run_path(str(Path(__file__).parents[2] / "ops" / "audit.py"))
BILL = runpy.run_path(str(Path(__file__).parents[2] / "ops" / "bill.py"))
ROOT = Path(__file__).parents[2]
NAMES = [tomllib.loads(file.read_text())["project"]["name"] for file in sorted(ROOT.glob("*/pyproject.toml"))]
OURS = {"name": "turnfold", "skip_reason": "Dependency not found on PyPI"}
CLEAN = {"name": "redis", "version": "8.1.0", "vulns": []}
SKIPPED = {"name": "alembic", "skip_reason": "the service does not answer"}
VULNERABLE = {"name": "click", "version": "8.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["8.1"]}]}


def test_no_distribution_of_this_repository_is_looked_up() -> None:
    assert set(NAMES) == AUDIT["OURS"] == BILL["BUILT_HERE"]


@pytest.mark.parametrize(
    ("dependencies", "code", "said"),
    [
        ([OURS, CLEAN], 0, "no advisory is about any of 1 packages"),
        ([CLEAN, VULNERABLE, SKIPPED], 1, "click 8.0: PYSEC-1, fixed in 8.1"),
        ([CLEAN, SKIPPED], 2, "NOT AUDITED: 1 of 2 packages could not be looked up"),
        ([OURS], 2, "NOT AUDITED"),
    ],
)
def test_a_report_is_judged_by_what_it_does_not_say_too(
    dependencies: list[dict[str, object]], code: int, said: str
) -> None:
    judged, lines = AUDIT["judged"](dependencies)
    assert judged == code
    assert said in lines[0]


def test_a_bill_of_materials_lists_every_package_with_its_version_and_where_it_is_from() -> None:
    versions = BILL["installed"](sysconfig.get_path("purelib"))
    assert {"redis", "sqlalchemy", "pytest"} <= set(versions)
    components = [
        {"name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}"} for name, version in versions.items()
    ]
    assert BILL["lacking"]({"components": components}, versions) == []
    *others, last = [component for component in components if component["name"] not in BILL["BUILT_HERE"]]
    versions = {component["name"]: component["version"] for component in (*others, last)}
    name, version = last["name"], last["version"]
    for bill, line in (
        ({"components": others}, f"{name} {version} is not in it"),
        ({"components": [*others, last | {"version": "0"}]}, f"{name} is {version}, and stands in it as 0"),
        ({"components": [*others, last | {"purl": ""}]}, f"{name} has no package URL"),
    ):
        assert BILL["lacking"](bill, versions) == [line]
    assert BILL["lacking"]({}, {}) == ["nothing is installed there"]


def test_images_are_pinned_by_the_tags_of_exact_versions() -> None:
    files = [ROOT / "docker-compose.yml", *(ROOT / "ops").glob("*.yml"), *(ROOT / "ops").glob("*.Dockerfile")]
    pattern = re.compile(r"^ *(?:image: |ARG PYTHON_IMAGE=|FROM )(\S+)", re.MULTILINE)
    images = {image for file in files for image in pattern.findall(file.read_text()) if not image.startswith("$")}
    assert len(images) >= 8
    assert {image for image in images if not re.search(r":v?\d+\.\d+\.\d+|:\d+\.\d+-", image)} == set()


def test_ci_makes_the_bill_of_materials() -> None:
    assert "make sbom" in (ROOT / ".ci" / "run").read_text()
