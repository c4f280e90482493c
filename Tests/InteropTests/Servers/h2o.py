# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: h2o.py FOLDER

Runs H2O before an origin, plain and over TLS, until standard input ends.
"""

import getpass

from fronts import LIMIT, find, free_ports, prepare, run, start_origin, version

program = find("h2o", "h2o")
folder = prepare()
origin = start_origin()
plain, secure = free_ports(2)
(folder / "h2o.conf").write_text(f"""
user: {getpass.getuser()}
num-threads: 1
pid-file: {folder}/h2o.pid
limit-request-body: {LIMIT}
listen:
  host: 127.0.0.1
  port: {plain}
listen:
  host: 127.0.0.1
  port: {secure}
  ssl:
    certificate-file: {folder}/leaf.pem
    key-file: {folder}/leaf.key
    minimum-version: TLSv1.2
hosts:
  default:
    paths:
      /:
        proxy.reverse.url: "http://127.0.0.1:{origin}/"
""", encoding="utf-8")
run(
    [program, "-m", "master", "-c", str(folder / "h2o.conf")], folder, plain, version(program, "--version"),
    secure=secure, reload=f"kill -HUP $(cat {folder}/h2o.pid)",
)
