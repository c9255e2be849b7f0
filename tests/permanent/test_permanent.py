#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dnnl-cache-run --enable, --disable and --status: what they write, for whom, and
what they leave alone. An application on the fake driver shows what sessions get.

usage: test_permanent.py BIN_DIR LAYER VENDORS [unittest's arguments]"""
import json
import os
import pathlib
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

BIN, LAYER, VENDORS = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
RUN = BIN / "dnnl-cache-run"
APP = BIN / "build_counter_client"
GENERATOR = pathlib.Path("/usr/lib/systemd/user-environment-generators/"
                         "30-systemd-environment-d-generator")
MARK = "# Written by dnnl-cache-run --enable"
OTHER_USER = 47110


def tree(folder):
    """Each file below a folder with what it holds."""
    return {str(p.relative_to(folder)): os.readlink(p) if p.is_symlink()
            else p.read_bytes()
            for p in folder.rglob("*") if p.is_symlink() or p.is_file()}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="permanent."))
        self.addCleanup(shutil.rmtree, self.folder)
        self.home = self.folder / "home"
        self.home.mkdir()
        self.config = self.home / ".config"
        self.conf = self.config / "dnnl_cache/layer.conf"
        self.env_d = self.config / "environment.d/60-dnnl-cache.conf"
        self.env_sh = self.config / "dnnl_cache/env.sh"

    def environment(self, **more):
        sanitizers = {name: value for name, value in os.environ.items()
                      if name.endswith("SAN_OPTIONS")}
        return {"PATH": "/usr/bin:/bin", "HOME": str(self.home),
                "OCL_ICD_VENDORS": str(VENDORS), "LC_ALL": "C.UTF-8",
                **sanitizers, **more}

    def start(self, *arguments, code=0, env=None, **more):
        done = subprocess.run([str(a) for a in arguments], text=True,
                              env=env or self.environment(), timeout=300,
                              capture_output=True, **more)
        self.assertEqual(code, done.returncode,
                         f"{arguments}\n{done.stdout}{done.stderr}")
        return done

    def run_it(self, *options, **more):
        return self.start(RUN, *options, **more)

    def enable(self, *options, **more):
        return self.run_it("--enable", *options, **more)

    def counts(self, env):
        """What the layer counted in an application that was started so; None:
        it did nothing."""
        file = self.folder / "counts"
        file.unlink(missing_ok=True)
        self.start(APP, "Fake", env={**env, "DNNL_CACHE_STATS": str(file)})
        return json.loads(file.read_text()) if file.exists() else None

    def session(self, **more):
        """The environment of a shell that read env.sh."""
        done = self.start("/bin/sh", "-euc", f". '{self.env_sh}'; env -0",
                          env=self.environment(**more))
        return dict(line.split("=", 1)
                    for line in done.stdout.split("\0") if line)

    def make_root(self):
        root = self.folder / "root"
        for name in ("etc/fish/conf.d", "etc/csh/login.d", "opt/lib",
                     "usr/lib/systemd/user"):
            (root / name).mkdir(parents=True)
        shutil.copy(LAYER, root / "opt/lib")
        (root / "usr/lib/systemd/user/dnnl-cache-refresh.timer").touch()
        return root, ["--root", root, "--layer",
                      "/opt/lib/libdnnl_cache_layer.so"]


class Sessions(Case):
    def test_run_under_the_layer(self):
        self.assertIsNone(self.counts(self.environment()))
        self.enable()
        session = self.session()
        self.assertEqual(str(LAYER), session["OPENCL_LAYERS"])
        self.assertEqual(0, self.counts(session)["hits"])
        self.assertGreater(self.counts(session)["hits"], 0)

    def test_of_systemd_run_under_the_layer(self):
        if not GENERATOR.exists():
            self.skipTest("systemd is not installed")
        self.enable()
        env = self.environment()
        said = self.start(GENERATOR, env=env).stdout
        values = dict(line.split("=", 1) for line in said.splitlines())
        self.assertEqual(str(LAYER), values["OPENCL_LAYERS"])
        self.assertIsNotNone(self.counts({**env, **values}))
        said = self.start(GENERATOR, env={**env, "OPENCL_LAYERS": "/a.so:b"})
        self.assertIn(f"OPENCL_LAYERS={LAYER}:/a.so:b\n", said.stdout)

    def test_keep_other_layers_and_name_ours_once(self):
        self.enable()
        for before, after in (("", f"{LAYER}"), ("/a.so:b", f"{LAYER}:/a.so:b"),
                              ("/x/libdnnl_cache_layer.so:b", None),
                              ("libdnnl_cache_layer.so", None),
                              ("/my_libdnnl_cache_layer.so",
                               f"{LAYER}:/my_libdnnl_cache_layer.so")):
            session = self.session(OPENCL_LAYERS=before)
            self.assertEqual(after or before, session["OPENCL_LAYERS"])
            self.assertNotIn("dnnl_cache_layer", session)

    def test_named_twice_it_works_once(self):
        env = self.environment(OPENCL_LAYERS=f"{LAYER}:{LAYER}")
        self.counts(env)
        twice = self.counts(env)
        once = self.counts(self.environment(OPENCL_LAYERS=str(LAYER)))
        for name in ("hits", "misses"):
            self.assertEqual(once[name], twice[name])

    def test_of_csh_and_fish_are_alike(self):
        root, options = self.make_root()
        self.enable("--system", *options)
        forms = (("tcsh", ["-f", "-c"], "etc/csh/login.d/dnnl-cache",
                  "source {}; printenv OPENCL_LAYERS; echo $?dnnl_cache_layer"),
                 ("fish", ["--no-config", "-c"],
                  "etc/fish/conf.d/dnnl-cache.fish",
                  "source {}; printenv OPENCL_LAYERS; "
                  "set -q dnnl_cache_layer; and echo 1; or echo 0"))
        for shell, flags, name, command in forms:
            program = shutil.which(shell)
            if program is None:
                continue
            file = root / name
            file.write_text(file.read_text().replace(
                "/opt/lib/libdnnl_cache_layer.so", str(LAYER)))
            for before, after in ((None, LAYER), ("", LAYER),
                                  ("/a.so", f"{LAYER}:/a.so"),
                                  ("/x/libdnnl_cache_layer.so:b",
                                   "/x/libdnnl_cache_layer.so:b")):
                env = self.environment()
                if before is not None:
                    env["OPENCL_LAYERS"] = before
                said = self.start(program, *flags, command.format(file),
                                  env=env).stdout
                self.assertEqual(f"{after}\n0\n", said, f"{shell} {before}")

    def test_go_on_when_the_layer_is_gone(self):
        gone = self.folder / "lib/libdnnl_cache_layer.so"
        gone.parent.mkdir()
        shutil.copy(LAYER, gone)
        self.enable("--layer", gone)
        gone.unlink()
        self.assertNotIn("OPENCL_LAYERS", self.session())
        env = self.environment(OPENCL_LAYERS=f"{gone}:{LAYER}")
        self.assertIsNotNone(self.counts(env))
        said = self.run_it("--status", "--user", code=1).stdout
        self.assertIn("settings: the defaults\n", said)
        self.assertIn("names a layer that is missing", said)


class Enable(Case):
    def test_is_idempotent(self):
        self.enable("--deny", "a")
        before = {p: (p.stat().st_ino, p.stat().st_mtime_ns, p.read_bytes())
                  for p in self.home.rglob("*") if p.is_file()}
        said = self.enable("--deny", "a").stdout
        self.assertNotIn("wrote", said)
        self.assertIn("unchanged", said)
        self.assertEqual(before, {
            p: (p.stat().st_ino, p.stat().st_mtime_ns, p.read_bytes())
            for p in self.home.rglob("*") if p.is_file()})

    def test_writes_what_a_dry_run_shows(self):
        said = self.enable("--dry-run", "--max-size", "1M").stdout
        self.assertEqual({}, tree(self.home))
        self.assertEqual(said, self.enable("--print", "--max-size", "1M").stdout)
        self.assertFalse(self.config.exists())
        self.enable("--max-size", "1M")
        for name, content in tree(self.home).items():
            text = "".join(f"    {line}\n"
                           for line in content.decode().splitlines())
            self.assertIn(f"{self.home / name}:\n{text}", said)
        self.assertEqual("", self.enable("--dry-run", "--max-size=1M").stdout)

    def test_replaces_what_it_wrote_for_another_layer(self):
        other = self.folder / "libdnnl_cache_layer.so"
        other.symlink_to(LAYER)
        self.enable("--layer", other)
        self.assertIn(f"# layer: {other}\n", self.env_sh.read_text())
        self.enable()
        self.assertIn(f"# layer: {LAYER}\n", self.env_sh.read_text())

    def test_refuses_files_of_others(self):
        def folder(path):
            path.mkdir()

        def link(path):
            path.symlink_to(LAYER)

        def text(path):
            path.write_text("OPENCL_LAYERS=/mine.so\n")

        def nul(path):
            path.write_bytes(MARK.encode() + b"\0")

        for make in (folder, link, text, nul):
            self.env_sh.parent.mkdir(parents=True, exist_ok=True)
            make(self.env_sh)
            before = tree(self.home)
            done = self.enable("--deny", "x", code=1)
            self.assertIn(f"{self.env_sh}: not written by dnnl-cache-run",
                          done.stderr)
            self.assertEqual(before, tree(self.home))
            done = self.run_it("--disable")
            self.assertIn("not removed", done.stderr)
            self.assertEqual(before, tree(self.home))
            shutil.rmtree(self.home)
            self.home.mkdir()

    def test_refuses_layers_that_sessions_could_not_load(self):
        odd = self.folder / "it's/libdnnl_cache_layer.so"
        odd.parent.mkdir()
        odd.symlink_to(LAYER)
        for layer, why in ((odd, "quotation mark"),
                           ("libdnnl_cache_layer.so", "not an absolute path"),
                           (self.folder / "libdnnl_cache_layer.so",
                            "cannot open"),
                           (APP, "the file's name must be")):
            self.assertIn(why, self.enable("--layer", layer, code=1).stderr)
        self.assertEqual({}, tree(self.home))
        space = self.folder / "a b/libdnnl_cache_layer.so"
        space.parent.mkdir()
        space.symlink_to(LAYER)
        self.enable("--layer", space)
        self.assertEqual(str(space), self.session()["OPENCL_LAYERS"])

    def test_needs_a_home(self):
        for env in ({"HOME": ""}, {"HOME": "relative"}):
            done = self.enable(code=1, env={**self.environment(), **env})
            self.assertIn("is an absolute path", done.stderr)
        long = f"/{'x' * 200}" * 15
        done = self.enable(code=1, env=self.environment(HOME=long))
        self.assertIn("too long", done.stderr)
        env = self.environment(XDG_CONFIG_HOME=str(self.folder / "xdg"))
        self.enable("--deny", "x", env={**env, "HOME": ""})
        self.assertTrue((self.folder / "xdg/environment.d").exists())
        self.assertTrue((self.folder / "xdg/dnnl_cache/layer.conf").exists())
        self.assertEqual({}, tree(self.home))

    @unittest.skipIf(os.geteuid() != 0, "root alone can be another user")
    def test_refuses_a_home_of_another_user(self):
        os.chown(self.home, OTHER_USER, OTHER_USER)
        self.assertIn("without sudo", self.enable(code=1).stderr)
        self.assertEqual({}, tree(self.home))

    def without_rights(self):
        if os.geteuid() != 0:
            return {}
        self.folder.chmod(0o755)
        return {"user": OTHER_USER, "group": OTHER_USER, "extra_groups": []}

    def test_of_a_system_needs_rights(self):
        root, options = self.make_root()
        done = self.enable("--system", *options, code=1, cwd="/",
                           **self.without_rights()) if os.geteuid() == 0 \
            else self.enable("--system", code=1)
        self.assertIn("--system needs the rights of root", done.stderr)
        self.assertFalse((root / "etc/profile.d").exists())

    def test_says_that_a_home_is_read_only(self):
        rights = self.without_rights()
        self.home.chmod(0o555)
        if rights:
            os.chown(self.home, OTHER_USER, OTHER_USER)
        done = self.enable("--deny", "x", code=1, cwd="/", **rights)
        self.assertIn("Permission denied; --user writes to", done.stderr)
        self.home.chmod(0o755)
        self.assertEqual({}, tree(self.home))

    def test_leaves_nothing_on_a_full_disk(self):
        def fill():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        # None fits; the configuration alone does.
        for size in (0, 200):
            done = self.enable("--deny", "x", code=1, preexec_fn=fill)
            self.assertIn("File too large", done.stderr)
            left = set(tree(self.home))
            self.assertLessEqual(left, {".config/dnnl_cache/layer.conf"})
        self.enable()
        before = tree(self.home)
        other = self.folder / "libdnnl_cache_layer.so"
        other.symlink_to(LAYER)
        self.enable("--layer", other, code=1, preexec_fn=fill)
        self.assertEqual(before, tree(self.home))

    def test_many_at_once_lose_nothing(self):
        runs = [subprocess.Popen(
            [RUN, "--enable", "--quiet", "--deny", f"app {i}"],
            env=self.environment()) for i in range(16)]
        self.assertEqual({0}, {run.wait(300) for run in runs})
        denied = self.conf.read_text().split("DENY = ")[1].strip().split(":")
        self.assertEqual({f"app {i}" for i in range(16)}, set(denied))
        self.assertEqual(16, len(denied))
        self.assertEqual({"environment.d/60-dnnl-cache.conf",
                          "dnnl_cache/env.sh", "dnnl_cache/layer.conf"},
                         set(tree(self.config))
                         - {"systemd/user/timers.target.wants/"
                            "dnnl-cache-refresh.timer"})


    def test_that_is_killed_leaves_nothing_for_long(self):
        # Between the file and its name: what is killed there leaves this.
        self.enable("--deny", "x")
        for file in (self.env_sh, self.conf, self.env_d):
            file.with_name(f".{file.name}.new").write_text("torn")
        self.env_sh.unlink()
        self.enable("--deny", "y")
        self.assertIn("y", self.conf.read_text())
        self.assertIn(MARK, self.env_sh.read_text())
        self.run_it("--disable")
        self.assertEqual({".config/dnnl_cache/layer.conf"},
                         set(tree(self.home)))

    def test_that_is_killed_anywhere_can_be_repeated(self):
        killed = 0
        for i in range(40):
            run = subprocess.Popen([RUN, "--enable", "--quiet", "--deny",
                                    f"a{i}"], env=self.environment())
            try:
                run.wait(0.0005 * (i % 10))
            except subprocess.TimeoutExpired:
                run.kill()
            killed += run.wait(300) != 0
            for file in (self.env_sh, self.env_d):
                if file.exists():
                    self.assertTrue(file.read_text().startswith(MARK))
            if self.conf.exists():
                self.assertTrue(self.conf.read_text().endswith("\n"))
        self.assertGreater(killed, 0)
        self.enable()
        self.run_it("--disable")
        self.assertLessEqual(set(tree(self.home)),
                             {".config/dnnl_cache/layer.conf"})


class Root(Case):
    def test_is_all_that_is_changed(self):
        root, options = self.make_root()
        before = tree(root)
        self.enable("--system", *options, "--max-size", "5M")
        files = tree(root)
        layer = "/opt/lib/libdnnl_cache_layer.so"
        self.assertEqual(f"{layer}\n".encode(),
                         files["etc/OpenCL/layers/dnnl_cache.lay"])
        self.assertEqual("/usr/lib/systemd/user/dnnl-cache-refresh.timer",
                         files["etc/systemd/user/timers.target.wants/"
                               "dnnl-cache-refresh.timer"])
        self.assertIn(b"DNNL_CACHE_MAX_SIZE = 5242880B\n",
                      files["etc/dnnl_cache/layer.conf"])
        for name in ("environment.d/60-dnnl-cache.conf",
                     "profile.d/dnnl-cache.sh", "csh/login.d/dnnl-cache",
                     "fish/conf.d/dnnl-cache.fish"):
            self.assertIn(f"# layer: {layer}\n".encode(), files[f"etc/{name}"])
            mode = (root / "etc" / name).stat().st_mode
            self.assertEqual(0o644, stat.S_IMODE(mode))
        self.run_it("--status", "--system", "--root", root)
        self.run_it("--disable", "--system", "--root", root)
        (root / "etc/dnnl_cache/layer.conf").unlink()
        self.assertEqual(before, tree(root))
        self.assertEqual({}, tree(self.home))

    def test_may_hold_a_home(self):
        root, options = self.make_root()
        self.enable("--user", *options)
        self.assertIn(f"{self.env_sh}"[1:], tree(root))
        self.assertEqual({}, tree(self.home))

    def test_is_not_left_by_links(self):
        root, options = self.make_root()
        outside = self.folder / "outside"
        outside.mkdir()
        shutil.rmtree(root / "etc")
        (root / "etc").symlink_to(outside)
        done = self.enable("--system", *options, code=1)
        self.assertIn("links below --root are not followed", done.stderr)
        self.assertEqual({}, tree(outside))

    def test_must_have_the_layer(self):
        root, options = self.make_root()
        (root / "opt/lib/libdnnl_cache_layer.so").unlink()
        done = self.enable("--system", *options, code=1)
        self.assertIn("install the layer there first", done.stderr)
        done = self.enable("--system", "--root", self.folder / "no", code=1)
        self.assertIn("no such folder", done.stderr)

    def test_keeps_a_timer_that_was_enabled_before(self):
        root, options = self.make_root()
        link = root / ("etc/systemd/user/timers.target.wants/"
                       "dnnl-cache-refresh.timer")
        self.enable("--system", "--no-timer", *options)
        self.assertFalse(link.is_symlink())
        self.run_it("--disable", "--system", "--root", root)
        link.parent.mkdir(parents=True)
        link.symlink_to("/usr/lib/systemd/user/dnnl-cache-refresh.timer")
        self.enable("--system", *options)
        self.enable("--system", *options)
        self.run_it("--disable", "--system", "--root", root)
        self.assertTrue(link.is_symlink())
        link.unlink()
        self.enable("--system", *options)
        self.enable("--system", *options)
        self.run_it("--disable", "--system", "--root", root)
        self.assertFalse(link.is_symlink())


    def test_is_readable_whatever_the_umask(self):
        root, options = self.make_root()
        self.enable("--system", "--deny", "x", *options, umask=0o777)
        for folder, _, files in os.walk(root / "etc"):
            mode = stat.S_IMODE(os.stat(folder).st_mode)
            self.assertEqual(0o755, mode, folder)
            for name in files:
                mode = stat.S_IMODE(os.lstat(f"{folder}/{name}").st_mode)
                self.assertIn(mode, (0o644, 0o777), name)


class Applications(Case):
    def served(self):
        return self.counts(self.session()) is not None

    def test_are_denied_and_allowed_by_name(self):
        self.enable("--deny", "build_*")
        self.assertFalse(self.served())
        self.enable("--allow", "build_*")
        self.assertTrue(self.served())
        self.enable("--deny", APP)
        self.assertFalse(self.served())
        self.assertIn(f"DENY = {APP}\n", self.conf.read_text())
        self.enable("--allow", APP, "--allow", "other")
        self.assertTrue(self.served())
        self.assertNotIn("DENY", self.conf.read_text())
        self.assertIn(f"ALLOW = build_*:{APP}:other\n", self.conf.read_text())

    def test_of_a_command_are_the_options(self):
        said = self.run_it("--deny", "a b", "--deny", "c*", "--", "env").stdout
        self.assertIn("DNNL_CACHE_APPLICATIONS_DENY=a b:c*\n", said)

    def test_that_are_denied_are_told_of(self):
        env = self.environment(DNNL_CACHE_APPLICATIONS_DENY="build_counter_*")
        done = self.run_it("--", APP, "Fake", env=env)
        self.assertIn("warning: the layer does nothing for", done.stderr)
        self.assertIn(f"DENY of the environment names {APP}", done.stderr)
        env = self.environment(DNNL_CACHE_APPLICATIONS_ALLOW="x")
        done = self.run_it("--", APP, "Fake", env=env)
        self.assertIn("does not name", done.stderr)
        script = self.folder / "script"
        script.write_text("#!/bin/sh\n")
        script.chmod(0o755)
        self.assertEqual("", self.run_it("--", script, env=env).stderr)
        done = self.run_it("--quiet", "--", APP, "Fake", env=env)
        self.assertEqual("", done.stderr)

    def test_have_names_that_a_list_can_hold(self):
        for name in ("", "a:b", "a\nb", "a\tb", " a", "a ", "./a", "a/b"):
            self.enable("--deny", name, code=125)
        self.assertEqual({}, tree(self.home))


class Settings(Case):
    def test_are_added_to_the_file(self):
        self.enable("--dir", self.folder / "kept", "--stats=/s", "--store=tree")
        self.conf.write_text(self.conf.read_text()
                             + "# mine\n DNNL_CACHE_STORE =flat\n")
        self.enable("--store", "pack")
        self.assertEqual(
            ["# Settings of the OpenCL layer, for applications that do not "
             "set the", "# variables themselves (docs/reference/environment.md, Configuration "
             "files).", f"DNNL_CACHE_DIR = {self.folder}/kept",
             "DNNL_CACHE_STATS = /s", "# mine", "DNNL_CACHE_STORE = pack"],
            self.conf.read_text().splitlines())
        self.assertEqual(0o600, stat.S_IMODE(self.conf.stat().st_mode))

    def test_that_the_layer_would_ignore_are_warned_of(self):
        self.conf.parent.mkdir(parents=True)
        self.conf.parent.chmod(0o775)
        done = self.enable("--deny", "x")
        self.assertIn("warning", done.stderr)
        self.assertIn("other users may write to it", done.stderr)
        self.conf.parent.chmod(0o755)
        self.assertEqual("", self.enable("--deny", "y").stderr)

    def test_are_not_added_to_what_the_layer_would_not_read(self):
        self.conf.parent.mkdir(parents=True)
        for text, why in (("nonsense\n", "line 1: expected NAME = VALUE"),
                          ("a\0b", "control character"),
                          ("#" * 70000, "File too large")):
            self.conf.write_text(text)
            before = tree(self.home)
            self.assertIn(why, self.enable("--deny", "x", code=1).stderr)
            self.assertEqual(before, tree(self.home))
        self.conf.unlink()
        self.conf.symlink_to("/dev/null")
        self.assertIn("edit it by hand",
                      self.enable("--deny", "x", code=1).stderr)
        self.assertTrue(self.conf.is_symlink())
        self.enable()  # which needs no change of it

    def test_are_those_of_files(self):
        done = self.enable("--record", "/r", code=1)
        self.assertIn("DNNL_CACHE_RECORD cannot be set in a file", done.stderr)
        root, options = self.make_root()
        done = self.enable("--system", "--dir", "/d", *options, code=1)
        self.assertIn("no two users may share", done.stderr)
        self.enable("--seed", "/a\nb", code=1)
        self.assertEqual({}, tree(self.home))

    def test_are_the_tools_too(self):
        self.enable("--dir", self.folder / "nowhere")
        done = self.start(BIN / "dnnl-cache", "list", code=3)
        self.assertIn(f"{self.folder}/nowhere: nothing has been stored",
                      done.stderr)

    def test_do_not_put_the_tool_under_the_layer(self):
        self.enable(f"--stats={self.folder}/stats")
        self.start(BIN / "dnnl-cache", "identity", env=self.session())
        self.assertFalse((self.folder / "stats").exists())
        self.start(APP, "Fake", env=self.session())
        self.assertTrue((self.folder / "stats").exists())

    def test_stay_when_the_layer_is_disabled(self):
        self.enable("--deny", "x")
        done = self.run_it("--disable")
        self.assertIn(f"{self.conf}: kept", done.stdout)
        self.assertEqual({".config/dnnl_cache/layer.conf"},
                         set(tree(self.home)))
        self.run_it("--disable")


class Status(Case):
    def test_tells_what_is_where(self):
        status = json.loads(
            self.run_it("--status", "--json", "--user", code=1).stdout)
        self.assertFalse(status["user"]["enabled"])
        self.assertNotIn("system", status)
        self.enable("--max-size", "1M", "--remote", "redis://u:secret@h")
        env = self.environment(DNNL_CACHE_STORE="tree")
        done = self.run_it("--status", "--json", "--user", env=env)
        self.assertNotIn("secret", done.stdout)
        status = json.loads(done.stdout)
        self.assertTrue(status["user"]["enabled"])
        files = {f["path"]: f for f in status["user"]["files"]}
        self.assertEqual("enabled", files[str(self.env_d)]["state"])
        self.assertEqual(str(LAYER), files[str(self.env_d)]["layer"])
        self.assertFalse(status["session"]["enabled"])
        self.assertEqual(str(LAYER), status["layer"])
        self.assertEqual("usable", status["store"]["state"])
        self.assertTrue(status["loader"]["variable"])
        settings = {s["name"]: (s["value"], s["from"])
                    for s in status["settings"]}
        self.assertEqual({"DNNL_CACHE_MAX_SIZE": ("1048576B", str(self.conf)),
                          "DNNL_CACHE_REMOTE": ("...", str(self.conf)),
                          "DNNL_CACHE_STORE": ("tree", "environment")},
                         settings)

    def test_tells_of_a_store_that_is_no_type(self):
        said = "DNNL_CACHE_STORE=flatt: expected bucket, flat, tree or pack; " \
               "using flat"
        env = self.environment(DNNL_CACHE_STORE="flatt")
        done = self.run_it("--status", "--user", env=env, code=1)
        self.assertIn(f"warning: {said}\n", done.stdout)
        done = self.run_it("--status", "--json", "--user", env=env, code=1)
        store = json.loads(done.stdout)["store"]
        self.assertEqual(("flat", said), (store["type_of_new"], store["warning"]))
        self.conf.parent.mkdir(parents=True)
        self.conf.write_text("DNNL_CACHE_STORE = flatt\n")
        done = self.run_it("--status", "--user", code=1)
        self.assertIn(f"warning: {said} (in {self.conf})\n", done.stdout)
        env = self.environment(DNNL_CACHE_STORE="tree")
        done = self.run_it("--status", "--json", "--user", env=env, code=1)
        store = json.loads(done.stdout)["store"]
        self.assertEqual(("tree", None), (store["type_of_new"], store["warning"]))
        self.assertNotIn("warning", self.run_it(
            "--status", "--user", env=env, code=1).stdout)

    def test_of_a_session_is_that_of_its_variable(self):
        env = self.environment(OPENCL_LAYERS=f"/a.so:{LAYER}")
        self.assertIn("names the layer",
                      self.run_it("--status", env=env).stdout)
        self.run_it("--status", "--user", env=env, code=1)
        env["OPENCL_LAYERS"] = "/a.so"
        done = self.start(RUN, "--status", env=env, code=1)
        self.assertIn("does not name the layer", done.stdout)

    def test_tells_of_files_of_others(self):
        self.env_sh.parent.mkdir(parents=True)
        self.env_sh.write_text("\x1b[2J")
        done = self.run_it("--status", "--user", code=1)
        self.assertIn(f"{self.env_sh}: not written by dnnl-cache-run",
                      done.stdout)


class Usage(Case):
    def test_is_checked(self):
        for arguments in (["--enable", "--disable"], ["--enable", "true"],
                          ["--enable", "--user", "--system"], ["--user", "x"],
                          ["--system"], ["--root", "/x", "true"],
                          ["--dry-run", "true"], ["--json", "true"],
                          ["--enable", "--json"], ["--disable", "--dir", "/x"],
                          ["--disable", "--deny", "x"], ["--status", "--print"],
                          ["--enable", "--off"], ["--enable", "--no-wait"],
                          ["--disable", "--no-timer"]):
            done = self.run_it(*arguments, code=125)
            self.assertIn("see dnnl-cache-run --help", done.stderr)
        self.assertEqual({}, tree(self.home))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
