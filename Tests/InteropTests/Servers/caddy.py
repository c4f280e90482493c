# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: caddy.py FOLDER

Runs Caddy before an origin, plain, over TLS, and over TLS for clients with a certificate, until standard input ends.
"""

import os

from fronts import LIMIT, find, free_ports, prepare, run, start_origin, version

program = find("caddy", "caddy")
folder = prepare()
origin = start_origin()
plain, secure, mutual = free_ports(3)
(folder / "Caddyfile").write_text(f"""
{{
    admin unix/{folder}/admin.sock
    auto_https off
    servers 127.0.0.1:{plain} {{
        protocols h1 h2c
    }}
}}
(front) {{
    bind 127.0.0.1
    @large header_regexp Content-Length ^[0-9]{{{len(str(LIMIT))},}}$
    respond @large 413
    reverse_proxy 127.0.0.1:{origin}
}}
http://:{plain} {{
    import front
}}
https://:{secure} {{
    import front
    tls {folder}/leaf.pem {folder}/leaf.key
}}
https://:{mutual} {{
    import front
    tls {folder}/leaf.pem {folder}/leaf.key {{
        client_auth {{
            mode require_and_verify
            trusted_ca_cert_file {folder}/root.pem
        }}
    }}
    header X-Client {{http.request.tls.client.subject}}
}}
""", encoding="utf-8")
run(
    [program, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"], folder, plain,
    version(program, "version"), secure=secure, both=plain, mutual=mutual,
    # Without --force, a configuration that is the same changes nothing.
    reload=f"{program} reload --force --config {folder}/Caddyfile --adapter caddyfile --address unix/{folder}/admin.sock",
    env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
)
