# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: nghttpd.py FOLDER

Runs nghttpd over the folder `www`, HTTP/2 without TLS, over it, and over it for clients with a certificate, until standard input ends.
"""

import socket
import subprocess
import time

from fronts import find, free_ports, prepare, version
from supervision import announce, end, fail, wait_for_the_end

program = find("nghttpd", "nghttp2-server")
folder = prepare()
plain, secure, mutual = free_ports(3)
(folder / "www" / "bytes").mkdir(parents=True, exist_ok=True)
for size in [1, 3_000_000]:
    content = bytes(range(251)) * (size // 251 + 1)
    (folder / "www" / "bytes" / str(size)).write_bytes(content[:size])
(folder / "www" / "trailers").write_bytes(b"hello")
identity = [str(folder / "leaf.key"), str(folder / "leaf.pem")]


def start(*arguments):
    return subprocess.Popen(
        [program, "-a", "127.0.0.1", "-d", str(folder / "www"), "--echo-upload",
         "--trailer=content-language: en", *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def accepts(port, seconds=10):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        except OSError:
            time.sleep(0.01)
    return False


children = [
    start("--no-tls", str(plain)), start(str(secure), *identity), start("--verify-client", str(mutual), *identity),
]
try:
    if not all(accepts(port) for port in [plain, secure, mutual]):
        fail("nghttpd did not answer")
    announce(http=plain, http2=plain, https2=secure, mutual=mutual, version=version(program, "--version"),
             root=str(folder / "root.pem"))
    wait_for_the_end()
finally:
    for child in children:
        end(child)
