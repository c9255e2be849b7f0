# SPDX-License-Identifier: Apache-2.0
"""What this package knows of pyopencl. Imported at the first need."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Tuple, Union

import pyopencl as cl

from . import _errors, _native

if TYPE_CHECKING:
    from ._program import ProgramHandle


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


def _sizes(value: Any) -> Tuple[int, ...]:
    if hasattr(value, "__iter__"):
        return tuple(int(size) for size in value)
    return (int(value),)


class Kernel(cl.Kernel):  # type: ignore[misc, unused-ignore]
    """A kernel that reports its launches.

    What is launched with ``kernel(queue, ...)`` is reported. A launch by
    ``pyopencl.enqueue_nd_range_kernel()`` is not: call
    :meth:`Program.note_launch`.
    """

    def __init__(self, program: "Program", name: str) -> None:
        super().__init__(program, name)
        # Not the program, which has a reference to no kernel either.
        self._dnnl_cache = (program.dnnl_cache_handle, name)

    def __call__(  # type: ignore[override, unused-ignore]
            self, queue: Any, global_work_size: Any,
            local_work_size: Any = None, *args: Any, **options: Any) -> Any:
        """Launches the kernel, as pyopencl does, and reports the launch."""
        event = super().__call__(
            queue, global_work_size, local_work_size, *args, **options)
        handle, name = self._dnnl_cache
        handle.note_call(
            name, global_work_size, local_work_size,
            options.get("global_offset"), bool(options.get("g_times_l")))
        return event


class Program(cl.Program):  # type: ignore[misc, unused-ignore]
    """A ``pyopencl.Program`` that was built, or loaded, by :func:`build`.

    Its kernels, as ``program.name``, report their launches, so that drivers
    which compile at a kernel's first launch (PoCL) find that at the next start,
    too. Everything else is pyopencl's.
    """

    def __init__(self, handle: "ProgramHandle") -> None:
        base = cl.Program.from_int_ptr(handle.cl_program, True)
        super().__init__(base._get_prg())
        self.dnnl_cache_handle = handle

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "dnnl_cache_handle":
            raise AttributeError(name)
        try:
            kernel = Kernel(self, name)
            kernel.num_args  # drivers that create any kernel fail here
        except cl.LogicError as error:
            raise AttributeError(
                f"{name!r} was not found as a program info attribute or as a "
                "kernel name") from error
        return kernel

    @property
    def dnnl_cache(self) -> "ProgramHandle":
        """The cache's side of this program: ID, blob, where it came from."""
        return self.dnnl_cache_handle


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
