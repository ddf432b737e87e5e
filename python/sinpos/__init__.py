"""Sinusoidal position encodings, exact to the last bit, at the speed of memory.

>>> import sinpos
>>> sinpos.Encoding(dim=768).table(4096).shape
(4096, 768)

:class:`Encoding` is what most people need; :func:`conventions` lists the published definitions known by name.
The C library underneath does all the work; NumPy arrays are filled and changed in place, without copies.
"""
from ._advise import Advice, Fact, advise
from ._analysis import (Audit, Base, Claim, ClaimResult, Frequencies, Identification, audit, base_for_context, check,
                        claims, identify, identify_frequencies)
from ._arrays import positions_from_mask
from ._catalogue import Arithmetic, Convention, Parameter, arithmetics, convention, conventions
from ._core import __version__, isa
from ._diff import Cause, Difference, diff
from ._encoding import Encoding
from ._files import load, save
from ._results import Distinct, Near

__all__ = [
    "Advice", "Arithmetic", "Audit", "Base", "Cause", "Claim", "ClaimResult", "Convention", "Difference", "Distinct",
    "Encoding", "Fact", "Frequencies", "Identification", "Near", "Parameter", "__version__", "advise", "arithmetics",
    "audit", "base_for_context", "check", "claims", "convention", "conventions", "diff", "identify",
    "identify_frequencies", "isa", "load", "positions_from_mask", "save",
]
