"""far: the same model at far positions, with exact, float32 and bfloat16-position tables."""
from __future__ import annotations

from typing import Any, Dict

import torch

from ._models import model_of
from ._outcome import Outcome
from ._train import Batch, Draw, measure, train

OFFSETS = (0, 100, 1000, 10_000, 100_000, 1_000_000)
ARITHMETICS = ("exact", "float32", "bfloat16")
_BACK = 3
_MEASURED = 128


def token_before(settings: Dict[str, Any]) -> Draw:
    """Row i wants token i - 3; the first three rows want nothing."""
    def draw(data: torch.Generator, count: int) -> Batch:
        ids = torch.randint(0, settings["words"], (count, settings["length"]), generator=data)
        wanted = ids.roll(_BACK, 1)
        wanted[:, :_BACK] = -1
        return ids, wanted

    return draw


def run(encoding: str, seed: int, settings: Dict[str, Any], device: str) -> Outcome:
    """Trained once, exactly, from position 0 or from random ones; then only positions and tables change."""
    model: Any = model_of(settings, encoding, settings["words"], settings["words"], seed, True).to(device)
    draw = token_before(settings)
    trained = train(model, draw, settings, seed)
    metrics, curves = {}, {"loss": trained.losses, "offset": [float(offset) for offset in OFFSETS]}
    for name in ARITHMETICS:
        model.set_arithmetic(name)
        found = [measure(model, draw, _MEASURED, offset) for offset in OFFSETS]
        metrics.update({f"loss_{name}_{offset}": at.loss for offset, at in zip(OFFSETS, found)})
        curves["loss_" + name] = [at.loss for at in found]
    nearest = metrics["loss_exact_0"]
    metrics.update({name.replace("loss", "change"): loss - nearest for name, loss in metrics.items()})
    return Outcome(metrics, curves)
