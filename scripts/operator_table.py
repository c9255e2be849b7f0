#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the model loader's operators into docs/reference/operators.md.

The program model_operators (build/bin) prints them as the loader has them. With
--check nothing is written, and a document that says anything else is an error.
Exit status: 0 fine, 1 not, 2 wrong usage.
"""

import subprocess
import sys

sys.dont_write_bytecode = True
from recorded import (  # noqa: E402
    Failure, grid, put_table, run_main, table_options)

LEAST = 100
# Types that many rows have, and the document's word for them.
WORDS = {"float16, float, double, int8 to int64, uint8 to uint32": "numbers",
         "float16, float, double": "floats",
         "int8 to int64, uint8 to uint32": "integers"}


def first_set(sets, newest):
    """The first operator set of "1 to 25"; all rows end with the newest one.
    Operators of ONNX Runtime's domain have none."""
    if not sets:
        return None
    first, to, last = sets.partition(" to ")
    if not to or last != newest:
        raise Failure(f"operator sets {sets}: not up to {newest}")
    return first


def table(program):
    text = subprocess.run([program], check=True, capture_output=True,
                          text=True).stdout
    rows = [line.split("\t") for line in text.splitlines()]
    if len(rows) < LEAST or any(len(row) != 4 for row in rows):
        raise Failure(f"{program}: prints no table of operators")
    newest = rows[0][1].rpartition(" ")[2]
    alike = {}
    for name, sets, types, limits in rows:
        alike.setdefault((WORDS.get(types, types), limits), []).append(
            " ".join(filter(None, (name, first_set(sets, newest)))))
    return grid(["operators, each with its first set", "types of the first operand",
                 "limits"],
                [[", ".join(names), types or None, limits or None]
                 for (types, limits), names in alike.items()], left=3)


def main():
    options = table_options(__doc__, "docs/reference/operators.md",
                            program="build/bin/model_operators")
    put_table(options.document, "operators", "\n".join(table(options.program)),
              options.check, "scripts/operator_table.py")


if __name__ == "__main__":
    run_main(main)
