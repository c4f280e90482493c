# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: mutual.py FOLDER

Runs nginx as nginx.py does, on three ports with TLS: one that wants client certificates, and one each that speaks only
TLS 1.2 or TLS 1.3 with a certificate of RSA. The client's certificate is in FOLDER, as PEM and as PKCS #12.
"""

import getpass
import os
import pathlib
import shutil
import sys

from nginx import make_certificates, openssl
from supervision import fail, listening_socket, supervise

CONFIGURATION = """
daemon off;
worker_processes 1;
{user}
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen {plain};
        return 204;
    }}
    server {{
        listen {mutual} ssl;
        ssl_certificate {folder}/leaf.pem;
        ssl_certificate_key {folder}/leaf.key;
        ssl_client_certificate {folder}/root.pem;
        ssl_verify_client on;
        add_header X-Client $ssl_client_s_dn always;
        return 204;
    }}
    server {{
        listen {only12} ssl;
        ssl_protocols TLSv1.2;
        ssl_certificate {folder}/rsa.pem;
        ssl_certificate_key {folder}/rsa.key;
        add_header X-Cipher $ssl_cipher always;
        return 204;
    }}
    server {{
        listen {only13} ssl;
        ssl_protocols TLSv1.3;
        ssl_certificate {folder}/rsa.pem;
        ssl_certificate_key {folder}/rsa.key;
        add_header X-Cipher $ssl_cipher always;
        return 204;
    }}
}}
"""


def sign(folder, name, subject, extensions, key):
    """A certificate that the root of the folder has signed."""
    path = folder / f"{name}.ext"
    path.write_text(f"basicConstraints=critical,CA:FALSE\n{extensions}\n", encoding="utf-8")
    openssl("req", *key, "-nodes", "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.csr", "-subj", subject)
    openssl(
        "x509", "-req", "-in", f"{folder}/{name}.csr", "-CA", f"{folder}/root.pem", "-CAkey", f"{folder}/root.key",
        "-CAcreateserial", "-days", "2", "-extfile", str(path), "-out", f"{folder}/{name}.pem")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if not program:
        fail("nginx is not installed; `scripts/setup test` installs it, or: apt-get install nginx")
    for name in ["body", "proxy", "fastcgi", "uwsgi", "scgi"]:
        (folder / name).mkdir(parents=True, exist_ok=True)
    make_certificates(folder)
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:secp384r1"]
    sign(folder, "client", "/CN=a client", "extendedKeyUsage=clientAuth", curve)
    sign(folder, "rsa", "/CN=a server", "subjectAltName=DNS:localhost", ["-newkey", "rsa:2048"])
    openssl(
        "pkcs8", "-topk8", "-in", f"{folder}/client.key", "-out", f"{folder}/encrypted.key", "-passout", "pass:secret")
    openssl(
        "pkcs12", "-export", "-inkey", f"{folder}/client.key", "-in", f"{folder}/client.pem", "-out",
        f"{folder}/client.p12", "-passout", "pass:secret")

    sockets = [listening_socket() for _ in range(4)]
    plain, mutual, only12, only13 = [sock.getsockname()[1] for sock in sockets]
    configuration = folder / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(
        folder=folder,
        user=f"user {getpass.getuser()};" if os.geteuid() == 0 else "",
        plain=f"127.0.0.1:{plain}",
        mutual=f"127.0.0.1:{mutual}",
        only12=f"127.0.0.1:{only12}",
        only13=f"127.0.0.1:{only13}",
    ), encoding="utf-8")
    for sock in sockets:
        # nginx takes listeners as they are: in a blocking one, a worker would wait for a connection that another one took.
        sock.setblocking(False)
    numbers = [sock.fileno() for sock in sockets]
    supervise(
        [program, "-p", str(folder), "-c", str(configuration), "-e", "stderr"],
        port=plain,
        facts={
            "http": plain,
            "https": mutual,
            "only12": only12,
            "only13": only13,
            "root": str(folder / "root.pem"),
        },
        env={**os.environ, "NGINX": "".join(f"{number};" for number in numbers)},
        pass_fds=numbers,
    )


if __name__ == "__main__":
    main()
