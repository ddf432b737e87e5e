"""The bytes of the package are those of the C library: the command line's hashes, over conventions and types."""
import hashlib
import json
import os
import pickle
import subprocess

import numpy as np
import pytest

import sinpos

CLI = os.environ["SINPOS_CLI"]
TYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16_bits": "bf16"}


def cli_hash(*options):
    """The hash that the command line prints, or None where it refuses."""
    done = subprocess.run([CLI, "table", "--hash", *options], capture_output=True, text=True)
    assert done.returncode in (0, 2), done.stderr
    return done.stdout.strip() if done.returncode == 0 else None


def hash_of(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def table_or_none(encoding, *args, **words):
    try:
        return encoding.table(*args, **words)
    except (ValueError, OverflowError):
        return None


STATED = [
    {}, {"dim": 7}, {"dim": 7, "odd": "zero"}, {"dim": 64, "base": 500}, {"dim": 96, "layout": "halves"},
    {"dim": 96, "layout": "halves", "order": "cos-sin", "divisor": 47}, {"dim": 40, "amplitude": 0.5},
    {"dim": 40, "shift": 1, "scale": 0.25}, {"dim": 20, "schedule": "octave"},
    {"dim": 24, "schedule": "power", "exponent": 2.5}, {"dim": 16, "phase": 0.3}, {"dim": 16, "phase_turns": 0.125},
    {"dim": 16, "arithmetic": "float32-pow"}, {"dim": 16, "base": 3, "base_divisor": 7},
]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("words", STATED, ids=str)
def test_stated(words, dtype):
    options = [part for name, value in words.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    for start, length in ((0, 300), (-150, 300), (10**15, 65)):
        want = cli_hash(*options, "--type", TYPES[dtype], "--start", str(start), "--length", str(length))
        enc = sinpos.Encoding(**words)
        table = enc.table(length, start, dtype=dtype)
        assert want is not None and hash_of(table) == want
        assert hash_of(enc(np.arange(start, start + length), dtype=dtype)) == want


SMALL = os.environ.get("SINPOS_TEST_SIZE") == "small"


@pytest.mark.parametrize("number, name", enumerate(c.name for c in sinpos.conventions() if c.name != "vaswani"))
def test_convention_table(number, name):
    """Tables with default parameters, of the convention's own rows, are the command line's."""
    try:
        enc = sinpos.Encoding(convention=name)
    except ValueError:
        enc = None
    for dtype, word in [list(TYPES.items())[number % 4]] if SMALL else TYPES.items():
        want = cli_hash("--convention", name, "--type", word)
        kind = sinpos.convention(name).rows if enc is not None else ""
        table = None if enc is None else table_or_none(enc, 4096 if kind == "given" else None, dtype=dtype)
        if kind == "list":
            table = table_or_none(enc, 4096, dtype=dtype)
        assert (None if table is None else hash_of(table)) == want
        if want is None:
            break


@pytest.mark.parametrize("convention", sinpos.conventions(), ids=lambda c: c.name)
def test_aliases(convention):
    """Some have defaults of their own; the small size takes those alone."""
    for alias in convention.aliases:
        if SMALL and sinpos.convention(alias).called == convention.name:
            continue
        try:
            enc = sinpos.Encoding(convention=alias)
        except ValueError:
            enc = None
        table = None if enc is None else table_or_none(enc, None if convention.rows == "own" else 64)
        length = () if convention.rows == "own" else ("--length", "64")
        assert (None if table is None else hash_of(table)) == cli_hash("--convention", alias, *length), alias


@pytest.mark.parametrize("alias, convention", [
    (alias, c.name) for c in sinpos.conventions() for alias in c.aliases if sinpos.convention(alias).called != c.name])
def test_aliases_with_defaults(alias, convention, tmp_path):
    """Queries are turned as the command line turns them; the encoding keeps its alias, in whatever copy of it."""
    q, mine = np.linspace(-1, 1, 5 * 64, dtype=np.float32).reshape(5, 64), None
    try:
        enc = sinpos.Encoding(64, alias)
        mine = enc.rotate_(q.copy(), partial=True)
    except ValueError:
        pass
    else:
        assert enc.convention == alias and sinpos.Encoding(64, alias.upper().replace("_", "-")) == enc
        assert eval(repr(enc), {"Encoding": sinpos.Encoding}) == enc == pickle.loads(pickle.dumps(enc))
    np.save(tmp_path / "q.npy", q)
    done = subprocess.run([CLI, "rotate", "q.npy", "--convention", alias, "-o", "out.npy"], cwd=tmp_path,
                          capture_output=True, text=True)
    assert (mine is None) == (done.returncode != 0), done.stderr
    assert mine is None or np.array_equal(np.load(tmp_path / "out.npy"), mine)


def test_partial_heads_by_alias():
    q = np.ones((1, 4, 64), np.float32)
    turned = sinpos.Encoding(64, "hf_phi").rotate_(q.copy(), start=5)
    assert (turned[..., 32:] == 1).all() and (turned[..., :32] != 1).all()
    want = sinpos.Encoding(64, "hf_rope", partial_rotary_factor=0.5).rotate_(q.copy(), start=5)
    assert np.array_equal(turned, want)


@pytest.mark.parametrize("name", [c.name for c in sinpos.conventions() if c.name != "vaswani"])
def test_convention_positions(name):
    """Whether a plan makes the rows or the whole encoding is made again, calls give what positions from outside give."""
    try:
        enc = sinpos.Encoding(convention=name)
    except ValueError:
        return
    needed = [f"--set={p.name}=1" for p in sinpos.convention(name).parameters if p.role == "length" and p.default is None]
    for rows in ([0, 1, 2, 5, 100], [0.5, 3.25, 17.0], [[1, 2], [3, 4]], [[0.5, 2, 3], [1, 1, 1]], [[0.5, 2, 3, 9]]):
        if enc.axes != (len(rows[0]) if isinstance(rows[0], list) else 1):
            continue
        try:
            got = hash_of(enc(rows))
        except ValueError:
            got = None
        assert got == cli_hash("--convention", name, *needed, "--set", f"{enc._impl._list_name}={json.dumps(rows)}")
