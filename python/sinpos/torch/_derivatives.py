"""Derivatives of the operators, in both modes: backward() for gradients, tangent() for directional derivatives.

encode and derivative work element by element, so both modes need the same columns, d out[..., c] / d position and
/ d theta of column c's tone; first derivatives are exact (each rounded once), as the C library has them. A rotation
turns its output: d out / d angle has the columns of out in other places.
"""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Tuple

import torch
from torch import Tensor
from torch.autograd import forward_ad

from .. import _core
from . import _operators as ops
from ._private import OneLevelFunction, below_autograd, has_tangents, is_forward_on, is_transformed, one_level, set_forward
from ._tones import Tones, tones_of

_POSITION, _THETA = _core.GRADIENT_POSITION, _core.GRADIENT_THETA

# ------------------------------------------------------------------------------------------------ positions, theta


def _wide(dtype: torch.dtype) -> torch.dtype:
    """The type of intermediate results; angles are formed elsewhere."""
    return torch.float64 if dtype is torch.float64 else torch.float32


def _grouped(columns: Tensor, groups: Tensor, n: int) -> Tensor:
    """(..., dim) summed into (..., n) groups of columns."""
    return columns.new_zeros(columns.shape[:-1] + (n,)).index_add(-1, groups.to(columns.device), columns)


def _by_positions(columns: Tensor, tones: Tones, positions: Tensor) -> Tensor:
    if tones.n_axes == 1:
        return columns.sum(-1).to(positions.dtype)
    return _grouped(columns, tones.places()[1], tones.n_axes).to(positions.dtype)


def _by_theta(columns: Tensor, tones: Tones, theta: Tensor) -> Tensor:
    sums = columns.reshape(-1, tones.dim).sum(0, dtype=torch.float64)
    return _grouped(sums, tones.places()[0], theta.numel() + 1)[:-1].to(theta.device, theta.dtype)


def _theta_of_columns(tones: Tones, theta: Optional[Tensor], like: Tensor) -> Tensor:
    known = tones.theta() if theta is None else theta
    padded = torch.cat([known, known.new_zeros(1)]).to(like.device, like.dtype)
    return padded.index_select(0, tones.places()[0].to(like.device))


def _positions_of_columns(tones: Tones, positions: Tensor, like: Tensor) -> Tensor:
    wide = positions.to(like.device, like.dtype)
    return wide.unsqueeze(-1) if tones.n_axes == 1 else wide.index_select(-1, tones.places()[1].to(wide.device))


def _turned(encoded: Tensor, tones: Tones) -> Tensor:
    """The derivative by the angle: sines become cosines, cosines minus sines."""
    if tones.lacks_partners:
        raise NotImplementedError("derivatives by the position and by theta at once need both columns of every tone: "
                                  "an odd width lacks one")
    _, _, other, sign = tones.places()
    return encoded.index_select(-1, other.to(encoded.device)) * sign.to(encoded.device, encoded.dtype)


# ------------------------------------------------------------------------------------------------ encode, derivative


def _encode_columns(inputs: Sequence[Any], by: int) -> Tensor:
    positions, theta, spec, dtype = inputs
    columns: Tensor = ops.operators.derivative(positions, theta, spec, _wide(dtype), by)
    return columns


def _derivative_columns(inputs: Sequence[Any], by: int) -> Tensor:
    """f = theta or the position, whichever the derivative was not by: it is f turned(E), with E the encoding."""
    positions, theta, spec, dtype, first = inputs
    tones = tones_of(spec)
    encoded: Tensor = ops.operators.encode(positions, theta, spec, _wide(dtype))
    by_position = _theta_of_columns(tones, theta, encoded)  # d angle / d position
    by_theta = _positions_of_columns(tones, positions, encoded)
    if by == first:
        factor = by_position if by == _POSITION else by_theta
        return -(factor * factor) * encoded
    return _turned(encoded, tones) - by_position * by_theta * encoded


class _ByColumns:
    """The rules of encode and derivative."""

    def __init__(self, columns: Callable[[Sequence[Any], int], Tensor]) -> None:
        self._columns = columns

    def setup(self, ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(inputs[0], inputs[1])
        ctx.rest = inputs[2:]

    def backward(self, ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], ...]:
        inputs = ctx.saved_tensors + ctx.rest
        positions, theta = ctx.saved_tensors
        tones = tones_of(ctx.rest[0])
        grad = grad.to(_wide(grad.dtype))
        by_positions = by_theta = None
        if ctx.needs_input_grad[0]:
            by_positions = _by_positions(grad * self._columns(inputs, _POSITION), tones, positions)
        if ctx.needs_input_grad[1]:
            by_theta = _by_theta(grad * self._columns(inputs, _THETA), tones, theta)
        return (by_positions, by_theta) + (None,) * len(ctx.rest)

    def tangent(self, inputs: Sequence[Any], tangents: Sequence[Optional[Tensor]], output: Tensor) -> Tensor:
        tones, total = tones_of(inputs[2]), output.new_zeros((), dtype=_wide(output.dtype))
        if tangents[0] is not None:
            columns = self._columns(inputs, _POSITION)
            total = total + columns * _positions_of_columns(tones, tangents[0], columns)
        if tangents[1] is not None:
            columns = self._columns(inputs, _THETA)
            total = total + columns * _theta_of_columns(tones, tangents[1], columns)
        return total.to(output.dtype)


# ------------------------------------------------------------------------------------------------ add


class _Add:
    """x + encoding."""

    def setup(self, ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(inputs[1])
        ctx.spec, ctx.axis = inputs[3:]

    def backward(self, ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], ...]:
        by_positions: Optional[Tensor] = None
        if ctx.needs_input_grad[1]:
            positions, = ctx.saved_tensors
            tones, rows = tones_of(ctx.spec), grad if ctx.axis == -2 else grad.transpose(-2, -3)
            columns = _encode_columns((positions, None, ctx.spec, grad.dtype), _POSITION)
            by_positions = _by_positions(rows * columns, tones, positions).sum_to_size(positions.shape)
        return grad, by_positions, None, None, None

    def tangent(self, inputs: Sequence[Any], tangents: Sequence[Optional[Tensor]], output: Tensor) -> Tensor:
        _, positions, _, spec, axis = inputs
        total = torch.zeros_like(output) if tangents[0] is None else tangents[0]
        if tangents[1] is not None:
            columns = _encode_columns((positions, None, spec, output.dtype), _POSITION)
            rows = columns * _positions_of_columns(tones_of(spec), tangents[1], columns)
            rows = rows.expand(output.shape if axis == -2 else output.transpose(-2, -3).shape)
            total = total + (rows if axis == -2 else rows.transpose(-2, -3)).to(output.dtype)
        return total


# ------------------------------------------------------------------------------------------------ rotate


def _rotated_by_angle(output: Tensor, tones: Tones, direction: int) -> Tensor:
    """d output / d angle, without the columns that stay."""
    turned = _turned(output[..., :tones.dim].to(_wide(output.dtype)), tones)
    return turned if direction == _core.FORWARD else -turned


class _Rotate:
    """A rotation of x."""

    def setup(self, ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
        x, positions, theta, ctx.start, ctx.spec, ctx.axis, ctx.direction = inputs
        needs_angles = any(t is not None and t.requires_grad for t in (positions, theta))
        ctx.save_for_backward(positions, theta, output if needs_angles else None)

    def backward(self, ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], ...]:
        positions, theta, output = ctx.saved_tensors
        by_x: Optional[Tensor] = None
        if ctx.needs_input_grad[0]:
            by_x = _rotated_back(grad, positions, theta, ctx.start, ctx.spec, ctx.axis, ctx.direction)
        if output is None:
            return by_x, None, None, None, None, None, None
        by_positions = by_theta = None
        tones = tones_of(ctx.spec)
        turned = _rotated_by_angle(output, tones, ctx.direction) * grad[..., :tones.dim].to(_wide(grad.dtype))
        heads = -2 if ctx.axis == -3 else -3
        turned = turned.sum(heads) if turned.ndim >= 3 else turned
        known = _positions_of_rows(positions, ctx.start, turned.shape[-2], grad)
        if ctx.needs_input_grad[1]:
            summed = _by_positions(turned * _theta_of_columns(tones, theta, turned), tones, known)
            by_positions = summed.sum_to_size(known.shape)
        if ctx.needs_input_grad[2]:
            by_theta = _by_theta(turned * _positions_of_columns(tones, known, turned), tones, theta)
        return by_x, by_positions, by_theta, None, None, None, None

    def tangent(self, inputs: Sequence[Any], tangents: Sequence[Optional[Tensor]], output: Tensor) -> Tensor:
        _, positions, theta, start, spec, axis, direction = inputs
        total = torch.zeros_like(output)
        if tangents[0] is not None:
            total = ops.operators.rotate(tangents[0], positions, theta, start, spec, axis, direction)
        if tangents[1] is None and tangents[2] is None:
            return total
        tones = tones_of(spec)
        turned = _rotated_by_angle(output, tones, direction)
        angles = turned.new_zeros(1, 1)
        if tangents[1] is not None:
            angles = angles + _positions_of_columns(tones, tangents[1], turned) * _theta_of_columns(tones, theta, turned)
        if tangents[2] is not None:
            known = _positions_of_rows(positions, start, output.shape[axis], output)
            angles = angles + _positions_of_columns(tones, known, turned) * _theta_of_columns(tones, tangents[2], turned)
        angles = angles.unsqueeze(-2 if axis == -3 else -3) if output.ndim >= 3 else angles
        by_angles = torch.nn.functional.pad(turned * angles, (0, output.shape[-1] - tones.dim))
        return total + by_angles.to(output.dtype)


def _rotated_back(grad: Tensor, positions: Optional[Tensor], theta: Optional[Tensor], start: int, spec: str, axis: int,
                  direction: int) -> Tensor:
    if direction == _core.INVERSE:
        raise NotImplementedError("the inverse rotation has no gradient; where the amplitude is 1, it is the transpose")
    back = _core.TRANSPOSE if direction == _core.FORWARD else _core.FORWARD
    by_x: Tensor = ops.operators.rotate(grad, positions, theta, start, spec, axis, back)
    return by_x


def _positions_of_rows(positions: Optional[Tensor], start: int, n: int, like: Tensor) -> Tensor:
    return torch.arange(start, start + n, device=like.device) if positions is None else positions


# ------------------------------------------------------------------------------------------------ registration

_make_dual: Callable[..., Any] = forward_ad.make_dual
_unpack_dual: Callable[..., Any] = forward_ad.unpack_dual


@contextlib.contextmanager
def _outer_levels() -> Iterator[None]:
    """A Function's forward() takes no derivatives, but levels of torch.func outside of its own may."""
    with torch.enable_grad(), set_forward(True):
        yield


def _below(operator: Any, inputs: Tuple[Any, ...]) -> Any:
    """The operator, by what lies below autograd."""
    with below_autograd():
        return operator(*inputs)


def _with_tangent(operator: Any, rule: Any, inputs: Tuple[Any, ...], pairs: Dict[int, Any]) -> Any:
    primals = [pairs[i].primal if i in pairs else t for i, t in enumerate(inputs)]
    tangents = [pairs[i].tangent if i in pairs else None for i in range(len(inputs))]
    output = operator(*primals)
    return _make_dual(output, rule.tangent(primals, tangents, output))


def _register_derivatives(name: str, rule: Any) -> None:
    """One kernel behind the key Autograd: torch.library.register_autograd() of 2.x would lose tangents."""
    operator = getattr(ops.operators, name)

    class Function(OneLevelFunction):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, *inputs: Any, **nothing: Any) -> Any:  # Any: what the operator returns
            with _outer_levels() if is_transformed() else contextlib.nullcontext():
                output = _below(operator, inputs)
            rule.setup(ctx, inputs, output)
            return output

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:  # Any: a gradient or None for each input
            return rule.backward(ctx, *grads)

    def kernel(*inputs: Any) -> Any:  # Any: what the operator returns
        tensors = {i: t for i, t in enumerate(inputs) if isinstance(t, Tensor)}
        if has_tangents() and is_forward_on():
            pairs = {i: _unpack_dual(t) for i, t in tensors.items()}
            if any(pair.tangent is not None for pair in pairs.values()):
                return _with_tangent(operator, rule, inputs, pairs)
        if torch.is_grad_enabled() and any(t.requires_grad for t in tensors.values()):
            with one_level():
                return Function.apply(*inputs)
        return _below(operator, inputs)

    ops.library.impl(name, kernel, "Autograd")


_register_derivatives("encode", _ByColumns(_encode_columns))
_register_derivatives("derivative", _ByColumns(_derivative_columns))
_register_derivatives("add", _Add())
_register_derivatives("rotate", _Rotate())
