"""The operators of namespace sinpos: the C library on tensors, and shapes for meta tensors.

    encode(positions, theta, spec, dtype)                  (*positions, dim)
    derivative(positions, theta, spec, dtype, by)          the same shape: by 2 the position, 3 theta
    add(x, positions, start, spec, axis)                   x + encoding
    rotate(x, positions, theta, start, spec, axis, direction)
    add_, rotate_                                          the same in the memory of x, without derivatives

Their derivatives are in _derivatives.py, their batches in _batches.py. spec is text_of() an encoding; theta replaces its frequencies where it is there. Angles are formed in the C library,
from positions and frequencies taken exactly, whatever autocast says.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple, cast

import numpy as np
import torch
from torch import Tensor
from torch.autograd import forward_ad

from .. import _core
from .._arrays import Array, element_type, numbers
from ._private import has_tangents, is_tracing, is_transformed, n_modes
from ._tones import MOST_KEPT_ROWS, Tones, lead_of, tones_of

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


def dtype_of(dtype: Any) -> torch.dtype:
    """The dtype of PyTorch for that, a name, or a dtype of NumPy."""
    if isinstance(dtype, torch.dtype):
        return dtype
    found: torch.dtype = getattr(torch, element_type(dtype).name.replace("_bits", ""))
    return found


def type_of(dtype: torch.dtype) -> int:
    try:
        return TYPE_OF[dtype]
    except KeyError:
        raise TypeError(f"the dtype must be float64, float32, float16 or bfloat16, not {dtype}") from None


def is_on_cpu(x: Any) -> bool:
    return bool(x.is_cpu)


def array_of(x: Tensor) -> Array:
    """The memory of a CPU tensor as the C library takes it: NumPy's view; of bfloat16, uint16."""
    type_of(x.dtype)
    if x.dtype is torch.bfloat16:
        return np.asarray(x.detach().view(torch.int16).numpy()).view(np.uint16)
    return np.asarray(x.detach().numpy())


def note_write(x: Tensor) -> None:
    """Marks x for autograd as about to change, as it cannot see: what it saved of x is then refused, not wrong.
    Raises RuntimeError where x may not be written: an inference tensor outside of inference mode."""
    if not x.requires_grad:
        if x.numel() > 0:
            x.narrow(0, 0, 0).zero_()
    elif x.numel() > 0:
        with torch.no_grad():
            x.detach().narrow(0, 0, 0).zero_()


def tensor_of(positions: Any, device: Any = None) -> Tensor:
    """Positions as a tensor: numbers, lists and arrays as int64 or float64, where torch would make of reals its default type."""
    if isinstance(positions, Tensor) or hasattr(positions, "__torch_function__"):  # what torch.fx puts in place of tensors
        return cast(Tensor, positions)
    if not is_compiling():
        exact = numbers(positions)
        return torch.as_tensor(exact if exact.flags.writeable else exact.copy(), device=device)
    if isinstance(positions, int) and not isinstance(positions, bool):  # a number that the graph does not know
        return torch.arange(positions, positions + 1, device=device).reshape(())
    found = torch.as_tensor(positions, device=device)
    is_rounded = found.dtype.is_floating_point and isinstance(positions, (float, list, tuple))
    return torch.tensor(positions, dtype=torch.float64, device=device) if is_rounded else found


def first_row(start: Any, positions: Any, x: Tensor, axis: int) -> Tuple[Any, Optional[Tensor]]:
    """(start, positions) as the operators want them. Symbols of a graph stay what they are; a tensor whose number the
    graph cannot know gives positions, and so do starts of one for each sequence."""
    if positions is not None:
        if isinstance(start, (Tensor, list, tuple, np.ndarray)) or start != 0:
            raise ValueError("give start or positions, not both")
        return 0, tensor_of(positions, x.device)
    is_many = isinstance(start, (list, tuple)) or (isinstance(start, (Tensor, np.ndarray)) and start.ndim > 0)
    if is_many or (isinstance(start, Tensor) and is_compiling()):
        starts = tensor_of(start, x.device)
        if starts.dtype.is_floating_point or starts.dtype is torch.bool:
            raise TypeError(f"start must be an integer, or one for each sequence, not {starts.dtype}: "
                            "give positions, which may be real")
        rows = torch.arange(x.shape[axis], device=x.device)
        return 0, starts.to(x.device).unsqueeze(-1) + rows if is_many else starts + rows
    return whole(start), None


def whole(start: Any) -> int:
    """The position of a first row."""
    if isinstance(start, (Tensor, np.generic, np.ndarray)):
        exact: Any = start
        return cast(int, exact.__index__())
    if isinstance(start, (float, complex, str, bool)):
        raise TypeError(f"start must be an integer, not {type(start).__name__}: give positions, which may be real")
    return cast(int, start)  # or a symbol of a graph


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


def _encode_meta(positions: Tensor, theta: Optional[Tensor], spec: str, dtype: torch.dtype, by: int = 0) -> Tensor:
    tones = tones_of(spec)
    type_of(dtype)
    return positions.new_empty(lead_of(positions.shape, tones.n_axes) + (tones.dim,), dtype=dtype)


# ------------------------------------------------------------------------------------------------ add


def _rows_for(positions: Tensor, lead: Tuple[int, ...], n_axes: int) -> Array:
    """Positions for rows of shape lead: (n,) for every block, or one for each row."""
    rows = exact_positions(positions)
    tail = (n_axes,) if n_axes > 1 else ()
    given = lead_of(rows.shape, n_axes)
    if given != lead and given != lead[-1:]:
        try:
            rows = rows.expand(lead + tail).contiguous()
        except RuntimeError:
            raise ValueError(f"positions of shape {tuple(given)} do not fit rows of shape {tuple(lead)}") from None
    return np.asarray(rows.detach().numpy())


def _row_first(x: Tensor, axis: int) -> Tensor:
    """(..., n, dim) of x, of which axis is n."""
    if axis not in (-2, -3):
        raise ValueError("axis must be -2, for (..., n, dim), or -3, for (n, batch, dim)")
    if x.ndim < -axis:
        raise ValueError(f"a tensor of shape {tuple(x.shape)} has no axis {axis}")
    return x if axis == -2 else x.transpose(-2, -3)


class _Places(NamedTuple):
    """Contiguous rows that share their positions over batches and heads: (batches, heads, n, width), or with axis -3
    (batches, n, heads, width)."""

    batches: int
    heads: int
    n: int
    kind: int  #: of positions: 0 a number, 1 int64 or 2 float64 at an address
    positions: int
    held: Optional[Tensor]  #: what lies at that address


def _places(x: Tensor, heads: int, positions: Optional[Tensor], start: int, axis: int, n_axes: int) -> Optional[_Places]:
    """None where rows have positions of their own in each batch, or lie apart. heads: those that rows of axis -2 have."""
    if x.ndim < -axis or not x.is_contiguous():
        return None
    n = x.shape[axis]
    heads = x.shape[-2] if axis == -3 else heads
    rows = x.numel() // max(x.shape[-1], 1)
    batches = rows // (n * heads) if n * heads > 0 else 0
    if positions is None:
        return _Places(batches, heads, n, 0, start, None) if n_axes == 1 else None
    given = exact_positions(positions)
    lead = lead_of(given.shape, n_axes)
    if not lead or given.numel() != n * n_axes or lead[-1] != n or len(lead) > x.ndim - 1:
        return None
    return _Places(batches, heads, n, 1 if given.dtype is torch.int64 else 2, given.data_ptr(), given)


def _sum_into(out: Tensor, x: Tensor, positions: Optional[Tensor], start: int, tones: Tones, axis: int) -> bool:
    """out = x + encoding, both contiguous on the CPU; False where that takes another way."""
    if tones.plan is None or axis not in (-2, -3) or x.shape[-1:] != (tones.dim,):
        return False
    at = _places(x, 1, positions, start, axis, tones.n_axes)
    if at is None:
        return False
    try:
        tones.plan.sum_at(type_of(x.dtype), out.data_ptr(), x.data_ptr(), at.batches, at.heads, at.n, tones.dim, axis, at.kind,
                          at.positions, threads_for(x.numel() * x.element_size()))
    except OverflowError:
        if at.held is not None:
            _refuse_not_finite(at.held)
        raise
    return True


def add_into(x: Tensor, positions: Optional[Tensor], start: int, spec: str, axis: int) -> Tensor:
    """x += encoding, for a CPU tensor whose elements of a row lie side by side."""
    tones = tones_of(spec)
    if _sum_into(x, x, positions, start, tones, axis):
        return x
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
    if is_on_cpu(x):
        rows = x.detach().contiguous()
        out = torch.empty_like(rows)
        if _sum_into(out, rows, positions, start, tones_of(spec), axis):
            return out
    return add_into(_own_copy(x), positions, start, spec, axis).to(x.device)


def _add_meta(x: Tensor, positions: Optional[Tensor], start: int, spec: str, axis: int) -> Tensor:
    type_of(x.dtype)
    dim = tones_of(spec).dim
    if x.shape[-1] != dim:
        raise ValueError(f"the tensor has {x.shape[-1]} columns; the encoding has {dim}")
    _row_first(x, axis)
    return x.new_empty(x.shape)


# ------------------------------------------------------------------------------------------------ rotate


def _rotated_into(out: Tensor, x: Tensor, positions: Optional[Tensor], theta: Optional[Tensor], start: int, tones: Tones,
                  axis: int, direction: int) -> bool:
    """x rotated into out, both contiguous on the CPU; False where that takes another way."""
    if tones.plan is None or axis not in (-2, -3) or x.ndim < 2 or x.shape[-1] < tones.dim:
        return False
    at = _places(x, x.shape[-3] if x.ndim > 2 else 1, positions, start, axis, tones.n_axes)
    if at is None:
        return False
    kind, threads = type_of(x.dtype), threads_for(x.numel() * x.element_size())
    try:
        if theta is None and 0 < at.n <= MOST_KEPT_ROWS:
            given = start if at.held is None else (at.held.dtype, at.held.numpy().tobytes())
            factors = tones.factors((kind, at.n, direction, given), at.kind, at.positions)
            factors.rotate_at(out.data_ptr(), x.data_ptr(), at.batches, at.heads, at.n, x.shape[-1], axis, threads)
        else:
            tones.plan_for(theta).rotate_at(kind, out.data_ptr(), x.data_ptr(), at.batches, at.heads, at.n, x.shape[-1], axis,
                                            direction, at.kind, at.positions, threads)
    except OverflowError:
        if at.held is not None:
            _refuse_not_finite(at.held)
        raise
    return True


def rotate_into(x: Tensor, positions: Optional[Tensor], theta: Optional[Tensor], start: int, spec: str, axis: int,
                direction: int) -> Tensor:
    """Rotates a CPU tensor whose elements of a row lie side by side."""
    tones = tones_of(spec)
    if axis not in (-2, -3):
        raise ValueError("axis must be -2, for (..., heads, n, dim), or -3, for (..., n, heads, dim)")
    if x.ndim < -axis:
        raise ValueError(f"a tensor of shape {tuple(x.shape)} has no axis {axis}")
    if _rotated_into(x, x, positions, theta, start, tones, axis, direction):
        return x
    bits = array_of(x)
    threads = threads_for(x.numel() * x.element_size())
    rows = start if positions is None else _rows_for(positions, tuple(x.shape[:-3]) + (x.shape[axis],), tones.n_axes)
    if tones.plan is None and theta is None:
        tones.encoding.rotate_(bits, None if positions is None else rows, start if positions is None else None, axis=axis,
                               inverse=direction == _core.INVERSE, transpose=direction == _core.TRANSPOSE,
                               partial=True, dtype="bfloat16" if x.dtype is torch.bfloat16 else None, threads=threads)
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
    if is_on_cpu(x):
        rows = x.detach().contiguous()
        out = torch.empty_like(rows)
        if _rotated_into(out, rows, positions, theta, start, tones_of(spec), axis, direction):
            return out
    return rotate_into(_own_copy(x), positions, theta, start, spec, axis, direction).to(x.device)


def _rotate_meta(x: Tensor, positions: Optional[Tensor], theta: Optional[Tensor], start: int, spec: str, axis: int,
                 direction: int) -> Tensor:
    type_of(x.dtype)
    if x.shape[-1] < tones_of(spec).dim:
        raise ValueError(f"a head has {x.shape[-1]} columns; {tones_of(spec).dim} are to be rotated")
    return x.new_empty(x.shape)


# ------------------------------------------------------------------------------------------------ in place


def _in_place(into: Callable[..., Tensor]) -> Callable[..., None]:
    """A kernel for into(x, *rest), through a copy where the C library cannot write x."""
    def kernel(x: Tensor, *rest: Any) -> None:
        if is_on_cpu(x) and (x.shape[-1] <= 1 or x.stride(-1) == 1):
            note_write(x)
            into(x, *rest)
        else:
            x.copy_(into(_own_copy(x), *rest))

    return kernel


def _checked(meta: Callable[..., Tensor]) -> Callable[..., None]:
    """What gives no shape, and refuses what meta does."""
    def kernel(*inputs: Any) -> None:
        meta(*inputs)

    return kernel


# ------------------------------------------------------------------------------------------------ registration


def _register(schema: str, kernel: Callable[..., Any], meta: Callable[..., Any]) -> None:
    """Schema, what computes, and what gives shapes; SymInt: a number that a graph need not know."""
    name = schema.split("(")[0]
    tag = getattr(getattr(torch, "Tag", None), "pt2_compliant_tag", None)
    library.define(schema, **({} if tag is None else {"tags": (tag,)}))
    library.impl(name, kernel, "CompositeExplicitAutograd")
    if hasattr(_untyped.library, "register_fake"):
        _untyped.library.register_fake("sinpos::" + name, meta, lib=library)
    else:
        library.impl(name, meta, "Meta")


_register("encode(Tensor positions, Tensor? theta, str spec, ScalarType dtype) -> Tensor", encode_kernel, _encode_meta)
_register("derivative(Tensor positions, Tensor? theta, str spec, ScalarType dtype, int by) -> Tensor",
          derivative_kernel, _encode_meta)
_register("add(Tensor x, Tensor? positions, SymInt start, str spec, int axis) -> Tensor", add_kernel, _add_meta)
_register("add_(Tensor(a!) x, Tensor? positions, SymInt start, str spec, int axis) -> ()", _in_place(add_into),
          _checked(_add_meta))
_register("rotate(Tensor x, Tensor? positions, Tensor? theta, SymInt start, str spec, int axis, int direction) "
          "-> Tensor", rotate_kernel, _rotate_meta)
_register("rotate_(Tensor(a!) x, Tensor? positions, Tensor? theta, SymInt start, str spec, int axis, int direction) "
          "-> ()", _in_place(rotate_into), _checked(_rotate_meta))

# ------------------------------------------------------------------------------------------------ calls

is_compiling: Callable[[], bool] = getattr(getattr(torch, "compiler", None), "is_compiling", bool)


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
    call: Callable[..., Tensor] = encode_kernel if _is_plain(positions, theta) else operators.encode
    return call(positions, theta, spec, dtype)


def add(x: Tensor, positions: Optional[Tensor], start: int, spec: str, axis: int) -> Tensor:
    """sinpos::add; without the dispatcher where nobody would notice."""
    call: Callable[..., Tensor] = add_kernel if _is_plain(x, positions) else operators.add
    return call(x, positions, start, spec, axis)


def rotate(x: Tensor, positions: Optional[Tensor], theta: Optional[Tensor], start: int, spec: str, axis: int,
           direction: int = _core.FORWARD) -> Tensor:
    """sinpos::rotate; without the dispatcher where nobody would notice."""
    call: Callable[..., Tensor] = rotate_kernel if _is_plain(x, positions, theta) else operators.rotate
    return call(x, positions, theta, start, spec, axis, direction)


def add_(x: Tensor, positions: Optional[Tensor], start: int, spec: str, axis: int) -> Tensor:
    """sinpos::add_, x returned; without the dispatcher where nobody would notice."""
    if is_watched():
        operators.add_(x, positions, start, spec, axis)
        return x
    note_write(x)
    return add_into(x, positions, start, spec, axis)


def rotate_(x: Tensor, positions: Optional[Tensor], theta: Optional[Tensor], start: int, spec: str, axis: int,
            direction: int) -> Tensor:
    """sinpos::rotate_, x returned; without the dispatcher where nobody would notice."""
    if is_watched():
        operators.rotate_(x, positions, theta, start, spec, axis, direction)
        return x
    note_write(x)
    return rotate_into(x, positions, theta, start, spec, axis, direction)
