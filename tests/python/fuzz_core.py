#!/usr/bin/env python3
"""fuzz_core.py [CALLS] [--seed S] [--first I] [--only NAME]: calls every function of sinpos._core with right and wrong arguments.

A call must return, or raise what Python raises for wrong arguments; one that raises must leave arrays as they were. No
argument may gain or lose a reference, and no objects may pile up. The build under AddressSanitizer sees the rest; a call
that ends the process, or does not end, is named by its seed and number, from which `--seed S --first I 1` makes it again.
"""
import argparse
import collections
import gc
import mmap
import os
import random
import signal
import struct
import sys
import time
import warnings

import numpy as np
from numpy.lib.stride_tricks import as_strided

from sinpos import _core

EXPECTED = (ValueError, TypeError, OverflowError, MemoryError, OSError, BufferError, NotImplementedError)
SECONDS_MOST = 300


class Evil(Exception):
    """What the objects below raise: it must come out as it is."""


# ------------------------------------------------------------------------------------------------ objects


class Raising:
    def _raise(self, *_):
        raise Evil()

    __index__ = __int__ = __float__ = __len__ = __getitem__ = __bool__ = __iter__ = __call__ = __hash__ = __eq__ = _raise


class Lying:
    """Says a number that is none, or a length that it does not have."""

    def __init__(self, value, length):
        self.value, self.length = value, length

    def __index__(self):
        return self.value

    def __float__(self):
        return self.value

    def __bool__(self):
        return self.value

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if index > 3:
            raise Evil()
        return self.value

    def __call__(self, *_):
        return self


class Meddling:
    """A number that changes or drops something whenever it is looked at."""

    def __init__(self, value, victim):
        self.value, self.victim = value, victim

    def meddle(self):
        victim = self.victim
        for name in ("clear", "release"):
            if hasattr(victim, name):
                getattr(victim, name)()
        if isinstance(victim, bytearray):
            victim.extend(bytes(64))

    def __index__(self):
        self.meddle()
        return int(self.value)

    def __float__(self):
        self.meddle()
        return float(self.value)

    def __bool__(self):
        self.meddle()
        return True

    def __call__(self, *_):
        self.meddle()


class MeddlingInt(int):
    victim: dict = {}

    def __float__(self):
        self.victim.clear()
        return 8.0

    def __index__(self):
        self.victim.clear()
        return 8


class Shrinking(list):
    def __getitem__(self, index):
        if index >= len(self):
            raise Evil()
        item = super().__getitem__(index)
        self.pop()
        return item


class Text(str):
    pass


class Array(np.ndarray):
    pass


class Stop:
    """Progress that stops the work after some calls."""

    def __init__(self, n):
        self.n = n

    def __call__(self, part):
        assert 0 <= part <= 1
        self.n -= 1
        if self.n < 0:
            raise Evil()


INTEGERS = [0, 1, -1, 2, 3, 5, 7, 8, 16, 255, 1024, 1025, 2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**53, 2**63 - 1,
            2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 10**40, True, False]
REALS = [0.0, -0.0, 0.5, 1.0, -1.0, 1e-320, 5e-324, 1e300, -1e300, 2.0**53, 2.0**63, -(2.0**63), float("nan"), float("inf"),
         -float("inf"), 3.25]
DTYPES = ["f8", "f4", "f2", "u2"]
OTHER_DTYPES = [">f8", ">f4", ">i8", "i8", "u8", "i4", "i2", "i1", "u1", "?", "c16", "c8", "g", "S3", "U2", "O", "M8[s]", "V8",
                "f4,i4"]
WORDS = ["", "rope", "vaswani", "whisper", "avx2", "portable", "a\0b", "\ud800", "%s%n", "x" * 5000, "é", "dim", "\0"]


MODEL_TYPES = ["llama", "phi3", "gpt_neox", "gptj", "deepseek_v3", "deepseek_v4", "llama4_text", "smollm3", "cohere2", "gemma3_text", "falcon",
               "modernbert", "olmo3", "qwen2_vl", "mine"]
CONFIG_NAMES = ["rope_theta", "rope_scaling", "rope_parameters", "head_dim", "hidden_size", "num_attention_heads", "text_config", "type",
                "rope_type", "factor", "short_factor", "long_factor", "full_attention", "sliding_attention", "layer_types", "no_rope_layers",
                "original_max_position_embeddings", "max_position_embeddings", "partial_rotary_factor", "qk_rope_head_dim", "mrope_section"]


class Caller:
    def __init__(self, seed):
        self.seed = seed
        self.rng, self.held, self.n_rows, self.plan_of = random.Random(f"{seed} pool"), None, 3, {}
        self.conventions = _core.conventions()
        self.figures = [row[0] for row in _core.figures()]
        self.arithmetics = [row[0] for row in _core.arithmetics()]
        self.n_claims = len(_core.claims())
        self.plans = self.make_plans()
        self.named = self.make_named()
        self.replays = self.make_replays()
        self.identities = [_core.identify(self.table_of(plan), False, 1) for plan in self.plans if plan.dim <= 256]
        self.identities.append(_core.identify(np.ones((5, 4)), False, 1))
        self.kept = self.make_factors()
        self.functions = self.list_functions()

    # -------------------------------------------------------------------------------------------- what is called

    def make_plans(self):
        plans = []
        while len(plans) < 12:
            try:
                plans.append(_core.Plan(*self.plan_words()))
            except EXPECTED:
                continue
        plans += [_core.Plan(dim, 0, layout, 0, 0, 0, 1e4, 1, 1, 0, 0, 1, 1, 0, 0, None, None)
                  for dim in (2, 8, 64) for layout in (0, 1)]
        return plans

    def make_replays(self):
        """With the plan that a replay does not tell."""
        self.plan_of = {}
        for name in self.arithmetics:
            for plan in self.rng.sample(self.plans, 2):
                self.plan_of[_core.Replay(plan, name)] = plan
        return list(self.plan_of)

    def make_factors(self):
        kept = {}
        for self.held in self.plans:
            try:
                kept[self.held.factors(*self.factor_words())] = self.held
            except EXPECTED:
                continue
        self.plan_of.update(kept)
        return list(kept)

    def make_named(self):
        named = []
        for convention in self.conventions:
            for _ in range(3):
                try:
                    named.append(_core.Named(convention["name"], self.parameters(convention, 0.0), 0))
                except EXPECTED:
                    continue
        named.append(_core.Named("whisper", {"channels": 8, "length": 5}, 0))
        self.rotary = [one for one in named if one.info["head_width"] > 0]
        return named

    def table_of(self, plan):
        table = np.zeros((self.rng.choice([1, 2, 9, 20]), plan.dim), np.float32)
        try:
            plan.run(_core.FILL, table, np.zeros((len(table), plan.axes)) + np.arange(len(table))[:, None], 1)
        except EXPECTED:
            pass
        return table

    def list_functions(self):
        """name -> (weight, what makes the function and its arguments)."""
        number, text, threads, progress = self.integer, self.text, self.threads, self.progress
        plan, size, first, kind = self.any_plan, self.size, self.position, self.type_number
        module = {
            "isa": (1, []), "conventions": (0.1, []), "claims": (0.3, []), "arithmetics": (0.3, []), "figures": (0.3, []),
            "colours": (0.3, []), "isa_cap": (1, [lambda: self.one_of("avx2", "avx512", "portable", "sse9", None, text())]), "strerror": (1, [number]), "convention": (2, [text]), "convention_near": (1, [text]),
            "model_config": (3, [self.config, lambda: self.one_of(None, None, "full_attention", "sliding_attention", "3", text()),
                                 lambda: self.one_of(None, None, None, "hf_rope", "hf_cohere_rope", text()), self.flag, self.flag]),
            "kernel_values": (4, [plan, self.doubles, self.positions, threads]),
            "distance_values": (4, [plan, self.doubles, self.positions, threads]),
            "distance_matrix": (4, [plan, self.matrix, threads]),
            "kernel_first_negative": (2, [plan, size, threads, progress]),
            "separation": (3, [plan, first, size, size, threads, progress]),
            "separation_rounded": (3, [plan, first, size, kind, threads, progress]),
            "collisions": (2, [plan, first, size, kind, threads, progress]),
            "check": (0.7, [plan, first, size, kind, self.table, self.which, number, threads, progress, self.thresholds,
                            self.embeddings]),
            "base": (0.5, [self.small, self.small, lambda: 0.0, self.divisor, lambda: 1.0, self.real, self.flag, threads, progress]),
            "identify": (0.5, [self.table, self.flag, threads]),
            "identify_frequencies": (2, [lambda: self.one_of(self.doubles(), self.table(), self.falling(), self.falling())]),
            "advise": (0.1, [lambda: None, plan, lambda: None, lambda: None, lambda: None, lambda: "--dim 8", lambda: None,
                             lambda: "", lambda: 64, lambda: 0.0, threads, progress]),
            "diff": (0.5, [self.table, self.table, threads]),
            "diff_rotated": (0.3, [self.table, self.table, self.table, size, size, threads]),
            "figure": (1, [self.figure_name, plan, self.words, self.text, self.small, self.positions, self.real, self.small,
                           self.positions, self.small, threads, progress]),
        }
        functions = {name: (weight, lambda name=name: getattr(_core, name), kinds) for name, (weight, kinds) in module.items()}
        methods = {
            "Plan": (3, None, self.plan_words), "Named": (4, None, self.named_words),
            "Replay": (2, None, [plan, self.arithmetic]), "Identity": (0.2, None, [number]),
            "Plan.run": (8, self.plans, [self.operation, self.rows, self.positions, threads]),
            "Plan.run_at": (4, self.plans, self.address_words), "Plan.rows_at": (4, self.plans, self.row_words),
            "Plan.rotate": (8, self.plans, [self.heads, self.positions, self.direction, self.row_axis, threads]),
            "Plan.shift_matrix": (3, self.plans, [first, self.matrix]), "Plan.shift": (3, self.plans, [first, self.rows]),
            "Plan.theta": (2, self.plans, [self.doubles]), "Plan.with_theta": (3, self.plans, [self.doubles]), "Plan.plain": (2, self.plans, []),
            "Plan.tones": (1, self.plans, []), "Plan.sum_at": (4, self.plans, self.sum_words),
            "Plan.rotate_at": (4, self.plans, self.turn_words), "Plan.factors": (3, self.plans, self.factor_words),
            "Factors": (0.2, None, [number]), "Factors.rotate_at": (4, self.kept, self.kept_words),
            "Named.run": (6, self.named, [self.operation, self.rows, self.row, threads]),
            "Named.rotate": (6, self.rotary, [self.heads, self.row, self.direction, self.row_axis, threads]),
            "Named.positions": (1, self.named, []), "Named.coordinates": (3, self.named, [self.doubles]),
            "Replay.run": (5, self.replays, [self.operation, self.rows, self.positions, threads]),
            "Replay.rotate": (5, self.replays, [self.heads, self.positions, self.direction, self.row_axis, threads]),
            "Identity.rows": (2, self.identities, [self.row, self.rows]),
        }
        for name, (weight, pool, kinds) in methods.items():
            functions[name] = (weight, lambda name=name, pool=pool: self.method(name, pool), kinds)
        self.refuse_gaps(functions)
        return functions

    @staticmethod
    def refuse_gaps(functions):
        """Every function of the module, and every method of its types, is among those called."""
        there = {name for name, value in vars(_core).items() if callable(value) and not name.startswith("_")}
        for name in ("Plan", "Named", "Replay", "Identity", "Factors"):
            kind = getattr(_core, name)
            there |= {f"{name}.{method}" for method in vars(kind) if not method.startswith("_") and
                      callable(getattr(kind, method))}
        assert there == set(functions), there ^ set(functions)

    def method(self, name, pool):
        if pool is None:
            return getattr(_core, name)
        self.held = self.rng.choice(pool)
        getters = [key for key, value in vars(type(self.held)).items() if type(value).__name__ == "getset_descriptor"]
        try:
            getattr(self.held, self.rng.choice(getters or ["__doc__"]))
        except EXPECTED:
            pass
        return getattr(self.held, name.split(".")[1])

    # -------------------------------------------------------------------------------------------- numbers and words

    def one_of(self, *choices):
        return self.rng.choice(choices)

    def integer(self):
        return self.rng.choice([0, 1, 2, 3, 9]) if self.rng.random() < 0.7 else self.rng.choice(INTEGERS)

    def small(self):
        return self.rng.choice([1, 2, 3, 5, 8, 16, 33]) if self.rng.random() < 0.9 else self.one_of(0, -1, 2**63, -(2**63), 10**40)

    def size(self):
        return self.rng.choice([0, 1, 2, 3, 9, 33, 100, 300]) if self.rng.random() < 0.9 else self.one_of(-1, 2**63, 2**64, 10**40)

    def bounded(self, kind, value):
        """What would take minutes is asked for so much of that it is refused."""
        is_count = kind in (self.size, self.small) and isinstance(value, int)
        return 2**63 if is_count and 1 << 20 < value < 2**63 else value

    def position(self):
        return self.rng.randrange(-2000, 2000) if self.rng.random() < 0.7 else self.rng.choice(INTEGERS)

    def real(self):
        return self.rng.choice([0.0, 1.0, 2.0, 0.5]) if self.rng.random() < 0.6 else self.rng.choice(REALS)

    def divisor(self):
        return self.rng.choice([1.0, 4.0, 8.0]) if self.rng.random() < 0.8 else self.real()

    def flag(self):
        return self.rng.choice([True, False]) if self.rng.random() < 0.8 else self.anything()

    def threads(self):
        return self.rng.choice([0, 1, 1, 1, 2, 3]) if self.rng.random() < 0.95 else self.one_of(17, -1, 1025, 2**63, 2**64)

    def progress(self):
        return self.one_of(None, None, None, Stop(0), Stop(1), Stop(3), lambda part: part, Meddling(1, []))

    def type_number(self):
        return self.rng.choice([_core.F64, _core.F32, _core.F16, _core.BF16]) if self.rng.random() < 0.8 else self.integer()

    def operation(self):
        return self.rng.choice([0, 1, 2, 3]) if self.rng.random() < 0.9 else self.integer()

    def direction(self):
        return self.rng.choice([0, 1, 2]) if self.rng.random() < 0.9 else self.integer()

    def row(self):
        return self.rng.choice([0, 0, 1, 2, 5]) if self.rng.random() < 0.9 else self.integer()

    def row_axis(self):
        return self.rng.choice([-2, -3]) if self.rng.random() < 0.9 else self.integer()

    def text(self):
        word = self.rng.choice([*WORDS, *self.arithmetics, self.rng.choice(self.conventions)["name"]])
        return Text(word) if self.rng.random() < 0.1 else word

    def config(self, depth=0):
        """Of a model, mostly: keys that rules read, with values of any kind."""
        if depth == 0 and self.rng.random() < 0.05:
            return self.anything()
        names = [*CONFIG_NAMES, *WORDS] if self.rng.random() < 0.3 else CONFIG_NAMES
        config = {self.rng.choice(names): self.config_value(depth) for _ in range(self.rng.randrange(8))}
        if depth == 0 and self.rng.random() < 0.8:
            config["model_type"] = self.rng.choice(MODEL_TYPES)
        if self.rng.random() < 0.05:
            config[self.one_of(3, None, (1, 2), "\ud800", "a\0b")] = 1
        if self.rng.random() < 0.02:
            config["text_config"] = config
        return config

    def config_value(self, depth):
        choices = [self.integer, self.real, self.text, lambda: None, lambda: self.one_of(True, False), lambda: [self.real() for _ in range(4)],
                   lambda: [self.text(), 1], lambda: ("full_attention",) * 3, lambda: float("nan"), self.anything]
        if depth < 4:
            choices += [lambda: self.config(depth + 1)] * 3
        return self.rng.choice(choices)()

    def arithmetic(self):
        return self.rng.choice(self.arithmetics) if self.rng.random() < 0.8 else self.text()

    def figure_name(self):
        return self.rng.choice(self.figures) if self.rng.random() < 0.9 else self.text()

    def any_plan(self):
        self.held = self.rng.choice(self.plans)
        return self.held

    def which(self):
        indices = [self.rng.randrange(self.n_claims) for _ in range(self.rng.choice([0, 1, 1, 2]))]
        good = np.array(indices, np.int64)
        return self.one_of(good, good, good, None, self.twisted(good), indices, Lying(0, self.one_of(2, 9)), good - 2**62)

    def thresholds(self):
        return None if self.rng.random() < 0.6 else self.shaped(self.fill(np.full(self.n_claims, np.nan)))

    def embeddings(self):
        """Of words."""
        return None if self.rng.random() < 0.6 else self.shaped(self.base_array([self.rng.choice([1, 2, 5]), self.dim()], "f8"))

    def plan_words(self):
        r = self.rng
        dim, schedule = r.choice([2, 4, 7, 8, 16, 64]), r.choice([0, 0, 0, 1, 2, 3, 4])
        theta = self.fill(np.ones((dim + 1) // 2)) if schedule > 2 else None
        factor = None if r.random() < 0.8 else np.arange(1.0, (dim + 1) // 2 + 1)
        words = [dim, schedule, r.randrange(2), r.randrange(2), r.randrange(2), 0, r.choice([1e4, 2.0, 500.0]), 1, 1, 0, 0, 1,
                 r.choice([1, 0.5]), 0, r.choice([0, 0, 0.25]), theta, factor]
        while r.random() < 0.3:
            at = r.randrange(len(words))
            words[at] = self.integer() if at < 6 else self.real() if at < 15 else self.doubles()
        return words

    def words(self):
        return None if self.rng.random() < 0.6 else tuple(self.plan_words())

    def parameters(self, convention, wrong):
        values = {}
        for name, fallback, _, _ in convention["parameters"]:
            if self.rng.random() < 0.5:
                values[name] = self.parameter(fallback) if self.rng.random() >= wrong else self.anything()
        return values

    def parameter(self, fallback):
        if fallback is not None and fallback[:1].isdigit():
            return self.one_of(2, 4, 8, 16, 64, 1, 3, 0.5, 100.0)
        return self.one_of(None, True, False, 8, 16, 0.25, "exact", "interleaved", np.arange(1.0, 5.0), np.ones((2, 3)))

    def named_words(self):
        convention = self.rng.choice(self.conventions)
        values = self.parameters(convention, 0.1)
        if self.rng.random() < 0.2:
            values[self.text()] = self.anything()
        if values and self.rng.random() < 0.1:
            meddler = MeddlingInt(8)
            values[self.rng.choice(list(values))] = meddler
            values["".join(["as", "if"])] = MeddlingInt(3)
            meddler.victim = values
        return [convention["name"], values, self.one_of(0, 0, 1, 15, 2**40)]

    # -------------------------------------------------------------------------------------------- arrays

    def fill(self, array):
        if array.dtype.kind == "f" and array.size and array.flags.writeable:
            flat = np.array([self.rng.choice(REALS) if self.rng.random() < 0.1 else self.rng.randrange(-99, 99) / 4
                             for _ in range(min(array.size, 64))])
            with np.errstate(all="ignore"):
                array[...] = np.resize(flat, array.shape)
        return array

    def base_array(self, shape, dtype):
        """Memory of its own, in which the rows and blocks lie somehow."""
        pad = self.rng.choice([0, 0, 0, 1, 3])
        step = self.rng.choice([1, 1, 1, 2])
        base = np.zeros([*[size * step for size in shape[:-1]], shape[-1] + pad], dtype)
        view = base[tuple([slice(None, None, step)] * (len(shape) - 1) + [slice(0, shape[-1])])]
        if view.ndim > 2 and self.rng.random() < 0.3:
            axes = list(range(view.ndim - 1))
            self.rng.shuffle(axes)
            view = view.transpose(*axes, view.ndim - 1)
        return self.fill(view)

    def twisted(self, array):
        """The same memory in a way that few expect; as it is where NumPy refuses to show it so."""
        try:
            return self.twist(array)
        except ValueError:
            return array

    def twist(self, array):
        kind = self.rng.randrange(13)
        if kind == 0:
            return array[tuple([slice(None, None, -1)] * self.rng.randrange(1, array.ndim + 1))]
        if kind == 1:
            array = array.view()
            array.flags.writeable = False
            return array
        if kind == 2 and array.size:
            return as_strided(array, (self.one_of(2, 2**20, 2**40, 2**58), *array.shape), (0, *array.strides))
        if kind == 3 and array.ndim > 1 and array.shape[0] > 1:
            return as_strided(array, (array.shape[0] - 1, *array.shape[1:]), (array.itemsize, *array.strides[1:])) \
                if array.ndim > 2 else as_strided(array, (2, max(array.shape[1] - 1, 0)), (array.itemsize, array.itemsize))
        if kind == 4:
            return array[..., ::2]
        if kind == 5:
            return array.view(Array)
        if kind == 6 and array.flags.c_contiguous and array.size:
            return memoryview(array)
        if kind == 7 and array.flags.c_contiguous and array.size:
            view = memoryview(array)
            view.release()
            return view
        if kind == 8 and array.flags.c_contiguous and array.size:
            raw = bytearray(array.tobytes())
            return np.frombuffer(raw, array.dtype).reshape(array.shape)
        if kind == 9:
            return np.zeros(array.shape, self.rng.choice(OTHER_DTYPES))
        if kind == 10:
            return array.reshape((1,) * (32 - array.ndim) + array.shape)
        if kind == 11 and array.size and array.shape[0] > 0:
            return as_strided(array, (0, 2**61, *array.shape[1:]), (8, 0, *array.strides[1:]))
        return array[:0]

    def shaped(self, array):
        return array if self.rng.random() < 0.8 else self.twisted(array)

    def dim(self):
        held = self.held
        if isinstance(held, _core.Named):
            known = self.rng.choice([held.info["n_columns"], held.info["head_width"] or held.info["n_columns"]])
        elif isinstance(held, _core.Identity):
            known = held.info["dim"]
        else:
            plan = self.plan_of.get(held, held)
            known = self.rng.choice([2, 8, 64]) if plan is None else plan.dim
        return known if self.rng.random() < 0.9 else self.rng.choice([0, 1, 2, 8, 64])

    def rows(self, n_axes=(0, 1, 1, 1, 2, 2, 3)):
        shape = [self.rng.choice([0, 1, 2, 3, 5]) for _ in range(self.rng.choice(n_axes))] + [self.dim()]
        self.n_rows = self.rng.choice([int(np.prod(shape[:-1])), shape[-2] if len(shape) > 1 else 1])
        return self.shaped(self.base_array(shape, self.rng.choice(DTYPES)))

    def heads(self):
        return self.rows((1, 2, 2, 3, 3, 4))

    def matrix(self):
        n = self.dim() if self.rng.random() < 0.9 else self.rng.choice([0, 1, 5])
        return self.shaped(self.base_array([n, n], self.rng.choice(["f8", "f8", "f8", *DTYPES])))

    def table(self):
        if self.rng.random() < 0.2:
            return None
        self.held = self.held if isinstance(self.held, _core.Plan) and self.rng.random() < 0.9 else self.rng.choice(self.plans)
        table = self.table_of(self.held).astype(self.rng.choice(["f8", "f4", "f2"]))
        return self.shaped(table if self.rng.random() < 0.5 else self.fill(table))

    def doubles(self):
        n = self.rng.choice([0, 1, 2, 4, 5, 32])
        n = self.held.n_tones if isinstance(self.held, _core.Plan) and self.rng.random() < 0.7 else n
        self.n_rows = n
        return self.shaped(self.fill(np.zeros(n)))

    def falling(self):
        """A geometric list, of which one element is another now and then."""
        n = self.rng.choice([3, 4, 8, 64])
        made = self.rng.choice([1, 0.25, 3.5]) * self.rng.choice([10000.0, 2.0, 12345.678]) ** (-np.arange(n) / n)
        made[self.rng.randrange(n)] *= self.rng.choice([1, 1, 1.5])
        return made.astype(self.rng.choice([np.float64, np.float32, np.float16]))

    def positions(self):
        """Often as many as the rows drawn last need."""
        if self.rng.random() < 0.3:
            return self.position()
        n = self.n_rows if self.rng.random() < 0.8 else self.rng.choice([0, 1, 2, 3, 5, 10])
        plan = self.plan_of.get(self.held, self.held)
        axes = plan.axes if isinstance(plan, _core.Plan) else 1
        if self.rng.random() < 0.5:
            array = np.array([self.rng.choice([-(2**63), 2**63 - 1]) if self.rng.random() < 0.05 else self.rng.randrange(-99, 10**6)
                              for _ in range(n * axes)], np.int64)
        else:
            array = self.fill(np.zeros(n * axes))
        return self.shaped(array)

    # -------------------------------------------------------------------------------------------- addresses

    def address_words(self):
        """run_at() trusts the address, the sizes and nothing else."""
        n, ld = self.rng.choice([0, 1, 2, 5]), self.held.dim + self.rng.choice([-1, 0, 0, 3])
        self.memory = np.zeros(8 * (n + 1) * (max(ld, self.held.dim) + 1) + 64, np.uint8)
        self.list = np.zeros(n * self.held.axes + 1, np.int64)
        kind = self.one_of(0, 1, 2)
        where = self.position() if kind == 0 else self.list.ctypes.data if self.rng.random() < 0.9 else 0
        return [self.operation(), self.type_number(), self.memory.ctypes.data if self.rng.random() < 0.9 else 0, n, ld, kind,
                where, self.threads()]

    def where_words(self, axes, n):
        """kind and positions: the first one, or the address of a list."""
        self.list = np.arange(n * axes + 1, dtype=np.int64)
        kind = self.one_of(0, 1, 2)
        return [kind, self.position() if kind == 0 else self.list.ctypes.data if self.rng.random() < 0.9 else 0]

    def spread_words(self, plan, n):
        """Two addresses, (batches, heads, n, width) and the axis of rows: of those, too, only the numbers are checked."""
        batches, heads, width = self.one_of(0, 1, 2), self.one_of(0, 1, 3), plan.dim + self.one_of(-1, 0, 0, 3)
        self.memory = np.zeros((2, 8 * (batches * heads * n + 1) * (plan.dim + 4)), np.uint8)
        out, x = (one.ctypes.data if self.rng.random() < 0.9 else 0 for one in self.memory)
        return [out, self.one_of(out, x), batches, heads, n, width, self.row_axis()]

    def sum_words(self):
        n = self.one_of(0, 1, 2, 5)
        return [self.type_number(), *self.spread_words(self.held, n), *self.where_words(self.held.axes, n), self.threads()]

    def turn_words(self):
        n = self.one_of(0, 1, 2, 5)
        return [self.type_number(), *self.spread_words(self.held, n), self.direction(), *self.where_words(self.held.axes, n),
                self.threads()]

    def factor_words(self):
        n = self.one_of(0, 1, 2, 5)
        return [self.type_number(), n, self.direction(), *self.where_words(self.held.axes, n)]

    def kept_words(self):
        return [*self.spread_words(self.plan_of[self.held], self.one_of(0, 1, 2, 5)), self.threads()]

    def row_words(self):
        n = self.rng.choice([0, 1, 2, 5])
        self.memory = np.zeros(8 * n * self.held.dim + 8, np.uint8)
        self.list = np.zeros(n * self.held.axes + 1, np.int64)
        return [self.type_number(), self.memory.ctypes.data if self.rng.random() < 0.9 else 0, n,
                self.list.ctypes.data if self.rng.random() < 0.9 else 0]

    # -------------------------------------------------------------------------------------------- anything at all

    def anything(self):
        r = self.rng
        makers = [
            lambda: r.choice(INTEGERS[:-2]) if r.random() < 0.3 else r.choice([0, 1, 2, 8]), lambda: r.choice(REALS),
            lambda: None, lambda: True, self.text, lambda: b"bytes", lambda: bytearray(8), lambda: Raising(),
            lambda: Lying(r.choice([None, "x", 3.5, 2, []]), r.choice([-1, 0, 5, 2**70, "x"])),
            lambda: Meddling(3, r.choice([[], {}, bytearray(8), memoryview(bytearray(8))])), lambda: [], lambda: [1, 2], lambda: {},
            lambda: (1,), lambda: 1j, lambda: object(), lambda: int, lambda: r.choice(self.plans), lambda: r.choice(self.named),
            lambda: np.float64(r.choice(REALS)), lambda: np.int64(3), lambda: np.uint64(2**64 - 1), lambda: np.bool_(True),
            lambda: np.zeros(()), lambda: Shrinking([1, 2, 3]), lambda: (x for x in ()), lambda: MeddlingInt(3), lambda: ...,
            lambda: np.zeros((2, 3), r.choice(DTYPES + OTHER_DTYPES)), lambda: sys.modules["sinpos"],
        ]
        return r.choice(makers)()

    def arguments(self, name, kinds):
        is_vouched = name.endswith("_at") or name == "Plan.factors"  # they trust addresses
        args = kinds() if callable(kinds) else [kind() for kind in kinds]
        if is_vouched:
            at = self.rng.randrange(len(args))
            if self.rng.random() < 0.2:
                args[at] = self.one_of(None, "x", Raising(), 2.5, [], 2**70, 2**64, Lying("x", 1))
            return args
        while args and self.rng.random() < 0.2:
            args[self.rng.randrange(len(args))] = self.anything()
        if not callable(kinds):
            args = [self.bounded(kind, value) for kind, value in zip(kinds, args)]
        if self.rng.random() < 0.02:
            args = args[:-1] if self.rng.random() < 0.5 else [*args, self.anything()]
        for k, value in enumerate(args):
            if isinstance(value, Meddling) and self.rng.random() < 0.5:
                value.victim = self.rng.choice(args)
        return args

    # -------------------------------------------------------------------------------------------- one call

    def draw(self, index, only=None):
        """The call of that number: the same for the same seed, whatever was called before."""
        self.rng = random.Random(f"{self.seed} {index}")
        self.held, self.n_rows = None, 3
        names = [name for name in self.functions if only is None or only in name]
        name = self.rng.choices(names, [self.functions[name][0] for name in names])[0]
        _, function_of, kinds = self.functions[name]
        function = function_of()
        return name, function, self.arguments(name, kinds)

    def call(self, index, only=None):
        """Its name, and whether it returned."""
        name, function, args = self.draw(index, only)
        before = [memory_of(value) for value in args]
        counts = [sys.getrefcount(value) for value in args]
        raised = None
        try:
            result = function(*args)
        except (Evil, *EXPECTED) as error:
            raised = type(error)
        except BaseException as error:
            raise AssertionError(f"{describe(name, args)}: {error!r}") from error
        if name == "isa_cap" and raised is None:
            _core.isa_cap(None)
        result = None  # what it holds is let go
        after = [sys.getrefcount(value) for value in args]
        is_meddled = any(isinstance(value, (Meddling, MeddlingInt, Shrinking, dict)) for value in args)
        if not is_meddled:
            assert raised is None or all(map(same_memory, before, map(memory_of, args))), \
                f"{describe(name, args)} raised {raised.__name__}, and has changed an array"
            gone = [(value, a, b) for value, a, b in zip(args, counts, after) if a != b and type(value) not in (int, bool, type(None))
                    and value is not ...]
            assert not gone, f"{describe(name, args)}: references {gone}"
        return name, raised is None


def memory_of(value):
    """A copy of what an array holds; None for what is none, or is too large."""
    if isinstance(value, np.ndarray) and value.nbytes < 1 << 16 and value.dtype.kind != "O":
        return value.tobytes()
    return None


def same_memory(a, b):
    return a == b


def describe(name, args):
    def shown(value):
        if isinstance(value, np.ndarray):
            return f"<array {value.shape} {value.dtype.str} strides {value.strides}>"
        try:
            return repr(value)[:200]
        except Exception as error:
            return f"<{type(value).__name__}: {error!r}>"

    return f"{name}({', '.join(map(shown, args))})"


# ------------------------------------------------------------------------------------------------ many calls


def many_calls(seed, first, n, only, seconds, at):
    warnings.simplefilter("ignore")  # NumPy's, about its bool as an index
    caller = Caller(seed)
    made, returned = collections.Counter(), collections.Counter()
    objects = None
    until = time.monotonic() + seconds
    for index in range(first, first + n):
        if time.monotonic() > until:
            n = index - first
            break
        at[:8] = struct.pack("q", index)
        name, is_returned = caller.call(index, only)
        made[name] += 1
        returned[name] += is_returned
        if index - first == min(n // 2, 10000) and n >= 1000:
            gc.collect()
            objects = len(gc.get_objects())
    gc.collect()
    if objects is not None:
        grown = len(gc.get_objects()) - objects
        assert grown < 200, f"{grown} objects piled up"
    nobody_makes = ("Identity", "Factors")
    refused = [name for name in made if made[name] >= 100 and not returned[name] and name not in nobody_makes]
    assert not refused, f"none of at least 100 calls returned: {refused}"
    print(f"{n} calls, of which {returned.total()} returned, {n - returned.total()} were refused", flush=True)


def watch(child, at):
    """The child's exit status, or "hangs" where one call takes too long."""
    seen, since = None, time.monotonic()
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        now = struct.unpack("q", at[:8])[0]
        if now != seen:
            seen, since = now, time.monotonic()
        elif time.monotonic() - since > SECONDS_MOST:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "hangs"
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("calls", type=int, nargs="?", default=10000)
    parser.add_argument("--seed", default=str(time.time_ns()))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--show", action="store_true", help="print the calls before they are made")
    options = parser.parse_args()
    only = "" if options.only is None else f" --only {options.only}"
    print(f"seed {options.seed}", flush=True)
    at = mmap.mmap(-1, 8)
    at[:8] = struct.pack("q", -1)
    child = os.fork()
    if child == 0:
        if options.show:
            caller = Caller(options.seed)
            for index in range(options.first, options.first + options.calls):
                print(index, describe(*[x for x in caller.draw(index, options.only) if not callable(x)]), flush=True)
        many_calls(options.seed, options.first, options.calls, options.only, options.seconds, at)
        sys.stdout.flush()
        os._exit(0)
    status = watch(child, at)
    if status != 0:
        index = struct.unpack("q", at[:8])[0]
        print(f"call {index} {'hangs' if status == 'hangs' else f'ended with {status}'}; once more: "
              f"{sys.executable} {sys.argv[0]} 1 --seed {options.seed} --first {index}{only} --show", flush=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
