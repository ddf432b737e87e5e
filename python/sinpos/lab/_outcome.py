"""What an experiment returns."""
from __future__ import annotations

from typing import Dict, List, NamedTuple


class Outcome(NamedTuple):
    """Numbers, lists of numbers, and words, by name."""

    metrics: Dict[str, float]
    curves: Dict[str, List[float]]
    notes: Dict[str, str] = {}
