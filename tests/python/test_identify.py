"""sinpos.identify: what was done to a table is a finding, and the table without it is exact."""
import numpy as np
import pytest

import sinpos


def table(base: float = 10000.0) -> np.ndarray:
    return sinpos.Encoding(dim=32, base=base).table(300)


def noise(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(7).uniform(-1, 1, (rows, columns)).astype(np.float32)


def negated(x: np.ndarray) -> np.ndarray:
    y = x.copy()
    y[:, [5, 8]] *= -1
    return y


@pytest.mark.parametrize("kind, change, place", [
    ("sign", negated, {"n_columns": 2, "columns": [5, 8]}),
    ("sign", lambda x: -x, {"n_columns": 32}),
    ("constant", lambda x: x + np.float32(0.25), {"value": 0.25}),
    ("columns", lambda x: np.hstack([noise(300, 3), x]), {"first_column": 0, "last_column": 2}),
    ("stacked", lambda x: np.vstack([noise(2, 32), x]), {"first_row": 0, "last_row": 1}),
    ("permutation", lambda x: x[:, np.random.default_rng(3).permutation(32)], {}),
])
def test_what_was_done_is_found(kind, change, place):
    found = sinpos.identify(change(table()))
    assert found.is_sinusoidal and found.wrong == 0
    assert [defect["kind"] for defect in found.defects] == [kind]
    assert {key: found.defects[0][key] for key in place} == place
    exact = found.exact()
    want = change(table()) if kind == "permutation" else table()
    assert exact.shape == want.shape and (exact == want).all()


def test_an_exact_table_has_no_findings():
    assert sinpos.identify(table()).defects == ()


def test_parts():
    found = sinpos.identify(np.hstack([table(), table(500.0)]))
    assert found.wrong == 0 and found.info["part"]["columns"] == list(range(32))
    assert [other["columns"] for other in found.info["others"]] == [list(range(32, 64))]


def test_noise_has_no_findings():
    found = sinpos.identify(noise(300, 32))
    assert not found and found.defects == ()
