"""What is true of an encoding, and what made a table."""
from __future__ import annotations

import difflib
import json
import math
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _core
from ._arrays import Array, called, element_type, given, type_number, whole
from ._encoding import Encoding, refuse_other

Progress = Optional[Callable[[float], Any]]

# ------------------------------------------------------------------------------------------------ claims


class Claim(NamedTuple):
    """A statement of the literature about sinusoidal encodings, as :func:`claims` lists them.

    id
        what :func:`check` calls it.
    must_hold
        an encoding of which it is false is broken, or not the one that was stated.
    statement, measure
        what is said, and what the number is that decides it.
    explain
        the mathematics, and where the literature is wrong.
    threshold
        chosen by sinpos, and :func:`check` takes another one; None where it follows from rounding or from the claim.
    takes_words
        tokens take part, and :func:`check` takes your own embeddings.

    >>> import sinpos
    >>> [claim.threshold for claim in sinpos.claims() if claim.id == "decay"]
    [0.5]
    """

    id: str
    must_hold: bool
    statement: str
    measure: str
    explain: str
    threshold: Optional[float]
    takes_words: bool


class ClaimResult(NamedTuple):
    """What the rows say of a claim, as :func:`check` gives it. Printed, it is one line.

    id, must_hold
        as of the :class:`Claim`.
    value, threshold
        the measured number, NaN where there is none; and what it is compared with.
    verdict
        "holds", "holds only if", "does not hold" or "does not apply".
    why
        in words.
    details
        further numbers by name.
    threshold_origin
        "derived" from rounding or the claim, "chosen" by sinpos or "given" by the caller.
    rows, columns
        how many of them were looked at.

    >>> import sinpos
    >>> print(sinpos.check(sinpos.Encoding(dim=16), "definition", length=64)[0].verdict)
    holds
    """

    id: str
    value: float
    threshold: float
    verdict: str
    why: str
    must_hold: bool
    details: Dict[str, float]
    threshold_origin: str
    rows: int
    columns: int

    @property
    def failed(self) -> bool:
        """It must hold, and does not.

        >>> import sinpos
        >>> any(result.failed for result in sinpos.check(sinpos.Encoding(dim=16), length=64))
        False
        """
        return self.must_hold and self.verdict == "does not hold"

    def __str__(self) -> str:
        return f"{self.id}: {self.verdict}: {self.why}"


def claims() -> List[Claim]:
    """The claims that :func:`check` decides.

    >>> import sinpos
    >>> sinpos.claims()[0].statement != ""
    True
    """
    return [Claim(*row) for row in _core.claims()]


def _claim_index(name: str, ids: List[str]) -> int:
    if not isinstance(name, str):
        raise TypeError(f"a claim must be given by its name, not {type(name).__name__}: check(encoding, \"relative\", ...)")
    if name not in ids:
        near = difflib.get_close_matches(name, ids, 1)
        hint = f"did you mean {near[0]}?" if near else "sinpos.claims() lists them"
        raise ValueError(f"{name}: no such claim\nhint: {hint}")
    return ids.index(name)


def _thresholds(given_ones: Optional[Mapping[str, float]], ids: List[str]) -> Optional[Array]:
    if not given_ones:
        return None
    limits = np.full(len(ids), math.nan)
    for name, number in given_ones.items():
        index = _claim_index(name, ids)
        if claims()[index].threshold is None:
            raise ValueError(f"{name}: its threshold is not a choice: it follows from rounding, or from the claim\n"
                             f"hint: these have one: {', '.join(c.id for c in claims() if c.threshold is not None)}")
        limits[index] = float(number)
        if not 0 <= limits[index] < math.inf:
            raise ValueError(f"thresholds[{name!r}] must be a number, 0 or more, not {number!r}")
    return limits


def _words(words: Optional[Array]) -> Optional[Array]:
    if words is None:
        return None
    array = np.asarray(words.detach().cpu().double() if hasattr(words, "detach") else words)
    if array.dtype.kind in "iub":
        raise TypeError(f"words holds {array.dtype}, not floating-point numbers")
    return np.ascontiguousarray(array, dtype=np.float64)


def check(encoding: Encoding, *claim: str, length: int = 4096, start: int = 0, dtype: Any = "float32",
          table: Optional[Array] = None, words: Optional[Array] = None, thresholds: Optional[Mapping[str, float]] = None,
          seed: int = 1, threads: int = 0, progress: Progress = None) -> List[ClaimResult]:
    """Decide what the literature claims of an encoding, by its rows.

    encoding
        what is stated; one coordinate.
    claim
        identifiers as :func:`claims` lists them; all of them where none is given.
    length, start, dtype
        rows ``start .. start + length - 1``, rounded to that type.
    table
        ``(n, dim)`` instead of these: an array that is to be the encoding, of whatever origin.
    words
        ``(n, dim)`` embeddings of words, in place of random tokens: for covariance, additive, attention.
    thresholds
        ``{"decay": 0.3}``: other thresholds than the chosen ones, 0 or more.
    seed
        of the random tokens and weights that claims about attention are tried with; the same seed gives the same result.
    progress
        called with the part done, 0 to 1. Ctrl-C stops the work.

    Every number is computed from the rows, so a wrong table fails where it must. Raises ValueError, TypeError,
    OverflowError as :meth:`Encoding.table`. Source: docs/mathematics.md, section "Claims".

    >>> import sinpos
    >>> result = sinpos.check(sinpos.Encoding(dim=16), "relative", length=64)[0]
    >>> result.verdict, result.failed
    ('holds', False)
    """
    refuse_other(encoding, "check(encoding, ...)")
    ids = [c.id for c in claims()]
    which = np.array(list(dict.fromkeys(_claim_index(name, ids) for name in claim)), np.int64) if claim else None
    limits = _thresholds(thresholds, ids)
    rows = None
    if table is not None:
        is_bits = getattr(table, "dtype", None) == np.uint16
        rows = np.ascontiguousarray(given(table, "bfloat16_bits" if is_bits else None, "table")[1])
    plan, first, n = encoding._plan_for("check"), whole(start, "start"), whole(length, "length", 1)
    return [ClaimResult(*row) for row in _core.check(plan, first, n, type_number(dtype), rows, which, whole(seed, "seed"),
                                                     threads, called(progress), limits, _words(words))]


# ------------------------------------------------------------------------------------------------ bases


class Base(NamedTuple):
    """Which bases keep g(k) from becoming negative within a context, as :func:`base_for_context` finds them.

    context, dim
        of the question.
    outcome
        "found"; "any": down to 1; "none": up to base_lower; "gap": double precision cannot decide beyond it.
    base_lower, violated_at
        every base from 1 to this one fails; the offset at which it does.
    base_upper
        this one passes.
    robust_base
        every base from this one on passes.
    robust_fails, robust_violated_at
        the largest base known to fail, and where.
    proved
        in ball arithmetic, which a wheel does not have; else errors in double precision were bounded.
    why
        what does not hold, where a proof failed.

    >>> import sinpos
    >>> print(sinpos.base_for_context(256, dim=32, robust=False)._replace(base_upper=500.0, proved=False))
    context 256, dim 32: smallest base 500
    """

    context: int
    dim: int
    outcome: str
    base_lower: float
    base_upper: Optional[float]
    violated_at: Optional[int]
    robust_base: Optional[float]
    robust_fails: Optional[float]
    robust_violated_at: Optional[int]
    proved: bool
    why: str

    def __str__(self) -> str:
        best = "no base" if self.base_upper is None else f"{self.base_upper:.12g}"
        return f"context {self.context}, dim {self.dim}: smallest base {best}{' (proved)' if self.proved else ''}"


def base_for_context(context: int, dim: int = 128, *, shift: float = 0.0, divisor: Optional[float] = None,
                     scale: float = 1.0, still_dim: int = 0, robust: bool = True, threads: int = 0,
                     progress: Progress = None) -> Base:
    """The smallest base with ``g(k) = sum cos(k theta_i) >= 0`` for all offsets k below a context.

    context
        offsets 0 .. context - 1; 1 to 2^26.
    dim
        columns that are rotated, 2 to 65536; ``still_dim`` further columns that do not.
    shift, divisor, scale
        ``theta_i = scale * b ** (-(i + shift) / divisor)``; 0, dim / 2, 1.
    robust
        also the base from which on every base passes.
    progress
        called with the part done of each step. Ctrl-C stops the work.

    Raises ValueError for numbers outside these ranges. Source: Xu et al. 2024, arXiv:2405.14591, for the question.

    >>> import sinpos
    >>> found = sinpos.base_for_context(256, dim=32, robust=False)
    >>> found.outcome, found.base_lower < found.base_upper
    ('found', True)
    """
    context, dim, still_dim = whole(context, "context", 1), whole(dim, "dim", 2), whole(still_dim, "still_dim", 0)
    row = _core.base(context, dim // 2, shift, dim / 2 if divisor is None else divisor, scale, float(still_dim // 2), robust,
                     threads, called(progress))
    return Base(context, dim, row["outcome"], row["base_lower"], row["base_upper"] or None, row["violated_at"] or None,
                row["robust_base"] or None, row["robust_fails"] or None, row["robust_violated_at"] or None, row["proved"],
                row["why"])


# ------------------------------------------------------------------------------------------------ audit


class Audit(NamedTuple):
    """An array against the exact encoding, as :func:`audit` gives it. It is true if every element is right.

    elements, wrong
        how many there are, and how many are not the exact value, rounded once.
    max_ulp
        steps from one number of the type to the next; None where an element is NaN.
    max_abs_error
        against the exact value in float64.
    first_wrong, worst
        index of the first wrong element, and of the one that is furthest off, in ulp; None where there is none.
    max_relative_error
        max_abs_error over the amplitude of the encoding; NaN for a list of frequencies, which has none.
    max_amplitude_ulp
        max_abs_error in units of the last place of a number as large as the amplitude: for amplitude 1 in float32 2^-23.
        Rounding is within 2 units, in 16-bit types within 0.51. Beside a zero max_ulp is huge, and this is not.

    >>> import sinpos
    >>> table = sinpos.Encoding(dim=4).table(3)
    >>> table[2, 1] += 1
    >>> result = sinpos.audit(table, sinpos.Encoding(dim=4))
    >>> result.first_wrong, round(result.max_relative_error)
    ((2, 1), 1)
    """

    elements: int
    wrong: int
    max_ulp: Optional[int]
    max_abs_error: float
    first_wrong: Optional[Tuple[int, ...]]
    worst: Optional[Tuple[int, ...]]
    max_relative_error: float
    max_amplitude_ulp: float

    def __bool__(self) -> bool:
        """Is every element right?"""
        return self.wrong == 0


_BITS = {"float64": (np.int64, 63), "float32": (np.int32, 31), "float16": (np.int16, 15), "bfloat16": (np.int16, 15)}


def _places(bits: Array, name: str) -> Array:
    """Where elements stand on the number line of their type: neighbours differ by 1, and both zeros are 0."""
    integer, shift = _BITS[name]
    raw = np.ascontiguousarray(bits).view(integer)
    magnitude = (raw & integer(2**shift - 1)).astype(np.int64)
    places: Array = np.where(raw < 0, -magnitude, magnitude)
    return places


def _doubles(bits: Array, name: str) -> Array:
    if name != "bfloat16":
        return np.asarray(bits, np.float64)
    wide: Array = (np.ascontiguousarray(bits).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return wide


def audit(table: Any, encoding: Union[Encoding, str], start: float = 0, step: float = 1, positions: Any = None, *, dtype: Any = None,
          threads: int = 0) -> Audit:
    """Compare an array with the exact encoding, element by element.

    table
        ``(n, dim)``, or of the convention's own shape, or as :func:`identify` takes it: ``(1, n, d)``, ``(n, 1, d)``, blocks
        ``(..., n, d)`` each of which is the table, columns first; float64, float32, float16 or bfloat16. An array or a tensor.
    encoding
        what it is to be, or the name of a convention, of which the width is the table's; rows are ``start, start + step, ...``, or at ``positions``.
    dtype
        "bfloat16" where table holds bits as uint16.

    Raises ValueError where the shapes do not fit. Equal to ``sinpos audit``.

    >>> import numpy as np, sinpos
    >>> p, i = np.arange(2048, dtype=np.float32)[:, None], np.arange(32, dtype=np.float32)
    >>> angle = p / 10000 ** (i / 32)
    >>> usual = np.stack([np.sin(angle), np.cos(angle)], -1).reshape(2048, 64)
    >>> result = sinpos.audit(usual, sinpos.Encoding(dim=64))
    >>> result.elements, result.wrong > 1000, result.max_abs_error < 1e-3
    (131072, True, True)
    >>> bool(sinpos.audit(sinpos.Encoding(dim=64).table(9), sinpos.Encoding(dim=64)))
    True
    """
    if not isinstance(encoding, str):
        refuse_other(encoding, "audit(table, encoding)")
    array, bits = given(table, dtype, "table")
    if array.ndim == 0:
        raise ValueError("table must have shape (n, dim), or the shape of a convention, not one number")
    if positions is not None and (start != 0 or step != 1):
        raise ValueError("give start and step, or positions, not both")
    name = "bfloat16" if bits.dtype == np.uint16 else bits.dtype.name
    wanted = "bfloat16_bits" if name == "bfloat16" else name
    enc, made = _settled(encoding, array.shape, start, step, positions)
    want = _laid_out(made(wanted, threads), array.shape)
    exact = want if name == "float64" else _laid_out(made("float64", threads), array.shape)
    size, count, most, error, worst = array.size, 0, -1, 0.0, 0
    first: Optional[int] = None
    flat = [np.ascontiguousarray(x).reshape(-1) for x in (bits, want, exact)]
    for at in range(0, size, _PIECE):
        part = slice(at, at + _PIECE)
        ulp, errors = _differences(flat[0][part], flat[1][part], flat[2][part], name)
        wrong, largest = np.flatnonzero(ulp), int(ulp.max())
        first = at + int(wrong[0]) if first is None and len(wrong) else first
        count, error = count + len(wrong), max(error, float(errors.max()))
        if largest > most:
            most, worst = largest, at + int(ulp.argmax())
    if not size:
        return Audit(0, 0, 0, 0.0, None, None, 0.0, 0.0)

    def index(flat: Optional[int]) -> Optional[Tuple[int, ...]]:
        return tuple(map(int, np.unravel_index(flat, array.shape))) if flat is not None and count else None

    amplitude = _amplitude(enc)
    return Audit(size, count, None if most == _NOT_A_NUMBER else most, error, index(first), index(worst), error / amplitude,
                 error / _unit(amplitude, name))


_PIECE = 1 << 20  # elements at a time, between which Ctrl-C is checked
_NOT_A_NUMBER = 2**64 - 1


_DIGITS = {"float64": (52, -1074), "float32": (23, -149), "float16": (10, -24), "bfloat16": (7, -133)}


def _amplitude(enc: Encoding) -> float:
    """The largest amplitude, 1 for none or 0; NaN for a list of frequencies."""
    if enc._impl.output == "inv_freq":
        return math.nan
    return max((abs(tone[3]) for tone in enc.plan.tones()), default=0.0) or 1.0


def _unit(amplitude: float, name: str) -> float:
    """From a number as large as the amplitude to the next of that type."""
    digits, least = _DIGITS[name]
    return math.nan if math.isnan(amplitude) else math.ldexp(1.0, max(math.frexp(amplitude)[1] - 1 - digits, least))


def _differences(bits: Array, want: Array, exact: Array, name: str) -> Tuple[Array, Array]:
    """Of each element: how many steps of the type it is off, and its error."""
    values = _doubles(bits, name)
    got, right = _places(bits, name), _places(want, name)
    is_nan = np.isnan(values)
    ulp = np.where(got > right, got.astype(np.uint64) - right.astype(np.uint64), right.astype(np.uint64) - got.astype(np.uint64))
    return np.where(is_nan, np.uint64(_NOT_A_NUMBER), ulp), np.where(is_nan, np.inf, np.abs(values - exact))


def _is_like(shape: Tuple[int, ...], own: Tuple[int, ...], is_exact: bool) -> bool:
    """Is an array of that shape a table of its own shape, or blocks of it? Not exactly: with dimensions of 1 elsewhere,
    columns in several dimensions, or columns first."""
    if len(shape) >= len(own) and shape[len(shape) - len(own):] == own:
        return True
    if is_exact:
        return False
    without = [tuple(size for size in sizes if size != 1) for sizes in (shape, own)]
    if without[0] == without[1]:
        return True
    is_inner = int(np.prod(shape)) == int(np.prod(own)) and shape[0] == own[0]
    return len(own) == 2 and (is_inner or shape[-2:] == own[::-1])


def _laid_out(whole: Array, shape: Tuple[int, ...]) -> Array:
    """A table as the array has it that _is_like() it."""
    if _is_like(shape, whole.shape, True):
        return np.broadcast_to(whole, shape)
    if whole.size == int(np.prod(shape)) and shape[-2:] != whole.shape[::-1]:
        return whole.reshape(shape)
    return np.broadcast_to(whole.T, shape)


def _settled(encoding: Union[Encoding, str], shape: Tuple[int, ...], start: float, step: float,
             positions: Any) -> Tuple[Encoding, Callable[[str, int], Array]]:
    """That encoding, or the convention of that name with the right width, that an array of that shape is like; and its table."""
    reason: Optional[Exception] = None
    seen: List[Tuple[int, ...]] = []
    sizes = [size for size in [*shape[-2::-1], *shape] if size > 1 or int(np.prod(shape[:-1])) == size]
    lengths: List[Optional[int]] = [*dict.fromkeys(sizes), None]
    candidates = _of_widths(encoding, shape) if isinstance(encoding, str) else [encoding]
    for is_exact in (True, False):
        for enc in candidates:
            for length in lengths if positions is None and enc.axes == 1 else lengths[-1:]:
                try:
                    own = (enc(positions, dtype="float32").shape if positions is not None
                           else enc._impl.pieces(length, start, step).size[0])
                except ValueError as error:
                    reason = reason or error
                    continue
                seen.append(own)
                if _is_like(shape, own, is_exact):
                    if positions is not None:
                        return enc, lambda dtype, threads: enc(positions, dtype=dtype, threads=threads)
                    return enc, lambda dtype, threads: enc.table(length, start, step, dtype=dtype, threads=threads)
    if not seen and reason is not None:
        raise reason
    raise ValueError(f"table has shape {shape}; the encoding has shape {seen[0]}")


def _of_widths(name: str, shape: Tuple[int, ...]) -> List[Encoding]:
    """The convention as wide as some dimension of an array, and as it is by itself."""
    made: List[Encoding] = []
    reason: Optional[Exception] = None
    for dim in [*dict.fromkeys(shape[::-1]), None]:
        try:
            made.append(Encoding(dim, name))
        except ValueError as error:
            reason = reason or error
    if not made and reason is not None:
        raise reason
    return made


# ------------------------------------------------------------------------------------------------ identify


@dataclass(frozen=True)
class Identification:
    """What made a table, as :func:`identify` finds it. It is true if the table is a sinusoidal encoding.

    is_sinusoidal, bits
        the verdict, and bits of evidence beyond what was chosen to fit.
    conventions
        names that make this very table.
    encoding
        makes the exact rows with :meth:`Encoding.table`; None where no words for it were found.
    start, step
        position of the first row, and from row to row; step 0 where the positions are in no steps: info["positions"] has
        them.
    zero_rows
        rows of zeros; the first 16.
    arithmetic
        that reproduces the table best: a name of `arithmetics()`, or in words that it is exact, or as published by a
        convention; "" where none does.
    elements, wrong
        how many were compared, and how many are not the exact value, rounded once.
    max_ulp, max_abs_error
        how far off they are.
    defects
        findings: where the table is not what one would make today, each with its kind ("sign", "constant", "columns", ...),
        place and repair; docs/identification.md lists the kinds. Errors are those that they do not explain.
    shape
        of the array; where a finding names rows or columns that are no part of the encoding, all else is about the others.
    info, identity
        everything that the library found: sinpos_identity in sinpos_analysis.h.

    >>> import sinpos
    >>> found = sinpos.identify(sinpos.Encoding(dim=16).table(40, start=7))
    >>> found.encoding, found.start, found.wrong
    (Encoding(dim=16), 7.0, 0)
    """

    is_sinusoidal: bool
    bits: float
    conventions: Tuple[str, ...]
    encoding: Optional[Encoding]
    start: float
    step: float
    zero_rows: Tuple[int, ...]
    arithmetic: str
    elements: int
    wrong: int
    max_ulp: int
    max_abs_error: float
    defects: Tuple[Dict[str, Any], ...]
    shape: Tuple[int, ...]
    info: Dict[str, Any] = field(repr=False, compare=False)
    identity: "_core.Identity" = field(repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.is_sinusoidal

    def exact(self, dtype: Any = "float32") -> Array:
        """The exact table, of the shape of the array or of the part of it that is an encoding, of an element type as :meth:`Encoding.table` takes. Raises ValueError where nothing
        was found, TypeError for another dtype.

        >>> import sinpos
        >>> table = sinpos.Encoding(dim=16).table(40)
        >>> bool((sinpos.identify(table).exact() == table).all())
        True
        """
        kind = element_type(dtype)
        out: Array = np.empty((self.info["n"], self.info["dim"]), kind.storage)
        self.identity.rows(0, out)
        if out.size == np.prod(self.shape):
            out = _as_table(out, self.info["view"], self.shape)
        return out if kind.shown == kind.storage else out.view(kind.shown)

    def __str__(self) -> str:
        if not self.is_sinusoidal:
            return "not a sinusoidal encoding"
        what = repr(self.encoding) if self.encoding is not None else "sinusoidal, rows or columns in no order with a name,"
        return (f"{what} from position {self.start:g}: {self.wrong} of {self.elements} elements are off, "
                f"by {self.max_abs_error:.3g} at most; conventions: {', '.join(self.conventions) or 'none'}")


def identify(table: Any, *, all_rows: bool = False, dtype: Any = None, threads: int = 0) -> Identification:
    """Say which convention and parameters made an array, and what was done to it, from the array alone.

    table
        ``(..., n, dim)``, ``(2, n, dim)``, ``(1, C, H, W)``, ...: float64, float32, float16 or bfloat16; an array or a
        tensor, which is only read.
    all_rows
        compare every row with the exact one, however many there are; else 2^22 elements or so.
    dtype
        "bfloat16" where table holds bits as uint16.

    The result is true if the array is a sinusoidal encoding. Raises ValueError and TypeError for what is not a table.

    >>> import sinpos
    >>> found = sinpos.identify(sinpos.Encoding(dim=64, convention="whisper").table(100))
    >>> found.is_sinusoidal, found.wrong, "whisper_sinusoids" in found.conventions
    (True, 0, True)
    >>> found.encoding
    Encoding(dim=64, divisor=31, layout='halves')
    """
    array, bits = given(table, dtype, "table")
    if array.ndim < 2 or array.size == 0:
        hint = "; identify_frequencies() takes a list of frequencies" if array.ndim == 1 else ""
        raise ValueError(f"a table must have two dimensions or more, rows and columns, not shape {array.shape}{hint}")
    identity = _core.identify(np.ascontiguousarray(bits), all_rows, threads)
    info = identity.info
    if not info["is_sinusoidal"]:
        return Identification(False, info["bits"], (), None, 0.0, 1.0, (), "", 0, 0, 0, 0.0, (), array.shape, info,
                              identity)
    start, step = _first_and_step(info)
    return Identification(
        True, info["bits"], tuple(name for name, _ in info["conventions"]), _encoding_of(identity, info), start, step,
        tuple(info["zero_rows"]), info["arithmetic"], info["elements"], info["wrong"], info["max_ulp"],
        info["max_abs_error"], tuple(info["defects"]), array.shape, info, identity)


@dataclass(frozen=True)
class Frequencies:
    """The formula of a list of frequencies, as :func:`identify_frequencies` finds it. It is true if there is one.

    is_schedule, n
        is there one? and how many elements there are.
    scale, base, divisor
        theta_i = scale * base ** (-i / divisor); is_ascending: scale * base ** (i / divisor).
    ntk_base, ntk_factor
        0, or NTK-aware scaling: base = ntk_base * ntk_factor ** (n / (n - 1)).
    scaling, factor, context
        None, "yarn" or "llama3", which slow the frequencies down, by how much and for which context.
    rounded_bits
        significant bits of the elements: 53, 24, 11, or 8 where all are numbers of bfloat16.
    wrong, max_ulp, max_relative_error
        elements that are not the exact value, rounded once, and how far off they are.
    is_published
        the float32 arithmetic of Transformers makes every element to the last bit.
    encoding
        the :class:`Encoding` of Transformers with these frequencies; None for lists that it does not make.
    exact
        what the elements should be.

    >>> import numpy as np, sinpos
    >>> found = sinpos.identify_frequencies((500000.0 ** -(np.arange(64) / 64)).astype("float32"))
    >>> found.base, found.divisor, found.wrong, found.encoding
    (500000.0, 64.0, 0, Encoding(convention='hf_rope', head_dim=128, rope_theta=500000))
    """

    is_schedule: bool
    n: int
    scale: float = 0.0
    base: float = 0.0
    divisor: float = 0.0
    is_ascending: bool = False
    ntk_base: float = 0.0
    ntk_factor: float = 0.0
    scaling: Optional[str] = None
    factor: float = 0.0
    context: float = 0.0
    rounded_bits: int = 0
    wrong: int = 0
    max_ulp: int = 0
    max_relative_error: float = 0.0
    is_published: bool = False
    encoding: Optional[Encoding] = None
    exact: Any = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.is_schedule


def identify_frequencies(frequencies: Any, *, dtype: Any = None) -> Frequencies:
    """Find the formula of a list of frequencies, as models keep it: `inv_freq`.

    frequencies
        ``(n,)`` radians per position: float64, float32, float16 or bfloat16; an array or a tensor, which is only read.
    dtype
        "bfloat16" where frequencies holds bits as uint16.

    The result is true if a formula makes every element to a few units in the last place. Raises ValueError and TypeError
    for what is not a list.

    >>> import sinpos
    >>> bool(sinpos.identify_frequencies([1.0, 0.5, 0.3, 0.1, 0.05]))
    False
    """
    array, bits = given(frequencies, dtype, "frequencies")
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"frequencies must have one dimension, not shape {array.shape}")
    found = _core.identify_frequencies(np.ascontiguousarray(bits))
    if not found:
        return Frequencies(False, int(array.size))
    settings = dict(line.split("=", 1) for line in found.pop("settings").splitlines())
    settings.pop("output", None)
    words = {name: _json_value(value) for name, value in settings.items()}
    encoding = Encoding(convention="hf_rope", **words) if words else None
    exact = np.asarray(found.pop("exact"))
    return Frequencies(True, encoding=encoding, exact=exact, **found)


def _first_and_step(info: Dict[str, Any]) -> Tuple[float, float]:
    """Position of the first row, and the step: 0 where the positions are in no steps."""
    positions = info["positions"]
    if positions is None or len(info["axes"]) > 1 or not positions:
        return info["axes"][0]["start"], info["axes"][0]["step"]
    return float(positions[0]), 1.0 if len(positions) == 1 else 0.0


def _encoding_of(identity: "_core.Identity", info: Dict[str, Any]) -> Optional[Encoding]:
    """The encoding in general words, else the first convention, whose table has the rows that were found."""
    candidates: List[Dict[str, Any]] = []
    is_stepped = len(info["axes"]) == 1 and (info["positions"] is None or info["n"] == 1)
    if info["view"] == "rows" and is_stepped and info["nest"] in ("afc", "acf"):
        candidates.append(_general_words(info))
    for name, settings in info["conventions"]:
        values = dict(line.split("=", 1) for line in (settings or "").splitlines() if "=" in line)
        candidates.append({"convention": name, **{key: _json_value(value) for key, value in values.items()}})
    for words in sorted(candidates, key=lambda words: any(isinstance(value, list) for value in words.values())):
        try:
            encoding = Encoding(**words)
            if _has_rows(encoding, identity, info):
                return encoding
        except (ValueError, TypeError, OverflowError):
            continue
    return None


def _json_value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text  # a word without its quotes


def _general_words(info: Dict[str, Any]) -> Dict[str, Any]:
    axis, dim = info["axes"][0], info["dim"]
    words: Dict[str, Any] = {"dim": dim, "layout": "halves" if info["nest"] == "acf" else None,
                             "order": "cos-sin" if info["cos_first"] else "sin-cos",
                             "odd": "zero" if info["n_pad"] == 1 else "truncate", "amplitude": info["amplitude"]}
    if axis["law"] == "geometric":
        usual = dim // 2 if info["n_pad"] == 1 else dim / 2
        words.update(base=axis["base"], divisor=None if axis["divisor"] == usual else axis["divisor"])
        words.update({"shift": axis["shift"]} if axis["shift"] != 0 else {"scale": axis["scale"]})
    else:
        words["theta"] = axis["theta"]
    return words


def _as_rows(whole: Array, view: str, n: int, dim: int) -> Array:
    """The (n, dim) rows of a table of the shape that its source has, as the library sees them."""
    if view == "side_by_side":
        return np.ascontiguousarray(np.moveaxis(whole.reshape(2, n, dim // 2), 0, 1)).reshape(n, dim)
    if view == "channel_first":
        return np.ascontiguousarray(np.moveaxis(whole.reshape(dim, n), 0, 1))
    rows: Array = whole.reshape(n, dim)
    return rows


def _as_table(rows: Array, view: str, shape: Tuple[int, ...]) -> Array:
    """The reverse: the table of that shape from the (n, dim) rows."""
    n, dim = rows.shape
    if view == "side_by_side":
        rows = np.moveaxis(rows.reshape(n, 2, dim // 2), 1, 0)
    elif view == "channel_first":
        rows = rows.T
    table: Array = np.ascontiguousarray(rows).reshape(shape)
    return table


def _has_rows(encoding: Encoding, identity: "_core.Identity", info: Dict[str, Any]) -> bool:
    n, dim = info["n"], info["dim"]
    for row in {0, 1 % n, n // 2, n - 1} - set(info["zero_rows"]):
        want: Array = np.empty((1, dim))
        identity.rows(row, want)
        if encoding.convention is None:
            start, step = _first_and_step(info)
            got = encoding.table(1, start + row * step, dtype="float64")
        else:
            whole = encoding.table(dtype="float64")
            if whole.size != n * dim:
                return False
            got = _as_rows(whole, info["view"], n, dim)[row:row + 1]
        if got.tobytes() != want.tobytes():
            return False
    return True
