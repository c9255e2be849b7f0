#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The last lines of scripts/test.sh: what was tested, and how it ended.

usage: test_summary.py STEPS_PASSED STEPS_FAILED RUN ...

Lists the slowest test programs, why tests were skipped, and what failed. A step
that failed without a failed test in it (a build, a check) counts as a failure
of its own. Exits with 1 if anything failed.
"""
import pathlib
import sys

import test_results

SLOWEST = 10
QUICK_SECONDS = 20  # of a test program of the quick tier, on an idle machine


def print_slowest(runs):
    """The test programs that took longest, of all runs."""
    entries = sorted(((entry.seconds, pathlib.Path(run).name, entry.name)
                      for run in runs
                      for entry in test_results.ctest_entries(run)),
                     reverse=True)[:SLOWEST]
    if entries:
        print("\nthe slowest test programs:")
    for seconds, run, name in entries:
        mark = f"  (over {QUICK_SECONDS} s)" if seconds > QUICK_SECONDS else ""
        print(f"{seconds:8.1f} s  {run}: {name}{mark}")


def print_skipped(skipped):
    """The reasons, each with the tests that have it."""
    if skipped:
        print("\nskipped:")
    for reason, names in sorted(skipped.items()):
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        print(f"  {reason or 'no reason given'}: "
              + ", ".join(sorted(names)[:3]) + more)


def main(arguments):
    steps_passed, steps_failed = int(arguments[0]), int(arguments[1])
    runs = arguments[2:]
    totals = {"passed": 0, "failed": 0, "skipped": 0}
    skipped = {}
    lines = []
    for run in runs:
        counts = dict.fromkeys(totals, 0)
        for case in test_results.run_cases(run):
            counts[case.result] += 1
            if case.result == "failed":
                lines.append(f"failed: {pathlib.Path(run).name}: {case.name}"
                             f" (output: {run.rstrip('/')}/ctest.log)")
            if case.result == "skipped":
                skipped.setdefault(case.reason, set()).add(case.name)
        if not any(counts.values()):
            continue
        lines.append(f"{pathlib.Path(run).name}: " + ", ".join(
            f"{count} {result}" for result, count in counts.items()))
        for result, count in counts.items():
            totals[result] += count
    print_slowest(runs)
    print_skipped(skipped)
    print()
    print("\n".join(lines))
    if totals["failed"]:
        print("to repeat one in the same surroundings: scripts/flake_campaign.sh"
              " --only NAME --rounds 3 --no-sanitizers,\n"
              "where NAME is the test program (ctest.log names it)")
    print(f"steps: {steps_passed} passed, {steps_failed} failed")
    failed = max(totals["failed"], steps_failed)
    print(f"{totals['passed']} passed, {failed} failed,"
          f" {totals['skipped']} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
