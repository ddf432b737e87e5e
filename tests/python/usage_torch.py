"""What a type checker must make of the modules for PyTorch: read by mypy, not run."""
from typing import Tuple, assert_type

import torch
from torch import Tensor

import sinpos
from sinpos.torch import AddPositions, RotaryEmbedding, SinusoidalEmbedding, positions_from_mask

x = torch.zeros(2, 3, 64)
assert_type(SinusoidalEmbedding(64, learnable="log")(torch.arange(3)), Tensor)
assert_type(SinusoidalEmbedding(64).table(3), Tensor)
assert_type(AddPositions(64, alpha=1.0)(x, start=[3, 4]), Tensor)
rope = RotaryEmbedding(64)
assert_type(rope(x), Tensor)
assert_type(rope(x, x), Tuple[Tensor, Tensor])
assert_type(rope.cos_sin(3), Tuple[Tensor, Tensor])
assert_type(RotaryEmbedding.from_config("config.json"), RotaryEmbedding)
assert_type(positions_from_mask(x), Tensor)
assert_type(sinpos.positions_from_mask(x), Tensor)

SinusoidalEmbedding(64, learnable="exp")  # type: ignore[arg-type]
rope(x, postions=[0, 1, 2])  # type: ignore[call-overload]
