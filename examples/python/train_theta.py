"""Train the frequencies of a sinusoidal encoding, and plot how they moved.

A series has two periods, 7 and 29.5 days, and is observed at 400 irregular times within 60 days. A linear layer
reads it from the encoding of the times: first with frequencies that stay, 0.94 * 60 ** (-i / 6), then with trainable
ones. These find the periods, and with them the next 60 days. (They must begin near: a frequency is pulled towards the
truth from where it is off by no more than about a turn over all that is observed.)

    python3 train_theta.py [--out theta.png] [--steps 3000]

Needs torch and matplotlib; takes some 15 seconds on a CPU.
"""
import argparse
import math

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402

from sinpos.torch import SinusoidalEmbedding  # noqa: E402

PERIODS = (7.0, 29.5)  # days


def series(days):
    return torch.sin(2 * math.pi / PERIODS[0] * days + 0.3) + 0.7 * torch.cos(2 * math.pi / PERIODS[1] * days)


def train(learnable, steps):
    """The model, and theta after every step."""
    torch.manual_seed(0)
    times = 60 * torch.rand(400, dtype=torch.float64)  # real positions, taken exactly
    seen = (series(times) + 0.1 * torch.randn(400)).float()
    clock = SinusoidalEmbedding(12, base=60.0, scale=0.94, learnable=learnable)
    model = nn.Sequential(clock, nn.Linear(12, 1), nn.Flatten(0))
    groups = [{"params": model[1].parameters(), "lr": 1e-2, "weight_decay": 0.02}]
    if learnable:
        groups.append({"params": [clock.theta], "lr": 1e-3})  # a step of theta turns all later angles: small ones
    optimizer = torch.optim.Adam(groups)
    path = []
    for _ in range(steps):
        optimizer.zero_grad()
        (model(times) - seen).square().mean().backward()
        optimizer.step()
        path.append(clock.frequencies().clone())
    return model, torch.stack(path)


def error(model, days):
    with torch.no_grad():
        return (model(days) - series(days)).square().mean().sqrt().item()


def draw(models, path, days, out):
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5), constrained_layout=True)
    left.plot(2 * math.pi / path, color="#1f77b4")
    for period in PERIODS:
        left.axhline(period, color="#333333", linestyle="--", linewidth=1)
    left.set(yscale="log", xlabel="step", ylabel="period 2 pi / theta, days", title="trained theta (dashed: truth)")
    right.axvspan(0, 60, color="#dddddd", label="observed")
    right.plot(days, series(days), color="#333333", linestyle="--", linewidth=1, label="truth")
    for name, model in models.items():
        with torch.no_grad():
            right.plot(days, model(days), label=name)
    right.set(ylim=(-4, 5), xlabel="days", ylabel="series", title="what the models foretell")
    right.legend(loc="upper right", ncol=4)
    figure.savefig(out, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="theta.png")
    parser.add_argument("--steps", type=int, default=3000)
    options = parser.parse_args()
    fixed, _ = train(False, options.steps)
    trained, path = train(True, options.steps)
    near, far = torch.linspace(0, 60, 601, dtype=torch.float64), torch.linspace(60, 120, 601, dtype=torch.float64)
    for name, model in (("fixed", fixed), ("trained", trained)):
        print(f"{name:8} error within the 60 days {error(model, near):.3f}, in the next 60 {error(model, far):.3f}")
    for period in PERIODS:
        first, last = ((2 * math.pi / theta - period).abs().argmin() for theta in (path[0], path[-1]))
        began, ended = 2 * math.pi / path[0][first], 2 * math.pi / path[-1][last]
        print(f"period {period:4}: nearest at first {began:.2f} days, at last {ended:.2f}")
    draw({"fixed": fixed, "trained": trained}, path, torch.linspace(0, 120, 1201, dtype=torch.float64), options.out)


if __name__ == "__main__":
    main()
