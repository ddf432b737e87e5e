"""Encodings by the name of a published definition."""
from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from . import _core
from ._arrays import Array, Positions, empty, flat_rows, numbers
from ._catalogue import Convention
from ._stated import Pieces, consecutive, nearest

_OVERRIDES = ("amplitude", "scale", "layout", "order")
_FREQUENCY_FIELDS = ("let", "refuse", "count", "turns", "theta", "phase", "phase_turns", "amplitude", "mixed", "nest",
                     "components", "raw", "width", "pad", "axis", "rotary_first", "head_width", "sign", "coordinates")


def _value(name: str, value: Any) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (int, float, np.integer, np.floating)):
        return float(value)
    if isinstance(value, (list, tuple, range)) and len(value) == 0:
        return np.empty(0)
    array = np.array(np.asarray(numbers(value, name), np.float64))
    if array.ndim == 0:
        return float(array)
    array.flags.writeable = False
    return array


def _flat(given: Dict[str, Any]) -> Iterator[Tuple[str, Any]]:
    """Objects become names with dots: scaling_config={"factor": 8} is scaling_config.factor."""
    for name, value in given.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", item) for inner, item in _flat(value))
        else:
            yield name, value


class Named:
    """An encoding by a convention."""

    def __init__(self, convention: Convention, given: Dict[str, Any]) -> None:
        self.convention = convention
        own = {p.name for p in convention.parameters}
        self.values: Dict[str, Any] = {}
        for name, value in _flat(given):
            key = "override." + name if name in _OVERRIDES and name not in own else name
            self.values[key] = _value(name, value)
        width = self._role("dim") or "dim"
        if "dim" in self.values and self.values.get(width, self.values["dim"]) != self.values["dim"]:
            raise ValueError(f"{convention.name} calls its dim {width}, and two values are given: leave one out")
        self.words = {k.replace("override.", ""): v for k, v in self.values.items()}
        self._natural: Optional[Tuple[Any, "_core.Named"]] = None
        try:
            self._probe = self._make_probe()
        except ValueError as error:
            unknown = re.search(r"has no parameter '(.*?)'", str(error))
            if unknown is None:
                raise
            see = f"print(sinpos.convention({convention.name!r})) tells what they are"
            raise ValueError(f"{error}\n{nearest(unknown[1], sorted(own), see)}") from None
        info = self._probe.info
        self.n_axes: int = info["n_axes"]
        self.dim: int = info["head_width"] or self._columns(info)
        self.plan = self._probe.plan
        self.is_direct = self._has_direct_plan()
        self._rotation: Optional["_core.Plan"] = None
        self._rotation_is_direct: Optional[bool] = None
        self._anywhere: Dict[Optional[str], bool] = {}

    # ------------------------------------------------------------------------------------------------ making

    def _role(self, role: str) -> Optional[str]:
        return next((p.name for p in self.convention.parameters if p.role == role), None)

    def _make(self, **extra: Any) -> "_core.Named":
        return _core.Named(self.convention.name, {**self.values, **extra})

    @property
    def _list_name(self) -> str:
        return self._role("positions") or "positions"

    def _make_probe(self) -> "_core.Named":
        """With one position given from outside, of as many coordinates as it takes; else with its own rows."""
        needed: Dict[str, Any] = {p.name: 1.0 for p in self.convention.parameters
                                  if p.role == "length" and p.default is None and p.name not in self.values}
        errors: List[Exception] = []
        likely = self._stated_axes()
        for n_axes in dict.fromkeys((likely, 1, 2, 3, 4)):
            made = self._one_position(n_axes, needed, errors)
            if made is not None and (n_axes != likely or made.info["n_axes"] == n_axes):
                return self._of_its_grid(made, needed)
        try:
            return self._make()
        except ValueError:
            # Of another number of coordinates each attempt but one complains: the other error is the reason.
            reasons = [e for e in errors if not str(e).startswith("positions have")]
            raise (reasons or errors)[0] from None

    def _one_position(self, n_axes: int, needed: Dict[str, Any], errors: List[Exception]) -> Optional["_core.Named"]:
        rows = np.arange(1.0, n_axes + 1).reshape(1, -1) if n_axes > 1 else np.ones(1)
        try:
            return self._make(**{**needed, self._list_name: rows})
        except ValueError as error:
            errors.append(error)
            return None

    def _stated_axes(self) -> int:
        """Coordinates of the points that are given, or of the source's own."""
        given = self.values.get(self._list_name)
        if isinstance(given, np.ndarray):
            return int(given.shape[-1]) if given.ndim > 1 else 1
        listed = next((p.default for p in self.convention.parameters if p.role == "positions"), None)
        return len(json.loads(listed)[0]) if listed is not None and listed.startswith("[[") else 1

    def _of_its_grid(self, made: "_core.Named", needed: Dict[str, Any]) -> "_core.Named":
        """Where one coordinate would do, and the convention has a grid: as many as that."""
        if made.info["n_axes"] != 1 or "grid" not in self.convention.formulas or self._list_name in self.values:
            return made
        try:
            n_axes = int(self._make(**needed).info["n_axes"])
        except ValueError:
            return made
        return made if n_axes == 1 else self._one_position(n_axes, needed, []) or made

    @staticmethod
    def _columns(info: Dict[str, Any]) -> int:
        return int(info["n_rows"] if info["is_channel_first"] else info["n_columns"])

    # ------------------------------------------------------------------------------------------------ positions

    def _depends_on_rows(self) -> bool:
        """Do frequencies or columns depend on which positions, or how many, there are?"""
        names = [n for n in (self._role("positions"), self._role("length")) if n is not None]
        names += ["size0", "size1", "g0", "g1"]
        word = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\b")
        formulas = self.convention.formulas
        fields: List[str] = [formulas.get(field, "") for field in _FREQUENCY_FIELDS if field != "coordinates"]
        return any(word.search(text) for text in fields)

    def _is_plain(self, made: "_core.Named", n_axes: int) -> bool:
        info = made.info
        return not (info["n_zero_rows"] or info["n_raw_columns"] or info["is_channel_first"] or info["is_replayed"]
                    or info["output"] not in ("table", "rotated") or info["n_axes"] != n_axes
                    or made.plan.axes != n_axes or "zero_row" in self.convention.formulas)

    def _takes_as_given(self, made: "_core.Named") -> bool:
        """Are the positions of the plan those that were given, 1, 2, ...?"""
        taken = made.positions()
        if isinstance(taken, int):
            return taken == 1
        return np.array_equal(np.frombuffer(taken[1], taken[0]), np.arange(1, self.n_axes + 1))

    def _has_direct_plan(self) -> bool:
        made = self._probe
        return (made.info["output"] == "table" and made.info["n_positions"] == 1 and self._is_plain(made, self.n_axes)
                and not self._depends_on_rows() and self._takes_as_given(made))

    def analysed(self) -> Optional["_core.Plan"]:
        """The plan of its sines and cosines, where rows at positions have nothing else."""
        if self.is_direct or self._probe.info["output"] == "table":
            return self.plan if self.is_direct else None
        made = self._make(**{self._list_name: np.ones(1), "output": "table"})
        return made.plan if self._is_plain(made, 1) and self._takes_as_given(made) else None

    # ------------------------------------------------------------------------------------------------ rows of its own

    def _rows_kind(self) -> str:
        formulas = self.convention.formulas
        roles = {p.role: p for p in reversed(self.convention.parameters)}
        listed = roles.get("positions")
        has_list = listed is not None and listed.default not in (None, "null")
        if "length" in roles:
            return "length"
        if has_list and listed is not None and re.match(r"\[[^\[]", listed.default or ""):
            return "list"
        is_open = not ("length" in formulas or "grid" in formulas or has_list
                       or ("positions" in formulas and listed is None))
        return "outside" if is_open else "own"

    def natural(self, length: Optional[int], start: Any, step: Any, output: Optional[str] = None) -> "_core.Named":
        """With the rows of table(length, start, step)."""
        key = (length, start, step, output)
        if self._natural is not None and self._natural[0] == key:
            return self._natural[1]
        kind = self._rows_kind()
        extra: Dict[str, Any] = {} if output is None else {"output": output}
        if kind == "list" and length is not None:
            rows = consecutive(length, start, step)
            rows = start + np.arange(length) if isinstance(rows, int) else rows
            extra[self._list_name] = np.asarray(rows, np.float64)
        else:
            if length is not None:
                extra[self._role("length") or "length"] = float(length)
            if start != 0:
                extra[self._role("start") or "start"] = float(start)
            if step != 1:
                extra[self._role("step") or "step"] = float(step)
        try:
            made = self._make(**extra)
        except ValueError as error:
            if self.n_axes == 1 or not str(error).startswith("the positions have"):
                raise
            raise ValueError(f"{self.convention.name} has {self.n_axes} coordinates and rows of its own\n"
                             f"hint: leave length, start and step out, or call with positions (..., {self.n_axes})") from None
        self._natural = (key, made)
        return made

    def _are_positions(self, made: "_core.Named", plan: Optional["_core.Plan"]) -> bool:
        """Are the rows 7 and 8 of `made` those positions of the plan, with the same tones?"""
        if plan is None or not self._is_plain(made, 1) or made.positions() != 7 or made.info["n_positions"] != 2:
            return False
        theta = [np.empty(p.n_tones) for p in (made.plan, plan)]
        made.plan.theta(theta[0])
        plan.theta(theta[1])
        return theta[0].tobytes() == theta[1].tobytes() and made.plan.tones() == plan.tones()

    def _starts_anywhere(self, plan: Optional["_core.Plan"], output: Optional[str]) -> bool:
        """Is row i of table(n, start) the encoding of position start + i, whatever n?"""
        if output not in self._anywhere:
            self._anywhere[output] = (plan is not None and self.n_axes == 1 and self._rows_kind() in ("length", "outside")
                                      and self._are_positions(self.natural(2, 7, 1, output), plan))
        return self._anywhere[output]

    # ------------------------------------------------------------------------------------------------ work

    def key(self) -> Tuple[Any, ...]:
        return ("named", self.convention.name) + tuple(
            sorted((k, (type(v).__name__, v.shape, v.tobytes()) if isinstance(v, np.ndarray) else (type(v).__name__, v))
                   for k, v in self.values.items()))

    def table(self, length: Optional[int], start: Any, step: Any, dtype: Any, out: Any, threads: int) -> Array:
        made = self.natural(length, start, step)
        info = made.info
        array, bits = empty(info["shape"], dtype, out)
        made.run(_core.FILL, flat_rows(bits, info["n_rows"], info["n_columns"]), 0, threads)
        return array

    def pieces(self, length: Optional[int], start: Any, step: Any) -> Pieces:
        made = self.natural(length, start, step)
        info = made.info
        return Pieces((info["shape"], info["n_rows"], info["n_columns"]),
                      lambda out, first, threads: made.run(_core.FILL, out, first, threads))

    def _at_rows(self, positions: Array) -> "_core.Named":
        if positions.dtype.kind == "i" and positions.size and int(np.abs(positions).max()) > 2**53:
            raise OverflowError(f"{self.convention.name} takes positions up to 2^53 in size")
        rows = np.asarray(positions, np.float64).reshape((-1, self.n_axes) if self.n_axes > 1 else -1)
        return self._make(**{self._list_name: rows})

    def at(self, operation: int, positions: Positions, shape: Tuple[int, ...], dtype: Any, out: Any, threads: int) -> Array:
        if self.is_direct:
            array, bits = empty(shape + (self.dim,), dtype, out)
            self.plan.run(operation, bits, positions, threads)
            return array
        if operation != _core.FILL:
            raise ValueError(f"{self.convention.name} has elements that are no sines or cosines of a plan alone")
        made = self._at_rows(np.asarray(positions))
        info = made.info
        n = int(np.prod(shape, dtype=np.int64))
        lead = (2,) if info["n_rows"] == 2 * n and info["shape"][0] == 2 and info["shape"][1:2] == (n,) else ()
        full = info["shape"] if info["output"] == "inv_freq" else lead + shape + info["shape"][len(lead) + 1:]
        array, bits = empty(full, dtype, out)
        made.run(_core.FILL, flat_rows(bits, info["n_rows"], info["n_columns"]), 0, threads)
        return array

    def add(self, bits: Array, positions: Positions, threads: int) -> None:
        if self.is_direct:
            self.plan.run(_core.ADD, bits, positions, threads)
            return
        made = self._at_rows(np.asarray(positions))
        n = bits.shape[-2] if bits.ndim > 1 else 1
        if made.info["n_rows"] == n:
            made.run(_core.ADD, bits, 0, threads)
            return
        blocks = bits.reshape(-1, n, bits.shape[-1]) if bits.flags.c_contiguous else None
        for i, index in enumerate(np.ndindex(*bits.shape[:-2])):
            made.run(_core.ADD, blocks[i] if blocks is not None else bits[index], i * n, threads)

    def add_start(self, bits: Array, start: Any, threads: int) -> None:
        if isinstance(start, int) and self._starts_anywhere(self.plan if self.is_direct else None, None):
            self.plan.run(_core.ADD, bits, start, threads)
            return
        if self.n_axes > 1 and start != 0:
            raise ValueError(f"{self.convention.name} has {self.n_axes} coordinates: give positions (..., n, {self.n_axes}), "
                             "not start")
        n = bits.shape[-2] if bits.ndim > 1 else 1
        made = self.natural(None if self._rows_kind() == "own" and start == 0 else n, start, 1)
        info = made.info
        shape = info["shape"]
        if bits.shape[-len(shape):] != shape and bits.shape[bits.ndim - 2:] != (info["n_rows"], info["n_columns"]):
            raise ValueError(f"an array of shape {bits.shape} does not end in the {shape} of {self.convention.name}")
        if bits.shape[-len(shape):] == shape and len(shape) != 2:
            bits = bits.view()
            try:
                bits.shape = bits.shape[:bits.ndim - len(shape)] + (info["n_rows"], info["n_columns"])
            except AttributeError:
                raise ValueError("the rows of this array are not a constant distance apart: work on a copy") from None
        made.run(_core.ADD, bits, 0, threads)

    # ------------------------------------------------------------------------------------------------ rotation

    def rotation_plan(self) -> Optional["_core.Plan"]:
        if self._rotation_is_direct is None:
            rows = np.arange(1.0, self.n_axes + 1).reshape(1, -1) if self.n_axes > 1 else np.ones(1)
            made = self._make(**{self._list_name: rows, "output": "rotated"})
            formulas = self.convention.formulas
            self._rotation = made.plan
            self._rotation_is_direct = (self._is_plain(made, self.n_axes) and not self._depends_on_rows()
                                        and self._takes_as_given(made) and "result" not in formulas)
        return self._rotation if self._rotation_is_direct else None

    def rotate(self, bits: Array, positions: Array, direction: int, axis: int, threads: int) -> None:
        plan = self.rotation_plan()
        if plan is not None:
            plan.rotate(bits, positions, direction, axis, threads)
            return
        rows = np.asarray(positions, np.float64).reshape((-1, self.n_axes) if self.n_axes > 1 else -1)
        made = self._make(**{self._list_name: rows, "output": "rotated"})
        made.rotate(bits, 0, direction, axis, made.info["n_positions"] == bits.shape[axis], threads)

    def rotate_start(self, bits: Array, start: int, direction: int, axis: int, threads: int) -> None:
        """Rows as the convention has them: they may begin with one of zeros, and the frequencies may know their number."""
        plan, n = self.rotation_plan(), bits.shape[axis]
        if plan is not None and self._starts_anywhere(plan, "rotated"):
            plan.rotate(bits, start, direction, axis, threads)
            return
        for length in (n, max(n - 1, 0), None):
            made = self.natural(length, start, 1, "rotated")
            if made.info["n_positions"] == n:
                made.rotate(bits, 0, direction, axis, True, threads)
                return
        raise ValueError(f"{n} rows are not the {made.info['n_positions']} positions of {self.convention.name}: "
                         "give positions")
