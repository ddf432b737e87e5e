"""Random calls of the extension; SINPOS_FUZZ_CALLS for more of them."""
import os
import pathlib
import subprocess
import sys

CALLS = os.environ.get("SINPOS_FUZZ_CALLS", "3000")


def test_random_calls():
    script = pathlib.Path(__file__).with_name("fuzz_core.py")
    done = subprocess.run([sys.executable, script, CALLS], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout[-8000:]
