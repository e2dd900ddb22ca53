"""For mkdocs.yml: links that leave docs/ lead nowhere on the site, so that the site names the file instead."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any, Final

_LINK: Final = re.compile(r"(?<!!)\[([^\]]*)\]\(((?:\.\./)+)([^)#\s]+)(?:#[^)\s]*)?\)")
"""A link to a page or file above: its text, the steps upwards, and the rest of its path."""


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Replace each link to a file of the repository by its text and its path."""
    depth = len(PurePosixPath(page.file.src_uri).parts)

    def named(match: re.Match[str]) -> str:
        text, steps, path = match.groups()
        return match[0] if steps.count("..") < depth else f"{text} (`{path}`)"

    return _LINK.sub(named, markdown)
