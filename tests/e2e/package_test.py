"""The Debian packages of this build: each has what belongs in it and nothing is in two, they need each other as they should, lintian
finds no error, and clashd is enabled for nobody. The release archive is the source as it was committed, and its checksums are right.

With CLASHD_PACKAGES=1, as root: built as the README has it, installed, used, upgraded from those of the commit before, removed and
purged in bare Debian 12 and 13 (support/package_root.py), which takes minutes; CLASHD_PACKAGES=trixie: in that alone."""
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import documents  # noqa: E402
import transports  # noqa: E402
import tree  # noqa: E402

VERSION = tree.version()
# Until 1.0 the minor version is part of the ABI, and so of the name of libraries and their packages.
MAJOR, MINOR = VERSION.split(".")[:2]
ABI = f"0.{MINOR}" if MAJOR == "0" else MAJOR
LIBCLASH, CLIENT = f"libclash{ABI}", f"libclash-client{ABI}"
# What each has at least, as patterns of whole names below /usr, and nothing but these.
LIBRARY = r"lib(?:/[\w-]+)?"
FILES = {
    "clashd": ["bin/clashd", "bin/clashctl", "libexec/clashd-mesh", "libexec/clashd-openxr", "libexec/clashd-mqtt", r"libexec/clashd-osc\.so", rf"{LIBRARY}/clashd/libclash_(layer|runtime)\.so",
               r"lib/systemd/user/clashd\.(service|socket)", r"share/clashd/(XR_APILAYER_CLASHD_poses|clash_runtime|config\.\w+|grafana)\.json",
               r"share/clashd/hardened\.conf", r"share/clashd/demo/(swings\.jsonl\.zst|README\.md|LICENSE\.xror)", r"share/man/man1/clash(d|ctl)\.1\.gz", r"share/man/man5/clashd-config\.5\.gz",
               "share/bash-completion/completions/clash(d|ctl)", "share/zsh/vendor-completions/_clash(d|ctl)",
               r"share/fish/vendor_completions\.d/clash(d|ctl)\.fish", r"share/doc/clashd/.*\.(md|png|webp)"],
    LIBCLASH: [rf"{LIBRARY}/libclash\.so\.{re.escape(ABI)}.*"],
    "libclash-dev": [r"include/clash/(?!client)\w+\.h", rf"{LIBRARY}/libclash\.(a|so)", rf"{LIBRARY}/pkgconfig/clash\.pc",
                     rf"{LIBRARY}/cmake/clash/clash(Config.*|-library.*)\.cmake"],
    CLIENT: [rf"{LIBRARY}/libclash_client\.so\.{re.escape(ABI)}.*"],
    "libclash-client-dev": [r"include/clash/client\.h", rf"{LIBRARY}/libclash_client\.(a|so)", rf"{LIBRARY}/pkgconfig/clash-client\.pc",
                            rf"{LIBRARY}/cmake/clash/clash-client.*\.cmake"],
    "clashd-clients": [r"share/clashd/clients/(unity/package\.json|godot/addons/clashd/plugin\.cfg|js/package\.json|c/examples/sparks\.c)",
                       r"share/clashd/clients/.*", r"share/clashd/(schema|examples)/.*", r"share/clashd/mqtt\.asyncapi\.json"],
}
NEEDS = {"libclash-dev": {f"{LIBCLASH} (= {VERSION})"},
         "libclash-client-dev": {f"{CLIENT} (= {VERSION})", f"libclash-dev (= {VERSION})", "libcjson-dev", "libmd-dev", "libwslay-dev"}}
# clashd itself is told by systemd and no script who enables it.
ENABLES = re.compile(r"\b(?:enable|unmask|preset)\b")
ERROR = re.compile(r"^E: .*", re.MULTILINE)


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="clashd-packages-")
        cls.addClassCleanup(directory.cleanup)
        cls.place = Path(directory.name)
        # What `packages` of the build does, and in a place of its own.
        run("cpack", "--config", tree.BUILD / "CPackConfig.cmake", "-B", cls.place, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", cwd=cls.place, env={**os.environ, "LC_ALL": "C"})
        cls.packages = {path.name.split("_")[0]: path for path in cls.place.glob("*.deb")}

    def test_all_are_there(self):
        self.assertEqual(set(self.packages), set(FILES))
        for name, path in self.packages.items():
            architecture = "all" if name == "clashd-clients" else run("dpkg", "--print-architecture").strip()
            self.assertEqual(path.name, f"{name}_{VERSION}_{architecture}.deb")

    def contents(self, name):
        """name below / -> (mode, owner), without directories."""
        rows = [line.split(None, 5) for line in run("dpkg-deb", "-c", self.packages[name]).splitlines()]
        return {row[5].split(" -> ")[0][2:]: (row[0], row[1]) for row in rows if row[0][0] != "d"}

    def test_files(self):
        seen = {}
        for name, patterns in FILES.items():
            files = self.contents(name)
            common = [f"share/doc/{name}/(copyright|changelog.gz)"]
            for pattern in patterns + common:
                self.assertTrue([file for file in files if re.fullmatch("usr/" + pattern, file)], f"{name}: {pattern}")
            for file, (mode, owner) in files.items():
                self.assertTrue(any(re.fullmatch("usr/" + pattern, file) for pattern in patterns + common), f"{name}: {file}")
                self.assertEqual(seen.setdefault(file, name), name, file)
                runs = file.startswith(("usr/bin/", "usr/libexec/")) and not file.endswith(".so")
                self.assertIn(mode, ("-rwxr-xr-x" if runs else "-rw-r--r--", "lrwxrwxrwx"), file)
                self.assertEqual(owner, "root/root", file)

    def test_documents(self):
        """What the README links of clashd itself, and shows, is beside it."""
        there = self.contents("clashd")
        for name in re.findall(r"\]\((daemon/[^)#]+\.(?:md|png|webp))", tree.text("README.md")):
            self.assertIn(f"usr/share/doc/clashd/{name}", there)

    def test_licence_of_the_recording(self):
        copyright = (self.unpacked("clashd") / "usr/share/doc/clashd/copyright").read_text()
        self.assertIn("Files: usr/share/clashd/demo/*\nCopyright: 2023 MetaGuard\nLicense: BSD-3-Clause\n", copyright)
        self.assertIn("Redistribution and use in source and binary forms", copyright)
        self.assertNotIn("BSD", (self.unpacked(LIBCLASH) / "usr/share/doc" / LIBCLASH / "copyright").read_text())

    def test_nothing_is_left_out(self):
        """What `cmake --install` installs is in the packages: an install() without its COMPONENT would be in none."""
        run("cmake", "--install", tree.BUILD, "--prefix", "/usr", env={**os.environ, "DESTDIR": str(self.place / "stage")})
        usr = self.place / "stage/usr"
        installed = {str(path.relative_to(usr)) for path in usr.rglob("*") if not path.is_dir() or path.is_symlink()}
        packed = {file.removeprefix("usr/").removesuffix(".gz").replace("vendor-completions", "site-functions")
                  for name in FILES for file in self.contents(name)}
        self.assertEqual(installed, {file for file in packed if not re.fullmatch("share/doc/[^/]+/(copyright|changelog)", file)})

    def test_needs(self):
        for name, path in self.packages.items():
            needs = set(filter(None, run("dpkg-deb", "-f", path, "Depends").strip().split(", ")))
            self.assertLessEqual(NEEDS.get(name, set()), needs, name)
            if name in ("clashd", LIBCLASH, CLIENT):
                self.assertTrue([need for need in needs if need.startswith("libc6 (>= ")], f"{name}: {needs}")
            if name == LIBCLASH:
                self.assertEqual(len(needs), 1, needs)
        # The last two are the module's of OSC and the helper's of MQTT, which are used only where the settings ask for them.
        for name in ("libuv1", "liblo7", "libmosquitto1"):
            self.assertIn(name, run("dpkg-deb", "-f", self.packages["clashd"], "Depends"))

    def unpacked(self, name):
        target = self.place / "unpacked" / name
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            run("dpkg-deb", "-R", self.packages[name], target)
        return target

    def test_enabled_for_nobody(self):
        clashd = self.unpacked("clashd")
        for script in ("postinst", "prerm", "postrm"):
            text = re.sub(r"(?m)^#.*", "", (clashd / "DEBIAN" / script).read_text())
            self.assertIsNone(ENABLES.search(text), script)
            run("sh", "-n", clashd / "DEBIAN" / script)
        self.assertEqual([path for path in clashd.rglob("*.wants")] + [path for path in clashd.rglob("*.preset")], [])
        self.assertFalse((clashd / "etc").exists())
        unit = (clashd / "usr/lib/systemd/user/clashd.service").read_text()
        self.assertIn("\nExecStart=/usr/bin/clashd\n", unit)

    def test_libraries(self):
        for name, library in ((LIBCLASH, "libclash"), (CLIENT, "libclash_client")):
            there = self.unpacked(name)
            self.assertEqual((there / "DEBIAN/triggers").read_text(), "activate-noawait ldconfig\n")
            self.assertEqual((there / "DEBIAN/shlibs").read_text().strip(), f"{library} {ABI} {name} (>= {VERSION})")
            old = name.removesuffix(ABI) + "0"  # its name before the minor version was part of it
            for field in ("Breaks", "Replaces"):
                self.assertEqual(run("dpkg-deb", "-f", self.packages[name], field).strip(), old)

    def test_runs(self):
        """As it was packed, the programs start and find what is beside them."""
        usr = self.unpacked("clashd") / "usr"
        for program in ("clashd", "clashctl"):
            self.assertEqual(run(usr / "bin" / program, "--version"), f"{program} {VERSION}\n")
        done = run(usr / "bin/clashctl", "layer", "enable", env={**os.environ, "XDG_DATA_HOME": str(self.place / "data")})
        self.assertIn(str(usr.resolve()), done)

    def test_serves_its_page(self):
        """As it was packed: the page with its policy, what it loads, and the engine for logs. Without the page it says so, and so does the build of packages."""
        made = tree.BUILD / "daemon/viewer/made/page"
        usr, home = self.unpacked("clashd") / "usr", self.place / "home"
        home.mkdir()
        with transports.Daemon("--source", "none", "--websocket", "127.0.0.1:0", home=home, program=usr / "bin/clashd") as daemon:
            origin = "http://{}:{}".format(*daemon.websocket)
            for name in ("", "page.js", "page.css", "overlay", "engine.wasm") if made.exists() else ():
                file = made / {"": "index.html", "overlay": "overlay.html"}.get(name, name)
                if name == "engine.wasm" and not file.exists():  # clang cannot make WebAssembly here
                    with self.assertRaises(urllib.error.HTTPError) as caught:
                        urllib.request.urlopen(f"{origin}/{name}")
                    self.assertEqual(caught.exception.code, 404)
                    continue
                with urllib.request.urlopen(f"{origin}/{name}") as answer:
                    self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
                    self.assertEqual(answer.read(), file.read_bytes(), name)
            if not made.exists():
                with self.assertRaises(urllib.error.HTTPError) as caught:
                    urllib.request.urlopen(origin)
                self.assertIn("built without its page", caught.exception.read().decode())

    def test_who_packs_is_told_of_a_missing_page(self):
        for files, words in (((), "has no page"), (("index.html",), "cannot read logs"), (("index.html", "engine.wasm"), None)):
            with self.subTest(files), tempfile.TemporaryDirectory() as folder:
                for name in files:
                    (Path(folder) / name).touch()
                done = subprocess.run(["cmake", f"-DPAGE={folder}", "-P", tree.ROOT / "daemon/package/page.cmake"], capture_output=True,
                                      text=True, check=True)
                self.assertEqual(words is None, done.stderr == "", done.stderr)
                self.assertIn(words or "", " ".join(done.stderr.split()))

    def test_lintian(self):
        if not shutil.which("lintian"):
            self.skipTest("lintian is not here")
        done = subprocess.run(["lintian", "--allow-root", "--tag-display-limit", "0", "--fail-on", "none", *map(str, self.packages.values())],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, ERROR.findall(done.stdout)), (0, []), done.stdout + done.stderr)


class Readme(unittest.TestCase):
    def test_lines(self):
        """The README's own lines are those that are run: in roots with CLASHD_PACKAGES=1, and the packages are those of packages.sh."""
        journey = documents.Journey("e2e/package")
        lines = journey.lines("README.md", "--preset deb")
        page = journey.lines("README.md", "nodejs")
        journey.end()
        self.assertEqual(lines[1:], ["cmake --preset deb && cmake --build --preset deb", "sudo apt install --reinstall ./build/deb/packages/*.deb"])
        build, viewer = (run("sh", "-c", f". tests/support/packages.sh; echo {names}", cwd=tree.ROOT).split()
                         for names in ("$packages_build", "$packages_viewer $packages_wasm"))
        self.assertEqual(lines[0].split(), ["sudo", "apt", "install", *build, "python3", "dpkg-dev", "file"])
        self.assertEqual([line.split() for line in page], [["sudo", "apt", "install", *viewer]])


class Release(unittest.TestCase):
    def test_archive(self):
        if tree.known_to_git() is None:
            self.skipTest("this is no checkout")
        with tempfile.TemporaryDirectory(prefix="clashd-release-") as directory:
            place = Path(directory)
            (place / "x_1_all.deb").write_text("a package")
            script = tree.ROOT / "daemon/package/release.sh"
            said = run("sh", script, place, VERSION, cwd=tree.ROOT, env={**os.environ, "GIT_CONFIG_COUNT": "1",
                       "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"})
            self.assertEqual(len(re.findall(r"(?m)^[0-9a-f]{64}  ", said)), 2)
            run("sha256sum", "-c", "SHA256SUMS", cwd=place)
            with tarfile.open(place / f"clashd-{VERSION}.tar.gz") as archive:
                names = {member.name.removeprefix(f"clashd-{VERSION}/") for member in archive if not member.isdir()}
            committed = run("git", "-c", "safe.directory=*", "ls-tree", "-r", "--name-only", "-z", "HEAD", cwd=tree.ROOT)
            self.assertEqual(names, set(filter(None, committed.split("\0"))))
            first = (place / f"clashd-{VERSION}.tar.gz").read_bytes()
            run("sh", script, place, VERSION, cwd=tree.ROOT)
            self.assertEqual((place / f"clashd-{VERSION}.tar.gz").read_bytes(), first, "the same commit, another archive")


def in_roots(wanted):
    if os.geteuid() != 0:
        tree.skip("only root can make a Debian root and namespaces")
    if not shutil.which("mmdebstrap"):
        tree.skip("mmdebstrap is not here, which makes Debian roots")
    import package_root
    for suite in package_root.SUITES if wanted == "1" else wanted.split():
        package_root.check(suite)


if __name__ == "__main__":
    if os.environ.get("CLASHD_PACKAGES"):
        in_roots(os.environ["CLASHD_PACKAGES"])
        sys.exit()
    if tree.cache_value("CLASHD_SANITIZE"):
        tree.skip("a sanitized build is not for packages")
    if not shutil.which("dpkg-shlibdeps"):
        tree.skip("dpkg-dev is not here, as Debian has it")
    unittest.main()
