"""The loop that trains, the same for every model, and what measures it."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import torch
from torch import Tensor, nn
from torch.nn.utils.clip_grad import clip_grad_norm_

Batch = Tuple[Tensor, Tensor]  # numbers that go in, numbers wanted; those below 0 do not count
Draw = Callable[[torch.Generator, int], Batch]  # so many sequences

_WARM_UP = 50
_CURVE_POINTS = 12
#: Seeds of the sequences that models are measured with, apart from all that they are trained with.
MEASURED_SEED = 1_000_000


class Trained(NamedTuple):
    """Losses on the way: means of equal parts of the training."""

    losses: List[float]


def generator(seed: int) -> torch.Generator:
    """Of the sequences: the same for all encodings of one seed."""
    return torch.Generator().manual_seed(seed)


def cross_entropy(scores: Tensor, wanted: Tensor) -> Tensor:
    """Mean over what counts, in nats."""
    return nn.functional.cross_entropy(scores.flatten(0, -2), wanted.flatten(), ignore_index=-1)


def parameter_groups(model: nn.Module, rate: float, theta_rate: float) -> List[Dict[str, Any]]:
    """log2_theta has a rate of its own: octaves a step."""
    logs = [p for name, p in model.named_parameters() if name.endswith("log2_theta")]
    others = [p for name, p in model.named_parameters() if not name.endswith("log2_theta")]
    groups: List[Dict[str, Any]] = [{"params": others, "lr": rate, "first": rate}]
    return groups + ([{"params": logs, "lr": theta_rate, "first": theta_rate}] if logs else [])


def train(model: nn.Module, draw: Draw, settings: Dict[str, Any], seed: int) -> Trained:
    """Adam, with a rate that rises over the first steps and falls as a cosine to 0."""
    steps, data, device = settings["steps"], generator(seed), next(model.parameters()).device
    optimizer = torch.optim.Adam(parameter_groups(model, settings["rate"], settings.get("theta_rate", 0.01)))
    model.train()
    losses: List[float] = []
    for step in range(steps):
        share = min(1.0, (step + 1) / _WARM_UP) * 0.5 * (1 + math.cos(math.pi * step / steps))
        for group in optimizer.param_groups:
            group["lr"] = share * group["first"]
        ids, wanted = draw(data, settings["batch"])
        loss: Any = cross_entropy(model(ids.to(device)), wanted.to(device))
        optimizer.zero_grad()
        loss.backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(float(loss.detach()))
    model.eval()
    return Trained(in_parts(losses))


def in_parts(losses: List[float]) -> List[float]:
    """Means of at most 12 equal parts."""
    n = min(_CURVE_POINTS, len(losses))
    edges = [len(losses) * i // n for i in range(n + 1)]
    return [sum(losses[a:b]) / (b - a) for a, b in zip(edges, edges[1:])]


class Measured(NamedTuple):
    """Of sequences that were not trained with."""

    accuracy: float  #: of single numbers
    whole: float  #: of sequences without an error
    loss: float


def measure(model: nn.Module, draw: Draw, count: int, start: int = 0) -> Measured:
    """With the same sequences for every model."""
    device = next(model.parameters()).device
    ids, wanted = draw(generator(MEASURED_SEED), count)
    rights, wholes, losses, counted = 0, 0, 0.0, 0
    with torch.no_grad():
        for first in range(0, count, 64):
            part, goal = ids[first:first + 64].to(device), wanted[first:first + 64].to(device)
            scores = model(part, start)
            counts = goal >= 0
            right = (scores.argmax(-1) == goal) & counts
            n = int(counts.sum())
            rights, counted = rights + int(right.sum()), counted + n
            wholes += int((right | ~counts).flatten(1).all(1).sum())
            losses += float(cross_entropy(scores, goal)) * n
    return Measured(rights / counted, wholes / count, losses / counted)
