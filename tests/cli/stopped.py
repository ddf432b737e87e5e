#!/usr/bin/env python3
"""stopped.py --sinpos PROGRAM [--brief]: a report that is stopped, or fails, leaves nothing behind.

The signal is sent at the beginning, later, and as soon as one of the files is there, to the main thread or to another one. A folder that was there before stays, and stays empty.
"""
import argparse
import ctypes
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import turns

TGKILL = {"x86_64": 234, "aarch64": 131}.get(os.uname().machine)
MOMENTS = ((0, False, False), (0.02, False, False), (0.1, True, False), (0.3, True, True), ("file", False, False),
           ("file", True, False), ("file", True, True), ("file", True, False))
REPORT = ["report", "-o", "r", "--dim", "16", "--length", "64", "--threads", "2"]
libc = ctypes.CDLL(None)


def threads(process):
    """Main thread first; none when it has ended."""
    try:
        return sorted(int(name) for name in os.listdir(f"/proc/{process.pid}/task"))
    except FileNotFoundError:
        return []


def stop(process, number, to_other):
    others = threads(process)[1:]
    if to_other and others and TGKILL is not None:
        libc.syscall(TGKILL, process.pid, others[-1], number)
        return
    process.send_signal(number)


def wait_for(process, when, folder):
    """when: seconds, or "file"."""
    began = time.monotonic()
    while process.poll() is None and time.monotonic() - began < 60:
        if when == "file" and folder.exists() and any(folder.iterdir()):
            return
        if when != "file" and time.monotonic() - began >= when:
            return
        time.sleep(0.0005)


def failure(sinpos, number, when, to_other, has_folder):
    """'' if nothing is left, or the report is whole."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "r"
        if has_folder:
            folder.mkdir()
        process = subprocess.Popen([sinpos, *REPORT], cwd=name, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
        wait_for(process, when, folder)
        stop(process, number, to_other)
        process.communicate(timeout=60)
        left = sorted(entry.name for entry in folder.iterdir()) if folder.exists() else None
    if left is not None and "index.html" in left and not any(entry.startswith(".sinpos-") for entry in left):
        return ""  # it came too late
    if process.returncode == -number and left == ([] if has_folder else None):
        return ""
    return f"signal {number} at {when}, {'another thread' if to_other else 'main thread'}: code {process.returncode}, left {left}"


def full_disk(sinpos, size):
    """A file that may not grow beyond size: 3, one line and a hint, and no folder."""
    with tempfile.TemporaryDirectory() as name:
        done = subprocess.run([sinpos, *REPORT], cwd=name, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        left = sorted(entry.name for entry in pathlib.Path(name).rglob("*"))
    is_right = done.returncode == 3 and "file too large" in done.stderr and len(done.stderr.splitlines()) == 2 and not left
    return "" if is_right else f"files up to {size} bytes: code {done.returncode}, {done.stderr!r}, left {left}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sinpos", required=True)
    parser.add_argument("--brief", action="store_true", help="all moments with SIGINT, one with the others")
    given = parser.parse_args()
    sinpos = str(pathlib.Path(given.sinpos).resolve())
    wrong, n = [], 0
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for when, to_other, has_folder in MOMENTS[-1:] if given.brief and number != signal.SIGINT else turns.mine(MOMENTS):
            n += 1
            wrong += [why for why in [failure(sinpos, number, when, to_other, has_folder)] if why]
    for size in (1, 1 << 12, 1 << 14):
        n += 1
        wrong += [why for why in [full_disk(sinpos, size)] if why]
    print("\n".join(wrong) if wrong else f"{n} reports that were stopped or failed left nothing")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
