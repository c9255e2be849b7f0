#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/apps/move.py, with a small application: what a row says of one that is
found elsewhere, of one that sees its place, and of one that may.

    test_move.py SOURCE BUILD CLIENT ICD
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD, CLIENT, ICD = (pathlib.Path(a).resolve() for a in sys.argv[1:5])
KERNEL = "#include <value.h>\nkernel void get(global int *o) { *o = VALUE; }\n"
FREE = "#define VALUE 7\n"
BOUND = "#define VALUE (sizeof(__FILE__) > 0)\n"


class Move(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def move(self, header, *more, stays=""):
        """The outcome and the row of an application with that header."""
        include = self.folder / "include"
        for path in (include, self.folder / "applications"):
            path.mkdir()
        (include / "value.h").write_text(header, "utf-8")
        (self.folder / "applications/small.sh").write_text(
            f"packages=()\npypi=()\nmoves=({include})\nstays='{stays}'\n"
            f"run_application() {{\n    app {CLIENT} Portable build "
            f'"-I $place{include}" \'{KERNEL}\' >"$artifact/value"\n}}\n',
            "utf-8")
        done = subprocess.run(
            [sys.executable, "-B", SOURCE / "tests/apps/move.py", "--build",
             BUILD, "--applications", self.folder / "applications", "--apps",
             "small", "--out", self.folder / "out", "--json",
             self.folder / "rows", "--no-install", *more],
            env={**os.environ, "DNNL_CACHE_TEST_ICD": str(ICD)}, text=True,
            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        row, = json.loads((self.folder / "rows").read_text())
        return done, row

    def test_finds_elsewhere_what_sees_no_place(self):
        done, row = self.move(FREE)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(row["problems"], [])
        self.assertEqual((row["here"]["compiled"], row["here"]["hits"]), (1, 0))
        places = ["copy", "link"]
        if shutil.which("bwrap"):
            places.append("container")
        for place in places:
            self.assertEqual(
                (row[place]["compiled"], row[place]["hits"]), (0, 1), place)

    def test_fails_if_something_is_compiled_there(self):
        done, row = self.move(BOUND, "--places", "copy")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("copy: 1 compilations", row["problems"][0])
        self.assertIsNone(row["link"])

    def test_knows_what_stays(self):
        done, row = self.move(BOUND, "--places", "copy", stays="sees its place")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(row["stays"], "sees its place")
        self.assertEqual(row["copy"]["compiled"], 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
