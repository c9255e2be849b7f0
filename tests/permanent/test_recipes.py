#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the recipes of the pages PAGES in a root folder: the installation, with
the programs of this system or of another one, /etc and homes of the test's own.

usage: test_recipes.py SOURCE_DIR BUILD_DIR [BASE]
BASE: the root folder of a Debian system that is used in place of this one's
files. my_app is an application on the fake driver, pocl_app one on PoCL. Exits
with 77 where no mounts may be made."""
import ast
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
USER = 1000
PATH = "/usr/local/bin:/usr/bin:/bin"
LAYER = "/usr/local/lib/libdnnl_cache_layer.so"
GENERATOR = ("/usr/lib/systemd/user-environment-generators/"
             "30-systemd-environment-d-generator")
POCL = "Portable Computing Language"
PAGES = ("docs/how_to/keep_the_layer_on.md", "docs/how_to/containers_and_ci.md")


def fail(text):
    sys.exit(f"test_recipes: {text}")


def require(condition, text):
    if not condition:
        fail(text)


def read_recipes(pages):
    """The block behind each "<!-- recipe: NAME -->", by name."""
    recipes = {}
    text = "".join(page.read_text() for page in pages)
    for found in re.finditer(r"^<!-- recipe: (\S+) -->\n\n((?:    .*\n|\n)+)",
                             text, re.MULTILINE):
        require(found[1] not in recipes, f"two recipes {found[1]}")
        recipes[found[1]] = re.sub("^    ", "", found[2].rstrip() + "\n",
                                   flags=re.MULTILINE)
    return recipes


class System:
    """A root folder; what is run there runs with mounts of its own."""

    def __init__(self, work, build, base):
        self.root = work / "root"
        self.base = base
        self.runs = 0
        for name in ("usr", "proc", "sys", "dev", "tmp", "run", "var/cache", "etc",
                     "home/user", "root"):
            (self.root / name).mkdir(parents=True)
        for name in ("bin", "sbin", "lib", "lib64"):
            if (base / name).is_symlink():
                (self.root / name).symlink_to(os.readlink(base / name))
        (self.root / "tmp").chmod(0o1777)
        os.chown(self.root / "home/user", USER, USER)
        (self.root / "home/user").chmod(0o700)
        self.fill_etc()
        self.local = work / "stage/usr/local"
        self.install(work / "stage", build)
        self.script = work / "enter"
        self.script.write_text(
            "set -e\nroot=$1 base=$2 local=$3 user=$4\nshift 4\n"
            'mount --bind "$base/usr" "$root/usr"\n'
            'mount --bind "$local" "$root/usr/local"\n'
            'mount --rbind /proc "$root/proc"\n'
            'mount --rbind /sys "$root/sys"\n'
            'mount --rbind /dev "$root/dev"\n'
            'mount -o remount,bind,ro "$root/usr"\n'
            'exec chroot "$root" setpriv --reuid "$user" --regid "$user" '
            '--clear-groups -- "$@"\n')

        said = self.enter(["sh", "-c", "pocl_app; echo $?"], self.usual(),
                          code=None)
        self.has_pocl = "0" in said.split()

    def fill_etc(self):
        etc = self.root / "etc"
        for name in ("ld.so.cache", "ld.so.conf", "profile", "alternatives",
                     "environment-modules", "pam.d"):
            origin = self.base / "etc" / name
            if origin.is_dir():
                shutil.copytree(origin, etc / name, symlinks=True)
            elif origin.exists():
                shutil.copy(origin, etc / name)
        (etc / "profile.d").mkdir()
        (etc / "passwd").write_text(f"root:x:0:0::/root:/bin/sh\n"
                                    f"user:x:{USER}:{USER}::/home/user:/bin/sh\n")
        (etc / "group").write_text(f"root:x:0:\nuser:x:{USER}:\n")
        (etc / "OpenCL/vendors").mkdir(parents=True)
        (etc / "OpenCL/vendors/fake.icd").write_text(
            "/usr/local/lib/libfake_opencl.so\n")
        for file in (self.base / "etc/OpenCL/vendors").glob("pocl*.icd"):
            shutil.copy(file, etc / "OpenCL/vendors")

    def install(self, stage, build):
        done = subprocess.run(
            ["cmake", "--install", build, "--prefix", "/usr/local"],
            env={**os.environ, "DESTDIR": str(stage)}, text=True,
            capture_output=True)
        require(done.returncode == 0, done.stdout + done.stderr)
        shutil.copy(build / "lib/libfake_opencl.so", self.local / "lib")
        (self.local / "libexec").mkdir(exist_ok=True)
        for name, program, words in (
                ("my_app", "build_counter_client", "Fake"),
                ("my_other_app", "build_counter_client", "Fake"),
                ("pocl_app", "launch_client", f"'{POCL}' f/64/0 g/64/0")):
            shutil.copy(build / "bin" / program, self.local / "libexec" / name)
            self.write_program(name,
                               f"exec /usr/local/libexec/{name} {words}\n")
        # There is nobody to ask for a password.
        self.write_program("sudo", 'exec "$@"\n')

    def write_program(self, name, text):
        file = self.local / "bin" / name
        file.write_text(f"#!/bin/sh\n{text}")
        file.chmod(0o755)

    def enter(self, command, env, user=USER, code=0):
        """Runs a command in the root folder; its output."""
        done = subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "sh",
             self.script, self.root, self.base, self.local, str(user),
             "env", "--chdir", env.get("HOME", "/"), "-i",
             *(f"{name}={value}" for name, value in env.items()), *command],
            text=True, capture_output=True, timeout=300)
        require(code is None or done.returncode == code,
                f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def usual(self, user=USER, **more):
        """What a session has at its beginning."""
        return {"PATH": PATH, "HOME": "/root" if user == 0 else "/home/user",
                "TERM": "dumb", **more}

    def shell(self, text, user=USER, **more):
        return self.enter(["sh", "-euc", text], self.usual(user, **more), user)

    def stats(self):
        """A variable for an application, and what it then says it counted."""
        self.runs += 1
        name = f"/tmp/stats{self.runs}"

        def counts():
            file = self.root / name[1:]
            if not file.exists():
                return None
            return json.loads(file.read_text().splitlines()[0])
        return {"DNNL_CACHE_STATS": name,
                "POCL_CACHE_DIR": f"/tmp/pocl{self.runs}",
                "POCL_KERNEL_CACHE": "0"}, counts

    def each_driver(self):
        """my_app on the fake driver, whose binaries the process stores, and on
        PoCL, whose binaries it leaves to dnnl-cache refresh."""
        yield "fake"
        if self.has_pocl:
            mine = (self.local / "bin/my_app").read_text()
            (self.local / "bin/my_app").write_text(
                (self.local / "bin/pocl_app").read_text())
            yield "PoCL"
            (self.local / "bin/my_app").write_text(mine)

    # ---- Sessions: how an application is started, and what it counted ------

    def from_login_shell(self, app, user=USER):
        more, counts = self.stats()
        self.enter(["sh", "-l", "-c", app], self.usual(user, **more), user)
        return counts()

    def from_systemd(self, app):
        """The environment that a user's systemd makes, as it makes it."""
        if not (self.base / GENERATOR[1:]).exists():
            return None
        said = self.enter([GENERATOR], self.usual())
        values = dict(line.split("=", 1) for line in said.splitlines())
        more, counts = self.stats()
        self.enter(["sh", "-c", app], {**self.usual(), **values, **more})
        return counts()

    def forget(self):
        """The homes, and what --enable wrote elsewhere."""
        for home in ("home/user", "root"):
            for path in (self.root / home).iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def require_cold(counts, what):
    require(counts is not None and counts["hits"] == 0, f"{what}: {counts}")


def require_warm(counts, what):
    require(counts is not None and counts["hits"] > 0, f"{what}: {counts}")


def require_off(counts, what):
    require(counts is None, f"{what}: under the layer: {counts}")


def check_user(recipes, system):
    has_systemd = (system.base / GENERATOR[1:]).exists()
    require_off(system.from_login_shell("my_app"), "before")
    system.shell(recipes["user"])
    require_off(system.from_login_shell("my_app"), "without ~/.profile")
    if has_systemd:
        require_cold(system.from_systemd("my_app"), "user, systemd")
    system.shell(recipes["user-profile"])
    system.from_login_shell("my_app")
    require_warm(system.from_login_shell("my_app"), "user, login shell")
    system.shell(recipes["user-settings"])
    require_warm(system.from_login_shell("my_app"), "not denied")
    require_off(system.from_login_shell("my_other_app"), "denied")
    system.shell(recipes["refresh"])
    link = ("home/user/.config/systemd/user/timers.target.wants/"
            "dnnl-cache-refresh.timer")
    # The timer is installed below /usr/local.
    require((system.root / link).is_symlink(), "the timer is not enabled")
    system.shell(recipes["user-disable"])
    require(not (system.root / link).is_symlink(), "the timer is enabled")
    require_off(system.from_login_shell("my_app"), "disabled")
    if has_systemd:
        require_off(system.from_systemd("my_app"), "disabled, systemd")
    left = {p.name for p in (system.root / "home/user/.config").rglob("*")
            if p.is_file() or p.is_symlink()}
    require(left == {"layer.conf"}, f"left: {left}")
    system.forget()


def list_etc(system):
    return {str(p) for p in (system.root / "etc").rglob("*")
            if p.is_file() or p.is_symlink()}


def check_system(recipes, system):
    before = list_etc(system)
    system.shell(recipes["system"], user=0)
    for user in (0, USER):
        require_cold(system.from_login_shell("my_app", user), "system")
        require_warm(system.from_login_shell("my_app", user), "system")
    system.shell(recipes["system-settings"], user=0)
    require_off(system.from_login_shell("my_other_app"), "denied")
    require_warm(system.from_login_shell("my_app"), "not denied")
    # As the text says, for one user.
    system.shell("mkdir -p ~/.config/dnnl_cache && "
                 "echo 'DNNL_CACHE_APPLICATIONS_DENY = *' "
                 ">~/.config/dnnl_cache/layer.conf")
    require_off(system.from_login_shell("my_app"), "a user's own list")
    require_warm(system.from_login_shell("my_app", 0), "another user")
    system.shell(recipes["system-disable"], user=0)
    require_off(system.from_login_shell("my_app", 0), "disabled")
    conf = system.root / "etc/dnnl_cache/layer.conf"
    conf.unlink()
    require(list_etc(system) == before, "left in /etc")
    system.forget()


def check_image(recipes, system):
    image = system.root / "mnt/image"
    (image / LAYER[1:]).parent.mkdir(parents=True)
    shutil.copy(system.local / "lib/libdnnl_cache_layer.so", image / LAYER[1:])
    before = list_etc(system)
    system.shell(recipes["image"], user=0)
    file = image / "etc/profile.d/dnnl-cache.sh"
    require(f"'{LAYER}'" in file.read_text(), "the image's file")
    require(list_etc(system) == before, "/etc was changed")


def check_service(recipes, system):
    etc = system.root / "etc/systemd/system"
    (etc / "my_app.service.d").mkdir(parents=True)
    (etc / "my_app.service").write_text(
        "[Unit]\nDescription=My application\n"
        "[Service]\nType=oneshot\nUser=user\nExecStart=/usr/local/bin/my_app\n")
    (etc / "my_app.service.d/dnnl-cache.conf").write_text(recipes["service"])
    if (system.base / "usr/bin/systemd-analyze").exists():
        done = system.enter(
            ["sh", "-c", "systemd-analyze verify --man=no my_app.service 2>&1"],
            system.usual(0), 0, code=None)
        require("my_app.service" not in done, f"systemd-analyze: {done}")
    else:
        print("systemd-analyze is not there")
    lines = [line.split("=", 1)
             for line in recipes["service"].splitlines() if "=" in line]
    service = dict(lines)
    values = dict(value.split("=", 1)
                  for name, value in lines if name == "Environment")
    folder = system.root / "var/cache" / service["CacheDirectory"]
    stop = service["ExecStopPost"]
    require(stop.startswith("-/"), "ExecStopPost")
    for driver in system.each_driver():
        folder.mkdir()
        folder.chmod(int(service["CacheDirectoryMode"], 8))
        os.chown(folder, USER, USER)
        results = []
        for _ in range(2):
            more, counts = system.stats()
            env = {"PATH": PATH, **values}
            system.enter(["/usr/local/bin/my_app"], {**env, **more})
            system.enter(shlex.split(stop[1:]), env)
            results.append(counts())
        require_cold(results[0], f"service, {driver}")
        require_warm(results[1], f"service, {driver}")
        shutil.rmtree(folder)


def check_container(recipes, system):
    text = recipes["container"].replace("\\\n", " ")
    lines = dict(line.split(None, 1) for line in text.splitlines())
    values = dict(word.split("=", 1) for word in lines["ENV"].split())
    require(values["DNNL_CACHE_DIR"].startswith(lines["VOLUME"].strip() + "/"),
            "the store is not in the volume")
    entry = ast.literal_eval(lines["ENTRYPOINT"])
    volume = system.root / lines["VOLUME"].strip()[1:]
    if volume.exists():
        shutil.rmtree(volume)
    volume.mkdir()
    volume.chmod(0o700)
    os.chown(volume, USER, USER)
    results = []
    for _ in range(2):
        more, counts = system.stats()
        system.enter(entry, {"PATH": PATH, **values, **more})
        results.append(counts())
    require_cold(results[0], "container")
    require_warm(results[1], "container")


def check_ci(recipes, system):
    for driver in system.each_driver():
        results = []
        for job in ("one", "two"):
            folder = system.root / f"home/user/{job}"
            folder.mkdir()
            if job == "two":  # the CI system brings it back
                shutil.move(system.root / "home/user/one/.cache", folder)
            os.chown(folder, USER, USER)
            more, counts = system.stats()
            more["DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT"] = "0"
            system.shell(recipes["ci"], CI_PROJECT_DIR=f"/home/user/{job}",
                         **more)
            results.append(counts())
        require_cold(results[0], f"CI, {driver}")
        require_warm(results[1], f"CI, {driver}")
        system.forget()


def check_module(recipes, system):
    """With each implementation that is there."""
    inits = [init for init in ("/usr/share/modules/init/bash",
                               "/usr/share/lmod/lmod/init/bash")
             if (system.base / init[1:]).exists()]
    for init in inits:
        results = []
        for _ in range(2):
            more, counts = system.stats()
            said = system.enter(
                ["bash", "-c", f". {init}\nset -e\n{recipes['module']}"
                 "module unload dnnl_cache\n"
                 'echo "left:${OPENCL_LAYERS-none}"'],
                system.usual(OPENCL_LAYERS="", **more))
            require(re.search("^left:(none)?$", said, re.MULTILINE), said)
            results.append(counts())
        require_cold(results[0], init)
        require_warm(results[1], init)
        system.forget()
    print(f"modules: {', '.join(inits) or 'not there'}")


def check_pocl(recipes, system):
    """What a session leaves, and the timer's service, with lists that know the
    application alone."""
    if not system.has_pocl:
        print("PoCL is not there")
        return
    system.shell(recipes["user"])
    system.shell(recipes["user-profile"])
    system.shell("dnnl-cache-run --enable --allow pocl_app")
    unit = system.local / "lib/systemd/user/dnnl-cache-refresh.service"
    start = re.search("^ExecStart=(.*)$", unit.read_text(), re.MULTILINE)[1]
    wait = ("DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT=0 "
            "DNNL_CACHE_CAPTURE_COMPILED=0 ")
    require_cold(system.from_login_shell(wait + "pocl_app"), "PoCL")
    cold = system.from_login_shell(wait + "pocl_app")
    require_cold(cold, "PoCL, before the timer")
    # From a session that has the layer, too.
    more, _ = system.stats()
    system.enter(["sh", "-l", "-c", start], system.usual(**more))
    warm = system.from_login_shell(wait + "pocl_app")
    require_warm(warm, "PoCL, after the timer")
    require(warm["misses"] == 0, f"PoCL: {warm}")
    print("PoCL: warm after the timer's service")
    system.forget()


CHECKS = {("user", "user-profile", "user-settings", "user-disable", "refresh"):
          check_user,
          ("system", "system-settings", "system-disable"): check_system,
          ("image",): check_image, ("service",): check_service,
          ("container",): check_container, ("ci",): check_ci,
          ("module",): check_module, (): check_pocl}


def main():
    source, build = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    base = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else "/").resolve()
    if os.geteuid() != 0 or subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "true"],
            capture_output=True).returncode != 0:
        print("no mounts may be made")
        return SKIP
    recipes = read_recipes(source / page for page in PAGES)
    known = {name for names in CHECKS for name in names}
    require(known == set(recipes), f"recipes without a test, or tests without "
            f"a recipe: {known ^ set(recipes)}")
    with tempfile.TemporaryDirectory(prefix="recipes.") as name:
        work = pathlib.Path(name)
        work.chmod(0o755)
        system = System(work, build, base)
        for check in CHECKS.values():
            check(recipes, system)
            print(f"{check.__name__}: done")
    return 0


sys.exit(main())
