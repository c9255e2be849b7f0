#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the model loader's operators into docs/start/model.md.

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


def table(program):
    text = subprocess.run([program], check=True, capture_output=True,
                          text=True).stdout
    rows = [line.split("\t") for line in text.splitlines()]
    if len(rows) < LEAST or any(len(row) != 4 for row in rows):
        raise Failure(f"{program}: prints no table of operators")
    return grid(["operator", "operator sets", "types of the first operand",
                 "limits"], [[cell or None for cell in row] for row in rows],
                left=4)


def main():
    options = table_options(__doc__, "docs/start/model.md",
                            program="build/bin/model_operators")
    put_table(options.document, "operators", "\n".join(table(options.program)),
              options.check, "scripts/operator_table.py")


if __name__ == "__main__":
    run_main(main)
