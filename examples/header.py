#!/usr/bin/env python3
"""header.py HEADER OUT.c: makes a program of the example at the top of the header; "..." stands for leaving."""
import re
import sys

header, out = sys.argv[1:]
with open(header, encoding="utf-8") as file:
    block = re.search(r"((?: \*     .*;.*\n| \*     .*\.\.\.\n)+)", file.read())
lines = [line[7:].replace("...", "return 1;") for line in block.group(1).splitlines()]
if not any("sinpos_fill" in line for line in lines) or not any("sinpos_plan_create" in line for line in lines):
    sys.exit(f"sinpos: {header}: the example at its top was not found")
with open(out, "w", encoding="utf-8") as file:
    file.write('#include <stdlib.h>\n\n#include "sinpos.h"\n\nint main(void)\n{\n')
    file.writelines(f"    {line}\n" for line in lines)
    file.write("    free(table);\n    return 0;\n}\n")
