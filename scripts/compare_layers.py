#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares each layer of model_loader with ONNX Runtime, the worst first.

usage: compare_layers.py MODEL.onnx [--loader PROGRAM] [--store DIR]
                         [--input NAME=FILE.npy ...] [--shape NAME=1x3x224x224 ...]
                         [--seed N] [--worst N] [--most ERROR] [--json FILE]

Inputs without a file get random numbers (--seed). Both programs run the model on
them; model_loader writes the result of each layer that it computes (--dump), and
ONNX Runtime is asked for the tensors of the same names. A layer's error is its
largest difference, divided by the largest number of the tensor: layers of few and of
many numbers compare. "grows" is the error divided by the largest error before it in
the model, so that the layer where an error begins stands out.

Needs onnx, numpy and onnxruntime from PyPI. Exit status: 0 every error is at most
--most (1e-4); 1 one is larger, or a program failed; 2 wrong usage.
"""
import argparse
import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
from measuring import run  # noqa: E402
from recorded import ROOT, Failure, run_main  # noqa: E402

TYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16",
         6: "int32", 7: "int64", 9: "bool", 10: "float16", 11: "float64"}


def modules():
    """numpy, onnx and onnxruntime."""
    try:
        import numpy
        import onnx
        import onnx.numpy_helper
        import onnxruntime
    except ImportError as error:
        raise Failure(f"{error}: pip install onnx numpy onnxruntime") from error
    return numpy, onnx, onnxruntime


def options():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog="Exit status: 0 every error is at most --most; 1 one is larger, "
               "or a program failed; 2 wrong usage.")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--loader", default=str(ROOT / "build/bin/model_loader"),
                        help="default: build/bin/model_loader")
    parser.add_argument("--store", help="default: a temporary folder")
    parser.add_argument("--input", action="append", default=[],
                        metavar="NAME=FILE.npy")
    parser.add_argument("--shape", action="append", default=[],
                        metavar="NAME=1x3x224x224")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worst", type=int, default=20, metavar="N",
                        help="layers to print (default 20; 0: all)")
    parser.add_argument("--most", type=float, default=1e-4, metavar="ERROR")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    return parser.parse_args()


def pairs(texts, option):
    """NAME=VALUE texts as a dictionary."""
    for text in texts:
        if "=" not in text:
            raise Failure(f"{option} {text}: expected NAME=VALUE")
    return dict(text.split("=", 1) for text in texts)


def shape_of(value, given):
    """The shape of an input; what the model leaves open is asked for."""
    if value.name in given:
        return [int(n) for n in given[value.name].split("x")]
    dims = value.type.tensor_type.shape.dim
    if any(not d.HasField("dim_value") for d in dims):
        raise Failure(f"input {value.name} has open dimensions: give "
                      f"--shape {value.name}=...")
    return [d.dim_value for d in dims]


def make_inputs(model, args, numpy):
    """{name: array}: from files, else random."""
    files = pairs(args.input, "--input")
    shapes = pairs(args.shape, "--shape")
    random = numpy.random.default_rng(args.seed)
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = {}
    for value in model.graph.input:
        if value.name in weights:
            continue
        number = value.type.tensor_type.elem_type
        if value.name in files:
            file = files.pop(value.name)
            try:
                inputs[value.name] = numpy.load(file)
            except (OSError, ValueError) as error:
                raise Failure(f"{file}: {error}") from error
            continue
        if number not in TYPES:
            raise Failure(f"input {value.name} has an element type that only "
                          "a file can bring")
        kind = numpy.dtype(TYPES[number])
        shape = shape_of(value, shapes)
        if kind.kind == "f":
            inputs[value.name] = random.standard_normal(shape).astype(kind)
        else:
            inputs[value.name] = random.integers(0, 2, shape).astype(kind)
    if files:
        raise Failure(f"no input {', '.join(sorted(files))}")
    return inputs


def input_options(inputs, folder, numpy):
    """The options of model_loader that feed it arrays, by files in the folder."""
    for i, (name, array) in enumerate(inputs.items()):
        numpy.save(folder / f"{i}.npy", array)
        yield from ("--input", f"{name}={folder / f'{i}.npy'}")


def read_tensors(folder, onnx):
    """[(name, array)] that model_loader wrote, in the order of execution."""
    tensors = []
    for path in sorted(folder.glob("*.pb")):
        tensor = onnx.TensorProto()
        tensor.ParseFromString(path.read_bytes())
        tensors.append((tensor.name, onnx.numpy_helper.to_array(tensor)))
    if not tensors:
        raise Failure("model_loader wrote no tensor")
    return tensors


def run_reference(model, names, inputs, runtime, onnx):
    """{name: array} of ONNX Runtime, without optimisations that would hide
    tensors."""
    there = {name for node in model.graph.node for name in node.output}
    outputs = {value.name for value in model.graph.output}
    wanted = [name for name in names if name in there]
    for name in wanted:
        if name not in outputs:
            model.graph.output.append(
                onnx.helper.make_empty_tensor_value_info(name))
    settings = runtime.SessionOptions()
    settings.graph_optimization_level = (
        runtime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    try:
        session = runtime.InferenceSession(
            model.SerializeToString(), settings,
            providers=["CPUExecutionProvider"])
        return dict(zip(wanted, session.run(wanted, inputs)))
    except Exception as error:  # its own, which have no common class
        raise Failure(f"ONNX Runtime: {error}") from error


def compare(layers, reference, nodes, numpy):
    """A row for each layer that both have; what only one has is counted."""
    rows = []
    worst_before = 0.0
    for name, ours in layers:
        if name not in reference:
            continue
        theirs = numpy.asarray(reference[name])
        if theirs.shape != ours.shape:
            raise Failure(f"{name}: model_loader has shape {list(ours.shape)}, "
                          f"ONNX Runtime {list(theirs.shape)}")
        ours, theirs = (a.astype("float64") for a in (ours, theirs))
        same = (ours == theirs) | (numpy.isnan(ours) & numpy.isnan(theirs))
        with numpy.errstate(invalid="ignore"):
            difference = numpy.where(same, 0.0, numpy.abs(ours - theirs))
        finite = numpy.abs(theirs[numpy.isfinite(theirs)])
        scale = float(finite.max()) if finite.size else 0.0
        largest = float(difference.max()) if difference.size else 0.0
        error = largest / scale if scale > 0.0 else largest
        if error != error:  # a NaN that only one has
            error = float("inf")
        rows.append({"layer": name, "operator": nodes.get(name, ""),
                     "shape": list(ours.shape), "difference": largest,
                     "largest": scale, "error": error,
                     "grows": error / worst_before if worst_before else None})
        worst_before = max(worst_before, error)
    return rows


def print_rows(rows, args):
    """The worst first."""
    worst = sorted(rows, key=lambda row: -row["error"])
    print(f"{'error':>9}  {'grows':>6}  {'difference':>10}  {'largest':>9}  layer")
    for row in worst[:args.worst or None]:
        grows = f"{row['grows']:6.1f}" if row["grows"] is not None else "     -"
        shape = "x".join(map(str, row["shape"])) or "scalar"
        print(f"{row['error']:9.2e}  {grows}  {row['difference']:10.2e}  "
              f"{row['largest']:9.2e}  {row['operator']} '{row['layer']}' {shape}")


def main():
    args = options()
    numpy, onnx, onnxruntime = modules()
    try:
        model = onnx.load(args.model)
    except Exception as error:  # of protobuf's, by version
        raise Failure(f"{args.model}: {error}") from error
    inputs = make_inputs(model, args, numpy)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run([args.loader, args.model, "--store", args.store or folder / "store",
             "--repeat", "1", "--dump", folder / "layers",
             *input_options(inputs, folder, numpy),
             *(word for shape in args.shape for word in ("--shape", shape))])
        layers = read_tensors(folder / "layers", onnx)
        nodes = {output: node.op_type for node in model.graph.node
                 for output in node.output}
        reference = run_reference(
            model, [layer for layer, _ in layers], inputs, onnxruntime, onnx)
        rows = compare(layers, reference, nodes, numpy)
    if not rows:
        raise Failure("no layer has the name of a tensor of the model")
    print_rows(rows, args)
    worst = max(row["error"] for row in rows)
    print(f"{len(rows)} layers compared, {len(layers) - len(rows)} of "
          f"model_loader's own; largest error {worst:.2e}")
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if worst <= args.most else 1


if __name__ == "__main__":
    run_main(main)
