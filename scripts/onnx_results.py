#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the results of ONNX's backend tests into docs/MODELS.md.

bench/results/onnx_nodes.json, as tests/onnx_backend/run.py --json writes it,
becomes the text between the marker comments. With --check nothing is written,
and a document that says anything else than the results is an error. Exit
status: 0 fine, 1 not, 2 wrong usage.
"""

import collections
import json
import re
import sys

sys.dont_write_bytecode = True
from recorded import (  # noqa: E402
    Failure, put_table, run_main, table_options)

MARKERS = ("<!-- onnx: begin, written by scripts/onnx_results.py -->",
           "<!-- onnx: end -->")
# What a reason is an example of, the first that matches.
KINDS = (
    (r"operator \w+ is not known here", "operators that the loader has not"),
    (r"operators of ", "operators of other domains (training, ai.onnx.ml)"),
    (r"elements of type", "elements of text, bfloat16, float8, of 4 bits and "
                          "uint64"),
    (r"is no tensor", "sequences and optional values"),
    (r"is not computed here|no mean", "second outputs: masks, indices, "
                                      "deviations"),
    (r"only inference", "training"),
    (r"not constant", "shapes that follow from data"),
    (r"loops are not supported", "loops"),
    (r"antialias|coordinate_transformation_mode|align_corners",
     "Resize with what its row in the table of operators excludes"),
    (r"no elements|no input may|nothing to reduce|no tensor may",
     "tensors without elements"),
    (r"", "other limits of the table of operators"),
)


def kind_of(reason):
    return next(kind for pattern, kind in KINDS if re.search(pattern, reason))


def table(results):
    passed, refused = results["passed"], results["refused"]
    disputed, failed = results["disputed"], results["failed"]
    total = len(passed) + len(disputed) + len(failed)
    kinds = collections.Counter()
    for reason, names in refused.items():
        kinds[kind_of(reason)] += len(names)
    total += sum(kinds.values())
    lines = [f"ONNX {results['onnx']}, whose newest operator set is "
             f"{results['opset']}, on {results['device']}:", "",
             "| tests | passed | refused | disputed | failed |",
             "| ---: | ---: | ---: | ---: | ---: |",
             f"| {total} | {len(passed)} | {sum(kinds.values())} | "
             f"{len(disputed)} | {len(failed)} |", "",
             f"{len(results['bound'])} of those that passed feed operands that "
             "the loader needs as constants; they were constants. Refused, with "
             "a message that names the node:", "",
             "| what | tests |", "| --- | ---: |"]
    lines += [f"| {kind} | {count} |" for kind, count in
              sorted(kinds.items(), key=lambda item: (-item[1], item[0]))]
    if disputed:
        lines += ["", "Disputed:", ""]
        lines += [f"- `{name}`: {reason}"
                  for name, reason in sorted(disputed.items())]
    return "\n".join(lines)


def main():
    options = table_options(__doc__, "docs/MODELS.md",
                            results="bench/results/onnx_nodes.json")
    results = json.loads(options.results.read_text(encoding="utf-8"))
    if results["failed"] or not results["passed"]:
        raise Failure(f"{options.results}: tests that failed, or none passed")
    put_table(options.document, MARKERS, table(results), options.check,
              "scripts/onnx_results.py")


if __name__ == "__main__":
    run_main(main)
