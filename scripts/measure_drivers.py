# SPDX-License-Identifier: Apache-2.0
"""Takes what scripts/test.sh recorded of its runs on drivers (the folder "records"
of its builds; scripts/driver_record.py): bench/results/drivers.json. Of a driver on
a system the last run of each tier counts; what was not run again stays.
"""
import pathlib

from measuring import write_results
from recorded import read_rows
from result_tables import DRIVER

KEYS = ("platform", "driver", "system", "tier")


def add_options(parser):
    parser.add_argument("files", type=pathlib.Path, metavar="FILE", nargs="+")


def measure(root, options):
    known = root / "bench/results/drivers.json"
    rows = {}
    for path in ([known] if known.exists() else []) + options.files:
        for row in read_rows(path, DRIVER):
            rows[tuple(row[key] for key in KEYS)] = row
    write_results(root, "drivers", sorted(
        rows.values(), key=lambda row: [row[key] for key in KEYS]))
    return True
