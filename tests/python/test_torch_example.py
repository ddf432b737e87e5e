"""The example that trains theta."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

SOURCE = Path(os.environ.get("SINPOS_SOURCE", Path(__file__).parents[2]))


@pytest.mark.skipif(os.environ.get("SINPOS_TEST_SIZE") == "small", reason="trains for ten seconds")
def test_theta_finds_the_periods(tmp_path):
    picture = tmp_path / "theta.png"
    run = subprocess.run([sys.executable, SOURCE / "examples" / "python" / "train_theta.py", "--out", picture],
                         capture_output=True, text=True, check=True, timeout=300)
    fixed, trained, week, moon = run.stdout.splitlines()
    assert float(fixed.split()[-1]) > 1 and float(trained.split()[-1]) < 0.15
    assert abs(float(week.split()[-1]) - 7) < 0.02 and abs(float(moon.split()[-1]) - 29.5) < 0.3
    assert picture.read_bytes().startswith(b"\x89PNG")
