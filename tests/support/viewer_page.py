"""The page and its engine as they were built, served as clashd serves them: with its Content-Security-Policy, and recordings at /logs."""
import functools
import http.server
import json
import re
import shutil
import subprocess
import threading
import urllib.parse
from pathlib import Path

import clashd

VIEWER = clashd.SOURCE / "daemon" / "viewer"
MADE = clashd.BUILD / "daemon" / "viewer" / "made"
BUILD_ENGINE = VIEWER / "src" / "engine" / "build.sh"
TABLE = clashd.BUILD / "protocol" / "schema_check" / "schema_table.c"
# What browsers have to allow, and no more: daemon/ipc/handshake_page.c.
POLICY = ("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; "
          "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'")
TYPES = {".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm",
         ".svg": "image/svg+xml"}


def missing_packages(*words):
    """Why what the page is made of, and with --dev what its tests take, is not there; None if it is, or could be installed. A test that
    reads daemon/viewer/node_modules calls this first: then nothing replaces it any more."""
    if not shutil.which("node"):
        return "no node here: apt-get install nodejs"
    if subprocess.run(["node", VIEWER / "packages.mjs", *words], check=False, capture_output=True).returncode == 0:
        return None
    return f"what the page and its tests take cannot be installed: {' '.join(('node daemon/viewer/packages.mjs', *words))} says why"


def missing_engine():
    """Why there is no engine.wasm, None where there is one or can be."""
    if not shutil.which("node"):
        return "no node here: apt-get install nodejs"
    if not (MADE / "engine.wasm").exists() and subprocess.run(["sh", BUILD_ENGINE, "--can"], check=False).returncode:
        return "no clang here that makes WebAssembly: apt-get install clang lld wasi-libc libclang-rt-dev-wasm32"
    return None


def engine(home):
    """engine.wasm: that of the build, else one that is made now."""
    if (MADE / "engine.wasm").exists():
        return MADE / "engine.wasm"
    subprocess.run(["sh", BUILD_ENGINE, home, TABLE], check=True)
    return home / "engine.wasm"


def page(home):
    """The folder with the page: that of the build, else one that is made now."""
    if (MADE / "page" / "engine.wasm").exists():
        return MADE / "page"
    subprocess.run(["node", VIEWER / "build.mjs", "--out", home / "page", "--wasm", engine(home)], check=True)
    return home / "page"


class Server(http.server.ThreadingHTTPServer):
    """`logs`: a folder of recordings; `names`: what /logs lists in its place, as whoever names files may want it."""
    daemon_threads = True

    def __init__(self, folders, logs=None, names=None):
        self.folders, self.logs, self.names = folders, logs, names
        super().__init__(("127.0.0.1", 0), functools.partial(Handler))
        self.address = f"http://127.0.0.1:{self.server_address[1]}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def answer(self, body, kind):
        self.send_response(200)
        for name, value in (("Content-Type", kind), ("Content-Length", len(body)), ("Content-Security-Policy", POLICY)):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):  # noqa: N802
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        server = self.server
        if path == "/logs" and (server.logs or server.names):
            names = server.names or sorted(file.name for file in server.logs.iterdir())
            logs = [{"name": name, "bytes": 1, "modified": "2026-11-22T17:00:00Z"} for name in names]
            return self.answer(json.dumps({"type": "logs", "directory": "/", "count": len(logs), "logs": logs}).encode(), "application/json")
        if path.startswith("/logs/") and server.logs and (server.logs / path[6:]).is_file():
            return self.answer((server.logs / path[6:]).read_bytes(), "application/x-ndjson")
        name = "index.html" if path == "/" else path[1:]
        for folder in server.folders:
            if re.fullmatch(r"[\w.-]+", name) and (Path(folder) / name).is_file():
                return self.answer((Path(folder) / name).read_bytes(), TYPES.get(Path(name).suffix, "application/octet-stream"))
        self.send_error(404)
        return None
