#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are a compiler's messages of a wrong call readable?

usage: check_messages.py COMPILER INCLUDE SOURCE

SOURCE has calls of constructors of primitive descriptors that none takes. Each
must be one error, whose first line is short and names the kind, with the
arguments of each constructor that there is by name, in few lines. Exits with 1
and says what is not so.
"""
import os
import re
import subprocess
import sys

KINDS = ("eltwise_forward", "convolution_forward")
# Names that a message shows of a constructor's arguments.
SHOWN = (("alpha", "beta"), ("dilates", "padding_r"))
MOST_LINES, LONGEST_FIRST_LINE = 90, 600


def complaints(text):
    errors = re.split(r"^(?=\S+:\d+:\d+: error: )", text, flags=re.MULTILINE)[1:]
    if len(errors) != len(KINDS):
        yield f"{len(errors)} errors, not {len(KINDS)}"
        return
    for kind, names, error in zip(KINDS, SHOWN, errors):
        lines = error.splitlines()
        if kind not in lines[0] or len(lines[0]) > LONGEST_FIRST_LINE:
            yield f"{kind}: not the first line, or a long one: {lines[0]}"
        if len(lines) > MOST_LINES:
            yield f"{kind}: {len(lines)} lines, more than {MOST_LINES}"
        for name in names:
            if not re.search(rf"\barg::{name}\b", error):
                yield f"{kind}: the argument {name} is not named"


def main():
    compiler, include, source = sys.argv[1:4]
    result = subprocess.run(
        [compiler, "-std=c++11", "-fsyntax-only", "-I", include, source],
        env={**os.environ, "LC_ALL": "C"}, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = list(complaints(result.stdout))
    print("\n".join(found) or "readable")
    return 1 if found or result.returncode == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
