"""clashd builds without a warning on Debian 13, with its compiler and its libraries, and passes there the unit, property and
replay tests and the end to end tests of hostile clients and files: with a quarter of the random cases, as the bits are the same as
elsewhere, and with all of them where CLASHD_LONG=1."""
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import monado_root

QUICK = ("-L", "^(unit|property|replay)$"), ("-R", "^e2e/(hostile_.*|damage|limits)_test$")


def run():
    log = KEPT / "tests.log"
    with open(log, "w", encoding="utf-8") as file:
        done = subprocess.run(["nice", "cmake", "--build", BUILD], stdout=file, stderr=file, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, "the tests do not build in the root:\n" + log.read_text()[-6000:]
    failed, env = 0, dict(os.environ, CLASHD_CASES="1" if os.environ.get("CLASHD_LONG") else "0.25")
    for chosen in QUICK:
        failed |= subprocess.run(["ctest", "--test-dir", BUILD, "--output-on-failure", "--no-tests=error",
                                  "-j", str(3 * os.cpu_count()), *chosen], check=False, env=env).returncode
    return failed


if __name__ == "__main__":
    monado_root.enter(__file__)
    from monado_room import BUILD, KEPT, build

    build()
    sys.exit(run())
