"""Count tokens by a built-in pure estimator, by tiktoken where its encoding is cached, or by the caller's counter."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.errors import InvalidInput, InvalidSettings

ESTIMATOR_VERSION: Final = 1
"""Part of the canonical state: stored counts are only comparable within one version."""

TokenCount = Callable[[str], int]

MESSAGE_TOKENS: Final = 4
"""Tokens that a provider's chat format adds to each message: role and separators."""

IMAGE_TOKENS: Final = 800
"""Tokens assumed for an image: the real number depends on its size, which we do not decode."""

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
"""`_PIECE` without groups, for `findall`; the most frequent alternatives come first."""


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
"""Tokens of a piece by its length in code points: integers, so that the counts of parts add up exactly."""


def _cost(piece: str) -> int:
    match = _PIECE.match(piece)
    return _COSTS[match.lastgroup or "rest"](len(piece)) if match else 0


_PIECE_COSTS: Final = Remembered(_cost)


def estimate_tokens(text: str) -> int:
    r"""Estimate the tokens of `text`: pure, versioned, about 1.1 times OpenAI's o200k on English and code.

    Additive: where texts end in a newline and the next begins with `[` or a letter, the count of the concatenation is
    the sum of the counts. Every stored count comes from this estimator.

    >>> estimate_tokens("We must use PostgreSQL.\n")
    7
    """
    if "\t" in text:
        return _cost_of_pieces(text)
    # No piece contains both a space and another character, and a single space costs nothing, so the counts of words
    # can be cached across texts.
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
    """A named token counter. `stored` is true for the estimator, whose counts are stored in SQL."""

    name: str
    count: TokenCount
    stored: bool = False


ESTIMATOR: Final = Counter(f"estimate-v{ESTIMATOR_VERSION}", estimate_tokens, stored=True)


def caller_counter(count: TokenCount) -> Counter:
    """Wrap a caller's own function as a `Counter`."""
    return Counter(getattr(count, "__qualname__", type(count).__name__), count)


def chosen_counter(count_tokens: TokenCount | str | None) -> Counter:
    """Return the caller's own counter, that of a cached tiktoken encoding by name, or the estimator for None.

    Raises `InvalidInput` for anything else, and `InvalidSettings` as `tiktoken_counter`.
    """
    if count_tokens is None:
        return ESTIMATOR
    if isinstance(count_tokens, str):
        return tiktoken_counter(count_tokens)
    if not callable(count_tokens):
        msg = f"count_tokens must be a function that takes text and returns a number, not {type(count_tokens).__name__}"  # type: ignore[unreachable]  # not every caller has types
        raise InvalidInput(msg)
    return caller_counter(count_tokens)


_ENCODING_FILES: Final = {
    "o200k_base": "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
    "cl100k_base": "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",
}


def tiktoken_counter(encoding: str = "o200k_base") -> Counter:
    """Return OpenAI's own counter, only from a file that is already cached: tiktoken's download has no timeout.

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
        raise InvalidSettings(
            "counting with tiktoken needs the tiktoken package", remedy="pip install tiktoken"
        ) from error
    encoder = tiktoken.get_encoding(encoding)
    return Counter(encoding, lambda text: len(encoder.encode_ordinary(text)))


def _cache_folder() -> Path:
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if os.environ.get(variable):
            return Path(os.environ[variable])
    return Path(tempfile.gettempdir()) / "data-gym-cache"
