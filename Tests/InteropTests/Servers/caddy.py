# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: caddy.py FOLDER

Runs Caddy before an origin, plain and over TLS, until standard input ends.
"""

import os

from fronts import find, free_ports, prepare, run, start_origin, version

program = find("caddy", "caddy")
folder = prepare()
origin = start_origin()
plain, secure = free_ports(2)
(folder / "Caddyfile").write_text(f"""
{{
    admin off
    auto_https off
    servers :{plain} {{
        protocols h1 h2c
    }}
}}
http://:{plain} {{
    bind 127.0.0.1
    reverse_proxy 127.0.0.1:{origin}
}}
https://:{secure} {{
    bind 127.0.0.1
    tls {folder}/leaf.pem {folder}/leaf.key
    reverse_proxy 127.0.0.1:{origin}
}}
""", encoding="utf-8")
run(
    [program, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"], folder, plain,
    version(program, "version"), secure=secure,
    env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
)
