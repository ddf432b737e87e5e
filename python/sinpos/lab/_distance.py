"""distance: |m - n| from p(m) and p(n), and p(t + k) from p(t), by a linear map and by one hidden layer."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import torch
from torch import Tensor, nn

from ._encodings import Inputs
from ._outcome import Outcome
from ._train import in_parts

_SHIFT = 7
_HIDDEN = 64
Pairs = Tuple[Tensor, Tensor]


def linear_map(n_in: int, n_out: int) -> nn.Module:
    """y = A x + b."""
    return nn.Linear(n_in, n_out)


def hidden_layer(n_in: int, n_out: int) -> nn.Module:
    """Of 64 rectified numbers."""
    return nn.Sequential(nn.Linear(n_in, _HIDDEN), nn.ReLU(), nn.Linear(_HIDDEN, n_out))


def _fit(model: nn.Module, trained: Pairs, measured: List[Pairs], settings: Dict[str, Any]) -> Tuple[List[float], List[float]]:
    """Squared errors over the variance of what is wanted, for each of the measured; and the losses on the way."""
    optimizer = torch.optim.Adam(model.parameters(), settings["rate"])
    losses = []
    for step in range(settings["steps"]):
        for group in optimizer.param_groups:
            group["lr"] = settings["rate"] * (1 - step / settings["steps"])
        loss: Any = (model(trained[0]) - trained[1]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    with torch.no_grad():
        variance = (trained[1] - trained[1].mean(0)).square().mean()
        return [float((model(x) - y).square().mean() / variance) for x, y in measured], in_parts(losses)


def _distances(rows: Tensor, n: int, data: torch.Generator) -> Tuple[Pairs, List[Pairs]]:
    """Pairs of positions below n, each either trained with or measured with."""
    m, k = torch.randint(0, n, (2, 4096), generator=data)
    x, y = torch.cat([rows[m], rows[k]], 1), ((m - k).abs() / n)[:, None]
    return (x[:2048], y[:2048]), [(x[2048:], y[2048:])]


def _shifts(rows: Tensor, n: int, data: torch.Generator) -> Tuple[Pairs, List[Pairs]]:
    """Trained with half of the t below n, measured with the other half, and with the next n / 2."""
    order, last = torch.randperm(n, generator=data), n + n // 2
    return _from(rows, order[:n // 2]), [_from(rows, order[n // 2:]), _from(rows, torch.arange(n, last))]


def _from(rows: Tensor, t: Tensor) -> Pairs:
    return rows[t], rows[t + _SHIFT]


MAPS: Dict[str, Callable[[int, int], nn.Module]] = {"linear": linear_map, "hidden": hidden_layer}


def run(encoding: str, seed: int, settings: Dict[str, Any], device: str) -> Outcome:
    """Rows of an encoding; "learned" are random rows, as a learned table begins."""
    n, width = settings["length"], settings["width"]
    torch.manual_seed(seed)
    with torch.no_grad():
        rows = Inputs(1, width, encoding, 2 * n, n, seed).to(device).rows(2 * n)
    if rows is None:
        raise ValueError(f"distance: encoding {encoding!r} has no rows")
    data = torch.Generator().manual_seed(seed)
    tasks = {("distance",): _distances(rows, n, data), ("shift", "shift_beyond"): _shifts(rows, n, data)}
    metrics, curves = {}, {}
    for names, (trained, measured) in tasks.items():
        for kind, made in MAPS.items():
            model = made(trained[0].shape[1], trained[1].shape[1]).to(device)
            errors, curves[f"{names[0]}_{kind}"] = _fit(model, trained, measured, settings)
            metrics.update({f"{name}_{kind}": error for name, error in zip(names, errors)})
    return Outcome(metrics, curves)
