#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Ninja has to build for some of a build's tests: the files of the build
that their commands name.

    scripts/test_programs.py BUILD CTEST_OPTION ...

Prints the files, one a line, relative to BUILD. Exit status: 0 there are some,
1 no test is chosen or none names a file that is built.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

# add_test([=[NAME]=] "PROGRAM" "ARGUMENT" ...), as CMake writes it.
ADD_TEST = re.compile(r'^add_test\(\[(=*)\[(.*?)\]\1\] (.*)\)$', re.M)
WORD = re.compile(r'"((?:[^"\\]|\\.)*)"')


def commands(build):
    """The words of each test's command. ctest does not tell that of a test
    whose program was not built."""
    for file in pathlib.Path(build).rglob("CTestTestfile.cmake"):
        for _, name, words in ADD_TEST.findall(file.read_text()):
            yield name, WORD.findall(words)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build = os.path.realpath(sys.argv[1])
    listed = json.loads(subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1", *sys.argv[2:]],
        check=True, capture_output=True, text=True).stdout)
    built = set(line.split(": ")[0] for line in subprocess.run(
        ["ninja", "-C", build, "-t", "targets", "all"],
        check=True, capture_output=True, text=True).stdout.splitlines())
    chosen = {test["name"] for test in listed["tests"]}
    files = set()
    for name, words in commands(build):
        for word in words if name in chosen else ():
            file = os.path.relpath(word, build) if os.path.isabs(word) else ""
            if file in built:
                files.add(file)
    for file in sorted(files):
        print(file)
    return 0 if files else 1


if __name__ == "__main__":
    sys.exit(main())
