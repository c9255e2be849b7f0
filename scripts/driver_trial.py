# SPDX-License-Identifier: Apache-2.0
"""What the scripts share that try out a driver: driver_reads.py,
kernel_libraries.py and uncounted_parts.py."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from measuring import run
from recorded import Failure


def without_caches(work, **variables):
    """An environment in which no cache of a driver's has anything."""
    cache = work / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir()
    return dict(os.environ, HOME=str(cache), XDG_CACHE_HOME=str(cache),
                TMPDIR=str(cache), POCL_CACHE_DIR=str(cache),
                POCL_KERNEL_CACHE="0", MESA_SHADER_CACHE_DISABLE="true",
                RUSTICL_ENABLE="llvmpipe", LC_ALL="C", **variables)


def devices(tool, environment, before=()):
    """What `dnnl-cache identity` says of each device."""
    return json.loads(run([*before, tool, "identity", "--json"],
                          environment))["devices"]


def device_of(tool, platform, environment):
    for device in devices(tool, environment):
        if platform in device["platform"]:
            return device
    raise Failure(f"no device of {platform}")


def compiled(command, lines, environment, **more):
    """The end of compile_corpus with these lines of options, which has built
    something."""
    done = subprocess.run(command, text=True, input="\n".join(lines) + "\n",
                          env=environment, capture_output=True, check=False,
                          **more)
    if done.returncode != 0 or "|0|" not in done.stdout:
        raise Failure(f"compiling: {done.stderr[-2000:]}")
    return done


def run_trial(trial, options):
    """Ends a script with what the trial gives, or with 2 if it could not be
    made."""
    try:
        with tempfile.TemporaryDirectory() as work:
            sys.exit(trial(options, pathlib.Path(work).resolve()))
    except (Failure, OSError, subprocess.SubprocessError) as failure:
        print(f"{pathlib.Path(sys.argv[0]).name}: {failure}", file=sys.stderr)
        sys.exit(2)
