# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""What the server scripts share: ports the system chooses, one line that says they are ready, and an end that always comes."""

import importlib.util
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time


def listening_socket(backlog=511):
    """A socket on a loopback port of the system's choice. Clients can connect from now on; they wait in the backlog."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    listener.listen(backlog)
    return listener


def ipv6_socket(port, backlog=511):
    """A socket on the same port of ::1; None where there is no IPv6, or where the port is taken there."""
    try:
        listener = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(("::1", port))
        listener.listen(backlog)
        return listener
    except OSError:
        return None


def answers(port, seconds=10):
    """Whether something on the port answers an HTTP request before the deadline."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=deadline - time.monotonic()) as client:
                client.sendall(b"HEAD / HTTP/1.0\r\nHost: localhost\r\n\r\n")
                return client.recv(5) == b"HTTP/"
        except ConnectionRefusedError:
            time.sleep(0.01)
        except OSError:
            return False
    return False


def announce(**facts):
    """Prints the one line the tests wait for."""
    print(json.dumps(facts), flush=True)


def fail(reason):
    """Says why there will be no server; the tests show this."""
    announce(error=reason)
    sys.exit(1)


def require(module, package):
    """Goes on if the module is there; else starts the script again with the system's own python3, which has what apt
    installs while another that comes first in the path may not, and fails if that one lacks the module too."""
    if importlib.util.find_spec(module):
        return
    system = "/usr/bin/python3"
    if os.path.exists(system) and "BLUEBONNET_SYSTEM_PYTHON" not in os.environ:
        os.execve(system, [system, *sys.argv], {**os.environ, "BLUEBONNET_SYSTEM_PYTHON": "1"})
    fail(f"no python3 here has {module}; `scripts/setup test` installs it, or: apt-get install {package}")


def require_from_pypi(module):
    """Goes on if the module is there, in the path or in the folder of the build that `scripts/setup test` puts packages of PyPI into."""
    version = "%d.%d" % sys.version_info[:2]
    for parent in pathlib.Path(__file__).resolve().parents:
        folder = parent / "python-packages" / version
        if folder.is_dir() and str(folder) not in sys.path:
            # In front of the system's packages, which may be older than these need.
            sys.path.insert(1, str(folder))
    if not importlib.util.find_spec(module):
        fail(f"no python3 here has {module}; `scripts/setup test` installs it")


def version(*command):
    """The first number with dots in what a program says about itself."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    match = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
    return match[0] if match else "unknown"


def wait_for_the_end():
    """Returns when standard input ends, which it does when the process that started this one stops it or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while sys.stdin.buffer.read(4096):
        pass


def end(child):
    """Ends a server and the processes it has started; they are a group of their own."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


def supervise(command, port, facts, **options):
    """Runs a server until standard input ends, then ends it whatever state it is in."""
    # The thread that started this process may have blocked signals, and a server that inherits that hears none.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    try:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            start_new_session=True, **options)
    except OSError as error:
        fail(f"{command[0]} cannot be started: {error.strerror}")
    errors = []
    reader = threading.Thread(target=lambda: errors.extend(child.stderr), daemon=True)
    reader.start()
    try:
        # A server that dies at once leaves a socket that accepts and never answers: watch the process too.
        ready = []
        probe = threading.Thread(target=lambda: ready.append(answers(port)), daemon=True)
        probe.start()
        while probe.is_alive() and child.poll() is None:
            probe.join(0.02)
        if child.poll() is not None or not any(ready):
            end(child)
            reader.join(2)
            fail(f"{command[0]} did not answer: " + b"".join(errors).decode(errors="replace").strip())
        announce(**facts)
        wait_for_the_end()
    finally:
        end(child)
