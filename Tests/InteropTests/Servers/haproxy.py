# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: haproxy.py FOLDER

Runs HAProxy before an origin: plain, over TLS, and HTTP/2 from the first byte, until standard input ends.
"""

from fronts import find, free_ports, prepare, run, start_origin, version

program = find("haproxy", "haproxy")
folder = prepare()
origin = start_origin()
plain, secure, both = free_ports(3)
(folder / "haproxy.cfg").write_text(f"""
global
    maxconn 200
    ssl-default-bind-options ssl-min-ver TLSv1.2
defaults
    mode http
    timeout connect 10s
    timeout client 60s
    timeout server 60s
    timeout http-keep-alive 60s
frontend all
    bind 127.0.0.1:{plain}
    bind 127.0.0.1:{secure} ssl crt {folder}/both.pem alpn h2,http/1.1
    bind 127.0.0.1:{both} proto h2
    default_backend origin
backend origin
    server one 127.0.0.1:{origin}
""", encoding="utf-8")
run(
    [program, "-db", "-f", str(folder / "haproxy.cfg")], folder, plain, version(program, "-v"), secure=secure,
    both=both,
)
