"""Hook of mkdocs.yml that replaces links out of docs/, which would be dead on the site, with the name of the file."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any, Final

_LINK: Final = re.compile(r"(?<!!)\[([^\]]*)\]\(((?:\.\./)+)([^)#\s]+)(?:#[^)\s]*)?\)")
"""A link to a page or file above the page's folder: its text, the steps up, and the rest of its path."""


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Replace each link to a file of the repository with its text and its path."""
    depth = len(PurePosixPath(page.file.src_uri).parts)

    def named(match: re.Match[str]) -> str:
        text, steps, path = match.groups()
        return match[0] if steps.count("..") < depth else f"{text} (`{path}`)"

    return _LINK.sub(named, markdown)
