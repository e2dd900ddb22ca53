"""Make standard output and error accept any character, in any encoding, even if the caller has closed them."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Final

from turnfold.contract.lookalikes import REORDERING

_UNPRINTABLE: Final = {
    code: "\ufffd" for code in (*range(32), *range(127, 160), *map(ord, REORDERING)) if chr(code) not in "\n\t"
}


def safe(text: str) -> str:
    """Return `text` with every character replaced that could control a terminal or reorder the display."""
    return text.translate(_UNPRINTABLE)


def let_every_word_through() -> None:
    """Print characters that the encoding lacks as `\\u2013`, and discard output when there is no stream.

    Either would otherwise end a command with a traceback in the middle of its work.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open until the end
        elif isinstance(stream, TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="backslashreplace")
