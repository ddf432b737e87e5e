"""Rotary position encoding of queries and keys."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union, overload

import torch
from torch import Tensor

from .. import _core
from .._catalogue import convention as find_convention
from .._config import Source, stated_by
from .._encoding import Encoding
from .._stated import refuse_others
from . import _operators as ops
from ._embedding import FORMER_KEYS, EncodingModule, Learnable, encoding_of
from ._private import has_tangents, is_tracing
from ._tones import text_before_length, text_of, tones_of


_MODULE_WORDS = ("axis", "learnable", "partial", "dtype", "device", "theta_dtype", "former_keys", "other_tables")


class RotaryEmbedding(EncodingModule):
    """Queries and keys, each pair of columns rotated by position times frequency: exact, and no table is made.

    dim, convention, **parameters
        as for :class:`sinpos.Encoding`. ``RotaryEmbedding(128)`` rotates columns j and j + 64 of a head, base 10000, as
        code with ``rotate_half`` does; ``layout="interleaved"`` rotates neighbours 2j and 2j + 1. A rotary convention
        brings its source's pairs, partial rotation and scaling:
        ``RotaryEmbedding(128, "hf_rope", rope_type="yarn", factor=4)``.
        :attr:`layout` names the pairs.
    axis
        -2 for q and k ``(..., heads, n, dim)``; -3 for ``(..., n, heads, dim)``.
    learnable
        True or "log": frequencies become a parameter, as in :class:`SinusoidalEmbedding`.
    partial
        heads may have further columns, which stay as they are; else they are an error. Conventions that rotate a part of a
        head by themselves need no such word.
    former_keys, other_tables
        of checkpoints, as in :class:`SinusoidalEmbedding`: frequencies and caches of cosines and sines.
    dtype, device
        of :meth:`cos_sin`; rotation works in the types of q and k.

    Gradients by q, k, theta and real positions. Of conventions whose frequencies depend on the length of the sequence
    (dynamic, longrope) the length is the largest position + 1, or ``seq_len``; keys rotated earlier keep their angles.

    Raises as :class:`sinpos.Encoding`, ValueError too where the convention is not rotary.

    Source: Su et al. 2021, arXiv:2104.09864, section 3.2.

    >>> import torch
    >>> from sinpos.torch import RotaryEmbedding
    >>> rope = RotaryEmbedding(64, base=500000)
    >>> q, k = torch.randn(1, 8, 10, 64), torch.randn(1, 2, 10, 64)     # (batch, heads, n, dim), grouped keys
    >>> turned_q, turned_k = rope(q, k)
    >>> turned_k.shape
    torch.Size([1, 2, 10, 64])
    >>> later = rope(q[:, :, :1], start=4096)                           # one more token, after a cache of 4096
    >>> rope.layout
    'halves'
    """

    def __init__(self, dim: Optional[int] = None, convention: Optional[str] = None, *, axis: int = -2,
                 learnable: Learnable = False, partial: bool = False, dtype: Any = None, device: Any = None,
                 theta_dtype: Any = torch.float64, former_keys: Tuple[str, ...] = FORMER_KEYS,
                 other_tables: str = "raise", **parameters: Any) -> None:
        if axis not in (-2, -3):
            raise ValueError("axis must be -2, for (..., heads, n, dim), or -3, for (..., n, heads, dim)")
        encoding = encoding_of(dim, convention, parameters)
        lengths = _Lengths(encoding)
        if learnable and lengths.is_followed:
            raise ValueError("theta cannot be learnable where it depends on the length of the sequence: give seq_len")
        self.axis, self.partial, self._lengths = axis, partial, lengths
        text = lengths.text(0) if lengths.is_followed else text_of(encoding, True)
        super().__init__(encoding, text, learnable, dtype, device, theta_dtype, former_keys, other_tables)
        self._sources = _sources(self._text)

    @classmethod
    def from_config(cls, source: Source, *, layers: Union[str, int, None] = None, strict: bool = False,
                    convention: Optional[str] = None, **words: Any) -> "RotaryEmbedding":
        """That of a model on Hugging Face; source, layers, strict and convention as for :meth:`sinpos.Encoding.from_config`.

        **words
            of the module (axis, partial, dtype, ...), and parameters of the convention, which replace what source states.

        >>> from sinpos.torch import RotaryEmbedding
        >>> RotaryEmbedding.from_config({"model_type": "gptj", "n_embd": 4096, "n_head": 16, "rotary_dim": 64}).layout
        'interleaved'
        """
        own = {name: words.pop(name) for name in _MODULE_WORDS if name in words}
        found = stated_by(source, layers, strict, convention, words)
        with found.blamed():
            return cls(convention=found.convention, **own, **found.parameters)

    @property
    def layout(self) -> str:
        """Columns that rotate together: "halves" (j, j + dim/2: ``rotate_half``), "interleaved" (2j, 2j + 1) or "other".

        >>> from sinpos.torch import RotaryEmbedding
        >>> RotaryEmbedding(64, "hf_gptj").layout
        'interleaved'
        """
        if tones_of(self._text).plan is None:
            return "other"
        pairs = [(t[1], t[0]) for t in tones_of(self._text).the_plan().tones()]
        if all(s == c + len(pairs) for c, s in pairs):
            return "halves"
        return "interleaved" if all(s == c + 1 and c % 2 == 0 for c, s in pairs) else "other"

    def extra_repr(self) -> str:
        layout = "" if "layout" in self.encoding.parameters else f", layout={self.layout!r}"
        words, comma, rest = super().extra_repr().partition(", dtype=")
        return words + layout + ("" if self.axis == -2 else f", axis={self.axis}") + (", partial=True" if self.partial else "") + comma + rest

    def _expected(self, name: str, first: int, n: int, width: int) -> Optional[Tensor]:
        """Of caches of cosines and sines, by column or by tone; other names say too little."""
        kinds = {"cos_cached": (0,), "sin_cached": (1,), "freqs_cis": (0, 1)}
        tones = tones_of(self._text)
        if self._n_axes != 1 or self._lengths.is_followed or name not in kinds or tones.plan is None:
            return None
        waves = ops.encode_kernel(torch.arange(first, first + n), None, self._text, torch.float64)
        columns = [(c, s) for s, c, *_ in tones.plan.tones()]
        by_tone = [pair[kind] for pair in columns for kind in kinds[name]]
        is_by_tone = name == "freqs_cis" or width == len(columns)
        return waves[..., by_tone if is_by_tone else self._sources[kinds[name][0]]]

    def _text_for(self, x: Optional[Tensor], positions: Optional[Tensor], start: int, seq_len: Optional[int]) -> str:
        if not self._lengths.is_followed:
            if seq_len is not None:
                raise ValueError(f"the frequencies of {self.encoding!r} do not depend on seq_len")
            return self._text
        if seq_len is None:
            seq_len = _length(positions) if x is None or positions is not None else start + x.shape[self.axis]
        return self._lengths.text(seq_len)

    if TYPE_CHECKING:
        @overload
        def __call__(self, q: Tensor, k: None = None, positions: Any = None, start: Any = 0, seq_len: Optional[int] = None) -> Tensor: ...
        @overload
        def __call__(self, q: Tensor, k: Tensor, positions: Any = None, start: Any = 0,
                     seq_len: Optional[int] = None) -> Tuple[Tensor, Tensor]: ...
        def __call__(self, q: Tensor, k: Optional[Tensor] = None, positions: Any = None, start: Any = 0,
                     seq_len: Optional[int] = None) -> Union[Tensor, Tuple[Tensor, Tensor]]: ...

    def forward(self, q: Tensor, k: Optional[Tensor] = None, positions: Any = None, start: Any = 0,
                seq_len: Optional[int] = None, **others: Any) -> Union[Tensor, Tuple[Tensor, Tensor]]:
        """q, or q and k, rotated; their types, shapes and devices stay.

        q, k
            ``(..., heads, n, dim)``, or as axis says; any strides, each its own number of heads. Where q has fewer rows
            than k it has the last of their positions, as the newest tokens after a cache.
        positions
            ``(n,)``, or what broadcasts to ``(batch, n)`` as ``position_ids`` does; coordinates, if several, come last. A
            tensor, an array or a list.
        start
            without positions: that of the first row, or one for each sequence, ``(batch,)``.
        seq_len
            length of the sequence, where frequencies depend on it.

        Returns a tensor, or two. Raises ValueError for shapes that do not fit and positions that are not finite,
        OverflowError for those not below 2^63 in size, TypeError.
        """
        if others:
            refuse_others(others, "torch.RotaryEmbedding.forward", ("q", "k", "positions", "start", "seq_len"))
        rows = q if k is None else k
        for x in (q, rows):
            self._check(x)
        start, positions = ops.first_row(start, positions, rows, self.axis)
        text = self._text_for(rows, positions, start, seq_len)
        theta = self._theta_now()
        turned_rows = ops.rotate(rows, positions, theta, start, text, self.axis)
        if k is None:
            return turned_rows
        n, n_rows = q.shape[self.axis], k.shape[self.axis]
        if isinstance(q, Tensor) and not is_tracing() and n > n_rows:
            raise ValueError(f"q has {n} rows and k {n_rows}: rotate them in two calls")
        if positions is None:
            start = start + (n_rows - n)
        elif isinstance(positions, Tensor) and n != n_rows:
            at = -1 if self._n_axes == 1 else -2
            positions = positions if positions.shape[at] == 1 else positions.narrow(at, n_rows - n, n)
        return ops.rotate(q, positions, theta, start, text, self.axis), turned_rows

    def _check(self, x: Tensor) -> None:
        if not isinstance(x, Tensor) or is_tracing():  # what torch.fx puts in place of tensors; sizes of a trace
            return
        if x.ndim < -self.axis:
            raise ValueError(f"a tensor of shape {tuple(x.shape)} has no axis {self.axis}")
        self.encoding._refuse_wider(x.shape[-1], self.partial)

    def rotate_(self, x: Tensor, positions: Any = None, start: Any = 0, *, inverse: bool = False,
                seq_len: Optional[int] = None, **others: Any) -> Tensor:
        """The same in the memory of x, or with ``inverse`` what undoes it: for caches, without gradients. Returns x.

        Raises RuntimeError where x wants gradients; ValueError where it is not on the CPU or its last axis is strided.

        >>> import torch
        >>> from sinpos.torch import RotaryEmbedding
        >>> rope, k = RotaryEmbedding(64), torch.ones(8, 10, 64)
        >>> bool(torch.allclose(rope.rotate_(rope.rotate_(k, start=7), start=7, inverse=True), torch.ones(8, 10, 64)))
        True
        """
        if others:
            refuse_others(others, "torch.RotaryEmbedding.rotate_", ("x", "positions", "start", "inverse", "seq_len"))
        self._check(x)
        start, positions = ops.first_row(start, positions, x, self.axis)
        if (x.requires_grad and torch.is_grad_enabled()) or (has_tangents() and ops.has_tangent(x)):
            raise RuntimeError("rotate_() takes no part in gradients: call the module, or use torch.no_grad()")
        if not ops.is_on_cpu(x) or (x.stride(-1) != 1 and x.shape[-1] > 1):
            raise ValueError("rotate_() works on CPU tensors whose rows have their elements side by side")
        text = self._text_for(x, positions, start, seq_len)
        direction = _core.INVERSE if inverse else _core.FORWARD
        return ops.rotate_(x, positions, self._theta_now(), start, text, self.axis, direction)

    def cos_sin(self, positions: Any, like: Optional[Tensor] = None, seq_len: Optional[int] = None,
                **others: Any) -> Tuple[Tensor, Tensor]:
        """Cosines and sines for code with ``q * cos + rotate_half(q) * sin``: two of ``(*positions.shape, dim)``.

        positions
            as for a call; a number n stands for 0 .. n-1.
        like
            a tensor whose element type and device the results have.

        Each element is rounded once, the attention scaling of the convention included. Prefer the call: it rounds once
        where this, applied, rounds four times.

        >>> from sinpos.torch import RotaryEmbedding
        >>> cos, sin = RotaryEmbedding(64).cos_sin(10)
        >>> cos.shape, cos[0, 0].item(), sin[0, 0].item()
        (torch.Size([10, 64]), 1.0, 0.0)
        """
        if others:
            refuse_others(others, "torch.RotaryEmbedding.cos_sin", ("positions", "like", "seq_len"))
        is_number = isinstance(positions, int) and not isinstance(positions, bool)
        positions = torch.arange(positions, device=self._device) if is_number else ops.tensor_of(positions, self._device)
        text = self._text_for(None, positions, 0, seq_len)
        dtype = self._dtype if like is None else like.dtype
        waves = ops.encode(positions, self._theta_now(), text, dtype)
        waves = waves if like is None or like.device == waves.device else waves.to(like.device)
        cosines, sines = (torch.tensor(columns, device=waves.device) for columns in self._sources)
        return waves.index_select(-1, cosines), waves.index_select(-1, sines)


def _length(positions: Optional[Tensor]) -> int:
    return int(positions.max()) + 1 if positions is not None and positions.numel() > 0 else 0


def _sources(text: str) -> Tuple[List[int], List[int]]:
    """For each column that is rotated, the columns of its tone's cosine and sine; none where there are no tones."""
    tones = tones_of(text)
    both: Dict[int, Tuple[int, int]] = {}
    for s, c, *_ in [] if tones.plan is None else tones.plan.tones():
        both[s] = both[c] = (c, s)
    columns = [both[column] for column in sorted(both)]
    return [c for c, _ in columns], [s for _, s in columns]


class _Lengths:
    """Encodings whose frequencies follow the length of the sequence; lengths that make no difference share one."""

    def __init__(self, encoding: Encoding) -> None:
        self._texts: Dict[int, str] = {}
        found = None if encoding.convention is None else find_convention(encoding.convention)
        known = () if found is None else found.parameters
        defaults = {p.name: json.loads(p.default) for p in known if p.default is not None}
        words = {**defaults, **encoding.parameters}
        self._kind = words.get("rope_type") if "seq_len" in defaults and words.get("seq_len") is None else None
        self.is_followed = self._kind in ("dynamic", "longrope")
        self._before = text_before_length(encoding) if self.is_followed else ""
        self._full = int(words.get("max_position_embeddings") or 0)
        self._original = int(words.get("original_max_position_embeddings") or 0) or self._full
        if self.is_followed:  # torch.compile() can look them up, and make none
            self.text(0)
            self.text(self._original + 1 if self._kind == "longrope" else 0)

    def text(self, seq_len: int) -> str:
        """The encoding for that length."""
        if self._kind == "dynamic":
            seq_len = self._full if seq_len <= self._full else seq_len
        else:
            seq_len = self._original + 1 if seq_len > self._original else self._original
        found = self._texts.get(seq_len)
        if found is None:
            if len(self._texts) > 64:
                self._texts.clear()
            found = self._texts[seq_len] = f"{self._before}{seq_len}}}"
        return found
