# SPDX-License-Identifier: Apache-2.0
"""What the command lines of first_start.py, warm_start.py, ahead_start.py and
starts.py have in common."""

import argparse
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]


class Parser(argparse.ArgumentParser):
    """Knows the options that all of them have. program: what the file of main()
    is called; text: its help."""

    def __init__(self, program, text, apps, rounds):
        super().__init__(usage=f"{program}.py [OPTION ...]", add_help=False)
        self.program, self.text = program, text
        self.add_argument("--help", "-h", action="store_true")
        self.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
        self.add_argument("--apps", default=apps)
        self.add_argument("--rounds", type=int, default=rounds)
        self.add_argument("--out", type=pathlib.Path)
        self.add_argument("--json", type=pathlib.Path)
        self.add_argument("--no-install", action="store_true")

    def read(self, arguments=None):
        """The options; None, and the help was printed, if that is asked for."""
        options = self.parse_args(arguments)
        if options.help:
            print(self.text.strip())
            return None
        return options

    def settle(self, options, known, folder):
        """Makes names a list, and paths absolute; known: names that there are,
        which "all" stands for; folder: in the build, in place of --out."""
        options.apps = known if options.apps == "all" \
            else options.apps.split(",")
        for name in options.apps:
            if name not in known:
                self.error(f'no application "{name}": {" ".join(known)}')
        if options.rounds < 1:
            self.error("--rounds must be at least 1")
        options.build = options.build.resolve()
        options.out = (options.out or options.build / folder).resolve()
        if options.out.exists() and not options.out.is_dir():
            self.error(f"{options.out} is not a folder")
        if options.out.exists() and any(options.out.iterdir()) \
                and not (options.out / "vendors").is_dir():
            self.error(f"{options.out} holds something else")
