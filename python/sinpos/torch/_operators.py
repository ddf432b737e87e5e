"""The operators of namespace sinpos: the C library on tensors, with shapes for meta tensors and with gradients.

    encode(positions, theta, spec, dtype)                  (*positions, dim)
    derivative(positions, theta, spec, dtype, by)          the same shape: by 2 the position, 3 theta
    add(x, positions, start, spec, axis)                   x + encoding
    rotate(x, positions, theta, start, spec, axis, direction)

spec is text_of() an encoding; theta replaces its frequencies where it is there. Angles are formed in the C library,
from positions and frequencies taken exactly, whatever autocast says.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np
import torch
from torch import Tensor
from torch.autograd import forward_ad

from .. import _core
from ._tones import Tones, lead_of, tones_of

TYPE_OF: Dict[torch.dtype, int] = {
    torch.float64: _core.F64, torch.float32: _core.F32, torch.float16: _core.F16, torch.bfloat16: _core.BF16,
}
_NUMPY_OF = {
    torch.float64: "float64", torch.float32: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16_bits",
}
THREADED_BYTES = 1 << 19

_untyped: Any = torch  # what its annotations leave out, or have otherwise from version to version
library: Any = _untyped.library.Library("sinpos", "DEF")
operators: Any = _untyped.ops.sinpos

# ------------------------------------------------------------------------------------------------ memory


def type_of(dtype: torch.dtype) -> int:
    try:
        return TYPE_OF[dtype]
    except KeyError:
        raise TypeError(f"the dtype must be float64, float32, float16 or bfloat16, not {dtype}") from None


def is_on_cpu(x: Any) -> bool:
    return bool(x.is_cpu)


def array_of(x: Tensor) -> Any:
    """The memory of a CPU tensor as the C library takes it: NumPy's view; of bfloat16, uint16."""
    type_of(x.dtype)
    if x.dtype is torch.bfloat16:
        return x.detach().view(torch.int16).numpy().view(np.uint16)
    return x.detach().numpy()


def note_write(x: Tensor) -> None:
    """Tells autograd that x is about to change, as it cannot see: what it saved of x is then refused, not wrong.
    Raises RuntimeError where x may not be written: an inference tensor outside of inference mode."""
    if x.numel() > 0:
        with torch.no_grad():
            x.detach().narrow(0, 0, 0).zero_()


def whole(start: Any) -> Any:
    """The position of a first row. Symbols of a graph stay what they are."""
    if isinstance(start, (Tensor, np.generic, np.ndarray)):
        exact: Any = start
        return exact.__index__()
    if isinstance(start, (float, complex, str, bool)):
        raise TypeError(f"start must be an integer, not {type(start).__name__}: give positions, which may be real")
    return start


def exact_positions(positions: Tensor) -> Tensor:
    """int64 or float64, contiguous, on the CPU: every real type goes in without rounding."""
    if positions.dtype is torch.bool or positions.dtype.is_complex:
        raise TypeError(f"positions must be integers or reals, not {positions.dtype}")
    wanted = torch.float64 if positions.dtype.is_floating_point else torch.int64
    if positions.dtype is wanted and is_on_cpu(positions) and positions.is_contiguous():
        return positions
    return positions.detach().to("cpu", wanted).contiguous()


def threads_for(n_bytes: int) -> int:
    return 1 if n_bytes < THREADED_BYTES else min(torch.get_num_threads(), 1024)


def _refuse_not_finite(rows: Tensor) -> None:
    """The library has one word for positions that are not finite and for those that are too large; Python has two."""
    if rows.dtype is torch.float64 and not bool(torch.isfinite(rows).all()):
        raise ValueError("positions must be finite")


def _filled(plan: "_core.Plan", operation: int, rows: Tensor, out: Tensor) -> Tensor:
    """out, contiguous (..., dim), filled for positions from exact_positions()."""
    n = rows.numel() // plan.axes
    kind = 1 if rows.dtype is torch.int64 else 2
    try:
        plan.run_at(operation, type_of(out.dtype), out.data_ptr(), n, plan.dim, kind, rows.data_ptr(),
                    threads_for(n * plan.dim * out.element_size()))
    except OverflowError:
        _refuse_not_finite(rows)
        raise
    return out


# ------------------------------------------------------------------------------------------------ encode, derivative


def _moved(out: Tensor, like: Tensor) -> Tensor:
    return out if is_on_cpu(like) else out.to(like.device)


def encode_kernel(positions: Tensor, theta: Optional[Tensor], spec: str, dtype: torch.dtype) -> Tensor:
    tones = tones_of(spec)
    rows = exact_positions(positions)
    if tones.plan is None and theta is None and not tones.rotary:
        name = _NUMPY_OF[dtype] if dtype in _NUMPY_OF else type_of(dtype)
        bits = tones.encoding(rows.detach().numpy(), dtype=name)
        found = torch.from_numpy(bits.view(np.int16) if dtype is torch.bfloat16 else bits)
        return (found.view(torch.bfloat16) if dtype is torch.bfloat16 else found).to(positions.device)
    out = torch.empty(lead_of(positions.shape, tones.n_axes) + (tones.dim,), dtype=dtype, device="cpu")
    return _moved(_filled(tones.plan_for(theta), _core.FILL, rows, out), positions)


def derivative_kernel(positions: Tensor, theta: Optional[Tensor], spec: str, dtype: torch.dtype, by: int) -> Tensor:
    tones = tones_of(spec)
    if by not in (_core.GRADIENT_POSITION, _core.GRADIENT_THETA):
        raise ValueError(f"by must be {_core.GRADIENT_POSITION}, the position, or {_core.GRADIENT_THETA}, theta")
    out = torch.empty(lead_of(positions.shape, tones.n_axes) + (tones.dim,), dtype=dtype, device="cpu")
    return _moved(_filled(tones.plan_for(theta), by, exact_positions(positions), out), positions)


def _encode_meta(positions: Tensor, theta: Optional[Tensor], spec: str, dtype: torch.dtype) -> Tensor:
    tones = tones_of(spec)
    type_of(dtype)
    return positions.new_empty(lead_of(positions.shape, tones.n_axes) + (tones.dim,), dtype=dtype)


def _derivative_meta(positions: Tensor, theta: Optional[Tensor], spec: str, dtype: torch.dtype, by: int) -> Tensor:
    return _encode_meta(positions, theta, spec, dtype)


def _is_wide(dtype: torch.dtype) -> bool:
    return dtype is torch.float64


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
    wide = positions.to(like.dtype)
    return wide.unsqueeze(-1) if tones.n_axes == 1 else wide.index_select(-1, tones.places()[1].to(wide.device))


def _turned(encoded: Tensor, tones: Tones) -> Tensor:
    """The derivative by the angle: sines become cosines, cosines minus sines."""
    _, _, other, sign = tones.places()
    if bool((other < 0).any()):
        raise NotImplementedError("derivatives of derivatives need both columns of every tone: an odd width lacks one")
    return encoded.index_select(-1, other.to(encoded.device)) * sign.to(encoded.device, encoded.dtype)


def _encode_setup(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
    positions, theta, spec, dtype = inputs
    ctx.save_for_backward(positions, theta)
    ctx.spec = spec


def _encode_backward(ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], ...]:
    positions, theta = ctx.saved_tensors
    tones = tones_of(ctx.spec)
    dtype = torch.float64 if _is_wide(grad.dtype) else torch.float32
    grad = grad.to(dtype)
    wants_positions, wants_theta = ctx.needs_input_grad[0], theta is not None and ctx.needs_input_grad[1]
    by_positions: Optional[Tensor] = None
    by_theta: Optional[Tensor] = None
    if torch.is_grad_enabled():  # somebody will differentiate this in turn
        turned = grad * _turned(encode(positions, theta, ctx.spec, dtype), tones)
        if wants_positions:
            by_positions = _by_positions(turned * _theta_of_columns(tones, theta, turned), tones, positions)
        if wants_theta:
            by_theta = _by_theta(turned * _positions_of_columns(tones, positions, turned), tones, theta)
        return by_positions, by_theta, None, None
    if wants_positions:
        exact = operators.derivative(positions, theta, ctx.spec, dtype, _core.GRADIENT_POSITION)
        by_positions = _by_positions(grad * exact, tones, positions)
    if wants_theta:
        exact = operators.derivative(positions, theta, ctx.spec, dtype, _core.GRADIENT_THETA)
        by_theta = _by_theta(grad * exact, tones, theta)
    return by_positions, by_theta, None, None


# ------------------------------------------------------------------------------------------------ add


def _rows_for(positions: Tensor, lead: Tuple[int, ...], n_axes: int) -> Any:
    """Positions for rows of shape lead: (n,) for every block, or one for each row."""
    rows = exact_positions(positions)
    tail = (n_axes,) if n_axes > 1 else ()
    given = lead_of(rows.shape, n_axes)
    if given != lead and given != lead[-1:]:
        try:
            rows = rows.expand(lead + tail).contiguous()
        except RuntimeError:
            raise ValueError(f"positions of shape {tuple(given)} do not fit rows of shape {tuple(lead)}") from None
    return rows.detach().numpy()


def _row_first(x: Tensor, axis: int) -> Tensor:
    """(..., n, dim) of x, of which axis is n."""
    if axis not in (-2, -3):
        raise ValueError("axis must be -2, for (..., n, dim), or -3, for (n, batch, dim)")
    if x.ndim < -axis:
        raise ValueError(f"a tensor of shape {tuple(x.shape)} has no axis {axis}")
    return x if axis == -2 else x.transpose(-2, -3)


def add_into(x: Tensor, positions: Optional[Tensor], start: int, spec: str, axis: int) -> Tensor:
    """x += encoding, for a CPU tensor whose elements of a row lie side by side."""
    tones = tones_of(spec)
    rows = _row_first(x, axis)
    bits = array_of(rows)
    name = "bfloat16" if x.dtype is torch.bfloat16 else None
    threads = threads_for(x.numel() * x.element_size())
    if positions is None:
        tones.encoding.add_(bits, start=start, dtype=name, threads=threads)
    else:
        tones.encoding.add_(bits, positions=_rows_for(positions, tuple(rows.shape[:-1]), tones.n_axes), dtype=name,
                            threads=threads)
    return x


def _own_copy(x: Tensor) -> Tensor:
    """Contiguous, on the CPU, and nobody else's."""
    return x.detach().clone(memory_format=torch.contiguous_format) if is_on_cpu(x) else x.detach().cpu().contiguous()


def add_kernel(x: Tensor, positions: Optional[Tensor], start: int, spec: str, axis: int) -> Tensor:
    return add_into(_own_copy(x), positions, start, spec, axis).to(x.device)


def _add_meta(x: Tensor, positions: Optional[Tensor], start: int, spec: str, axis: int) -> Tensor:
    type_of(x.dtype)
    dim = tones_of(spec).dim
    if x.shape[-1] != dim:
        raise ValueError(f"the tensor has {x.shape[-1]} columns, and the encoding {dim}")
    _row_first(x, axis)
    return x.new_empty(x.shape)


def _add_setup(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
    positions = inputs[1]
    if positions is not None and positions.requires_grad:
        raise NotImplementedError("sinpos::add has no gradient by positions: use x + encode(...)")


def _add_backward(ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], ...]:
    return grad, None, None, None, None


# ------------------------------------------------------------------------------------------------ rotate


def rotate_into(x: Tensor, positions: Optional[Tensor], theta: Optional[Tensor], start: int, spec: str, axis: int,
                direction: int) -> Tensor:
    """Rotates a CPU tensor whose elements of a row lie side by side."""
    tones = tones_of(spec)
    if axis not in (-2, -3):
        raise ValueError("axis must be -2, for (..., heads, n, dim), or -3, for (..., n, heads, dim)")
    if x.ndim < -axis:
        raise ValueError(f"a tensor of shape {tuple(x.shape)} has no axis {axis}")
    bits = array_of(x)
    threads = threads_for(x.numel() * x.element_size())
    rows = start if positions is None else _rows_for(positions, tuple(x.shape[:-3]) + (x.shape[axis],), tones.n_axes)
    if tones.plan is None and theta is None:
        tones.encoding.rotate_(bits, None if positions is None else rows, start if positions is None else None, axis=axis,
                               inverse=direction == _core.INVERSE, transpose=direction == _core.TRANSPOSE,
                               dtype="bfloat16" if x.dtype is torch.bfloat16 else None, threads=threads)
        return x
    try:
        tones.plan_for(theta).rotate(bits, rows, direction, axis, threads)
    except OverflowError:
        if positions is not None:
            _refuse_not_finite(exact_positions(positions))
        raise
    return x


def rotate_kernel(x: Tensor, positions: Optional[Tensor], theta: Optional[Tensor], start: int, spec: str, axis: int,
                  direction: int) -> Tensor:
    return rotate_into(_own_copy(x), positions, theta, start, spec, axis, direction).to(x.device)


def _rotate_meta(x: Tensor, positions: Optional[Tensor], theta: Optional[Tensor], start: int, spec: str, axis: int,
                 direction: int) -> Tensor:
    type_of(x.dtype)
    if x.shape[-1] < tones_of(spec).dim:
        raise ValueError(f"a head has {x.shape[-1]} columns, and {tones_of(spec).dim} are to be rotated")
    return x.new_empty(x.shape)


def _rotate_setup(ctx: Any, inputs: Tuple[Any, ...], output: Tensor) -> None:
    x, positions, theta, start, spec, axis, direction = inputs
    needs_angles = any(t is not None and t.requires_grad for t in (positions, theta))
    ctx.save_for_backward(positions, theta, output if needs_angles else None)
    ctx.start, ctx.spec, ctx.axis, ctx.direction = start, spec, axis, direction


def _by_angles(ctx: Any, grad: Tensor, output: Tensor) -> Tensor:
    """(..., n, dim): what each column contributes to the gradient by the angle of its tone, summed over heads."""
    tones = tones_of(ctx.spec)
    dtype = torch.float64 if _is_wide(grad.dtype) else torch.float32
    turned = _turned(output[..., :tones.dim].to(dtype), tones) * grad[..., :tones.dim].to(dtype)
    turned = turned if ctx.direction == _core.FORWARD else -turned
    if ctx.axis == -3:
        return turned.sum(-2)
    return turned.sum(-3) if turned.ndim >= 3 else turned


def _rotate_backward(ctx: Any, grad: Tensor) -> Tuple[Optional[Tensor], ...]:
    positions, theta, output = ctx.saved_tensors
    if ctx.direction == _core.INVERSE:
        raise NotImplementedError("the inverse rotation has no gradient; where the amplitude is 1, it is the transpose")
    back = _core.TRANSPOSE if ctx.direction == _core.FORWARD else _core.FORWARD
    by_x: Optional[Tensor] = None
    if ctx.needs_input_grad[0]:  # through the dispatcher: grad may be a batch of gradients
        by_x = operators.rotate(grad, positions, theta, ctx.start, ctx.spec, ctx.axis, back)
    by_positions: Optional[Tensor] = None
    by_theta: Optional[Tensor] = None
    if output is not None:
        tones = tones_of(ctx.spec)
        turned = _by_angles(ctx, grad, output)
        if positions is None:
            n = turned.shape[-2]
            positions = torch.arange(ctx.start, ctx.start + n, device=grad.device)
        if ctx.needs_input_grad[1]:
            summed = _by_positions(turned * _theta_of_columns(tones, theta, turned), tones, positions)
            by_positions = summed.sum_to_size(positions.shape)
        if ctx.needs_input_grad[2]:
            by_theta = _by_theta(turned * _positions_of_columns(tones, positions, turned), tones, theta)
    return by_x, by_positions, by_theta, None, None, None, None


# ------------------------------------------------------------------------------------------------ registration


def _autograd_key(name: str, setup: Callable[..., None], backward: Callable[..., Any]) -> None:
    """Before torch.library.register_autograd(): a Function behind the key Autograd, of the same two functions."""
    operator = getattr(operators, name)

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any, **nothing: Any) -> Any:
            below = torch._C._AutoDispatchBelowAutograd()
            try:
                output = operator(*inputs)
            finally:
                del below
            setup(ctx, inputs, output)
            return output

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return backward(ctx, *grads)

    library.impl(name, lambda *inputs: Function.apply(*inputs), "Autograd")


def _register(schema: str, kernel: Callable[..., Tensor], meta: Callable[..., Tensor],
              setup: Optional[Callable[..., None]] = None, backward: Optional[Callable[..., Any]] = None) -> None:
    name = schema.split("(")[0]
    tag = getattr(getattr(torch, "Tag", None), "pt2_compliant_tag", None)
    library.define(schema, **({} if tag is None else {"tags": (tag,)}))
    library.impl(name, kernel, "CompositeExplicitAutograd")
    if hasattr(_untyped.library, "register_fake"):
        _untyped.library.register_fake("sinpos::" + name, meta, lib=library)
    else:
        library.impl(name, meta, "Meta")
    if setup is None or backward is None:
        return
    if hasattr(_untyped.library, "register_autograd"):
        _untyped.library.register_autograd("sinpos::" + name, backward, setup_context=setup, lib=library)
    else:
        _autograd_key(name, setup, backward)


_register("encode(Tensor positions, Tensor? theta, str spec, ScalarType dtype) -> Tensor", encode_kernel, _encode_meta,
          _encode_setup, _encode_backward)
_register("derivative(Tensor positions, Tensor? theta, str spec, ScalarType dtype, int by) -> Tensor",
          derivative_kernel, _derivative_meta)
_register("add(Tensor x, Tensor? positions, int start, str spec, int axis) -> Tensor", add_kernel, _add_meta,
          _add_setup, _add_backward)
_register("rotate(Tensor x, Tensor? positions, Tensor? theta, int start, str spec, int axis, int direction) -> Tensor",
          rotate_kernel, _rotate_meta, _rotate_setup, _rotate_backward)

# ------------------------------------------------------------------------------------------------ calls

is_compiling: Callable[[], bool] = getattr(getattr(torch, "compiler", None), "is_compiling", bool)
n_modes: Callable[[], int] = getattr(torch._C, "_len_torch_dispatch_stack", int)
is_transformed: Callable[[], bool] = getattr(torch._C, "_are_functorch_transforms_active", bool)
is_tracing: Callable[[], bool] = torch._C._is_tracing


def has_tangents() -> bool:
    """Are there levels of forward-mode differentiation? The operators refuse it."""
    return getattr(forward_ad, "_current_level", -1) >= 0


def has_tangent(x: Tensor) -> bool:
    unpack: Callable[..., Any] = forward_ad.unpack_dual
    return unpack(x).tangent is not None


def is_watched() -> bool:
    """Must calls go through the dispatcher: is somebody compiling, tracing, transforming them, or carrying tangents?"""
    return is_compiling() or is_tracing() or n_modes() > 0 or is_transformed() or has_tangents()


_OWN = (Tensor, torch.nn.Parameter)


def _is_plain(*tensors: Optional[Tensor]) -> bool:
    """CPU tensors without gradients, and nobody watches: the kernel may be called at once."""
    for t in tensors:
        if t is not None and (type(t) not in _OWN or not is_on_cpu(t) or (t.requires_grad and torch.is_grad_enabled())):
            return False
    return not is_watched()


def encode(positions: Tensor, theta: Optional[Tensor], spec: str, dtype: torch.dtype) -> Tensor:
    """sinpos::encode; without the dispatcher where nobody would notice."""
    if _is_plain(positions, theta):
        return encode_kernel(positions, theta, spec, dtype)
    found: Tensor = operators.encode(positions, theta, spec, dtype)
    return found


def add(x: Tensor, positions: Optional[Tensor], start: int, spec: str, axis: int) -> Tensor:
    """sinpos::add; without the dispatcher where nobody would notice."""
    if _is_plain(x, positions):
        return add_kernel(x, positions, start, spec, axis)
    found: Tensor = operators.add(x, positions, start, spec, axis)
    return found


def rotate(x: Tensor, positions: Optional[Tensor], theta: Optional[Tensor], start: int, spec: str, axis: int,
           direction: int = _core.FORWARD) -> Tensor:
    """sinpos::rotate; without the dispatcher where nobody would notice."""
    if _is_plain(x, positions, theta):
        return rotate_kernel(x, positions, theta, start, spec, axis, direction)
    found: Tensor = operators.rotate(x, positions, theta, start, spec, axis, direction)
    return found
