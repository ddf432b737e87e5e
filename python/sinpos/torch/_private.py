"""What this package uses of PyTorch that PyTorch does not promise, all in one place.

PyTorch tried: 1.13.0, 2.6.0 and 2.14.1, by tests/python/test_torch_*.py (`make test` and `make test-newer`). "since" is the first of
these that has the name; before it stands what does the same there.

| name | for | in |
| --- | --- | --- |
| torch._C._is_tracing | torch.jit.trace | 1.13.0, 2.6.0, 2.14.1 |
| torch._C._len_torch_dispatch_stack | modes: FakeTensorMode, make_fx | 1.13.0, 2.6.0, 2.14.1 |
| torch._C._are_functorch_transforms_active | torch.func | 1.13.0, 2.6.0, 2.14.1 |
| torch._C._AutoDispatchBelowAutograd | the kernel below autograd | 1.13.0, 2.6.0, 2.14.1 |
| torch._C._is_fwd_grad_enabled | forward mode, switched off within a Function | since 2.6.0; 1.13.0: always on |
| forward_ad._current_level | forward mode: is there a level? | 1.13.0, 2.6.0, 2.14.1 |
| forward_ad._set_fwd_grad_enabled | the same switch | since 2.6.0; 1.13.0: none |
| torch.autograd.function._SingleLevelFunction | a Function below torch.func | since 2.6.0; 1.13.0: Function |
| torch._functorch.utils.enable_single_level_autograd_function | permits its call | with _SingleLevelFunction |
| nn.Module._apply | .to(), .half(), .to_empty(): what follows them | 1.13.0, 2.6.0, 2.14.1 |
| nn.Module._load_from_state_dict | tables of former modules in checkpoints | 1.13.0, 2.6.0, 2.14.1 |
| nn.Module._buffers, ._parameters, ._modules | all of a module's own, also where two names share one | 1.13.0, 2.6.0, 2.14.1 |
| torch.onnx.symbolic_helper._get_const, ._get_tensor_rank, ._get_tensor_dim_size | torch.onnx.export with symbolics | 1.13.0, 2.6.0 |
"""
from __future__ import annotations

import contextlib
import importlib
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Mapping, NamedTuple, Optional, Self, Tuple

import torch
from torch import Tensor, nn
from torch.autograd import forward_ad

# ------------------------------------------------------------------------------------------------ who is watching

n_modes: Callable[[], int] = getattr(torch._C, "_len_torch_dispatch_stack", int)
is_transformed: Callable[[], bool] = getattr(torch._C, "_are_functorch_transforms_active", bool)
is_tracing: Callable[[], bool] = torch._C._is_tracing


def has_tangents() -> bool:
    """Are there levels of forward-mode differentiation?"""
    level: int = getattr(forward_ad, "_current_level", -1)
    return level >= 0


# ------------------------------------------------------------------------------------------------ autograd

_autograd: Any = torch.autograd
#: What torch.func asks for where a kernel meets it: a Function of one level, which is allowed for as long as it is called.
OneLevelFunction: Any = getattr(_autograd.function, "_SingleLevelFunction", _autograd.Function)
one_level: Callable[[], ContextManager[object]] = contextlib.nullcontext
if OneLevelFunction is not _autograd.Function:
    one_level = importlib.import_module("torch._functorch.utils").enable_single_level_autograd_function

is_forward_on: Callable[[], bool] = getattr(torch._C, "_is_fwd_grad_enabled", lambda: True)
set_forward: Callable[[bool], ContextManager[object]] = getattr(forward_ad, "_set_fwd_grad_enabled", contextlib.nullcontext)


@contextlib.contextmanager
def below_autograd() -> Iterator[None]:
    """Calls of operators go to what lies below autograd."""
    below = torch._C._AutoDispatchBelowAutograd()
    try:
        yield
    finally:
        del below


# ------------------------------------------------------------------------------------------------ modules


def own_tensors(module: nn.Module) -> Tuple[Mapping[str, Optional[Tensor]], Mapping[str, Optional[Tensor]]]:
    """Buffers and parameters of the module itself."""
    return module._buffers, module._parameters


def own_modules(module: nn.Module) -> Mapping[str, Optional[nn.Module]]:
    return module._modules


class Loading(NamedTuple):
    """What a module is loaded from."""

    state: Dict[str, Any]
    prefix: str  #: of the module's own names
    is_assigned: bool  #: tensors of the state become those of the module
    errors: List[str]


class HookedModule(nn.Module):
    """nn.Module's own hooks, by names of this package."""

    def _before_moving(self) -> object:
        """Before .to(), .half(), .to_empty() and the like; what it returns goes to _after_moving()."""
        return None

    def _after_moving(self, before: Any) -> None:
        pass

    def _before_loading(self, loading: Loading) -> None:
        """Before load_state_dict() takes what it finds in loading.state."""

    def _after_loading(self, loading: Loading) -> None:
        pass

    def _apply(self, fn: Callable[..., Tensor], *args: Any, **kwargs: Any) -> Self:
        before = self._before_moving()
        base: Any = super()
        base._apply(fn, *args, **kwargs)
        self._after_moving(before)
        return self

    def _load_from_state_dict(self, state_dict: Dict[str, Any], prefix: str, local_metadata: Dict[str, Any], strict: bool,
                              missing_keys: List[str], unexpected_keys: List[str], error_msgs: List[str]) -> None:
        loading = Loading(state_dict, prefix, bool(local_metadata.get("assign_to_params_buffers", False)), error_msgs)
        self._before_loading(loading)
        base: Any = super()
        base._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        self._after_loading(loading)


# ------------------------------------------------------------------------------------------------ torch.onnx


def _symbolic_helper() -> Any:
    return importlib.import_module("torch.onnx.symbolic_helper")


def constant_text(value: Any, name: str) -> str:
    """The text that an argument of a symbolic stands for."""
    return str(_symbolic_helper()._get_const(value, "s", name))


def constant_integer(value: Any, name: str) -> int:
    return int(_symbolic_helper()._get_const(value, "i", name))


def rank_of(value: Any) -> int:
    return int(_symbolic_helper()._get_tensor_rank(value))


def size_of(value: Any, axis: int) -> Optional[int]:
    """None where the graph does not know."""
    size: Optional[int] = _symbolic_helper()._get_tensor_dim_size(value, axis)
    return size
