"""Sinusoidal position encodings, exact to the last bit, at the speed of memory.

>>> import sinpos
>>> sinpos.Encoding(dim=768).table(4096).shape
(4096, 768)

:class:`Encoding` is what most people need; :func:`conventions` lists the published definitions known by name.
The C library underneath does all the work; NumPy arrays are filled and changed in place, without copies.
"""
from ._catalogue import Arithmetic, Convention, Parameter, arithmetics, convention, conventions
from ._core import __version__, isa
from ._encoding import Encoding

__all__ = ["Arithmetic", "Convention", "Encoding", "Parameter", "__version__", "arithmetics", "convention", "conventions",
           "isa"]
