# SPDX-License-Identifier: Apache-2.0
"""Stores on disk, and the process's own."""
from __future__ import annotations

import ctypes
import enum
import os
import threading
import weakref
from ctypes import byref, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Dict, Iterator, List, Optional, Tuple, Type, Union

from . import _errors, _native
from ._blob import BlobKind, inspect_blob
from ._native import Buffer

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

_UNLIMITED = 2**64 - 1
_MEGABYTE = 1024 * 1024


class Policy(enum.IntEnum):
    """Which entry is evicted first."""

    FIFO = 1
    """The oldest one."""
    LRU = 2
    """The one that was not used for the longest time."""
    COST = 3
    """The one that is cheapest to compile, for its size and age."""
    NONE = 4
    """None: a new one may not be kept. Not for :func:`set_dir`."""


@dataclass(frozen=True)
class StoreItem:
    """An entry of a store."""

    id: bytes
    kind: BlobKind
    blob_size: int
    created_ns: int
    """Since the epoch."""
    used_ns: int
    compile_ns: int
    """0: not known."""


@dataclass(frozen=True)
class StoreCheck:
    """What a check of every byte found."""

    intact: int
    damaged: int
    repaired: int
    bytes: int


_stores: "weakref.WeakSet[Store]" = weakref.WeakSet()


def _close(handle: int) -> None:
    if _native.is_own_process():
        _native.lib.dnnl_cache_store_close(handle)


class Store:
    """A store on disk: a directory, or for ``type="pack"`` a file.

    It is created if it is missing. ``type`` is ``"bucket"``, ``"flat"``,
    ``"tree"`` or ``"pack"``; None is the type of what is there, or else flat.
    Any number of threads and processes may use a store. Pass it as ``store=`` to
    :func:`build` or :class:`Engine`, or use it by hand. A directory that others
    may write to is refused (:class:`RuntimeFailure`).

    What is damaged is a miss, and replaced by the next :meth:`put`.
    """

    def __init__(self, path: Path, *, type: Optional[str] = None,
                 capacity_mb: Optional[int] = 1024,
                 policy: Optional[Policy] = None, read_only: bool = False,
                 key_file: Optional[Path] = None) -> None:
        place = _native.as_path(path, "path")
        found = self._type(place, type)
        options = _native.StoreOptionsStruct()
        options.path = place
        options.capacity = _capacity(capacity_mb)
        if policy is not None:
            options.policy = int(Policy(policy))
        options.read_only = bool(read_only)
        if key_file is not None:
            options.key_file = _native.as_path(key_file, "key_file")
        options.log = ctypes.cast(_native._log_callback, c_void_p).value
        handle = c_void_p()
        _native.check(
            _native.ask(
                _native.lib.dnnl_cache_store_open, byref(handle), found.name,
                byref(options)),
            "cannot open the store " + os.fsdecode(place))
        assert handle.value is not None
        self.path = os.fsdecode(place)
        """Where the store is."""
        self.type: str = found.name.decode()
        """The type of the store."""
        self._handle = handle.value
        self._callbacks = _native.lib.dnnl_cache_store_get_callbacks(self._handle)
        self._condition = threading.Condition()
        self._users = 0
        self._closing = False
        self._attached = 0  # engines that have not ended
        self._end = weakref.finalize(self, _close, self._handle)
        self._end.atexit = False  # programs may still be captured
        _stores.add(self)

    @staticmethod
    def _type(place: bytes, name: Optional[str]) -> Any:
        lib = _native.lib
        if name is None:
            found = lib.dnnl_cache_store_find_type_at(
                place, lib.dnnl_cache_store_get_default_type())
        else:
            found = lib.dnnl_cache_store_find_type(
                _native.as_text(name, "type"))
        if not found:
            raise _errors.InvalidArguments(
                f"type must be bucket, flat, tree or pack, not {name!r}")
        return found.contents

    # ---- Use and end ----

    class _Use:
        """A call in progress: close() waits for it."""

        def __init__(self, store: "Store") -> None:
            self._store = store

        def __enter__(self) -> int:
            store = self._store
            with store._condition:
                if store._closing:
                    raise _errors.InvalidArguments("the store is closed")
                if not _native.is_own_process():
                    raise _errors.ForkedProcess(
                        "the store was opened before fork()")
                store._users += 1
            return store._handle

        def __exit__(self, *_: object) -> None:
            with self._store._condition:
                self._store._users -= 1
                self._store._condition.notify_all()

    def _use(self) -> "Store._Use":
        return Store._Use(self)

    def _attach(self) -> int:
        """The callbacks for an engine, which keeps the store open until
        _detach()."""
        with self._use():
            with self._condition:
                self._attached += 1
            address = ctypes.cast(self._callbacks, c_void_p).value
            assert address is not None
            return address

    def _detach(self) -> None:
        """An engine has ended, with what it still had to keep."""
        with self._condition:
            self._attached -= 1

    def close(self) -> None:
        """Closes the store; a second call does nothing. A store that an engine
        has cannot be closed: it is closed when the engine goes."""
        with self._condition:
            if self._closing:
                return
            if self._attached > 0:
                raise _errors.InvalidArguments(
                    "the store is attached to an engine: it is closed when "
                    "the engine and all that was built with it have gone")
            self._closing = True
            while self._users > 0:
                self._condition.wait()
            self._end()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]],
                 error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        state = ", closed" if self._closing else ""
        return f"<dnnl_cache.Store {self.path!r}, {self.type}{state}>"

    # ---- Entries ----

    def get(self, cache_blob_id: Buffer) -> Optional[bytes]:
        """The blob of an ID; None for a miss."""
        data = _native.as_bytes(cache_blob_id, "ID")
        size, blob = c_size_t(), c_void_p()
        with self._use():
            calls = self._callbacks.contents
            _native.begin()
            status = calls.get(
                calls.user, len(data), data, byref(size), byref(blob))
            if status == _errors.MISS:
                return None
            _native.check(status, "get")
            try:
                return ctypes.string_at(blob.value or 0, size.value)
            finally:
                calls.release(calls.user, size, blob)

    def put(self, cache_blob_id: Buffer, blob: Buffer, *,
            compile_ns: int = 0) -> None:
        """Keeps a blob under an ID. The blob is checked first: damaged bytes
        raise :class:`BlobError`. A store that is read-only, or that has no room,
        keeps nothing (:meth:`statistics`)."""
        data = _native.as_bytes(cache_blob_id, "ID")
        value = _native.as_bytes(blob, "blob")
        kind = inspect_blob(value).kind
        if not 0 <= compile_ns < 2**64:
            raise _errors.InvalidArguments("compile_ns is out of range")
        metadata = _native.StoreMetadataStruct(
            kind=int(kind), compile_ns=compile_ns)
        with self._use():
            calls = self._callbacks.contents
            _native.begin()
            _native.check(
                calls.put(calls.user, len(data), data, len(value), value,
                          byref(metadata)),
                "put")

    def remove(self, cache_blob_id: Buffer) -> None:
        """Removes the entry of an ID, if there is one."""
        data = _native.as_bytes(cache_blob_id, "ID")
        with self._use():
            calls = self._callbacks.contents
            _native.begin()
            _native.check(calls.remove(calls.user, len(data), data), "remove")

    def items(self) -> List[StoreItem]:
        """All entries, in no particular order."""
        found: List[StoreItem] = []
        failed: List[BaseException] = []

        def visit(_: Optional[int], item: Any) -> bool:
            # What is raised in a callback would only be printed.
            try:
                entry = item.contents
                found.append(StoreItem(
                    id=ctypes.string_at(entry.id, entry.id_size),
                    kind=BlobKind(entry.kind), blob_size=entry.blob_size,
                    created_ns=entry.created_ns, used_ns=entry.used_ns,
                    compile_ns=entry.compile_ns))
            except BaseException as error:
                failed.append(error)
            return not failed

        with self._use() as handle:
            _native.call(
                "dnnl_cache_store_iterate", handle,
                _native.VisitFunction(visit), None)
        if failed:
            raise failed[0]
        return found

    def __iter__(self) -> Iterator[bytes]:
        """The IDs of all entries."""
        return iter([item.id for item in self.items()])

    def __len__(self) -> int:
        return len(self.items())

    def __bool__(self) -> bool:
        return True

    def __contains__(self, cache_blob_id: Buffer) -> bool:
        return self.get(cache_blob_id) is not None

    def trim(self, *, max_bytes: Optional[int] = None,
             max_age_seconds: Optional[int] = None) -> int:
        """Evicts entries until the store has at most that size, and those that
        are older; returns how many. ``max_bytes=0`` empties the store."""
        limits = []
        for limit in (max_bytes, max_age_seconds):
            value = _native.NO_LIMIT if limit is None else limit
            if not 0 <= value <= _native.NO_LIMIT:
                raise _errors.InvalidArguments(f"a limit of {limit}")
            limits.append(value)
        removed = c_uint64()
        with self._use() as handle:
            _native.call(
                "dnnl_cache_store_trim", handle, *limits, byref(removed))
        return removed.value

    def verify(self, *, repair: bool = False) -> StoreCheck:
        """Reads every byte of every entry; removes damaged ones if ``repair``."""
        check = _native.StoreCheckStruct()
        with self._use() as handle:
            _native.call(
                "dnnl_cache_store_verify", handle, bool(repair), None, None,
                byref(check))
        return StoreCheck(
            intact=check.intact, damaged=check.damaged,
            repaired=check.repaired, bytes=check.bytes)

    def statistics(self) -> Dict[str, int]:
        """What this process did with the store since it opened it: hits, misses,
        puts and more (struct dnnl_cache_store_statistics in store.h)."""
        counts = _native.StoreStatisticsStruct()
        with self._use() as handle:
            _native.call(
                "dnnl_cache_store_get_statistics", handle, byref(counts))
        return {name: int(getattr(counts, name))
                for name in _native.STORE_COUNTERS}


def _capacity(capacity_mb: Optional[int]) -> int:
    if capacity_mb is None:
        return _UNLIMITED
    if isinstance(capacity_mb, bool) or not isinstance(capacity_mb, int):
        raise TypeError("capacity_mb must be an integer")
    if not 0 < capacity_mb <= 2**43:
        raise _errors.InvalidArguments(f"a capacity of {capacity_mb} MB")
    return capacity_mb * _MEGABYTE


def _record_totals() -> None:
    for store in list(_stores):
        if store._end.alive:
            _native.lib.dnnl_cache_store_record_totals(store._handle)


# After the programs of engines were kept.
_native.at_exit_last(_record_totals)

# ---- The store of the process ------------------------------------------------

_dir: Optional[str] = None


def _default_place() -> Tuple[str, str, str]:
    """The default directory, the variable that says where it is, and the
    variable's folder."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return os.path.join(base, "dnnl_cache_python"), "XDG_CACHE_HOME", base
    home = os.path.expanduser("~")
    return os.path.join(home, ".cache", "dnnl_cache_python"), "HOME", home


def _owner(path: str) -> Optional[int]:
    """The user who has a folder; None if it is this one's, root's, or missing."""
    try:
        owner = os.stat(path).st_uid
    except OSError:
        return None
    return None if owner in (os.geteuid(), 0) else owner


def _nearest(path: str) -> str:
    """The folder itself or the nearest above it that is there."""
    while not os.path.exists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path


def default_dir() -> str:
    """Where :func:`set_dir` keeps blobs if no directory is named:
    ``$XDG_CACHE_HOME/dnnl_cache_python``, or below ``~/.cache``.

    Raises :class:`RuntimeFailure` if that is in the home of another user, as for
    root with a user's ``HOME``: what is made there would shut them out."""
    path, variable, base = _default_place()
    owner = _owner(base)
    if owner is None:
        owner = _owner(_nearest(path))
    if owner is not None:
        raise _errors.RuntimeFailure(
            f"{variable}={base}: a folder of another user ({owner}), who would "
            f"be shut out of what this user makes there: set {variable} to a "
            "folder of your own (sudo -H), or DNNL_CACHE_DIR")
    return path


def _is_elsewhere() -> bool:
    """Whether the user's variables leave no use for the default directory."""
    return (os.path.isabs(os.environ.get("DNNL_CACHE_DIR", ""))
            or os.environ.get("DNNL_CACHE_PERSISTENT") == "0")


def set_dir(path: Optional[Path] = None, capacity_mb: int = 256, *,
            policy: Optional[Policy] = None, seed: Optional[Path] = None,
            remote: Optional[str] = None,
            application: Optional[str] = None) -> str:
    """Keeps what this process compiles in a directory, at most ``capacity_mb``
    megabytes, and finds it there at the next start. Returns the directory.

    ``path`` None is :func:`default_dir`, which is not made in the home of another
    user. A new directory is a bucket store;
    one that has a store of another type is used as that. ``capacity_mb`` 0
    switches the store off. ``seed`` is a store that is only read, asked first. ``remote`` is the
    URL of a store on a server, which needs an installation of the library beside
    the wheel's; ``application`` the name under which its working set is kept
    there.

    The user of the application has the last word: ``DNNL_CACHE_DIR``,
    ``DNNL_CACHE_MAX_SIZE``, ``DNNL_CACHE_PERSISTENT=0``.

    Raises :class:`RuntimeFailure` if others may write to the directory, and where
    :func:`default_dir` does.
    """
    global _dir
    if path is not None:
        place = os.path.abspath(os.fsdecode(_native.as_path(path, "path")))
    elif capacity_mb == 0 or _is_elsewhere():
        place = os.path.abspath(_default_place()[0])
    else:
        place = os.path.abspath(default_dir())
    if isinstance(capacity_mb, bool) or not isinstance(capacity_mb, int):
        raise TypeError("capacity_mb must be an integer")
    if not 0 <= capacity_mb < 2**31:
        raise _errors.InvalidArguments(f"a capacity of {capacity_mb} MB")
    if policy is not None:
        _native.call("dnnl_cache_persistent_set_policy", int(Policy(policy)))
    # The directory switches the store on, and is made: what may be refused comes
    # first.
    _native.call(
        "dnnl_cache_persistent_set_seed",
        None if seed is None else _native.as_path(seed, "seed"))
    _native.call(
        "dnnl_cache_persistent_set_remote",
        None if remote is None else _native.as_text(remote, "remote"))
    _native.call(
        "dnnl_cache_persistent_set_application",
        None if application is None
        else _native.as_text(application, "application"))
    if capacity_mb == 0:
        _native.call("dnnl_cache_persistent_set_capacity", 0)
    _native.call("dnnl_cache_persistent_set_dir", os.fsencode(place))
    if capacity_mb > 0:
        _native.call("dnnl_cache_persistent_set_capacity", capacity_mb)
    _dir = place
    return cache_dir() or place


def cache_dir() -> Optional[str]:
    """The directory in use: ``DNNL_CACHE_DIR``, or that of :func:`set_dir`;
    None before that was called."""
    if _dir is None:
        return None
    wanted = os.environ.get("DNNL_CACHE_DIR", "")
    return wanted if os.path.isabs(wanted) else _dir
