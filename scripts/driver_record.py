#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records which commit ran its tests on which driver, and how they ended.

usage: driver_record.py --tool TOOL --platform TEXT --tier TIER --json FILE RUN ...

  RUN              folders that scripts/test.sh gave to runs of ctest; of them the
                   tests that use a real driver count
  --tool TOOL      dnnl-cache of the build that was tested: its commit, with
                   "-dirty" behind it if the sources were changed since, and the
                   first device whose platform's name has TEXT in it
  --tier TIER      what of the tests was run: quick, merge or full
  --json FILE      a list of one row, for "scripts/results.py --measure drivers"

scripts/test.sh does this in each tier, into the folder "records" of its builds.
Exit status: 0 written, 1 no tests or no such device.
"""
import argparse
import datetime
import json
import pathlib
import platform
import sys
import tempfile

sys.dont_write_bytecode = True
from driver_trial import device_of, without_caches  # noqa: E402
from recorded import Failure, commit, run_main  # noqa: E402
from test_results import run_cases  # noqa: E402


def system():
    """As Debian and others name themselves, and the processor's kind."""
    names = platform.freedesktop_os_release()
    name = names.get("PRETTY_NAME", names.get("NAME", platform.system()))
    return f"{name}, {platform.machine()}"


def tested(commit_of_tool, sources):
    """The commit that the library has from its build, which knows nothing of
    changes. sources: as recorded.commit() names them."""
    return commit_of_tool + "-dirty" * sources.endswith("-dirty")


def identity(tool, text):
    """What is known of the device, by field."""
    with tempfile.TemporaryDirectory() as work:
        device = device_of(tool, text, without_caches(pathlib.Path(work)))
    fields = {field["name"]: field.get("text", "") for field in device["fields"]}
    return {"platform": device["platform"], "device": device["device"],
            "driver": fields["driver_version"].strip(),
            "commit": tested(fields["library_git_hash"], commit())}


def counted(runs):
    """How the tests ended that use a real driver."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    failures = []
    for run in runs:
        for case in run_cases(run):
            if case.driver != "real":
                continue
            counts[case.result] += 1
            if case.result == "failed":
                failures.append(case.name)
    if not any(counts.values()):
        raise Failure(f"no test of {', '.join(map(str, runs))} uses a driver")
    return {**counts, "failures": sorted(failures)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, usage=argparse.SUPPRESS,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path, metavar="RUN")
    for name in ("tool", "platform", "tier", "json"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    row = {**identity(options.tool, options.platform), "system": system(),
           "date": datetime.date.today().isoformat(), "tier": options.tier,
           **counted(options.runs)}
    path = pathlib.Path(options.json)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([row], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_main(main)
