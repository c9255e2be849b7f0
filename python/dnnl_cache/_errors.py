# SPDX-License-Identifier: Apache-2.0
"""Statuses of the library as exceptions."""
from __future__ import annotations

from typing import Dict, Type

SUCCESS = 0
OUT_OF_MEMORY = 1
INVALID_ARGUMENTS = 2
UNIMPLEMENTED = 3
RUNTIME_ERROR = 5
NOT_REQUIRED = 6
MISS = 100
BLOB_CORRUPT = 101
BLOB_STALE = 102
BLOB_UNSUPPORTED = 103


class Error(Exception):
    """A call failed. Base class of all exceptions of this package.

    ``status`` is the library's number, ``status_name`` its name, such as
    ``"cache_blob_stale"``; 0 and ``""`` if the library was not called.
    """

    status: int = 0
    status_name: str = ""


class OutOfMemory(Error, MemoryError):
    """Memory of the host or of the device ran out."""


class InvalidArguments(Error, ValueError):
    """An argument makes no sense: shapes, types, sizes, a closed store."""


class Unimplemented(Error, NotImplementedError):
    """The library, the device or this installation does not support it."""


class RuntimeFailure(Error, RuntimeError):
    """The driver, the file system or a server failed; the text says what."""


class BuildError(RuntimeFailure):
    """The program does not compile. ``log`` is the compiler's output."""

    log: str = ""


class Miss(Error, LookupError):
    """In mode :attr:`CompileMode.CACHED_ONLY`: it would have to be compiled."""


class BlobError(Error, ValueError):
    """A blob was rejected, before the driver saw it. The caller can compile."""


class BlobCorrupt(BlobError):
    """The bytes are damaged, or are not a blob."""


class BlobStale(BlobError):
    """The blob is of another device, driver, library or program."""


class BlobUnsupported(BlobError):
    """The blob was written by a newer version of the library: keep it."""


class ForkedProcess(Error, RuntimeError):
    """The parent of this process used the library, so this process cannot.

    OpenCL drivers do not survive ``fork()``. Use the start method ``spawn`` of
    :mod:`multiprocessing`, or create the first engine in the child.
    """


_BY_STATUS: Dict[int, Type[Error]] = {
    OUT_OF_MEMORY: OutOfMemory,
    INVALID_ARGUMENTS: InvalidArguments,
    UNIMPLEMENTED: Unimplemented,
    RUNTIME_ERROR: RuntimeFailure,
    MISS: Miss,
    BLOB_CORRUPT: BlobCorrupt,
    BLOB_STALE: BlobStale,
    BLOB_UNSUPPORTED: BlobUnsupported,
}


def make(status: int, name: str, text: str) -> Error:
    """The exception of a status."""
    error = _BY_STATUS.get(status, Error)(f"{text}" if text else name)
    error.status = status
    error.status_name = name
    return error
