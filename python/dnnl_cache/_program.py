# SPDX-License-Identifier: Apache-2.0
"""Programs of the application's own."""
from __future__ import annotations

import ctypes
import threading
import weakref
from ctypes import byref, c_char_p, c_int, c_size_t
from typing import Any, Mapping, Optional, Sequence, Set, Tuple, Union

from . import _errors, _native
from ._engine import CreationInfo, Engine, creation_info
from ._native import Buffer

Sizes = Union[int, Sequence[int]]
Options = Union[None, str, bytes, Sequence[Union[str, bytes]]]


class ProgramDesc:
    """A program that may be built: its source, its options, its ID.

    ``source`` is OpenCL C (str or bytes) or SPIR-V (bytes that begin with its
    magic number). ``headers`` maps names to the text of embedded headers.
    ``keys`` are bytes of the application's that belong to the ID. If
    ``follow_includes``, the files that the source includes are read, and what
    they hold is part of the ID; otherwise a program with includes has no ID.
    """

    def __init__(self, engine: Engine, source: Union[str, bytes],
                 options: Options = None, *,
                 headers: Optional[Mapping[str, str]] = None,
                 keys: Sequence[bytes] = (),
                 follow_includes: bool = True) -> None:
        if not isinstance(engine, Engine):
            raise TypeError(
                "an Engine is expected, not " + type(engine).__name__)
        data = source.encode("utf-8") if isinstance(source, str) else source
        if not isinstance(data, bytes):
            raise TypeError(
                "source must be str or bytes, not " + type(source).__name__)
        if not data:
            raise _errors.InvalidArguments("the source is empty")
        words = _native.as_text(_join(options), "options")
        if data[:4] in (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03"):
            handle = _native.create(
                "dnnl_cache_program_desc_create_with_il", engine.handle,
                len(data), data, words)
        else:
            handle = _native.create(
                "dnnl_cache_program_desc_create", engine.handle, 1,
                (c_char_p * 1)(data), (c_size_t * 1)(len(data)), words)
        self._handle = handle
        self._engine = engine
        end = weakref.finalize(
            self, _native.destroy, "dnnl_cache_program_desc_destroy", handle,
            engine)
        end.atexit = False
        for name, text in (headers or {}).items():
            header = _native.as_text(text, "a header")
            _native.call(
                "dnnl_cache_program_desc_add_header", handle,
                _native.as_text(name, "a header's name"), len(header), header)
        for key in keys:
            value = _native.as_bytes(key, "a key")
            _native.call(
                "dnnl_cache_program_desc_add_key", handle, len(value), value)
        if follow_includes and not headers:
            _native.call(
                "dnnl_cache_program_desc_set_include_following", handle, 1)

    @property
    def cache_blob_id(self) -> bytes:
        """The program's ID; nothing is compiled. Empty if it has none:
        :attr:`not_cacheable_reason` says why."""
        _native.use_process()
        return _native.read_bytes(
            "dnnl_cache_program_desc_get_cache_blob_id", self._handle)

    @property
    def not_cacheable_reason(self) -> str:
        """Why the program has no ID; "" if it has one."""
        _native.use_process()
        cacheable, reason = c_int(), c_char_p()
        _native.call(
            "dnnl_cache_program_desc_is_cacheable", self._handle,
            byref(cacheable), byref(reason))
        if cacheable.value:
            return ""
        return (reason.value or b"").decode("utf-8", "replace")

    def create(self) -> "ProgramHandle":
        """The program: from memory, from a store, or compiled. Raises
        :class:`BuildError`, :class:`Miss`."""
        _native.use_process()
        handle = ctypes.c_void_p()
        status = _native.ask(
            _native.lib.dnnl_cache_program_create, byref(handle), self._handle)
        if status != _errors.SUCCESS:
            raise self._failure(status)
        assert handle.value is not None
        return ProgramHandle._make(handle.value, self._engine, self)

    def create_from_blob(self, blob: Buffer) -> "ProgramHandle":
        """The program from its blob: nothing is compiled. Raises
        :class:`BlobError`."""
        _native.use_process()
        data = _native.as_bytes(blob, "blob")
        return ProgramHandle._make(
            _native.create(
                "dnnl_cache_program_create_from_cache_blob", self._handle,
                len(data), data),
            self._engine, self)

    def _failure(self, status: int) -> _errors.Error:
        error = _native.failure(status, "the program cannot be built")
        if status != _errors.RUNTIME_ERROR:
            return error
        log = _native.read_text(
            "dnnl_cache_program_desc_get_build_log", self._handle)
        if not log:
            return error
        failed = _errors.BuildError(
            "the program does not compile:\n" + log.rstrip())
        failed.status, failed.status_name = error.status, error.status_name
        failed.log = log
        return failed


def _join(options: Options) -> Union[str, bytes]:
    if options is None:
        return ""
    if isinstance(options, (str, bytes)):
        return options
    return " ".join(
        word.decode("utf-8") if isinstance(word, bytes) else word
        for word in options)


def _three(sizes: Any) -> Tuple[int, ...]:
    if not hasattr(sizes, "__iter__"):
        sizes = (sizes,)
    return tuple(_native.as_number(size, "a size") for size in sizes)


class ProgramHandle:
    """The cache's side of a program: what ``program.dnnl_cache`` is."""

    def __init__(self) -> None:
        raise TypeError("build() and ProgramDesc make programs")

    @classmethod
    def _make(cls, handle: int, engine: Engine,
              desc: ProgramDesc) -> "ProgramHandle":
        self = cls.__new__(cls)
        self._begin(handle, engine, desc)
        return self

    def _begin(self, handle: int, engine: Engine, desc: ProgramDesc) -> None:
        self._handle = handle
        self._engine = engine
        self._desc = desc
        end = weakref.finalize(
            self, _native.destroy, "dnnl_cache_program_destroy", handle, engine)
        end.atexit = False
        self._lock = threading.Lock()
        self._noted: Set[Any] = set()

    @property
    def engine(self) -> Engine:
        """The engine it was built on."""
        return self._engine

    @property
    def desc(self) -> ProgramDesc:
        """The descriptor it was made of."""
        return self._desc

    @property
    def cache_blob_id(self) -> bytes:
        """The ID under which :attr:`cache_blob` is kept; empty if it has none."""
        return self._desc.cache_blob_id

    @property
    def cl_program(self) -> int:
        """The ``cl_program``, as an integer; not retained."""
        return _native.borrow(
            "dnnl_cache_program_get_cl_program", self._handle)

    @property
    def cache_blob(self) -> bytes:
        """The program's blob. Ask for it when each kernel was launched as it
        usually is: a driver such as PoCL compiles at the first launch. Empty if
        the program has no ID."""
        _native.use_process()
        return _native.read_bytes(
            "dnnl_cache_program_get_cache_blob", self._handle)

    @property
    def build_log(self) -> str:
        """The compiler's output, also of a program that was loaded."""
        _native.use_process()
        return _native.read_text(
            "dnnl_cache_program_get_build_log", self._handle)

    @property
    def creation(self) -> CreationInfo:
        """Where the program came from."""
        _native.use_process()
        return creation_info(
            "dnnl_cache_program_get_creation_info", self._handle)

    def capture(self) -> None:
        """Stores the program now, rather than at the end of the process."""
        _native.use_process()
        _native.call("dnnl_cache_program_capture", self._handle)

    def note_launch(self, kernel: str, global_size: Sizes,
                    local_size: Optional[Sizes] = None,
                    global_offset: Optional[Sizes] = None) -> None:
        """Reports a launch that was not made with ``program.kernel(queue,
        ...)``, with the arguments of clEnqueueNDRangeKernel()."""
        _native.use_process()
        name = _native.as_text(kernel, "kernel")
        sizes = _three(global_size)
        count = len(sizes)
        if not 1 <= count <= 3 or any(size <= 0 for size in sizes):
            raise _errors.InvalidArguments(
                f"not the sizes of a launch: {sizes}")

        def array(value: Optional[Sizes], least: int) -> Any:
            if value is None:
                return None
            numbers = _three(value)
            if len(numbers) != count or any(n < least for n in numbers):
                raise _errors.InvalidArguments(
                    f"not {count} sizes: {numbers}")
            return (c_size_t * count)(*numbers)

        _native.call(
            "dnnl_cache_program_note_launch", self._handle, name, count,
            array(global_offset, 0), (c_size_t * count)(*sizes),
            array(local_size, 1))

    def note_call(self, kernel: str, global_size: Any, local_size: Any,
                  global_offset: Any, g_times_l: bool) -> None:
        """Reports a launch as pyopencl's kernels are called, each form once. A
        launch that cannot be reported is left out: it has been made."""
        try:
            key = (kernel, _three(global_size),
                   None if local_size is None else _three(local_size),
                   None if global_offset is None else _three(global_offset),
                   g_times_l)
            with self._lock:
                if key in self._noted or len(self._noted) >= 4096:
                    return
                self._noted.add(key)
            sizes = key[1]
            if g_times_l and key[2] is not None:
                sizes = tuple(g * l for g, l in zip(sizes, key[2]))
            self.note_launch(kernel, sizes, key[2], key[3])
        except (_errors.Error, TypeError, ValueError, OverflowError) as error:
            _native.logger.info("a launch was not reported: %s", error)
