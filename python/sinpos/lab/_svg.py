"""Curves with intervals as SVG, with the same bytes for the same numbers."""
from __future__ import annotations

import math
from typing import List, NamedTuple, Optional, Sequence, Tuple
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 380, 70, 190, 40, 50
#: Colours for every kind of colour vision (Okabe and Ito).
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999")
_DASHES = ("", "7 4", "2 3")


class Curve(NamedTuple):
    """Points with what lies 95 % around them."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


class Axis(NamedTuple):
    """Numbers to places in the picture."""

    label: str
    first: float
    last: float
    is_log: bool
    start: float
    end: float

    def at(self, value: float) -> float:
        """The place of a number; below a logarithmic axis its beginning."""
        a, b, v = self.first, self.last, value
        if self.is_log:
            a, b, v = math.log10(a), math.log10(b), math.log10(max(v, self.first))
        return self.start + (v - a) / (b - a) * (self.end - self.start)

    def ticks(self) -> List[float]:
        """Powers of ten, or some five round numbers."""
        if self.is_log:
            return [10.0 ** e for e in range(math.ceil(math.log10(self.first) - 1e-9), math.floor(math.log10(self.last) + 1e-9) + 1)]
        rough = (self.last - self.first) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough * 0.999)
        count = math.floor((self.last - self.first) / step + 1e-9)
        begin = math.ceil(self.first / step - 1e-9)
        return [step * i for i in range(begin, begin + count + 1) if step * i <= self.last + 1e-9 * step]


def _axis(label: str, values: Sequence[float], is_log: bool, start: float, end: float) -> Axis:
    low, high = min(values), max(values)
    if is_log:
        low = min(v for v in values if v > 0)
        return Axis(label, low, high if high > low else 10 * low, True, start, end)
    reach = (high - low) or abs(high) or 1.0
    return Axis(label, low - 0.04 * reach, high + 0.04 * reach, False, start, end)


def _text(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def _frame(title: str, x: Axis, y: Axis) -> List[str]:
    parts = [_text(_LEFT, 22, title, "start", ' font-weight="bold"')]
    for tick in x.ticks():
        at = x.at(tick)
        parts.append(f'<path stroke="#ddd" fill="none" d="M{at:.1f} {y.start:.1f}V{y.end:.1f}"/>' + _text(at, y.start + 18, f"{tick:g}"))
    for tick in y.ticks():
        at = y.at(tick)
        parts.append(f'<path stroke="#ddd" fill="none" d="M{x.start:.1f} {at:.1f}H{x.end:.1f}"/>'
                     + _text(x.start - 8, at + 4, f"{tick:.6g}", "end"))
    middle = (y.start + y.end) / 2
    return parts + [_text((x.start + x.end) / 2, _HEIGHT - 10, x.label),
                    _text(16, middle, y.label, more=f' transform="rotate(-90 16 {middle:.1f})"')]


def _path(points: Sequence[Tuple[float, float]]) -> str:
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points)


def _drawn(index: int, curve: Curve, x: Axis, y: Axis) -> List[str]:
    colour, dash = _COLOURS[index % len(_COLOURS)], _DASHES[index // len(_COLOURS) % len(_DASHES)]
    across = [x.at(v) for v in curve.x]
    band = [(a, y.at(v)) for a, v in zip(across, curve.high)] + [(a, y.at(v)) for a, v in zip(across[::-1], curve.low[::-1])]
    line = [(a, y.at(v)) for a, v in zip(across, curve.y)]
    style = f'fill="none" stroke-width="2" stroke="{colour}"' + (f' stroke-dasharray="{dash}"' if dash else "")
    key = _TOP + 12 + 18 * index
    return [f'<path d="{_path(band)}Z" fill="{colour}" fill-opacity="0.15"/>', f'<path d="{_path(line)}" {style}/>',
            f'<path d="M{_WIDTH - _RIGHT + 12} {key}h24" {style}/>',
            _text(_WIDTH - _RIGHT + 42, key + 4, curve.label, "start")]


def drawing(title: str, x_label: str, y_label: str, curves: Sequence[Curve], log_x: bool = False,
            y_ends: Optional[Tuple[float, float]] = None) -> str:
    """The picture, as text. Errors: ValueError where there is no curve."""
    if not curves:
        raise ValueError("a figure needs a curve")
    x = _axis(x_label, [v for c in curves for v in c.x], log_x, _LEFT, _WIDTH - _RIGHT)
    heights = list(y_ends or ()) + [v for c in curves for v in (*c.low, *c.high)]
    y = _axis(y_label, heights, False, _HEIGHT - _BOTTOM, _TOP)
    parts = _frame(title, x, y)
    for index, curve in enumerate(curves):
        parts += _drawn(index, curve, x, y)
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
            'font-family="sans-serif" font-size="13">')
    return "\n".join([head, f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>', *parts, "</svg>"]) + "\n"
