"""Ctrl-C during long work: signals are handled several times a second, and what was interrupted can be used again."""
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import sinpos

# Between two handled signals, of processor time, which half a second is on a processor of our own; or a part of the call,
# where processors are shared or slow.
SECONDS_MOST = 0.8
PART_MOST = 0.5
# A call that cannot be interrupted has one or two handled, when it begins and when it ends. A shorter one need not hear.
HANDLED_LEAST = 3
SECONDS_LEAST = 0.15
INTERVAL = 0.005
ROWS = 1 << 15


def long_calls():
    """A tenth of a second to some seconds each."""
    enc, x = sinpos.Encoding(dim=512), np.zeros((4 * ROWS, 512), np.float32)
    replay = sinpos.Encoding(dim=512, arithmetic="float32-pow")
    rope, whisper = sinpos.Encoding(dim=512, convention="hf_rope"), sinpos.Encoding(dim=512, convention="whisper")
    ints, reals, table = np.arange(4 * ROWS) * 7919 % 1000003, np.sqrt(np.arange(4 * ROWS)), enc.table(ROWS)
    permutation = np.random.default_rng(1).permutation(512)
    return {
        "table": lambda: enc.table(4 * ROWS, threads=1), "table_real": lambda: enc(reals, threads=1),
        "table_replay": lambda: replay.table(ROWS // 4, threads=1), "table_named": lambda: whisper.table(4 * ROWS, threads=1),
        "gradient": lambda: enc.gradient(reals, "theta", threads=1),
        "add": lambda: enc.add_(x.reshape(64, -1, 512), threads=1), "add_positions": lambda: enc.add_(x, positions=reals, threads=1),
        "rotate": lambda: enc.rotate_(x, positions=reals, threads=1),
        "rotate_named": lambda: rope.rotate_(x, positions=ints, threads=1),
        "shift": lambda: enc.shift_(x[:ROWS], 3), "kernel": lambda: enc.kernel(range(1 << 24), threads=1),
        "distance": lambda: enc.distance(range(1 << 20), threads=1),
        "distance_matrix": lambda: enc.distance_matrix(1 << 13, threads=1),
        "first_negative": lambda: sinpos.Encoding(dim=512, base=1e9).kernel_first_negative(1 << 30, threads=1),
        "separation": lambda: enc.separation(1 << 26, threads=1),
        "separation_rounded": lambda: enc.separation(1 << 17, dtype="float32", threads=1),
        "distinct": lambda: enc.distinct(1 << 26, threads=1), "check": lambda: sinpos.check(enc, length=2048, threads=1),
        "base": lambda: sinpos.base_for_context(1 << 11, 64, threads=1),
        "audit": lambda: sinpos.audit(table, enc, threads=1),
        "identify": lambda: sinpos.identify(table, all_rows=True, threads=1),
        "identify_permuted": lambda: sinpos.identify(np.take(table[:ROWS // 2], permutation, axis=1), threads=1),
        "identify_listed": lambda: sinpos.identify(enc(reals[:ROWS // 32] * 99), threads=1),
        "identify_nothing": lambda: sinpos.identify(np.ones((ROWS // 8, 64)), threads=1),
    }


@pytest.mark.parametrize("name", list(long_calls())[::2 if os.environ.get("SINPOS_TEST_SIZE") == "small" else 1])
def test_signals_are_handled(name):
    """A timer's handler is called again and again while the call runs."""
    call, times = long_calls()[name], []
    before = signal.signal(signal.SIGALRM, lambda *_: times.append(time.process_time()))
    signal.setitimer(signal.ITIMER_REAL, INTERVAL, INTERVAL)
    try:
        times.append(time.process_time())
        call()
        times.append(time.process_time())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    seconds, handled = times[-1] - times[0], len(times) - 2
    assert max(np.diff(times)) < max(SECONDS_MOST, PART_MOST * seconds)
    assert handled >= HANDLED_LEAST or seconds < SECONDS_LEAST


class Raised(Exception):
    pass


@pytest.mark.parametrize("name", ["table", "add_positions", "rotate", "kernel", "distance_matrix"])
def test_what_a_handler_raises_ends_the_call(name):
    """It is raised as it is, soon, and not when all is done."""
    def raise_it(*_):
        raise Raised

    call = long_calls()[name]
    before = signal.signal(signal.SIGALRM, raise_it)
    try:
        began = time.process_time()
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(Raised):
            call()
            time.sleep(1)  # a call that was done before
        assert time.process_time() - began < 4 * SECONDS_MOST
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


ENDLESS = {
    "rows": "[enc(np.arange(1 << 16) / 7) for _ in range(999)]",
    "separation": "enc.separation(1 << 40, dtype='float32')", "distinct": "enc.distinct(1 << 34)",
    "base": "sinpos.base_for_context(1 << 22, 512)", "check": "[sinpos.check(enc) for _ in range(99)]",
    "identify": "[sinpos.identify(enc.table(1 << 12)[:, ::-1]) for _ in range(999)]",
}
PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever began the tests may ignore it
import numpy as np, sinpos
enc = sinpos.Encoding(dim=512)
want = enc.table(9).tobytes()
print("ready", flush=True)
try:
    CALL
except KeyboardInterrupt:
    assert enc.table(9).tobytes() == want and enc.separation(100)[0].offset == 1
    print("stopped", flush=True)
"""


@pytest.mark.parametrize("name", ENDLESS)
def test_ctrl_c(name):
    program = PROGRAM.replace("CALL", ENDLESS[name])
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n", child.stderr.read()
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        try:
            out, error = child.communicate(timeout=30)
        finally:
            child.kill()
    assert out == "stopped\n" and child.returncode == 0, error
