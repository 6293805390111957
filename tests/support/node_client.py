"""Node, for the tests of the JavaScript client."""
import shutil
import subprocess

import clashd

SCRIPT = clashd.SOURCE / "tests" / "support" / "client.mjs"


def find_node():
    """The words that start a Node with a WebSocket: its own, or that of Debian's package node-ws."""
    for flags in ([], ["--experimental-websocket", "--no-warnings"]):
        if shutil.which("node") and subprocess.run(["node", *flags, SCRIPT], capture_output=True).returncode == 0:
            return ["node", *flags]
    return None
