#!/usr/bin/env python3
"""make.py: the arrays of this folder, as the usual lines in float32 make them. Needs NumPy and PyTorch; bits of sines depend on these."""
import math
import pathlib

import numpy as np
import torch

HERE = pathlib.Path(__file__).parent


def features(times, frequencies):
    angles = times[:, None] * frequencies[None] * np.float32(2 * np.pi)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def detr(height, width, features, temperature=10000):
    y, x = (torch.ones(1, height, width).cumsum(axis, dtype=torch.float32) for axis in (1, 2))
    y, x = y / (y[:, -1:, :] + 1e-6) * 2 * math.pi, x / (x[:, :, -1:] + 1e-6) * 2 * math.pi
    divisors = torch.arange(features, dtype=torch.float32)
    divisors = temperature ** (2 * torch.div(divisors, 2, rounding_mode="floor") / features)
    halves = []
    for p in (y, x):
        angles = p[..., None] / divisors
        halves.append(torch.stack((angles[..., 0::2].sin(), angles[..., 1::2].cos()), dim=4).flatten(3))
    return torch.cat(halves, dim=3).permute(0, 3, 1, 2)


random = np.random.default_rng(16)
frequencies, times = (random.standard_normal(16) * 16).astype(np.float32), random.random(96).astype(np.float32)
np.save(HERE / "gaussian_16.npy", features(times, frequencies))
np.save(HERE / "gaussian_16_even.npy", features(np.linspace(0.001, 1, 64, dtype=np.float32), frequencies))
np.save(HERE / "detr_11x13.npy", detr(11, 13, 16).contiguous().numpy())
