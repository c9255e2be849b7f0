# SPDX-License-Identifier: Apache-2.0
"""The shared object and its functions, by ctypes.

A function has the name that the linker sees: ``dnnlc_engine_create`` is
dnnl_engine_create() of dnnl_cache.h. ctypes releases the GIL during each call.
"""
from __future__ import annotations

import atexit
import ctypes
import logging
import operator
import os
import sys
import threading
from ctypes import (
    CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_float,
    c_int, c_int64, c_size_t, c_uint, c_uint8, c_uint32, c_uint64,
    c_void_p)
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from . import _errors

logger = logging.getLogger("dnnl_cache")

FOLDER = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(FOLDER, "libdnnl_cache_python.so")
LAYER = os.path.join(FOLDER, "libdnnl_cache_layer.so")
TOOL = os.path.join(FOLDER, "dnnl-cache")

MAX_NDIMS = 12
NO_LIMIT = 2**64 - 1
Dims = c_int64 * MAX_NDIMS

# ---- Structs: the members of the C headers, in their order -------------------


class _Sized(Structure):
    """A struct that begins with its size."""

    def __init__(self, **members: Any) -> None:
        super().__init__(struct_size=ctypes.sizeof(type(self)), **members)


class CreationInfoStruct(_Sized):
    """dnnl_cache_creation_info_t"""

    _fields_ = [
        ("struct_size", c_size_t), ("origin", c_int), ("blob_status", c_int),
        ("blob_reason", c_char_p), ("total_ns", c_uint64),
        ("driver_ns", c_uint64), ("blob_bytes", c_uint64),
        ("binary_bytes", c_uint64), ("not_cacheable_reason", c_char_p),
        ("incomplete", c_int), ("binary_form", c_int),
        ("form_reason", c_char_p)]


class BlobInfoStruct(_Sized):
    """dnnl_cache_blob_info_t"""

    _fields_ = [
        ("struct_size", c_size_t), ("kind", c_int),
        ("format_version", c_uint32), ("total_size", c_uint64),
        ("section_count", c_uint32), ("program_count", c_uint32),
        ("kernel_count", c_uint32), ("binary_bytes", c_uint64),
        ("stored_bytes", c_uint64), ("id_size", c_size_t), ("id", c_void_p),
        ("build_log_size", c_size_t), ("build_log", c_void_p),
        ("user_data_size", c_size_t), ("user_data", c_void_p),
        ("finalised_count", c_uint32), ("finalised_bytes", c_uint64),
        ("binary_size", c_size_t), ("binary", c_void_p),
        ("binary_compression", c_int)]


class IdFieldStruct(_Sized):
    """dnnl_cache_id_field_t"""

    _fields_ = [
        ("struct_size", c_size_t), ("tag", c_uint32), ("name", c_char_p),
        ("size", c_size_t), ("value", c_void_p), ("is_text", c_int)]


class CaptureOptionsStruct(_Sized):
    """dnnl_cache_capture_options_t"""

    _fields_ = [
        ("struct_size", c_size_t), ("timeout_ns", c_uint64), ("tell", c_int)]


class StoreMetadataStruct(_Sized):
    """dnnl_cache_store_metadata_t"""

    _fields_ = [
        ("struct_size", c_size_t), ("kind", c_int), ("compile_ns", c_uint64)]


GetFunction = CFUNCTYPE(
    c_int, c_void_p, c_size_t, c_char_p, POINTER(c_size_t),
    POINTER(c_void_p))
ReleaseFunction = CFUNCTYPE(None, c_void_p, c_size_t, c_void_p)
PutFunction = CFUNCTYPE(
    c_int, c_void_p, c_size_t, c_char_p, c_size_t, c_char_p,
    POINTER(StoreMetadataStruct))
RemoveFunction = CFUNCTYPE(c_int, c_void_p, c_size_t, c_char_p)


class StoreCallbacksStruct(_Sized):
    """dnnl_cache_store_t: the members that this package calls itself. The
    library reads the store's own struct, which has all."""

    _fields_ = [
        ("struct_size", c_size_t), ("user", c_void_p), ("get", GetFunction),
        ("release", ReleaseFunction), ("put", PutFunction),
        ("remove", RemoveFunction)]


class StoreOptionsStruct(_Sized):
    """struct dnnl_cache_store_options"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("path", c_char_p), ("capacity", c_uint64),
        ("min_blob_bytes", c_uint64), ("max_blob_bytes", c_uint64),
        ("policy", c_int), ("low_water_percent", c_uint),
        ("max_age_seconds", c_uint64), ("key_file", c_char_p),
        ("durability", c_int), ("sharing", c_int), ("lock_timeout_ms", c_uint),
        ("off", c_bool), ("read_only", c_bool), ("hash", c_void_p), ("log", c_void_p),
        ("log_user", c_void_p)]


class StoreTypeStruct(Structure):
    """struct dnnl_cache_store_type"""

    _fields_ = [
        ("struct_size", c_size_t), ("name", c_char_p),
        ("description", c_char_p), ("is_file", c_bool)]


class StoreItemStruct(_Sized):
    """struct dnnl_cache_store_entry"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("id_size", c_size_t), ("id", c_void_p), ("blob_size", c_uint64),
        ("created_ns", c_uint64), ("used_ns", c_uint64),
        ("compile_ns", c_uint64), ("kind", c_int)]


class StoreCheckStruct(_Sized):
    """struct dnnl_cache_store_check"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("intact", c_uint64), ("damaged", c_uint64), ("repaired", c_uint64),
        ("bytes", c_uint64)]


STORE_COUNTERS: Tuple[str, ...] = (
    "hits", "misses", "damaged", "puts", "puts_unchanged", "puts_off",
    "puts_read_only", "puts_too_small", "puts_too_large", "puts_full",
    "puts_lock_timeout", "puts_failed", "removes", "evictions", "expired",
    "recounts", "bytes", "capacity_needed")


class StoreStatisticsStruct(_Sized):
    """struct dnnl_cache_store_statistics"""

    _fields_ = [("struct_size", c_size_t)] + [
        (name, c_uint64) for name in STORE_COUNTERS]


class ExecArgStruct(Structure):
    """dnnl_exec_arg_t"""

    _fields_ = [("arg", c_int), ("memory", c_void_p)]


LogFunction = CFUNCTYPE(None, c_int, c_char_p, c_void_p)
ProgressFunction = CFUNCTYPE(c_int, c_void_p, c_void_p)
VisitFunction = CFUNCTYPE(c_bool, c_void_p, POINTER(StoreItemStruct))

# ---- Functions ---------------------------------------------------------------

_P = c_void_p  # a handle
_OUT = POINTER(c_void_p)  # a handle that is written
_SIZE = POINTER(c_size_t)
_DIMS = POINTER(c_int64)

# Name: arguments. The result is a status unless RESULTS says otherwise.
FUNCTIONS: Dict[str, List[Any]] = {
    # This package's own (native/module.h)
    "dnnl_cache_python_use_loader": [c_char_p, c_char_p, c_size_t],
    "dnnl_cache_python_get_loader": [],
    "dnnl_cache_python_get_size": [c_char_p],
    # Library
    "dnnl_cache_version": [],
    "dnnlc_status2str": [c_int],
    "dnnl_cache_set_log_callback": [LogFunction, _P],
    "dnnl_cache_get_statistics_json": [_SIZE, _P],
    "dnnl_cache_set_compile_mode": [c_int],
    "dnnl_cache_set_program_cache_limit": [c_uint64],
    # Engines
    "dnnlc_ocl_interop_engine_create": [_OUT, _P, _P],
    "dnnlc_ocl_interop_engine_create_from_cache_blob": [
        _OUT, _P, _P, c_size_t, _P],
    "dnnlc_engine_destroy": [_P],
    "dnnlc_ocl_interop_engine_get_cache_blob_id": [_P, _SIZE, _P],
    "dnnlc_ocl_interop_engine_get_cache_blob": [_P, _SIZE, _P],
    "dnnl_cache_engine_set_compile_mode": [_P, c_int],
    "dnnl_cache_engine_set_blob_compression": [_P, c_int],
    "dnnl_cache_engine_set_store": [_P, _P],
    "dnnl_cache_engine_get_creation_info": [_P, POINTER(CreationInfoStruct)],
    "dnnl_cache_engine_capture": [
        _P, POINTER(CaptureOptionsStruct), ProgressFunction, _P],
    "dnnl_cache_blob_check": [_P, c_size_t, _P],
    # Programs
    "dnnl_cache_program_desc_create": [
        _OUT, _P, c_size_t, POINTER(c_char_p), _SIZE, c_char_p],
    "dnnl_cache_program_desc_create_with_il": [
        _OUT, _P, c_size_t, _P, c_char_p],
    "dnnl_cache_program_desc_add_header": [_P, c_char_p, c_size_t, c_char_p],
    "dnnl_cache_program_desc_add_key": [_P, c_size_t, _P],
    "dnnl_cache_program_desc_set_include_following": [_P, c_int],
    "dnnl_cache_program_desc_get_cache_blob_id": [_P, _SIZE, _P],
    "dnnl_cache_program_desc_is_cacheable": [
        _P, POINTER(c_int), POINTER(c_char_p)],
    "dnnl_cache_program_desc_get_build_log": [_P, _SIZE, _P],
    "dnnl_cache_program_desc_destroy": [_P],
    "dnnl_cache_program_create": [_OUT, _P],
    "dnnl_cache_program_create_from_cache_blob": [_OUT, _P, c_size_t, _P],
    "dnnl_cache_program_note_launch": [
        _P, c_char_p, c_uint32, _SIZE, _SIZE, _SIZE],
    "dnnl_cache_program_capture": [_P],
    "dnnl_cache_program_get_cache_blob": [_P, _SIZE, _P],
    "dnnl_cache_program_get_cl_program": [_P, _OUT],
    "dnnl_cache_program_get_build_log": [_P, _SIZE, _P],
    "dnnl_cache_program_get_creation_info": [
        _P, POINTER(CreationInfoStruct)],
    "dnnl_cache_program_destroy": [_P],
    # Blobs and IDs
    "dnnl_cache_blob_inspect": [c_size_t, _P, POINTER(BlobInfoStruct)],
    "dnnl_cache_blob_get_program_binary": [
        c_size_t, _P, c_uint32, _SIZE, _P],
    "dnnl_cache_blob_get_binary_text": [c_size_t, _P, c_uint32, _P],
    "dnnl_cache_id_next_field": [
        c_size_t, _P, _SIZE, POINTER(IdFieldStruct)],
    "dnnl_cache_id_diff": [c_size_t, _P, c_size_t, _P, _SIZE, _P],
    # Stores
    "dnnl_cache_set_default_store": [_P],
    "dnnl_cache_store_find_type": [c_char_p],
    "dnnl_cache_store_find_type_at": [c_char_p, POINTER(StoreTypeStruct)],
    "dnnl_cache_store_get_default_type": [],
    "dnnl_cache_store_open": [
        _OUT, c_char_p, POINTER(StoreOptionsStruct)],
    "dnnl_cache_store_get_callbacks": [_P],
    "dnnl_cache_store_close": [_P],
    "dnnl_cache_store_get_statistics": [_P, POINTER(StoreStatisticsStruct)],
    "dnnl_cache_store_record_totals": [_P],
    "dnnl_cache_store_iterate": [_P, VisitFunction, _P],
    "dnnl_cache_store_trim": [_P, c_uint64, c_uint64, POINTER(c_uint64)],
    "dnnl_cache_store_verify": [
        _P, c_bool, _P, _P, POINTER(StoreCheckStruct)],
    # The persistent cache
    "dnnl_cache_persistent_set_automatic": [c_int],
    "dnnl_cache_persistent_set_capacity": [c_int],
    "dnnl_cache_persistent_get_capacity": [POINTER(c_int)],
    "dnnl_cache_persistent_set_policy": [c_int],
    "dnnl_cache_persistent_set_dir": [c_char_p],
    "dnnl_cache_persistent_set_seed": [c_char_p],
    "dnnl_cache_persistent_set_remote": [c_char_p],
    "dnnl_cache_persistent_set_application": [c_char_p],
    "dnnl_cache_persistent_set_log_callback": [LogFunction, _P],
    # Primitives
    "dnnlc_memory_desc_create_with_strides": [
        _OUT, c_int, _DIMS, c_int, _DIMS],
    "dnnlc_memory_desc_destroy": [_P],
    "dnnlc_memory_create": [_OUT, _P, _P, _P],
    "dnnlc_memory_map_data": [_P, _OUT],
    "dnnlc_memory_unmap_data": [_P, _P],
    "dnnlc_memory_destroy": [_P],
    "dnnlc_stream_create": [_OUT, _P, c_uint],
    "dnnlc_stream_wait": [_P],
    "dnnlc_stream_destroy": [_P],
    "dnnlc_primitive_attr_create": [_OUT],
    "dnnlc_primitive_attr_set_post_ops": [_P, _P],
    "dnnlc_primitive_attr_destroy": [_P],
    "dnnlc_post_ops_create": [_OUT],
    "dnnlc_post_ops_append_eltwise": [_P, c_int, c_float, c_float],
    "dnnlc_post_ops_destroy": [_P],
    "dnnlc_matmul_primitive_desc_create": [_OUT, _P, _P, _P, _P, _P, _P],
    "dnnlc_convolution_forward_primitive_desc_create": [
        _OUT, _P, c_int, c_int, _P, _P, _P, _P, _DIMS, _DIMS, _DIMS, _DIMS,
        _P],
    "dnnlc_primitive_desc_destroy": [_P],
    "dnnl_cache_primitive_desc_get_cache_blob_id": [_P, _SIZE, _P],
    "dnnl_cache_primitive_desc_get_build_log": [_P, _SIZE, _P],
    "dnnlc_primitive_create": [_OUT, _P],
    "dnnlc_primitive_create_from_cache_blob": [_OUT, _P, c_size_t, _P],
    "dnnlc_primitive_get_cache_blob": [_P, _SIZE, _P],
    "dnnlc_primitive_execute": [_P, _P, c_int, POINTER(ExecArgStruct)],
    "dnnl_cache_primitive_get_creation_info": [
        _P, POINTER(CreationInfoStruct)],
    "dnnlc_primitive_destroy": [_P],
}

RESULTS: Dict[str, Any] = {
    "dnnl_cache_python_use_loader": c_bool,
    "dnnl_cache_python_get_loader": c_char_p,
    "dnnl_cache_python_get_size": c_size_t,
    "dnnl_cache_version": c_char_p,
    "dnnlc_status2str": c_char_p,
    "dnnl_cache_store_find_type": POINTER(StoreTypeStruct),
    "dnnl_cache_store_find_type_at": POINTER(StoreTypeStruct),
    "dnnl_cache_store_get_default_type": POINTER(StoreTypeStruct),
    "dnnl_cache_store_get_callbacks": POINTER(StoreCallbacksStruct),
    "dnnl_cache_store_close": None,
}


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(LIBRARY)
    for name, arguments in FUNCTIONS.items():
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = RESULTS.get(name, c_int)
    return library


lib = _load()

# ---- Messages ----------------------------------------------------------------

_LEVELS = (logging.ERROR, logging.WARNING, logging.INFO)
_told = threading.local()


def _log(level: int, text: Optional[bytes], user: Optional[int]) -> None:
    words = (text or b"").decode("utf-8", "replace")
    _told.last = words
    held = getattr(_told, "held", None)
    if level == 0 and held is not None:
        held.append(words)
        return
    logger.log(
        _LEVELS[level] if 0 <= level < len(_LEVELS) else logging.INFO,
        "%s", words)


_log_callback = LogFunction(_log)
_no_callback = LogFunction()
lib.dnnl_cache_set_log_callback(_log_callback, None)
lib.dnnl_cache_persistent_set_log_callback(_log_callback, None)
# This package follows includes and keeps programs itself, as it was told.
lib.dnnl_cache_persistent_set_automatic(0)

# ---- Statuses ----------------------------------------------------------------


def status_name(status: int) -> str:
    """ "success", "cache_blob_stale" ... """
    name: bytes = lib.dnnlc_status2str(status)
    return name.decode()


def begin() -> None:
    """Before a call whose failure should not be explained by an older message."""
    _told.last = ""


def ask(function: Any, *arguments: Any) -> int:
    """Calls a function of the library whose failure the caller raises: an error
    that explains it is in the exception, and is not logged as well."""
    begin()
    held: List[str] = []
    outer = getattr(_told, "held", None)
    _told.held = held
    try:
        status: int = function(*arguments)
    finally:
        _told.held = outer
    explains = held[-1:] if status != _errors.SUCCESS else []
    for words in held[:len(held) - len(explains)]:
        logger.error("%s", words)
    if explains:
        _told.last = explains[0]
    return status


def failure(status: int, text: str = "") -> _errors.Error:
    """The exception of a status, with the message that the library sent on
    this thread last."""
    name = status_name(status)
    why = getattr(_told, "last", "")
    _told.last = ""
    return _errors.make(
        status, name, ": ".join(part for part in (text, name, why) if part))


def check(status: int, text: str = "") -> None:
    """Raises the exception of a status that is not success."""
    if status != _errors.SUCCESS:
        raise failure(status, text)


def call(name: str, *arguments: Any) -> None:
    """Calls a function of the library, and raises what its status says."""
    check(ask(getattr(lib, name), *arguments),
          name.replace("dnnlc_", "dnnl_", 1))


def create(name: str, *arguments: Any) -> int:
    """Calls a function that writes a handle, and returns the handle."""
    handle = c_void_p()
    call(name, byref(handle), *arguments)
    assert handle.value is not None
    return handle.value


def borrow(name: str, *arguments: Any) -> int:
    """Calls a function that writes a handle last."""
    handle = c_void_p()
    call(name, *arguments, byref(handle))
    assert handle.value is not None
    return handle.value


def read_bytes(name: str, *arguments: Any) -> bytes:
    """Calls a function that ends with (size, buffer), twice."""
    size = c_size_t(0)
    call(name, *arguments, byref(size), None)
    while size.value > 0:
        capacity = size.value
        buffer = (c_uint8 * capacity)()
        begin()
        status = getattr(lib, name)(*arguments, byref(size), buffer)
        if status == _errors.INVALID_ARGUMENTS and size.value > capacity:
            continue  # it has grown since
        check(status, name)
        return ctypes.string_at(buffer, min(size.value, capacity))
    return b""


def read_text(name: str, *arguments: Any) -> str:
    """The same for text, with a trailing NUL."""
    text = read_bytes(name, *arguments)
    return text.split(b"\0", 1)[0].decode("utf-8", "replace")


# ---- Arguments ---------------------------------------------------------------

Buffer = Union[bytes, bytearray, memoryview]


def as_bytes(value: object, what: str) -> bytes:
    """Bytes of any object with a contiguous buffer; not of text."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, (bytearray, memoryview)) or hasattr(
            value, "__array_interface__"):
        return bytes(memoryview(value))  # type: ignore[arg-type]
    raise TypeError(f"{what} must be bytes, not {type(value).__name__}")


def as_number(value: object, what: str, least: int = 0,
              most: int = 2**63 - 1) -> int:
    """An integer that the library's types can hold."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"{what} must be an integer, not {type(value).__name__}") from None
    if not least <= number <= most:
        raise _errors.InvalidArguments(f"{what} is {number}")
    return number


def as_text(value: object, what: str) -> bytes:
    """Text for the library: without NUL."""
    if isinstance(value, str):
        value = value.encode("utf-8")
    if not isinstance(value, bytes):
        raise TypeError(f"{what} must be str, not {type(value).__name__}")
    if b"\0" in value:
        raise _errors.InvalidArguments(f"{what} contains a NUL")
    return value


def as_path(value: object, what: str) -> bytes:
    """A path for the library."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{what} must be a path, not {type(value).__name__}")
    path = os.fsencode(value)
    if not path or b"\0" in path:
        raise _errors.InvalidArguments(f"{what} is empty or contains a NUL")
    return path


# ---- The process -------------------------------------------------------------

_process: Optional[int] = None  # where a device was used


def use_process() -> None:
    """Called where a device comes into use."""
    global _process
    pid = os.getpid()
    if _process is None:
        _process = pid
    elif _process != pid:
        raise _errors.ForkedProcess(
            "the parent of this process used dnnl_cache before fork(): use "
            "the start method \"spawn\", or create the first engine in the "
            "child")


def is_own_process() -> bool:
    """Not a child of fork() that has handles of its parent."""
    return _process is None or _process == os.getpid()


def destroy(name: str, handle: int, *needed: object) -> None:
    """The end of a handle, as a finalizer: needed lives until then."""
    if is_own_process():
        getattr(lib, name)(handle)


_at_exit: List[Callable[[], None]] = []


def at_exit(function: Callable[[], None]) -> None:
    """Has function called when the interpreter ends, before its modules are
    taken down."""
    _at_exit.append(function)


def at_exit_last(function: Callable[[], None]) -> None:
    """The same, after those of at_exit()."""
    _at_exit.insert(0, function)


def _end() -> None:
    if is_own_process():
        for function in reversed(_at_exit):
            try:
                function()
            except KeyboardInterrupt:
                logger.warning("interrupted: not all programs were kept")
            except Exception:  # the others, and the end, come all the same
                logger.exception("at exit")
    # No message may come to Python from now on.
    lib.dnnl_cache_set_log_callback(_no_callback, None)
    lib.dnnl_cache_persistent_set_log_callback(_no_callback, None)


atexit.register(_end)

# ---- The loader --------------------------------------------------------------

_loader_lock = threading.Lock()
_loader_user: Optional[str] = None
_loader_known = False


def use_loader(user: Optional[str]) -> None:
    """Has the library call OpenCL through the loader of the shared object user
    (pyopencl's extension module), or if that is None through one that is in
    the process, or else through libOpenCL.so.1."""
    global _loader_user, _loader_known
    with _loader_lock:
        if _loader_known and (user is None or user == _loader_user):
            return
        before = loader_path()
        why = ctypes.create_string_buffer(1024)
        found = lib.dnnl_cache_python_use_loader(
            None if user is None else os.fsencode(user), why, len(why))
        if not found:
            raise _errors.RuntimeFailure(why.value.decode("utf-8", "replace"))
        if before not in ("", loader_path()):
            logger.warning(
                "OpenCL objects of two loaders are used: %s and %s", before,
                loader_path())
        _loader_user, _loader_known = user, True


def loader_path() -> str:
    """The path of the OpenCL loader in use; "" before it is known."""
    path: bytes = lib.dnnl_cache_python_get_loader()
    return os.fsdecode(path)


def pyopencl_module() -> Optional[str]:
    """The file of pyopencl's extension module, if pyopencl is imported."""
    module = sys.modules.get("pyopencl._cl")
    return getattr(module, "__file__", None)
