# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: nginx_front.py FOLDER

Runs nginx before an origin: plain, over TLS, over TLS for clients with a certificate, and HTTP/2 from the first byte, until
standard input ends.
"""

import getpass
import os

from fronts import LIMIT, find, free_ports, prepare, run, start_origin, version

program = find("nginx", "nginx")
folder = prepare()
origin = start_origin()
plain, secure, both, mutual = free_ports(4)
for name in ["body", "proxy", "fastcgi", "uwsgi", "scgi"]:
    (folder / name).mkdir()
# As root, nginx would give up its rights and then could not write where it has to.
user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
configuration = folder / "nginx.conf"
configuration.write_text(f"""
daemon off;
worker_processes 1;
{user}
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    client_max_body_size {LIMIT - 1};
    keepalive_requests 1000000;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate {folder}/leaf.pem;
    ssl_certificate_key {folder}/leaf.key;
    proxy_http_version 1.1;
    proxy_buffering off;
    proxy_request_buffering off;
    server {{
        listen 127.0.0.1:{plain};
        listen 127.0.0.1:{both} http2;
        listen 127.0.0.1:{secure} ssl http2;
        location / {{ proxy_pass http://127.0.0.1:{origin}; }}
        # nginx does not forward trailers; this one is its own.
        location = /trailers {{ proxy_pass http://127.0.0.1:{origin}; add_trailer Content-Language en; }}
    }}
    server {{
        listen 127.0.0.1:{mutual} ssl http2;
        ssl_client_certificate {folder}/root.pem;
        ssl_verify_client on;
        add_header X-Client $ssl_client_s_dn always;
        location / {{ proxy_pass http://127.0.0.1:{origin}; }}
    }}
}}
""", encoding="utf-8")
run(
    [program, "-p", str(folder), "-c", str(configuration), "-e", "stderr"], folder, plain, version(program, "-v"),
    secure=secure, both=both, mutual=mutual, reload=f"kill -HUP $(cat {folder}/nginx.pid)",
)
