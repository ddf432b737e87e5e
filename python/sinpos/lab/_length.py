"""length: copy and addition, trained on short inputs, measured on longer ones."""
from __future__ import annotations

from typing import Any, Dict

import torch
from torch import Tensor

from ._models import model_of
from ._outcome import Outcome
from ._train import Batch, Draw, measure, train

_SHORTEST, _LONGEST = 4, 20
_MEASURED_LENGTHS = (4, 12, 20, 40, 80)
_MEASURED = 64
_PLUS, _EQUALS = 10, 11
_N_WORDS = 12


def _next_tokens(ids: Tensor, n_given: int) -> Batch:
    """Each row wants the next token; of those that are given none counts."""
    wanted = ids[:, 1:].clone()
    wanted[:, :n_given - 1] = -1
    return ids[:, :-1], wanted


def copied(n: int) -> Draw:
    """n digits, =, and the same digits."""
    def draw(data: torch.Generator, count: int) -> Batch:
        digits = torch.randint(0, 10, (count, n), generator=data)
        return _next_tokens(torch.cat([digits, torch.full((count, 1), _EQUALS), digits], 1), n + 1)

    return draw


def added(n: int) -> Draw:
    """Two numbers of n digits, lowest digit first, and the n + 1 digits of their sum."""
    def draw(data: torch.Generator, count: int) -> Batch:
        a, b = torch.randint(0, 10, (2, count, n), generator=data)
        total, carry = torch.zeros(count, n + 1, dtype=torch.long), torch.zeros(count, dtype=torch.long)
        for i in range(n):
            digit = a[:, i] + b[:, i] + carry
            total[:, i], carry = digit % 10, digit // 10
        total[:, n] = carry
        signs = torch.tensor([[_PLUS, _EQUALS]]).expand(count, 2)
        return _next_tokens(torch.cat([a, signs[:, :1], b, signs[:, 1:], total], 1), 2 * n + 2)

    return draw


TASKS = {"copy": copied, "addition": added}


def of_any_length(task: str) -> Draw:
    """One length for a batch, 4 to 20."""
    def draw(data: torch.Generator, count: int) -> Batch:
        n = int(torch.randint(_SHORTEST, _LONGEST + 1, (), generator=data))
        return TASKS[task](n)(data, count)

    return draw


def run(encoding: str, seed: int, settings: Dict[str, Any], device: str) -> Outcome:
    """A causal model."""
    task = settings["task"]
    longest = 3 * max(_MEASURED_LENGTHS) + 3
    model = model_of(settings, encoding, _N_WORDS, _N_WORDS, seed, True, longest).to(device)
    trained = train(model, of_any_length(task), settings, seed)
    found = {n: measure(model, TASKS[task](n), _MEASURED) for n in _MEASURED_LENGTHS}
    metrics = {f"digits_{n}": at.accuracy for n, at in found.items()}
    metrics.update({f"whole_{n}": at.whole for n, at in found.items()})
    metrics["digits_trained"] = sum(at.accuracy for n, at in found.items() if n <= _LONGEST) / 3
    return Outcome(metrics, {"loss": trained.losses, "lengths": [float(n) for n in found],
                             "digits": [at.accuracy for at in found.values()]})
