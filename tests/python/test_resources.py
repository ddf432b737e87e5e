"""Memory, threads, interpreters: what a long run must not use up."""
import gc
import os
import pickle
import resource
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import sinpos
from sinpos import _core

CALLS = int(os.environ.get("SINPOS_CALLS", "20000"))


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def settled_blocks():
    """Python's allocated blocks. The cache of attributes by type is emptied first: it keeps names alive, up to 4096 of
    them, and unpickling looks names up that it has just made."""
    clear = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache
    clear()
    gc.collect()
    return sys.getallocatedblocks()


def calls():
    """One of each kind; errors too."""
    enc, whisper = sinpos.Encoding(dim=8), sinpos.Encoding(dim=8, convention="whisper")
    rope, replay = sinpos.Encoding(dim=8, convention="hf_rope"), sinpos.Encoding(dim=8, arithmetic="float32-pow")
    x, table = np.zeros((2, 3, 8), np.float32), enc.table(16)
    return [
        lambda: sinpos.Encoding(dim=8), lambda: sinpos.Encoding(dim=8, convention="whisper"),
        lambda: sinpos.Encoding(dim=8, convention="hf_rope"), lambda: enc.table(3, 2), lambda: whisper.table(3),
        lambda: enc([1, 2.5]), lambda: enc(3, dtype="bfloat16_bits"), lambda: enc.add_(x), lambda: enc.add_(x, positions=[3, 1, 2]),
        lambda: rope.rotate_(x), lambda: rope.rotate_(x, positions=[[1, 2, 3], [4, 5, 6]], axis=-2) if x.ndim == 4 else None,
        lambda: replay.table(2), lambda: enc.shift(3), lambda: enc.shift_(x, 2), lambda: enc.gradient([1, 2]),
        lambda: enc.kernel([1, 2]), lambda: enc.distance(range(4)), lambda: enc.separation(9), lambda: enc.distinct(9),
        lambda: enc.frequencies, lambda: enc.plan.tones(), lambda: enc.plan.with_theta(enc.frequencies),
        lambda: whisper._impl._probe.info, lambda: whisper._impl._probe.positions(), lambda: whisper._impl._probe.plan,
        lambda: pickle.loads(pickle.dumps(enc)), lambda: repr(enc), lambda: hash(enc), lambda: sinpos.convention("mae"),
        lambda: refused(lambda: enc.add_(x[..., :3])), lambda: refused(lambda: enc([1e300])),
        lambda: refused(lambda: sinpos.Encoding(base=-1)), lambda: refused(lambda: sinpos.Encoding(convention="whisper", dim=7)),
        lambda: refused(lambda: _core.Plan(1)), lambda: refused(lambda: enc.plan.run(0, x, [1, 2])),
        lambda: refused(lambda: enc.plan.run(0, x[:, :2], np.zeros(9))), lambda: refused(lambda: _core.isa_cap("sse9")),
        lambda: table,
    ]


def refused(call):
    try:
        call()
    except (ValueError, TypeError, OverflowError, NotImplementedError):
        return
    raise AssertionError("not refused")


@pytest.mark.parametrize("index", range(len(calls())))
def test_calls_leave_no_memory(index):
    """Resident memory and the number of objects and references do not grow with the number of calls."""
    call = calls()[index]
    n = max(CALLS // 40, 200)

    def many():
        for _ in range(n):
            call()

    many()
    blocks, before = settled_blocks(), resident_bytes()
    many()
    assert settled_blocks() - blocks < n / 50
    assert resident_bytes() - before < 64 * n + (2 << 20)


@pytest.mark.parametrize("call", [lambda e: sinpos.identify(e.table(40)), lambda e: sinpos.check(e, "relative", length=40),
                                  lambda e: sinpos.base_for_context(16, 8), lambda e: sinpos.claims(),
                                  lambda e: sinpos.conventions(), lambda e: sinpos.audit(e.table(9), e)])
def test_analysis_leaves_no_memory(call):
    enc = sinpos.Encoding(dim=8)
    for _ in range(5):
        call(enc)
    blocks, before = settled_blocks(), resident_bytes()
    for _ in range(60):
        call(enc)
    assert settled_blocks() - blocks < 20
    assert resident_bytes() - before < 4 << 20


def test_the_interpreter_runs_meanwhile():
    """Another thread counts while a table is filled by one thread."""
    enc, out = sinpos.Encoding(dim=1024), np.empty((1 << 16, 1024))
    enc.table(len(out), out=out, threads=1)
    done, ticks = threading.Event(), 0

    def fill():
        for _ in range(4):
            enc.table(len(out), out=out, threads=1)
        done.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)  # nothing but a release lets the other thread run
    try:
        worker = threading.Thread(target=fill)
        worker.start()
        while not done.is_set() and ticks < 20:
            ticks += 1
            time.sleep(0.001)
        assert ticks >= 20 or not done.is_set() or ticks > 3
        worker.join()
    finally:
        sys.setswitchinterval(interval)
    assert ticks > 3


def test_threads_share_an_encoding():
    enc, results = sinpos.Encoding(dim=64, convention="whisper"), [None] * 8
    want = enc.table(300).tobytes()

    def work(k):
        results[k] = all(enc.table(300).tobytes() == want and enc(np.arange(300)).tobytes() == want for _ in range(50))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results)


def test_interrupt():
    """Ctrl-C stops long work."""
    code = ("import sinpos, threading, os, signal, time\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "sinpos.base_for_context(1 << 20, 256)\n")
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert "KeyboardInterrupt" in done.stderr and time.monotonic() - began < 60


def test_progress():
    seen = []
    sinpos.Encoding(dim=64).kernel_first_negative(1 << 22, progress=seen.append)
    assert all(0 <= part <= 1 for part in seen)
    with pytest.raises(ZeroDivisionError):
        sinpos.base_for_context(4096, 64, progress=lambda part: 1 / 0)


LOAD = """
import importlib.util
spec = importlib.util.spec_from_file_location("sinpos._core", PATH)
core = importlib.util.module_from_spec(spec)
spec.loader.exec_module(core)
assert core.Plan(4, 0, 0, 0, 0, 0, 1e4, 1., 1., 0., 0., 1., 1., 0., 0., None, None).dim == 4
"""


MAKE = """
try: # up to CPython 3.12
    import _xxsubinterpreters as s
    create = lambda: s.create(isolated=False)
except ImportError:
    import _interpreters as s
    create = lambda: s.create("legacy")
"""


def test_subinterpreter():
    """The extension has state of its own in each interpreter that shares the GIL; NumPy 1.24 itself loads in one only."""
    load = f"PATH = {_core.__file__!r}" + LOAD
    code = (f"{load}\n{MAKE}\n"
            f"for _ in range(3):\n    i = create()\n    failed = s.run_string(i, {load!r})\n    assert failed is None, failed\n"
            f"    s.destroy(i)\n{load}\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
