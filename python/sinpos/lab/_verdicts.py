"""From results to verdicts, by the rule of _plan.py."""
from __future__ import annotations

import math
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ._plan import FEWEST_PAIRS, LEVEL, PARTS, SENTENCES, SHARES, Contrast, Sentence, Side
from ._statistics import Estimate, estimate, holm
from ._store import Result, canonical

SUPPORTED, REFUTED, CONDITIONAL, OPEN = "supported", "refuted", "conditional", "not decided"


class Decided(NamedTuple):
    """A contrast with what was found; estimate is None with fewer than two pairs."""

    contrast: Contrast
    n: int
    estimate: Optional[Estimate]
    adjusted: float
    verdict: str


class Judged(NamedTuple):
    """A sentence with its contrasts."""

    sentence: Sentence
    decided: Tuple[Decided, ...]
    verdict: str


def _values(side: Optional[Side], results: Sequence[Result]) -> Optional[Dict[int, float]]:
    """By seed; None for no side."""
    if side is None:
        return None
    part = PARTS[side.part]
    text = canonical(part.settings)
    return {r.run.seed: r.metrics[side.metric] for r in results
            if r.run.experiment == part.experiment and r.run.encoding == side.encoding
            and canonical(r.run.settings) == text and side.metric in r.metrics}


def differences(contrast: Contrast, results: Sequence[Result]) -> List[float]:
    """larger - smaller, for every seed that has both."""
    larger, smaller = _values(contrast.larger, results), _values(contrast.smaller, results)
    both = [values for values in (larger, smaller) if values is not None]
    seeds = sorted(set.intersection(*(set(values) for values in both)))
    return [(larger[seed] if larger else 0.0) - (smaller[seed] if smaller else 0.0) for seed in seeds]


def ceiling(contrast: Contrast, results: Sequence[Result]) -> Optional[float]:
    """The mean of the smaller side, if it is so near to 1 that no larger side can be above it by the margin."""
    values = _values(contrast.smaller, results)
    if not values or contrast.larger is None or contrast.larger.metric not in SHARES:
        return None
    mean = math.fsum(values.values()) / len(values)
    return mean if mean + contrast.margin > 1 else None


def _verdict(found: Optional[Estimate], adjusted: float, contrast: Contrast, results: Sequence[Result]) -> str:
    if found is None or found.n < FEWEST_PAIRS or adjusted >= LEVEL or ceiling(contrast, results) is not None:
        return OPEN
    return SUPPORTED if found.mean > contrast.margin else REFUTED


def _of_sentence(verdicts: Sequence[str]) -> str:
    if all(verdict == SUPPORTED for verdict in verdicts):
        return SUPPORTED
    if REFUTED in verdicts:
        return CONDITIONAL if SUPPORTED in verdicts else REFUTED
    return OPEN


def judge(results: Sequence[Result]) -> List[Judged]:
    """Every sentence of the plan."""
    planned = [contrast for sentence in SENTENCES for contrast in sentence.contrasts]
    values = [differences(contrast, results) for contrast in planned]
    found = [estimate(v, c.margin) if len(v) > 1 else None for c, v in zip(planned, values)]
    adjusted = holm([1.0 if e is None else e.p for e in found])
    decided = {c.name: Decided(c, len(v), e, p, _verdict(e, p, c, results))
               for c, v, e, p in zip(planned, values, found, adjusted)}
    judged = []
    for sentence in SENTENCES:
        own = tuple(decided[contrast.name] for contrast in sentence.contrasts)
        judged.append(Judged(sentence, own, _of_sentence([d.verdict for d in own])))
    return judged
