"""Check an installed environment against published advisories: `make audit`.

pip-audit exits with 0 even for packages that it could not look up, which it only mentions in its output. Here such a
package fails the audit just as an advisory does, with a different exit code.

python ops/audit.py SITE_PACKAGES
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

OURS: Final = frozenset({"turnfold", "turnfold-worker", "turnfold-gateway"})
"""Packages built here, for which no advisories are published."""
CLEAN, VULNERABLE, UNKNOWN = 0, 1, 2


def judged(dependencies: Sequence[Mapping[str, Any]]) -> tuple[int, list[str]]:
    """Return the exit code and the lines to print for the dependencies of a pip-audit JSON report."""
    asked = [one for one in dependencies if one["name"] not in OURS]
    skipped = [one for one in asked if "skip_reason" in one]
    lines = [
        f"{one['name']} {one['version']}: {vulnerability['id']}, fixed in "
        f"{', '.join(vulnerability['fix_versions']) or 'no version yet'}"
        for one in asked
        for vulnerability in one.get("vulns", ())
    ]
    if lines:
        return VULNERABLE, [*lines, f"{len(lines)} advisories are about what is installed: raise constraints.txt"]
    if skipped or not asked:
        reason = skipped[0]["skip_reason"] if skipped else "none is installed"
        return UNKNOWN, [
            f"NOT AUDITED: {len(skipped)} of {len(asked)} packages could not be looked up, the first because: {reason}",
            "run `make audit` where the advisory service can be reached; this is no pass",
        ]
    return CLEAN, [f"no advisory is about any of {len(asked)} packages"]


def main(site_packages: str) -> int:
    """Run pip-audit on an environment and print its findings."""
    command = ["--path", site_packages, "--format", "json", "--progress-spinner", "off"]
    done = subprocess.run([sys.executable, "-m", "pip_audit", *command], check=False, capture_output=True, text=True)  # noqa: S603 - our own arguments
    try:
        code, lines = judged(json.loads(done.stdout)["dependencies"])
    except ValueError:
        said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        code, lines = UNKNOWN, [f"NOT AUDITED: pip-audit made no report: {said[0]}", "this is no pass"]
    print("\n".join(lines), file=sys.stderr if code else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
