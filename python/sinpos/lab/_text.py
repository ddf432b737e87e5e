"""text and theta: a causal model of characters, measured within and beyond the length it was trained with."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Dict, List, Optional

import numpy as np
import torch
from torch import Tensor, nn

from .. import identify
from ._corpus import Corpus, corpus
from ._models import Transformer, model_of
from ._outcome import Outcome
from ._train import MEASURED_SEED, Batch, Draw, cross_entropy, generator, train

_TIMES_LONGER = 4
_MEASURED = 64
_CURVE_POINTS = 16


def pieces(text: Tensor, n: int) -> Draw:
    """n characters from anywhere, each of which wants the next one."""
    def draw(data: torch.Generator, count: int) -> Batch:
        starts = torch.randint(0, len(text) - n, (count, 1), generator=data)
        found = text[starts + torch.arange(n + 1)].long()
        return found[:, :-1], found[:, 1:]

    return draw


def loss_by_position(model: nn.Module, text: Tensor, n: int, device: str) -> List[float]:
    """Mean loss in nats at each of n positions."""
    ids, wanted = pieces(text, n)(generator(MEASURED_SEED), _MEASURED)
    total = torch.zeros(n)
    with torch.no_grad():
        for first in range(0, len(ids), 16):
            scores = model(ids[first:first + 16].to(device)).transpose(1, 2)
            goal = wanted[first:first + 16].to(device)
            total += nn.functional.cross_entropy(scores, goal, reduction="none").sum(0).cpu()
    losses: List[float] = (total / len(ids)).tolist()
    return losses


def _mean(values: List[float]) -> float:
    return sum(values) / len(values)


def structure_of(model: Transformer, n: int) -> Dict[str, float]:
    """What `sinpos structure` finds in the trained matrices; nothing where that program is not installed."""
    program = os.environ.get("SINPOS_CLI") or shutil.which("sinpos")
    rows = model.inputs.rows(n)
    if program is None or rows is None or model.inputs.form.way == "concatenate":
        return {}
    width = rows.shape[1]
    weights = model.layers[0].attention.queries_keys_values.weight
    files = {"table": rows, "words": model.inputs.words.weight, "wq": weights[:width], "wk": weights[width:2 * width]}
    with tempfile.TemporaryDirectory() as folder:
        words = [program, "structure", "--json", "--quiet", "--threads", "1"]
        for name, tensor in files.items():
            path = str(pathlib.Path(folder) / f"{name}.npy")
            np.save(path, tensor.detach().cpu().float().numpy())
            words += [f"--{name}", path]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"sinpos structure: {done.stderr.strip()}")
    metrics = _chosen(json.loads(done.stdout))
    metrics["h_diagonal_ratio"] = diagonal_ratio(weights[:width].T @ weights[width:2 * width])
    return metrics


def _chosen(found: Dict[str, Any]) -> Dict[str, float]:
    """What is kept of the program's numbers; those that need LAPACK are missing where it was built without."""
    numbers = {}
    for of in ("words", "positions"):
        numbers[of + "_norm"] = found[of]["mean_norm"]
        numbers[of + "_recovered"] = (found.get("recovery") or {}).get(of + "_r2")
        numbers[of + "_effective_rank"] = (found[of].get("dimensions") or {}).get("effective_rank")
        for name in ("diagonal_share", "mean_correlation", "rms_correlation"):
            numbers[f"{of}_{name}"] = found[of]["covariance"][name]
    for name in ("difference", "sum", "rest"):
        numbers["split_" + name] = found["split"][name]
    for name, share in ((found.get("attention") or {}).get("share") or {}).items():
        numbers["attention_" + name] = share
    return {name: float(number) for name, number in numbers.items() if number is not None}


def diagonal_ratio(h: Tensor) -> float:
    """Mean size on the diagonal over mean size beside it."""
    n, sizes = len(h), h.detach().abs()
    on = float(sizes.diagonal().sum())
    return on / n / ((float(sizes.sum()) - on) / (n * n - n))


def one_tone_share(rows: Tensor) -> float:
    """How much of the columns' energy, without their means, lies in the strongest frequency of each."""
    columns = rows.detach().cpu().double() - rows.detach().cpu().double().mean(0)
    power = torch.fft.rfft(columns, dim=0).abs().square()
    return float(power.amax(0).sum() / power.sum())


def theta_of(model: Transformer) -> Optional[Tensor]:
    """Frequencies that are trained."""
    waves = model.inputs.waves
    return waves.frequencies() if waves is not None and waves.is_learnable else None


def _of_matrices(model: Transformer, n: int, outcome: Outcome) -> None:
    rows = model.inputs.rows(n)
    if rows is not None:
        outcome.metrics["one_tone_share"] = one_tone_share(rows)
        outcome.notes["identify"] = str(identify(rows.detach().cpu().float().numpy())).partition(";")[0][:120]
    outcome.metrics.update(structure_of(model, n))


def _of_theta(first: Optional[Tensor], model: Transformer, outcome: Outcome) -> None:
    last = theta_of(model)
    if first is None or last is None:
        return
    moved = (last.abs().clamp_min(1e-12) / first).log2()
    outcome.metrics["theta_moved_octaves"] = float(moved.abs().mean())
    outcome.metrics["theta_moved_most_octaves"] = float(moved.abs().max())
    outcome.curves["theta_first"], outcome.curves["theta_last"] = first.tolist(), last.tolist()


def run(encoding: str, seed: int, settings: Dict[str, Any], device: str) -> Outcome:
    """Trained on pieces of settings["length"] characters, measured on pieces four times as long."""
    text: Corpus = corpus()
    n, longest = settings["length"], _TIMES_LONGER * settings["length"]
    model: Any = model_of(settings, encoding, text.n_words, text.n_words, seed, True, longest).to(device)
    first = theta_of(model)
    trained = train(model, pieces(text.trained, n), settings, seed)
    losses = loss_by_position(model, text.measured, longest, device)
    step = longest // _CURVE_POINTS
    outcome = Outcome({"loss_within": _mean(losses[:n]), "loss_beyond": _mean(losses[n:])},
                      {"loss": trained.losses, "position": [float(i + step / 2) for i in range(0, longest, step)],
                       "loss_at": [_mean(losses[i:i + step]) for i in range(0, longest, step)]},
                      {"text": f"bible-kjv-text, sha256 {text.sha256[:16]}"})
    _of_matrices(model.cpu(), n, outcome)
    _of_theta(first, model, outcome)
    return outcome
