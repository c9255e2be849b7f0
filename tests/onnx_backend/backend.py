# SPDX-License-Identifier: Apache-2.0
"""The model loader as a backend of ONNX (onnx.backend.base).

prepare() loads a model with node_server, run() runs it. A model that the loader
does not support raises BackendIsNotSupposedToImplementIt with the loader's
reason; ONNX's runner counts that as skipped. Anything else that goes wrong is an
error.

Some of ONNX's tests feed operands that decide shapes (the shape of a Reshape) as
inputs, or have inputs without elements. The loader needs the former when it
reads the model, and has no inputs of the latter kind. Such a model is loaded when
its inputs are known, with these inputs, and no others, as initializers.
"""
import os
import re
import shutil
import subprocess
import tempfile

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.base import Backend, BackendRep
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

NOT_CONSTANT = re.compile(r"input \d+, '([^']*)', is not constant"
                          r"|^input '([^']*)': no input may have dimensions")


def asked_for(reason, model):
    """The number of the model's input that has to be a constant, or None."""
    found = NOT_CONSTANT.search(reason)
    names = [value.name for value in model.graph.input]
    name = found and (found.group(1) or found.group(2))
    return names.index(name) if name in names else None
SERVER_VARIABLE = "NODE_SERVER"
STORE_VARIABLE = "NODE_SERVER_STORE"


class Server:
    """One node_server, started again if it has died."""

    def __init__(self):
        self.process = None
        self.folder = tempfile.mkdtemp(prefix="onnx_backend_")

    def ask(self, *words):
        """The two parts of the answer: a word, and what follows it."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [os.environ[SERVER_VARIABLE], os.environ[STORE_VARIABLE]],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.process.stdin.write("\t".join(words) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            status = self.process.wait()
            self.process = None
            return "failed", f"the server died with status {status}"
        word, _, rest = line.rstrip("\n").partition(" ")
        return word, rest

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
        self.process = None
        shutil.rmtree(self.folder, ignore_errors=True)


SERVER = Server()
# What became of the last model; run.py asks for it.
LAST = {}


def check_type(model):
    """Refuses what is no tensor, which the loader's files cannot have."""
    for value in list(model.graph.input) + list(model.graph.output):
        if value.type.WhichOneof("value") != "tensor_type":
            refuse(f"'{value.name}' is no tensor")


def refuse(reason):
    LAST["reason"] = reason
    raise BackendIsNotSupposedToImplementIt(reason)


def load(model):
    path = os.path.join(SERVER.folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    return SERVER.ask("load", path)


class LoadedModel(BackendRep):
    def __init__(self, model, is_loaded):
        self.model = model
        self.is_loaded = is_loaded

    def bind(self, inputs):
        """Loads the model with those inputs as constants that it asks for."""
        left = list(inputs)
        while True:
            word, rest = load(self.model)
            if word == "ok":
                return left
            if word != "refused":
                raise AssertionError(rest)
            number = asked_for(rest, self.model)
            if number is None:
                refuse(rest)
            self.model.graph.initializer.append(numpy_helper.from_array(
                numpy.asarray(left[number]),
                self.model.graph.input[number].name))
            del self.model.graph.input[number]
            del left[number]
            LAST["bound"] = True

    def run(self, inputs, **kwargs):
        words = []
        LAST["inputs"] = inputs
        if not self.is_loaded:
            inputs = self.bind(inputs)
        for i, value in enumerate(inputs):
            words.append(os.path.join(SERVER.folder, f"input_{i}.pb"))
            with open(words[-1], "wb") as file:
                file.write(numpy_helper.from_array(
                    numpy.asarray(value)).SerializeToString())
        word, rest = SERVER.ask("run", *words, ">", SERVER.folder)
        if word != "ok":
            raise AssertionError(rest)
        results = []
        for i in range(int(rest)):
            tensor = onnx.TensorProto()
            with open(os.path.join(SERVER.folder, f"{i}.pb"), "rb") as file:
                tensor.ParseFromString(file.read())
            results.append(numpy_helper.to_array(tensor))
        LAST["outputs"] = results
        return tuple(results)


class ModelLoaderBackend(Backend):
    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        LAST.clear()
        check_type(model)
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        word, rest = load(copy)
        if word == "ok":
            return LoadedModel(copy, True)
        if word != "refused":
            raise AssertionError(rest)
        if asked_for(rest, copy) is None:
            refuse(rest)
        return LoadedModel(copy, False)

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"
