"""The way of a test against Monado from the host into the root: decides whether to run at all, makes the root, and goes
on as the same script inside the namespaces."""
import fcntl
import os
import sys
from pathlib import Path

SUPPORT = Path(__file__).resolve().parent
SKIPPED = 77
INSIDE = "--inside"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def enter(script, godot=False):
    """Returns inside the root; on the host it ends the process: as skipped, or with the exit code from inside. `godot`: in the
    root that has Godot as well, and no compiler."""
    if INSIDE in sys.argv:
        return
    variable = "CLASHD_GODOT" if godot else "CLASHD_MONADO"
    wanted = os.environ.get(variable) or os.environ.get("CI", "")
    if wanted not in ("1", "true"):
        skip(f"it makes a Debian root of 1 GB and takes minutes; set {variable}=1 to run it")
    if os.geteuid() != 0:
        skip("only root can make a Debian root and namespaces")
    root = Path(os.environ.get("CLASHD_CACHE") or "/var/cache/clashd") / ("sid-godot" if godot else "trixie-monado")
    sys.stdout.flush()
    if os.spawnlp(os.P_WAIT, "sh", "sh", str(SUPPORT / "make_root.sh"), *(["--godot"] if godot else []),
                   str(root)) != 0:
        sys.exit("the root for Monado could not be made, see above")
    # One at a time: they build in the same place and measure time. The lock goes with the last process that holds it.
    lock = os.open(f"{root}.use", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.set_inheritable(lock, True)
    if godot:  # what was built outside is below /src
        os.environ["CLASHD_BUILD_NAME"] = os.path.relpath(os.environ.get("CLASHD_BUILD", "build/release"), SUPPORT.parents[1])
    name = Path(script).resolve().relative_to(SUPPORT.parents[1])
    os.execlp("sh", "sh", str(SUPPORT / "in_root.sh"), str(root), "/usr/bin/python3", "-B", f"/src/{name}", INSIDE)
