#!/usr/bin/env python3
"""bench-table.py REPORT.json: writes the report of `sinpos bench --json` into docs/speed.md, and some rows into README.md.

    build/release/cli/sinpos bench --json >build/bench.json && tools/bench-table.py build/bench.json
"""
import json
import pathlib
import re
import sys
import textwrap

MARKS = re.compile(r"(<!-- bench -->\n).*?(<!-- /bench -->)", re.DOTALL)

# key: the work, what it is compared with
ROWS = {
    "fill_f32_vs_memset": ("table, float32", "`memset` of the same bytes"),
    "fill_f32_2threads_vs_memset_2threads": ("table, float32, 2 threads", "`memset`, 2 threads"),
    "fill_bf16_vs_memset": ("table, bfloat16", "`memset`"),
    "fill_f16_vs_memset": ("table, float16", "`memset`"),
    "fill_f64_vs_memset": ("table, float64", "`memset`"),
    "scattered_f32_vs_memset": ("random positions below 2^20, float32", "`memset`"),
    "scattered_any_f32_vs_memset": ("random 64-bit positions, float32", "`memset`"),
    "scattered_f64_vs_sleef_u10": ("random positions below 2^20, float64", "SLEEF in float64, 1 ulp, stored as float32"),
    "fill_runs_vs_fill": ("runs of 8 positions, float32", "consecutive positions"),
    "add_f32_vs_add_constant": ("x += encoding, float32", "x += constant"),
    "add_f32_vs_add_table": ("x += encoding, float32", "x += stored table"),
    "add_batch8_vs_add_constant": ("x += encoding, 8 sequences, float32", "x += constant"),
    "fill_bf16_cached_vs_double": ("64 rows in cache, bfloat16", "the same in double"),
    "fill_f16_cached_vs_double": ("64 rows in cache, float16", "the same in double"),
    "scattered_bf16_cached_vs_double": ("64 rows in cache, random positions below 2^20, bfloat16", "the same in double"),
    "add_bf16_cached_vs_double": ("64 rows in cache, x += encoding, bfloat16", "the same in double"),
    "rotate_f32_vs_scale": ("rotary, 32 heads of 128, float32", "x *= constant"),
    "rotate_pairs_f32_vs_scale": ("the same, neighbours paired", "x *= constant"),
    "rotate_one_head_f32_vs_scale": ("rotary, one head of 128, float32", "x *= constant"),
    "rotate_bf16_vs_scale": ("rotary, 32 heads of 128, bfloat16", "x *= constant in float32, same bytes"),
    "rotate_decode_layers32_vs_scale": ("rotary, one token, 32 layers of 32 heads, in cache, float32", "x *= constant"),
    "rotate_f32_vs_ggml": ("rotary, 32 heads of 128, float32", "ggml, `ggml_rope_ext_inplace`"),
    "rotate_f32_vs_torch": ("rotary, 32 heads of 128, float32", "PyTorch, `x * cos + rotate_half(x) * sin`"),
    "fill_f32_cached_vs_sleef_u35": ("64 rows in cache, float32", "SLEEF in float32, 3.5 ulp"),
    "fill_f32_cached_vs_libm_sincosf": ("64 rows in cache, float32", "`sincosf` of the C library"),
    "real_f32_vs_sleef_u10_f64": ("random real positions, float32", "SLEEF in float64, 1 ulp, cast"),
    "fill_f32_vs_torch": ("table, float32", "PyTorch, the usual lines"),
    "fill_f32_vs_torch_in_place": ("table, float32", "PyTorch, into memory touched before"),
    "fill_f32_vs_numpy32": ("table, float32", "NumPy, the usual lines"),
    "fill_f32_vs_numpy32_in_place": ("table, float32", "NumPy, into memory touched before"),
}
# The rows of the README.
SHORT = [
    "fill_f32_vs_memset", "fill_bf16_vs_memset", "fill_f64_vs_memset", "scattered_any_f32_vs_memset", "add_f32_vs_add_table",
    "add_batch8_vs_add_constant", "fill_bf16_cached_vs_double",
    "fill_f32_cached_vs_sleef_u35", "fill_f32_vs_torch", "fill_f32_vs_numpy32",
]
# In the text below the table, or of the machine alone.
OTHERS = {"plan_rows", "stream_store_vs_memset", "memcpy_vs_memset", "distance_vs_listing4"}


def short(number):
    return f"{number:.0f}" if number >= 20 else f"{number:.1f}" if number >= 5 else f"{number:.2f}"


def row(report, key):
    work, against = ROWS[key]
    rates, spread = report["gb_per_s"][key], report["spread"][key]
    if rates is None:
        return f"| {work} | | {against} | | not measured: needs {report['not_measured'][key]} |"
    ratio = f"**{short(report[key])}** ({short(spread[0])} to {short(spread[1])})"
    if key in report["suspect"]:
        ratio += ", suspect: " + report["suspect"][key]
    return f"| {work} | {rates['ours']:.1f} | {against} | {rates['theirs']:.1f} | {ratio} |"


def table(report, keys):
    lines = ["| sinpos, one thread unless said | GB/s | compared with | GB/s | ratio (lowest to highest pair) |",
             "| --- | ---: | --- | ---: | --- |"]
    return "\n".join(lines + [row(report, key) for key in keys]) + "\n"


def conditions(report):
    """The machine, the peers, and what has no row."""
    machine, peers = report["machine"], report["peers"]
    others = [f"{name} {peers[key]}" for name, key in (("PyTorch", "torch"), ("NumPy", "numpy")) if peers[key]]
    if peers["sleef"]:
        others.append(f"SLEEF ({peers['sleef']})")
    if peers["ggml"]:
        others.append(f"ggml {peers['ggml']}")
    text = (f"1024 columns, {'a quarter of the rows (a quick run), ' if report['quick'] else ''}"
            f"medians of {report['pairs']} pairs of neighbouring runs (PyTorch and NumPy 5); rates count the bytes written. "
            f"{machine['cpu']}, {machine['processors']} processors, {machine['isa']}" + "".join(f"; {o}" for o in others) +
            f". Making a plan takes the time of {report['plan_rows']:.0f} rows in cache and keeps "
            f"{report['plan_bytes_d1024_f32'] / 2**20:.2f} MiB for float32, {report['plan_bytes_d1024'] / 2**20:.2f} for all types.")
    paragraphs = [text]
    if report["distance_vs_listing4"] is not None:
        paragraphs.append("All distances between 1000 positions of 1000 columns, exact to 1e-12, take "
                          f"1/{report['distance_vs_listing4']:.0f} of the time of the usual broadcast in PyTorch "
                          "(float32, one thread).")
    return "".join("\n" + textwrap.fill(paragraph, 120) + "\n" for paragraph in paragraphs)


def write(page, text):
    old = page.read_text(encoding="utf-8")
    new, found = MARKS.subn(lambda m: m[1] + text + m[2], old)
    if found != 1:
        sys.exit(f"bench-table.py: {page}: has {found} places between <!-- bench --> and <!-- /bench -->, not one")
    page.write_text(new, encoding="utf-8")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    root = pathlib.Path(__file__).parent.parent
    report = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    unknown = set(report["gb_per_s"]) ^ (set(ROWS) | OTHERS)
    if unknown:
        sys.exit(f"bench-table.py: {', '.join(sorted(unknown))}: measured and not described here, or the reverse")
    write(root / "docs" / "speed.md", table(report, ROWS) + conditions(report))
    write(root / "README.md", table(report, SHORT))


main()
