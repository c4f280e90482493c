# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: apache.py FOLDER

Runs Apache httpd, unprivileged and on loopback, with everything it writes inside FOLDER, until standard input ends. It
serves FOLDER/www, and asks for the user `ada` with the password `s3cret`: with Digest (mod_auth_digest) below /digest/,
and with nonces that are checked by their count below /counted/, with Basic below /basic/. Prints one line of JSON: the
port, or what failed.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

from supervision import fail, listening_socket, supervise, version

REALM = "interop"
CONFIGURATION = """
ServerRoot {folder}
DefaultRuntimeDir {folder}
PidFile {folder}/httpd.pid
ServerName localhost
Listen 127.0.0.1:{port}
{modules}
ErrorLog /dev/stderr
LogLevel error
StartServers 2
KeepAlive On
MaxKeepAliveRequests 0
DocumentRoot {folder}/www
AuthDigestShmemSize 64K
<Directory {folder}/www>
    Require all granted
</Directory>
Alias /digest {folder}/www
Alias /counted {folder}/www
Alias /basic {folder}/www
<Location /digest>
    AuthType Digest
    AuthName "{realm}"
    AuthDigestProvider file
    AuthUserFile {folder}/digest.users
    AuthDigestDomain /digest/
    Require valid-user
</Location>
<Location /counted>
    AuthType Digest
    AuthName "{realm}"
    AuthDigestProvider file
    AuthUserFile {folder}/digest.users
    AuthDigestNcCheck On
    Require valid-user
</Location>
Redirect 301 /status/301 /hello.txt
Redirect 302 /status/302 /hello.txt
Redirect 303 /status/303 /hello.txt
Redirect 307 /status/307 /hello.txt
Redirect 308 /status/308 /hello.txt
<Location /cookies>
    Header always set Set-Cookie "hop=1; Path=/; HttpOnly"
</Location>
Redirect 302 /cookies/set /hello.txt
Header always set X-Cookie "expr=%{{HTTP_COOKIE}}"
<Location /basic>
    AuthType Basic
    AuthName "{realm}"
    AuthUserFile {folder}/basic.users
    Require valid-user
</Location>
"""
MODULES = [
    "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "auth_digest", "alias", "headers", "unixd",
]


def modules_folder():
    for folder in ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/local/apache2/modules"]:
        if os.path.isdir(folder):
            return folder
    fail("no modules of Apache httpd were found; `scripts/setup test` installs them, or: apt-get install apache2")


def find_program():
    path = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
    program = shutil.which("apache2", path=path) or shutil.which("httpd", path=path)
    if not program:
        fail("Apache httpd is not installed; `scripts/setup test` installs it, or: apt-get install apache2")
    return program


def load(program, names):
    """The lines of a configuration that load modules, without those that are part of the program, and that name the user."""
    folder = modules_folder()
    built_in = subprocess.run([program, "-l"], capture_output=True, text=True, check=False).stdout
    lines = [f"LoadModule {name}_module {folder}/mod_{name}.so" for name in names if f"mod_{name}.c" not in built_in]
    # As root, httpd gives up its rights.
    if os.geteuid() == 0:
        lines += ["User www-data", "Group www-data"]
    return "\n".join(lines)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    program = find_program()
    (folder / "www").mkdir(parents=True, exist_ok=True)
    secret = hashlib.md5(f"ada:{REALM}:s3cret".encode()).hexdigest()
    (folder / "digest.users").write_text(f"ada:{REALM}:{secret}\n", encoding="utf-8")
    done = subprocess.run(["openssl", "passwd", "-apr1", "s3cret"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail("openssl is not installed; `scripts/setup test` installs it, or: apt-get install openssl")
    (folder / "basic.users").write_text(f"ada:{done.stdout.strip()}\n", encoding="utf-8")

    # httpd opens its socket itself: this is a port that was free a moment ago.
    with listening_socket() as sock:
        port = sock.getsockname()[1]
    # Without the rights of root, httpd could not read what the tests have written.
    for name in [".", "www"]:
        os.chmod(folder / name, 0o755)
    configuration = folder / "httpd.conf"
    configuration.write_text(CONFIGURATION.format(
        folder=folder, port=port, modules=load(program, MODULES), realm=REALM), encoding="utf-8")
    supervise(
        [program, "-d", str(folder), "-f", str(configuration), "-DFOREGROUND"], port=port,
        facts={"http": port, "version": version(program, "-v")})


if __name__ == "__main__":
    main()
