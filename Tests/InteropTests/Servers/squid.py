# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: squid.py FOLDER [front]

Runs two squid on loopback, for the user "ada" with the password "s3cret": one that asks for Digest, and one that takes
Digest and Basic. Everything they write is inside FOLDER; they end when standard input does. Prints one line of JSON: the
ports, or what failed.

With `front` it runs one in front of an origin that says what it was sent (see fronts.py), as an accelerator in HTTP/1.1.
"""

import getpass
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

from fronts import LIMIT, find, free_ports, prepare, run, start_origin, version
from proxies import PASSWORD, USER, launch, program
from supervision import announce, end, fail, wait_for_the_end

REALM = "interop"

CONFIGURATION = """
http_port 127.0.0.1:{port}
visible_hostname localhost
pid_filename {folder}/squid.pid
cache_log {folder}/cache.log
access_log none
coredump_dir {folder}
netdb_filename none
pinger_enable off
cache deny all
shutdown_lifetime 0 seconds
auth_param digest program {helpers}/digest_file_auth -c {users}/digest.users
auth_param digest children 2 startup=1
auth_param digest realm {realm}
auth_param digest check_nonce_count on
{more}
acl users proxy_auth REQUIRED
http_access allow users
http_access deny all
"""

BASIC = """
auth_param basic program {helpers}/basic_ncsa_auth {users}/basic.users
auth_param basic children 2 startup=1
auth_param basic realm {realm}
"""


FRONT = """
http_port 127.0.0.1:{plain} accel defaultsite=localhost no-vhost
https_port 127.0.0.1:{secure} accel defaultsite=localhost no-vhost tls-cert={folder}/leaf.pem tls-key={folder}/leaf.key
request_body_max_size {limit} bytes
cache_peer 127.0.0.1 parent {origin} 0 no-query originserver
http_access allow all
cache deny all
access_log none
cache_log {folder}/cache.log
pid_filename {folder}/squid.pid
coredump_dir {folder}
cache_effective_user {user}
shutdown_lifetime 0 seconds
"""


def helpers():
    for folder in ["/usr/lib/squid", "/usr/lib64/squid", "/usr/libexec/squid"]:
        if os.path.exists(f"{folder}/digest_file_auth"):
            return folder
    fail("squid has no helper for Digest; `scripts/setup test` installs it, or: apt-get install squid")


def front():
    squid = find("squid", "squid")
    folder, origin = prepare(), start_origin()
    plain, secure = free_ports(2)
    # Squid does not run as root.
    user = getpass.getuser()
    if os.geteuid() == 0:
        user = "proxy"
        shutil.chown(folder, user)
    configuration = folder / "squid.conf"
    configuration.write_text(FRONT.format(
        plain=plain, secure=secure, origin=origin, folder=folder, user=user, limit=LIMIT), encoding="utf-8")
    # Its shared memory has the name of the service.
    command = [squid, "-N", "-n", f"interop{os.getpid()}", "-f", str(configuration)]
    run(
        command, folder, plain, version(squid, "-v"), secure=secure, alpn=False)


def main():
    users = pathlib.Path(sys.argv[1]).resolve()
    squid, known = program("squid"), {"helpers": helpers(), "users": users, "realm": REALM}
    secret = hashlib.md5(f"{USER}:{REALM}:{PASSWORD}".encode()).hexdigest()
    (users / "digest.users").write_text(f"{USER}:{REALM}:{secret}\n", encoding="utf-8")
    done = subprocess.run(["openssl", "passwd", "-apr1", PASSWORD], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail("openssl is not installed; `scripts/setup test` installs it, or: apt-get install openssl")
    (users / "basic.users").write_text(f"{USER}:{done.stdout.strip()}\n", encoding="utf-8")
    # As root, squid gives up its rights.
    os.chmod(users, 0o755)

    def command(more):
        def at(port):
            folder = users / f"squid-{port}"
            folder.mkdir()
            os.chmod(folder, 0o777)
            text = CONFIGURATION.format(port=port, folder=folder, more=more.format(**known), **known)
            (folder / "squid.conf").write_text(text, encoding="utf-8")
            # Each needs a name of its own for what it shares with its helpers.
            return [squid, "-N", "-n", f"interop{port}", "-f", str(folder / "squid.conf")]
        return at

    children = []
    try:
        announce(
            http=launch(command(""), children), locked=launch(command(BASIC), children), version=version(squid, "-v"))
        wait_for_the_end()
    finally:
        for child in children:
            end(child)


if __name__ == "__main__":
    front() if sys.argv[2:] == ["front"] else main()
