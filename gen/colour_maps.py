#!/usr/bin/env python3
"""colour_maps.py: prints plot/colour_maps.h.

Two colour maps, computed in OKLab (Ottosson 2020, "A perceptual color space for image processing",
https://bottosson.github.io/posts/oklab/), where equal steps look equal:

diverging   blue, white, orange: the two hues that people without red, or without green, distinguish best. Lightness falls
            alike to both sides, so that sizes compare.
sequential  dark violet over blue-green to light yellow: lightness grows in equal steps, so that order survives any
            colour blindness, and grey paper. (The idea of van der Walt and Smith's viridis; the colours are computed here.)

Lines have the colours of Okabe and Ito 2008, "Color Universal Design", https://jfly.uni-koeln.de/color/, darkest first.
"""
import math

N = 33
LINES = ["0072B2", "D55E00", "009E73", "CC79A7", "56B4E9", "E69F00", "000000", "999999"]


def srgb(lightness, chroma, hue_degrees):
    """OKLCH to sRGB, 0 .. 1; may lie outside."""
    a = chroma * math.cos(math.radians(hue_degrees))
    b = chroma * math.sin(math.radians(hue_degrees))
    l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
              -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
              -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)
    return [12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055 for v in linear]


def inside(colour):
    return all(-1e-6 <= v <= 1 + 1e-6 for v in colour)


def colour(lightness, chroma, hue_degrees):
    """The colour, with as much of the chroma as sRGB has at this lightness."""
    low, high = 0.0, chroma
    if not inside(srgb(lightness, chroma, hue_degrees)):
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if inside(srgb(lightness, middle, hue_degrees)) else (low, middle)
        chroma = low
    return "".join(f"{round(255 * min(1, max(0, v))):02X}" for v in srgb(lightness, chroma, hue_degrees))


def diverging(t):
    """t from -1 to 1."""
    size = abs(t)
    lightness = 0.985 - 0.545 * size ** 1.15
    chroma = 0.155 * math.sin(min(1, size / 0.75) * math.pi / 2) ** 1.2
    return colour(lightness, chroma, 252 if t < 0 else 50)


def sequential(t):
    """t from 0 to 1."""
    return colour(0.27 + 0.68 * t, 0.125 + 0.055 * t, 305 - 198 * t ** 0.9)


def listing(name, values):
    rows = [values[i:i + 8] for i in range(0, len(values), 8)]
    body = ",\n".join("    " + ", ".join("0x" + value for value in row) for row in rows)
    return f"static const unsigned {name}[{len(values)}] = {{\n{body},\n}};\n"


def main():
    steps = [i / (N - 1) for i in range(N)]
    print("/* colour_maps.h - printed by gen/colour_maps.py, which says where the colours come from. 0xRRGGBB. */")
    print("#pragma once\n")
    print(listing("map_diverging", [diverging(2 * t - 1) for t in steps]))
    print(listing("map_sequential", [sequential(t) for t in steps]))
    print(listing("line_colours", LINES), end="")


main()
