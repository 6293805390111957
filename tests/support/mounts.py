"""File systems of a test's own: small ones, or read-only ones, which nobody else sees."""
import os
import shutil
import subprocess
import sys


def in_own_mounts():
    """Runs the test again where it can mount what it likes, also without being root."""
    words = ["unshare", "-m" if os.geteuid() == 0 else "-rm"]
    if not are_own() and shutil.which("unshare") and subprocess.run([*words, "true"], stderr=subprocess.PIPE).returncode == 0:
        os.environ["CLASHD_OWN_MOUNTS"] = "1"
        os.execvp(words[0], [*words, sys.executable, *sys.argv])


def are_own():
    return "CLASHD_OWN_MOUNTS" in os.environ


def mount(directory, size):
    """A file system of that size there; false where that cannot be. The caller unmounts it."""
    return are_own() and subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "clashd-test", directory],
                                        stderr=subprocess.PIPE).returncode == 0
