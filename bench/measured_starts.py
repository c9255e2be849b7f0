# SPDX-License-Identifier: Apache-2.0
"""What ahead_start.py and starts.py have in common: applications that are
theirs, the update of the driver, and the measurement of each application."""

import json
import shutil
import subprocess

import first_start

# Of the driver: a variable that is in the IDs of programs, and changes nothing
# else.
UPDATE = {"SOURCE_DATE_EPOCH": "1"}

FRAMEWORK = """packages=()
run_application() {{ app '{build}/bin/framework' --mode plain; }}
"""


def add_own(options, applications, own):
    """A folder of applications that has these, too: texts by their names."""
    folder = options.out / "applications"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(applications, folder)
    for name, text in own.items():
        (folder / f"{name}.sh").write_text(text.format(build=options.build),
                                           "utf-8")
    options.applications = folder


def measure(options, applications, own, row_of, line_of):
    """Measures each application of the options, in turn. applications: a folder;
    own: as of add_own(). row_of(application, context): its row, once it is
    measured. line_of(row): what is printed of it, behind its name. Returns the
    exit status."""
    first_start.use_vendors(options)
    add_own(options, applications, own)
    context = first_start.context_of(options)
    rows, failed = [], False
    for name in options.apps:
        try:
            rows.append(row_of(first_start.Application(name, options), context))
        except (first_start.Failure, subprocess.TimeoutExpired) as error:
            print(f"{name:15} FAILED: {error}", flush=True)
            failed = True
            continue
        print(f"{name:15}{line_of(rows[-1])}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return 1 if failed else 0
