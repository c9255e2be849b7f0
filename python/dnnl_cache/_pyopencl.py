# SPDX-License-Identifier: Apache-2.0
"""What this package knows of pyopencl. Imported at the first need."""
from __future__ import annotations

from typing import Any, List, Tuple, Union

import pyopencl as cl

from . import _errors, _native


def use() -> None:
    """Has the library use pyopencl's OpenCL loader."""
    _native.use_process()
    _native.use_loader(_native.pyopencl_module())


def context_of(context: Any) -> Any:
    """A context; a queue stands for its context."""
    if isinstance(context, cl.CommandQueue):
        return context.context
    if not isinstance(context, cl.Context):
        raise TypeError(
            "a pyopencl.Context is expected, not " + type(context).__name__)
    return context


def device_of(context: Any, device: Any) -> Any:
    """The device that is meant: the context's only one, if none is given."""
    if device is not None:
        if not isinstance(device, cl.Device):
            raise TypeError(
                "a pyopencl.Device is expected, not " + type(device).__name__)
        return device
    devices: List[Any] = context.devices
    if len(devices) != 1:
        raise _errors.InvalidArguments(
            f"the context has {len(devices)} devices: name one (device=)")
    return devices[0]


def pointers(context: Any, device: Any) -> Tuple[int, int]:
    """The cl_context and the cl_device_id."""
    return context.int_ptr, device.int_ptr


def include_options() -> List[str]:
    """Where pyopencl's own headers are, as its programs are built."""
    return list(getattr(cl, "_DEFAULT_INCLUDE_OPTIONS", []))


def source_and_options(
        source: Any, options: Any) -> Tuple[Union[str, bytes], str]:
    """The text of both, as pyopencl would build it."""
    if options is None:
        words: List[str] = []
    elif isinstance(options, (str, bytes)):
        words = [options.decode() if isinstance(options, bytes) else options]
    else:
        words = [
            word.decode() if isinstance(word, bytes) else str(word)
            for word in options]
    text = source.encode() if isinstance(source, str) else source
    if b"include" in text:
        # Its path is part of the ID only where it matters.
        words += include_options()
    return source, " ".join(word for word in words if word)
