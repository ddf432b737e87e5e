#!/usr/bin/env python3
"""readme.py README.md OUT.c: the C example of the README, as it stands there."""
import re
import sys

readme, out = sys.argv[1:]
with open(readme, encoding="utf-8") as file:
    blocks = re.findall(r"^```c\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)
if len(blocks) != 1:
    sys.exit(f"sinpos: {readme}: has {len(blocks)} examples in C, not 1")
with open(out, "w", encoding="utf-8") as file:
    file.write(blocks[0])
