#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The last lines of scripts/test.sh: what was tested, and how it ended.

usage: test_summary.py STEPS_PASSED STEPS_FAILED RUN ...

A step that failed without a failed test in it (a build, a check) counts as a
failure of its own. Exits with 1 if anything failed.
"""
import pathlib
import sys

import test_results


def main(arguments):
    steps_passed, steps_failed = int(arguments[0]), int(arguments[1])
    totals = {"passed": 0, "failed": 0, "skipped": 0}
    for run in arguments[2:]:
        counts = dict.fromkeys(totals, 0)
        for case in test_results.run_cases(run):
            counts[case.result] += 1
            if case.result == "failed":
                print(f"failed: {pathlib.Path(run).name}: {case.name}")
        if not any(counts.values()):
            continue
        print(f"{pathlib.Path(run).name}: " + ", ".join(
            f"{count} {result}" for result, count in counts.items()))
        for result, count in counts.items():
            totals[result] += count
    print(f"steps: {steps_passed} passed, {steps_failed} failed;"
          f" tests skipped: {totals['skipped']}")
    failed = max(totals["failed"], steps_failed)
    print(f"{totals['passed']} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
