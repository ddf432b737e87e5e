"""Real text: the King James Version of the Bible, from Debian's package bible-kjv-text (out of copyright: 1611)."""
from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess
from typing import Dict, NamedTuple, Optional

import torch
from torch import Tensor

PACKAGE = "bible-kjv"  # the program, which brings bible-kjv-text
_COMMAND = ["bible", "-f", "Gen1:1-Rev22:21"]
_PART_MEASURED = 0.1


class Corpus(NamedTuple):
    """Characters as numbers: what is trained with, and what is measured with."""

    trained: Tensor
    measured: Tensor
    n_words: int
    sha256: str


def lacking() -> Optional[str]:
    """Why there is no text, if so."""
    return None if shutil.which(_COMMAND[0]) else f"the text is missing: install the Debian package {PACKAGE}"


@functools.lru_cache(maxsize=1)
def corpus() -> Corpus:
    """The verses without their numbers, a line each; the last tenth is measured with.

    Raises RuntimeError where the package is not installed.
    """
    reason = lacking()
    if reason is not None:
        raise RuntimeError(reason)
    output = subprocess.run(_COMMAND, capture_output=True, check=True).stdout.decode("latin-1")
    text = "\n".join(line.partition(" ")[2] for line in output.splitlines())
    letters: Dict[str, int] = {letter: i for i, letter in enumerate(sorted(set(text)))}
    numbers = torch.tensor([letters[letter] for letter in text], dtype=torch.uint8)
    n = int(len(numbers) * (1 - _PART_MEASURED))
    return Corpus(numbers[:n], numbers[n:], len(letters), hashlib.sha256(text.encode()).hexdigest())
