#!/usr/bin/env python3
"""readme_figure.py SINPOS OUT.svg: the error of usual code against the position, beside that of sinpos.

Exact values and sinpos' own are tables that the command line SINPOS writes; the usual lines run here, in NumPy. The
curves are the largest errors over all columns and up to 24 positions in each of 150 intervals of equal ratio.
"""
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

DIM = 512
FIRST, LAST = 1, 10**6
BINS, PER_BIN = 150, 24
SEED = 1

WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 84, 742, 52, 400
DECADES_X, DECADES_Y = (0, 6), (-9, 1)
# Okabe and Ito's colours; the dashes tell the lines apart without them.
USUAL, POSITIONS, OURS = "#d55e00", "#7a3b69", "#0072b2"


def choose_positions():
    """Sorted distinct positions, and where each interval begins among them."""
    random = np.random.default_rng(SEED)
    edges = np.unique(np.floor(np.geomspace(FIRST, LAST + 1, BINS + 1)).astype(np.int64))
    chosen = []
    for low, high in zip(edges, edges[1:]):
        within = np.arange(low, high)
        chosen.append(within if len(within) <= PER_BIN else
                      np.sort(random.choice(high - low, PER_BIN, replace=False)) + low)
    starts = np.cumsum([0] + [len(c) for c in chosen[:-1]])
    return np.concatenate(chosen), starts, np.sqrt(edges[:-1] * (edges[1:] - 1.0))


def table(sinpos, folder, positions, element_type):
    """The exact encodings of the positions, each rounded once to the type."""
    np.save(folder / "positions.npy", positions)
    out = folder / f"table_{element_type}.raw"
    subprocess.run([sinpos, "table", "--quiet", "--dim", str(DIM), "--positions", folder / "positions.npy",
                    "--type", element_type, "-o", out], check=True)
    if element_type == "bf16":
        bits = np.fromfile(out, "<u2").astype(np.uint32) << 16
        flat = bits.view(np.float32)
    else:
        flat = np.fromfile(out, {"f32": "<f4", "f64": "<f8"}[element_type])
    return flat.reshape(len(positions), DIM).astype(np.float64)


def usual_lines(positions):
    """What most projects run, in float32 throughout."""
    position = positions.astype(np.float32)[:, None]
    div_term = np.exp(np.arange(0, DIM, 2, dtype=np.float32) * np.float32(-math.log(10000.0) / DIM))
    encoding = np.empty((len(positions), DIM), np.float32)
    encoding[:, 0::2] = np.sin(position * div_term)
    encoding[:, 1::2] = np.cos(position * div_term)
    return encoding.astype(np.float64)


def in_bfloat16(positions):
    """The positions as bfloat16 holds them: 8 significant bits, ties to even."""
    bits = positions.astype(np.float32).view(np.uint32)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    return bits.view(np.float32).astype(np.int64)


def curves(sinpos):
    positions, starts, centres = choose_positions()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        exact = table(sinpos, folder, positions, "f64")
        made = {
            "usual": usual_lines(positions),
            "positions": table(sinpos, folder, in_bfloat16(positions), "f32"),
            "f32": table(sinpos, folder, positions, "f32"),
            "bf16": table(sinpos, folder, positions, "bf16"),
        }
    worst = {name: np.maximum.reduceat(np.abs(values - exact).max(axis=1), starts) for name, values in made.items()}
    return centres, worst


def x_of(position):
    share = (math.log10(position) - DECADES_X[0]) / (DECADES_X[1] - DECADES_X[0])
    return LEFT + share * (RIGHT - LEFT)


def y_of(error):
    share = (math.log10(error) - DECADES_Y[0]) / (DECADES_Y[1] - DECADES_Y[0])
    return BOTTOM - share * (BOTTOM - TOP)


def text(x, y, content, anchor="start", fill="#222", size=13, extra=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}" font-size="{size}"{extra}>'
            f"{content}</text>")


def power_of_ten(exponent):
    if exponent in (0, 1):
        return str(10**exponent)
    sign = "−" if exponent < 0 else ""
    return f'10<tspan dy="-5" font-size="9.5">{sign}{abs(exponent)}</tspan>'


def axes():
    parts = []
    for e in range(DECADES_Y[0], DECADES_Y[1] + 1):
        y = y_of(10.0**e)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="#e3e3e3"/>')
        if (e - DECADES_Y[0]) % 2 == 1:
            parts.append(text(LEFT - 8, y + 4.5, power_of_ten(e), "end"))
    for e in range(DECADES_X[0], DECADES_X[1] + 1):
        x = x_of(10.0**e)
        parts.append(f'<path d="M{x:.1f} {TOP}V{BOTTOM}" stroke="#e3e3e3"/>')
        parts.append(text(x, BOTTOM + 20, power_of_ten(e), "middle"))
        for k in range(2, 10):
            if e < DECADES_X[1]:
                parts.append(f'<path d="M{x_of(k * 10.0**e):.1f} {BOTTOM}v-4" stroke="#555"/>')
    parts.append(f'<rect x="{LEFT}" y="{TOP}" width="{RIGHT - LEFT}" height="{BOTTOM - TOP}" fill="none" stroke="#555"/>')
    parts.append(text((LEFT + RIGHT) / 2, BOTTOM + 44, "position", "middle", size=14))
    middle = (TOP + BOTTOM) / 2
    parts.append(text(26, middle, "largest error of an element, all within ±1", "middle", size=14,
                      extra=f' transform="rotate(-90 26 {middle:.1f})"'))
    return parts


def line(centres, errors, colour, dash="", width=2.2):
    points = " ".join(f"{x_of(p):.1f},{y_of(e):.1f}" for p, e in zip(centres, errors))
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"'
            f' stroke-linejoin="round"{dashes}/>')


def picture(centres, worst):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
             f' height="{HEIGHT}" font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif">',
             "<title>Error of sinusoidal position encodings against the position</title>",
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
             text(LEFT, 30, f"Error against position, {DIM} columns, base 10000", size=15, extra=' font-weight="bold"')]
    parts += axes()
    parts += [line(centres, worst["bf16"], OURS, dash="7 4"),
              line(centres, worst["f32"], OURS),
              line(centres, worst["positions"], POSITIONS, dash="2 3"),
              line(centres, worst["usual"], USUAL)]
    slope = math.degrees(math.atan2((BOTTOM - TOP) / (DECADES_Y[1] - DECADES_Y[0]),
                                    (RIGHT - LEFT) / (DECADES_X[1] - DECADES_X[0])))
    x, y = x_of(1500), y_of(2.1e-5)
    parts += [text(x_of(300) + 4, y_of(0.19), "positions kept in bfloat16: 257 becomes 256", fill=POSITIONS),
              text(x, y, "the usual lines in float32", fill=USUAL, extra=f' transform="rotate({-slope:.1f} {x:.1f} {y:.1f})"'),
              text(x_of(1.2), y_of(2.0**-9) - 9, "sinpos, bfloat16: half an ulp", fill=OURS),
              text(x_of(2000), y_of(2.0**-25) + 19, "sinpos, float32: half an ulp", fill=OURS)]
    return "\n".join(parts + ["</svg>", ""])


def main():
    centres, worst = curves(sys.argv[1])
    pathlib.Path(sys.argv[2]).write_text(picture(centres, worst), encoding="utf-8")
    for name, errors in worst.items():
        samples = ", ".join(f"{errors[np.searchsorted(centres, p) - 1]:.1e} near {p:.0e}" for p in (1e2, 1e3, 1e4, 1e5, 1e6))
        print(f"{name}: {samples}", file=sys.stderr)


if len(sys.argv) != 3:
    sys.exit("usage: readme_figure.py SINPOS OUT.svg")
main()
