"""A user manager of systemd's, a real one, for tests: in namespaces of its own (mounts, processes, cgroups), so that
nothing of the machine's own is touched and all of it is gone at the end. The test runs itself anew in there, as their root, with the
build installed where it would be installed, and the manager beside it as an ordinary user."""
import contextlib
import os
import signal
import subprocess
import sys
import sys
import tempfile
import time
from pathlib import Path

import clashd
import tree

USER = 60321  # nobody's, and neither root nor nobody
HOME = Path("/home", "clash")
RUNTIME = Path(f"/run/user/{USER}")
SYSTEMD = Path("/usr/lib/systemd/systemd")
NAMESPACES = ["unshare", "--mount", "--pid", "--cgroup", "--fork", "--kill-child", "--mount-proc"]
INSIDE = "CLASHD_IN_USER_MANAGER"


def prefix():
    return Path(tree.cache_value("CMAKE_INSTALL_PREFIX"))


def cgroup_mount():
    """Where the one hierarchy is mounted, or one without controllers beside the older ones."""
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, where, kind, options = line.split()[:4]
        if kind == "cgroup2" and "rw" in options.split(",") and os.access(where, os.W_OK):
            return Path(where)
    return None


def why_not():
    """Why there can be none here; None where there can."""
    if tree.cache_value("CLASHD_SANITIZE"):
        return "a sanitized build is not for installing"
    if tree.cache_value("CLASHD_SYSTEMD") not in ("ON", "1"):
        return "clashd is built without systemd"
    if os.geteuid() != 0:
        return "only root can make the namespaces that a user manager runs in"
    if not SYSTEMD.exists():
        return "there is no systemd here"
    if not cgroup_mount():
        return "no cgroup2 hierarchy can be written to"
    if subprocess.run([*NAMESPACES, "true"], capture_output=True).returncode != 0:
        return "no namespaces can be made here"
    if prefix() == Path("/usr"):
        return "the build is to be installed over the system's own /usr"
    return None


def run_inside(script):
    """Runs the script anew, in the namespaces; its exit code."""
    group = cgroup_mount() / f"clashd-test-{os.getpid()}"
    group.mkdir()
    with tempfile.TemporaryDirectory(prefix="clashd-units-") as stage:
        subprocess.run(["cmake", "--install", tree.BUILD], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "DESTDIR": stage})
        command = ["setpriv", "--pdeathsig", "KILL", *NAMESPACES, sys.executable, script]
        # In its cgroup before it unshares, so that this one is the root in there.
        join = 'echo $$ >"$0/cgroup.procs" && exec "$@"'
        try:
            return subprocess.run(["sh", "-c", join, group, *map(str, command)],
                                  env={**os.environ, INSIDE: stage}).returncode
        finally:
            remove_group(group)


def remove_group(group):
    deadline = time.monotonic() + clashd.WAIT_S
    for directory in sorted((path for path in [group, *group.rglob("*")] if path.is_dir()), reverse=True):
        while True:
            try:
                directory.rmdir()
                break
            except OSError:  # those in it are still ending
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)


def run(*words):
    subprocess.run([str(word) for word in words], check=True)


def make_machine():
    """What a user manager finds on a machine that has booted: called once, inside."""
    stage = Path(os.environ[INSIDE] + str(prefix()))
    run("mount", "--make-rprivate", "/")
    prefix().mkdir(parents=True, exist_ok=True)
    run("mount", "--bind", stage, prefix())
    for directory in ("/home", "/run"):
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", directory)
    run("mount", "-t", "cgroup2", "cgroup2", "/sys/fs/cgroup")
    for path in (Path("/run/systemd/system"), Path("/run/systemd/unit-root")):
        path.mkdir(parents=True)
    for path in (HOME, RUNTIME):
        path.mkdir(parents=True, mode=0o700)
        os.chown(path, USER, USER)
    for path in [Path("/sys/fs/cgroup"), *Path("/sys/fs/cgroup").iterdir()]:
        os.chown(path, USER, USER)


@contextlib.contextmanager
def as_user():
    """What is done meanwhile is the user's doing."""
    os.setegid(USER)
    os.seteuid(USER)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def as_user_command(*words):
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *map(str, words)]


def environment():
    return {"PATH": "/usr/bin:/bin", "HOME": str(HOME), "XDG_RUNTIME_DIR": str(RUNTIME), "USER": "clash",
            "LOGNAME": "clash", "SYSTEMD_LOG_TARGET": "console", "SYSTEMD_LOG_COLOR": "0",
            "SYSTEMD_UNIT_PATH": f"{HOME}/.config/systemd/user:{prefix()}/lib/systemd/user:/usr/lib/systemd/user"}


class Manager:
    """A running user manager; ended, with all that it started, by stop()."""

    def __init__(self):
        self.log = HOME / "manager.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(as_user_command(SYSTEMD, "--user", "--unit=basic.target"), env=environment(),
                                            cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.wait_until(lambda: self.control("is-active", "basic.target", check=False).stdout == "active\n")

    def wait_until(self, holds, what="the user manager is there"):
        deadline = time.monotonic() + clashd.WAIT_S
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"did not come to be: {what}\n" + self.log.read_text())
            time.sleep(0.05)

    def control(self, *words, check=True):
        """systemctl --user."""
        done = subprocess.run(as_user_command("systemctl", "--user", *words), env=environment(), capture_output=True,
                              text=True, timeout=clashd.WAIT_S)
        if check and done.returncode != 0:
            raise AssertionError(f"systemctl {' '.join(words)}: {done.stderr}{self.log.read_text()}")
        return done

    def show(self, unit, what):
        return self.control("show", "--value", "-p", what, unit).stdout.strip()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=clashd.WAIT_S)
