"""Text that every database takes. Pure."""

from __future__ import annotations

from typing import Final

_REPLACED: Final = {0: "\ufffd"} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def clean(text: str) -> str:
    """`text` with NUL and lone surrogates replaced by U+FFFD: no database takes them."""
    if text.isascii() and "\x00" not in text:
        return text
    return text.translate(_REPLACED)
