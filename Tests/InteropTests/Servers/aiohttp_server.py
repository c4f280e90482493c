# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: aiohttp_server.py FOLDER

A server made with aiohttp on loopback: on one port in plain, on another over TLS, for clients with a certificate that the
root in FOLDER has signed. Runs until standard input ends. Prints one line of JSON: the ports, or what is missing.

    /digest       length and SHA-256 of the body, and whether the client waited for 100 (Continue)
    /early        413 before the body of the request was read
    /wait/N       N, after as many milliseconds
    /certificate  the common name in the certificate of the client
"""

import asyncio
import hashlib
import pathlib
import ssl
import sys
import threading

from mutual import sign
from nginx import make_certificates
from supervision import announce, listening_socket, require, wait_for_the_end

require("aiohttp", package="python3-aiohttp")

import aiohttp  # noqa: E402
from aiohttp import web  # noqa: E402


async def digest(request):
    length, digest = 0, hashlib.sha256()
    async for data in request.content.iter_any():
        length += len(data)
        digest.update(data)
    return web.Response(text=f"{length} {digest.hexdigest()} {request.headers.get('Expect')}")


async def early(request):
    return web.Response(status=413, text="large")


async def wait(request):
    milliseconds = int(request.match_info["milliseconds"])
    await asyncio.sleep(milliseconds / 1000)
    return web.Response(text=str(milliseconds))


async def certificate(request):
    subject = dict(pair[0] for pair in request.transport.get_extra_info("peercert")["subject"])
    return web.Response(text=subject["commonName"])


async def serve(plain, secure, context):
    application = web.Application(client_max_size=1 << 30)
    application.router.add_route("*", "/digest", digest)
    application.router.add_route("*", "/early", early)
    application.router.add_get("/wait/{milliseconds}", wait)
    application.router.add_get("/certificate", certificate)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.SockSite(runner, plain).start()
    await web.SockSite(runner, secure, ssl_context=context).start()
    await asyncio.Event().wait()


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    make_certificates(folder)
    sign(folder, "client", "/CN=a client", "extendedKeyUsage=clientAuth", ["-newkey", "rsa:2048"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "leaf.pem", folder / "leaf.key")
    context.load_verify_locations(folder / "root.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    plain, secure = listening_socket(), listening_socket()
    threading.Thread(target=lambda: asyncio.run(serve(plain, secure, context)), daemon=True).start()
    announce(
        http=plain.getsockname()[1], https=secure.getsockname()[1], root=str(folder / "root.pem"),
        version=aiohttp.__version__)
    wait_for_the_end()


if __name__ == "__main__":
    main()
