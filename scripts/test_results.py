# SPDX-License-Identifier: Apache-2.0
"""What a run of ctest left behind, read back.

scripts/test.sh gives every ctest run a folder:
    ctest.xml    ctest --output-junit
    tests.json   ctest --show-only=json-v1, for the drivers that tests use
    gtest/*.xml  written by the GoogleTest binaries (GTEST_OUTPUT=xml:gtest/),
                 each named as its ctest entry (tests/harness/harness.cpp), or
                 as its binary
"""
import json
import pathlib
import xml.etree.ElementTree as ElementTree


class Case:
    """One test and how it ended: passed, failed or skipped."""

    def __init__(self, name, result, seconds=0.0, reason="", driver="none"):
        self.name = name
        self.driver = driver  # fake (tests/fake_opencl), real or none
        self.result = result
        self.seconds = seconds
        self.reason = reason  # why it was skipped


def _parse(path):
    """The root element; None for a file that a crash cut short."""
    try:
        return ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, OSError):
        return None


def gtest_cases(path):
    """The tests of one GoogleTest report, named Suite.Test."""
    root = _parse(path)
    cases = []
    for case in root.iter("testcase") if root is not None else []:
        result = "passed"
        if case.get("status") == "notrun" or case.get("result") in (
                "skipped", "suppressed"):
            result = "skipped"
        if case.find("failure") is not None:
            result = "failed"
        skipped = case.find("skipped")
        cases.append(Case(f"{case.get('classname')}.{case.get('name')}",
                          result, float(case.get("time") or 0),
                          "" if skipped is None
                          else skipped.get("message", "").split("\n")[-1]))
    return cases


def entry_drivers(folder):
    """{name of a ctest entry: the driver it uses}, of those that use one."""
    try:
        text = (pathlib.Path(folder) / "tests.json").read_text()
        tests = json.loads(text)["tests"]
    except (OSError, ValueError, KeyError):
        return {}
    drivers = {}
    for test in tests:
        given = {p["name"]: p["value"] for p in test.get("properties", [])}
        if "device" in given.get("LABELS", []):
            drivers[test["name"]] = "real"
        elif any(variable.startswith("OCL_ICD_VENDORS=")
                 and variable.endswith("/fake_opencl/vendors")
                 for variable in given.get("ENVIRONMENT", [])):
            drivers[test["name"]] = "fake"
    return drivers


def ctest_entries(folder):
    """The ctest entries of one run."""
    root = _parse(pathlib.Path(folder) / "ctest.xml")
    if root is None:
        return []
    results = {"run": "passed", "fail": "failed"}
    drivers = entry_drivers(folder)
    return [Case(case.get("name"), results.get(case.get("status"), "skipped"),
                 float(case.get("time") or 0),
                 driver=drivers.get(case.get("name"), "none"))
            for case in root.iter("testcase")]


def run_cases(folder):
    """Every test of one run: GoogleTest's cases, and entries without any.

    An entry that failed although none of its cases did (a crash, a leak, a
    time-out) counts as a failed test of its own.
    """
    folder = pathlib.Path(folder)
    cases = []
    for entry in ctest_entries(folder):
        inner = []
        report = folder / "gtest" / f"{entry.name}.xml"
        if report.exists():
            inner = gtest_cases(report)
        for case in inner:
            case.driver = entry.driver
        cases += inner
        told = any(case.result == "failed" for case in inner)
        if not inner or (entry.result == "failed" and not told):
            cases.append(entry)
    return cases
