"""The one class most people need."""
from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Dict, List, Optional, Tuple, Type, TypeVar, Union

import numpy as np

from . import _core
from ._arrays import (Array, Progress, apart, called, empty, flat_rows, number, offsets_of, refuse_not_finite, row_count, rows_of, starts_of,
                      type_number, whole, writable)
from ._catalogue import convention as find_convention
from ._files import DEFAULT_NAME, Path, save_rows
from ._config import Source, stated_by
from ._named import Named, named, nested
from ._results import Distinct, Near, plain, shown
from ._stated import DEFAULTS, Stated, refuse_others, said_here


_Rows = TypeVar("_Rows")  # an array, or another object with the buffer protocol, which is changed and returned


def _rebuild(words: Dict[str, Any], kind: Optional[Type["Encoding"]] = None) -> "Encoding":
    encoding = Encoding.__new__(kind or Encoding)
    Encoding.__init__(encoding, **words)
    return encoding


def _explained(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The method, which says of other code's words (offset, position_ids, ...) what they are here."""
    own = list(inspect.signature(method).parameters)[1:]
    known = frozenset(own)

    @functools.wraps(method)
    def call(*args: Any, **words: Any) -> Any:  # Any: what the method returns
        if words and not known.issuperset(words):
            refuse_others([word for word in words if word not in known], name, own)
        return method(*args, **words)

    return call


def _with_explanations(kind: Type["Encoding"]) -> Type["Encoding"]:
    for name, method in list(vars(kind).items()):
        if inspect.isfunction(method) and (not name.startswith("_") or name == "__call__"):
            setattr(kind, name, _explained(method, f"Encoding.{name}"))
    return kind


@_with_explanations
class Encoding:
    """A sinusoidal position encoding: immutable, exact, of any position.

    Every element is the real number ``amplitude * sin(phase + p * theta)``, or the cosine, rounded once to the element
    type: the same bytes on every machine, for every instruction set and any number of threads.

    Stated in general words (``convention`` left out):

    dim
        columns; 512.
    base, base_divisor, divisor, shift, scale
        ``theta_i = scale * (base / base_divisor) ** (-(i + shift) / divisor)`` radians per position, i = 0, 1, ...;
        10000, 1, dim / 2, 0, 1. Numbers are taken exactly.
    schedule, exponent
        "geometric", or "power": ``scale * (1 - (i + shift) / divisor) ** exponent``, "octave":
        ``scale * pi * 2 ** (i + shift)``, "turns" or "explicit" with ``theta``.
    theta, factor
        ``(n,)`` frequencies in radians (or turns) per position; ``(n,)`` numbers by which frequencies are divided.
    layout, order, odd
        "interleaved" or "halves", where it is left out interleaved for rows and halves for :meth:`rotate_`; "sin-cos" or
        "cos-sin"; of an odd width "truncate" or "zero".
    amplitude, phase, phase_turns
        factor on every element; radians and turns added to every angle; 1, 0, 0.
    arithmetic
        "exact", or one of :func:`sinpos.arithmetics`: common code's roundings, replayed.

    Or by the name of a published definition: ``convention`` is one of :func:`sinpos.conventions`, and the other words are
    its parameters by the names its source gives them (``sinpos.convention(name)`` lists them). Of the general words dim,
    base, amplitude, scale, layout, order and arithmetic ("published" replays its source's roundings) are understood too.

    Raises ValueError for a word or value that the definition refuses, with the library's reason; TypeError for an unknown
    word or a wrong type; OverflowError for an amplitude that does not fit the element type.

    Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.5; docs/conventions.md for the others.

    >>> import numpy as np, sinpos
    >>> enc = sinpos.Encoding(dim=8)
    >>> enc
    Encoding(dim=8)
    >>> enc.table(3).shape
    (3, 8)
    >>> bool((enc([0, 1, 2]) == enc.table(3)).all())
    True
    >>> sinpos.Encoding(dim=384, convention="whisper").table(1500).shape
    (1500, 384)
    """

    __slots__ = ("_impl", "_convention", "_key", "__weakref__")
    _impl: Union[Stated, Named]
    _convention: Optional[str]
    _key: Tuple[Any, ...]

    def __init__(self, dim: Optional[int] = None, convention: Optional[str] = None, *, base: Optional[float] = None,
                 layout: Optional[str] = None, order: Optional[str] = None, odd: Optional[str] = None,
                 schedule: Optional[str] = None, exponent: Optional[float] = None, shift: Optional[float] = None,
                 divisor: Optional[float] = None, scale: Optional[float] = None, base_divisor: Optional[float] = None,
                 amplitude: Optional[float] = None, phase: Optional[float] = None, phase_turns: Optional[float] = None,
                 theta: Any = None, factor: Any = None, arithmetic: Optional[str] = None, **parameters: Any) -> None:
        general = {
            "dim": dim, "base": base, "layout": layout, "order": order, "odd": odd, "schedule": schedule,
            "exponent": exponent, "shift": shift, "divisor": divisor, "scale": scale, "base_divisor": base_divisor,
            "amplitude": amplitude, "phase": phase, "phase_turns": phase_turns, "theta": theta, "factor": factor,
            "arithmetic": arithmetic,
        }
        given = {k: v for k, v in general.items() if v is not None}
        found = None if convention is None else find_convention(convention)
        impl: Union[Stated, Named]
        if found is None or (found.name == "vaswani" and not parameters and arithmetic != "published"):
            if parameters:
                word = next(iter(parameters))
                raise TypeError(f"unknown word {word!r}: general words are {', '.join(DEFAULTS)}; others are parameters of a "
                                "convention, which is to be named\n"
                                + said_here(word))
            found = None
            impl = Stated(given)
        else:
            impl = named(found, {**given, **parameters})
        object.__setattr__(self, "_impl", impl)
        object.__setattr__(self, "_convention", None if found is None else found.called)
        object.__setattr__(self, "_key", impl.key())

    @classmethod
    def from_config(cls, source: Source, *, layers: Union[str, int, None] = None, strict: bool = False,
                    convention: Optional[str] = None, **parameters: Any) -> "Encoding":
        """The rotary encoding of a model on Hugging Face, from its configuration: the bytes of ``sinpos table --from-config``.

        source
            the path of a config.json or of the folder with it, a dict, or a configuration of Transformers.
        layers
            a kind of layers, "full_attention" or "sliding_attention", or the number of one; those that have rotary positions.
        strict
            an unknown ``model_type`` is an error. Else a warning says that columns j and j + n are taken for pairs.
        convention
            a rotary convention instead of the one of the model's type.
        **parameters
            of the convention, dim and base included: they replace what the configuration states.

        Where the frequencies depend on the length of the sequence (dynamic, longrope), it ends behind the last position of a call,
        unless ``seq_len`` states it. Raises OSError; ValueError unless it is a configuration with rotary positions.

        >>> import sinpos
        >>> config = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0}
        >>> sinpos.Encoding.from_config(config)
        Encoding(dim=128, convention='hf_rope', rope_theta=500000)
        """
        found = stated_by(source, layers, strict, convention, parameters)
        with found.blamed():
            return cls(convention=found.convention, **found.parameters)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("an Encoding is immutable: make another one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("an Encoding is immutable: make another one")

    # ------------------------------------------------------------------------------------------------ what it is

    @property
    def dim(self) -> int:
        """Columns; of a rotary convention those of a head, of which twice as many are rotated as there are frequencies.

        >>> import sinpos
        >>> sinpos.Encoding(theta=[1, 0.5]).dim
        4
        >>> partial = sinpos.Encoding(64, "hf_rope", partial_rotary_factor=0.25)
        >>> partial.dim, 2 * len(partial.frequencies)
        (64, 16)
        """
        return self._impl.dim

    @property
    def axes(self) -> int:
        """Coordinates of a position: 1 for a sequence, 2 for an image. Positions have shape ``(..., axes)`` where it is not 1.

        >>> import sinpos
        >>> sinpos.Encoding(convention="mae").axes
        2
        """
        return self._impl.n_axes

    @property
    def convention(self) -> Optional[str]:
        """The name of the convention, or its alias where that has defaults of its own; None where the encoding is stated in
        general words.

        >>> import sinpos
        >>> sinpos.Encoding(384, "whisper").convention
        'whisper_sinusoids'
        >>> sinpos.Encoding(64, "hf_phi").convention
        'hf_phi'
        """
        return self._convention

    @property
    def parameters(self) -> Dict[str, Any]:
        """What was given and is not the default: words and values, as ``Encoding(convention=..., **parameters)`` takes them.

        >>> import sinpos
        >>> sinpos.Encoding(64, base=10000, layout="halves").parameters
        {'dim': 64, 'layout': 'halves'}
        """
        words: Dict[str, Any] = plain(nested(self._impl.words))
        return words

    @property
    def frequencies(self) -> Array:
        """theta, ``(n,)`` float64, in radians per unit of position, each rounded once; in the order of the tones.

        >>> import sinpos
        >>> sinpos.Encoding(dim=4).frequencies.tolist()
        [1.0, 0.01]
        """
        plan = self._impl.plan
        theta: Array = np.empty(plan.n_tones)
        plan.theta(theta)
        return theta

    @property
    def wavelengths(self) -> Array:
        """``2 pi / theta``, ``(n,)`` float64, in units of position; infinite where theta is 0.

        >>> import sinpos
        >>> sinpos.Encoding(dim=4).wavelengths.round(3).tolist()
        [6.283, 628.319]
        """
        with np.errstate(divide="ignore"):
            wavelengths: Array = 2 * np.pi / np.abs(self.frequencies)
        return wavelengths

    @property
    def plan(self) -> "_core.Plan":
        """The C library's plan, for code that calls it directly: see python/README.md.

        >>> import sinpos
        >>> sinpos.Encoding(dim=8).plan.n_tones
        4
        """
        return self._impl.plan

    @property
    def rotation_plan(self) -> Optional["_core.Plan"]:
        """The plan that rotates queries and keys, cos_column the first of each pair; None where :meth:`rotate_` needs more
        than a plan. Raises as :meth:`rotate_` where nothing is to be rotated.

        >>> import sinpos
        >>> sinpos.Encoding(64, "hf_rope").rotation_plan.tones()[0][:2]  # sine and cosine column
        (32, 0)
        """
        return self._impl.rotation_plan()

    @property
    def is_direct(self) -> bool:
        """Do the rows at any positions come from :attr:`plan` alone? False for conventions with rows of zeros, raw
        coordinates, columns that depend on the number of rows, or replayed arithmetic.

        >>> import sinpos
        >>> sinpos.Encoding(8).is_direct, sinpos.Encoding(8, arithmetic="float32-pow").is_direct
        (True, False)
        """
        return self._impl.is_direct

    def __repr__(self) -> str:
        words = self.parameters
        parts = [f"dim={shown(words.pop('dim'))}"] if "dim" in words else []
        if self._convention is not None:
            parts.append(f"convention={self._convention!r}")
        return f"{type(self).__name__}({', '.join(parts + [f'{k}={shown(v)}' for k, v in words.items()])})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Encoding):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __copy__(self) -> "Encoding":
        return self

    def __deepcopy__(self, memo: Any) -> "Encoding":
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        words = {"convention": self._convention, **self._impl.words}
        return (_rebuild, (words,)) if type(self) is Encoding else (_rebuild, (words, type(self)), getattr(self, "__dict__", None))

    # ------------------------------------------------------------------------------------------------ rows

    def table(self, length: Optional[int] = None, start: Union[int, float] = 0, step: Union[int, float] = 1, *,
              dtype: Any = None, out: Any = None, threads: int = 0) -> Array:
        """The encodings of ``start, start + step, ...``: ``(length, dim)``.

        length
            rows. A convention that has rows of its own (a grid; a default length) may do without, and the result then has
            its shape: ``(H, W, C)``, ``(1, C, H, W)``, ``(2, n, d)``, ...
        start, step
            integers below 2^63 in size, or reals: where one of them is, position i is ``start + i * step`` in float64.
        dtype
            "float32" (default), "float64", "float16" or "bfloat16": ml_dtypes.bfloat16 where that package is installed,
            else uint16 that hold the bits, as "bfloat16_bits" always does.
        out
            array of that shape to be filled and returned; its rows may lie apart, their elements may not.
        threads
            0: all processors where there is enough to do. The bytes do not depend on it.

        Raises ValueError, TypeError, OverflowError (positions), MemoryError. ``out`` is untouched on error.

        >>> import numpy as np, sinpos
        >>> sinpos.Encoding(dim=4).table(2, start=1, dtype="float64").round(4).tolist()
        [[0.8415, 0.5403, 0.01, 1.0], [0.9093, -0.4161, 0.02, 0.9998]]
        """
        pieces = self._impl.pieces(row_count(length), number(start, "start"), number(step, "step"))
        shape, n_rows, n_columns = pieces.size
        array, bits = empty(shape, dtype, out)
        pieces.fill(flat_rows(bits, n_rows, n_columns), 0, threads)
        return array

    def save(self, path: Path, length: Optional[int] = None, start: Union[int, float] = 0, step: Union[int, float] = 1, *,
             dtype: Any = None, name: str = DEFAULT_NAME, threads: int = 0) -> None:
        """Write the table to a .npy or .safetensors file, in pieces: it may be larger than memory.

        path
            the ending decides. The file appears whole or not at all; the bytes are those of ``sinpos table -o``.
        length, start, step, dtype, threads
            as for :meth:`table`; bfloat16 needs .safetensors.
        name
            of the array in a .safetensors file.

        Raises as :meth:`table`, and OSError; what was there before then still is.

        >>> import os, tempfile, sinpos
        >>> path = os.path.join(tempfile.mkdtemp(), "pe.safetensors")
        >>> sinpos.Encoding(dim=512).save(path, 1000, dtype="bfloat16")
        >>> sinpos.load(path).shape
        (1000, 512)
        """
        first, by = number(start, "start"), number(step, "step")
        pieces = self._impl.pieces(row_count(length), first, by)
        save_rows(path, *pieces.size, dtype, name, lambda out, row: pieces.fill(out, row, threads))

    def __call__(self, positions: Any, *, dtype: Any = None, out: Any = None, threads: int = 0) -> Array:
        """The encodings of any positions: shape of positions + ``(dim,)``.

        positions
            integers or reals of any type up to 64 bits and any shape, each taken exactly; with several coordinates
            ``(..., axes)``.
        dtype, out, threads
            as for :meth:`table`.

        Raises ValueError for positions that are not finite, OverflowError for those not below 2^63 in size, TypeError.

        >>> import sinpos
        >>> enc = sinpos.Encoding(dim=2)
        >>> enc(0).tolist()
        [0.0, 1.0]
        >>> enc([[0.5, 1e15]]).shape
        (1, 2, 2)
        """
        return self._at(_core.FILL, positions, dtype, out, threads)

    def gradient(self, positions: Any, wrt: str = "positions", *, dtype: Any = None, out: Any = None,
                 threads: int = 0) -> Array:
        """Exact derivatives of every element, shape of positions + ``(dim,)``.

        wrt
            "positions": by the position (the coordinate of the column's tone); "theta": by the frequency of the column's
            tone, in radians.

        Other arguments and errors as for a call; ValueError for conventions of which :attr:`is_direct` is False.

        >>> import sinpos
        >>> sinpos.Encoding(dim=2).gradient(0.0).tolist()
        [1.0, 0.0]
        >>> sinpos.Encoding(dim=2).gradient(3, "theta", dtype="float64").round(3).tolist()
        [-2.97, -0.423]
        """
        operations = {"positions": _core.GRADIENT_POSITION, "theta": _core.GRADIENT_THETA}
        if not isinstance(wrt, str) or wrt not in operations:
            raise ValueError(f"wrt must be positions or theta, not {wrt!r}")
        return self._at(operations[wrt], positions, dtype, out, threads)

    def _at(self, operation: int, positions: Any, dtype: Any, out: Any, threads: int) -> Array:
        if type(positions) is int and self.is_direct and self.axes == 1:
            return self._impl.at(operation, positions, (), dtype, out, threads)
        rows, shape = rows_of(positions, self.axes)
        if isinstance(out, np.ndarray):
            rows = apart(rows, out)
        try:
            return self._impl.at(operation, rows, shape, dtype, out, threads)
        except OverflowError:
            refuse_not_finite(rows)
            raise

    # ------------------------------------------------------------------------------------------------ in place

    def add_(self, x: _Rows, start: Any = None, positions: Any = None, *, dtype: Any = None,
             threads: int = 0) -> _Rows:
        """x += encoding, in place, with one rounding of each sum; no table is made. Returns x.

        x
            ``(..., n, dim)``, float64, float32, float16 or bfloat16. Rows may lie apart, blocks anyhow; the elements of a
            row must lie side by side.
        start
            the rows of each block have positions ``start, start + 1, ...``; 0. Or one for each sequence, ``(batch,)``.
        positions
            or these: ``(n,)`` for all blocks, or what broadcasts to ``(..., n)``; with several coordinates, and those last.
        dtype
            "bfloat16" where x holds bits as uint16.

        The bytes are those of adding the table rounded to the type of x. NaN stays NaN. Raises as :meth:`table`;
        ValueError also for strides that the library does not take: x is then untouched, and never copied.

        >>> import numpy as np, sinpos
        >>> enc = sinpos.Encoding(dim=4)
        >>> x = np.ones((2, 3, 4), np.float32)
        >>> enc.add_(x, start=5) is x
        True
        >>> bool((x[1] == 1 + enc.table(3, start=5)).all())
        True
        """
        array, bits = writable(x, dtype, "x")
        if array.ndim == 0:
            raise ValueError("x must have shape (..., n, dim)")
        self._in_place(bits, start, positions, bits.shape[:-1],
                       lambda part, first: self._impl.add_start(part, number(first, "start"), threads),
                       lambda rows: self._impl.add(bits, rows, threads))
        return x

    def _in_place(self, bits: Array, start: Any, positions: Any, lead: Tuple[int, ...],
                  from_start: Callable[[Array, Any], None], at: Callable[[Array], None]) -> None:
        """Rows of shape lead at positions, from a start on, or from one for each sequence."""
        starts = None if positions is not None else starts_of(start, lead[:-1])
        if starts is not None:
            for index in np.ndindex(starts.shape):
                from_start(bits[index], int(starts[index]))
        elif positions is None:
            from_start(bits, 0 if start is None else start)
        elif start is not None:
            raise ValueError("give start or positions, not both")
        else:
            rows = apart(rows_of(positions, self.axes, lead)[0], bits)
            try:
                at(rows)
            except OverflowError:
                refuse_not_finite(rows)
                raise

    def rotate_(self, q: _Rows, positions: Any = None, start: Any = None, *, axis: int = -2,
                inverse: bool = False, transpose: bool = False, partial: bool = False, dtype: Any = None,
                threads: int = 0) -> _Rows:
        """Rotary encoding of queries or keys, in place, exact. Returns q.

        q
            ``(..., heads, n, dim)`` or ``(n, dim)``; with ``axis=-3`` ``(..., n, heads, dim)``. Rows and heads may lie apart.
        positions
            ``(n,)``, or what broadcasts to the dimensions before heads and rows, and n; ``start, start + 1, ...`` otherwise,
            of one start or of one for each sequence, ``(batch,)``.
        inverse, transpose
            undo it; or apply its gradient, which differs from the inverse where the amplitude is not 1.
        partial
            a head may have further columns, which stay as they are; else they are an error.
        dtype
            "bfloat16" where q holds bits as uint16.

        Stated in general words an encoding rotates column pairs half a head apart (``layout="interleaved"`` says
        neighbours, as GPT-J and the Llama reference have them); a rotary convention rotates as its source does.
        Raises as :meth:`add_`; ValueError where the convention is not rotary.

        Source: Su et al. 2021, arXiv:2104.09864, section 3.2.

        >>> import numpy as np, sinpos
        >>> q = np.ones((1, 2, 3, 8), np.float32)
        >>> rope = sinpos.Encoding(dim=8, convention="hf_rope")
        >>> _ = rope.rotate_(q, start=10)
        >>> bool(np.allclose(rope.rotate_(q, start=10, inverse=True), 1))
        True
        """
        if inverse and transpose:
            raise ValueError("inverse and transpose cannot be combined")
        if axis not in (-2, -3):
            raise ValueError("axis must be -2, for (..., heads, n, dim), or -3, for (..., n, heads, dim)")
        array, bits = writable(q, dtype, "q")
        if array.ndim < -axis:
            raise ValueError(f"q has shape {array.shape}, which has no axis {axis}")
        self._refuse_wider(array.shape[-1], partial)
        direction = _core.INVERSE if inverse else _core.TRANSPOSE if transpose else _core.FORWARD
        self._in_place(bits, start, positions, bits.shape[:-3] + (bits.shape[axis],),
                       lambda part, first: self._impl.rotate_start(part, whole(first, "start"), direction, axis, threads),
                       lambda rows: self._impl.rotate(bits, rows, direction, axis, threads))
        return q

    def _refuse_wider(self, width: int, partial: bool) -> None:
        if width > self.dim and not partial:
            raise ValueError(f"a head has {width} columns, more than the {self.dim} of {self!r}\n"
                             f"hint: dim={width}, or partial=True to leave the other columns as they are")

    # ------------------------------------------------------------------------------------------------ shifts

    def shift(self, k: int, *, dtype: Any = None, out: Any = None) -> Array:
        """The matrix M_k with ``encoding(p + k) = M_k @ encoding(p)`` for every p: ``(dim, dim)``, float64 unless said.

        k
            the shift, an integer. Other arguments as for :meth:`table`. Each element is the real value rounded once.

        Raises ValueError where a column of some tone is missing (an odd width), or with several coordinates.

        >>> import numpy as np, sinpos
        >>> enc = sinpos.Encoding(dim=6)
        >>> bool(np.allclose(enc.shift(5) @ enc(10, dtype="float64"), enc(15, dtype="float64")))
        True
        """
        by = whole(k, "k")
        self._refuse_shift()
        array, bits = empty((self.plan.dim, self.plan.dim), "float64" if dtype is None and out is None else dtype, out)
        self.plan.shift_matrix(by, bits)
        return array

    def shift_(self, x: _Rows, k: int, *, dtype: Any = None) -> _Rows:
        """Apply M_k to every row of x ``(..., dim)``, in place: encodings of p become encodings of p + k. Returns x.

        Each new element is the real value rounded once. dtype as for :meth:`add_`; errors as that and :meth:`shift`.

        >>> import numpy as np, sinpos
        >>> enc = sinpos.Encoding(dim=4)
        >>> bool(np.allclose(enc.shift_(enc.table(3), 100), enc.table(3, start=100), atol=1e-6))
        True
        """
        by = whole(k, "k")
        self._refuse_shift()
        _, bits = writable(x, dtype, "x")
        self.plan.shift(by, bits)
        return x

    def _refuse_shift(self) -> None:
        if self.axes != 1 or self._impl.analysed() is None:
            self._plan_for("shift")
        if any(sine < 0 or cosine < 0 for sine, cosine, *_ in self.plan.tones()):
            raise ValueError(f"a shift rotates the sine and the cosine of each tone, and {self!r} lacks a column of one\n"
                             "hint: take an even dim, or odd=\"zero\"")

    # ------------------------------------------------------------------------------------------------ what is true of it

    def _plan_for(self, what: str) -> "_core.Plan":
        plan = self._impl.analysed()
        if plan is None or self.axes != 1:
            raise ValueError(f"{what} needs sines and cosines of one coordinate; {self!r} has other columns, rows or "
                             "coordinates")
        return plan.plain()

    def kernel(self, offsets: Any, *, out: Any = None, threads: int = 0) -> Array:
        """``g(k) = sum A_i^2 cos(k theta_i)``, the inner product of two rows k positions apart; float64.

        offsets
            integers or reals of any shape; a range with step 1 is fastest.
        out
            float64 of that shape, in C order, to be filled and returned; untouched on error.

        Tones that lack a column (the last one of an odd width) are left out. Error at most 1e-15 g(0). Raises as a call;
        ValueError with several coordinates, or rows or columns that are not sines and cosines.

        Source: Su 2021, kexue.fm/archives/8231; docs/mathematics.md.

        >>> import sinpos
        >>> sinpos.Encoding(dim=8).kernel([0, 1, 2]).round(4).tolist()
        [4.0, 3.5353, 2.5637]
        """
        return self._curve(_core.kernel_values, "kernel", offsets, out, threads)

    def kernel_first_negative(self, limit: int = 2**24, *, threads: int = 0,
                              progress: Progress = None) -> Optional[int]:
        """The smallest offset from 1 on at which g is negative; None if there is none below ``limit``.

        progress
            called with the part done, 0 to 1. Ctrl-C stops the work.

        ``threads`` and errors as for :meth:`kernel`.

        >>> import sinpos
        >>> sinpos.Encoding(dim=128).kernel_first_negative()
        1707
        """
        plan = self._plan_for("kernel")
        found = _core.kernel_first_negative(plan, whole(limit, "limit", 0), threads, called(progress))
        return None if found is None else found[0]

    def distance(self, offsets: Any, *, out: Any = None, threads: int = 0) -> Array:
        """``D(k)``, the Euclidean distance of two rows k positions apart; float64, relative error at most 1e-14.

        Arguments and errors as :meth:`kernel`.

        >>> import sinpos
        >>> sinpos.Encoding(dim=8).distance([0, 1, 2]).round(4).tolist()
        [0.0, 0.9641, 1.6949]
        """
        return self._curve(_core.distance_values, "distance", offsets, out, threads)

    def distance_matrix(self, n: int, *, out: Any = None, threads: int = 0) -> Array:
        """The distances between n consecutive positions: ``(n, n)`` float64, relative error at most 1e-14.

        out
            float64 of that shape; rows may lie apart. ``threads`` and errors as for :meth:`kernel`.

        >>> import sinpos
        >>> sinpos.Encoding(dim=8).distance_matrix(2).round(4).tolist()
        [[0.0, 0.9641], [0.9641, 0.0]]
        """
        n = whole(n, "n", 0)
        array, bits = empty((n, n), "float64", out)
        _core.distance_matrix(self._plan_for("distance"), bits, threads)
        return array

    def _curve(self, function: Any, what: str, offsets: Any, out: Any, threads: int) -> Array:
        plan = self._plan_for(what)
        where, shape = offsets_of(offsets)
        array, values = empty(shape, "float64", out)
        if values.dtype != np.float64 or not values.flags.c_contiguous:
            raise ValueError(f"out must hold float64 in C order, for {what}")
        try:
            function(plan, values, apart(where, values), threads)
        except OverflowError:
            refuse_not_finite(where, "an offset")
            raise
        return array

    def separation(self, n: int, *, start: int = 0, dtype: Any = None, count: int = 1, threads: int = 0,
                   progress: Progress = None) -> List[Near]:
        """The nearest rows of n consecutive positions: one pair for each of the ``count`` offsets with the smallest
        distances, nearest first.

        start
            the first of them.
        dtype
            None: of the exact rows; else of the rows as that type holds them, and the nearest pair alone.
        progress
            called with the part done. Ctrl-C stops the work.

        Relative error at most 1e-14. Raises as :meth:`kernel`. Source: docs/mathematics.md.

        >>> import sinpos
        >>> near = sinpos.Encoding(dim=32).separation(1000)[0]
        >>> near.offset, round(near.distance, 3)
        (1, 1.172)
        """
        plan = self._plan_for("separation")
        first, n, count = whole(start, "start"), whole(n, "n", 0), whole(count, "count", 1)
        if dtype is None:
            if count > 4096:
                raise ValueError(f"count must be at most 4096, not {count}")
            return [Near(*pair) for pair in _core.separation(plan, first, n, count, threads, called(progress))]
        if count != 1:
            raise ValueError("with dtype only the nearest pair is found: count must be 1")
        return [Near(*_core.separation_rounded(plan, first, n, type_number(dtype), threads, called(progress)))]

    def distinct(self, n: int, *, start: int = 0, dtype: Any = "float32", threads: int = 0,
                 progress: Progress = None) -> Distinct:
        """How many of n consecutive rows differ once rounded to a type, and which are the first that do not.

        start
            the first of them. Other arguments and errors as for :meth:`separation`; dtype must be a type.

        >>> import sinpos
        >>> sinpos.Encoding(dim=32).distinct(1000, dtype="bfloat16")
        Distinct(n=1000, earlier=None, later=None)
        """
        plan, first, n = self._plan_for("distinct"), whole(start, "start"), whole(n, "n", 0)
        return Distinct(*_core.collisions(plan, first, n, type_number(dtype), threads, called(progress)))


def refuse_other(encoding: Any, call: str) -> None:
    if not isinstance(encoding, Encoding):
        raise TypeError(f"encoding must be an Encoding, not {type(encoding).__name__}: {call}")
