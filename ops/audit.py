"""Judge an installed environment by published advisories: `make audit`.

pip-audit ends well when it could look nothing up: it says so beside each package and goes on. Here a package that was
not looked up fails the audit as one with an advisory does, with a code of its own.

python ops/audit.py SITE_PACKAGES
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

OURS: Final = frozenset({"turnfold", "turnfold-worker", "turnfold-gateway"})
"""Built here, so that nobody else has advisories for them."""
CLEAN, VULNERABLE, UNKNOWN = 0, 1, 2


def judged(dependencies: Sequence[Mapping[str, Any]]) -> tuple[int, list[str]]:
    """The exit code, and what to say, for the dependencies of a report of pip-audit in JSON."""
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
    """Ask pip-audit about one environment, and say what it found."""
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
