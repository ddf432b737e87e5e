"""adding: can a linear map still read the word, and the position, from their sum?"""
from __future__ import annotations

from typing import Any, Dict, Tuple

import torch
from torch import Tensor

from ._models import model_of
from ._order import token_back
from ._outcome import Outcome
from ._train import measure, train

_MEASURED = 128
_RIDGE = 1e-6


def _read(sums: Tensor, labels: Tensor, rows: Tensor, fitted: Tensor) -> float:
    """The linear map that finds the rows best, fitted to a part of the sums: how often, for the others, the nearest
    row is the right one."""
    wide = torch.cat([sums, torch.ones(len(sums), 1, dtype=sums.dtype)], 1)
    x, y = wide[fitted], rows[labels[fitted]]
    weights = torch.linalg.solve(x.T @ x + _RIDGE * len(x) * torch.eye(x.shape[1], dtype=x.dtype), x.T @ y)
    right = torch.cdist(wide[~fitted] @ weights, rows).argmin(1) == labels[~fitted]
    return float(right.double().mean())


def probes(model: Any, n_words: int, n: int) -> Tuple[float, float]:
    """How often word and position are recovered, over all pairs of them; half are fitted."""
    ids = torch.arange(n_words)[:, None].expand(n_words, n)
    with torch.no_grad():
        sums = model.inputs(ids.to(model.out.weight.device)).cpu().double().flatten(0, 1)
        rows, words = model.inputs.rows(n).cpu().double(), model.inputs.words.weight.cpu().double()
    fitted = torch.rand(len(sums), generator=torch.Generator().manual_seed(1)) < 0.5
    return _read(sums, ids.flatten(), words, fitted), _read(sums, torch.arange(n).repeat(n_words), rows, fitted)


def run(encoding: str, seed: int, settings: Dict[str, Any], device: str) -> Outcome:
    """Before and after training to find the token three back."""
    n_words, n = settings["words"], settings["length"]
    model = model_of(settings, encoding, n_words, n_words, seed, is_causal=False).to(device)
    word_before, place_before = probes(model, n_words, n)
    draw = token_back(settings)
    trained = train(model, draw, settings, seed)
    word_after, place_after = probes(model, n_words, n)
    found = measure(model, draw, _MEASURED)
    return Outcome({"word_before": word_before, "position_before": place_before, "word_after": word_after,
                    "position_after": place_after, "least_before": min(word_before, place_before),
                    "task": found.accuracy}, {"loss": trained.losses})
