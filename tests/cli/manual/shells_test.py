"""`shells_test.py [--show] PROGRAM`: bash, zsh and fish complete lines of PROGRAM as its tables say. Types
into the shells themselves, on a terminal of their own; --show prints what they answer.

Exits with 77 where none of the shells is there; a test of one that is missing is skipped.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
SHOWS = False
SECONDS = 60  # for a shell to answer
CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x07")
SHELLS = [shell for shell in ("bash", "zsh", "fish") if shutil.which(shell)]


def wanted(shell):
    return unittest.skipUnless(shell in SHELLS, f"{shell} is not installed")


class Shell:
    """A shell on a terminal, in a folder where `placer` completes as PROGRAM does and otherwise prints its
    words."""

    def __init__(self, folder, *line):
        self.text = ""
        (folder / "graph.json").write_text("{}")
        (folder / "bin").mkdir()
        program = folder / "bin" / "placer"
        program.write_text('#!/bin/sh\ncase $1 in\n--complete|completion) exec "%s" "$@" ;;\nesac\n'
                           'printf "<%%s>" "$@"; echo END\n' % PROGRAM)
        program.chmod(0o755)
        environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "TERM": "xterm",
                       "HOME": str(folder), "COLUMNS": "100", "LINES": "50", "PS1": "$ "}
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(line[0], line, environment)

    def type(self, text, until):
        """What the shell shows from here until `until`."""
        os.write(self.terminal, text.encode())
        end = time.monotonic() + SECONDS
        shown = ""
        while until not in shown:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"expected {until}, found {shown!r}")
            shown += os.read(self.terminal, 65536).decode(errors="replace")
        shown = CONTROL.sub("", shown).replace("\r", "")
        if SHOWS:
            print(shown)
        return shown

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


class Lines:
    """What every shell that is typed into makes of the same lines."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.shell = self.start(pathlib.Path(folder.name))
        self.addCleanup(self.shell.close)

    def completed(self, line):
        """The words that run after `line`, with \t for the tab key."""
        shown = self.shell.type(line + "\n", ">END")
        return re.findall("<([^<>]*)>", shown[:shown.index("END")])

    def listed(self, line, last):
        """The words on the screen after `line` and two tabs, up to the word `last`."""
        shown = self.shell.type(line + "\t\t", last)
        self.shell.type("\x15echo sh''own\n", "shown")
        return set(shown.split())

    def test_a_command_is_completed(self):
        self.assertEqual(self.completed("placer opt\tx"), ["optimize", "x"])

    def test_algorithms_are_listed_and_completed(self):
        self.assertLessEqual({"peft", "placeto", "policy-gradient", "post", "ppo"},
                             self.listed("placer optimize g.json --algo p", "ppo"))
        self.assertEqual(self.completed("placer optimize g.json --algo pla\t"),
                         ["optimize", "g.json", "--algo", "placeto"])

    def test_a_value_behind_a_sign_and_one_of_a_list_are_completed(self):
        self.assertEqual(self.completed("placer optimize --algo=pla\t"), ["optimize", "--algo=placeto"])
        self.assertEqual(self.completed("placer compare --algo post,pla\t"),
                         ["compare", "--algo", "post,placeto"])

    def test_flags_of_the_chosen_algorithm_are_completed(self):
        self.assertEqual(self.completed("placer optimize --algo post --elite-s\t0.1"),
                         ["optimize", "--algo", "post", "--elite-share", "0.1"])

    def test_files_are_completed(self):
        self.assertEqual(self.completed("placer inspect gra\t"), ["inspect", "graph.json"])
        self.assertEqual(self.completed("placer optimize --output=gra\t"),
                         ["optimize", "--output=graph.json"])


@wanted("bash")
class Bash(Lines, unittest.TestCase):
    def start(self, folder):
        shell = Shell(folder, "bash", "--norc", "-i")
        shell.type("source <(placer completion bash); bind 'set enable-bracketed-paste off'; echo re''ady\n",
                   "ready")
        return shell


@wanted("zsh")
class Zsh(Lines, unittest.TestCase):
    def start(self, folder):
        shell = Shell(folder, "zsh", "-f", "-i")
        shell.type("unset zle_bracketed_paste; autoload -U compinit; compinit -D; "
                   "source <(placer completion zsh); echo re''ady\n", "ready")
        return shell


@wanted("fish")
class Fish(unittest.TestCase):
    def offered(self, line):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "placer").symlink_to(PROGRAM)
            pathlib.Path(folder, "graph.json").write_text("{}")
            done = subprocess.run(
                ["fish", "--no-config", "-c", f"placer completion fish | source; complete -C '{line}'"],
                env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": folder}, cwd=folder,
                capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        if SHOWS:
            print(f"$ {line}<TAB>\n{done.stdout}")
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    def test_commands_algorithms_flags_and_files_are_offered(self):
        self.assertEqual(self.offered("placer opt"), ["optimize"])
        found = self.offered("placer optimize g.json --algo p")
        self.assertLessEqual({"peft", "placeto", "policy-gradient", "post", "ppo"}, set(found))
        self.assertEqual(self.offered("placer optimize --algo=pla"), ["--algo=placeto"])
        self.assertEqual(self.offered("placer compare --algo post,pla"), ["post,placeto"])
        self.assertEqual(self.offered("placer optimize --algo post --elite-s"), ["--elite-share"])
        self.assertEqual(self.offered("placer inspect gra"), ["graph.json"])


if __name__ == "__main__":
    SHOWS = "--show" in sys.argv and not sys.argv.remove("--show")
    if len(sys.argv) < 2:
        sys.exit("usage: shells_test.py [--show] PROGRAM [UNITTEST OPTIONS]")
    PROGRAM = os.path.realpath(sys.argv.pop(1))
    if not SHELLS:
        print("skipped: expected bash, zsh or fish, found none")
        sys.exit(77)
    unittest.main()
