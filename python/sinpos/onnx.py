"""Encodings as ONNX graphs of ordinary operators, with their error stated. Needs the package onnx.

>>> import sinpos, sinpos.onnx, onnx
>>> model = sinpos.onnx.model(sinpos.Encoding(dim=64), "float32")
>>> onnx.checker.check_model(model)
>>> sorted({node.op_type for node in model.graph.node})
['Add', 'Cast', 'Concat', 'Cos', 'Div', 'Gather', 'Mod', 'Mul', 'Sin', 'Sub', 'Unsqueeze']

Three kinds of graph make the same encoding:

"table"
    the rows as a constant, and Gather: the bytes of :meth:`sinpos.Encoding.table`, for positions below its length. (ONNX
    counts positions below 0 from the end.)
"float64"
    Mul, Add and Sin in float64, for any real position. What is left is the rounding of theta, a product and a sum.
"float32"
    whole positions up to 2^31 in size. Frequencies are turns in fixed point, 2^-54 each, the turns of a position are taken
    in int64, exactly, and the sine is that of a short angle and a small correction, all in float32: for runtimes and
    processors that have no float64. The usual graph, a float32 product and its sine, is wrong by 0.06 at position 10^6.

Errors are bounds for a runtime whose sine and cosine are off by at most one unit in the last place: :func:`error_bound`.
"""
from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import onnx  # type: ignore[import]
from onnx import TensorProto, helper

from . import _core
from ._arrays import Array, element_type, whole
from ._encoding import Encoding, refuse_other

__all__ = ["Graph", "error_bound", "graph", "model", "rotary_error_bound", "rotary_graph", "rotary_model",
           "use_in_torch_export"]

KINDS = ("table", "float64", "float32")
_OPSET = 13
_TWO_PI = 2 * Fraction(31415926535897932384626433832795028841971, 10**40)
_TURN = 2**54  # fixed point: a turn
_HALF = 2**27
_HEAD = 2**42  # a turn's first 12 bits are above this
_TYPES = {"float64": TensorProto.DOUBLE, "float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16,
          "bfloat16": TensorProto.BFLOAT16, "int64": TensorProto.INT64}
_UNITS = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}


class Graph(NamedTuple):
    """Part of an ONNX graph: nodes in order, and initializers, the constants they use.

    >>> import sinpos, sinpos.onnx
    >>> part = sinpos.onnx.graph(sinpos.Encoding(dim=8), "table", length=16)
    >>> [node.op_type for node in part.nodes][-1], len(part.initializers) > 0
    ('Gather', True)
    """

    nodes: List[onnx.NodeProto]
    initializers: List[onnx.TensorProto]


class _Builder:
    """Collects nodes; each method returns the name of a new value."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.graph = Graph([], [])

    def _name(self, what: str) -> str:
        return f"{self.prefix}{what}_{len(self.graph.nodes) + len(self.graph.initializers)}"

    def constant(self, what: str, values: Any, dtype: Any) -> str:
        name = self._name(what)
        self.graph.initializers.append(_tensor(name, np.asarray(values, dtype)))
        return name

    def node(self, operator: str, *inputs: str, output: Optional[str] = None, **attributes: Any) -> str:
        name = output or self._name(operator.lower())
        node = helper.make_node(operator, list(inputs), [name], f"{self.prefix}node_{name}", **attributes)
        self.graph.nodes.append(node)
        return name

    def cast(self, value: str, dtype: str) -> str:
        return self.node("Cast", value, to=_TYPES[dtype])

    def gather(self, value: str, columns: Sequence[int], n: int) -> str:
        """The columns in that order, of n that there are."""
        if list(columns) == list(range(n)):
            return value
        return self.node("Gather", value, self.constant("columns", columns, np.int64), axis=-1)


def _tensor(name: str, array: Array, dtype: Optional[str] = None) -> onnx.TensorProto:
    kind = _TYPES[dtype or array.dtype.name]
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return helper.make_tensor(name, kind, array.shape, np.ascontiguousarray(little).tobytes(), raw=True)


# ---------------------------------------------------------------------------------------------------- tones


class _Tones(NamedTuple):
    """What a plan is made of; where it has no tones, one without columns."""

    dim: int
    sin_columns: List[int]
    cos_columns: List[int]
    axes: List[int]
    theta: Array
    phase: Array
    phase_turns: Array
    amplitude: Array

    @property
    def n(self) -> int:
        return len(self.theta)


def _tones_of(plan: "_core.Plan", what: str) -> _Tones:
    rows = plan.tones()
    if not all(row[6] for row in rows):
        raise ValueError(f"{what} has numbers beyond float64: write its table")
    theta: Array = np.zeros(max(plan.n_tones, 1))
    plan.theta(theta[:plan.n_tones])
    columns = list(zip(*(rows or [(-1, -1, 0, 1.0, 0.0, 0.0, True)])))
    return _Tones(plan.dim, list(columns[0]), list(columns[1]), list(columns[2]), theta, np.array(columns[4], float),
                  np.array(columns[5], float), np.array(columns[3], float))


def _of_encoding(encoding: Encoding) -> _Tones:
    if not encoding.is_direct:
        raise ValueError(f"{encoding!r} is not a function of the position alone: write its table")
    return _tones_of(encoding.plan, repr(encoding))


def _is_used(values: Array, usual: float) -> bool:
    return bool((values != usual).any())


def _coordinates(b: _Builder, positions: str, tones: _Tones, n_axes: int) -> str:
    """(..., n) or (..., 1): for each tone the coordinate that it follows."""
    if n_axes == 1:
        return b.node("Unsqueeze", positions, b.constant("last", [-1], np.int64))
    return b.gather(positions, tones.axes, n_axes)


def _waves_float64(b: _Builder, positions: str, tones: _Tones, n_axes: int) -> Tuple[str, str]:
    """The cosine is the sine a quarter turn later: ONNX Runtime has no Cos in float64 on the CPU."""
    at = _coordinates(b, b.cast(positions, "float64"), tones, n_axes)
    angle = b.node("Mul", at, b.constant("theta", tones.theta, np.float64))
    phase = tones.phase + 2 * math.pi * tones.phase_turns
    if _is_used(phase, 0):
        angle = b.node("Add", angle, b.constant("phase", phase, np.float64))
    later = b.node("Add", angle, b.constant("quarter_turn", math.pi / 2, np.float64))
    return b.node("Sin", angle), b.node("Sin", later)


def _fixed(value: float, per_turn: Fraction) -> int:
    return round(Fraction(value) / per_turn * _TURN) % _TURN


def _turns(b: _Builder, positions: str, tones: _Tones, n_axes: int) -> str:
    """The angle in turns, -1/2 to below 1/2, int64 with 54 bits below the point."""
    theta = [_fixed(value, _TWO_PI) for value in tones.theta]
    high, low = [value // _HALF for value in theta], [value % _HALF for value in theta]
    phase = [_fixed(p, _TWO_PI) + _fixed(t, Fraction(1)) + _TURN // 2 for p, t in zip(tones.phase, tones.phase_turns)]
    at = _coordinates(b, positions, tones, n_axes)
    half = b.constant("half", _HALF, np.int64)
    product = b.node("Mul", at, b.constant("theta_high", high, np.int64))
    part = b.node("Mul", b.node("Mod", product, half), half)
    turns = b.node("Add", part, b.node("Mul", at, b.constant("theta_low", low, np.int64)))
    turns = b.node("Add", turns, b.constant("phase", phase, np.int64))
    wrapped = b.node("Mod", turns, b.constant("turn", _TURN, np.int64))
    return b.node("Sub", wrapped, b.constant("half_turn", _TURN // 2, np.int64))


def _short(value: Fraction) -> np.float32:
    """The first 12 bits."""
    mantissa, exponent = math.frexp(float(value))
    return np.float32(math.ldexp(math.floor(mantissa * 4096), exponent - 12))


def _waves_float32(b: _Builder, positions: str, tones: _Tones, n_axes: int) -> Tuple[str, str]:
    """sin(a + d) = sin a (1 - d^2 / 2) + d cos a, where a is a product without rounding and |d| < 2.4e-3."""
    turns = _turns(b, positions, tones, n_axes)
    head = b.constant("head", _HEAD, np.int64)
    rest = b.node("Mod", turns, head)
    steps = b.cast(b.node("Div", b.node("Sub", turns, rest), head), "float32")
    step = _TWO_PI * _HEAD / _TURN
    first = _short(step)
    angle = b.node("Mul", steps, b.constant("step", first, np.float32))
    later = b.constant("step_rest", float(step - Fraction(float(first))), np.float32)
    unit = b.constant("unit", float(_TWO_PI / _TURN), np.float32)
    small = b.node("Add", b.node("Mul", steps, later), b.node("Mul", b.cast(rest, "float32"), unit))
    sine, cosine = b.node("Sin", angle), b.node("Cos", angle)
    square = b.node("Mul", b.node("Mul", small, small), b.constant("half", 0.5, np.float32))
    factor = b.node("Sub", b.constant("one", 1.0, np.float32), square)
    return (b.node("Add", b.node("Mul", sine, factor), b.node("Mul", cosine, small)),
            b.node("Sub", b.node("Mul", cosine, factor), b.node("Mul", sine, small)))


def _waves(b: _Builder, kind: str, positions: str, tones: _Tones, n_axes: int) -> Tuple[str, str]:
    """Sines and cosines (..., n) of all tones, times their amplitudes."""
    make = _waves_float64 if kind == "float64" else _waves_float32
    sine, cosine = make(b, positions, tones, n_axes)
    if _is_used(tones.amplitude, 1):
        amplitude = b.constant("amplitude", tones.amplitude, kind)
        sine, cosine = b.node("Mul", sine, amplitude), b.node("Mul", cosine, amplitude)
    return sine, cosine


def _columns(b: _Builder, kind: str, sine: str, cosine: str, tones: _Tones) -> str:
    """The sines and cosines in the columns of the encoding; columns of no tone are zero."""
    place = {column: k for k, column in enumerate(tones.sin_columns) if column >= 0}
    place.update({column: tones.n + k for k, column in enumerate(tones.cos_columns) if column >= 0})
    parts = [sine, cosine]
    if len(place) < tones.dim:
        first = b.node("Gather", sine, b.constant("first", [0], np.int64), axis=-1)
        parts.append(b.node("Mul", first, b.constant("zero", [0.0], kind)))
    n = 2 * tones.n + len(parts) - 2
    return b.gather(b.node("Concat", *parts, axis=-1), [place.get(j, 2 * tones.n) for j in range(tones.dim)], n)


# ---------------------------------------------------------------------------------------------------- graphs


def _check(kind: str, dtype: Any) -> str:
    """The element type's plain name."""
    if kind not in KINDS:
        raise ValueError(f"kind must be {', '.join(KINDS[:-1])} or {KINDS[-1]}, not {kind!r}")
    name = element_type(dtype).name.replace("_bits", "")
    if kind == "float32" and name == "float64":
        raise ValueError("a graph in float32 cannot return float64\nhint: take the kind float64")
    return name


def _positions_type(dtype: Any, kind: str) -> str:
    """int64, or of the kind float64 a real type, by whatever name."""
    word = str(dtype.name if isinstance(dtype, np.dtype) else getattr(dtype, "__name__", dtype)).replace("torch.", "")
    name = "int64" if word in ("int64", "i64", "long", "int") else element_type(dtype).name
    if name not in ("int64", "float64", "float32") or (kind != "float64" and name != "int64"):
        raise ValueError(f"positions of {name} cannot be combined with the kind {kind}: int64 fits all, float64 and float32 fit "
                         "float64")
    return name


def _table_graph(b: _Builder, encoding: Encoding, length: Optional[int], start: int, dtype: str, positions: str,
                 output: str) -> None:
    table = encoding.table(length, start, dtype="bfloat16_bits" if dtype == "bfloat16" else dtype)
    name = b.prefix + "table"
    b.graph.initializers.append(_tensor(name, table, dtype))
    index = positions if start == 0 else b.node("Sub", positions, b.constant("start", start, np.int64))
    b.node("Gather", name, index, output=output, axis=0)


def graph(encoding: Encoding, kind: str = "float64", *, length: Optional[int] = None, start: int = 0,
          dtype: Any = "float32", positions: str = "positions", output: str = "encoding", prefix: str = "sinpos_") -> Graph:
    """Nodes and constants that make the encoding, to be put into a graph of your own.

    encoding
        of the kinds "float64" and "float32" it must be a function of the position alone (``encoding.is_direct``).
    kind
        "table", "float64" or "float32": see the head of this module.
    length, start
        of the table, for positions ``start .. start + length - 1``.
    dtype
        of the output: "float32", "float64", "float16" or "bfloat16".
    positions, output
        names of the values: int64 of any shape (of the kind "float64" any integer or real type), with several coordinates
        those last; shape of positions + ``(dim,)``.
    prefix
        of all other names.

    Opset 13. Raises ValueError, also for an encoding that can be written as a table alone.

    >>> import sinpos, sinpos.onnx
    >>> part = sinpos.onnx.graph(sinpos.Encoding(dim=8), "table", length=100)
    >>> [node.op_type for node in part.nodes], [list(t.dims) for t in part.initializers]
    (['Gather'], [[100, 8]])
    """
    refuse_other(encoding, "graph(encoding, ...)")
    name = _check(kind, dtype)
    b = _Builder(prefix)
    if kind == "table":
        _table_graph(b, encoding, length, start, name, positions, output)
        return b.graph
    if length is not None or start != 0:
        raise ValueError("length and start are for tables only: this kind takes any position")
    tones = _of_encoding(encoding)
    sine, cosine = _waves(b, kind, positions, tones, encoding.axes)
    b.node("Cast", _columns(b, kind, sine, cosine, tones), output=output, to=_TYPES[name])
    return b.graph


def error_bound(encoding: Encoding, kind: str, largest: int = 2**20, dtype: Any = "float32") -> float:
    """A bound of |element of the graph - exact value|, for positions up to ``largest`` in size.

    It holds where the runtime's sine and cosine are off by at most one unit in the last place. kind, dtype and errors as for
    :func:`graph`.

    >>> import sinpos, sinpos.onnx
    >>> enc = sinpos.Encoding(dim=512)
    >>> sinpos.onnx.error_bound(enc, "float64") < 6.1e-8, sinpos.onnx.error_bound(enc, "float32") < 4e-7
    (True, True)
    """
    refuse_other(encoding, "error_bound(encoding, ...)")
    largest = whole(largest, "largest", 0)
    name = _check(kind, dtype)
    if kind == "table":
        return _UNITS[name] * _largest(np.abs(_tones_of(encoding.plan, repr(encoding)).amplitude))
    tones = _of_encoding(encoding)
    return _waves_bound(tones, kind, largest) + _UNITS[name] * _largest(np.abs(tones.amplitude))


def _largest(values: Array) -> float:
    return float(values.max()) if values.size else 0.0


def _waves_bound(tones: _Tones, kind: str, largest: int) -> float:
    theta, amplitude = _largest(np.abs(tones.theta)), _largest(np.abs(tones.amplitude))
    turns = _largest(np.abs(tones.phase_turns)) + _largest(np.abs(tones.phase)) / (2 * math.pi)
    if kind == "float64":  # theta, the product, the phase, their sum, a quarter turn more; sine; amplitude
        angle = 2.0**-53 * (4 * largest * theta + 7 * 2 * math.pi * turns + math.pi)
        return amplitude * (angle + 2.0**-52)
    angle = 2 * math.pi / _TURN * (largest * (0.5 + theta / math.pi) + 2)
    # the rest and its products, the terms beyond its square; sine, cosine, factor, products, sum; amplitude
    return amplitude * (angle + 2.4e-3 * 2.0**-22 + 2.4e-3**3 / 6 + 5 * 2.0**-24)


def _doc(encoding: Encoding, kind: str, largest: int, dtype: str) -> str:
    bound = f"{error_bound(encoding, kind, largest, dtype):.3g}" if encoding.is_direct else "one rounding"
    where = "" if kind == "table" else f" for positions up to {largest} in size"
    return f"{encoding!r} by sinpos {_core.__version__}, {kind}: error at most {bound}{where}"


def _finish(part: Graph, inputs: List[onnx.ValueInfoProto], outputs: List[onnx.ValueInfoProto], name: str,
            doc: str) -> onnx.ModelProto:
    whole = helper.make_graph(part.nodes, name, inputs, outputs, part.initializers, doc_string=doc)
    made = helper.make_model(whole, producer_name="sinpos", producer_version=_core.__version__, doc_string=doc,
                             opset_imports=[helper.make_opsetid("", _OPSET)])
    made.ir_version = 7
    onnx.checker.check_model(made)
    return made


def model(encoding: Encoding, kind: str = "float64", *, length: Optional[int] = None, start: int = 0,
          dtype: Any = "float32", positions_dtype: Any = "int64", shape: Sequence[Any] = ("n",),
          largest: int = 2**20) -> onnx.ModelProto:
    """A whole model: positions in, encoding out; checked by onnx.checker.

    positions_dtype
        of the input: "int64", or with the kind "float64" also "float64" and "float32".
    shape
        of the input: numbers and names; with several coordinates these last.
    largest
        the size of positions for which the doc_string states the error (:func:`error_bound`); others work too.

    Other arguments and errors as for :func:`graph`. ``onnx.save(model, path)`` writes it.

    >>> import sinpos, sinpos.onnx
    >>> sinpos.onnx.model(sinpos.Encoding(dim=512)).doc_string.split(": ")[1]
    'error at most 6.01e-08 for positions up to 1048576 in size'
    """
    refuse_other(encoding, "model(encoding, ...)")
    name, of_positions = _check(kind, dtype), _positions_type(positions_dtype, kind)
    part = graph(encoding, kind, length=length, start=start, dtype=dtype)
    lead = list(shape[:-1] if encoding.axes > 1 and kind != "table" else shape)
    width = part.initializers[0].dims[1:] if kind == "table" else [encoding.dim]
    return _finish(part, [helper.make_tensor_value_info("positions", _TYPES[of_positions], list(shape))],
                   [helper.make_tensor_value_info("encoding", _TYPES[name], lead + list(width))], "encoding",
                   _doc(encoding, kind, largest, name))


# ---------------------------------------------------------------------------------------------------- rotation


def _rotate(b: _Builder, q: str, sine: str, cosine: str, tones: _Tones, width: int, output: str) -> None:
    """u cos - v sin and v cos + u sin in their columns; the others stay."""
    others = [j for j in range(width) if j not in {*tones.sin_columns, *tones.cos_columns}]
    u, v = b.gather(q, tones.cos_columns, width), b.gather(q, tones.sin_columns, width)
    parts = [b.node("Sub", b.node("Mul", u, cosine), b.node("Mul", v, sine)),
             b.node("Add", b.node("Mul", v, cosine), b.node("Mul", u, sine))]
    if others:
        parts.append(b.gather(q, others, width))
    order = [*tones.cos_columns, *tones.sin_columns, *others]
    joined = b.node("Concat", *parts, axis=-1)
    b.node("Identity", b.gather(joined, [order.index(j) for j in range(width)], width), output=output)


def _no_rotation(encoding: Encoding, kind: str) -> str:
    follows = "\nhint: its frequencies follow the length of the sequence: give seq_len" if encoding._impl.follows else ""
    return f"{encoding!r} does not rotate by the position alone, or the kind is {kind}{follows}"


def rotary_graph(encoding: Encoding, kind: str = "float64", *, width: Optional[int] = None, dtype: Any = "float32",
                 q: str = "q", positions: str = "positions", output: str = "rotated", prefix: str = "sinpos_") -> Graph:
    """Nodes and constants that rotate queries or keys, as :meth:`sinpos.Encoding.rotate_` does.

    kind
        "float64" or "float32": how sines and cosines are made, before they are rounded to ``dtype``.
    width
        columns of a head, where more than the encoding rotates; the others stay.
    q, positions, output
        names of the values: ``(..., n, width)`` of type dtype, and int64 that broadcasts to ``(..., n)``: for
        ``(batch, heads, n, width)`` that is ``(n,)`` or ``(batch, 1, n)``.
    prefix
        of the names of all others.

    The rotation itself is four products and two sums in dtype; of float16 and bfloat16, which runtimes may have no
    arithmetic for, in float32, rounded once. Raises ValueError. Error: :func:`rotary_error_bound`.
    Source: Su et al. 2021, arXiv:2104.09864, section 3.2.

    >>> import sinpos, sinpos.onnx
    >>> part = sinpos.onnx.rotary_graph(sinpos.Encoding(dim=64, convention="hf_rope"), "float32")
    >>> part.nodes[-1].output[0]
    'rotated'
    """
    refuse_other(encoding, "rotary_graph(encoding, ...)")
    name = _check(kind, dtype)
    plan = encoding.rotation_plan if kind != "table" else None
    if plan is None:
        raise ValueError(_no_rotation(encoding, kind))
    tones = _tones_of(plan, repr(encoding))
    head = tones.dim if width is None else width
    if head < tones.dim or min([*tones.sin_columns, *tones.cos_columns], default=0) < 0:
        raise ValueError(f"a head has {head} columns; {tones.dim} are to be rotated in pairs")
    b = _Builder(prefix)
    sine, cosine = _waves(b, kind, positions, tones, plan.axes)
    work = _work_type(name)
    sine, cosine = b.cast(sine, work), b.cast(cosine, work)
    if work == name:
        _rotate(b, q, sine, cosine, tones, head, output)
    else:
        rotated = b.prefix + "rotated"
        _rotate(b, b.cast(q, work), sine, cosine, tones, head, rotated)
        b.node("Cast", rotated, output=output, to=_TYPES[name])
    return b.graph


def _work_type(dtype: str) -> str:
    return dtype if dtype == "float64" else "float32"


def rotary_error_bound(encoding: Encoding, kind: str, largest: int = 2**20, dtype: Any = "float32") -> float:
    """A bound of |element of the rotated q - exact value| / sqrt(u^2 + v^2), for each pair (u, v) of q.

    It holds where the runtime's sine and cosine are off by at most one unit in the last place, and nothing underflows.

    encoding, kind, largest, dtype
        as for :func:`error_bound` and :func:`rotary_graph`.

    Raises ValueError, NotImplementedError as :func:`rotary_graph`.

    >>> import sinpos, sinpos.onnx
    >>> sinpos.onnx.rotary_error_bound(sinpos.Encoding(dim=64, convention="hf_rope"), "float64") < 2.6e-7
    True
    """
    name = _check(kind, dtype)
    plan = encoding.rotation_plan if kind != "table" else None
    if plan is None:
        raise NotImplementedError(_no_rotation(encoding, kind))
    tones, unit = _tones_of(plan, repr(encoding)), _UNITS[_work_type(name)]
    amplitude = _largest(np.abs(tones.amplitude))
    # |u| + |v| <= sqrt 2 r: sines and cosines, their rounding, products, sum; the last rounding
    waves = math.sqrt(2) * (_waves_bound(tones, kind, largest) + 3 * unit * amplitude)
    return waves * (1 + 4 * unit) + (0 if name == _work_type(name) else _UNITS[name] * amplitude * (1 + 1e-6))


def rotary_model(encoding: Encoding, kind: str = "float64", *, width: Optional[int] = None, dtype: Any = "float32",
                 shape: Sequence[Any] = ("batch", "heads", "n"), positions_shape: Sequence[Any] = ("n",),
                 largest: int = 2**20) -> onnx.ModelProto:
    """A whole model: q and positions in, rotated q out; checked by onnx.checker. Arguments and errors as for
    :func:`rotary_graph`.

    shape, positions_shape
        of q without its last dimension, and of positions.
    largest
        the size of positions for which the doc_string states the error (:func:`rotary_error_bound`); others work too.

    >>> import sinpos, sinpos.onnx
    >>> [i.name for i in sinpos.onnx.rotary_model(sinpos.Encoding(dim=64, convention="hf_rope")).graph.input]
    ['q', 'positions']
    """
    refuse_other(encoding, "rotary_model(encoding, ...)")
    name = _check(kind, dtype)
    part = rotary_graph(encoding, kind, width=width, dtype=dtype)
    ends: Dict[str, onnx.ValueInfoProto] = {
        end: helper.make_tensor_value_info(end, _TYPES[name], [*shape, width or encoding.dim]) for end in ("q", "rotated")}
    positions = helper.make_tensor_value_info("positions", TensorProto.INT64, list(positions_shape))
    bound = rotary_error_bound(encoding, kind, largest, name)
    doc = (f"rotation by {encoding!r}, sinpos {_core.__version__}, {kind}: error at most {bound:.3g} times the length of a "
           f"pair for positions up to {largest} in size")
    return _finish(part, [ends["q"], positions], [ends["rotated"]], "rotation", doc)


def use_in_torch_export(kind: str = "float64") -> None:
    """From now on torch.onnx.export writes the graphs of this module for the modules of sinpos.torch.

    kind
        "float64" or "float32": see the head of this module.

    It goes for the exporter that traces (``dynamo=False`` where PyTorch 2 asks) and for opsets from 13 on; rows, batches and
    positions may be dynamic axes. Sums with x are rounded twice, once as the encoding and once as the sum. Raises ValueError
    for another kind; the exporter raises NotImplementedError for what has no graph: learnable frequencies, encodings that are
    no function of the position alone, the inverse rotation.

    >>> import sinpos.onnx
    >>> sinpos.onnx.use_in_torch_export("float32")                 # doctest: +SKIP
    """
    if kind not in KINDS[1:]:
        raise ValueError(f"kind must be {KINDS[1]} or {KINDS[2]}, not {kind!r}")
    from ._export import register

    register(kind, _OPSET)
