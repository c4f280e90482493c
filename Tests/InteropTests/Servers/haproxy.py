# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: haproxy.py FOLDER

Runs HAProxy before an origin: plain, over TLS, over TLS for clients with a certificate, and HTTP/2 from the first byte, until standard input ends.
"""

from fronts import LIMIT, find, free_ports, prepare, run, start_origin, version

program = find("haproxy", "haproxy")
folder = prepare()
origin = start_origin()
plain, secure, both, mutual = free_ports(4)
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
    bind 127.0.0.1:{mutual} ssl crt {folder}/both.pem alpn h2,http/1.1 ca-file {folder}/root.pem verify required
    bind 127.0.0.1:{both} proto h2
    http-request deny deny_status 413 if {{ req.hdr(Content-Length) -m int ge {LIMIT} }}
    http-response set-header X-Client %[ssl_c_s_dn(cn)] if {{ ssl_c_used }}
    default_backend origin
backend origin
    server one 127.0.0.1:{origin}
""", encoding="utf-8")
run(
    # A master replaces its worker on this signal.
    [program, "-W", "-p", str(folder / "haproxy.pid"), "-f", str(folder / "haproxy.cfg")], folder, plain,
    version(program, "-v"), secure=secure, both=both, mutual=mutual, reload=f"kill -USR2 $(cat {folder}/haproxy.pid)",
)
