# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: varnish_front.py FOLDER

Runs Varnish before an origin: HTTP/1.1 and HTTP/2 without TLS, until standard input ends.
"""

from fronts import find, free_ports, prepare, run, start_origin, version

program = find("varnishd", "varnish")
folder = prepare()
origin = start_origin()
plain, = free_ports(1)
run(
    [program, "-F", "-n", str(folder / "varnish"), "-a", f"127.0.0.1:{plain}", "-b", f"127.0.0.1:{origin}",
     "-p", "feature=+http2", "-s", "malloc,64m", "-j", "none"],
    folder, plain, version(program, "-V"), both=plain,
)
