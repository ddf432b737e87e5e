"""Student's t for paired differences, and Holm's correction; no library but math."""
from __future__ import annotations

import math
from typing import List, NamedTuple, Sequence


class Estimate(NamedTuple):
    """A mean with its 95 % interval, the effect size, and the two-sided p of the mean being the margin."""

    n: int
    mean: float
    low: float
    high: float
    effect: float  #: mean over standard deviation, Cohen's d of paired differences
    p: float


def t_within(t: float, freedom: int) -> float:
    """The probability that Student's t lies within -t and t (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    term = cosine if freedom % 2 else 1.0
    total = 0.0 if freedom == 1 else term
    for j in range(3 if freedom % 2 else 2, freedom - 1, 2):
        term *= cosine * cosine * (j - 1) / j
        total += term
    return 2 / math.pi * (angle + sine * total) if freedom % 2 else sine * total


def t_quantile(within: float, freedom: int) -> float:
    """The t for which t_within() is that probability."""
    low, high = 0.0, 1.0
    while t_within(high, freedom) < within:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if t_within(middle, freedom) < within else (low, middle)
    return (low + high) / 2


def estimate(values: Sequence[float], margin: float = 0.0) -> Estimate:
    """Of at least two values; equal ones have an interval of width 0, and p = 0 unless they are the margin."""
    n = len(values)
    mean = math.fsum(values) / n
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
    if deviation <= 1e-12 * max(1.0, abs(mean)):
        is_margin = abs(mean - margin) <= 1e-12
        return Estimate(n, mean, mean, mean, math.inf if mean > 0 else -math.inf if mean < 0 else 0.0, float(is_margin))
    error = deviation / math.sqrt(n)
    reach = t_quantile(0.95, n - 1) * error
    p = 1 - t_within(abs(mean - margin) / error, n - 1)
    return Estimate(n, mean, mean - reach, mean + reach, mean / deviation, max(p, 0.0))


def holm(p: Sequence[float]) -> List[float]:
    """Each p, adjusted for there being so many (Holm 1979)."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted, largest = [1.0] * len(p), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = largest
    return adjusted
