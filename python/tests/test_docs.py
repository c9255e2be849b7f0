#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The listings of docs/start/python.md and python/README.md (examples/start/python.py),
each run twice as a script of its own, with an empty driver cache. Needs pyopencl, NumPy and
DNNL_CACHE_TEST_SOURCES; a device that create_some_context() finds."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import dnnl_cache

SOURCES = pathlib.Path(os.environ["DNNL_CACHE_TEST_SOURCES"])


def listings(path):
    text = (SOURCES / path).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


class Listings(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, text):
        with tempfile.TemporaryDirectory() as cache:
            environment = dict(
                os.environ, POCL_KERNEL_CACHE="0", POCL_CACHE_DIR=cache,
                PYOPENCL_NO_CACHE="1", XDG_CACHE_HOME=self.folder,
                POCL_DEBUG="all")
            script = pathlib.Path(self.folder, "script.py")
            script.write_text(text, encoding="utf-8")
            done = subprocess.run(
                [sys.executable, str(script)], cwd=self.folder,
                env=environment, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            self.fail("\n".join(
                line for line in done.stderr.splitlines()
                if "POCL:" not in line and "*** INFO" not in line))
        return done.stdout, "Built a" in done.stderr

    def find(self, path, word):
        found, = (text for text in listings(path) if word in text)
        return found

    def test_there_are_as_many_as_are_tested_here(self):
        self.assertEqual(len(listings("docs/start/python.md")), 4)
        self.assertEqual(len(listings("python/README.md")), 1)

    def test_ten_lines(self):
        text = self.find("docs/start/python.md", "wave")
        self.assertEqual(len(text.splitlines()), 10)
        self.start(text)
        self.assertEqual(self.start(text), ("", False))

    def test_readme(self):
        # scripts/quotes.py checks that it is what is shown.
        text = (SOURCES / "examples/start/python.py").read_text("utf-8")
        self.assertEqual(self.start(text)[0], "2.0 COMPILED\n")
        self.assertEqual(self.start(text), ("2.0 STORE_HIT\n", False))

    def test_layer(self):
        text = self.find("docs/start/python.md", "enable_layer")
        first, _ = self.start(text)
        second, built = self.start(text)
        self.assertEqual(first, second)
        self.assertFalse(built)

    def test_notebook(self):
        text = self.find("docs/start/python.md", "matmul_desc")
        first, _ = self.start(text)
        self.assertRegex(
            first, r"^COMPILED True\n\(1, 8, 32, 32\)\nPRIMITIVE \d+ \d+\n$")
        second, _ = self.start(text)
        self.assertEqual(second, first.replace("COMPILED", "BLOB"))

    def test_store(self):
        text = self.find("docs/start/python.md", "Store(\"blobs\"")
        blob = (SOURCES / "tests/data/blobs/good-program.blob").read_bytes()
        with dnnl_cache.Store(os.path.join(self.folder, "blobs")) as store:
            store.put(dnnl_cache.inspect_blob(blob).id, blob)
        out, _ = self.start(text)
        self.assertEqual(len(out.splitlines()), 2)
        self.assertTrue(out.endswith("\n1 0\n"), out)


if __name__ == "__main__":
    unittest.main()
