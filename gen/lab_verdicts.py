#!/usr/bin/env python3
"""lab_verdicts.py: prints analysis/claims/lab_verdicts.h, what the stored results of the laboratory say of two sentences.

The rule is that of the laboratory (python/sinpos/lab/_verdicts.py), which needs nothing but Python here.
"""
import pathlib
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent
package = types.ModuleType("sinpos")  # without its extension
package.__path__ = [str(ROOT / "python/sinpos")]
sys.modules["sinpos"] = package
sys.dont_write_bytecode = True

from sinpos.lab import _store, _verdicts  # noqa: E402  pylint: disable=wrong-import-position

VERDICTS = {_verdicts.SUPPORTED: "SINPOS_HOLDS", _verdicts.REFUTED: "SINPOS_DOES_NOT_HOLD",
            _verdicts.CONDITIONAL: "SINPOS_HOLDS_ONLY_IF", _verdicts.OPEN: "SINPOS_DOES_NOT_APPLY"}


def claims(judged, verdict):
    return "; ".join(d.contrast.claims for d in judged.decided if d.verdict == verdict)


def why(judged):
    """One clause, as `sinpos check` prints it after the verdict."""
    pairs = min(d.n for d in judged.decided)
    source = f"{pairs} seeds of small models, docs/lab.md"
    if judged.verdict == _verdicts.OPEN:
        return f"not decided: {source}"
    if judged.verdict == _verdicts.CONDITIONAL:
        return f"{claims(judged, _verdicts.SUPPORTED)}; refuted: {claims(judged, _verdicts.REFUTED)} ({source})"
    return f"{claims(judged, judged.verdict)} ({source})"


def numbers(decided):
    name = decided.contrast.name.replace("-", "_")
    found = decided.estimate
    values = (("", found.mean), ("_low", found.low), ("_high", found.high)) if found else ()
    return [f'{{"{name}{ending}", {value:.6g}}}' for ending, value in values]


def main():
    by_name = {j.sentence.name: j for j in _verdicts.judge(_store.read([str(ROOT / "tests/data/lab/results.jsonl")]))}
    print("/* lab_verdicts.h - printed by gen/lab_verdicts.py from tests/data/lab/results.jsonl. */\n#pragma once\n")
    print('#include "claims_lab.h"\n')
    for name in ("trainable", "learned"):
        judged = by_name[name]
        details = [number for decided in judged.decided for number in numbers(decided)] or ["{0}"]
        first = judged.decided[0].estimate
        print(f"static const lab_verdict lab_{name} = {{")
        print(f"    {VERDICTS[judged.verdict]},")
        print(f"    {'NAN' if first is None else format(first.mean, '.6g')},")
        print(f'    "{why(judged)}",')
        print(f"    {sum(len(numbers(decided)) for decided in judged.decided)},")
        print("    {", end="")
        print(",\n     ".join(details) + "},\n};")


main()
