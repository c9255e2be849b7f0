# SPDX-License-Identifier: Apache-2.0
"""Takes what "scripts/loaders.py --json FILE" found: bench/results/loaders.json. Of
a loader the last trial counts; what was not tried again stays.
"""
import pathlib

from measuring import write_results
from recorded import Failure, read_rows
from result_tables import LOADER


def add_options(parser):
    parser.add_argument("files", type=pathlib.Path, metavar="FILE", nargs="+")


def measure(root, options):
    known = root / "bench/results/loaders.json"
    rows = {}
    for path in ([known] if known.exists() else []) + options.files:
        for row in read_rows(path, LOADER):
            if row["commit"].endswith("-dirty"):
                raise Failure(f"{path}: sources that no commit has were tried")
            rows[row["loader"], row["version"]] = row
    write_results(root, "loaders", list(rows.values()))
    return True
