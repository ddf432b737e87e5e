"""Modules that encode positions, and add encodings to embeddings."""
from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Literal, NamedTuple, Optional, Tuple, Union

import torch
from torch import Tensor, nn

from .._encoding import Encoding
from .._stated import refuse_others
from . import _operators as ops
from ._private import HookedModule, Loading, is_tracing, is_transformed, n_modes
from ._tones import text_of, tones_of

#: Names under which models have stored tables and frequencies; a module of this package takes and drops such keys.
FORMER_KEYS = ("embeddings", "weight", "weights", "pe", "pos_table", "pos_emb", "pos_embed", "pos_embedding",
               "pos_encoding", "positional_encoding", "positional_embedding", "position_embeddings", "encoding", "emb",
               "table", "inv_freq", "freqs", "freqs_cis", "div_term", "cos_cached", "sin_cached", "_float_tensor")
_COMPARED_ROWS = 4096
_PARAMETERS = ("theta", "log2_theta", "alpha")
_INT64, _empty_like = torch.int64, torch.empty_like


Learnable = Union[bool, Literal["log"]]


class _Moving(NamedTuple):
    """What .to() and the like may not change."""

    parameter: Optional[Tensor]
    grad: Optional[Tensor]
    is_meta: bool


class EncodingModule(HookedModule):
    """What the modules share: an encoding, an element type and a device that follow .to(), frequencies if they are learnable."""

    theta: Optional[nn.Parameter]
    log2_theta: Optional[nn.Parameter]
    _like: Tensor

    def __init__(self, encoding: Encoding, text: str, learnable: Learnable, dtype: Any,
                 device: Any, theta_dtype: Any, former_keys: Tuple[str, ...], other_tables: str) -> None:
        super().__init__()
        if learnable not in (True, False, "log"):
            raise ValueError(f"learnable must be True, False or \"log\", not {learnable!r}")
        if other_tables not in ("raise", "warn"):
            raise ValueError(f"other_tables must be \"raise\" or \"warn\", not {other_tables!r}")
        self.encoding = encoding
        self.former_keys, self.other_tables = tuple(former_keys), other_tables
        self._text = text
        dtype = torch.get_default_dtype() if dtype is None else ops.dtype_of(dtype)
        ops.type_of(dtype)
        self.register_buffer("_like", torch.empty(0, dtype=dtype, device=device), persistent=False)
        self._learned = "log2_theta" if learnable == "log" else "theta"
        self.register_parameter("theta", None)
        self.register_parameter("log2_theta", None)
        if learnable:
            theta_dtype = ops.dtype_of(theta_dtype)
            if theta_dtype not in (torch.float64, torch.float32):
                raise TypeError(f"theta_dtype must be float64 or float32, not {theta_dtype}")
            tones_of(self._text).places()
            setattr(self, self._learned, nn.Parameter(self._first_values().to(self._like.device, theta_dtype)))
        self._own_name = ""
        untyped: Any = self
        untyped.register_load_state_dict_post_hook(_drop_own_name)
        self._settle()

    def _first_values(self) -> Tensor:
        """Those of the encoding, for the parameter: theta, or the logarithms of its sizes; of 0, 0."""
        theta = tones_of(self._text).theta()
        return theta if self._learned == "theta" else torch.where(theta == 0, theta, theta.abs().log2())

    def _parameter(self) -> Optional[nn.Parameter]:
        return self.theta if self.log2_theta is None else self.log2_theta

    def _theta_now(self) -> Optional[Tensor]:
        """theta, if it is learnable."""
        if self.log2_theta is None:
            return self.theta
        sizes = self.log2_theta.exp2()
        return sizes if self._signs is None else sizes * self._signs

    def _settle(self) -> None:
        """What forward() looks at, as plain attributes: those of a Module are slow to find."""
        tones = tones_of(self._text)
        like = self._like
        self.dim: int = tones.dim
        self._dtype, self._device = like.dtype, like.device
        self._n_axes, self._type = tones.n_axes, ops.type_of(like.dtype)
        is_simple = tones.plan is not None and tones.n_axes == 1 and not self.is_learnable and ops.is_on_cpu(like)
        self._signs: Optional[Tensor] = None
        if self.log2_theta is not None and bool((tones.theta() <= 0).any()):
            self._signs = tones.theta().sign().to(self.log2_theta.device)
        blank = torch.empty(tones.dim if is_simple else 0, dtype=like.dtype, device="cpu")
        # Forms of one row, from which empty_like() makes one fastest.
        self._blanks = (blank, blank[None], blank[None, None])
        self._few = ops.THREADED_BYTES // (tones.dim * like.element_size())
        self._rows_at: Any = tones.plan.rows_at if tones.plan is not None and is_simple else None

    @property
    def dtype(self) -> torch.dtype:
        """Element type of results; ``.to()``, ``.half()``, ``.bfloat16()`` change it as they change that of a table."""
        return self._dtype

    @property
    def is_learnable(self) -> bool:
        """Is theta, or its logarithm, a parameter?"""
        return self._parameter() is not None

    def frequencies(self) -> Tensor:
        """theta as it is now, ``(n,)`` float64, in radians per unit of position."""
        theta = self._theta_now()
        return tones_of(self._text).theta() if theta is None else theta.detach().double().clone()

    # ------------------------------------------------------------------------------------------------ moving, copying

    def _before_moving(self) -> "_Moving":
        parameter = self._parameter()
        kept = None if parameter is None else parameter.data
        grad = None if parameter is None or parameter.grad is None else parameter.grad.data
        return _Moving(kept, grad, any(own.is_meta for own in self.parameters(recurse=False)))

    def _after_moving(self, before: "_Moving") -> None:
        """Frequencies keep their precision: what .half() and the like do to tables is the element type of results."""
        kept, now = before.parameter, self._parameter()
        if kept is not None and now is not None and now.dtype != kept.dtype:
            where = now.device
            now.grad = None
            now.data = torch.empty_like(kept, device=where) if kept.is_meta else kept.to(where)
            now.grad = None if before.grad is None else before.grad.to(where)
        if before.is_meta:
            self.reset_parameters()  # .to_empty() has left whatever was in memory
        self._settle()

    def reset_parameters(self) -> None:
        """Frequencies are what the encoding says again."""
        parameter = self._parameter()
        if parameter is not None and not parameter.is_meta:
            with torch.no_grad():
                parameter.copy_(self._first_values())

    def __getstate__(self) -> Dict[str, Any]:
        state = self.__dict__.copy()
        del state["_rows_at"], state["_blanks"]
        state.pop("_sum_at", None)
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        base: Any = super()
        base.__setstate__(state)
        self._settle()

    def _before_loading(self, loading: Loading) -> None:
        """Tables and frequencies that a former module stored are compared as a whole and dropped; others are errors."""
        state, prefix = loading.state, loading.prefix
        self._own_name = prefix[:-1]
        is_shown = False
        for key in [key for key in state if key.startswith(prefix) or key == self._own_name]:
            name, stored = key[len(prefix):], state[key]
            if "." in name or name in _PARAMETERS or not isinstance(stored, Tensor):
                continue
            difference = self._difference(name, stored)
            if difference == "" or name in ("",) + self.former_keys:
                del state[key]
                is_shown = is_shown or difference == ""
                if stored.numel() > 1 and difference != "":
                    self._complain(key, difference, loading.errors)
        self._translate(loading)
        parameter, key = self._parameter(), prefix + self._learned
        if parameter is not None and is_shown and key not in state:
            kept = parameter.detach()
            state[key] = self._first_values().to(kept.dtype) if kept.is_meta and loading.is_assigned else kept

    def _after_loading(self, loading: Loading) -> None:
        if loading.is_assigned and self._like.is_meta:  # no more a module without memory
            parameter = self._parameter()
            where = torch.device("cpu") if parameter is None else parameter.device
            self._like = torch.empty(0, dtype=self._dtype, device=where)
            self._settle()

    def _translate(self, loading: Loading) -> None:
        """A checkpoint may hold theta where log2_theta is learned, or the reverse."""
        state, prefix = loading.state, loading.prefix
        other = "theta" if self._learned == "log2_theta" else "log2_theta"
        stored = state.get(prefix + other)
        if not self.is_learnable or prefix + self._learned in state or not isinstance(stored, Tensor):
            return
        del state[prefix + other]
        signs = tones_of(self._text).theta().sign().to(stored.device, stored.dtype)
        if stored.shape == signs.shape and other == "theta" and not bool((stored.sign() == signs).all()):
            loading.errors.append(f"{prefix}theta in the checkpoint has other signs than {self.encoding!r}: learnable=True takes them")
        elif other == "theta":
            stored = torch.where(stored == 0, stored, stored.abs().log2())
        elif stored.shape == signs.shape:
            stored = stored.exp2() * signs
        state[prefix + self._learned] = stored

    def _complain(self, key: str, difference: Optional[str], errors: List[str]) -> None:
        if difference is None:
            warnings.warn(f"{key} in the checkpoint is dropped, in favour of {self.encoding!r}; whether they agree is not known",
                          stacklevel=2)
            return
        words = f"{key} in the checkpoint is not that of {self.encoding!r}: {difference}"
        if self.other_tables == "warn":
            warnings.warn(words + "; it is dropped", stacklevel=2)
        else:
            errors.append(words + "; state the encoding of the checkpoint, or other_tables=\"warn\" to drop it")

    def _expected(self, name: str, first: int, n: int, width: int) -> Optional[Tensor]:
        """Rows first, ... of the table that would be stored under that name, (n, columns) float64; None: not known."""
        if self._n_axes != 1:
            return None
        return ops.encode_kernel(torch.arange(first, first + n), None, self._text, torch.float64)

    def _difference(self, name: str, stored: Tensor) -> Optional[str]:
        """How a tensor differs from the table or the frequencies of this encoding: "" not at all, None where it is not known."""
        if stored.layout is not torch.strided or stored.is_meta or not (stored.is_floating_point() or stored.is_complex()):
            return None
        known = stored.detach()
        relative = 1e-5 + 2 * torch.finfo(known.dtype).eps
        if known.is_complex():  # cosines, and sines as imaginary parts
            known = torch.view_as_real(known).flatten(-2)
            name = "freqs_cis"
        if known.numel() in known.shape:
            return self._difference_of_frequencies(known.reshape(-1), relative)
        n, width = max(known.shape[:-1]), known.shape[-1]
        if known.numel() != n * width:
            return None
        rows, largest = known.reshape(n, width), 0.0
        for first in range(0, n, _COMPARED_ROWS):
            part = rows[first:first + _COMPARED_ROWS].to("cpu", torch.float64)
            want = self._expected(name, first, len(part), width)
            if want is None:
                return None
            if want.shape != part.shape:
                return f"it has {width} columns, and the encoding {want.shape[-1]}"
            # Angles in float32 are off by some parts in ten million of the position.
            allowed = (relative + 4e-7 * torch.arange(first, first + len(part))) * max(1.0, float(want.abs().max()))
            error = (part - want).abs().amax(-1)
            if not bool((error <= allowed).all()):
                largest = max(largest, float(error.nan_to_num(torch.inf).max()))
        return f"its elements differ by up to {largest:.2g}" if largest > 0 else ""

    def _difference_of_frequencies(self, stored: Tensor, relative: float) -> Optional[str]:
        want = torch.from_numpy(self.encoding.frequencies)
        if stored.numel() != want.numel():
            return f"it has {stored.numel()} frequencies, and the encoding {want.numel()}"
        error = (stored.to("cpu", torch.float64) - want).abs()
        if bool((error <= relative * want.abs() + torch.finfo(stored.dtype).tiny).all()):
            return ""
        return f"its frequencies differ by up to {float(error.nan_to_num(torch.inf).max()):.2g}"

    def extra_repr(self) -> str:
        words = repr(self.encoding)[len("Encoding("):-1]
        words += f", dtype={str(self._dtype).replace('torch.', '')}"
        return words + self._learnable_words()

    def _learnable_words(self) -> str:
        return "" if not self.is_learnable else ", learnable=\"log\"" if self.log2_theta is not None else ", learnable=True"


def _drop_own_name(module: EncodingModule, keys: Any) -> None:
    """A tensor of the module's own name was the table of the model that had no module there. PyTorch 2.x shows modules
    what lies below their names alone, so it cannot be compared."""
    if module._own_name in keys.unexpected_keys:
        keys.unexpected_keys.remove(module._own_name)
        warnings.warn(f"{module._own_name} in the checkpoint is dropped, in favour of {module.encoding!r}; whether they "
                      "agree is not known", stacklevel=2)


def encoding_of(dim: Optional[int], convention: Optional[str], parameters: Dict[str, Any]) -> Encoding:
    words = {k: v.tolist() if isinstance(v, Tensor) else v for k, v in parameters.items()}
    return Encoding(dim, convention, **words)


class SinusoidalEmbedding(EncodingModule):
    """Positions to encodings: ``(*positions.shape, dim)``. No table, no longest position; elements are rounded once.

    dim, convention, **parameters
        as for :class:`sinpos.Encoding`: general words (``base``, ``layout``, ``order``, ...), or a published definition
        by name with the parameters of its source.
    learnable
        True: ``theta`` ``(n,)``, radians per unit of position, becomes a parameter that starts from its exact values, each
        rounded to ``theta_dtype``. It keeps that type under ``.half()``: angles are never in low precision. "log":
        ``log2_theta`` ``(n,)``, in octaves, is the parameter, and theta ``2 ** log2_theta`` with the sign that it has. Optimizers
        whose steps have one size, as Adam, then change each frequency by about the same factor; of theta itself they would multiply
        the lowest by tens, or flip its sign. Checkpoints of either load into the other; a frequency of 0 stays 0.
    dtype, device
        of results; ``torch.get_default_dtype()`` and the CPU. They follow ``.to()`` as a stored table would.
    former_keys
        names of tables and frequencies that checkpoints may hold under this module's name: compared as a whole on loading,
        and dropped. Under other names they are dropped where they are this encoding's.
    other_tables
        what to do with a stored table of another encoding: "raise", in the way of load_state_dict(), or "warn" and drop it.

    Gradients are exact derivatives, each element rounded once, by theta and by real positions; derivatives of
    derivatives work too. One row on the CPU costs about as much as copying it from a stored table; what indexing with a
    number or a tensor without dimensions gives there, a view, is cheaper still.

    Raises as :class:`sinpos.Encoding`; TypeError for an element type that is not float64, float32, float16 or bfloat16;
    NotImplementedError for ``learnable`` where the rows are not those of tones alone.

    Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.5; docs/conventions.md for the others.

    >>> import torch
    >>> from sinpos.torch import SinusoidalEmbedding
    >>> embed = SinusoidalEmbedding(8)
    >>> embed(torch.tensor([[0, 1, 2]])).shape
    torch.Size([1, 3, 8])
    >>> embed(torch.tensor([0.5, 1e6])).shape                   # real time steps, any size
    torch.Size([2, 8])
    >>> clock = SinusoidalEmbedding(8, learnable=True)
    >>> clock(torch.arange(3)).sum().backward()
    >>> clock.theta.grad.shape
    torch.Size([4])
    """

    def __init__(self, dim: Optional[int] = None, convention: Optional[str] = None, *, learnable: Learnable = False,
                 dtype: Any = None, device: Any = None, theta_dtype: Any = torch.float64,
                 former_keys: Tuple[str, ...] = FORMER_KEYS, other_tables: str = "raise", **parameters: Any) -> None:
        encoding = encoding_of(dim, convention, parameters)
        super().__init__(encoding, text_of(encoding), learnable, dtype, device, theta_dtype, former_keys, other_tables)

    if TYPE_CHECKING:
        def __call__(self, positions: Any, like: Optional[Tensor] = None) -> Tensor: ...

    def forward(self, positions: Any, like: Optional[Tensor] = None) -> Tensor:
        """The encodings of positions.

        positions
            integers or reals of any type, shape and device, each taken exactly; with several coordinates
            ``(..., axes)``. A number or a list will do.
        like
            a tensor whose element type and device the result has.

        Returns ``(*shape, dim)``, on the device of the positions, or of the module where they are on the CPU.
        Raises ValueError for positions that are not finite, OverflowError for those not below 2^63 in size, TypeError.

        >>> import torch
        >>> from sinpos.torch import SinusoidalEmbedding
        >>> SinusoidalEmbedding(4, dtype=torch.float64)(1).numpy().round(4).tolist()
        [0.8415, 0.5403, 0.01, 1.0]
        """
        # A few positions cost less than the calls around them: this way has as few of those as there can be.
        rows_at = self._rows_at
        kind: Any = type(positions)
        if (kind is Tensor and rows_at is not None and like is None and positions.dtype is _INT64
                and not (ops.is_compiling() or is_tracing() or n_modes() or is_transformed())
                and positions.is_cpu):
            n, n_dims = positions.numel(), positions.ndim
            if n == 1 and n_dims < 3:
                out = _empty_like(self._blanks[n_dims])
            elif n <= self._few and positions.is_contiguous():
                out = torch.empty(positions.shape + (self.dim,), dtype=self._dtype, device="cpu")
            else:
                return self._any(positions, like)
            rows_at(self._type, out.data_ptr(), n, positions.data_ptr())
            return out
        return self._any(positions, like)

    def _any(self, positions: Any, like: Optional[Tensor]) -> Tensor:
        if not isinstance(positions, Tensor):
            if type(positions) is int and like is None and self._rows_at is not None and not ops.is_watched():
                return self._one(positions)
            if hasattr(positions, "__torch_function__") and not ops.is_compiling():  # what torch.fx puts in place of tensors
                found: Tensor = ops.operators.encode(positions, self._theta_now(), self._text, self._dtype)
                return found
            positions = ops.tensor_of(positions, self._device)
        dtype = self._dtype if like is None else like.dtype
        given = positions.device
        device = like.device if like is not None else self._device if given.type == "cpu" else given
        if device.type == "meta" and positions.device.type != "meta":
            positions = positions.to(device)
        encoded = ops.encode(positions, self._theta_now(), self._text, dtype)
        return encoded if encoded.device == device else encoded.to(device)

    def _one(self, position: int) -> Tensor:
        out = torch.empty_like(self._blanks[0])
        tones_of(self._text).the_plan().run_at(0, self._type, out.data_ptr(), 1, self.dim, 0, position, 1)
        return out

    def table(self, length: int, start: int = 0, **others: Any) -> Tensor:
        """The encodings of ``start .. start + length - 1``, ``(length, dim)``, as code that stored a table had them.

        >>> from sinpos.torch import SinusoidalEmbedding
        >>> SinusoidalEmbedding(6).table(100).shape
        torch.Size([100, 6])
        """
        if others:
            refuse_others(others, "torch.SinusoidalEmbedding.table", ("length", "start"))
        return self.forward(torch.arange(start, start + length, device=self._device))


class AddPositions(EncodingModule):
    """``x + encoding`` of its rows' positions: what a transformer does with its embeddings. No table is made.

    dim, convention, learnable, dtype, device, theta_dtype, former_keys, other_tables, **parameters
        as for :class:`SinusoidalEmbedding`; dtype is ignored: sums are rounded once, in the type of x.
    axis
        the axis of the positions: -2 for x ``(..., n, dim)``, -3 for ``(n, batch, dim)``.
    inplace
        write the sums into x where autograd permits it; ignored with alpha.
    dropout
        probability with which elements of the sum are dropped in training.
    alpha
        where it is given, the result is ``x + alpha * encoding``, with a parameter alpha that starts from this value, as in SpeechT5 and
        ESPnet; product and sum are rounded each, in the type of x.

    Else the bytes are those of adding a table of exact elements, rounded to the type of x. Raises as
    :class:`SinusoidalEmbedding`; ValueError where x has another number of columns.

    Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.5; alpha: Li et al. 2019, arXiv:1809.08895, section 3.2.

    >>> import torch
    >>> from sinpos.torch import AddPositions, SinusoidalEmbedding
    >>> x = torch.ones(2, 5, 8)
    >>> bool((AddPositions(8)(x) == x + SinusoidalEmbedding(8).table(5)).all())
    True
    """

    def __init__(self, dim: Optional[int] = None, convention: Optional[str] = None, *, axis: int = -2,
                 inplace: bool = False, dropout: float = 0.0, alpha: Optional[float] = None, learnable: Learnable = False,
                 dtype: Any = None, device: Any = None, theta_dtype: Any = torch.float64,
                 former_keys: Tuple[str, ...] = FORMER_KEYS, other_tables: str = "raise", **parameters: Any) -> None:
        encoding = encoding_of(dim, convention, parameters)
        if alpha is not None and not math.isfinite(alpha):
            raise ValueError(f"alpha must be a number, not {alpha!r}")
        if axis not in (-2, -3):
            raise ValueError("axis must be -2, for (..., n, dim), or -3, for (n, batch, dim)")
        super().__init__(encoding, text_of(encoding), learnable, dtype, device, theta_dtype, former_keys, other_tables)
        self.axis, self.inplace = axis, inplace
        self.dropout = nn.Dropout(dropout)
        self._first_alpha = alpha
        kept = torch.float32 if self.dtype in (torch.float16, torch.bfloat16) else self.dtype
        first = None if alpha is None else torch.tensor(float(alpha), dtype=kept, device=self._device)
        self.alpha = None if first is None else nn.Parameter(first)
        self._settle()

    def _settle(self) -> None:
        super()._settle()
        plan = tones_of(self._text).plan
        is_direct = self._n_axes == 1 and not self.is_learnable and self.__dict__.get("_first_alpha") is None
        self._sum_at: Any = plan.sum_at if plan is not None and is_direct else None

    def reset_parameters(self) -> None:
        """Frequencies and alpha are what was stated again."""
        super().reset_parameters()
        if self.alpha is not None and self._first_alpha is not None and not self.alpha.is_meta:
            with torch.no_grad():
                self.alpha.fill_(float(self._first_alpha))

    def extra_repr(self) -> str:
        words = repr(self.encoding)[len("Encoding("):-1]
        words += "" if self.axis == -2 else f", axis={self.axis}"
        words += ", inplace=True" if self.inplace else ""
        words += f", dropout={self.dropout.p}" if self.dropout.p else ""
        words += "" if self.alpha is None else f", alpha={self._first_alpha}"
        return words + self._learnable_words()

    def __repr__(self) -> str:
        """On one line, unless a subclass has parts of its own."""
        is_plain = [name for name, _ in self.named_children()] == ["dropout"]
        base: Any = super()
        return f"{type(self).__name__}({self.extra_repr()})" if is_plain else str(base.__repr__())

    if TYPE_CHECKING:
        def __call__(self, x: Tensor, positions: Any = None, start: Any = 0) -> Tensor: ...

    def forward(self, x: Tensor, positions: Any = None, start: Any = 0, **others: Any) -> Tensor:
        """x + encoding, in the type and on the device of x.

        x
            ``(..., n, dim)``, or as axis says; any strides.
        positions
            ``(n,)``, or what broadcasts to the shape of the rows (with ``axis=-3``: ``(batch, n)``); integers or
            reals, a tensor, an array or a list, of which gradients are taken where they want them. With several coordinates
            those come last.
        start
            without positions: that of the first row, as with a cache of earlier tokens; or one for each sequence, ``(batch,)``.

        Raises ValueError, TypeError, OverflowError as :class:`SinusoidalEmbedding`.
        """
        if others:
            refuse_others(others, "torch.AddPositions.forward", ("x", "positions", "start"))
        # As in SinusoidalEmbedding: a short sequence costs less than the calls around it.
        kind: Any = type(x)
        if (kind is Tensor and positions is None and self._sum_at is not None and type(start) is int
                and not ops.is_watched() and ops.is_on_cpu(x) and x.ndim >= -self.axis and x.shape[-1] == self.dim
                and x.is_contiguous() and not (x.requires_grad and torch.is_grad_enabled())):
            total = self._plain_sum(x, start)
            if self.training and self.dropout.p > 0:
                total = self.dropout(total)
            return total
        start, positions = ops.first_row(start, positions, x, self.axis)
        moved = positions is not None and positions.requires_grad and torch.is_grad_enabled()
        if self.is_learnable or self.alpha is not None or moved:
            total = self._sum(x, positions, start, self._theta_now())
        elif self.inplace and self._may_write(x):
            total = ops.add_(x, positions, start, self._text, self.axis)
        else:
            total = ops.add(x, positions, start, self._text, self.axis)
        if self.training and self.dropout.p > 0:
            total = self.dropout(total)
        return total

    def _plain_sum(self, x: Tensor, start: int) -> Tensor:
        if self.inplace:
            ops.note_write(x)
        out, shape, axis = x if self.inplace else _empty_like(x), x.shape, self.axis
        n, heads, elements = shape[axis], 1 if axis == -2 else shape[-2], x.numel()
        batches = elements // (n * heads * self.dim) if elements > 0 else 0
        self._sum_at(ops.type_of(x.dtype), out.data_ptr(), x.data_ptr(), batches, heads, n, self.dim, axis, 0, start,
                     ops.threads_for(elements * x.element_size()))
        return out

    @staticmethod
    def _may_write(x: Tensor) -> bool:
        if type(x) is not Tensor or not ops.is_on_cpu(x) or x.ndim < 2 or x.stride(-1) != 1:
            return False
        if ops.is_watched() and not ops.is_compiling():
            return False
        return not (x.requires_grad and torch.is_grad_enabled())

    def _sum(self, x: Tensor, positions: Optional[Tensor], start: int, theta: Optional[Tensor]) -> Tensor:
        rows = x if self.axis == -2 else x.transpose(-2, -3)
        if positions is None:
            positions = torch.arange(start, start + rows.shape[-2], device=x.device)
        encoded = ops.encode(positions, theta, self._text, x.dtype)
        encoded = encoded if encoded.device == x.device else encoded.to(x.device)
        total = rows + (encoded if self.alpha is None else self.alpha * encoded)
        return total if self.axis == -2 else total.transpose(-2, -3)
