# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: aiohttp_forms.py

A server made with aiohttp on loopback that says in JSON what aiohttp finds in a multipart form, in the order in which
the parts came. Runs until standard input ends. Prints one line of JSON: the port, or what is missing.
"""

import asyncio
import hashlib
import threading

from supervision import announce, listening_socket, require, wait_for_the_end

require("aiohttp", package="python3-aiohttp")

from aiohttp import web  # noqa: E402


async def answer(request):
    parts = []
    async for part in await request.multipart():
        content = await part.read()
        parts.append({
            "name": part.name, "filename": part.filename, "length": len(content),
            "type": part.headers.get("Content-Type"), "digest": hashlib.sha256(content).hexdigest(),
            "headers": [[header, value] for header, value in part.headers.items()],
        })
    return web.json_response({"parts": parts})


async def serve(listener):
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.SockSite(runner, listener).start()
    await asyncio.Event().wait()


def main():
    listener = listening_socket()
    threading.Thread(target=lambda: asyncio.run(serve(listener)), daemon=True).start()
    announce(http=listener.getsockname()[1])
    wait_for_the_end()


if __name__ == "__main__":
    main()
