# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""What the scripts of the fronts share: an origin in this process, ports, certificates, and what runs a front before it.

The origin says what it was sent (method, path, number of bytes, SHA-256, and each trailer field), and gives as many bytes
as its path asks for. Some paths are special:

    /status/N   that status
    /trailers   a body that a trailer field follows
    /held/N     half of a body, and the rest once /release/N was asked for

Each front refuses bodies of LIMIT bytes and more, by Content-Length.
"""

import collections

import hashlib
import http.server
import os
import pathlib
import re
import shutil
import socket
import sys
import threading

from mutual import sign
from nginx import make_certificates
from supervision import fail, supervise, version  # noqa: F401

# More than what the tests send to be kept, and less than what they send to be refused.
LIMIT = 10_000_000
released = collections.defaultdict(threading.Event)


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def body(self):
        """The bytes and the trailer fields of the request."""
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0))), []
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        trailers = []
        while line := self.rfile.readline().strip():
            trailers.append(line.decode().lower())
        return b"".join(pieces), trailers

    def answer(self):
        body, trailers = self.body()
        status, name = 200, None
        if match := re.fullmatch(r"/bytes/(\d+)", self.path):
            content = bytes(index % 251 for index in range(251)) * (int(match[1]) // 251 + 1)
            content = content[:int(match[1])]
        elif match := re.fullmatch(r"/status/(\d+)", self.path):
            status, content = int(match[1]), b""
        elif match := re.fullmatch(r"/held/(\w+)", self.path):
            name, content = match[1], bytes(300_000)
        elif match := re.fullmatch(r"/release/(\w+)", self.path):
            released[match[1]].set()
            content = b""
        elif self.path == "/trailers":
            return self.answer_with_trailers()
        else:
            words = [self.command, self.path, str(len(body)), hashlib.sha256(body).hexdigest(), *trailers]
            content = " ".join(words).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(content)))
        if name:
            self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if name:
            self.wfile.write(content[:150_000])
            released[name].wait(30)
            self.wfile.write(content[150_000:])
        elif self.command != "HEAD":
            self.wfile.write(content)

    def answer_with_trailers(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Trailer", "Content-Language")
        self.end_headers()
        self.wfile.write(b"5\r\nhello\r\n0\r\nContent-Language: en\r\n\r\n")

    do_GET = do_HEAD = do_POST = do_PUT = answer

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """Says nothing: fronts end their connections as they like."""


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
    """The folder of this run, with a certificate in it: `leaf.pem`, `leaf.key`, and both in `both.pem`. The client's is
    `client.pem`, with the common name "a client"."""
    folder = pathlib.Path(sys.argv[1]).resolve()
    if certificate:
        make_certificates(folder)
        sign(folder, "client", "/CN=a client", "extendedKeyUsage=clientAuth", ["-newkey", "rsa:2048"])
        both = (folder / "leaf.pem").read_text() + (folder / "leaf.key").read_text()
        (folder / "both.pem").write_text(both, encoding="utf-8")
    # The servers that give up the rights of root have to find what is in here.
    folder.chmod(0o755)
    return folder


def run(command, folder, plain, version, secure=None, both=None, mutual=None, reload=None, alpn=True, **options):
    """Runs a front. `plain` speaks HTTP/1.1, `secure` TLS, where `alpn` offers HTTP/2 too, and `mutual` the same to
    clients with a certificate; `reload` is the command of a shell that has it read its configuration again."""
    supervise(
        command,
        port=plain,
        facts={"http": plain, "https": secure, "https2": secure if alpn else None, "http2": both, "version": version,
               "mutual": mutual, "reload": reload, "root": str(folder / "root.pem")},
        **options,
    )
