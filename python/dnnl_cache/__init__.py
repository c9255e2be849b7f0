# SPDX-License-Identifier: Apache-2.0
"""Compile OpenCL programs once, load them at every later start.

With pyopencl::

    import dnnl_cache
    dnnl_cache.set_dir()                       # keep programs, and find them
    program = dnnl_cache.build(ctx, source)    # a pyopencl.Program
    program.scale(queue, (4096,), None, buffer)

Programs are kept when the process ends. The names below are the whole interface;
docs/start/python.md has examples, the rules for threads, ``fork()`` and the end of the
interpreter. Failures are exceptions, all derived from :class:`Error`. Messages go
to the logger ``dnnl_cache`` of :mod:`logging`.
"""
from __future__ import annotations

from ._blob import (
    BlobInfo, BlobKind, IdField, blob_binary, id_difference, id_fields,
    inspect_blob)
from ._build import build, create_from_blob, describe
from ._engine import (
    CompileMode, CreationInfo, Engine, Origin, capture_all, engine_of,
    keep_at_exit, set_compile_mode)
from ._errors import (
    BlobCorrupt, BlobError, BlobStale, BlobUnsupported, BuildError, Error,
    ForkedProcess, InvalidArguments, Miss, OutOfMemory, RuntimeFailure,
    Unimplemented)
from ._layer import (
    LoaderLoaded, enable_layer, is_layer_loaded, layer_path, loaded_loader,
    refresh, run_tool, tool_path)
from ._native import lib as _lib
from ._native import loader_path
from ._primitive import (
    Primitive, PrimitiveDesc, convolution, convolution_desc, matmul,
    matmul_desc)
from ._program import ProgramDesc, ProgramHandle
from ._statistics import (
    PrimitiveStatistics, ProgramStatistics, Statistics, StoreCalls, statistics)
from ._store import (
    Policy, Store, StoreCheck, StoreItem, cache_dir, default_dir, set_dir)

__version__: str = _lib.dnnl_cache_version().decode()

__all__ = [
    "BlobCorrupt", "BlobError", "BlobInfo", "BlobKind", "BlobStale",
    "BlobUnsupported", "BuildError", "CompileMode", "CreationInfo", "Engine",
    "Error", "ForkedProcess", "IdField", "InvalidArguments", "LoaderLoaded",
    "Miss", "Origin", "OutOfMemory", "Policy", "Primitive", "PrimitiveDesc",
    "PrimitiveStatistics", "ProgramDesc", "ProgramHandle",
    "ProgramStatistics", "RuntimeFailure", "Statistics", "Store", "StoreCalls",
    "StoreCheck", "StoreItem", "Unimplemented", "blob_binary", "build",
    "cache_dir", "capture_all", "convolution", "convolution_desc",
    "create_from_blob", "default_dir", "describe", "enable_layer", "engine_of",
    "id_difference", "id_fields", "inspect_blob", "is_layer_loaded",
    "keep_at_exit", "layer_path", "loaded_loader", "loader_path", "matmul",
    "matmul_desc", "refresh", "run_tool", "set_compile_mode", "set_dir",
    "statistics", "tool_path",
]
