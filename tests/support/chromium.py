"""A real headless browser that renders a page as a user sees it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from support.needed import skip_or_fail

NAMES = ("chromium", "chromium-browser", "google-chrome")

OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    # The network is used for the page itself only.
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=1600,900",
    # Scripts run until this much of the page's virtual time has passed.
    "--virtual-time-budget=8000",
)  # fmt: skip


class Chromium:
    """Renders each page in a new browser with an empty profile."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._looks = 0

    def page(self, url: str) -> str:
        """Return the page's HTML after its scripts have run; save a screenshot in the folder."""
        self._looks += 1
        screenshot = self._folder / f"page-{self._looks}.png"
        profile = self._folder / f"profile-{self._looks}"
        seen = subprocess.run(
            [self._program, *OPTIONS, f"--user-data-dir={profile}", f"--screenshot={screenshot}", "--dump-dom", url],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        shutil.rmtree(profile, ignore_errors=True)
        return seen.stdout


def find_chromium(folder: Path) -> Chromium:
    """Return a renderer. Skips without a browser, but fails where CI is set."""
    return Chromium(program_of_chromium(), folder)


def program_of_chromium() -> str:
    """Return the browser on the PATH. Skips without one, but fails where CI is set."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    return program or skip_or_fail(f"none of {', '.join(NAMES)} is on the PATH: install chromium")
