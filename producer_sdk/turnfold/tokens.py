"""Counting tokens: a built-in pure estimator, tiktoken when its encoding is cached, or the caller's own counter."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.remembered import Remembered
from turnfold.errors import InvalidInput, InvalidSettings

ESTIMATOR_VERSION: Final = 1
"""Part of the canonical state: stored counts are only comparable within one version."""

TokenCount = Callable[[str], int]

MESSAGE_TOKENS: Final = 4
"""What a provider's chat format adds to each message: role and separators."""

IMAGE_TOKENS: Final = 800
"""A fixed price for an image: its real one depends on its size, which we do not decode."""

_PIECE: Final = lazy_pattern(
    r"(?P<long>(?=[A-Za-z]*[0-9])[A-Za-z0-9]{16,})"
    r"|(?P<word>[A-Za-z]+)"
    r"|(?P<digits>[0-9]+)"
    r"|(?P<letters>[\u00c0-\u024f\u0370-\u1fff]+)"
    r"|(?P<cjk>[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+)"
    r"|(?P<lines>[\r\n]+)"
    r"|(?P<space>[ \t]+)"
    r"|(?P<marks>[!-/:-@\[-`{-~]+)"
    r"|(?P<other>[^\x00-\x7f])"
    r"|(?P<rest>.)",
    re.DOTALL,
)
_PIECES: Final = lazy_pattern(
    lambda: r"[A-Za-z]{1,15}(?![A-Za-z0-9])| (?![ \t])|" + re.sub(r"\?P<\w+>", "?:", _PIECE.pattern), re.DOTALL
)
"""The same without groups, which finds all pieces at once; what most pieces are comes first."""


def _word_cost(length: int) -> int:
    return 1 if length <= 8 else 2 if length <= 14 else 2 + (length - 11) // 4


_COSTS: Final[Mapping[str, Callable[[int], int]]] = {
    "long": lambda length: (length * 7 + 9) // 10,
    "word": _word_cost,
    "digits": lambda length: (length + 2) // 3,
    "letters": lambda length: (length * 7 + 19) // 20,
    "cjk": lambda length: (length * 7 + 9) // 10,
    "lines": lambda length: 1 + length // 8,
    "space": lambda length: 0 if length == 1 else 1 + length // 16,
    "marks": lambda length: 1 + (length - 1) // 3,
    "other": lambda _: 2,
    "rest": lambda _: 2,
}
"""Tokens of a piece by its length in code points, whole numbers so that the counts of parts add up exactly."""


def _cost(piece: str) -> int:
    match = _PIECE.match(piece)
    return _COSTS[match.lastgroup or "rest"](len(piece)) if match else 0


_PIECE_COSTS: Final = Remembered(_cost)


def estimate_tokens(text: str) -> int:
    r"""Tokens of `text` by the built-in estimator: pure, versioned, about 1.1 times OpenAI's o200k on English and code.

    Additive: for texts that end in a newline, followed by texts that begin with `[` or a letter, the count of
    the whole is the sum of the counts. Every stored count is made with it.

    >>> estimate_tokens("We must use PostgreSQL.\n")
    7
    """
    if "\t" in text:
        return _cost_of_pieces(text)
    # No piece holds a space and anything else, and one space costs nothing: what stands between spaces is counted
    # once for all texts.
    cost = sum(map(_WORD_COSTS.__getitem__, text.split(" ")))
    if "  " in text:
        cost += sum(map(_PIECE_COSTS.__getitem__, _SPACES.findall(text)))
    return cost


def _cost_of_pieces(text: str) -> int:
    return sum(map(_PIECE_COSTS.__getitem__, _PIECES.findall(text)))


_WORD_COSTS: Final = Remembered(_cost_of_pieces)
_SPACES: Final = lazy_pattern("  +")


@dataclass(frozen=True, slots=True)
class Counter:
    """A named way to count. `stored` is true for the one whose counts are kept in SQL."""

    name: str
    count: TokenCount
    stored: bool = False


ESTIMATOR: Final = Counter(f"estimate-v{ESTIMATOR_VERSION}", estimate_tokens, stored=True)


def caller_counter(count: TokenCount) -> Counter:
    """Wrap a counter that the caller brought."""
    return Counter(getattr(count, "__qualname__", type(count).__name__), count)


def chosen_counter(count_tokens: TokenCount | str | None) -> Counter:
    """The counter that a caller asked for: its own, a cached tiktoken encoding by name, or the estimator."""
    if count_tokens is None:
        return ESTIMATOR
    if isinstance(count_tokens, str):
        return tiktoken_counter(count_tokens)
    if not callable(count_tokens):
        msg = f"count_tokens must be a function from text to a number, not {type(count_tokens).__name__}"  # type: ignore[unreachable]  # not every caller has types
        raise InvalidInput(msg)
    return caller_counter(count_tokens)


_ENCODING_FILES: Final = {
    "o200k_base": "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
    "cl100k_base": "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",
}


def tiktoken_counter(encoding: str = "o200k_base") -> Counter:
    """OpenAI's own counter, only from a file that is already cached: tiktoken's download has no timeout.

    Raises `InvalidSettings` when tiktoken or the file is missing.
    """
    if encoding not in _ENCODING_FILES:
        msg = f"unknown encoding {encoding!r}"
        raise InvalidSettings(msg, remedy=f"use one of {', '.join(sorted(_ENCODING_FILES))}")
    cached = _cache_folder() / hashlib.sha1(_ENCODING_FILES[encoding].encode(), usedforsecurity=False).hexdigest()
    if not cached.is_file():
        msg = f"the tiktoken encoding {encoding} is not cached at {cached}"
        raise InvalidSettings(
            msg,
            remedy=(
                "put its file there (TIKTOKEN_CACHE_DIR names the folder), or leave count_tokens out to use the "
                "estimator"
            ),
        )
    try:
        import tiktoken
    except ModuleNotFoundError as error:
        raise InvalidSettings("counting with tiktoken needs the package", remedy="pip install tiktoken") from error
    encoder = tiktoken.get_encoding(encoding)
    return Counter(encoding, lambda text: len(encoder.encode_ordinary(text)))


def _cache_folder() -> Path:
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if os.environ.get(variable):
            return Path(os.environ[variable])
    return Path(tempfile.gettempdir()) / "data-gym-cache"
