"""Element types, and positions as arrays of int64 or float64."""
from __future__ import annotations

import functools
import importlib
import operator
from typing import Any, Callable, NamedTuple, Optional, Protocol, Tuple, TypeVar, Union, cast, overload

import numpy as np

from . import _core

Array = np.ndarray[Any, np.dtype[Any]]
Progress = Optional[Callable[[float], Any]]
_Positions = TypeVar("_Positions")
Positions = Union[int, Array]

_NAMES = {
    "float64": "float64", "f64": "float64", "fp64": "float64", "double": "float64",
    "float32": "float32", "f32": "float32", "fp32": "float32", "single": "float32",
    "float16": "float16", "f16": "float16", "fp16": "float16", "half": "float16",
    "bfloat16": "bfloat16", "bf16": "bfloat16", "bfloat16_bits": "bfloat16_bits",
}


class ElementType(NamedTuple):
    name: str
    storage: "np.dtype[Any]"  # as the C library takes it
    shown: "np.dtype[Any]"  # as the caller sees it


def _native_bfloat16() -> Optional["np.dtype[Any]"]:
    try:
        ml_dtypes: Any = importlib.import_module("ml_dtypes")
    except ImportError:
        return None
    native_type: "np.dtype[Any]" = np.dtype(ml_dtypes.bfloat16)
    return native_type


def element_type(dtype: Any) -> ElementType:
    """The element type of a name, or of a dtype of NumPy or PyTorch."""
    try:
        return _element_type(str(dtype)[len("torch."):] if str(dtype).startswith("torch.") else dtype)
    except (TypeError, ValueError):
        pass
    if isinstance(dtype, str) and dtype == "float":
        raise TypeError("dtype 'float' is float64 to NumPy and float32 to PyTorch: say which")
    raise TypeError("dtype must be float64, float32, float16, bfloat16 or bfloat16_bits, not "
                    f"{repr(dtype.name if isinstance(dtype, np.dtype) else dtype)[:80]}")


@functools.lru_cache(maxsize=64)
def _element_type(dtype: Any) -> ElementType:
    known = _NAMES.get(dtype) if isinstance(dtype, str) else None
    if known is None and dtype is not None and not (isinstance(dtype, str) and dtype == "float"):
        plain = np.dtype(dtype)
        known = _NAMES.get(plain.name) if plain.isnative else None
    if known is None:
        raise TypeError
    if known.startswith("bfloat16"):
        bits = np.dtype(np.uint16)
        native = _native_bfloat16() if known == "bfloat16" else None
        return ElementType(known, bits, bits if native is None else native)
    plain = np.dtype(known)
    return ElementType(known, plain, plain)


def type_number(dtype: Any) -> int:
    """As the C library counts element types."""
    name = element_type(dtype).name
    return {"float64": _core.F64, "float32": _core.F32, "float16": _core.F16}.get(name, _core.BF16)


_PLAIN = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16))


def writable(x: Any, dtype: Any, what: str) -> Tuple[Array, Array]:
    """x as an array that may be written, and the same memory as the C library takes it."""
    array, bits = readable(x, dtype, what)
    if not array.flags.writeable:
        raise ValueError(f"{what} is read-only: work on a copy")
    return array, bits


def readable(x: Any, dtype: Any, what: str) -> Tuple[Array, Array]:
    """x as an array, and the same memory as the C library takes it. uint16, and the void16 as which numpy.load gives
    bfloat16 back, are bfloat16 only if dtype says so."""
    if isinstance(x, np.ndarray):
        if dtype is None and x.dtype in _PLAIN:
            return x, x
        array = x
    else:
        try:
            array = np.asarray(memoryview(x))
        except TypeError:
            hint = "\nhint: its numpy() shares its memory; sinpos.torch has modules" if hasattr(x, "detach") else ""
            raise TypeError(f"{what} must be a NumPy array or another object with the buffer protocol, not "
                            f"{type(x).__name__}{hint}") from None
    name = array.dtype.name
    if not array.dtype.isnative:
        raise TypeError(f"{what} holds {array.dtype.str}, the byte order of another machine: work on a copy")
    if dtype is not None:
        wanted = element_type(dtype)
        if name == "void16" and wanted.storage == np.uint16:
            return array, array.view(np.uint16)
        if array.dtype != wanted.shown and array.dtype != wanted.storage:
            raise TypeError(f"{what} holds {name}, not {wanted.name}")
    elif name in ("uint16", "void16"):
        raise TypeError(f"{what} holds {name}: say dtype=\"bfloat16\" if these are the bits of bfloat16")
    elif name not in ("float64", "float32", "float16", "bfloat16"):
        raise TypeError(f"{what} must hold float64, float32, float16 or bfloat16, not {name}")
    return array, array.view(np.uint16) if name == "bfloat16" else array


def _of_tensor(x: Any, dtype: Any) -> Tuple[Any, Any]:
    """The numbers of a tensor of PyTorch, wherever it is and whether or not it wants gradients, and their type."""
    x = x.detach().cpu()
    if str(x.dtype) != "torch.bfloat16":
        return x, dtype
    import torch

    return x.contiguous().view(torch.int16).numpy().view(np.uint16), "bfloat16_bits" if dtype is None else dtype


def given(x: Any, dtype: Any, what: str) -> Tuple[Array, Array]:
    """As readable(), of any array, list or tensor of any byte order: what is looked at and never written."""
    if hasattr(x, "detach") and hasattr(x, "cpu"):
        x, dtype = _of_tensor(x, dtype)
    array = np.asarray(x)
    native = array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    return readable(native, dtype, what)


def empty(shape: Tuple[int, ...], dtype: Any, out: Any) -> Tuple[Array, Array]:
    """An array of that shape to be filled, as the caller sees it and as the C library takes it."""
    if out is None:
        kind = element_type("float32" if dtype is None else dtype)
        try:
            bits: Array = np.empty(shape, kind.storage)
        except ValueError:
            raise ValueError(f"an array of shape {shape} is larger than any can be") from None
        return (bits if kind.shown == kind.storage else bits.view(kind.shown)), bits
    array, bits = writable(out, dtype, "out")
    if array.shape != shape:
        raise ValueError(f"out must have shape {shape}, not {array.shape}")
    return array, bits


def flat_rows(bits: Array, n_rows: int, n_columns: int) -> Array:
    """The same memory as (n_rows, n_columns)."""
    if bits.shape == (n_rows, n_columns):
        return bits
    view = bits.view()
    try:
        view.shape = (n_rows, n_columns)
    except AttributeError:
        raise ValueError("the rows of this array are not a constant distance apart: work on a copy") from None
    return view


_AS_THEY_ARE = (np.dtype(np.int64), np.dtype(np.float64))


def whole(value: Any, what: str, least: Optional[int] = None) -> int:
    """An integer below 2^63 in size; truth values are none."""
    try:
        n = operator.index(value)
    except TypeError:
        n = None
    if n is None or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} must be an integer, not {type(value).__name__}")
    if not -(2**63) < n < 2**63:
        raise OverflowError(f"{what} must be below 2^63 in size")
    if least is not None and n < least:
        raise ValueError(f"{what} must not be negative" if least == 0 else f"{what} must be {least} or more, not {n}")
    return n


def called(progress: Progress) -> Progress:
    """What hears of progress: a callable, or None."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function of the part done, not {type(progress).__name__}")
    return progress


def _kind_of(array: Array) -> str:
    """What is in an array that holds no numbers."""
    if array.dtype.kind == "O":
        others = (type(x).__name__ for x in array.flat if isinstance(x, bool) or not isinstance(x, (int, float, np.number)))
        return next(others, "object")
    return "text" if array.dtype.kind in "US" else str(array.dtype.name)


def numbers(positions: Any, what: str = "positions") -> Array:
    """int64 or float64 in C order; any integer or real type is taken, exactly."""
    if not isinstance(positions, np.ndarray) and str(getattr(positions, "dtype", "")) == "torch.bfloat16":
        positions = positions.double()
    try:
        array = np.asarray(positions)
    except ValueError:
        if not isinstance(positions, (list, tuple)):
            raise
        raise ValueError(f"{what} are lists of different lengths") from None
    if array.dtype in _AS_THEY_ARE and array.flags.c_contiguous and array.size:
        return array
    kind = array.dtype.kind
    if array.size == 0 and not isinstance(positions, np.ndarray):
        kind = "f"
    if kind == "u" and array.dtype.itemsize == 8 and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise OverflowError(_core.strerror(5))
    if kind in "iu":
        return np.asarray(array, np.int64, order="C")
    if array.dtype.name == "bfloat16" or (kind == "f" and array.dtype.itemsize <= 8):
        return np.asarray(array, np.float64, order="C")
    if kind == "O" and array.size and all(isinstance(x, int) and not isinstance(x, bool) for x in array.flat):
        if max(abs(x) for x in array.flat) < 2**63:
            return array.astype(np.int64, order="C")
        raise OverflowError(_core.strerror(5))
    raise TypeError(f"{what} must be integers or reals of at most 64 bits, not {_kind_of(array)}")


def rows_of(positions: Any, n_axes: int, lead: Optional[Tuple[int, ...]] = None) -> Tuple[Array, Tuple[int, ...]]:
    """Positions in C order, and their shape without the coordinates. lead: the shape they are broadcast to, where the
    last dimension alone will do too."""
    array = numbers(positions)
    if n_axes > 1 and (array.ndim == 0 or array.shape[-1] != n_axes):
        raise ValueError(f"positions must have shape (..., {n_axes}), not {array.shape}: this encoding has {n_axes} "
                         "coordinates")
    tail = (n_axes,) if n_axes > 1 else ()
    shape = array.shape[:-1] if n_axes > 1 else array.shape
    if lead is None or shape == lead or shape == lead[-1:]:
        return array, shape
    try:
        return np.ascontiguousarray(np.broadcast_to(array, lead + tail)), lead
    except ValueError:
        raise ValueError(f"positions of shape {shape} do not fit rows of shape {lead}") from None


def apart(positions: _Positions, bits: Array) -> _Positions:
    """positions, or a copy of them where they lie in the memory that is about to be written."""
    if isinstance(positions, np.ndarray) and np.may_share_memory(positions, bits):
        return cast(_Positions, positions.copy())
    return positions


def refuse_not_finite(positions: Any, what: str = "a position") -> None:
    """The library has one word for positions that are not finite and for those that are too large; Python has two."""
    if isinstance(positions, np.ndarray) and positions.dtype.kind == "f" and not np.isfinite(positions).all():
        raise ValueError(f"{what} is not finite")


def offsets_of(offsets: Any) -> Tuple[Any, Tuple[int, ...]]:
    """Offsets as the C library takes them: the first alone where they are a range of step 1."""
    if isinstance(offsets, range) and offsets.step == 1 and len(offsets) > 0:
        return offsets.start, (len(offsets),)
    array = numbers(offsets, "offsets")
    return array, array.shape


def refuse_nan(name: str, numbers: Array) -> None:
    """Of frequencies: which is not a number, or infinite."""
    if not np.isfinite(numbers).all():
        at = int(np.flatnonzero(~np.isfinite(numbers))[0])
        what = "NaN" if np.isnan(numbers[at]) else numbers[at]
        raise ValueError(f"{name} holds {what}, at index {at}: frequencies must be finite")


def starts_of(start: Any, lead: Tuple[int, ...]) -> Optional[Array]:
    """One start for each sequence, (batch,) or whatever the first dimensions of lead are; None where it is one number."""
    if not hasattr(start, "__len__") or getattr(start, "ndim", 1) == 0:
        return None
    starts = numbers(start, "start")
    if starts.dtype.kind != "i":
        raise TypeError("start must hold integers, one for each sequence: give positions, which may be real")
    if starts.shape != lead[:starts.ndim]:
        raise ValueError(f"start must have one value for each sequence: its shape is {starts.shape}, theirs {lead}")
    return starts


def row_count(length: Optional[int]) -> Optional[int]:
    """The argument length of a table, checked."""
    if isinstance(length, (list, tuple, range, np.ndarray)) and np.ndim(length) > 0:
        raise TypeError(f"length must be an integer, not {type(length).__name__}\n"
                        "hint: rows at any positions come from a call: encoding(positions)")
    return None if length is None else whole(length, "length", 0)


def number(value: Any, name: str) -> Any:  # Any: an int or a float
    """An integer where the value is one, else a finite real."""
    if hasattr(value, "__index__") and not isinstance(value, (bool, np.bool_)):
        return whole(value, name)
    if isinstance(value, (float, np.floating)):
        if not np.isfinite(value):
            raise ValueError(f"{name} must be finite")
        real = float(value)
        return int(real) if real.is_integer() and abs(real) < 2**53 else real
    raise TypeError(f"{name} must be an integer or a real, not {type(value).__name__}")


class _Tensor(Protocol):
    """What a tensor of PyTorch has, and an array of NumPy has not."""

    def long(self) -> Any:  # Any: itself
        ...


_Mask = TypeVar("_Mask", bound=_Tensor)


@overload
def positions_from_mask(mask: _Mask, padding_idx: Optional[int] = None) -> _Mask: ...
@overload
def positions_from_mask(mask: Any, padding_idx: Optional[int] = None) -> Array: ...
def positions_from_mask(mask: Any, padding_idx: Optional[int] = None) -> Any:  # Any: the overloads say what
    """Positions of tokens in padded sequences, left or right: 0, 1, ... for tokens, whatever stands before them.

    mask
        ``(..., n)``, an array, a list or a tensor of PyTorch: true, or not zero, where there is a token, as an attention_mask.
    padding_idx
        that of fairseq's tables: tokens count from ``padding_idx + 1``, and padding has ``padding_idx``.

    Returns int64 of that shape, of the mask's kind; padding is at 0 where there is no padding_idx. Raises TypeError for a
    mask of no numbers.

    >>> import sinpos
    >>> sinpos.positions_from_mask([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]).tolist()
    [[0, 0, 0, 1, 2], [0, 1, 2, 3, 4]]
    >>> sinpos.positions_from_mask([[1, 1, 0, 0]], padding_idx=1).tolist()
    [[2, 3, 1, 1]]
    """
    if hasattr(mask, "cumsum") and hasattr(mask, "long"):
        is_token = (mask != 0).long()
    else:
        array = np.asarray(mask)
        is_token = ((array if array.dtype == bool else numbers(array, "mask")) != 0).astype(np.int64)
    if is_token.ndim == 0:
        raise ValueError("mask must have shape (..., n), not one number")
    first = 0 if padding_idx is None else whole(padding_idx, "padding_idx", 0) + 1
    return (is_token.cumsum(-1) + (first - 1)) * is_token + max(first - 1, 0) * (1 - is_token)
