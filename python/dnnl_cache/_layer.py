# SPDX-License-Identifier: Apache-2.0
"""The OpenCL layer and the tool that are in the wheel."""
from __future__ import annotations

import glob
import importlib.util
import os
import subprocess
from typing import Dict, List, Optional, Sequence, Tuple

from . import _errors, _native
from ._store import Path

LAYER_NAME = os.path.basename(_native.LAYER)


class LoaderLoaded(_errors.Error, RuntimeError):
    """:func:`enable_layer` was called too late: an OpenCL loader is in the
    process, and reads its layers once."""


def layer_path() -> str:
    """The path of the OpenCL layer, for ``OPENCL_LAYERS`` of other processes."""
    return _native.LAYER


def tool_path() -> str:
    """The path of the tool ``dnnl-cache``, which is a program of its own."""
    return _native.TOOL


def _mapped() -> List[str]:
    """The files that are in the process's memory."""
    files = []
    with open("/proc/self/maps", encoding="utf-8",
              errors="surrogateescape") as maps:
        for line in maps:
            words = line.rstrip("\n").split(None, 5)
            if len(words) == 6 and words[5].startswith("/"):
                files.append(words[5])
    return files


def loaded_loader() -> Optional[str]:
    """The OpenCL loader that is in the process; None if none is."""
    for path in _mapped():
        name = os.path.basename(path)
        if name.startswith(("libOpenCL.", "libOpenCL-")):
            return path
    return None


def is_layer_loaded() -> bool:
    """Whether the layer is in the process: a loader has loaded it, which it does
    when OpenCL is first used."""
    return any(os.path.basename(path) == LAYER_NAME for path in _mapped())


def enable_layer(dir: Optional[Path] = None, *,
                 max_bytes: Optional[int] = None, store: Optional[str] = None,
                 seed: Optional[Path] = None, stats: bool = False,
                 refresh_at_exit: bool = True) -> None:
    """Puts the OpenCL layer under all OpenCL code of this process, pyopencl's
    and any other: what it builds is kept, and loaded at the next start.

    Call it before anything imports pyopencl. It sets variables of this process's
    environment, which child processes inherit: ``OPENCL_LAYERS``, and as given
    ``DNNL_CACHE_DIR``, ``DNNL_CACHE_MAX_SIZE`` (bytes; 0: no limit),
    ``DNNL_CACHE_STORE``, ``DNNL_CACHE_SEED``, ``DNNL_CACHE_STATS``. Without
    ``dir`` the layer keeps programs in its own default directory.

    With PoCL the layer notes what was built and launched, and the entries are
    made afterwards: with ``refresh_at_exit`` when the interpreter ends,
    otherwise by ``python -m dnnl_cache refresh``.

    Raises :class:`LoaderLoaded` if an OpenCL loader is in the process already.
    """
    loader = loaded_loader()
    if loader is not None:
        raise LoaderLoaded(
            "enable_layer() was called after an OpenCL loader was loaded: "
            + loader + "; call it before pyopencl, or any module that uses "
            "OpenCL, is imported")
    if ":" in _native.LAYER:
        raise _errors.InvalidArguments(
            "OPENCL_LAYERS cannot name a file with a \":\": " + _native.LAYER)
    settings: Dict[str, str] = {}
    if dir is not None:
        settings["DNNL_CACHE_DIR"] = os.path.abspath(
            os.fsdecode(_native.as_path(dir, "dir")))
    if max_bytes is not None:
        if isinstance(max_bytes, bool) or not isinstance(max_bytes, int):
            raise TypeError("max_bytes must be an integer")
        if not 0 <= max_bytes < 2**64:
            raise _errors.InvalidArguments(f"a size of {max_bytes} bytes")
        # In bytes, also for a tree store.
        settings["DNNL_CACHE_MAX_SIZE"] = (
            f"{max_bytes}B" if max_bytes else "0")
    if store is not None:
        if not _native.lib.dnnl_cache_store_find_type(
                _native.as_text(store, "store")):
            raise _errors.InvalidArguments(
                f"store must be bucket, flat, tree or pack, not {store!r}")
        settings["DNNL_CACHE_STORE"] = store
    if seed is not None:
        settings["DNNL_CACHE_SEED"] = os.path.abspath(
            os.fsdecode(_native.as_path(seed, "seed")))
    if stats:
        settings["DNNL_CACHE_STATS"] = "1"
    others = [
        entry for entry in os.environ.get("OPENCL_LAYERS", "").split(":")
        if entry and os.path.basename(entry) != LAYER_NAME]
    settings["OPENCL_LAYERS"] = ":".join([_native.LAYER, *others])
    os.environ.update(settings)
    if refresh_at_exit:
        pid = os.getpid()

        def end() -> None:
            if os.getpid() == pid and is_layer_loaded():
                refresh(wait_s=10)

        _native.at_exit_last(end)


# ---- The tool ----------------------------------------------------------------


def _pyopencl_loader() -> Optional[Tuple[str, str]]:
    """The folder of an installed pyopencl, and the loader that it brings, without
    importing it."""
    try:
        spec = importlib.util.find_spec("pyopencl")
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for pattern in (os.path.join(folder, ".libs", "libOpenCL*"),
                        os.path.join(folder + ".libs", "libOpenCL*")):
            found = sorted(glob.glob(pattern))
            if found:
                return folder, found[0]
    return None


def tool_environment() -> Dict[str, str]:
    """The environment for the tool: of this process, without what is meant for
    applications under the layer, and with pyopencl's OpenCL loader."""
    environment = dict(os.environ)
    for name in ("OPENCL_LAYERS", "DNNL_CACHE_STATS", "DNNL_CACHE_TRACE",
                 "DNNL_CACHE_RECORD"):
        environment.pop(name, None)
    if not environment.get("DNNL_CACHE_OPENCL_LIBRARY"):
        loader = _native.loader_path()
        installed = _pyopencl_loader()
        if installed is not None and loader in ("", installed[1]):
            loader = installed[1]
            # That loader crashes without the variable, which pyopencl sets
            # when it is imported.
            environment.setdefault("PYOPENCL_HOME", installed[0])
        if loader:
            environment["DNNL_CACHE_OPENCL_LIBRARY"] = loader
    return environment


def run_tool(*arguments: str, check: bool = True,
             capture: bool = False) -> "subprocess.CompletedProcess[str]":
    """Runs the tool ``dnnl-cache`` with these arguments: ``run_tool("list",
    "--store", DIR)``. With ``capture`` its output is in the result's ``stdout``
    and ``stderr``."""
    command: Sequence[str] = [_native.TOOL, *arguments]
    # close_fds: with True this would be a fork(), which newer Pythons refuse
    # when the interpreter ends. Python's own descriptors are not inherited.
    return subprocess.run(
        command, env=tool_environment(), check=check, text=True,
        capture_output=capture, close_fds=False)


def refresh(dir: Optional[Path] = None, *, wait_s: Optional[int] = None) -> bool:
    """Compiles and stores what is in the journal of a store, in worker
    processes: programs that were built or launched in a new way, and whose
    binaries nobody asked the driver for. ``dir`` None is the layer's store.
    Returns whether all was kept."""
    arguments = ["refresh", "--journal-only", "--quiet", "--layer",
                 _native.LAYER]
    if dir is not None:
        arguments += ["--store", os.path.abspath(
            os.fsdecode(_native.as_path(dir, "dir")))]
    else:
        # The layer's journal is the user's own.
        arguments.append("--read-files")
    if wait_s is not None:
        arguments += ["--wait", f"{int(wait_s)}s"]
    ended = run_tool(*arguments, check=False, capture=True)
    if ended.returncode != 0:
        _native.logger.warning(
            "dnnl-cache refresh: exit status %d: %s", ended.returncode,
            ended.stderr.strip())
    return ended.returncode == 0
