"""Graphs for torch.onnx.export of models with modules of sinpos.torch. Imported by sinpos.onnx where it is asked for."""
from __future__ import annotations

from typing import Any, Dict, Optional

import torch
from onnx import helper, numpy_helper  # type: ignore[import]

from . import _core
from .torch._private import constant_integer, constant_text, rank_of, size_of
from .torch._tones import tones_of

_NAMES = {torch.float64: "float64", torch.float32: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16"}
_SCALAR_TYPES = {7: "float64", 6: "float32", 5: "float16", 15: "bfloat16"}  # as PyTorch's graphs count them


def _is_none(value: Any) -> bool:
    return bool(value.node().mustBeNone())


def _constant(g: Any, values: Any) -> Any:
    return g.op("Constant", value_t=torch.tensor(values))


def _put(g: Any, part: Any, values: Dict[str, Any], output: str) -> Any:
    """A graph of sinpos.onnx in the graph that PyTorch builds."""
    values = dict(values)
    for tensor in part.initializers:
        values[tensor.name] = g.op("Constant", value_t=torch.from_numpy(numpy_helper.to_array(tensor).copy()))
    for node in part.nodes:
        attributes = {a.name + "_i": helper.get_attribute_value(a) for a in node.attribute}
        values[node.output[0]] = g.op(node.op_type, *(values[name] for name in node.input), **attributes)
    return values[output]


def _refuse_theta(theta: Any) -> None:
    if not _is_none(theta):
        raise NotImplementedError("frequencies that are a parameter cannot be exported\nhint: make the module again from them: "
                                  "theta=module.frequencies().tolist(), learnable=False")


def _rows(g: Any, x: Any, positions: Any, start: Any, axis: int) -> Any:
    """The positions of the rows of x, which lie along an axis, so that they broadcast to x without its last dimension."""
    after = -axis - 2
    if _is_none(positions):
        n = g.op("Gather", g.op("Shape", x), _constant(g, axis), axis_i=0)
        positions, rank = g.op("Add", g.op("Range", _constant(g, 0), n, _constant(g, 1)), start), 1
    else:
        rank = rank_of(positions)
    between = 0 if rank < 2 else rank_of(x) + axis + 1 - rank
    ones = [*range(1, 1 + between), *range(rank + between, rank + between + after)]
    return g.op("Unsqueeze", positions, _constant(g, ones)) if ones else positions


def _type_of(x: Any) -> str:
    return _NAMES[x.type().dtype()]


def register(kind: str, opset: int) -> None:
    from .onnx import graph, rotary_graph

    def encode(g: Any, positions: Any, theta: Any, spec: Any, dtype: Any) -> Any:  # Any: values of PyTorch's graphs have no types
        _refuse_theta(theta)
        encoding = tones_of(constant_text(spec, "spec")).encoding
        name = _SCALAR_TYPES[constant_integer(dtype, "dtype")]
        return _put(g, graph(encoding, kind, dtype=name), {"positions": positions}, "encoding")

    def add(g: Any, x: Any, positions: Any, start: Any, spec: Any, axis: Any) -> Any:  # Any: as encode()
        encoding = tones_of(constant_text(spec, "spec")).encoding
        if encoding.axes > 1:
            raise NotImplementedError(f"{encoding!r} has {encoding.axes} coordinates: its sum with x cannot be exported")
        rows = _rows(g, x, positions, start, constant_integer(axis, "axis"))
        return g.op("Add", x, _put(g, graph(encoding, kind, dtype=_type_of(x)), {"positions": rows}, "encoding"))

    def rotate(g: Any, x: Any, positions: Any, theta: Any, start: Any, spec: Any, axis: Any,  # Any: as encode()
               direction: Any) -> Any:
        _refuse_theta(theta)
        if constant_integer(direction, "direction") != _core.FORWARD:
            raise NotImplementedError("only the rotation forward can be exported")
        encoding = tones_of(constant_text(spec, "spec")).encoding
        width: Optional[int] = size_of(x, -1)
        rows = _rows(g, x, positions, start, constant_integer(axis, "axis"))
        part = rotary_graph(encoding, kind, width=width, dtype=_type_of(x))
        return _put(g, part, {"q": x, "positions": rows}, "rotated")

    exporter: Any = torch.onnx
    for name, symbolic in (("encode", encode), ("add", add), ("rotate", rotate)):
        exporter.register_custom_op_symbolic(f"sinpos::{name}", symbolic, opset)
