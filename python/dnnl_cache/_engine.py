# SPDX-License-Identifier: Apache-2.0
"""Engines: a device with a context."""
from __future__ import annotations

import enum
import logging
import os
import signal
import threading
import weakref
from ctypes import byref
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from . import _errors, _native
from ._native import Buffer
from ._store import Store


class CompileMode(enum.IntEnum):
    """When something may be compiled."""

    NORMAL = 0
    """What is not found is compiled."""
    CACHED_ONLY = 1
    """Nothing is compiled: what would be raises :class:`Miss` at once."""
    RECOMPILE = 2
    """Everything is compiled again, and replaces what is kept."""


class Origin(enum.IntEnum):
    """Where an object came from."""

    NONE = 0
    """There was nothing to compile, or it has not been needed yet."""
    MEMORY_HIT = 1
    """Shared with an earlier object of this process."""
    BLOB = 2
    """Loaded from the blob that the caller passed."""
    STORE_HIT = 3
    """Loaded from a store."""
    COMPILED = 4
    """Compiled."""
    ADOPTED = 5
    """Built by the application."""


@dataclass(frozen=True)
class CreationInfo:
    """What happened when an object was created."""

    origin: Origin
    """Where it came from."""
    total_ns: int
    """The whole creation, in nanoseconds."""
    driver_ns: int
    """In the driver: compiling or loading."""
    blob_bytes: int
    """Size of the blob it was created from, else 0."""
    binary_bytes: int
    """Size of the driver's binary; 0 if it was not captured."""
    blob_status: str
    """"success", or why a store's blob was rejected before compiling."""
    blob_reason: str
    """The same in words."""
    not_cacheable_reason: str
    """Why the object has no ID; "" if it has one."""
    incomplete: bool
    """The blob lacks code for what was launched: the driver compiled that."""


def creation_info(name: str, handle: int) -> CreationInfo:
    """Asks a get_creation_info function."""
    info = _native.CreationInfoStruct()
    _native.call(name, handle, byref(info))

    def text(value: Optional[bytes]) -> str:
        return (value or b"").decode("utf-8", "replace")

    return CreationInfo(
        origin=Origin(info.origin), total_ns=info.total_ns,
        driver_ns=info.driver_ns, blob_bytes=info.blob_bytes,
        binary_bytes=info.binary_bytes,
        blob_status=_native.status_name(info.blob_status),
        blob_reason=text(info.blob_reason),
        not_cacheable_reason=text(info.not_cacheable_reason),
        incomplete=bool(info.incomplete))


# ---- What is kept when a process ends ----------------------------------------


@dataclass
class _Keeping:
    at_exit: bool = True
    timeout_s: Optional[float] = None
    tell: bool = True


_keeping = _Keeping()


def keep_at_exit(enabled: bool = True, *, timeout_s: Optional[float] = None,
                 tell: bool = True) -> None:
    """Sets what happens to programs that no store has when an engine goes, or
    the interpreter ends.

    A driver such as PoCL compiles at a kernel's first launch, and what it
    compiled is kept when the program has been used: by default at the end, which
    may take as long as compiling did, once. ``timeout_s`` limits that time. With
    ``tell`` a line on standard error says how far it is if that takes longer
    than a second. With ``enabled=False`` nothing is kept at the end: call
    :func:`capture_all`, or run ``python -m dnnl_cache refresh --store DIR``.
    """
    if timeout_s is not None:
        _check_timeout(timeout_s)
    _keeping.at_exit = bool(enabled)
    _keeping.timeout_s = timeout_s
    _keeping.tell = bool(tell)


def _check_timeout(timeout_s: float) -> None:
    if not timeout_s >= 0:
        raise _errors.InvalidArguments(f"a time of {timeout_s} seconds")


class _Interrupts:
    """Notes an interrupt (Ctrl-C) during a call, so that it is not raised in a
    callback, which would swallow it. On the main thread, and only if Python's
    own handler is there."""

    def __init__(self) -> None:
        self.came = False
        self._taken = False

    def _note(self, _: int, __: Any) -> None:
        self.came = True

    def __enter__(self) -> "_Interrupts":
        if (threading.current_thread() is threading.main_thread()
                and signal.getsignal(signal.SIGINT)
                is signal.default_int_handler):
            signal.signal(signal.SIGINT, self._note)
            self._taken = True
        return self

    def __exit__(self, *_: object) -> None:
        if self._taken:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _capture(handle: int, timeout_s: Optional[float], tell: bool) -> bool:
    limit = _native.NO_LIMIT
    if timeout_s is not None:
        _check_timeout(timeout_s)
        if timeout_s < 1e9:
            limit = int(timeout_s * 1e9)
    options = _native.CaptureOptionsStruct(timeout_ns=limit, tell=int(tell))
    with _Interrupts() as interrupts:

        def progress(_: Optional[int], __: Optional[int]) -> int:
            # The interpreter calls handlers of signals while this runs.
            return (_errors.RUNTIME_ERROR if interrupts.came
                    else _errors.SUCCESS)

        _native.begin()
        status = _native.lib.dnnl_cache_engine_capture(
            handle, byref(options), _native.ProgressFunction(progress), None)
    if interrupts.came:
        raise KeyboardInterrupt
    if status == _errors.NOT_REQUIRED:
        return False
    _native.check(status, "capture_all")
    return True


def _end_engine(handle: int, attached: List[Store]) -> None:
    """The end of an engine; its store, if there is one, can be closed then:
    not while it still keeps programs, which other threads do not wait for."""
    try:
        if not _native.is_own_process():
            return
        if _keeping.at_exit:
            try:
                _capture(handle, _keeping.timeout_s, _keeping.tell)
            except (_errors.Error, KeyboardInterrupt) as error:
                _native.logger.warning("not all programs were kept: %s", error)
        _native.lib.dnnlc_engine_destroy(handle)
    finally:
        for store in attached:
            store._detach()


# ---- Engines -----------------------------------------------------------------

_engines: "weakref.WeakSet[Engine]" = weakref.WeakSet()


class Engine:
    """An OpenCL device with a context, from pyopencl's objects.

    ``context`` may be a ``pyopencl.CommandQueue``, which stands for its context.
    ``device`` may be left out if the context has one. ``store`` is used in place
    of the store of :func:`set_dir`.

    Both OpenCL objects are retained until the engine goes. Any thread may use an
    engine.
    """

    def __init__(self, context: Any, device: Any = None, *,
                 store: Optional[Store] = None) -> None:
        from . import _pyopencl
        context = _pyopencl.context_of(context)
        device = _pyopencl.device_of(context, device)
        _pyopencl.use()
        self._begin(_pyopencl.pointers(context, device), store, None)

    @classmethod
    def from_int_ptr(cls, context: int, device: int, *,
                     store: Optional[Store] = None) -> "Engine":
        """An engine of a ``cl_context`` and a ``cl_device_id``, as integers: for
        OpenCL objects that are not pyopencl's. They must be valid."""
        for pointer in (context, device):
            if isinstance(pointer, bool) or not isinstance(pointer, int):
                raise TypeError("a pointer must be an integer")
            if not 0 < pointer < 2**64:
                raise _errors.InvalidArguments("not a pointer: 0")
        _native.use_process()
        _native.use_loader(_native.pyopencl_module())
        engine = cls.__new__(cls)
        engine._begin((context, device), store, None)
        return engine

    @classmethod
    def from_cache_blob(cls, blob: Buffer, context: Any, device: Any = None, *,
                        store: Optional[Store] = None) -> "Engine":
        """An engine from its blob (:attr:`cache_blob`): nothing is compiled.
        Raises :class:`BlobError`."""
        from . import _pyopencl
        data = _native.as_bytes(blob, "blob")
        context = _pyopencl.context_of(context)
        device = _pyopencl.device_of(context, device)
        _pyopencl.use()
        engine = cls.__new__(cls)
        engine._begin(_pyopencl.pointers(context, device), store, data)
        return engine

    def _begin(self, pointers: Tuple[int, int], store: Optional[Store],
               blob: Optional[bytes]) -> None:
        context, device = pointers
        if blob is None:
            handle = _native.create(
                "dnnlc_ocl_interop_engine_create", device, context)
        else:
            handle = _native.create(
                "dnnlc_ocl_interop_engine_create_from_cache_blob", device,
                context, len(blob), blob)
        self._handle = handle
        self._device = device
        self._store = store
        self._compile_mode: Optional[CompileMode] = None
        attached: List[Store] = []
        end = weakref.finalize(self, _end_engine, handle, attached)
        end.atexit = False  # the handlers below come first
        if store is not None:
            callbacks = store._attach()
            attached.append(store)
            _native.call("dnnl_cache_engine_set_store", handle, callbacks)
        _engines.add(self)

    @property
    def handle(self) -> int:
        """The ``dnnl_engine_t``, as an integer."""
        _native.use_process()
        return self._handle

    @property
    def store(self) -> Optional[Store]:
        """The engine's own store; None: that of :func:`set_dir`."""
        return self._store

    @property
    def cache_blob_id(self) -> bytes:
        """The ID of the engine's blob: the device and the driver. Empty if they
        cannot be identified."""
        _native.use_process()
        return _native.read_bytes(
            "dnnlc_ocl_interop_engine_get_cache_blob_id", self._device)

    @property
    def cache_blob(self) -> bytes:
        """The engine's blob, less than a kilobyte. May compile a small probe."""
        return _native.read_bytes(
            "dnnlc_ocl_interop_engine_get_cache_blob", self.handle)

    @property
    def compile_mode(self) -> Optional[CompileMode]:
        """The engine's own mode; None: that of :func:`set_compile_mode`."""
        return self._compile_mode

    @compile_mode.setter
    def compile_mode(self, mode: CompileMode) -> None:
        mode = CompileMode(mode)
        _native.call(
            "dnnl_cache_engine_set_compile_mode", self.handle, int(mode))
        self._compile_mode = mode

    def set_blob_compression(self, on: bool) -> None:
        """Whether blobs that are made from now on are compressed (zstd). Both
        forms are always read."""
        _native.call(
            "dnnl_cache_engine_set_blob_compression", self.handle, int(bool(on)))

    @property
    def creation(self) -> CreationInfo:
        """Where the engine's facts came from."""
        return creation_info("dnnl_cache_engine_get_creation_info", self.handle)

    def check_blob(self, blob: Buffer) -> None:
        """Raises :class:`BlobError` if this engine would not accept the blob, as
        far as device, driver and library are concerned. Builds nothing."""
        data = _native.as_bytes(blob, "blob")
        _native.call("dnnl_cache_blob_check", self.handle, len(data), data)

    def capture_all(self, *, timeout_s: Optional[float] = None,
                    tell: bool = False) -> bool:
        """Stores all programs of this engine that no store has yet. See
        :func:`capture_all`."""
        return _capture(self.handle, timeout_s, tell)


def set_compile_mode(mode: CompileMode) -> None:
    """Sets when engines without a mode of their own may compile."""
    _native.call("dnnl_cache_set_compile_mode", int(CompileMode(mode)))


def capture_all(*, timeout_s: Optional[float] = None,
                tell: bool = False) -> bool:
    """Stores all programs that were compiled and that no store has yet, now
    rather than at the end of the process. Call it after each kernel was launched
    as it usually is. Nothing is begun after ``timeout_s``; False: some still
    wait."""
    engines: List[Engine] = list(_engines)
    done = True
    for engine in engines:
        done = engine.capture_all(timeout_s=timeout_s, tell=tell) and done
    return done


def _capture_at_exit() -> None:
    if not _keeping.at_exit:
        return  # the library says how many are lost
    for engine in list(_engines):
        try:
            _capture(engine._handle, _keeping.timeout_s, _keeping.tell)
        except _errors.Error as error:
            _native.logger.log(
                logging.WARNING, "not all programs were kept: %s", error)


_native.at_exit(_capture_at_exit)

# ---- Engines of contexts -----------------------------------------------------

_lock = threading.Lock()
# By the context's Python object: its engines go when it goes.
_by_context: "weakref.WeakKeyDictionary[Any, Dict[Tuple[int, int], Engine]]" = (
    weakref.WeakKeyDictionary())


def engine_of(context: Any, device: Any = None, *,
              store: Optional[Store] = None) -> Engine:
    """The engine that :func:`build` uses for a context and a device: always the
    same, as long as the context is there."""
    from . import _pyopencl
    context = _pyopencl.context_of(context)
    device = _pyopencl.device_of(context, device)
    key = (device.int_ptr, 0 if store is None else id(store))
    with _lock:
        engines = _by_context.get(context)
        if engines is None:
            engines = _by_context[context] = {}
        engine = engines.get(key)
    if engine is None:
        engine = Engine(context, device, store=store)
        with _lock:
            engine = engines.setdefault(key, engine)
    return engine


def _forget_engines() -> None:
    """In a child of fork(): the engines are the parent's."""
    _by_context.clear()


os.register_at_fork(after_in_child=_forget_engines)
