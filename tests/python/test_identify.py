"""sinpos.identify: what was done to a table is a finding, and the table without it is exact."""
import pathlib

import numpy as np
import pytest

import sinpos

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "data" / "golden"


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


@pytest.mark.parametrize("n, base, divided", [(64, 10000.0, 1), (64, 500000.0, 1), (48, 26453.7, 1), (16, 1e6, 8)])
def test_the_formula_of_a_list_of_frequencies_is_found(n, base, divided):
    found = sinpos.identify_frequencies((base ** (-np.arange(n) / n) / divided).astype(np.float32))
    assert found and found.wrong == 0 and (found.base, found.divisor, found.scale) == (base, n, 1 / divided)
    assert found.encoding.convention == "hf_rope" and found.encoding.dim == 2 * n
    assert np.array_equal(found.exact.astype(np.float32), (base ** (-np.arange(n) / n) / divided).astype(np.float32))


@pytest.mark.parametrize("name, scaling, factor", [("llama3_d128", "llama3", 8), ("yarn_d64_f4", "yarn", 4),
                                                   ("dynamic_d32_f2_seq8192", None, 0), ("default_d16", None, 0)])
def test_lists_of_transformers_are_found(name, scaling, factor):
    found = sinpos.identify_frequencies(np.load(f"{GOLDEN}/hf_rope_inv_freq__{name}.npy"))
    assert found.is_published and found.wrong > 0 and (found.scaling, found.factor) == (scaling, factor)
    assert (found.ntk_base, found.ntk_factor) == ((10000, 7) if name.startswith("dynamic") else (0, 0))


def test_other_lists_are_none():
    assert not sinpos.identify_frequencies(np.linspace(1, 0.1, 64, dtype=np.float32))
    with pytest.raises(ValueError, match="one dimension"):
        sinpos.identify_frequencies(np.ones((2, 4)))
    with pytest.raises(ValueError, match="identify_frequencies"):
        sinpos.identify(np.ones(4))
