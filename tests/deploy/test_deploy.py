#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what docs/deploy says: the commands of the Containerfile's stage "seed",
its image's entry point, the manifest's init container and Redis, and the image of
examples/start, with paths in a folder of the test's.

usage: test_deploy.py SOURCE_DIR BIN_DIR REDIS_SERVER
my_app is tests/layer/launch/launch_client on PoCL. Exits with 77 if PoCL, Redis or
Python's yaml is not there."""
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

SKIP = 77
PLATFORM = "Portable Computing Language"


def fail(text):
    sys.exit(f"test_deploy: {text}")


def require(condition, text):
    if not condition:
        fail(text)


class Containerfile:
    """Stages in their order: a name, and (instruction, argument) pairs."""

    def __init__(self, path):
        text = "\n".join(line for line in path.read_text().splitlines()
                         if not line.startswith("#"))
        self.stages = []
        for line in text.replace("\\\n", " ").splitlines():
            if not line.strip():
                continue
            word, argument = line.split(None, 1)
            if word == "FROM":
                base, _, name = argument.partition(" AS ")
                self.stages.append((name or "image", base, []))
                continue
            require(self.stages, "an instruction before FROM")
            self.stages[-1][2].append((word, argument))

    def all_of(self, name, word):
        for stage, _, lines in self.stages:
            if stage == name:
                return [argument for found, argument in lines if found == word]
        fail(f"there is no stage {name}")

    def environment(self, name):
        """What ENV sets, in the stage and those below it."""
        values = {}
        for stage, base, _ in self.stages:
            if stage == name:
                if base in [other for other, _, _ in self.stages]:
                    values = self.environment(base)
                for argument in self.all_of(name, "ENV"):
                    values.update(part.split("=", 1)
                                  for part in argument.split())
        return values

    def check(self):
        names = []
        for name, base, lines in self.stages:
            if name != "library":
                require(base in names or "/" in base, f"no stage {base}")
            for word, argument in lines:
                origin = re.match(r"--from=(\S+)", argument)
                if word == "COPY" and origin:
                    require(origin[1] in names, f"no stage {origin[1]}")
            names.append(name)
        bases = {name: base for name, base, _ in self.stages}
        # Another base would be another driver, whose entries are not found.
        require(bases["seed"] == bases["image"] == "runtime", "two bases")
        user = self.all_of("image", "USER")
        require(user and re.fullmatch(r"[1-9]\d*:[1-9]\d*", user[-1]),
                "the image's user is not a number other than 0")


class Host:
    """A machine: its folders are below one of the test's."""

    def __init__(self, root, bin_dir):
        self.root = root
        self.bin = bin_dir
        self.runs = 0
        self.said = ""
        root.mkdir()

    def inside(self, text, paths):
        longest_first = sorted(map(re.escape, paths), key=len, reverse=True)
        return re.sub("|".join(longest_first),
                      lambda found: f"{self.root}{found[0]}", text)

    def run(self, command, environment, cwd=None):
        """Runs it with an empty cache of PoCL's own; what it counted."""
        self.runs += 1
        counts = self.root / f"counts{self.runs}"
        values = {"PATH": f"{self.root.parent}/apps:{self.bin}:/usr/bin:/bin",
                  "HOME": str(self.root), **environment,
                  "POCL_CACHE_DIR": str(self.root / f"pocl{self.runs}"),
                  "POCL_KERNEL_CACHE": "0", "DNNL_CACHE_STATS": str(counts)}
        if "OCL_ICD_VENDORS" in os.environ:
            values["OCL_ICD_VENDORS"] = os.environ["OCL_ICD_VENDORS"]
        done = subprocess.run(command, env=values, cwd=cwd or self.root,
                              capture_output=True, text=True, timeout=300)
        require(done.returncode == 0,
                f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        self.said = done.stderr
        if not counts.exists():
            return {}
        return json.loads(counts.read_text().splitlines()[0])


def make_seed(file, host):
    """The stage that makes it, as it is written."""
    work = host.root / "work"
    work.mkdir()
    require(file.all_of("seed", "WORKDIR") == ["/seed"], "WORKDIR")
    commands = file.all_of("seed", "RUN")
    require(len(commands) == 2, "the stage seed has other commands")
    for command in commands:
        host.run(["sh", "-ec", command], {}, cwd=work)
    seed = work / "seed.pack"
    require(stat.S_IMODE(seed.stat().st_mode) == 0o444, "the seed's mode")
    return seed


def start_image(file, host, seed, change):
    """The image's entry point, on a machine that has never run it."""
    origin, target = file.all_of("image", "COPY")[0].split()[1:]
    require(pathlib.PurePath(origin).name == seed.name, "another seed")
    values = file.environment("image")
    values.pop("PATH")
    require(values["DNNL_CACHE_SEED"] == target, "the seed is elsewhere")
    place = host.root / target[1:]
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists():
        shutil.copy2(seed, place)
    cache = os.path.dirname(values["DNNL_CACHE_DIR"])
    (host.root / cache[1:]).mkdir(parents=True, exist_ok=True, mode=0o700)
    values = {name: host.inside(value, [target, cache])
              for name, value in values.items()}
    values.update(change)
    entry = json.loads(file.all_of("image", "ENTRYPOINT")[0])
    return host.run(entry, values)


def check_image(file, root, bin_dir):
    seed = make_seed(file, Host(root / "builder", bin_dir))
    warm = start_image(file, Host(root / "warm", bin_dir), seed, {})
    require(warm["misses"] == 0 and warm["hits"] > 0, f"not warm: {warm}")
    cold = start_image(file, Host(root / "cold", bin_dir), seed,
                       {"DNNL_CACHE_SEED": ""})
    require(cold["misses"] > 0, f"warm without the seed: {cold}")


def check_start(path, host):
    """The image of examples/start: built, and then a container of it, which has
    the user's home that the build left. clpeak is a program of the test's."""
    file = Containerfile(path)
    commands = [command for command in file.all_of("image", "RUN")
                if command.startswith("dnnl-cache-run")]
    require(len(commands) == 1, "it fills its store with one command")
    require(file.all_of("image", "USER") == ["user"], "USER")
    values = {name: value for name, value in file.environment("image").items()
              if name != "PATH"}
    host.run(["sh", "-ec", commands[0]], values)
    entry, options = (json.loads(file.all_of("image", word)[0])
                      for word in ("ENTRYPOINT", "CMD"))
    require(commands[0].split(" -- ")[1].split() == [*entry[2:], *options],
            "the container runs another command than the one that was kept")
    warm = host.run(entry + options, values)
    require(warm["misses"] == 0 and warm["hits"] > 0, f"not warm: {warm}")


# ---- Kubernetes --------------------------------------------------------------


def one(documents, kind, name):
    found = [d for d in documents
             if d["kind"] == kind and d["metadata"]["name"] == name]
    require(len(found) == 1, f"{len(found)} times {kind} {name}")
    return found[0]["spec"]


def pod_of(deployment):
    return deployment["template"]["spec"]


def check_names(documents):
    """What refers to another part names one that is there."""
    for deployment in ("dnnl-cache", "my-app"):
        spec = one(documents, "Deployment", deployment)
        require(spec["selector"]["matchLabels"]
                == spec["template"]["metadata"]["labels"], "labels")
        pod = pod_of(spec)
        volumes = {volume["name"] for volume in pod.get("volumes", [])}
        for container in pod["containers"] + pod.get("initContainers", []):
            for mount in container.get("volumeMounts", []):
                require(mount["name"] in volumes, f"volume {mount['name']}")
        require("fsGroup" not in pod.get("securityContext", {}), "fsGroup")
    service = one(documents, "Service", "dnnl-cache")
    redis = one(documents, "Deployment", "dnnl-cache")
    require(service["selector"]
            == redis["template"]["metadata"]["labels"], "the service's pods")


def make_secret(folder, bin_dir):
    """As the kubelet does: links to a folder that is replaced as a whole."""
    (folder / "..1").mkdir(parents=True)
    subprocess.run([bin_dir / "dnnl-cache", "key", "make", folder / "..1/key"],
                   check=True, capture_output=True)
    (folder / "..1/key").chmod(0o644)
    (folder / "..data").symlink_to("..1")
    (folder / "key").symlink_to("..data/key")


def start_redis(documents, root, program):
    pod = pod_of(one(documents, "Deployment", "dnnl-cache"))
    socket = root / "redis.sock"
    server = subprocess.Popen(
        [program, *pod["containers"][0]["args"], "--port", "0",
         "--unixsocket", socket, "--dir", root],
        stdout=subprocess.DEVNULL)
    while not socket.exists():
        require(server.poll() is None, "redis-server ended")
        time.sleep(0.01)
    return server, socket


def start_pod(documents, host, socket, entry, secret, copies_key):
    """Init containers and the container; its counts."""
    pod = pod_of(one(documents, "Deployment", "my-app"))
    service = one(documents, "Service", "dnnl-cache")
    container = pod["containers"][0]
    require(len(pod["initContainers"]) == 1, "init containers")
    first = pod["initContainers"][0]
    mounts = [mount["mountPath"]
              for mount in container["volumeMounts"] + first["volumeMounts"]]
    for mount in mounts:
        place = host.root / mount[1:]
        if mount.endswith("/secret"):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(secret)
        elif not place.exists():
            place.mkdir(parents=True)
            place.chmod(0o777)  # as an emptyDir
    command = [host.inside(word, mounts) for word in first["command"]]
    if copies_key:
        host.run(command, {})
        key = pathlib.Path(command[-1])
        require(stat.S_IMODE(key.lstat().st_mode) == 0o600, "the key's mode")
    values = {e["name"]: e["value"] for e in container["env"]}
    url = values["DNNL_CACHE_REMOTE"]
    begin = f"redis://dnnl-cache:{service['ports'][0]['port']}?"
    require(url.startswith(begin), f"the URL is not the service's: {url}")
    values = {n: host.inside(v, mounts) for n, v in values.items()}
    url = values["DNNL_CACHE_REMOTE"].replace(begin, f"unix://{socket}?")
    if not copies_key:
        url = url.replace("/run/dnnl-cache/key", "/run/secret/key")
    values["DNNL_CACHE_REMOTE"] = url + "&timeout_ms=20000"
    values["DNNL_CACHE_APPLICATION"] = "my_app"
    return host.run(entry, values)


def check_manifest(file, documents, root, bin_dir, redis):
    secret = root / "secret"
    make_secret(secret, bin_dir)
    entry = json.loads(file.all_of("image", "ENTRYPOINT")[0])
    server, socket = start_redis(documents, root, redis)
    try:
        def start(name, copies_key=True):
            host = Host(root / name, bin_dir)
            return start_pod(documents, host, socket, entry, secret,
                             copies_key), host.said
        cold, _ = start("pod1")
        require(cold["misses"] > 0, f"the first pod is warm: {cold}")
        warm, _ = start("pod2")
        require(warm["misses"] == 0 and warm["remote_hits"] > 0,
                f"the second pod is cold: {warm}")
        # Without the init container: why it is there.
        bare, said = start("pod3", copies_key=False)
        require(bare["misses"] > 0 and "DNNL_CACHE_REMOTE is not used" in said,
                f"a link is a key file: {said}")
    finally:
        server.kill()
        server.wait()


def check_variables(file, documents, source):
    known = (source / "docs/reference/environment.md").read_text()
    pod = pod_of(one(documents, "Deployment", "my-app"))
    names = [e["name"] for e in pod["containers"][0]["env"]]
    for name in names + list(file.environment("image")):
        require(not name.startswith("DNNL_CACHE_") or f"`{name}`" in known,
                f"{name} is no variable of the layer")


def lint(path):
    if shutil.which("yamllint") is None:
        print("yamllint is not there")
        return
    done = subprocess.run(["yamllint", "--strict", path], text=True,
                          capture_output=True)
    require(done.returncode == 0, done.stdout)


def main():
    source, bin_dir = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    try:
        import yaml
    except ImportError:
        print("python3-yaml is not there")
        return SKIP
    if not os.access(sys.argv[3], os.X_OK):
        print("redis-server is not there")
        return SKIP
    deploy = source / "docs/deploy"
    file = Containerfile(deploy / "Containerfile")
    file.check()
    manifest = (deploy / "kubernetes.yaml").read_text()
    documents = list(yaml.safe_load_all(manifest))
    lint(deploy / "kubernetes.yaml")
    check_names(documents)
    check_variables(file, documents, source)
    with tempfile.TemporaryDirectory(prefix="deploy.") as name:
        root = pathlib.Path(name)
        app = root / "apps/my_app"
        app.parent.mkdir()
        app.write_text("#!/bin/sh\n"
                       f"exec '{bin_dir}/launch_client' '{PLATFORM}' "
                       "f/64/0 g/64/0\n")
        app.chmod(0o755)
        shutil.copy2(app, app.with_name("clpeak"))
        try:
            Host(root / "probe", bin_dir).run(["my_app"], {})
        except SystemExit as no:
            print(f"PoCL is not there: {no}")
            return SKIP
        check_image(file, root, bin_dir)
        check_start(source / "examples/start/Containerfile",
                    Host(root / "start", bin_dir))
        check_manifest(file, documents, root, bin_dir, sys.argv[3])
    return 0


sys.exit(main())
