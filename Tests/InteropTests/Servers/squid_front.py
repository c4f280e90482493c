# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: squid_front.py FOLDER

Runs Squid before an origin, as an accelerator in HTTP/1.1, until standard input ends.
"""

import getpass
import os
import shutil

from fronts import find, free_ports, prepare, run, start_origin, version

program = find("squid", "squid")
folder = prepare()
origin = start_origin()
plain, = free_ports(1)
# Squid does not run as root.
user = getpass.getuser()
if os.geteuid() == 0:
    user = "proxy"
    shutil.chown(folder, user)
(folder / "squid.conf").write_text(f"""
http_port 127.0.0.1:{plain} accel defaultsite=localhost no-vhost
cache_peer 127.0.0.1 parent {origin} 0 no-query originserver
http_access allow all
cache deny all
access_log none
cache_log {folder}/cache.log
pid_filename {folder}/squid.pid
coredump_dir {folder}
cache_effective_user {user}
shutdown_lifetime 0 seconds
""", encoding="utf-8")
# Its shared memory has the name of the service.
command = [program, "-N", "-n", f"interop{os.getpid()}", "-f", str(folder / "squid.conf")]
run(command, folder, plain, version(program, "-v"))
