"""Modules and operators for PyTorch: exact encodings as layers, with gradients, by any positions.

>>> import torch
>>> from sinpos.torch import AddPositions, RotaryEmbedding, SinusoidalEmbedding
>>> x = torch.randn(2, 10, 64)
>>> AddPositions(64)(x).shape
torch.Size([2, 10, 64])
>>> SinusoidalEmbedding(64, learnable=True).theta.shape
torch.Size([32])

The operators are torch.ops.sinpos.encode, .derivative, .add, .rotate, .add_ and .rotate_. They compute on the CPU; tensors of other
devices are taken there and back. Meta tensors give shapes.
"""
from .._arrays import positions_from_mask
from . import _batches, _derivatives  # noqa: F401  (they register themselves)
from ._embedding import FORMER_KEYS, AddPositions, SinusoidalEmbedding
from ._patch import Finding, Report, patch
from ._rotary import RotaryEmbedding

__all__ = ["FORMER_KEYS", "AddPositions", "Finding", "Report", "RotaryEmbedding", "SinusoidalEmbedding", "patch",
           "positions_from_mask"]
