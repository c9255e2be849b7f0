#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command in which programs for another processor are started like any
other, by qemu-user, also by the programs themselves.

    scripts/in_emulation.py arm64|s390x COMMAND ...

The kernel is told of them in a user namespace of the command's own (Linux 6.7),
so that nothing of the machine changes. Who is root is root in it, with as many
other users as 65536.

Exit status: that of the command; 2 wrong usage; 77 this machine has no
qemu-user, or does not allow such a namespace; 126 the command cannot be run; 127
there is no such command.
"""
import ctypes
import os
import sys

BINFMT = "/proc/sys/fs/binfmt_misc"
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
# What an ELF file begins with: class, byte order; its kind, 2 or 3; processor.
LITTLE = (b"\x7fELF\x02\x01\x01" + bytes(9), b"\x02\x00",
          b"\xff" * 7 + b"\0" + b"\xff" * 8 + b"\xfe\xff\xff\xff")
BIG = (b"\x7fELF\x02\x02\x01" + bytes(9), b"\x00\x02",
       b"\xff" * 7 + b"\0" + b"\xff" * 8 + b"\xff\xfe\xff\xff")
PROCESSORS = {"arm64": ("qemu-aarch64", LITTLE, b"\xb7\x00"),
              "s390x": ("qemu-s390x", BIG, b"\x00\x16")}


class Lacks(Exception):
    """What this machine lacks."""


def found(program):
    for folder in os.environ.get("PATH", "").split(":"):
        path = os.path.join(folder, program)
        if os.access(path, os.X_OK):
            return os.path.realpath(path)
    raise Lacks(f"no {program}")


def system_call(name, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        raise Lacks(f"{name}: {os.strerror(ctypes.get_errno())}")


def write(path, data):
    with open(path, "wb", buffering=0) as file:
        file.write(data)


def escaped(data):
    return "".join(f"\\x{byte:02x}" for byte in data)


def name_users(process, user, group):
    """Who there is in the namespace of that process: outside, so that root may
    name others than himself."""
    folder = f"/proc/{process}"
    if user == 0:
        write(f"{folder}/uid_map", b"0 0 65536")
        write(f"{folder}/gid_map", b"0 0 65536")
        return
    write(f"{folder}/setgroups", b"deny")
    write(f"{folder}/uid_map", b"0 %d 1" % user)
    write(f"{folder}/gid_map", b"0 %d 1" % group)


def enter(user, group):
    """A user namespace and a mount namespace for this process."""
    ready, go = os.pipe(), os.pipe()
    me = os.getpid()
    helper = os.fork()
    if helper == 0:
        # Its own writing end would keep it waiting after a failure of unshare().
        os.close(ready[1])
        os.close(go[0])
        try:
            if os.read(ready[0], 1) == b"1":
                name_users(me, user, group)
                os.write(go[1], b"1")
        finally:
            os._exit(0)
    try:
        system_call("unshare", CLONE_NEWUSER | CLONE_NEWNS)
        os.write(ready[1], b"1")
    finally:
        for end in (ready[0], ready[1], go[1]):
            os.close(end)
        os.waitpid(helper, 0)
    if os.read(go[0], 1) != b"1":
        raise Lacks("the users of a namespace cannot be named")
    os.close(go[0])


def register(name, interpreter):
    _, (start, kind, mask), machine = PROCESSORS[name]
    system_call("mount", b"binfmt_misc", BINFMT.encode(), b"binfmt_misc", 0,
                None)
    # P: argv[0] as it is. F: this file, also in another root.
    write(f"{BINFMT}/register",
          (f":dnnl-{name}:M:0:{escaped(start + kind + machine)}:"
           f"{escaped(mask)}:{interpreter}:PF").encode())


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in PROCESSORS:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    name = sys.argv[1]
    try:
        interpreter = found(PROCESSORS[name][0])
        enter(os.getuid(), os.getgid())
        register(name, interpreter)
    except (Lacks, OSError) as error:
        print(f"in_emulation.py: {error}", file=sys.stderr)
        return 77
    try:
        os.execvp(sys.argv[2], sys.argv[2:])
    except OSError as error:
        print(f"in_emulation.py: {sys.argv[2]}: {error.strerror}",
              file=sys.stderr)
        return 127 if isinstance(error, FileNotFoundError) else 126


if __name__ == "__main__":
    sys.exit(main())
