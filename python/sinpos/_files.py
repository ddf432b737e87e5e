"""Arrays in .npy and .safetensors, written whole or not at all, read with suspicion. docs/formats.md has the bytes."""
from __future__ import annotations

import errno
import itertools
import json
import math
import os
import re
import stat
import struct
from contextlib import contextmanager
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, NamedTuple, NoReturn, Optional, Tuple, Union

import numpy as np

from ._arrays import Array, element_type

Path = Union[str, "os.PathLike[str]"]

#: The name of an array in a .safetensors file where none is given.
DEFAULT_NAME = "position_encoding"
_PIECE = 8 << 20
_MOST_NPY_HEADER = 1 << 20
_MOST_SAFETENSORS_HEADER = 100_000_000
_MOST_DIMS = 32

_SAFETENSORS_TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I8": "|i1", "I16": "<i2", "I32": "<i4", "I64": "<i8",
    "U8": "|u1", "U16": "<u2", "U32": "<u4", "U64": "<u8",
}
_NPY_TYPES = frozenset(_SAFETENSORS_TYPES.values())


class Stored(NamedTuple):
    """An array in a file: where its elements are and what they mean."""

    file_type: "np.dtype[Any]"  # with its byte order
    shape: Tuple[int, ...]
    offset: int
    order: str = "C"
    is_bfloat16: bool = False

    @property
    def n_bytes(self) -> int:
        return math.prod(self.shape) * self.file_type.itemsize


#: Control characters, marks that change the direction of text, separators of lines, bytes that are not UTF-8.
_NOT_SHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def _shown(name: str) -> str:
    """A name of a file, or from one, as it may stand on a terminal."""
    return _NOT_SHOWN.sub("?", name)


def _refuse(path: str, why: str, hint: str = "the file is corrupt; copy or make it again") -> NoReturn:
    raise ValueError(f"{_shown(path)}: {_shown(why)}\nhint: {_shown(hint)}")


# ---------------------------------------------------------------------------------------------------- writing


def _size_text(n_bytes: float) -> str:
    """Three digits or more, in the unit that fits."""
    if n_bytes < 1000:
        return f"{n_bytes} bytes"
    units = ["kB", "MB", "GB", "TB", "PB", "EB"]
    n_bytes /= 1000
    while n_bytes >= 999.5 and len(units) > 1:
        n_bytes /= 1000
        del units[0]
    return f"{n_bytes:.3g} {units[0]}"


def _check_room(descriptor: int, path: str, n_bytes: int) -> None:
    volume = os.fstatvfs(descriptor)
    if volume.f_blocks and volume.f_frsize and volume.f_bavail < n_bytes // volume.f_frsize:
        raise OSError(errno.ENOSPC, f"needs {_size_text(n_bytes)}, and the file system has "
                                    f"{_size_text(volume.f_bavail * volume.f_frsize)} free", path)


def _open_beside(target: str) -> Tuple[int, str]:
    folder = os.path.dirname(target)
    mode = 0o600 if os.path.exists(target) else 0o666  # nobody else's to read until it has the permissions of what it replaces
    for n in itertools.count():
        name = os.path.join(folder, f".sinpos-{os.getpid()}-{n}")
        try:
            return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), name
        except FileExistsError:
            if n == 1000:
                raise
        except OSError as error:  # of the folder, and the name that the caller knows is the target's
            raise OSError(error.errno, os.strerror(error.errno or 0), target) from None
    raise AssertionError


def _inherit(descriptor: int, target: str) -> None:
    """A file that is replaced hands down its permissions."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o777)


def _sync_folder(target: str) -> None:
    try:
        folder = os.open(os.path.dirname(target) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(folder)
    except OSError:
        pass  # not every file system can
    finally:
        os.close(folder)


@contextmanager
def whole_file(path: Path, n_bytes: int = 0) -> Iterator[BinaryIO]:
    """A file to write that appears under its name when the block ends well, and not at all otherwise."""
    target = os.path.realpath(os.fspath(path))
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), target)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as device:
            yield device
        return
    descriptor, temporary = _open_beside(target)
    try:
        with open(descriptor, "wb") as file:
            _inherit(descriptor, target)
            _check_room(descriptor, target, n_bytes)
            yield file
            file.flush()
            os.fsync(descriptor)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_folder(target)


def _npy_header(dtype: "np.dtype[Any]", shape: Tuple[int, ...]) -> bytes:
    text = repr({"descr": dtype.str, "fortran_order": False, "shape": shape})[:-1] + ", }"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("latin-1")


def _safetensors_header(entries: Dict[str, Tuple[str, Tuple[int, ...], int]]) -> bytes:
    header, offset = {}, 0
    for name, (dtype, shape, n_bytes) in entries.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [offset, offset + n_bytes]}
        offset += n_bytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"the name of an array must be a string, not {type(name).__name__}")
    if not name or name == "__metadata__" or any(ord(c) < 32 or 127 <= ord(c) < 160 for c in name):
        raise ValueError(f"{name!r} cannot be the name of an array")


def ending_of(path: Path) -> str:
    text = os.fspath(path)
    for ending in (".npy", ".safetensors"):
        if text.endswith(ending):
            return ending
    _refuse(text, "unsupported file extension",
            "use a name that ends in .npy or .safetensors")


def _element_words(path: str, ending: str, array: Array, dtype: Any) -> Tuple[str, Array]:
    """The type's name in a .safetensors file, and the elements as they are stored."""
    name = element_type(dtype).name if dtype is not None else array.dtype.name
    if name in ("bfloat16", "bfloat16_bits"):
        if array.dtype.itemsize != 2:
            raise TypeError(f"{name} needs an array of bfloat16 or uint16, not {array.dtype.name}")
        if ending == ".npy":
            _refuse(path, ".npy files cannot hold bfloat16", "NumPy has none; use a name that ends in .safetensors")
        return "BF16", array.view("<u2")
    if dtype is not None and array.dtype.name != name:
        raise TypeError(f"the array holds {array.dtype.name}, not {name}")
    little = array.dtype.newbyteorder("<")
    word = next((w for w, t in _SAFETENSORS_TYPES.items() if w != "BF16" and np.dtype(t) == little), None)
    if word is None:
        raise TypeError(f"{ending} files do not take {array.dtype.name} here: float64, float32, float16, bfloat16 and "
                        "integers they do")
    return word, array.astype(little, copy=False)


def save(path: Path, array: Any, *, name: str = DEFAULT_NAME, dtype: Any = None) -> None:
    """Write an array to a .npy or .safetensors file, which appears whole or not at all.

    path
        the ending decides. Symbolic links are followed; a file that exists is replaced and hands down its permissions.
    array
        of float64, float32, float16, bfloat16 or integers, any shape; for .safetensors also a dict of names to arrays.
    name
        of the array in a .safetensors file.
    dtype
        "bfloat16" where the array holds bits as uint16; otherwise it need not be said. NumPy's .npy has no bfloat16.

    Raises ValueError, TypeError and OSError; what was there before then still is.

    >>> import os, tempfile, sinpos
    >>> path = os.path.join(tempfile.mkdtemp(), "pe.safetensors")
    >>> sinpos.save(path, sinpos.Encoding(dim=4).table(3))
    >>> sinpos.load(path).shape
    (3, 4)
    """
    text, ending = os.fspath(path), ending_of(path)
    arrays: Dict[str, Any] = array if isinstance(array, dict) else {name: array}
    if ending == ".npy" and isinstance(array, dict):
        raise TypeError(f"{_shown(text)}: a .npy file holds one array\nhint: use a name that ends in .safetensors")
    entries, parts = {}, []
    for key, value in arrays.items():
        _check_name(key)
        word, stored = _element_words(text, ending, np.asarray(value), dtype)
        entries[key] = (word, stored.shape, stored.nbytes)
        parts.append(stored)
    head = _npy_header(parts[0].dtype, parts[0].shape) if ending == ".npy" else _safetensors_header(entries)
    with whole_file(path, len(head) + sum(part.nbytes for part in parts)) as file:
        file.write(head)
        for part in parts:
            file.write(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)


def save_rows(path: Path, shape: Tuple[int, ...], n_rows: int, n_columns: int, dtype: Any, name: str,
              fill: Callable[[Array, int], None]) -> None:
    """Write rows as they are made: fill(out, first) makes rows first, first + 1, ... in out (n, n_columns)."""
    text, ending = os.fspath(path), ending_of(path)
    _check_name(name)
    kind = element_type("float32" if dtype is None else dtype)
    word, sample = _element_words(text, ending, np.empty(0, kind.storage), kind.name)
    n_bytes = n_rows * n_columns * kind.storage.itemsize
    head = _npy_header(sample.dtype, shape) if ending == ".npy" else _safetensors_header({name: (word, shape, n_bytes)})
    most = max(1, _PIECE // max(1, n_columns * kind.storage.itemsize))
    piece = np.empty((min(n_rows, most), n_columns), kind.storage)
    with whole_file(path, len(head) + n_bytes) as file:
        file.write(head)
        for first in range(0, n_rows, most):
            part = piece[:min(most, n_rows - first)]
            fill(part, first)
            file.write(part.astype(part.dtype.newbyteorder("<"), copy=False).reshape(-1).view(np.uint8).data)


# ---------------------------------------------------------------------------------------------------- reading

_NPY_ITEM = re.compile(
    r"""\s*(?P<q>['"])(?P<key>descr|fortran_order|shape)(?P=q)\s*:\s*"""
    r"""(?:(?P<r>['"])(?P<descr>[^'"\\]{1,16})(?P=r)|(?P<order>True|False)|\((?P<shape>[\d\s,L]*)\))"""
    r"""\s*(?P<end>,\s*\}?|\})""")


def _npy_dict(path: str, text: str) -> Dict[str, str]:
    """The three keys of the header, each once; values as text."""
    hint = "the file is corrupt or no .npy; save it again with numpy.save"
    found: Dict[str, str] = {}
    text = text.strip(" \n")
    at, is_open = 1, text.startswith("{")
    while is_open:
        item = _NPY_ITEM.match(text, at)
        if item is None:
            _refuse(path, "its header is not a dictionary of descr, fortran_order and shape", hint)
        key = item["key"]
        value = {"descr": item["descr"], "fortran_order": item["order"], "shape": item["shape"]}[key]
        if value is None or key in found:
            _refuse(path, f"its header has {key!r} twice, or unreadable", hint)
        found[key] = value
        at, is_open = item.end(), not item["end"].endswith("}")
    if len(found) != 3 or at != len(text):
        _refuse(path, "its header lacks 'descr', 'fortran_order' or 'shape', or goes on after them", hint)
    return found


def _sizes(path: str, text: str) -> Tuple[int, ...]:
    if not re.fullmatch(r"\s*(\d{1,19}L?\s*(,\s*\d{1,19}L?\s*)*,?\s*)?", text) or text.count(",") > _MOST_DIMS:
        _refuse(path, "its header has no readable 'shape'")
    sizes = tuple(int(part.strip().rstrip("L")) for part in text.split(",") if part.strip())
    if len(sizes) > _MOST_DIMS:
        _refuse(path, f"has more than {_MOST_DIMS} dimensions")
    return sizes


def _read_npy(path: str, file: BinaryIO, n_bytes: int) -> Stored:
    start = file.read(8)
    if start[:6] != b"\x93NUMPY" or len(start) < 8:
        _refuse(path, "does not begin as a .npy file does", "save it again with numpy.save")
    if start[6] not in (1, 2, 3) or start[7] != 0:
        _refuse(path, f"is .npy of version {start[6]}.{start[7]}; versions 1.0, 2.0 and 3.0 are read")
    width = 2 if start[6] == 1 else 4
    length = int.from_bytes(file.read(width), "little")
    offset = 8 + width + length
    if length > _MOST_NPY_HEADER or offset > n_bytes:
        _refuse(path, "its header is longer than the file, or than any header can be")
    words = _npy_dict(path, file.read(length).decode("latin-1"))
    descr = words["descr"]
    order = "" if descr[:1] not in "<>|=" else descr[0]
    try:
        kind = np.dtype(descr)
    except (TypeError, ValueError, SyntaxError):  # NumPy parses what has commas
        kind = np.dtype("O")
    if kind.newbyteorder("<").str not in _NPY_TYPES or (order == "|" and kind.itemsize > 1) or not order:
        hint = "float16, float32, float64 and integers are read"
        if descr.endswith("V2"):
            hint = "if it was bfloat16: numpy.load(path).view(ml_dtypes.bfloat16); .safetensors keeps the type"
        _refuse(path, f"holds elements of type {descr!r}", hint)
    stored = Stored(kind, _sizes(path, words["shape"]), offset, "F" if words["fortran_order"] == "True" else "C")
    if stored.n_bytes != n_bytes - offset:
        _refuse(path, f"its header promises {stored.n_bytes} bytes of data, and {n_bytes - offset} are there")
    return stored


def _refuse_twice(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _check_tensor(path: str, name: str, entry: Any) -> Tuple[int, int]:
    """Where the tensor's bytes begin and end."""
    if not name or any(ord(c) < 32 or 127 <= ord(c) < 160 for c in name):
        _refuse(path, "has a tensor with control characters in its name, or none")
    what = f"its tensor '{name[:80]}'"
    if (not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}
            or not isinstance(entry["dtype"], str)):
        _refuse(path, f"{what} is not described by dtype, shape and data_offsets")
    shape, ends = entry["shape"], entry["data_offsets"]
    if not isinstance(ends, list) or len(ends) != 2 or not all(map(_is_size, ends)) or ends[0] > ends[1]:
        _refuse(path, f"{what} has data_offsets that are not a range")
    if not isinstance(shape, list) or len(shape) > _MOST_DIMS or not all(map(_is_size, shape)):
        _refuse(path, f"{what} has a shape that is not a list of up to {_MOST_DIMS} sizes")
    known = _SAFETENSORS_TYPES.get(entry["dtype"])
    if known is not None and math.prod(shape) * np.dtype(known).itemsize != ends[1] - ends[0]:
        _refuse(path, f"{what} has data_offsets that do not fit its shape and dtype")
    return ends[0], ends[1]


def _safetensors_contents(path: str, file: BinaryIO, n_bytes: int) -> Tuple[int, Dict[str, Any]]:
    """Where the data begin, and the tensors; all of it checked."""
    length = int.from_bytes(file.read(8), "little")
    begin = 8 + length
    if n_bytes < 8 or length > _MOST_SAFETENSORS_HEADER or begin > n_bytes:
        _refuse(path, "its header is longer than the file, or than any header can be")
    try:
        header = json.loads(file.read(length).decode("utf-8"), object_pairs_hook=_refuse_twice)
    except (ValueError, RecursionError) as error:
        _refuse(path, f"its header is not good JSON: {str(error)[:120]}")
    if not isinstance(header, dict):
        _refuse(path, "its header is not a JSON object")
    if not isinstance(header.pop("__metadata__", {}), dict):
        _refuse(path, "its __metadata__ is not an object")
    covered = 0
    for first, last, name in sorted((*_check_tensor(path, name, entry), name) for name, entry in header.items()):
        if first != covered:
            why = "overlaps another" if first < covered else "leaves a hole before it"
            _refuse(path, f"its tensor '{name[:80]}' {why}")
        covered = last
    if covered != n_bytes - begin:
        _refuse(path, f"its header promises {covered} bytes of data, and {n_bytes - begin} are there")
    return begin, header


def _read_safetensors(path: str, file: BinaryIO, n_bytes: int, name: Optional[str]) -> Stored:
    begin, header = _safetensors_contents(path, file, n_bytes)
    if name is None and len(header) != 1:
        shown = ", ".join(list(header)[:8]) + (", ..." if len(header) > 8 else "")
        hint = f"say which with name=: {shown}" if header else "there is nothing to read"
        _refuse(path, f"has {len(header)} tensors", hint)
    chosen = next(iter(header)) if name is None else name
    if chosen not in header:
        _refuse(path, f"has no tensor '{chosen}'", f"it has {', '.join(list(header)[:8])}")
    entry = header[chosen]
    if entry["dtype"] not in _SAFETENSORS_TYPES:
        _refuse(path, f"its tensor '{chosen}' holds {entry['dtype']}", f"{', '.join(_SAFETENSORS_TYPES)} are read")
    return Stored(np.dtype(_SAFETENSORS_TYPES[entry["dtype"]]), tuple(entry["shape"]), begin + entry["data_offsets"][0],
                  is_bfloat16=entry["dtype"] == "BF16")


def _elements(path: str, file: BinaryIO, stored: Stored, mmap: bool) -> Array:
    n = math.prod(stored.shape)
    if mmap and n > 0:
        flat: Array = np.memmap(path, stored.file_type, "r", stored.offset, (n,))
    else:
        file.seek(stored.offset)
        flat = np.fromfile(file, stored.file_type, n)
        if len(flat) != n:
            _refuse(path, "ends before its last element")
    if not stored.file_type.isnative:
        flat = flat.astype(stored.file_type.newbyteorder("="))
    if stored.is_bfloat16:
        flat = flat.view(element_type("bfloat16").shown)
    try:
        shaped: Array = flat.reshape(stored.shape, order="F" if stored.order == "F" else "C")
        return shaped
    except ValueError:
        _refuse(path, "its header states an array larger than any can be")


def load(path: Path, name: Optional[str] = None, *, mmap: bool = False) -> Array:
    """Read an array from a .npy or .safetensors file.

    name
        of the array in a .safetensors file; it need not be said where there is one only.
    mmap
        leave the elements in the file: the array is read-only and costs no memory until it is used.

    Returns an array of the stored type and shape: bfloat16 as ml_dtypes.bfloat16 where that package is installed, else
    as its bits in uint16. The whole header is checked before a byte of the data is read; nothing in a file is executed.

    Raises ValueError for a file that is not what it should be, cut short, or larger than its header says; OSError.
    Source: https://numpy.org/neps/nep-0001-npy-format.html and https://github.com/huggingface/safetensors (format).

    >>> import os, tempfile, sinpos
    >>> path = os.path.join(tempfile.mkdtemp(), "pe.npy")
    >>> sinpos.Encoding(dim=4).save(path, 3)
    >>> bool((sinpos.load(path, mmap=True) == sinpos.Encoding(dim=4).table(3)).all())
    True
    """
    text, ending = os.fspath(path), ending_of(path)
    if not os.path.isfile(text):
        os.stat(text)
        _refuse(text, "is not a regular file", "give the name of a file")
    with open(text, "rb") as file:
        n_bytes = os.fstat(file.fileno()).st_size
        stored = (_read_npy(text, file, n_bytes) if ending == ".npy"
                  else _read_safetensors(text, file, n_bytes, name))
        return _elements(text, file, stored, mmap)
