#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: linker_names.py [--check] LIBRARY

Writes the table of the functions that LIBRARY, built with primitives, exports:
the name in dnnl_cache.h and the name that the linker knows, for those who load
the library without its headers. include/dnnl_cache_linker_names.h has it for C,
include/dnnl_cache_linker_names.json for all others. With --check nothing is
written, and the exit status is 1 if a file says something else."""
import json
import pathlib
import re
import subprocess
import sys

INCLUDE = pathlib.Path(__file__).resolve().parent.parent / "include"
TABLE = INCLUDE / "dnnl_cache_linker_names.h"
JSON = INCLUDE / "dnnl_cache_linker_names.json"

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_linker_names.h: every function of the library, with the name that
 * dlsym() finds, for those who load the library at run time. Written by
 * scripts/linker_names.py; dnnl_cache_linker_names.json has the same for other
 * languages. Functions of oneDNN's begin with dnnlc_ there, so that a process
 * may load oneDNN, too.
 *
 *     #define DNNL_MY_ENTRY(name, symbol) {name, symbol},
 *     static const struct { const char *name, *symbol; } table[] = {
 *             DNNL_CACHE_LINKER_NAMES(DNNL_MY_ENTRY)};
 *
 * A library built without primitives does not have those of primitives.
 */
#ifndef DNNL_CACHE_LINKER_NAMES_H
#define DNNL_CACHE_LINKER_NAMES_H

/* clang-format off */

/* X(name, symbol) for each function, in the order of their names. */
#define DNNL_CACHE_LINKER_NAMES(X)"""

TAIL = """
/* clang-format on */

#endif /* DNNL_CACHE_LINKER_NAMES_H */
"""


def exported(library):
    """The linker's names."""
    listing = subprocess.run(
        ["nm", *(["-D"] if ".so" in library else []), "-g", "--defined-only",
         library], stdout=subprocess.PIPE, check=True, text=True).stdout
    return {line.split()[2].split("@")[0] for line in listing.splitlines()
            if len(line.split()) == 3}


def renamed():
    """The linker's names of oneDNN's functions, and those of the source."""
    text = (INCLUDE / "dnnl_cache_symbols.h").read_text(encoding="utf-8")
    return {symbol: name for name, symbol in re.findall(
        r"#define (dnnl_\w+)\s+(?:\\\n\s*)?(dnnlc_\w+)", text)}


def main(arguments):
    check = arguments[:1] == ["--check"]
    if len(arguments) != 1 + check:
        sys.exit(__doc__)
    names = renamed()
    table = {names.get(symbol, symbol): symbol
             for symbol in exported(arguments[-1])}
    strange = [symbol for name, symbol in table.items()
               if not name.startswith("dnnl_")]
    if strange or not table:
        sys.exit(f"no name of dnnl_cache.h: {strange or arguments[-1]}")
    rows = "".join(f' \\\n    X("{name}", "{table[name]}")'
                   for name in sorted(table))
    files = {TABLE: HEAD + rows + TAIL,
             JSON: json.dumps(table, indent=2, sort_keys=True) + "\n"}
    wrong = [path.name for path, text in files.items()
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    if not check:
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
    elif wrong:
        print(f"not what the library exports: {', '.join(wrong)}; run "
              f"scripts/linker_names.py {arguments[-1]}")
        return 1
    print(f"{len(table)} names")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
