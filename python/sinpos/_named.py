"""Encodings by the name of a published definition."""
from __future__ import annotations

import json
from typing import Any, Dict, Iterable, Iterator, List, Optional, Set, Tuple

import numpy as np

from . import _core
from ._arrays import Array, Positions, empty, flat_rows, numbers
from ._catalogue import Convention
from ._stated import Pieces, consecutive, elsewhere, nearest

#: Words that the library takes with every convention and that change nothing there; here they belong to calls.
_OF_CALLS = ("dtype", "device", "dropout", "dropout_p", "dropout_rate", "output_type")
_OVERRIDES = ("amplitude", "scale", "layout", "order")


def _check_doubles(name: str, whole: Iterable[Any]) -> None:
    """A whole number that no double holds would become another one."""
    for number in whole:
        if int(float(number)) != int(number):
            raise OverflowError(f"{name}: {number} is beyond 2^53, and a double cannot hold it")


def _value(name: str, value: Any) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (int, float, np.integer, np.floating)):
        _check_doubles(name, [value] if isinstance(value, (int, np.integer)) else [])
        return float(value)
    if isinstance(value, (list, tuple, range)) and len(value) == 0:
        return np.empty(0)
    exact = numbers(value, name)
    array = np.array(exact, np.float64)
    if exact.dtype.kind == "i":
        _check_doubles(name, exact[abs(array) >= 2**53].flat)
    if array.ndim == 0:
        return float(array)
    array.flags.writeable = False
    return array


_FOLLOWED = "seq_len"  # the parameter that is the length of the sequence
_LENGTHS_KEPT = 8
_ROPE_BLOCKS = ("rope_parameters", "rope_scaling")  # of configurations: what they hold are parameters themselves


def _flat(given: Dict[str, Any], own: Set[str]) -> Iterator[Tuple[str, Any]]:
    """Objects become names with dots, scaling_config={"factor": 8} is scaling_config.factor, except for those of _ROPE_BLOCKS."""
    for name, value in given.items():
        if not isinstance(value, dict):
            if value is not None or name not in _ROPE_BLOCKS or name in own:
                block, dot, inner = name.partition(".")
                inner = "rope_type" if inner == "type" else inner
                yield (inner if dot and block in _ROPE_BLOCKS and inner in own else name), value
            continue
        for inner, item in value.items():
            if not isinstance(inner, str):
                raise TypeError(f"{name}: the name of a parameter must be text, not {type(inner).__name__}")
            yield from _flat({f"{name}.{inner}": item}, own)


def nested(words: Dict[str, Any]) -> Dict[str, Any]:
    """Names with dots as the objects they are of."""
    result: Dict[str, Any] = {}
    for name, value in words.items():
        *outer, last = name.split(".")
        at = result
        for part in outer:
            at = at.setdefault(part, {})
        at[last] = value
    return result


def _is_same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b)


class Named:
    """An encoding by a convention."""

    follows = False  # the length of the sequence?

    def __init__(self, convention: Convention, given: Dict[str, Any]) -> None:
        self.convention = convention
        own = [p.name for p in convention.parameters]
        for word in _OF_CALLS:
            if word in given and word not in own:
                raise TypeError(f"{convention.called} has no parameter {word!r}\nhint: {elsewhere(word)}")
        values: Dict[str, Any] = {}
        for name, value in _flat(given, set(own)):
            key = "override." + name if name in _OVERRIDES and name not in own else name
            made = _value(name, value)
            if not _is_same(values.setdefault(key, made), made):
                raise ValueError(f"{name} has two values, {values[key]} and {made}: leave one out")
        # In one order, however they are given.
        self.values = {name: values[name] for name in ["dim", *own, *sorted(values)] if name in values}
        width = self._role("dim") or "dim"
        if "dim" in self.values and self.values.get(width, self.values["dim"]) != self.values["dim"]:
            raise ValueError(f"{convention.name} calls its dim {width}, and two values are given: leave one out")
        self.words = {k.replace("override.", ""): v for k, v in self.values.items()}
        self.has_positions = True  # may they come from outside?
        self._natural: Optional[Tuple[Any, "_core.Named"]] = None
        try:
            self._probe = self._make_probe()
        except ValueError as error:
            if getattr(error, "status", 0) != _core.E_NAME:
                raise
            raise ValueError(f"{error}\n{self._hint(getattr(error, 'name'), own)}") from None
        info = self._probe.info
        self.n_axes: int = info["n_axes"]
        self.dim: int = info["head_width"] or self._columns(info)
        self.plan = self._probe.plan
        self.output: str = info["output"]
        self.is_direct = info["is_by_position"] and info["output"] == "table" and info["n_positions"] == 1
        self._rotation: Optional["_core.Plan"] = None
        self._rotated: Optional[Dict[str, Any]] = None  # parameters of one row that is rotated
        self._rotation_is_direct: Optional[bool] = None
        self._anywhere: Dict[Optional[str], bool] = {}

    # ------------------------------------------------------------------------------------------------ making

    def _hint(self, word: str, own: List[str]) -> str:
        """For a parameter that the convention does not have."""
        known = elsewhere(word)
        see = f"print(sinpos.convention({self.convention.called!r})) lists them"
        return nearest(word, sorted(own), see) if known is None else f"hint: {known}"

    def _role(self, role: str) -> Optional[str]:
        return next((p.name for p in self.convention.parameters if p.role == role), None)

    def _make(self, **extra: Any) -> "_core.Named":
        return _core.Named(self.convention.called, {**self.values, **extra})

    @property
    def _list_name(self) -> str:
        return self._role("positions") or "positions"

    def _make_probe(self) -> "_core.Named":
        """With one position given from outside, of as many coordinates as it takes; else with its own rows."""
        needed: Dict[str, Any] = {p.name: 1.0 for p in self.convention.parameters
                                  if p.role == "length" and p.default is None and p.name not in self.values}
        tried: List[int] = []
        n_axes = self._stated_axes()
        while n_axes not in tried:
            tried.append(n_axes)
            try:
                made = self._one_position(n_axes, needed)
            except ValueError as error:
                reason = error
                n_axes = getattr(error, "n_axes", 0) or n_axes
            else:
                if made.info["n_axes"] == n_axes:
                    return self._of_its_grid(self._of_its_axes(made, needed), needed)
                n_axes = made.info["n_axes"]
        try:
            made = self._make()
        except ValueError:
            raise reason from None
        self.has_positions = False
        return made

    def _of_its_axes(self, made: "_core.Named", needed: Dict[str, Any]) -> "_core.Named":
        """Where positions alone make the rows, and a list has a width for each coordinate: as many coordinates as that."""
        if self.convention.rows != "given" or self._list_name in self.values:
            return made
        lists = [self.values.get(p.name, json.loads(p.default or "null")) for p in self.convention.parameters]
        longest = max((len(value) for value in lists if isinstance(value, (list, np.ndarray))), default=0)
        most = made
        for n_axes in range(made.info["n_axes"] + 1, longest + 2):
            try:
                most = self._one_position(n_axes, needed)
            except ValueError:
                return most
        return made

    def _one_position(self, n_axes: int, needed: Dict[str, Any]) -> "_core.Named":
        return self._make(**{**needed, self._list_name: self._some_position(n_axes)})

    @staticmethod
    def _some_position(n_axes: int) -> Array:
        return np.arange(1.0, n_axes + 1).reshape(1, -1) if n_axes > 1 else np.ones(1)

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
            return made if n_axes == 1 else self._one_position(n_axes, needed)
        except ValueError:
            return made

    @staticmethod
    def _columns(info: Dict[str, Any]) -> int:
        return int(info["n_rows"] if info["is_channel_first"] else info["n_columns"])

    # ------------------------------------------------------------------------------------------------ positions

    def follows_length(self) -> bool:
        """Do the frequencies depend on a length that was not stated?"""
        is_free = any(p.name == _FOLLOWED and p.role == "" for p in self.convention.parameters)
        if not is_free or "rope_type" not in self.values or self.values.get(_FOLLOWED) is not None:
            return False
        longer = self._make(**{self._list_name: self._some_position(self.n_axes), _FOLLOWED: 2.0**40}).plan
        return self._theta_of(longer) != self._theta_of(self.plan)

    @staticmethod
    def _theta_of(plan: "_core.Plan") -> bytes:
        theta = np.empty(plan.n_tones)
        plan.theta(theta)
        return theta.tobytes()

    def analysed(self) -> Optional["_core.Plan"]:
        """The plan of its sines and cosines, where rows at positions have nothing else."""
        if self.is_direct or self._probe.info["output"] == "table":
            return self.plan if self.is_direct else None
        made = self._make(**{self._list_name: np.ones(1), "output": "table"})
        return made.plan if made.info["is_by_position"] and made.info["n_axes"] == 1 else None

    # ------------------------------------------------------------------------------------------------ rows of its own

    def natural(self, length: Optional[int], start: Any, step: Any, output: Optional[str] = None) -> "_core.Named":
        """With the rows of table(length, start, step)."""
        key = (length, start, step, output)
        if self._natural is not None and self._natural[0] == key:
            return self._natural[1]
        extra: Dict[str, Any] = {} if output is None else {"output": output}
        if self.convention.rows == "list" and length is not None:
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
            if self.n_axes == 1 or getattr(error, "status", 0) != _core.E_AXES:
                raise
            raise ValueError(f"{self.convention.name} has {self.n_axes} coordinates and rows of its own\n"
                             f"hint: leave length, start and step out, or call with positions (..., {self.n_axes})") from None
        self._natural = (key, made)
        return made

    def _are_positions(self, made: "_core.Named", plan: Optional["_core.Plan"]) -> bool:
        """Are the rows 7 and 8 of `made` those positions of the plan, with the same tones?"""
        if plan is None or not made.info["is_by_position"] or made.positions() != 7 or made.info["n_positions"] != 2:
            return False
        return self._theta_of(made.plan) == self._theta_of(plan) and made.plan.tones() == plan.tones()

    def _starts_anywhere(self, plan: Optional["_core.Plan"], output: Optional[str]) -> bool:
        """Is row i of table(n, start) the encoding of position start + i, whatever n?"""
        if output not in self._anywhere:
            self._anywhere[output] = (plan is not None and self.n_axes == 1 and self.convention.rows in ("length", "given")
                                      and self._are_positions(self.natural(2, 7, 1, output), plan))
        return self._anywhere[output]

    # ------------------------------------------------------------------------------------------------ work

    def key(self) -> Tuple[Any, ...]:
        return ("named", self.convention.called) + tuple(
            sorted((k, (type(v).__name__, v.shape, v.tobytes()) if isinstance(v, np.ndarray) else (type(v).__name__, v))
                   for k, v in self.values.items()))

    def pieces(self, length: Optional[int], start: Any, step: Any) -> Pieces:
        made = self.natural(length, start, step)
        info = made.info
        return Pieces((info["shape"], info["n_rows"], info["n_columns"]),
                      lambda out, first, threads: made.run(_core.FILL, out, first, threads))

    def _at_rows(self, positions: Array, **extra: Any) -> "_core.Named":
        if not self.has_positions:
            raise ValueError(f"{self.convention.called} has rows of its own, its grid's, and takes no positions\n"
                             "hint: leave positions out, and state the size of the grid")
        if positions.dtype.kind == "i" and positions.size and int(np.abs(positions).max()) > 2**53:
            raise OverflowError(f"{self.convention.name} takes positions up to 2^53 in size")
        rows = np.asarray(positions, np.float64).reshape((-1, self.n_axes) if self.n_axes > 1 else -1)
        return self._make(**{self._list_name: rows, **extra})

    def at(self, operation: int, positions: Positions, shape: Tuple[int, ...], dtype: Any, out: Any, threads: int) -> Array:
        if self.is_direct:
            array, bits = empty(shape + (self.dim,), dtype, out)
            self.plan.run(operation, bits, positions, threads)
            return array
        if operation != _core.FILL:
            raise ValueError(f"{self.convention.name} has elements that are not sines or cosines of a plan alone")
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
        made = self.natural(None if self.convention.rows == "own" and start == 0 else n, start, 1)
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
            self._rotation = self.rotation_plan_with()
            self._rotation_is_direct = self._rotation is not None
        return self._rotation

    def rotation_plan_with(self, **others: float) -> Optional["_core.Plan"]:
        """That of the convention with other numbers for some parameters."""
        if self._rotated is None:
            position = {self._list_name: self._some_position(self.n_axes)} if self.has_positions else {}
            self._rotated = {**position, "output": "rotated"}
        made = self._make(**{**self._rotated, **others})
        return made.plan if made.info["is_by_position"] else None

    def rotate(self, bits: Array, positions: Array, direction: int, axis: int, threads: int) -> None:
        plan = self.rotation_plan()
        if plan is not None:
            plan.rotate(bits, positions, direction, axis, threads)
            return
        made = self._at_rows(positions, output="rotated")
        made.rotate(bits, 0, direction, axis, threads)

    def rotate_start(self, bits: Array, start: int, direction: int, axis: int, threads: int) -> None:
        """Rows as the convention has them: they may begin with one of zeros, and the frequencies may know their number."""
        plan, n = self.rotation_plan(), bits.shape[axis]
        if plan is not None and self._starts_anywhere(plan, "rotated"):
            plan.rotate(bits, start, direction, axis, threads)
            return
        for length in (n, max(n - 1, 0), None) if self.has_positions else (None,):
            made = self.natural(length, start, 1, "rotated")
            if made.info["n_positions"] == n:
                made.rotate(bits, 0, direction, axis, threads)
                return
        raise ValueError(f"{n} rows are not the {made.info['n_positions']} positions of {self.convention.name}: "
                         "give positions")


class Following(Named):
    """A convention whose frequencies follow the length of the sequence, which ends behind the last position."""

    def __init__(self, convention: Convention, given: Dict[str, Any]) -> None:
        super().__init__(convention, given)
        self.is_direct, self.follows = False, True
        self._lengths: Dict[float, Named] = {}

    def rotation_plan(self) -> Optional["_core.Plan"]:
        super().rotation_plan()  # which refuses what is not rotary
        return None

    def _until(self, end: float) -> Named:
        """The same for a sequence of that length."""
        end = max(float(end), 0.0)
        found = self._lengths.get(end)
        if found is None:
            while len(self._lengths) >= _LENGTHS_KEPT:
                self._lengths.pop(next(iter(self._lengths)), None)
            found = Named(self.convention, {**self.words, _FOLLOWED: end})
            self._lengths[end] = found
        return found

    def _behind(self, positions: Any) -> Named:
        rows = np.asarray(positions)
        return self._until(float(rows.max()) + 1 if rows.size else 0.0)

    def _rows(self, length: Optional[int], start: Any, step: Any) -> Named:
        n = length if length is not None else int(self.natural(None, start, step).info["n_positions"])
        return self._until(max(start, start + step * (n - 1)) + 1 if n > 0 else 0.0)

    def pieces(self, length: Optional[int], start: Any, step: Any) -> Pieces:
        return self._rows(length, start, step).pieces(length, start, step)

    def at(self, operation: int, positions: Positions, shape: Tuple[int, ...], dtype: Any, out: Any, threads: int) -> Array:
        return self._behind(positions).at(operation, positions, shape, dtype, out, threads)

    def add(self, bits: Array, positions: Positions, threads: int) -> None:
        self._behind(positions).add(bits, positions, threads)

    def add_start(self, bits: Array, start: Any, threads: int) -> None:
        self._rows(bits.shape[-2] if bits.ndim > 1 else 1, start, 1).add_start(bits, start, threads)

    def rotate(self, bits: Array, positions: Array, direction: int, axis: int, threads: int) -> None:
        self._behind(positions).rotate(bits, positions, direction, axis, threads)

    def rotate_start(self, bits: Array, start: int, direction: int, axis: int, threads: int) -> None:
        self._rows(bits.shape[axis], start, 1).rotate_start(bits, start, direction, axis, threads)


def named(convention: Convention, given: Dict[str, Any]) -> Named:
    """An encoding by a convention, which may follow the length of the sequence."""
    made = Named(convention, given)
    if made.follows_length():
        return Following(convention, given)
    return made
