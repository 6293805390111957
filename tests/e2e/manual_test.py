"""The man pages and the completions say what --help says: every command and every flag is in them, and every setting; man and
mandoc find nothing wrong with them; bash, and zsh and fish where these are, complete commands, flags, words, settings and files."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402

sys.path.insert(0, str(tree.ROOT / "protocol/schema"))
import configuration  # noqa: E402

MADE = tree.BUILD / "daemon/ctl/manual"
COMPLETIONS = MADE / "completions"
PROGRAMS = {"clashd": tree.BUILD / "daemon/app/clashd", "clashctl": tree.BUILD / "daemon/ctl/clashctl"}
# What a completion function of bash says where no shell completes: how it goes on, and the words.
BASH = """
compopt() { echo "$@"; }
. "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
"_$1"
printf '%s\\n' "${COMPREPLY[@]}"
"""
# zsh completes on a terminal alone: this one is zsh's own. Waits until all of the words that are to be offered have come over it.
ZSH = """
zmodload zsh/zpty
zpty shell zsh -f -i
seen=
take() { while [[ $seen != *$1* ]] { zpty -r -m shell REPLY "*$1*"; seen+=$REPLY } }
zpty -w shell "PROMPT= RPROMPT=; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -d $2; zstyle ':completion:*' list-colors no=; \
unsetopt zle_bracketed_paste; stty -echo; LISTMAX=10000; bindkey '^I' list-choices; cd $2.d; print rea''dy"
take ready
seen=
zpty -w -n shell "$3"$'\\t'
shift 3
for word; do take $word; done
zpty -d shell
"""


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, check=False, **more)


def helps(*words):
    """What --help lists: the names of flags, without dashes."""
    done = run(*words, "--help")
    assert done.returncode == 0, done
    return re.findall(r"^  --([\w-]+)", done.stdout, re.MULTILINE), done.stdout


def commands():
    return re.findall(r"^  (\w+) +\S", helps(PROGRAMS["clashctl"])[1].split("commands:")[1], re.MULTILINE)


def shown(page):
    done = run("man", "-l", MADE / page, env={**os.environ, "MANWIDTH": "1000", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""})
    assert done.returncode == 0, done
    return done.stdout


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("man") or not shutil.which("groff"):
            raise unittest.SkipTest("man-db and groff are not here")

    def test_pages_have_all_flags(self):
        page = shown("clashd.1")
        for flag in helps(PROGRAMS["clashd"])[0]:
            self.assertRegex(page, rf"(?m)^ +--{flag}\b")
        page = shown("clashctl.1")
        for command in commands():
            section = re.search(rf"(?ms)^   clashctl {command}\b.*?(?=^   clashctl |^\S)", page)
            self.assertTrue(section, command)
            for flag in helps(PROGRAMS["clashctl"], command)[0]:
                self.assertRegex(section[0], rf"(?m)^ +--{flag}\b", command)

    def test_settings(self):
        page = shown("clashd-config.5")
        rows = list(configuration.rows())
        self.assertGreater(len(rows), 40)
        for row in rows:
            self.assertRegex(page, rf"(?m)^ +{re.escape(row.key)}( |$)")
            self.assertIn(re.sub(r"\s+", " ", row.range), re.sub(r"\s+", " ", page))

    def test_nothing_wrong(self):
        for page in ("clashd.1", "clashctl.1", "clashd-config.5"):
            done = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", MADE / page, env={**os.environ, "MANROFFSEQ": ""})
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
            self.assertIn(f"clashd {tree.version()}", (MADE / page).read_text())
            if shutil.which("mandoc"):
                done = run("mandoc", "-T", "lint", "-W", "warning", MADE / page)
                self.assertEqual((done.returncode, done.stdout), (0, ""))


class Bash(unittest.TestCase):
    def complete(self, *words):
        """(options of compopt, words)"""
        done = run("bash", "-c", BASH, "bash", COMPLETIONS / f"{words[0]}.bash", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        lines = [line for line in done.stdout.splitlines() if line]
        return [line for line in lines if line.startswith("-o ")], [line for line in lines if not line.startswith("-o ")]

    def test_commands_and_flags(self):
        self.assertEqual(self.complete("clashctl", ""), ([], commands()))
        self.assertEqual(self.complete("clashctl", "det"), ([], ["detect"]))
        self.assertEqual(self.complete("clashd", "--")[1], ["--" + flag for flag in helps(PROGRAMS["clashd"])[0]])
        for command in commands():
            wanted = ["--" + flag for flag in helps(PROGRAMS["clashctl"], command)[0]]
            self.assertEqual(self.complete("clashctl", command, "--")[1], wanted, command)

    def test_words(self):
        self.assertEqual(self.complete("clashd", "--log-level", "w"), ([], ["warning"]))
        self.assertEqual(self.complete("clashd", "--log-level", "=", "w"), ([], ["warning"]))
        self.assertEqual(self.complete("clashctl", "layer", "e"), ([], ["enable"]))
        self.assertEqual(self.complete("clashctl", "watch", "--events", "clash,re"), (["-o nospace"], ["clash,release"]))
        self.assertIn("start", self.complete("clashctl", "record", "")[1])

    def test_settings(self):
        keys = self.complete("clashctl", "detect", "--set", "contact.ma")
        self.assertEqual(keys, (["-o nospace"], ["contact.margin=", "contact.max_gap_ms="]))
        self.assertEqual(self.complete("clashctl", "detect", "--set", "contact.margin", "=", ""), ([], []))
        self.assertEqual(self.complete("clashctl", "tune", "a.jsonl", "contact.margi")[1], ["contact.margin="])

    def test_files(self):
        """They are bash's own business."""
        for words in (("clashd", "--config", "x"), ("clashd", "--source", "replay", ":", "x"), ("clashctl", "detect", ""),
                      ("clashctl", "tune", ""), ("clashctl", "view", "")):
            self.assertEqual(self.complete(*words), (["-o default"], []), words)
        self.assertEqual(self.complete("clashd", "--speed", ""), ([], []))


class Others(unittest.TestCase):
    def test_zsh(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not here")
        with tempfile.TemporaryDirectory(prefix="clashd-zsh-") as place:
            (Path(place) / "dump.d").mkdir()
            (Path(place) / "dump.d/play.jsonl").touch()
            for line, wanted in (("clashctl ", ["watch", "detect"]), ("clashctl detect --", ["--config", "--set"]),
                                 ("clashctl detect --set contact.ma", ["contact.margin", "contact.max_gap_ms"]),
                                 ("clashctl layer ", ["enable", "disable"]), ("clashctl info ", ["play.jsonl"]),
                                 ("clashd --source ", ["openxr", "replay:"]), ("clashd --source replay:", ["play.jsonl"]),
                                 ("clashd --log-level ", ["warning"])):
                for word in wanted:
                    self.assertNotIn(word, line, "it would be seen when it is typed")
                done = run("zsh", "-f", "-c", ZSH, "zsh", COMPLETIONS, Path(place) / "dump", line, *wanted,
                           env={**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8"})
                self.assertEqual((done.returncode, done.stderr), (0, ""), line)

    def test_fish(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not here")
        with tempfile.TemporaryDirectory(prefix="clashd-fish-") as home:
            (Path(home) / "play.jsonl").touch()
            for line, wanted in (("clashctl ", "detect"), ("clashctl detect --", "--set"), ("clashctl detect --set contact.ma",
                                 "contact.margin="), ("clashctl layer ", "enable"), ("clashctl info ", "play.jsonl"),
                                 ("clashctl watch --events clash,re", "clash,release"), ("clashd --source ", "openxr"),
                                 ("clashd --log-level ", "warning"), ("clashd --", "--websocket")):
                done = run("fish", "--no-config", "-c", 'source $argv[1]; complete -C "$argv[2]"', COMPLETIONS / f"{line.split()[0]}.fish",
                           line, cwd=home, env={**os.environ, "HOME": home, "LC_ALL": "C.UTF-8"})
                self.assertEqual(done.stderr, "", line)
                self.assertIn(wanted, [row.split("\t")[0] for row in done.stdout.splitlines()], line)


if __name__ == "__main__":
    if not (MADE / "tables.json").exists():
        tree.skip("no manual is made in this build: it takes python3, and no sanitizer")
    assert json.loads((MADE / "tables.json").read_text())["pages"]
    unittest.main()
