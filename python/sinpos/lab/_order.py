"""order: reverse, the token at a distance, and which of two marks comes later; what knows no order guesses."""
from __future__ import annotations

from typing import Any, Dict, Tuple

import torch
from torch import Tensor, nn

from ._models import model_of
from ._outcome import Outcome
from ._train import MEASURED_SEED, Batch, Draw, generator, measure, train

_BACK = 3
_MEASURED = 4096


def reverse(settings: Dict[str, Any]) -> Draw:
    """Row i wants token n - 1 - i."""
    def draw(data: torch.Generator, count: int) -> Batch:
        ids = torch.randint(0, settings["words"], (count, settings["length"]), generator=data)
        return ids, ids.flip(1)

    return draw


def token_back(settings: Dict[str, Any]) -> Draw:
    """Row i wants token i - 3, around the end."""
    def draw(data: torch.Generator, count: int) -> Batch:
        ids = torch.randint(0, settings["words"], (count, settings["length"]), generator=data)
        return ids, ids.roll(_BACK, 1)

    return draw


def later(settings: Dict[str, Any]) -> Draw:
    """The whole wants 1 if mark 0 comes after mark 1, else 0; the other tokens are noise."""
    def draw(data: torch.Generator, count: int) -> Batch:
        n = settings["length"]
        ids = torch.randint(2, settings["words"], (count, n), generator=data)
        places = torch.rand(count, n, generator=data).argsort(1)[:, :2]
        ids.scatter_(1, places, torch.tensor([0, 1]).expand(count, 2))
        return ids, (places[:, :1] > places[:, 1:]).long()

    return draw


class Pooled(nn.Module):
    """The mean of a model's scores over the rows."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        mean: Tensor = self.model(ids, start).mean(1, keepdim=True)
        return mean


def multiset_accuracy(ids: Tensor, n_words: int) -> float:
    """The best that is possible knowing one's own token and how often each occurs: the commonest of the others.

    Row i wants the token of another row, and without order each of the n - 1 others is equally likely.
    """
    counts = nn.functional.one_hot(ids, n_words).sum(1)
    others = counts[:, None, :] - nn.functional.one_hot(ids, n_words)
    return float((others.amax(-1) / (ids.shape[1] - 1)).mean())


def baseline_of(task: str, settings: Dict[str, Any]) -> float:
    """Of the sequences that models are measured with."""
    if task == "later":
        return 0.5
    ids, _ = TASKS[task](settings)(generator(MEASURED_SEED), _MEASURED)
    return multiset_accuracy(ids, settings["words"])


TASKS = {"reverse": reverse, "token_back": token_back, "later": later}


def _learn(task: str, encoding: str, seed: int, settings: Dict[str, Any], device: str) -> Tuple[float, Any]:
    n_out = 2 if task == "later" else settings["words"]
    model = model_of(settings, encoding, settings["words"], n_out, seed, is_causal=False)
    model = (Pooled(model) if task == "later" else model).to(device)
    draw = TASKS[task](settings)
    trained = train(model, draw, settings, seed)
    return measure(model, draw, _MEASURED).accuracy, trained.losses


def run(encoding: str, seed: int, settings: Dict[str, Any], device: str) -> Outcome:
    """A model for each task."""
    metrics, curves = {}, {}
    gains = []
    for task in TASKS:
        metrics[task], curves["loss_" + task] = _learn(task, encoding, seed, settings, device)
        metrics["baseline_" + task] = baseline_of(task, settings)
        gains.append(metrics[task] - metrics["baseline_" + task])
    metrics["least_gain"], metrics["most_gain"] = min(gains), max(gains)
    return Outcome(metrics, curves)
