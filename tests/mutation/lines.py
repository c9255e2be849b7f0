# SPDX-License-Identifier: Apache-2.0
"""Which lines a test reaches, as gcov counts them."""
import json
import os
import pathlib
import shutil
import subprocess

from tree import environment

# Seconds that a test is watched.
LONGEST = 300


def link_notes(data):
    """gcov looks for its notes beside the data."""
    for counts in data.rglob("*.gcda"):
        notes = pathlib.Path("/", *counts.relative_to(data).parts)
        notes = notes.with_suffix(".gcno")
        if notes.exists():
            link = counts.with_suffix(".gcno")
            if not link.exists():
                link.symlink_to(notes)


def reached_lines(build, data, wanted):
    """{file: set of lines} of the files for which wanted(name) holds."""
    counts = [str(path) for path in data.rglob("*.gcda")
              if wanted(path.name.removesuffix(".gcda"))]
    reached = {}
    for start in range(0, len(counts), 100):
        # A process that was killed may have left half a file; gcov says so,
        # and goes on with the next.
        words = subprocess.run(
            ["gcov", "--json-format", "--stdout", *counts[start:start + 100]],
            cwd=data, capture_output=True, check=False,
            env=environment()).stdout
        for line in words.splitlines():
            report = json.loads(line)
            for entry in report["files"]:
                path = pathlib.Path(report["current_working_directory"],
                                    entry["file"])
                name = os.path.relpath(os.path.normpath(path),
                                       build.tree.folder)
                lines = reached.setdefault(name, set())
                lines.update(one["line_number"] for one in entry["lines"]
                             if one["count"] > 0)
    return reached


def reached_by(build, test, files):
    """{file: lines} that a test reaches in a build with coverage.

    None, and why, if the test fails. Of a test that takes long (it starts
    thousands of processes, and each of them writes down what it reached), what
    it reached so far counts.
    """
    names = {pathlib.Path(file).name for file in files}
    data = build.folder.with_suffix(".counts")
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir()
    outcome = build.run(test, LONGEST, GCOV_PREFIX=str(data))
    found = None
    if outcome.hung or not outcome.failed:
        link_notes(data)
        reached = reached_lines(build, data, names.__contains__)
        found = {file: sorted(lines) for file, lines in reached.items()
                 if file in files and lines}
    shutil.rmtree(data, ignore_errors=True)
    return found, outcome.words
