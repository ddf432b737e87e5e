"""The encodings of the laboratory, by name, and how each enters a model."""
from __future__ import annotations

import math
from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor, nn

from .. import base_for_context
from ..torch import RotaryEmbedding, SinusoidalEmbedding

#: Elements of words and of learned positions begin with the size of a sine's.
FIRST_SIZE = math.sqrt(0.5)
#: The largest offset of training with random offsets.
FARTHEST = 2 ** 20


class Form(NamedTuple):
    """What a name stands for."""

    means: str
    way: str  #: "none", "add", "concatenate", "learned", "rotate"
    words: Dict[str, Any] = {}  #: of sinpos.Encoding
    learnable: Any = False
    part: float = 1.0  #: of a head that is rotated
    random_offset: bool = False
    arithmetic: str = "exact"
    equal_parameters: bool = False


FORMS: Dict[str, Form] = {
    "none": Form("no positions", "none"),
    "sinusoidal": Form("10000^(-2i/d), added", "add"),
    "sinusoidal-1000": Form("1000^(-2i/d), added", "add", {"base": 1000}),
    "sinusoidal-100": Form("100^(-2i/d), added", "add", {"base": 100}),
    "sinusoidal-smallest": Form("the smallest base with g(k) >= 0 within the context, added", "add", {"base": None}),
    "power-1": Form("theta_t = t, added", "add", {"schedule": "power", "exponent": 1}),
    "power-2": Form("theta_t = t^2, added", "add", {"schedule": "power", "exponent": 2}),
    "power-3": Form("theta_t = t^3, added", "add", {"schedule": "power", "exponent": 3}),
    "random-theta": Form("random theta, log-uniform from 10^-4 to 1, added", "add", {"theta": None}),
    "trainable": Form("theta from 10000^(-2i/d), trained as every parameter", "add", {}, True),
    "trainable-log": Form("log theta from 10000^(-2i/d), trained", "add", {}, "log"),
    "trainable-log-1000": Form("log theta from 1000^(-2i/d), trained", "add", {"base": 1000}, "log"),
    "trainable-log-random": Form("log theta from random-theta, trained", "add", {"theta": None}, "log"),
    "learned": Form("a learned row for each position, added", "learned"),
    "concatenated": Form("10000^(-2i/d) in half the columns, words in the other half", "concatenate"),
    "concatenated-equal": Form("the same, wider, so that parameters are as many as with addition", "concatenate",
                               equal_parameters=True),
    "rotary": Form("queries and keys rotated, 10000", "rotate"),
    "rotary-half": Form("the first half of each head rotated", "rotate", part=0.5),
    "random-offsets": Form("10000^(-2i/d), added; training begins at random positions below 2^20", "add",
                           random_offset=True),
    "bfloat16-positions": Form("10000^(-2i/d) of positions rounded to bfloat16, added", "add", arithmetic="bfloat16"),
}


def theta_at_random(n: int, seed: int) -> "np.ndarray[Any, Any]":
    """Log-uniform from 10^-4 to 1, the largest first."""
    drawn: "np.ndarray[Any, Any]" = np.sort(10.0 ** np.random.default_rng(seed).uniform(-4, 0, n))[::-1]
    return drawn


def words_of(form: Form, dim: int, context: int, seed: int) -> Dict[str, Any]:
    """The words of sinpos.Encoding, with what depends on context and seed."""
    words = dict(form.words)
    if "base" in words and words["base"] is None:
        words["base"] = base_for_context(context, dim, robust=False).base_upper or 10000.0
    if "theta" in words:
        words["theta"] = theta_at_random(dim // 2, seed)
    return words


def rounded_positions(positions: Tensor, arithmetic: str) -> Tensor:
    """Positions as a table in that arithmetic has them."""
    return positions.to(torch.bfloat16).double() if arithmetic == "bfloat16" else positions


class Inputs(nn.Module):
    """Words with their positions: (batch, n) numbers to (batch, n, width)."""

    def __init__(self, n_words: int, width: int, encoding: str, longest: int, context: int, seed: int) -> None:
        super().__init__()
        self.form, self.arithmetic = FORMS[encoding], FORMS[encoding].arithmetic
        is_beside = self.form.way == "concatenate"
        own = width // 2 if is_beside else width
        self.words = nn.Embedding(n_words, own)
        nn.init.normal_(self.words.weight, 0.0, FIRST_SIZE)
        self.table: Optional[nn.Embedding] = None
        self.waves: Optional[SinusoidalEmbedding] = None
        if self.form.way == "learned":
            self.table = nn.Embedding(longest, width)
            nn.init.normal_(self.table.weight, 0.0, FIRST_SIZE)
        elif self.form.way in ("add", "concatenate"):
            dim = width - own if is_beside else width
            self.waves = SinusoidalEmbedding(dim, learnable=self.form.learnable, **words_of(self.form, dim, context, seed))

    def rows(self, n: int, start: int = 0) -> Optional[Tensor]:
        """What is added to or stands beside the words at n positions."""
        positions = torch.arange(start, start + n, device=self.words.weight.device)
        if self.table is not None:
            found: Tensor = self.table(positions)
            return found
        if self.waves is None:
            return None
        if self.arithmetic == "float32":
            return rows_in_float32(self.waves, positions)
        return self.waves(rounded_positions(positions, self.arithmetic), like=self.words.weight)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """The rows that the model reads; training with random offsets draws the first position here."""
        if self.training and self.form.random_offset:
            start = int(torch.randint(0, FARTHEST, ()))
        words: Tensor = self.words(ids)
        rows = self.rows(ids.shape[1], start)
        if rows is None:
            return words
        if self.form.way == "concatenate":
            return torch.cat([words, rows.expand(words.shape[:-1] + rows.shape[-1:])], -1)
        return words + rows


def rows_in_float32(waves: SinusoidalEmbedding, positions: Tensor) -> Tensor:
    """Interleaved rows whose angles are products of two floats, as most code has them."""
    angles = positions.float()[:, None] * waves.frequencies().float()
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)


class Rotation(nn.Module):
    """Queries and keys turned by their positions; with another arithmetic than exact, by such a table's rows."""

    def __init__(self, head: int, encoding: str) -> None:
        super().__init__()
        form = FORMS[encoding]
        self.arithmetic = form.arithmetic
        self.n_turned = int(head * form.part)
        self.turn = RotaryEmbedding(self.n_turned, partial=True)

    def forward(self, queries: Tensor, keys: Tensor, start: int) -> Tuple[Tensor, Tensor]:
        """Of shape (batch, heads, n, columns)."""
        if self.arithmetic == "exact":
            turned: Tuple[Tensor, Tensor] = self.turn(queries.contiguous(), keys.contiguous(), start=start)
            return turned
        positions = torch.arange(start, start + queries.shape[-2], device=queries.device)
        if self.arithmetic == "float32":
            angles = positions.float()[:, None] * self.turn.frequencies().float()
            cosines, sines = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)
        else:
            cosines, sines = self.turn.cos_sin(rounded_positions(positions, self.arithmetic), like=queries)
        return self._turned(queries, cosines, sines), self._turned(keys, cosines, sines)

    def _turned(self, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        part, rest = x[..., :self.n_turned], x[..., self.n_turned:]
        low, high = part.chunk(2, -1)
        return torch.cat([part * cosines + torch.cat([-high, low], -1) * sines, rest], -1)


def rotation_of(head: int, encoding: str) -> Optional[Rotation]:
    """The rotation of an encoding that has one."""
    return Rotation(head, encoding) if FORMS[encoding].way == "rotate" else None
