# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: aiohttp_events.py

A server made with aiohttp on loopback that sends server-sent events and cuts its connections. `/count?to=N` counts from the event after
`Last-Event-ID` to N; it cuts each connection after a few events, most of them in the middle of an event, and answers 204 when there is nothing left.
`/lines?to=N` sends N lines of JSON. Runs until standard input ends. Prints one line of JSON: the port, or what is missing.
"""

import asyncio
import itertools
import threading

from supervision import announce, listening_socket, require, wait_for_the_end

require("aiohttp", package="python3-aiohttp")

from aiohttp import web  # noqa: E402

ENDS = ("\n", "\r\n", "\r")
cuts = itertools.count()


async def count(request):
    first = int(request.headers.get("Last-Event-ID") or 0) + 1
    last = int(request.query["to"])
    if first > last:
        return web.Response(status=204)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
    response.enable_chunked_encoding()
    # Not where the connection is cut: what aiohttp has compressed stays with it until the end.
    if first % 6 == 0:
        response.enable_compression()
    await response.prepare(request)
    end = ENDS[first % len(ENDS)]
    await response.write(f"\ufeff: hello{end}retry: 1{end}{end}".encode())
    for number in range(first, min(first + 5, last + 1)):
        text = f"id: {number}{end}event: count{end}data: {number} \u20ac{end}data: \U0001f680{end}{end}".encode()
        # Cut everywhere, in the middle of characters too.
        for start in range(0, len(text), 1 + number % 7):
            await response.write(text[start:start + 1 + number % 7])
    if first % 2:
        await response.write(b"id: 999999\ndata: lost")
        # A reset may take events with it that were on their way, so not every time.
        request.transport.abort() if next(cuts) % 2 else request.transport.close()
    return response


async def lines(request):
    response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
    await response.prepare(request)
    for number in range(int(request.query["to"])):
        await response.write(b'{"number": %d}\n' % number)
    return response


async def serve(listener):
    application = web.Application()
    application.router.add_get("/count", count)
    application.router.add_get("/lines", lines)
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
