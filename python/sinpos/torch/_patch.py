"""Sinusoidal tables in models of others: found by what they hold, and replaced on request."""
from __future__ import annotations

import copy
from dataclasses import dataclass, replace as with_fields
from typing import Any, Dict, Iterator, List, Mapping, Optional, Set, Tuple, Union

import numpy as np
import torch
from torch import Tensor, nn

from .._analysis import Identification, audit, identify
from . import _operators as ops
from ._embedding import FORMER_KEYS, AddPositions, EncodingModule, SinusoidalEmbedding
from ._private import own_modules, own_tensors

_FEWEST = 16  # elements of a table worth a look
_FIRST = 96  # rows by which most tables are identified
_FAR = 0.3  # an error that no arithmetic makes at once


@dataclass(frozen=True)
class Finding:
    """One tensor of a model that holds a sinusoidal table."""

    path: str  #: "encoder.position.pe"
    kind: str  #: "buffer", "parameter", or "attribute": a tensor that state_dict() does not have
    shape: Tuple[int, ...]
    dtype: torch.dtype
    identification: Identification
    offer: str  #: "AddPositions", "SinusoidalEmbedding", "values", or "" for nothing
    reason: str  #: why no more is offered; "" where all is
    is_replaced: bool
    module: Optional[nn.Module] = None  #: what is offered in place of the module that holds the tensor

    def __str__(self) -> str:
        found = self.identification
        name = str(self.dtype).replace("torch.", "")
        what = repr(found.encoding) if found.encoding is not None else "a sinusoidal table"
        start = f" from position {found.start:g}" if found.start != 0 else ""
        verb = "replaced by" if self.is_replaced else "offered"
        tail = f"{verb}: {self.offer or 'nothing'}" + (f" ({self.reason})" if self.reason else "")
        return (f"{self.path}: {self.kind} {self.shape} {name}, {what}{start}; {found.wrong} of {found.elements} "
                f"elements are off, by {found.max_abs_error:.2g} at most; {tail}")


class Report(Tuple[Finding, ...]):
    """The findings, in the order of the model; ``str()`` has a line for each."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) if self else "no sinusoidal tables"


def patch(model: nn.Module, replace: Union[bool, str] = False) -> Report:
    """Find modules that hold sinusoidal tables, identify each, measure its error, and replace them if asked.

    model
        any module; its tensors are only read unless ``replace`` says otherwise.
    replace
        False: report what could be done. "values": write the exact elements, each rounded once, into the same tensors;
        no code changes. True: put in place of a module that does no more than add or look up its table one of this
        package, with no longest position, and exact values elsewhere.

    Tensors of two dimensions or more are looked at: buffers, parameters, plain attributes. What a module does with its
    table is tried out on a copy of it. Trained tables (parameters that want gradients) are reported and left alone.
    Checkpoints of the former model load into the patched one. What is not a table of sines and cosines together, as the
    rotary caches ``cos_cached`` and ``sin_cached``, is not found: :class:`RotaryEmbedding` takes their place by hand.

    Returns a :class:`Report`, a tuple of :class:`Finding`. Raises ValueError for another value of ``replace``.

    Cost: some tenths of a second for each table, next to nothing for other tensors. Source: :func:`sinpos.identify`.

    >>> import torch
    >>> from torch import nn
    >>> from sinpos.torch import SinusoidalEmbedding, patch
    >>> model = nn.Sequential(nn.Embedding.from_pretrained(SinusoidalEmbedding(32).table(100)), nn.Linear(32, 2))
    >>> for found in patch(model):
    ...     print(found.path, found.kind, found.identification.encoding, found.offer)
    0.weight parameter Encoding(dim=32) SinusoidalEmbedding
    >>> _ = patch(model, replace=True)
    >>> model(torch.tensor([10**9])).shape
    torch.Size([1, 2])
    """
    if replace not in (False, True, "values", "modules"):
        raise ValueError(f"replace must be False, True or \"values\", not {replace!r}")
    findings = [_settled(model, finding, replace) for finding in list(_findings(model))]
    return Report(findings)


# ------------------------------------------------------------------------------------------------ finding


def _tensors(module: nn.Module) -> Iterator[Tuple[str, str, Tensor]]:
    buffers, parameters = own_tensors(module)
    places: Tuple[Tuple[str, Mapping[str, Any]], ...] = (
        ("buffer", buffers), ("parameter", parameters), ("attribute", vars(module)))
    for kind, held in places:
        for name, value in list(held.items()):
            if isinstance(value, Tensor):
                yield kind, name, value


def _is_worth_a_look(x: Tensor) -> bool:
    return (x.is_floating_point() and x.dtype in ops.TYPE_OF and not x.is_meta and x.layout is torch.strided
            and x.ndim >= 2 and x.numel() >= _FEWEST)


def _rows(x: Tensor) -> Tensor:
    """(n, dim) where that is all there is: of (1, n, dim), (n, 1, dim)."""
    return x.reshape(-1, x.shape[-1]) if x.numel() == x.shape[-1] * max(x.shape[:-1]) else x


def _identified(x: Tensor) -> Optional[Identification]:
    rows = _rows(x.detach()).cpu().contiguous()
    for dtype in (x.dtype, torch.float32) if x.dtype is torch.float64 else (x.dtype,):
        try:
            found = _identified_array(ops.array_of(rows.to(dtype)), "bfloat16" if dtype is torch.bfloat16 else None)
        except (ValueError, TypeError):
            return None
        if found.is_sinusoidal:
            return found
    return None


def _identified_array(array: Any, dtype: Optional[str]) -> Identification:
    """By the first rows, where all others are what these promise; else by all."""
    if array.ndim == 2 and len(array) > _FIRST:
        found = identify(array[:_FIRST], dtype=dtype)
        if found.encoding is not None and not found.zero_rows and len(found.info["axes"]) == 1:
            errors = audit(array, found.encoding, start=found.start, step=found.step, dtype=dtype)
            if errors.max_abs_error < _FAR and errors.max_ulp is not None:
                return with_fields(found, elements=errors.elements, wrong=errors.wrong, max_ulp=errors.max_ulp,
                                   max_abs_error=errors.max_abs_error)
    return identify(array, dtype=dtype)


def _findings(model: nn.Module) -> Iterator[Finding]:
    seen: Set[int] = set()
    for prefix, module in model.named_modules():
        if isinstance(module, EncodingModule):
            continue
        for kind, name, x in _tensors(module):
            if id(x) in seen or not _is_worth_a_look(x):
                continue
            seen.add(id(x))
            found = _identified(x)
            if found is not None:
                offer, reason, made = _offer(prefix, module, name, x, found)
                path = f"{prefix}.{name}" if prefix else name
                yield Finding(path, kind, tuple(x.shape), x.dtype, found, offer, reason, False, made)


# ------------------------------------------------------------------------------------------------ offers


def _offer(prefix: str, module: nn.Module, name: str, x: Tensor,
           found: Identification) -> Tuple[str, str, Optional[nn.Module]]:
    if isinstance(x, nn.Parameter) and x.requires_grad:
        return "", "it wants gradients: training moves it", None
    made, reason = _module_for(prefix, module, name, x, found)
    if made is not None:
        return type(made).__name__, "", made
    if found.info["view"] != "rows" or _rows(x).ndim != 2:
        return "", "its rows are not the positions", None
    return "values", reason, None


def _module_for(prefix: str, module: nn.Module, name: str, x: Tensor,
                found: Identification) -> Tuple[Optional[nn.Module], str]:
    """A module that does what this one does, or why there is none."""
    encoding = found.encoding
    if prefix == "":
        return None, "the whole model holds it"
    if encoding is None or found.start != 0 or found.step != 1 or found.zero_rows or _rows(x).ndim != 2:
        return None, "its rows are not those of positions 0, 1, ..."
    others = [t for _, other, t in _tensors(module) if other != name]
    children = [c for c in module.modules() if c is not module]
    if others or not all(isinstance(c, (nn.Dropout, nn.Identity)) for c in children):
        return None, "the module holds more than the table"
    words: Dict[str, Any] = {"convention": encoding.convention, **encoding.parameters}
    words.update(dtype=x.dtype, device=x.device, former_keys=(name,) + FORMER_KEYS, other_tables="warn")
    try:
        if _looks_up(module, x):
            return SinusoidalEmbedding(**words), ""
        axis = _added_along(module, x)
        if axis is not None:
            dropout = max([c.p for c in children if isinstance(c, nn.Dropout)], default=0.0)
            return AddPositions(axis=axis, dropout=dropout, **words), ""
    except (ValueError, TypeError, NotImplementedError, OverflowError) as error:
        return None, str(error).splitlines()[0]
    return None, "the module does more than add or look up its table"


def _tried(module: nn.Module, *inputs: Tensor) -> Optional[Tensor]:
    """What a copy of the module returns."""
    try:
        with torch.no_grad():
            result = copy.deepcopy(module).eval()(*inputs)
    except Exception:  # whatever code of others does with inputs it was not made for
        return None
    return result if isinstance(result, Tensor) else None


def _looks_up(module: nn.Module, x: Tensor) -> bool:
    rows = _rows(x.detach())
    index = torch.tensor([[0, rows.shape[0] - 1], [1, 0]], device=x.device)
    for given in (index, index[0]):
        result = _tried(module, given)
        if result is None or result.shape != given.shape + rows.shape[1:] or not torch.equal(result, rows[given]):
            return False
    return True


def _added_along(module: nn.Module, x: Tensor) -> Optional[int]:
    """The axis along which the module adds its rows, if that is what it does."""
    rows = _rows(x.detach())
    lengths = [n for n in (3, 2) if n <= rows.shape[0]]
    generator = torch.Generator().manual_seed(1)
    for axis in (-2, -3):
        matches: List[bool] = []
        for n in lengths:
            shape = (4, n, rows.shape[1]) if axis == -2 else (n, 4, rows.shape[1])
            given = torch.randn(shape, generator=generator).to(x.device, x.dtype)
            result = _tried(module, given.clone())
            want = given + (rows[:n] if axis == -2 else rows[:n, None])
            matches.append(result is not None and result.shape == want.shape and torch.equal(result, want))
        if matches and all(matches):
            return axis
    return None


# ------------------------------------------------------------------------------------------------ replacing


def _settled(model: nn.Module, finding: Finding, replace: Union[bool, str]) -> Finding:
    if not replace or not finding.offer:
        return finding
    holder, _, name = finding.path.rpartition(".")
    modules = dict(model.named_modules())
    if finding.module is None or replace == "values":
        if finding.identification.info["view"] != "rows":
            return finding
        _write_values(getattr(modules[holder], name), finding.identification)
        return with_fields(finding, offer="values", is_replaced=True)
    former = modules[holder]
    finding.module.train(former.training)
    for above in modules.values():  # wherever it is shared
        for own_name, child in list(own_modules(above).items()):
            if child is former:
                setattr(above, own_name, finding.module)
    return with_fields(finding, is_replaced=True)


def _write_values(x: Tensor, found: Identification) -> None:
    name = str(x.dtype).replace("torch.", "").replace("bfloat16", "bfloat16_bits")
    n = x.numel() // x.shape[-1]
    known = found.encoding if found.info["n"] < n else None
    bits = found.exact(name) if known is None else known.table(n, found.start, found.step, dtype=name)
    is_bits = x.dtype is torch.bfloat16
    exact = torch.from_numpy(bits.view(np.int16)).view(torch.bfloat16) if is_bits else torch.from_numpy(bits)
    with torch.no_grad():
        x.copy_(exact.reshape(x.shape))
