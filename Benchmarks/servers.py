# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""The servers that every peer is measured against: nginx with one worker, a sink for uploads, one that takes a second."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
BUILT = HERE / ".build" / "release"
sys.path.insert(0, str(ROOT / "Tests" / "InteropTests" / "Servers"))

import supervision  # noqa: E402

CONFIGURATION = """
daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
{user}
pid {folder}/nginx.pid;
error_log stderr error;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    default_type application/octet-stream;
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    sendfile on;
    tcp_nopush on;
    keepalive_timeout 120s;
    keepalive_requests 100000000;
    open_file_cache max=10;
    client_max_body_size 0;
    ssl_certificate {folder}/leaf.pem;
    ssl_certificate_key {folder}/leaf.key;
    # Every connection pays for a whole handshake.
    ssl_session_cache off;
    ssl_session_tickets off;
    server {{
        listen 127.0.0.1:{plain};
        root {folder}/www;
        # What a server does that limits the rate of each connection.
        location /slow/ {{ alias {folder}/www/; limit_rate 32m; }}
    }}
    server {{
        listen 127.0.0.1:{secure} ssl;
        root {folder}/www;
        location /sink {{ proxy_pass http://127.0.0.1:{sink}; proxy_http_version 1.1; proxy_request_buffering off; }}
    }}
    server {{ listen 127.0.0.1:{h2} ssl http2; root {folder}/www; }}
}}
"""


def make_certificate(folder):
    """A root and a certificate for localhost below it; the path of the root."""
    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 30, "-subj",
            "/CN=Benchmark root", "-keyout", folder / "root.key", "-out", folder / "root.pem")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
            "-keyout", folder / "leaf.key", "-out", folder / "leaf.csr")
    (folder / "leaf.ext").write_text("subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\n", encoding="utf-8")
    openssl("x509", "-req", "-in", folder / "leaf.csr", "-CA", folder / "root.pem", "-CAkey", folder / "root.key",
            "-CAcreateserial", "-days", 30, "-extfile", folder / "leaf.ext", "-out", folder / "leaf.pem")
    return folder / "root.pem"


@contextlib.contextmanager
def nginx(folder, sink):
    """Runs nginx; gives the ports for plain HTTP, for TLS with HTTP/1.1, and for TLS with HTTP/2."""
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if not program:
        sys.exit("bench: nginx is missing; scripts/setup bench installs it")
    listeners = [supervision.listening_socket() for _ in range(3)]
    plain, secure, h2 = (listener.getsockname()[1] for listener in listeners)
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        CONFIGURATION.format(folder=folder, plain=plain, secure=secure, h2=h2, sink=sink, user=user), encoding="utf-8")
    child = subprocess.Popen(
        [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"],
        env={**os.environ, "NGINX": "".join(f"{listener.fileno()};" for listener in listeners)},
        pass_fds=[listener.fileno() for listener in listeners], start_new_session=True, stderr=subprocess.DEVNULL)
    for listener in listeners:
        listener.close()
    try:
        if not supervision.answers(plain):
            sys.exit("bench: nginx does not answer")
        yield plain, secure, h2
    finally:
        supervision.end(child)


@contextlib.contextmanager
def program(*command):
    """Runs a server that prints its port and ends with its standard input; gives the port."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield int(child.stdout.readline())
    finally:
        child.stdin.close()
        child.wait()


@contextlib.contextmanager
def everything(folder, mebibytes, small):
    """Runs all servers; gives the URLs by name, and the path of the root that they are trusted by."""
    (folder / "www").mkdir()
    (folder / "www" / "small").write_bytes(b"b" * small)
    with open(folder / "www" / "large", "wb") as file:
        file.truncate(mebibytes << 20)
    # Read once, so that no measurement includes loading the file into the page cache.
    with open(folder / "www" / "large", "rb") as file:
        while file.read(1 << 20):
            pass
    root = make_certificate(folder)
    with contextlib.ExitStack() as stack:
        sink = stack.enter_context(program(sys.executable, HERE / "sink.py"))
        delay = stack.enter_context(program(BUILT / "bench-delay"))
        plain, secure, h2 = stack.enter_context(nginx(folder, sink))
        yield {
            "plain": f"http://127.0.0.1:{plain}",
            "tls": f"https://localhost:{secure}",
            "h2": f"https://localhost:{h2}",
            "sink": f"http://127.0.0.1:{sink}",
            "delay": f"http://127.0.0.1:{delay}",
        }, root
