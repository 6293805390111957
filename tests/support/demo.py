"""A checkout in which daemon/demo.sh has nothing left to install or to build: what it would make is this build's."""
import os

import clashd


def checkout(home, packages_are_there=True):
    """Its directory, and the environment to run demo.sh in; what it keeps for itself is in the directory's tmp. Without packages_are_there
    demo.sh looks for what it needs, as it does for a user."""
    root = home / "root"
    for name in ("daemon", "tests/support", "build/demo", "bin", "tmp"):
        (root / name).mkdir(parents=True)
    for script in (clashd.SOURCE / "daemon").glob("demo*.sh"):
        (root / "daemon" / script.name).write_text(script.read_text())
    packages = (clashd.SOURCE / "tests/support/packages.sh").read_text()
    (root / "tests" / "support" / "packages.sh").write_text(
        packages + ("packages_build_needed= packages_build_optional=\npackages_install() { :; }\n" if packages_are_there else ""))
    (root / "tests" / "data").symlink_to(clashd.DATA)
    (root / "build" / "demo" / "daemon").symlink_to(clashd.BUILD / "daemon")
    (root / "bin" / "cmake").write_text("#!/bin/sh\n")
    (root / "bin" / "cmake").chmod(0o755)
    return root, clashd.environment(home, PATH=f"{root / 'bin'}:{os.environ['PATH']}", TMPDIR=root / "tmp")
