# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: hypercorn_events.py FOLDER

Hypercorn on loopback, as in hypercorn_http2.py, with responses that do not end as they should. Runs until standard input ends. Prints one
line of JSON: the ports and the path of the root, or what is missing.

    /count?to=N     counts from the event after `Last-Event-ID` to N; ends each stream after a few events, in the middle of one: by its end,
                    by RST_STREAM, or with the connection. 204 when there is nothing left
    /slow-first     nothing to the first request, and 200 to the others
    /resets         how many requests for /slow-first were reset, and how many connections there were, in JSON
"""

import asyncio
import itertools
import json
import urllib.parse

import hypercorn_http2

from hypercorn.events import Closed  # noqa: E402

cuts = itertools.count()
slow = itertools.count()
resets = 0
clients = set()


async def count(scope, start, body, cut):
    headers = dict(scope["headers"])
    first = int(headers.get(b"last-event-id", b"0")) + 1
    last = int(urllib.parse.parse_qs(scope["query_string"].decode())["to"][0])
    if first > last:
        await start(204, [])
        await body(b"", False)
        return
    await start(200, [(b"content-type", b"text/event-stream")])
    await body(b"retry: 1\n\n", True)
    for number in range(first, min(first + 5, last + 1)):
        text = f"id: {number}\r\nevent: count\r\ndata: {number} \u20ac\r\n\r\n".encode()
        for index in range(0, len(text), 1 + number % 7):
            await body(text[index:index + 1 + number % 7], True)
    await body(b"id: 999999\ndata: lost", True)
    await cut(next(cuts) % 3)


async def slow_first(receive, start, body):
    global resets
    if next(slow) == 0:
        while (await receive())["type"] != "http.disconnect":
            pass
        resets += 1
        return
    await start(200, [])
    await body(b"second", False)


async def application(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    clients.add(scope["client"][1])

    async def start(status, headers):
        await send({"type": "http.response.start", "status": status, "headers": headers})

    async def body(data, more):
        await send({"type": "http.response.body", "body": data, "more_body": more})

    async def cut(how):
        # ASGI has no word for a stream that breaks off, so this goes to the protocol itself.
        await asyncio.sleep(0.02)
        stream = send.__self__
        protocol = stream.send.__self__
        if how == 0:
            await body(b"", False)
        elif how == 1:
            protocol.connection.reset_stream(stream.stream_id)
            await protocol._flush()
        else:
            await protocol.send(Closed())

    if scope["path"] == "/count":
        await count(scope, start, body, cut)
    elif scope["path"] == "/slow-first":
        await slow_first(receive, start, body)
    else:
        # Those that are reset are told a moment after the client has gone on.
        for _ in range(500):
            if resets:
                break
            await asyncio.sleep(0.01)
        await start(200, [(b"content-type", b"application/json")])
        await body(json.dumps({"resets": resets, "connections": len(clients)}).encode(), False)


if __name__ == "__main__":
    hypercorn_http2.application = application
    hypercorn_http2.main()
