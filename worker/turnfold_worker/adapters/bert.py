"""Sentence vectors of models of the BERT family, computed in a few large steps.

`transformers` runs some hundred small modules per text, which takes as much CPU time as the arithmetic of a short text.
The steps are those of Devlin et al. 2019; the sentence vector is the mean of its word piece vectors (Reimers and
Gurevych 2019). Imports torch, so it is imported with the first text only.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import gelu, layer_norm, linear, scaled_dot_product_attention

_PROBES: Final = ("The invoice of 12 March has not been paid.", "Hi!", "Could you tell me why the build fails?")
_SAME: Final = 0.9999
"""Least cosine similarity to the library's vectors at which a model computed in full precision counts as correct."""


class _Layer(NamedTuple):
    """Weight and bias of each step in a layer."""

    attention: tuple[Tensor, Tensor]
    """Queries, keys and values in one matrix."""
    attended: tuple[Tensor, Tensor]
    attended_norm: tuple[Tensor, Tensor]
    wide: tuple[Tensor, Tensor]
    narrow: tuple[Tensor, Tensor]
    norm: tuple[Tensor, Tensor]


class Bert:
    """The weights of a sentence model; a call maps word pieces to one vector per text. Multiplies in `precision`."""

    def __init__(self, model: Any, precision: torch.dtype) -> None:
        weights = {name: value.detach().float() for name, value in model[0].auto_model.state_dict().items()}
        config = model[0].auto_model.config

        def step(*names: str, dtype: torch.dtype = precision) -> tuple[Tensor, Tensor]:
            weight, bias = (torch.cat([weights[f"{name}.{part}"] for name in names]) for part in ("weight", "bias"))
            return weight.to(dtype), bias.to(dtype)

        def norm(name: str) -> tuple[Tensor, Tensor]:
            return step(name, dtype=torch.float32)

        self._precision = precision
        self._heads, self._small = config.num_attention_heads, config.layer_norm_eps
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = (
            weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = norm("embeddings.LayerNorm")
        self._layers = [
            _Layer(
                step(*(f"{at}.attention.self.{part}" for part in ("query", "key", "value"))),
                step(f"{at}.attention.output.dense"), norm(f"{at}.attention.output.LayerNorm"),
                step(f"{at}.intermediate.dense"), step(f"{at}.output.dense"), norm(f"{at}.output.LayerNorm"),
            )
            for at in (f"encoder.layer.{number}" for number in range(config.num_hidden_layers))
        ]  # fmt: skip

    def __call__(self, pieces: Tensor, mask: Tensor) -> Tensor:
        """Map word pieces (texts × pieces) to unnormalized vectors (texts × dimensions); the mask is 0 on padding."""
        texts, length = pieces.shape
        # Without padding there is nothing to mask, and attention is faster.
        seen = None if bool(mask.all()) else mask.bool()[:, None, None, :]
        now = self._normed(self._words[pieces] + self._places[:length], self._norm)
        for layer in self._layers:
            parts = linear(now.to(self._precision), *layer.attention).view(texts, length, 3, self._heads, -1)
            query, key, value = parts.permute(2, 0, 3, 1, 4)
            heard = scaled_dot_product_attention(query, key, value, attn_mask=seen)
            heard = linear(heard.transpose(1, 2).reshape(texts, length, -1), *layer.attended)
            now = self._normed(now + heard, layer.attended_norm)
            thought = linear(gelu(linear(now.to(self._precision), *layer.wide)), *layer.narrow)
            now = self._normed(now + thought, layer.norm)
        if seen is None:
            return now.mean(1)
        shares = mask.float()[:, :, None]
        return (now * shares).sum(1) / shares.sum(1)

    def _normed(self, numbers: Tensor, weights: tuple[Tensor, Tensor]) -> Tensor:
        return layer_norm(numbers, numbers.shape[-1:], *weights, self._small)


def bert_of(model: Any, *, bfloat16: bool) -> Bert | None:
    """Return the weights of a loaded `SentenceTransformer`; None if it is not a BERT model or pools differently.

    The configuration is not trusted: the result has to give the library's vectors.
    """
    reader = getattr(model[0], "auto_model", None)
    if reader is None or reader.config.model_type != "bert":
        return None
    with torch.inference_mode():
        try:
            exact = Bert(model, torch.float32)
            mine = exact(*pieces_of(model.tokenizer, list(_PROBES), model.max_seq_length))
        except (AttributeError, IndexError, KeyError, RuntimeError):
            return None
        theirs = model.encode(list(_PROBES), convert_to_tensor=True, show_progress_bar=False)
        if mine.shape != theirs.shape or torch.cosine_similarity(mine, theirs).min() < _SAME:
            return None
        return Bert(model, torch.bfloat16) if bfloat16 else exact


def pieces_of(tokenizer: Any, texts: list[str], longest: int) -> tuple[Tensor, Tensor]:
    """Return ids of word pieces and the mask (texts × pieces), padded to the longest text."""
    found = tokenizer(texts, padding=True, truncation=True, max_length=longest, return_tensors="pt")
    return found["input_ids"], found["attention_mask"]
