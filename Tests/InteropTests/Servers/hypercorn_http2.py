# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: hypercorn_http2.py FOLDER

Hypercorn on loopback, which speaks HTTP/2 with the `h2` package, and HTTP/1.1 with `h11`: on one port over TLS, with a
certificate for localhost from a root that nobody else trusts, on another in plain, where clients begin with what they
speak. Runs until standard input ends. Prints one line of JSON: the ports and the path of the root, or what is missing.

    /version    the version of HTTP the request came over
    /bytes/N    N bytes
    /echo       the bytes of the request, as they come
"""

import asyncio
import importlib.metadata
import os
import pathlib
import sys
import threading

from nginx import make_certificates
from supervision import announce, listening_socket, require

require("hypercorn", package="python3-hypercorn")

from hypercorn.asyncio import serve  # noqa: E402
from hypercorn.config import Config  # noqa: E402

BLOCK = bytes(range(256)) * 64


async def application(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    path = scope["path"]

    async def start(headers):
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def body(data, more):
        await send({"type": "http.response.body", "body": data, "more_body": more})

    if path == "/echo":
        await start([])
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            await body(message.get("body", b""), True)
            if not message.get("more_body"):
                break
        await body(b"", False)
        return
    if path.startswith("/bytes/"):
        left = int(path.rpartition("/")[2])
        await start([(b"content-length", str(left).encode())])
        while left > 0:
            piece = BLOCK[:left]
            left -= len(piece)
            await body(piece, left > 0)
        if path.endswith("/0"):
            await body(b"", False)
        return
    await start([])
    await body(scope["http_version"].encode(), False)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    make_certificates(folder)
    secure, plain = listening_socket(), listening_socket()
    config = Config()
    config.bind = [f"fd://{secure.fileno()}"]
    config.insecure_bind = [f"fd://{plain.fileno()}"]
    config.certfile = str(folder / "leaf.pem")
    config.keyfile = str(folder / "leaf.key")
    config.alpn_protocols = ["h2", "http/1.1"]
    config.loglevel = "CRITICAL"

    def end():
        while sys.stdin.buffer.read(4096):
            pass
        os._exit(0)

    threading.Thread(target=end, daemon=True).start()
    port = plain.getsockname()[1]
    # Both sockets listen already: who connects now waits in the backlog.
    announce(
        http=port, http2=port, https2=secure.getsockname()[1], root=str(folder / "root.pem"),
        version=importlib.metadata.version("hypercorn"))
    asyncio.run(serve(application, config))


if __name__ == "__main__":
    main()
