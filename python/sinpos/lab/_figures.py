"""The figures of the report: which curves of which results."""
from __future__ import annotations

from math import log2
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ._plan import PARTS
from ._statistics import estimate
from ._store import Result, canonical
from ._svg import Curve, drawing


class Picture(NamedTuple):
    """Curves of the results of a part."""

    name: str
    part: str
    title: str
    x: str
    x_label: str
    y: Tuple[str, ...]
    y_label: str
    log_x: bool = False


PICTURES = (
    Picture("order-loss", "order", "order: loss while reversal is learned", "", "part of the training, twelfths",
            ("loss_reverse",), "nats"),
    Picture("length-copy", "length-copy", "length: digits copied right", "lengths", "digits", ("digits",), "accuracy"),
    Picture("length-addition", "length-addition", "length: digits added right", "lengths", "digits", ("digits",), "accuracy"),
    Picture("text-position", "text", "text: loss by position; trained with 64", "position", "position", ("loss_at",), "nats"),
    Picture("far-loss", "far", "far: loss by offset and arithmetic", "offset", "offset (0 at the left end)",
            ("loss_exact", "loss_float32", "loss_bfloat16"), "nats", True),
    Picture("theta", "theta", "theta: frequencies before and after training", "", "frequency, the highest first",
            ("theta_octaves",), "octaves moved"),
)


def of_part(part: str, results: Sequence[Result]) -> Dict[str, List[Result]]:
    """By encoding, in the order of the plan."""
    planned = PARTS[part]
    text = canonical(planned.settings)
    own = [r for r in results if r.run.experiment == planned.experiment and canonical(r.run.settings) == text]
    names = planned.primary + planned.further
    return {name: found for name in names if (found := [r for r in own if r.run.encoding == name])}


def _rows(result: Result, name: str) -> Optional[List[float]]:
    if name == "theta_octaves":
        pairs = zip(result.curves.get("theta_first", []), result.curves.get("theta_last", []))
        return [log2(max(abs(last), 1e-12) / first) for first, last in pairs] or None
    return result.curves.get(name)


def _curve(label: str, x: Sequence[float], rows: List[List[float]]) -> Curve:
    found = [estimate(column) if len(column) > 1 else None for column in zip(*rows)]
    y = [e.mean if e else column[0] for e, column in zip(found, zip(*rows))]
    return Curve(label, x, y, [e.low if e else v for e, v in zip(found, y)], [e.high if e else v for e, v in zip(found, y)])


def draw(picture: Picture, results: Sequence[Result]) -> Optional[str]:
    """The figure as SVG; None where there are no results for it."""
    curves = []
    for encoding, found in of_part(picture.part, results).items():
        for name in picture.y:
            rows = [row for r in found if (row := _rows(r, name)) is not None]
            if not rows:
                continue
            x = found[0].curves[picture.x] if picture.x else [float(i + 1) for i in range(len(rows[0]))]
            x = [max(v, 10.0) for v in x] if picture.log_x else x
            label = encoding if len(picture.y) == 1 else f"{encoding}, {name.partition('_')[2]}"
            curves.append(_curve(label, x, rows))
    return drawing(picture.title, picture.x_label, picture.y_label, curves, picture.log_x) if curves else None
