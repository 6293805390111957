"""Serves the page as daemon/viewer/build.mjs makes it from the sources as they are now, and hands WebSockets on to a clashd: for tests of
the page where clashd was built without it, or with another one."""
import http.server
import mimetypes
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import clashd

POLICY = ("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self' ws:; img-src 'self' blob: data:; "
          "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
NAMES = {"/": "index.html", "/overlay": "overlay.html"}


def build(folder):
    """Makes the page; raises with what esbuild says."""
    done = subprocess.run(["node", clashd.SOURCE / "daemon" / "viewer" / "build.mjs", "--out", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def pipe(source, sink):
    try:
        while received := source.recv(65536):
            sink.sendall(received)
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Pages(http.server.ThreadingHTTPServer):
    """At .url; .upstream is clashd's address and may change."""
    daemon_threads = True

    def __init__(self, folder, upstream):
        self.folder, self.upstream = Path(folder), upstream
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def do_GET(self):
        if self.headers.get("Upgrade"):
            self.hand_on()
            return
        path = self.path.split("?")[0]
        file = self.server.folder / NAMES.get(path, path.lstrip("/"))
        known = file.parent == self.server.folder and file.is_file()
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", mimetypes.guess_type(file.name)[0] or "application/octet-stream")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Content-Length", str(file.stat().st_size if known else 0))
        self.end_headers()
        if known:
            with file.open("rb") as content:
                shutil.copyfileobj(content, self.wfile)

    def hand_on(self):
        self.close_connection = True
        try:
            upstream = socket.create_connection(self.server.upstream)
        except OSError:
            return
        head = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        upstream.sendall(f"GET {self.path} HTTP/1.1\r\n{head}\r\n".encode())
        back = threading.Thread(target=pipe, args=(upstream, self.connection), daemon=True)
        back.start()
        pipe(self.connection, upstream)
        back.join()
        upstream.close()
