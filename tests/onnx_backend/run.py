#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX's backend tests of nodes with ONNX's own runner.

Needs the Python package onnx, of the version in requirements.txt. Two processes
take half of the tests each. Exits with 1 if a test failed.

    run.py --server build/bin/node_server --store FOLDER [--match REGEX]
           [--json FILE] [--recorded FILE]

bench/results/onnx_nodes.json is what --json wrote last; then
scripts/results.py puts it into tests/onnx_backend/README.md.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import onnx
import onnx.backend.test

import disputed

PARTS = 2


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True,
                        help="the program node_server")
    parser.add_argument("--store", required=True,
                        help="folder of compiled programs")
    parser.add_argument("--match", default="", help="run the tests that match")
    parser.add_argument("--json", help="write the result of each test")
    parser.add_argument("--recorded", metavar="JSON",
                        help="fail if a test that passed there does not now")
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
        if result == "failed" and name in disputed.CASES:
            self.cases[name]["argued"] = "outputs" in self.last and (
                disputed.is_as_argued(name, self.last["inputs"],
                                      self.last["outputs"]))
        if reason:
            self.cases[name]["reason"] = reason
        if self.last.get("bound") and result == "passed":
            self.cases[name]["bound"] = True

    def addSuccess(self, test):
        # ONNX's runner catches BackendIsNotSupposedToImplementIt, and returns
        # as if the test had passed: the backend knows better.
        if "reason" in self.last:
            self.note(test, "refused", self.last["reason"])
        elif "outputs" not in self.last:
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


def settle_disputes(cases):
    for name, (reason, _) in disputed.CASES.items():
        case = cases.get(name)
        if case is None:
            continue
        if case.get("argued"):
            case.update(result="disputed", reason=reason)
        else:
            case["reason"] = ("is in disputed.py, but "
                              + case.get("reason", "ONNX's runner accepts it"))
            case["result"] = "failed"


def device():
    """What the tests ran on, as model_loader's reports name it."""
    import platform
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8") \
        if os.path.exists("/proc/cpuinfo") else ""
    found = re.search(r"model name\s*: (.*)", text)
    name = os.environ.get("DNNL_CACHE_TEST_PLATFORM", "PoCL")
    return f"{name}, {found.group(1) if found else platform.machine()}"


def summary(cases):
    """The results as they are recorded: names by what became of them."""
    result = {"onnx": onnx.__version__,
              "opset": onnx.defs.onnx_opset_version(), "device": device(),
              "passed": [], "bound": [], "refused": {}, "disputed": {},
              "failed": {}}
    for name, case in cases.items():
        if case["result"] == "passed":
            result["passed"].append(name)
            if case.get("bound"):
                result["bound"].append(name)
        elif case["result"] == "refused":
            # Names of tensors and nodes are the test's.
            reason = re.sub(r"'[^']*'", "''", case["reason"])
            result["refused"].setdefault(reason, []).append(name)
        else:
            result[case["result"]][name] = case["reason"]
    return result


def lost(recorded, result):
    """Tests that passed when the results were recorded, and now do not."""
    return sorted(set(recorded["passed"]) - set(result["passed"]))


def main():
    options = parse()
    if options.part is not None:
        run_part(options)
        return 0
    cases = run_parts(options)
    settle_disputes(cases)
    result = summary(cases)
    for name, reason in result["failed"].items():
        print(f"{name}: {reason[:400]}")
    refused = sum(map(len, result["refused"].values()))
    print(f"onnx {onnx.__version__}, {len(cases)} tests: "
          f"{len(result['passed'])} passed ({len(result['bound'])} with inputs "
          f"as constants), {refused} refused, {len(result['disputed'])} "
          f"disputed, {len(result['failed'])} failed")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")
    if options.recorded:
        with open(options.recorded, encoding="utf-8") as file:
            gone = lost(json.load(file), result)
        for name in gone:
            print(f"{name}: passed when the results were recorded")
        if gone:
            return 1
    return 0 if cases and not result["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
