"""Render the chart of `ops/helm` with helm where it is installed, and with Go's own templates where only Go is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[2]
CHART: Final = ROOT / "ops" / "helm" / "turnfold"
RENDERER: Final = Path(__file__).parent / "helm" / "render.go"
SPRIG: Final = Path("/usr/share/gocode/src/github.com/Masterminds/sprig")
"""Debian's folder of the functions of helm's templates (golang-github-masterminds-sprig-dev)."""


class ChartNotRendered(Exception):  # noqa: N818 - as RedisNotStarted is named
    """Raised when the templates reject values; the message is theirs."""


class ChartRenderer:
    """Renders the chart with values that override its own. `program` is helm, or the compiled `RENDERER`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._helm = shutil.which("helm")
        self._program = folder / "render"

    @staticmethod
    def missing() -> str:
        """Return what to install before charts can be rendered; empty if nothing."""
        if shutil.which("helm") or (shutil.which("go") and SPRIG.is_dir()):
            return ""
        return (
            "install helm, or: apt-get install golang-go golang-github-masterminds-sprig-dev golang-gopkg-yaml.v3-dev"
        )

    def render(self, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the objects, hooks included, that an install with these values creates.

        Raises:
            ChartNotRendered: `required` or `fail` stopped the templates.
        """
        given = self._folder / "values.yaml"
        given.write_text(json.dumps(values), encoding="utf-8")
        finished = subprocess.run(self._command(given), capture_output=True, text=True, check=False)
        if finished.returncode:
            raise ChartNotRendered(finished.stderr)
        return [document for document in yaml.safe_load_all(finished.stdout) if document]

    def _command(self, values: Path) -> list[str]:
        if self._helm:
            return [self._helm, "template", "rel", str(CHART), "--namespace", "chat", "--values", str(values)]
        if not self._program.exists():
            environment = {
                **os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode",
                "GOCACHE": str(self._folder / "go-cache"),
            }  # fmt: skip
            subprocess.run(["go", "build", "-o", self._program, RENDERER], env=environment, check=True)
        return [str(self._program), str(CHART), str(values), "rel", "chat"]
