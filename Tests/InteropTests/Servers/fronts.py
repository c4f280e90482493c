# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""What the scripts of the fronts share: an origin in this process, ports, certificates, and what runs a front before it.

The origin says what it was sent (method, path, number of bytes, SHA-256), and gives as many bytes as its path asks for.
"""

import hashlib
import http.server
import os
import pathlib
import re
import shutil
import socket
import sys
import threading

from nginx import make_certificates
from supervision import fail, supervise, version  # noqa: F401


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(pieces)

    def answer(self):
        body = self.body()
        status = 200
        if match := re.fullmatch(r"/bytes/(\d+)", self.path):
            content = bytes(index % 251 for index in range(251)) * (int(match[1]) // 251 + 1)
            content = content[:int(match[1])]
        elif match := re.fullmatch(r"/status/(\d+)", self.path):
            status, content = int(match[1]), b""
        else:
            content = f"{self.command} {self.path} {len(body)} {hashlib.sha256(body).hexdigest()}".encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_HEAD = do_POST = do_PUT = answer

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def start_origin():
    """The port of an origin that lives as long as this process."""
    server = Server(("127.0.0.1", 0), Origin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def free_ports(count):
    """Ports that nobody had a moment ago: these servers take numbers, not sockets."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def find(name, package):
    """The path of a program of the system."""
    program = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if not program:
        fail(f"{name} is not installed; `scripts/setup interop` installs it, or: apt-get install {package}")
    return program


def prepare(certificate=True):
    """The folder of this run, with a certificate in it: `leaf.pem`, `leaf.key`, and both in `both.pem`."""
    folder = pathlib.Path(sys.argv[1]).resolve()
    if certificate:
        make_certificates(folder)
        both = (folder / "leaf.pem").read_text() + (folder / "leaf.key").read_text()
        (folder / "both.pem").write_text(both, encoding="utf-8")
    # The servers that give up the rights of root have to find what is in here.
    folder.chmod(0o755)
    return folder


def run(command, folder, plain, version, secure=None, both=None, **options):
    """Runs a front. `plain` speaks HTTP/1.1, `secure` TLS, where HTTP/2 is offered too."""
    supervise(
        command,
        port=plain,
        facts={"http": plain, "https": secure, "https2": secure, "http2": both, "version": version,
               "root": str(folder / "root.pem")},
        **options,
    )
