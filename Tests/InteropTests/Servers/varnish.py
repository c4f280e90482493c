# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: varnish.py FOLDER [front]

Runs Varnish on loopback, with everything it writes inside FOLDER, in front of a server made with aiohttp, until standard input ends. Each
response says in its body how often the server was asked for it. Prints one line of JSON: the port of Varnish, or what failed.

    /aged       an hour old when it comes, with ten seconds of its lifetime left
    /language   in the language of Accept-Language, with Vary
    /grace      stale when it comes, and reusable for an hour while it is fetched again
    /tagged     with an entity tag
    POST        changes the entity tag

With `front` it runs Varnish in front of an origin that says what it was sent (see fronts.py): HTTP/1.1, and HTTP/2 without TLS.
"""

import asyncio
import collections
import os
import pathlib
import shutil
import sys
import threading

from fronts import LIMIT, find, free_ports, prepare, run, start_origin
from fronts import version as version_of
from supervision import fail, listening_socket, require, supervise

require("aiohttp", package="python3-aiohttp")

from aiohttp import web  # noqa: E402

CONFIGURATION = """
vcl 4.1;
backend default {{ .host = "127.0.0.1"; .port = "{port}"; }}
# What is stale from the beginning is kept all the same, if it may be given while it is fetched again.
sub vcl_backend_response {{
    if (beresp.http.Cache-Control ~ "stale-while-revalidate") {{ return (deliver); }}
}}
"""
FRONT = """
vcl 4.1;
import std;
backend default {{ .host = "127.0.0.1"; .port = "{port}"; }}
sub vcl_recv {{
    # Says 100 (Continue) when it wants the body, and not to each client that asks.
    std.late_100_continue(true);
    if (std.integer(req.http.Content-Length, 0) >= {limit}) {{ return (synth(413)); }}
}}
"""
counts = collections.Counter()
version = 1


async def answer(request):
    global version
    if request.method == "POST":
        version += 1
        return web.Response(text="changed")
    counts[request.path] += 1
    text = f"{request.path} {counts[request.path]}"
    if request.path == "/aged":
        return web.Response(text=text, headers={"Cache-Control": "max-age=3610", "Age": "3600"})
    if request.path == "/language":
        language = request.headers.get("Accept-Language", "none")
        return web.Response(
            text=f"{language} {text}", headers={"Cache-Control": "max-age=600", "Vary": "Accept-Language"})
    if request.path == "/grace":
        return web.Response(
            text=text, headers={"Cache-Control": "max-age=60, stale-while-revalidate=3600", "Age": "60"})
    return web.Response(text=text, headers={"Cache-Control": "max-age=600", "ETag": f'"{version}"'})


async def serve(listener):
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.SockSite(runner, listener).start()
    await asyncio.Event().wait()


def front():
    program = find("varnishd", "varnish")
    folder, origin = prepare(), start_origin()
    plain, = free_ports(1)
    configuration = folder / "front.vcl"
    configuration.write_text(FRONT.format(port=origin, limit=LIMIT), encoding="utf-8")
    admin = f"varnishadm -n {folder}/varnish"
    run(
        [program, "-F", "-n", str(folder / "varnish"), "-a", f"127.0.0.1:{plain}", "-f", str(configuration),
         "-p", "feature=+http2", "-s", "malloc,64m", "-j", "none"],
        folder, plain, version_of(program, "-V"), both=plain,
        # Each configuration has a name of its own.
        reload=f"name=v$$; {admin} vcl.load $name {configuration} && {admin} vcl.use $name",
    )


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    program = shutil.which("varnishd", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if not program:
        fail("Varnish is not installed; `scripts/setup test` installs it, or: apt-get install varnish")
    backend = listening_socket()
    threading.Thread(target=lambda: asyncio.run(serve(backend)), daemon=True).start()
    configuration = folder / "default.vcl"
    configuration.write_text(CONFIGURATION.format(port=backend.getsockname()[1]), encoding="utf-8")
    # Varnish opens its socket itself: this is a port that was free a moment ago.
    with listening_socket() as sock:
        port = sock.getsockname()[1]
    supervise(
        [
            # Compiled by the C compiler in FOLDER, as the user that runs the tests.
            program, "-F", "-j", "none", "-n", str(folder / "varnish"), "-f", str(configuration),
            "-a", f"127.0.0.1:{port}", "-T", "none", "-s", "malloc,16m", "-p", "thread_pool_min=5",
        ],
        port=port, facts={"http": port, "version": version_of(program, "-V")})


if __name__ == "__main__":
    front() if sys.argv[2:] == ["front"] else main()
