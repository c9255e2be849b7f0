#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX's backend tests of nodes with ONNX's own runner.

Needs the Python package onnx, of the version in requirements.txt. Two processes
take half of the tests each. Exits with 1 if a test failed.

    run.py --server build/bin/node_server --store FOLDER [--match REGEX]
           [--json FILE]
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import onnx
import onnx.backend.test

PARTS = 2

# Cases whose expected data are wrong in this version of ONNX, with the evidence.
# They are counted as disputed, not as passed; one that passes is an error, since
# then its line here is.
DISPUTED = {
    "test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True":
        "windows of ceil_mode that reach beyond the padding are divided by the "
        "whole kernel's elements; ONNX 1.23.2 has other data for the case "
        "(0.105827 for 0.084662), which the loader computes",
    **{f"test_qlinearmatmul_{shape}_int8_{scale}":
       "what does not fit into 8 bits wraps around; the operator's text says "
       "y = saturate(...), and ONNX 1.23.2 has -128 where 1.16.2 has 20"
       for shape in ("2D", "3D") for scale in ("float16", "float32")},
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True,
                        help="the program node_server")
    parser.add_argument("--store", required=True,
                        help="folder of compiled programs")
    parser.add_argument("--match", default="", help="run the tests that match")
    parser.add_argument("--json", help="write the result of each test")
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


# ---- One part ----------------------------------------------------------------

class Results(unittest.TestResult):
    """The result of each test, with the backend's reason."""

    def __init__(self, last):
        super().__init__()
        self.last = last
        self.cases = {}

    def note(self, test, result, reason=""):
        name = test.id().rsplit(".", 1)[1].removesuffix("_cpu")
        self.cases[name] = {"result": result}
        if reason:
            self.cases[name]["reason"] = reason
        if self.last.get("bound") and result == "passed":
            self.cases[name]["bound"] = True

    def addSuccess(self, test):
        # ONNX's runner catches BackendIsNotSupposedToImplementIt, and returns
        # as if the test had passed: the backend knows better.
        if "reason" in self.last:
            self.note(test, "refused", self.last["reason"])
        elif not self.last.get("ran"):
            self.note(test, "failed", "nothing was run")
        else:
            self.note(test, "passed")

    def addSkip(self, test, reason):
        self.note(test, "refused", reason)

    def addError(self, test, err):
        self.note(test, "failed", f"{err[0].__name__}: {err[1]}")

    addFailure = addError


def run_part(options):
    # After the environment is there.
    import backend
    tests = onnx.backend.test.BackendTest(
        backend.ModelLoaderBackend, __name__).test_cases["OnnxBackendNodeModelTest"]
    names = sorted(
        name for name in unittest.defaultTestLoader.getTestCaseNames(tests)
        if name.endswith("_cpu") and re.search(options.match, name))
    results = Results(backend.LAST)
    for name in names[options.part::PARTS]:
        backend.LAST.clear()
        tests(name).run(results)
    backend.SERVER.close()
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(results.cases, file)


# ---- All of them -------------------------------------------------------------

def run_parts(options):
    """The results of all tests by name."""
    cases = {}
    environment = dict(os.environ, NODE_SERVER=os.path.abspath(options.server),
                       NODE_SERVER_STORE=os.path.abspath(options.store))
    with tempfile.TemporaryDirectory(prefix="onnx_backend_") as folder:
        parts = []
        for part in range(PARTS):
            path = os.path.join(folder, f"{part}.json")
            parts.append((path, subprocess.Popen(
                [sys.executable, __file__, "--server", options.server,
                 "--store", options.store, "--match", options.match,
                 "--json", path, "--part", str(part)],
                env=environment)))
        for path, process in parts:
            if process.wait() != 0:
                sys.exit(f"run.py: a part ended with {process.returncode}")
            with open(path, encoding="utf-8") as file:
                cases.update(json.load(file))
    return dict(sorted(cases.items()))


def main():
    options = parse()
    if options.part is not None:
        run_part(options)
        return 0
    cases = run_parts(options)
    counts = {"passed": 0, "refused": 0, "disputed": 0, "failed": 0}
    for name, case in cases.items():
        if name in DISPUTED:
            is_wrong = case["result"] == "failed"
            case["result"] = "disputed" if is_wrong else "failed"
            case["reason"] = (DISPUTED[name] if is_wrong else
                              "has a line in DISPUTED, but is not wrong")
        counts[case["result"]] += 1
        if case["result"] == "failed":
            print(f"{name}: {case['reason'][:400]}")
    bound = sum(1 for case in cases.values() if case.get("bound"))
    print(f"onnx {onnx.__version__}, {len(cases)} tests: "
          f"{counts['passed']} passed ({bound} with inputs as constants), "
          f"{counts['refused']} refused, {counts['disputed']} disputed, "
          f"{counts['failed']} failed")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"onnx": onnx.__version__, "counts": counts,
                       "bound": bound, "tests": cases}, file, indent=1)
            file.write("\n")
    return 0 if counts["failed"] == 0 and cases else 1


if __name__ == "__main__":
    sys.exit(main())
