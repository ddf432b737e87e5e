"""What a type checker must make of calls: read by mypy, not run."""
from typing import Any, Dict, List, Optional, Tuple, assert_type

import numpy as np

import sinpos
from sinpos import Audit, Base, Claim, ClaimResult, Convention, Distinct, Encoding, Identification, Near, Parameter

Array = np.ndarray[Any, np.dtype[Any]]

enc = Encoding(64, "whisper", max_timescale=20000)
assert_type(enc.dim, int)
assert_type(enc.convention, Optional[str])
assert_type(enc.parameters, Dict[str, Any])
assert_type(enc == 3, bool)
assert_type(enc.separation(100), List[Near])
assert_type(enc.separation(100)[0].distance, float)
assert_type(enc.distinct(100), Distinct)
assert_type(enc.kernel_first_negative(), Optional[int])
assert_type(enc.save("pe.npy", 10), None)

found = sinpos.identify(enc.table(100))
assert_type(found, Identification)
assert_type(found.encoding, Optional[Encoding])
assert_type(found.conventions, Tuple[str, ...])
assert_type(sinpos.audit(enc.table(9), enc), Audit)
assert_type(sinpos.check(enc, "relative", progress=print), List[ClaimResult])
assert_type(sinpos.claims(), List[Claim])
assert_type(sinpos.base_for_context(4096), Base)
assert_type(sinpos.conventions(), List[Convention])
assert_type(sinpos.convention("whisper").parameters, Tuple[Parameter, ...])
assert_type(sinpos.isa(), str)

rows = np.zeros((3, 64), np.float32)
assert_type(enc.table(3), Array)
assert_type(enc([1, 2]), Array)
assert_type(enc.kernel(range(4)), Array)
assert_type(enc.add_(rows), "np.ndarray[Any, np.dtype[np.float32]]")
assert_type(enc.shift_(rows, 3), "np.ndarray[Any, np.dtype[np.float32]]")
assert_type(Encoding.from_config("config.json", layers=3), Encoding)
assert_type(sinpos.positions_from_mask([[0, 1, 1]]), Array)

# Wrong calls are found before they run. With --strict an ignore that nothing needs is an error itself.
Encoding(dim="64")  # type: ignore[arg-type]
Encoding(64, base="10000")  # type: ignore[arg-type]
enc.table(3, 0, 1, "float32")  # type: ignore[misc]
enc.table(3, dtpye="float32")  # type: ignore[call-arg]
enc.dim = 3  # type: ignore[misc]
sinpos.check("whisper")  # type: ignore[arg-type]
sinpos.audit(enc.table(9))  # type: ignore[call-arg]
found.encoding.table(3)  # type: ignore[union-attr]
