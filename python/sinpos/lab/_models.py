"""One transformer, one GRU and one LSTM, small enough to be read and to be trained in seconds."""
from __future__ import annotations

import math
from typing import Any, Dict, List, Optional

import torch
from torch import Tensor, nn

from ._encodings import FORMS, Inputs, rotation_of


class Attention(nn.Module):
    """Heads of attention to all rows or, if causal, to those up to one's own."""

    def __init__(self, width: int, heads: int, encoding: str, is_causal: bool) -> None:
        super().__init__()
        self.heads, self.is_causal = heads, is_causal
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.rotation = rotation_of(width // heads, encoding)

    def forward(self, x: Tensor, start: int) -> Tensor:
        batch, n, width = x.shape
        parts = self.queries_keys_values(x).view(batch, n, 3, self.heads, width // self.heads)
        queries, keys, values = parts.permute(2, 0, 3, 1, 4)
        if self.rotation is not None:
            queries, keys = self.rotation(queries, keys, start)
        scores = queries @ keys.transpose(-1, -2) / math.sqrt(width // self.heads)
        if self.is_causal:
            later = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
            scores = scores.masked_fill(later, -math.inf)
        mixed: Tensor = self.out((scores.softmax(-1) @ values).transpose(1, 2).reshape(batch, n, width))
        return mixed


class Layer(nn.Module):
    """Attention and two linear maps, each added to what it reads after a normalization."""

    def __init__(self, width: int, heads: int, encoding: str, is_causal: bool) -> None:
        super().__init__()
        self.attention = Attention(width, heads, encoding, is_causal)
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.inner = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: Tensor, start: int) -> Tensor:
        x = x + self.attention(self.first_norm(x), start)
        added: Tensor = x + self.inner(self.second_norm(x))
        return added


class Transformer(nn.Module):
    """(batch, n) numbers to (batch, n, n_out) scores."""

    def __init__(self, inputs: Inputs, width: int, heads: int, layers: int, n_out: int, encoding: str,
                 is_causal: bool) -> None:
        super().__init__()
        self.inputs = inputs
        self.layers = nn.ModuleList(Layer(width, heads, encoding, is_causal) for _ in range(layers))
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, n_out)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        x = self.inputs(ids, start)
        for layer in self.layers:
            x = layer(x, start)
        scores: Tensor = self.out(self.norm(x))
        return scores

    def set_arithmetic(self, name: str) -> None:
        """Positions from now on in "exact", "float32" or "bfloat16" arithmetic."""
        self.inputs.arithmetic = name
        for layer in self.layers:
            rotation = layer.attention.rotation
            if rotation is not None:
                rotation.arithmetic = name


class Recurrent(nn.Module):
    """A GRU or an LSTM in both directions, or forwards alone if causal."""

    def __init__(self, inputs: Inputs, width: int, layers: int, n_out: int, kind: str, is_causal: bool) -> None:
        super().__init__()
        self.inputs = inputs
        cell: Any = nn.GRU if kind == "gru" else nn.LSTM
        own = width if is_causal else width // 2
        self.cells = cell(width, own, layers, batch_first=True, bidirectional=not is_causal)
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, n_out)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        scores: Tensor = self.out(self.norm(self.cells(self.inputs(ids, start))[0]))
        return scores


def n_parameters(model: nn.Module) -> int:
    """How many numbers are trained."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def _made(settings: Dict[str, Any], encoding: str, n_words: int, n_out: int, width: int, longest: int, seed: int,
          is_causal: bool) -> nn.Module:
    torch.manual_seed(seed)
    inputs = Inputs(n_words, width, encoding, longest, settings["length"], seed)
    if settings["model"] != "transformer":
        return Recurrent(inputs, width, settings["layers"], n_out, settings["model"], is_causal)
    return Transformer(inputs, width, settings["heads"], settings["layers"], n_out, encoding, is_causal)


def model_of(settings: Dict[str, Any], encoding: str, n_words: int, n_out: int, seed: int, is_causal: bool,
             longest: Optional[int] = None) -> nn.Module:
    """The model of an experiment; longest: rows of a learned table, where they are more than settings["length"]."""
    width, longest = settings["width"], longest or settings["length"]
    if not FORMS[encoding].equal_parameters:
        return _made(settings, encoding, n_words, n_out, width, longest, seed, is_causal)
    wanted = n_parameters(_made(settings, "sinusoidal", n_words, n_out, width, longest, seed, is_causal))
    step = 4 * settings["heads"]
    widths: List[int] = list(range(width, 2 * width + 1, step))
    models = [_made(settings, encoding, n_words, n_out, wide, longest, seed, is_causal) for wide in widths]
    return min(models, key=lambda model: abs(n_parameters(model) - wanted))
