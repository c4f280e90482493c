# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: proxies.py FOLDER

Runs two tinyproxy and two microsocks on loopback, each once for everybody and once for the user "ada" with the password
"s3cret", with everything they write inside FOLDER, until standard input ends. Prints one line of JSON: the ports, or
what failed.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from supervision import announce, end, fail, version, wait_for_the_end

USER, PASSWORD = "ada", "s3cret"

TINYPROXY = """
Port {port}
Listen 127.0.0.1
Allow 127.0.0.1
Timeout 60
MaxClients 50
LogFile "{folder}/tinyproxy-{port}.log"
PidFile "{folder}/tinyproxy-{port}.pid"
{more}
"""


def program(name):
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if not found:
        fail(f"{name} is not installed; `scripts/setup test` installs it, or: apt-get install {name}")
    return found


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def accepts(port, child, seconds=10):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and child.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return child.poll() is None
        except OSError:
            time.sleep(0.01)
    return False


def launch(command, children):
    """Starts a server that cannot take over a socket. Should another process take the port first, another one is tried."""
    output = tempfile.TemporaryFile()
    for _ in range(5):
        port = free_port()
        words = command(port)
        child = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        children.append(child)
        if accepts(port, child):
            return port
    output.seek(0)
    fail(f"{words[0]} did not answer: " + output.read().decode(errors="replace").strip())


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    tinyproxy, microsocks = program("tinyproxy"), program("microsocks")

    def http(more):
        def command(port):
            configuration = folder / f"tinyproxy-{port}.conf"
            configuration.write_text(TINYPROXY.format(port=port, folder=folder, more=more), encoding="utf-8")
            return [tinyproxy, "-d", "-c", str(configuration)]
        return command

    def socks(*more):
        return lambda port: [microsocks, "-i", "127.0.0.1", "-p", str(port), *more]

    children = []
    try:
        announce(
            http=launch(http(""), children),
            locked=launch(http(f"BasicAuth {USER} {PASSWORD}"), children),
            socks=launch(socks(), children),
            lockedSocks=launch(socks("-u", USER, "-P", PASSWORD), children),
            version=version(tinyproxy, "-v"),
        )
        wait_for_the_end()
    finally:
        for child in children:
            end(child)


if __name__ == "__main__":
    main()
