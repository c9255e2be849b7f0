# SPDX-License-Identifier: Apache-2.0
"""pyopencl's programs and kernels, with what the cache wants to know of them.
Imported at the first need, as it imports pyopencl."""
from __future__ import annotations

from typing import Any

import pyopencl as cl

from ._program import ProgramHandle


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

    def __init__(self, handle: ProgramHandle) -> None:
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
    def dnnl_cache(self) -> ProgramHandle:
        """The cache's side of this program: ID, blob, where it came from."""
        return self.dnnl_cache_handle
