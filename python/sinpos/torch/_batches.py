"""Batches of calls, as torch.func.vmap makes them: one call of an operator where its arguments can hold the batch."""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Tuple

import torch
from torch import Tensor

from . import _operators as ops
from ._tones import lead_of, tones_of

Dims = Sequence[Optional[int]]


def _one_by_one(operator: Any, info: Any, dims: Dims, inputs: Sequence[Any]) -> Tuple[Tensor, int]:
    results = [operator(*(x if d is None else x.select(d, i) for x, d in zip(inputs, dims)))
               for i in range(info.batch_size)]
    return torch.stack(results), 0


def _in_front(x: Tensor, dim: Optional[int], size: int) -> Tensor:
    return x.expand((size,) + x.shape) if dim is None else x.movedim(dim, 0)


def _for_rows(positions: Optional[Tensor], dim: Optional[int], n_lead: int, spec: str) -> Optional[Tensor]:
    """Positions of a batch, with as many dimensions as its rows have before their columns."""
    if positions is None or dim is None:
        return positions
    front = positions.movedim(dim, 0)
    tail = front.shape[1:]
    missing = n_lead - len(lead_of(tail, tones_of(spec).n_axes))
    return front.reshape(front.shape[:1] + (1,) * missing + tail)


def _of_positions(operator: Any) -> Callable[..., Tuple[Tensor, int]]:
    """The rule of encode and derivative."""
    def rule(info: Any, dims: Dims, *inputs: Any) -> Tuple[Tensor, int]:
        if dims[1] is not None:
            return _one_by_one(operator, info, dims, inputs)
        return operator(inputs[0].movedim(dims[0], 0), *inputs[1:]), 0

    return rule


def _add(info: Any, dims: Dims, x: Tensor, positions: Optional[Tensor], start: int, spec: str,
         axis: int) -> Tuple[Tensor, int]:
    front = _in_front(x, dims[0], info.batch_size)
    return ops.operators.add(front, _for_rows(positions, dims[1], front.ndim - 2, spec), start, spec, axis), 0


def _rotate(info: Any, dims: Dims, x: Tensor, positions: Optional[Tensor], theta: Optional[Tensor], start: int,
            spec: str, axis: int, direction: int) -> Tuple[Tensor, int]:
    if dims[2] is not None:
        inputs = (x, positions, theta, start, spec, axis, direction)
        return _one_by_one(ops.operators.rotate, info, dims, inputs)
    front = _in_front(x, dims[0], info.batch_size)
    is_bare = front.ndim == 3 and axis == -2  # (n, dim) each: without heads
    front = front.unsqueeze(1) if is_bare else front
    rows = _for_rows(positions, dims[1], front.ndim - 3, spec)
    turned = ops.operators.rotate(front, rows, theta, start, spec, axis, direction)
    return (turned.squeeze(1) if is_bare else turned), 0


def register() -> None:
    """PyTorch 2.x takes rules; 1.13 has no vmap that would ask for them."""
    library: Any = torch.library
    if hasattr(library, "register_vmap"):
        for name, rule in (("encode", _of_positions(ops.operators.encode)),
                           ("derivative", _of_positions(ops.operators.derivative)), ("add", _add), ("rotate", _rotate)):
            library.register_vmap("sinpos::" + name, rule, lib=ops.library)


register()
