#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What dnnl-cache-run shows on a terminal while its command compiles, and what
is left of it. Commands run on pseudo-terminals; a screen below shows what people
would see. The fake driver takes as long for a program as a test says.

    test_run_line.py BIN LAYER CLIENT VENDORS
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time
import unittest

BIN, LAYER, CLIENT, VENDORS = (pathlib.Path(a).resolve() for a in sys.argv[1:5])
RUN = BIN / "dnnl-cache-run"
# Longer than any machine needs; a test that hangs fails.
PATIENCE = 120


class Screen:
    """What a terminal shows after what was written to it."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.lines = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.saved = (0, 0)
        self.gone = []  # lines that went out at the top

    def down(self):
        if self.row < self.rows - 1:
            self.row += 1
            return
        self.gone.append(self.lines.pop(0))
        self.lines.append([" "] * self.columns)

    def put(self, character):
        if self.column == self.columns:
            self.column = 0
            self.down()
        self.lines[self.row][self.column] = character
        self.column += 1

    def erase(self, row, begin, end):
        for column in range(begin, end):
            self.lines[row][column] = " "

    def control(self, sequence):
        """A sequence that dnnl-cache-run uses; no other one."""
        if sequence == "D":
            self.down()
        elif sequence == "M":
            assert self.row > 0, "up from the first line"
            self.row -= 1
        elif sequence == "7":
            self.saved = (self.row, self.column)
        elif sequence == "8":
            self.row, self.column = self.saved
        elif sequence == "[B":
            self.row = min(self.row + 1, self.rows - 1)
        elif sequence == "[K":
            self.erase(self.row, self.column, self.columns)
        elif sequence == "[2K":
            self.erase(self.row, 0, self.columns)
        elif sequence == "[J":
            self.erase(self.row, self.column, self.columns)
            for row in range(self.row + 1, self.rows):
                self.erase(row, 0, self.columns)
        else:
            raise AssertionError(f"unknown sequence {sequence!r}")

    def write(self, text):
        for part in re.findall("\x1b(?:\\[[0-9]*[A-Z]|.)|.", text, re.DOTALL):
            if part[0] == "\x1b":
                self.control(part[1:])
            elif part == "\r":
                self.column = 0
            elif part == "\n":
                self.down()
            else:
                self.put(part)

    def text(self):
        """All lines, without what is blank at ends and at the end."""
        lines = ["".join(line).rstrip() for line in self.gone + self.lines]
        while lines and not lines[-1]:
            lines.pop()
        return lines


class Terminal:
    """A command on a terminal of its own, as the holder of a session."""

    def __init__(self, command, env, cwd, size=(24, 80), setup=None):
        self.raw = b""
        self.size = size
        self.status = None
        begin, told = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.read(begin, 1)  # until the terminal has its size
            os.chdir(cwd)
            if setup:
                setup()
            os.execve(command[0], command, env)
        self.resize(*size)
        os.write(told, b".")
        os.close(begin)
        os.close(told)

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        """More of what was written, if any comes; False: the terminal is shut."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            return False
        self.raw += got
        return bool(got)

    def until(self, text, times=1):
        """Reads until the text has been written so often."""
        end = time.monotonic() + PATIENCE
        while self.raw.count(text) < times:
            if time.monotonic() > end or not self.read(0.1):
                raise AssertionError(f"no {text!r} in {self.raw!r}")

    def end(self):
        """The exit status, once the command has ended."""
        end = time.monotonic() + PATIENCE
        while self.read(0.1):
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"does not end: {self.raw!r}")
        self.status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return os.waitstatus_to_exitcode(self.status)

    def kill(self):
        """Of a test that failed: nothing of it stays."""
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.status = os.waitpid(self.pid, 0)[1]
            os.close(self.fd)

    def screen(self):
        screen = Screen(*self.size)
        screen.write(self.raw.decode())
        return screen.text()


class RunLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        # Who starts the tests may have them ignore signals.
        for number in (signal.SIGINT, signal.SIGTSTP, signal.SIGTTOU):
            signal.signal(number, signal.SIG_DFL)

    def env(self, build_ms=2000, **more):
        kept = {name: os.environ[name] for name in ("ASAN_OPTIONS",)
                if name in os.environ}
        return {"PATH": "/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C",
                "HOME": self.folder.name, "OCL_ICD_VENDORS": str(VENDORS),
                "DNNL_CACHE_CONFIG": "0",
                "FAKE_OPENCL_BUILD_MS": str(build_ms), **kept, **more}

    def start(self, script, *options, env=None, **more):
        terminal = Terminal([str(RUN), "--layer", str(LAYER), "--dir", "store",
                             *options, "sh", "-c", script, str(CLIENT)],
                            env or self.env(), self.folder.name, **more)
        self.addCleanup(terminal.kill)
        return terminal

    def expect_lines(self, terminal, expected, summed_up=True):
        """What the application printed is on the screen as without us, and
        after it the summary."""
        lines = terminal.screen()
        if summed_up:
            # It may be longer than a line.
            self.assertTrue(lines[len(expected)].startswith(
                "dnnl-cache-run: compiled "), lines)
            lines = lines[:len(expected)]
        self.assertEqual(lines, expected, terminal.raw)

    def test_shows_what_is_compiled_and_leaves_nothing_of_it(self):
        terminal = self.start('echo begin; printf "part "; "$0" Fake; echo done')
        terminal.until(b"compiling 1, ")
        self.assertEqual(terminal.screen()[1], "part")
        self.assertRegex(terminal.screen()[2], r"^compiling 1, [0-9]+ s$")
        terminal.until(b"compiling 2, ")
        self.assertEqual(terminal.end(), 0)
        self.expect_lines(terminal, ["begin", "part done"])
        self.assertRegex(terminal.screen()[2], r"compiled [0-9]+ programs? in "
                         r"[0-9]+\.[0-9] s")

    def test_is_written_a_few_times_a_second_at_most(self):
        begun = time.monotonic()
        terminal = self.start('"$0" Fake')
        self.assertEqual(terminal.end(), 0)
        self.assertLessEqual(terminal.raw.count(b"compiling"),
                             4 * (time.monotonic() - begun) + 1)

    def test_shows_nothing_of_what_takes_a_moment(self):
        terminal = self.start('"$0" Fake; echo done', env=self.env(50))
        self.assertEqual(terminal.end(), 0)
        self.assertNotIn(b"compiling", terminal.raw)
        self.assertNotIn(b"\x1bD", terminal.raw)
        self.expect_lines(terminal, ["done"])
        terminal = self.start("echo done", env=self.env(50))
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(terminal.raw, b"done\r\n")

    def expect_only(self, terminal, raw):
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(terminal.raw, raw)

    def test_shows_nothing_where_nobody_looks(self):
        for number, env in enumerate((
                self.env(TERM="dumb"), self.env(TERM=""), self.env(CI="true"))):
            with self.subTest(number):
                self.expect_only(self.start(
                    '"$0" Fake; echo done', env=env), b"done\r\n")
        self.expect_only(self.start('"$0" Fake; echo done', "--quiet"),
                         b"done\r\n")

        def redirect():
            os.dup2(os.open("err", os.O_WRONLY | os.O_CREAT, 0o600), 2)

        self.expect_only(self.start('"$0" Fake; echo done', setup=redirect),
                         b"done\r\n")
        self.assertEqual((pathlib.Path(self.folder.name) / "err")
                         .read_bytes(), b"")

    def test_gives_way_to_what_others_write(self):
        # Of one pipe the second read could meet the first writer yet.
        script = ('("$0" Fake; echo done) & read line <first; echo first; '
                  'read line <second; echo second; wait')
        for word in ("first", "second"):
            os.mkfifo(os.path.join(self.folder.name, word))
        terminal = self.start(script, env=self.env(4000))
        for word in (b"first", b"second"):
            terminal.until(b"compiling", terminal.raw.count(b"compiling") + 1)
            with open(os.path.join(self.folder.name, word.decode()), "w",
                      encoding="ascii") as fifo:
                fifo.write("\n")
            terminal.until(word)
            terminal.until(b"\x1b[J", terminal.raw.count(b"\x1b[J") + 1)
            self.assertEqual(terminal.screen()[-1], word.decode())
        self.assertEqual(terminal.end(), 0)
        self.expect_lines(terminal, ["first", "second", "done"])

    def test_shows_nothing_to_who_writes_all_the_time(self):
        terminal = self.start('"$0" Fake & while kill -0 $! 2>/dev/null; do '
                              'printf "%s\\r" bar; sleep 0.1; done; echo end')
        self.assertEqual(terminal.end(), 0)
        self.assertNotIn(b"compiling", terminal.raw)
        self.expect_lines(terminal, ["end"])

    def test_leaves_an_application_alone_that_fills_the_screen(self):
        terminal = self.start('stty -icanon -echo; "$0" Fake; echo x; '
                              'stty icanon echo')
        self.assertEqual(terminal.end(), 0)
        self.assertNotIn(b"compiling", terminal.raw)
        self.expect_lines(terminal, ["x"])

    def test_keeps_the_lines_at_the_end_of_the_screen(self):
        terminal = self.start('for i in 1 2 3 4 5 6; do echo $i; done; '
                              'printf end; "$0" Fake; echo .', size=(4, 40))
        terminal.until(b"compiling 2, ")
        self.assertEqual(terminal.end(), 0)
        self.expect_lines(terminal, ["1", "2", "3", "4", "5", "6", "end."])

    def test_fits_into_a_terminal_that_changes(self):
        terminal = self.start('"$0" Fake', env=self.env(4000))
        terminal.until(b"compiling 1, ")
        terminal.resize(24, 20)
        terminal.until(b"compiling", terminal.raw.count(b"compiling") + 1)
        terminal.resize(24, 12)  # too narrow
        self.assertEqual(terminal.end(), 0)
        parts = re.findall(rb"\r(compiling[^\x1b]*)", terminal.raw)
        self.assertLess(len(parts[1]), 20)

    def test_is_gone_after_ctrl_c(self):
        terminal = self.start('printf "part "; exec "$0" Fake')
        terminal.until(b"compiling 1, ")
        os.write(terminal.fd, b"\x03")
        self.assertEqual(terminal.end(), -signal.SIGINT)
        self.assertEqual(terminal.screen(), ["part ^C"])

    def test_is_gone_after_who_compiled_is_killed(self):
        terminal = self.start('echo $$ >pid; exec "$0" Fake')
        terminal.until(b"compiling 1, ")
        pid = (pathlib.Path(self.folder.name) / "pid").read_text("ascii")
        os.kill(int(pid), signal.SIGKILL)
        self.assertEqual(terminal.end(), -signal.SIGKILL)
        self.assertEqual(terminal.screen(), [])

    def test_forgets_a_process_that_was_killed(self):
        # Of one pipe the second read could meet the first writer yet.
        script = ('"$0" Fake & echo $! >pid; read line <go; kill -9 $!; '
                  'wait $! 2>/dev/null; read line <end; echo done')
        go, end = (os.path.join(self.folder.name, name)
                   for name in ("go", "end"))
        os.mkfifo(go)
        os.mkfifo(end)
        terminal = self.start(script, env=self.env(600000))
        terminal.until(b"compiling 1, ")
        with open(go, "w", encoding="ascii") as fifo:
            fifo.write("\n")
        terminal.until(b"\x1b[2K")
        with open(end, "w", encoding="ascii") as fifo:
            fifo.write("\n")
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(terminal.screen()[-1], "done")

    def test_is_shown_by_one_of_two(self):
        inner = f"{RUN} --layer {LAYER} --dir store {CLIENT} Fake; echo done"
        terminal = self.start(inner)
        terminal.until(b"compiling 2, ")
        self.assertEqual(terminal.end(), 0)
        self.expect_lines(terminal, ["done"])
        self.assertEqual(terminal.raw.count(b"dnnl-cache-run: compiled"), 1)

    def test_is_off_the_terminal_while_it_is_stopped(self):
        """As under a shell: stopped by Ctrl-Z, continued in the background on
        a terminal that stops who writes from there."""
        report, told = os.pipe()

        def shell():
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            child = os.fork()
            if child == 0:
                os.setpgid(0, 0)
                os.tcsetpgrp(0, os.getpid())
                signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                return
            os.close(report)
            os.waitpid(child, os.WUNTRACED)
            os.tcsetpgrp(0, os.getpid())
            modes = termios.tcgetattr(0)
            modes[3] |= termios.TOSTOP
            termios.tcsetattr(0, termios.TCSANOW, modes)
            os.write(told, b"stopped\n")
            os.write(1, b"prompt\r\n")
            os.kill(-child, signal.SIGCONT)
            _, status = os.waitpid(child, os.WUNTRACED)
            os.write(told, b"%d\n" % status)
            os._exit(0)

        terminal = self.start('exec "$0" Fake', env=self.env(3000), setup=shell)
        os.close(told)
        terminal.until(b"compiling 1, ")
        before = terminal.raw.count(b"compiling")
        os.write(terminal.fd, b"\x1a")
        terminal.until(b"prompt")
        self.assertEqual(terminal.screen()[:2], ["^Zprompt"])
        self.assertEqual(terminal.end(), 0)
        with open(report, encoding="ascii") as text:
            self.assertEqual(text.read(), "stopped\n0\n")
        self.assertEqual(terminal.raw.count(b"compiling"), before)
        self.assertEqual(terminal.screen(), ["^Zprompt"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
