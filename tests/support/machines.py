"""Machines of their own for clashds of one test: a network namespace each, joined to this one by a cable of its own (veth), and clocks that differ
and drift, by libfaketime: it shifts and scales CLOCK_MONOTONIC and CLOCK_REALTIME of a program, where the kernel's time namespaces could only shift.
The timeouts of epoll_wait, which are relative, go by the kernel's own clock."""
import glob
import os
import shutil
import subprocess

import clashd
import tree

# Of those that are for measuring networks (RFC 2544), so nobody else's: 198.18.NUMBER.
NETWORK = "198.18"


def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True)


def libfaketime():
    return next(iter(sorted(glob.glob("/usr/lib/*/faketime/libfaketime.so.1"))), None)


def need():
    """Ends the test as skipped where no such machine can be had, and says why."""
    if os.geteuid() != 0:
        tree.skip("network namespaces want root")
    if clashd.is_sanitized():
        tree.skip("libfaketime and a sanitizer do not go together: both want to be loaded first")
    if not shutil.which("ip"):
        tree.skip("ip is missing (Debian: iproute2)")
    if not libfaketime():
        tree.skip("libfaketime is missing (Debian: faketime)")
    name = f"clashd-{os.getpid()}"
    if (made := ip("netns", "add", name)).returncode != 0:
        tree.skip(f"no network namespace can be made here: {made.stderr.strip()}")
    made = ip("link", "add", f"cd{os.getpid()}", "netns", name, "type", "veth", "peer", "name", "there")
    entered = ip("netns", "exec", name, "true")
    ip("netns", "delete", name)
    if made.returncode != 0:
        tree.skip(f"no veth can be made here: {made.stderr.strip()}")
    if entered.returncode != 0:
        tree.skip("'ip netns exec' fails here, as it does in a chroot whose / is not a mount point (mount --bind it onto itself before "
                  f"you enter it): {entered.stderr.strip()}")


class Machine:
    """`clock` as libfaketime has it: "+50 x1.00005". This side of the cable is .gateway, the other .address."""

    def __init__(self, number, clock="+0"):
        self.name = f"clashd-{os.getpid()}-{number}"
        self.rate = float(clock.partition("x")[2] or 1)
        third = (os.getpid() * 4 + number) % 250
        self.gateway, self.address = f"{NETWORK}.{third}.1", f"{NETWORK}.{third}.2"
        self.cable = cable = f"cd{os.getpid()}-{number}"
        self.do("netns", "add", self.name)
        self.do("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        self.do("address", "add", f"{self.gateway}/30", "dev", cable)
        self.do("link", "set", cable, "up")
        for words in (("address", "add", f"{self.address}/30", "dev", "eth0"), ("link", "set", "eth0", "up"), ("link", "set", "lo", "up")):
            self.do("-n", self.name, *words)
        self.env = {"LD_PRELOAD": libfaketime(), "FAKETIME": clock, "DONT_FAKE_MONOTONIC": "0"}

    def do(self, *words):
        done = ip(*words)
        assert done.returncode == 0, (words, done.stderr)

    def clashd(self, *words, home, env=None):
        """As clashd.Daemon, on this machine."""
        return clashd.Daemon(*words, home=home, before=("ip", "netns", "exec", self.name), env={**self.env, **(env or {})})

    def stop(self):
        ip("link", "delete", self.cable)
        ip("netns", "delete", self.name)
