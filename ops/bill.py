"""Write the bill of materials of an installed environment and check that it is complete: `make sbom`.

Needs no network. The CycloneDX document must list every distribution of the environment in its version, each with a
package URL, without which it cannot be looked up.

python ops/bill.py PYTHON OUTPUT
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final

from packaging.utils import canonicalize_name

BUILT_HERE: Final = frozenset({"turnfold", "turnfold-worker", "turnfold-gateway"})
"""Packages installed from this folder, which no index serves in this version."""
_WHERE: Final = "import sysconfig; print(sysconfig.get_path('purelib'))"


def installed(site_packages: str) -> dict[str, str]:
    """Return the versions of the distributions installed in a folder, by name."""
    return {canonicalize_name(one.name): one.version for one in distributions(path=[site_packages])}


def lacking(bill: Mapping[str, Any], versions: Mapping[str, str]) -> list[str]:
    """Return a line for each thing that a bill lacks about the installed versions."""
    components: Iterable[Mapping[str, Any]] = bill.get("components", ())
    listed = {canonicalize_name(str(component.get("name"))): component for component in components}
    lines = [f"{name} {version} is not in it" for name, version in versions.items() if name not in listed]
    for name, version in versions.items():
        component = listed.get(name, {"version": version, "purl": name})
        if component.get("version") != version:
            lines.append(f"{name} is {version}, and stands in it as {component.get('version')}")
        if not component.get("purl") and name not in BUILT_HERE:
            lines.append(f"{name} has no package URL")
    return lines if versions else ["nothing is installed there"]


def main(python: str, output: str) -> int:
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    command = ["environment", "--output-reproducible", "--output-file", output, python]
    subprocess.run([Path(sys.executable).with_name("cyclonedx-py"), *command], check=True)  # noqa: S603 - our own arguments
    site_packages = subprocess.run([python, "-c", _WHERE], check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603 - the same
    versions = installed(site_packages)
    lines = lacking(json.loads(Path(output).read_text(encoding="utf-8")), versions)
    whole = f"{output} is the bill of materials of {len(versions)} packages"
    print("\n".join(lines or [whole]), file=sys.stderr if lines else sys.stdout)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
