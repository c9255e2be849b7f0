#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What IDs of a CPU have of its processor, on those that qemu-x86_64 emulates:
runs a program that prints it on each, and writes the table of tests/identity/README.md.
A model without one of its features must have another ID, and one with another
stepping the same. Exit status: 77 if there is no qemu-x86_64."""
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from recorded import Failure, grid, put_table, run_main, table_options  # noqa: E402

NAME = "processors"
COMMAND = "scripts/processors.py"
# Whose models the table has; what another one emulates is not compared with it.
VERSION = "7.2"
MODELS = ["qemu64", "core2duo", "Penryn", "Nehalem", "Westmere", "SandyBridge",
          "IvyBridge", "Haswell", "Broadwell",
          "Skylake-Client", "Opteron_G3", "EPYC", "EPYC-Rome", "EPYC-Milan"]
# The sets that LLVM's names and PoCL's libraries part processors by.
SETS = ["sse3", "ssse3", "sse4.1", "sse4.2", "sse4a", "popcnt", "avx", "f16c",
        "fma", "avx2", "bmi2", "adx", "clzero", "rdpid", "vaes"]
# (another model, whether it has the ID of the model)
VARIANTS = [("Haswell,-avx2", False), ("Haswell,-bmi2", False),
            ("Haswell,-xsave", False), ("Haswell,model=63", False),
            ("Haswell,stepping=1", True), ("Haswell,-hypervisor", True),
            ("Haswell,-apic", True)]


def facts(qemu, program, model):
    """(name, features, digest) that the program prints on a processor."""
    done = subprocess.run([qemu, "-cpu", model, program], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False, timeout=60)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != 3:
        raise Failure(f"{model}: the program failed")
    return lines[0], lines[1].split(), lines[2]


def row(model, told):
    name, features, digest = told
    sets = [s for s in SETS if s in features]
    return [f"`{model}`", name, str(len(features)), " ".join(sets),
            f"`{digest[:16]}`"]


def check_variants(qemu, program):
    for variant, is_same in VARIANTS:
        model = variant.split(",")[0]
        same = facts(qemu, program, variant) == facts(qemu, program, model)
        if same != is_same:
            raise Failure(f"{variant}: its ID is {'' if same else 'not '}that "
                          f"of {model}")


def main():
    given = table_options(__doc__, "tests/identity/README.md",
                          program="build/bin/processor_facts")
    qemu = shutil.which("qemu-x86_64")
    if qemu is None:
        return 77
    check_variants(qemu, given.program)
    version = subprocess.run([qemu, "--version"], text=True, check=True,
                             stdout=subprocess.PIPE).stdout
    if given.check and f"version {VERSION}" not in version:
        return 0
    rows = {model: facts(qemu, given.program, model) for model in MODELS}
    if len({told[2] for told in rows.values()}) != len(rows):
        raise Failure("two models have one ID")
    heads = ["qemu's model", "processor", "features", "among them", "ID"]
    table = "\n".join(grid(heads, [row(*r) for r in rows.items()], len(heads)))
    put_table(given.document, NAME, table, given.check, COMMAND)
    return 0


if __name__ == "__main__":
    run_main(main)
