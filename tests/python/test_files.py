"""Files: the bytes are the command line's, they appear whole or not at all, and hostile ones are refused."""
import json
import os
import struct
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sinpos
import sinpos._files

CLI = os.environ["SINPOS_CLI"]


def cli_file(tmp_path, ending, *options):
    path = tmp_path / ("cli" + ending)
    done = subprocess.run([CLI, "table", "-o", str(path), *options], capture_output=True, text=True)
    if done.returncode == 2 and "Jansson" in done.stderr:
        pytest.skip("this command line knows no .safetensors")
    assert done.returncode == 0, done.stderr
    return path.read_bytes()


@pytest.mark.parametrize("ending,dtype,word", [(".npy", "float64", "f64"), (".npy", "float32", "f32"),
                                               (".npy", "float16", "f16"), (".safetensors", "float32", "f32"),
                                               (".safetensors", "bfloat16", "bf16")])
@pytest.mark.parametrize("piece", [1000, 8 << 20])
def test_table_is_the_command_lines(tmp_path, monkeypatch, ending, dtype, word, piece):
    monkeypatch.setattr(sinpos._files, "_PIECE", piece)
    path = tmp_path / ("ours" + ending)
    for start, step in ((0, 1), (-7, 3), (0.25, 0.5)):
        sinpos.Encoding(dim=30).save(path, 333, start, step, dtype=dtype)
        want = cli_file(tmp_path, ending, "--dim", "30", "--length", "333", "--start", str(start), "--step", str(step),
                        "--type", word)
        assert path.read_bytes() == want
        table = sinpos.Encoding(dim=30).table(333, start, step, dtype=dtype)
        assert sinpos.load(path).tobytes() == sinpos.load(path, mmap=True).tobytes() == table.tobytes()


CONVENTIONS = [{"convention": "whisper", "dim": 64}, {"convention": "mae", "embed_dim": 32, "grid_size": 5},
               {"convention": "fairseq", "dim": 16}]


@pytest.mark.parametrize("words", CONVENTIONS, ids=str)
def test_convention(tmp_path, monkeypatch, words):
    monkeypatch.setattr(sinpos._files, "_PIECE", 1000)
    enc = sinpos.Encoding(**words)
    length = None if words["convention"] == "mae" else 50
    enc.save(tmp_path / "a.npy", length)
    assert np.array_equal(np.load(tmp_path / "a.npy"), enc.table(length))


ARRAYS = [np.arange(6.0).reshape(2, 3), np.zeros((0, 4), np.float16), np.float32(3), np.arange(5, dtype=">i4"),
          np.arange(12, dtype=np.uint8).reshape(2, 3, 2)[:, ::2], np.ones((2, 2), np.float32, order="F")]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype}{a.shape}")
@pytest.mark.parametrize("ending", [".npy", ".safetensors"])
def test_round_trip(tmp_path, array, ending):
    path = tmp_path / ("x" + ending)
    sinpos.save(path, array)
    for back in (sinpos.load(path), sinpos.load(str(path), mmap=True)):
        assert back.shape == array.shape and np.array_equal(back, array) and back.dtype == array.dtype.newbyteorder("=")
    if ending == ".npy":
        assert np.array_equal(np.load(path), array)


def test_several(tmp_path):
    path = tmp_path / "x.safetensors"
    bits = np.arange(4, dtype=np.uint16)
    sinpos.save(path, {"pe": np.eye(3), "scale": np.ones(1, np.float32)})
    assert sinpos.load(path, "pe").shape == (3, 3) and sinpos.load(path, "scale").tolist() == [1]
    with pytest.raises(ValueError, match="has 2 tensors"):
        sinpos.load(path)
    with pytest.raises(ValueError, match="no tensor 'other'"):
        sinpos.load(path, "other")
    sinpos.save(path, bits, dtype="bfloat16", name="ä")
    assert sinpos.load(path).tobytes() == bits.tobytes()
    assert json.loads(path.read_bytes()[8:].split(b"}}")[0] + b"}}")["ä"]["dtype"] == "BF16"


def test_numpy_files(tmp_path):
    """What numpy.save writes is read: Fortran's order, the other byte order, later versions."""
    path = tmp_path / "x.npy"
    for array in (np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(3, dtype=">f4")):
        np.save(path, array)
        for mmap in (False, True):
            assert np.array_equal(sinpos.load(path, mmap=mmap), array)
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(path, "wb") as file:
            np.lib.format.write_array(file, np.arange(4.0), version)
        assert sinpos.load(path).tolist() == [0, 1, 2, 3]
    np.save(path, np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="holds elements of type"):
        sinpos.load(path)


# ---------------------------------------------------------------------------------------------- whole or not at all


def test_nothing_appears_after_an_error(tmp_path):
    path = tmp_path / "x.npy"
    path.write_bytes(b"before")
    enc = sinpos.Encoding(dim=4)
    for error, call in ((OverflowError, lambda: enc.save(path, 3, start=2**63 - 2)),
                        (ValueError, lambda: enc.save(path, 3, dtype="bfloat16")),
                        (ValueError, lambda: enc.save(path, -1)),
                        (TypeError, lambda: sinpos.save(path, np.array(["a"]))),
                        (TypeError, lambda: sinpos.save(path, {"a": np.eye(2)})),
                        (ValueError, lambda: sinpos.save(tmp_path / "x.safetensors", np.eye(2), name="\n")),
                        (ValueError, lambda: sinpos.save(tmp_path / "x.csv", np.eye(2))),
                        (FileNotFoundError, lambda: enc.save(tmp_path / "no" / "x.npy", 3)),
                        (IsADirectoryError, lambda: sinpos.save(_folder(tmp_path, "d.npy"), np.eye(2)))):
        with pytest.raises(error):
            call()
    assert path.read_bytes() == b"before" and sorted(os.listdir(tmp_path)) == ["d.npy", "x.npy"]


def _folder(tmp_path, name):
    (tmp_path / name).mkdir()
    return tmp_path / name


def test_interrupted(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt
    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        sinpos.Encoding(dim=4).save(tmp_path / "x.npy", 3)
    assert os.listdir(tmp_path) == []


def test_private_from_the_first_moment(tmp_path, monkeypatch):
    """What replaces a private file is nobody else's to read, also before it has that file's permissions."""
    path, seen = tmp_path / "a.npy", []
    fchmod = os.fchmod
    monkeypatch.setattr(os, "fchmod", lambda fd, mode: (seen.append(os.fstat(fd).st_mode & 0o777), fchmod(fd, mode)))
    sinpos.Encoding(dim=4).save(path, 3)
    path.chmod(0o600)
    sinpos.Encoding(dim=4).save(path, 3)
    assert seen == [0o600] and path.stat().st_mode & 0o777 == 0o600


def test_links_and_permissions(tmp_path):
    real, link = tmp_path / "real.npy", tmp_path / "link.npy"
    sinpos.save(real, np.eye(2))
    assert real.stat().st_mode & 0o777 == 0o666 & ~_umask()
    real.chmod(0o640)
    link.symlink_to("real.npy")
    sinpos.save(link, np.eye(3))
    assert link.is_symlink() and real.stat().st_mode & 0o777 == 0o640 and sinpos.load(real).shape == (3, 3)
    fifo = tmp_path / "p.npy"
    os.mkfifo(fifo)
    with pytest.raises(ValueError, match="regular"):
        sinpos.load(fifo)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_no_room(tmp_path):
    with pytest.raises(OSError, match=r"needs 4\.5 PB, .* free"):
        sinpos.Encoding(dim=1024).save(tmp_path / "x.npy", 2**40)
    assert os.listdir(tmp_path) == []


# ---------------------------------------------------------------------------------------------- hostile files


def safetensors_of(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype="F32", shape=(1,), ends=(0, 4)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(ends)}


BAD_SAFETENSORS = [
    b"", b"\0" * 7, b"\0" * 8, struct.pack("<Q", 2**63) + b"{}", safetensors_of(b"[]"), safetensors_of(b"{"),
    safetensors_of(b"[" * 100000), safetensors_of(b'{"a":1,"a":2}'), safetensors_of(b'{"a":' + b"9" * 5000 + b"}"),
    safetensors_of(b"\xff{}"), safetensors_of({"a": 1}), safetensors_of({"": entry()}, b"1234"),
    safetensors_of({"a": entry()}, b"123"), safetensors_of({"a": entry()}, b"12345"),
    safetensors_of({"a": entry(), "b": entry()}, b"1234"), safetensors_of({"a": entry(ends=(4, 8))}, b"12345678"),
    safetensors_of({"a": entry(shape=(-1, -1))}, b"1234"), safetensors_of({"a": entry(shape=(True,))}, b"1234"),
    safetensors_of({"a": entry(shape=(1.0,))}, b"1234"), safetensors_of({"a": entry(shape=(2**62, 4, 2**62))}, b"1234"),
    safetensors_of({"a": entry(shape=[1] * 33)}, b"1234"), safetensors_of({"a": entry(ends=(4, 0))}, b"1234"),
    safetensors_of({"a": entry("F8_E4M3", (4,))}, b"1234"), safetensors_of({"a": {**entry(), "more": 1}}, b"1234"),
    safetensors_of({"a": entry(), "__metadata__": 3}, b"1234"), safetensors_of({"__metadata__": {}}),
    safetensors_of({"a\u0085": entry()}, b"1234"), safetensors_of(b'{"a":NaN}'),
    safetensors_of({"a": entry(dtype=4)}, b"1234"), safetensors_of({"a": entry(shape=(0, 2**62, 2**62), ends=(0, 0))}),
]


@pytest.mark.parametrize("data", BAD_SAFETENSORS, ids=range(len(BAD_SAFETENSORS)))
def test_bad_safetensors(tmp_path, data):
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="x.safetensors: .*\nhint: "):
        sinpos.load(path)


def npy_of(header, data=b"", version=1):
    text = header.encode("latin-1")
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + data


GOOD_NPY = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n"
BAD_NPY = [
    b"", b"\x93NUMPY\1\0", b"\x93NUMPX" + b"\0" * 20, npy_of(GOOD_NPY), npy_of(GOOD_NPY, b"12345"),
    npy_of(GOOD_NPY, b"1234", 4), npy_of(GOOD_NPY.replace("1,", "18446744073709551616,"), b"1234"),
    npy_of(GOOD_NPY.replace("(1,)", "(-1,)"), b"1234"), npy_of(GOOD_NPY.replace("(1,)", "(0,9999999999999999999)")),
    npy_of(GOOD_NPY.replace("(1,)", "(" + "1," * 40 + ")"), b"1234"), npy_of(GOOD_NPY.replace("<f4", "|O"), b"1234"),
    npy_of(GOOD_NPY.replace("<f4", "<c8"), b"1234"), npy_of(GOOD_NPY.replace("<f4", "f4"), b"1234"),
    npy_of(GOOD_NPY.replace("<f4", "<f4,<i4"), b"1234"), npy_of(GOOD_NPY.replace("<f4", "<,"), b"1234"),
    npy_of(GOOD_NPY.replace("<f4", ","), b"1234"), npy_of(GOOD_NPY.replace("<f4", "(2)f4"), b"1234"),
    npy_of(GOOD_NPY.replace("<f4", "f4, ("), b"1234"), npy_of(GOOD_NPY.replace("<f4", "|f4"), b"1234"),
    npy_of(GOOD_NPY + "x", b"1234"), npy_of("{'descr': '<f4'}", b"1234"), npy_of("(" * 30000, b"1234"),
    npy_of(GOOD_NPY.replace("}", "'shape': (1,)}"), b"1234"), npy_of("{'a': __import__('os').system('true')}"),
    npy_of("{}"), npy_of("", b""), b"\x93NUMPY\2\0" + struct.pack("<I", 2**31) + b"{}",
]


@pytest.mark.parametrize("data", BAD_NPY, ids=range(len(BAD_NPY)))
def test_bad_npy(tmp_path, data):
    path = tmp_path / "x.npy"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="x.npy: .*\nhint: "):
        sinpos.load(path)


@pytest.mark.parametrize("ending", [".npy", ".safetensors"])
@settings(max_examples=300, deadline=None, database=None)
@given(data=st.data())
def test_changed_bytes(tmp_path_factory, ending, data):
    """Any change of a file's bytes is refused with ValueError, or still gives an array of the bytes that are there."""
    path = tmp_path_factory.getbasetemp() / ("fuzz" + ending)
    sinpos.save(path, np.arange(6, dtype=np.float32).reshape(2, 3))
    whole = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at:at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=3))
    path.write_bytes(whole)
    try:
        assert sinpos.load(path).nbytes <= len(whole)
    except ValueError as error:
        assert "\nhint: " in str(error)


def test_names_reach_no_terminal(tmp_path):
    """Control characters and marks that change the direction of text are '?' in messages."""
    path = tmp_path / "a\u202e\x1b[31m.safetensors"
    sinpos.save(path, {"one\u202etwo": np.zeros(2), "three\u2066": np.zeros(2)})
    for name in (None, "\x1b[2Jnone"):
        with pytest.raises(ValueError) as caught:
            sinpos.load(path, name)
        assert str(caught.value).replace("\n", "").isprintable() and "one?two" in str(caught.value)
    with pytest.raises(ValueError, match=r"x\?\[31m\.txt: unsupported file extension"):
        sinpos.load("x\x1b[31m.txt")
