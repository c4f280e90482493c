# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: cookies.py

A server on loopback made with aiohttp, which writes and reads cookies with Python's http.cookies. `/set` sets one of every kind,
`/remove` removes one, `/away` sets one and redirects, `/echo` says in JSON what it finds in the Cookie field. Runs until standard input
ends. Prints one line of JSON: the port, or what is missing.
"""

import asyncio
import threading

from supervision import announce, listening_socket, require, wait_for_the_end

require("aiohttp", package="python3-aiohttp")

from aiohttp import web  # noqa: E402


async def set_cookies(request):
    response = web.Response(text="set")
    response.set_cookie("plain", "1")
    response.set_cookie("quoted", 'a "b"; c, d\\e')
    response.set_cookie("umlaut", "bücher")
    response.set_cookie("below", "2", path="/echo")
    response.set_cookie("elsewhere", "3", path="/other")
    response.set_cookie("aged", "4", max_age=3600, httponly=True, samesite="Strict")
    response.set_cookie("dated", "5", expires="Wed, 01 Jan 2070 00:00:00 GMT", samesite="Lax")
    response.set_cookie("over", "6", max_age=0)
    response.set_cookie("secret", "7", secure=True)
    response.set_cookie("foreign", "8", domain="example.com")
    return response


async def remove_cookie(request):
    response = web.Response(text="removed")
    response.del_cookie("plain")
    return response


async def away(request):
    response = web.HTTPFound("/echo")
    response.set_cookie("hop", "9")
    return response


async def echo(request):
    return web.json_response({"cookies": dict(request.cookies), "field": request.headers.getall("Cookie", [])})


async def serve(listener):
    application = web.Application()
    for path, handler in [("/set", set_cookies), ("/remove", remove_cookie), ("/away", away), ("/echo", echo)]:
        application.router.add_get(path, handler)
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
