#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/quotes.py on documents and examples of the test's own.

usage: test_quotes.py ROOT
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
PROGRAM = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * one.c: an example.
 */
#include <stdio.h>

/* ---- What is new -------------------------------------------------- */

int one(void);

/* ---- As it was ---------------------------------------------------- */

int main(void) { return 0; }
"""
SCRIPT = """#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# two.sh: another one.
echo 1
# ---- Two ----
echo 2
"""
WHAT = "examples/start/one.c, What is new"


def between(name, text):
    return (f"<!-- {name}: begin, written by scripts/quotes.py -->\n{text}"
            f"<!-- {name}: end -->\n")


class Quotes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.put("examples/start/one.c", PROGRAM)
        self.put("examples/start/two.sh", SCRIPT)
        self.put("README.md", "One\n" + between(WHAT, "```c\nold\n```\n"))
        self.put("docs/start/two.md", between("examples/start/two.sh", "old\n"))

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_it(self, *words):
        """The exit status, and what was printed."""
        done = subprocess.run(
            [sys.executable, ROOT / "scripts/quotes.py", "--root", self.root,
             *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def refused(self, *words):
        status, said = self.run_it("--check")
        self.assertEqual(1, status)
        for some in words:
            self.assertIn(some, said)

    def test_a_part_and_a_whole_file_are_put_into_documents(self):
        self.refused(f"{WHAT}: ", "README.md shows another text",
                     "docs/start/two.md shows another text")
        self.assertEqual((0, ""), self.run_it("--write"))
        self.assertEqual((0, ""), self.run_it("--check"))
        self.assertEqual(
            "One\n" + between(WHAT, "```c\nint one(void);\n```\n"),
            (self.root / "README.md").read_text(encoding="utf-8"))
        self.assertEqual(
            between("examples/start/two.sh", "```sh\necho 1\necho 2\n```\n"),
            (self.root / "docs/start/two.md").read_text(encoding="utf-8"))

    def test_a_part_within_a_function(self):
        self.put("examples/start/one.c", PROGRAM.replace(
            "int one(void);", "    {\n        one();\n    }").replace(
            "/* ---- W", "    /* ---- W"))
        self.assertEqual((0, ""), self.run_it("--write"))
        self.assertEqual(
            "One\n" + between(WHAT, "```c\n{\n    one();\n}\n```\n"),
            (self.root / "README.md").read_text(encoding="utf-8"))

    def test_an_example_that_changes(self):
        self.run_it("--write")
        self.put("examples/start/one.c", PROGRAM.replace("int one", "int two"))
        self.refused("README.md shows another text: run scripts/quotes.py")

    def test_a_part_that_there_is_not(self):
        self.put("examples/start/one.c", PROGRAM.replace("What is new", "New"))
        self.refused('one.c: no part "What is new"')
        self.put("examples/start/one.c",
                 PROGRAM.replace("int one(void);\n", ""))
        self.refused('one.c: nothing in "What is new"')

    def test_a_name_that_two_parts_have(self):
        self.put("examples/start/one.c",
                 PROGRAM.replace("As it was", "What is new"))
        self.refused("one.c: two parts What is new")

    def test_a_comment_that_is_missing(self):
        self.put("README.md", between(WHAT, "").replace(": end", ": and"))
        self.refused("README.md needs one line")

    def test_an_example_that_is_not_shown(self):
        self.put("docs/start/two.md", "nothing\n")
        self.refused("examples/start/two.sh: no document shows it")

    def test_an_example_that_is_missing(self):
        (self.root / "examples/start/two.sh").unlink()
        self.refused("examples/start/two.sh: ", "No such file")


if __name__ == "__main__":
    unittest.main()
