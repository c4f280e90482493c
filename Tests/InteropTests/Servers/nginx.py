# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: nginx.py FOLDER

Runs nginx, unprivileged and on loopback, with everything it writes inside FOLDER, until standard input ends. It serves
FOLDER/www, over TLS too, with a certificate for localhost from a root that nobody else trusts. Prints one line of JSON:
the ports and the path of the root, or what failed.
"""

import getpass
import os
import pathlib
import shutil
import subprocess
import sys

from supervision import fail, ipv6_socket, listening_socket, supervise, version

CONFIGURATION = """
daemon off;
worker_processes 1;
{user}
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    # What a client has sent, one document of JSON in each line; "size" counts the bytes of its head over HTTP/1.1.
    log_format heads escape=json '{{"request":"$request","size":"$request_length","host":"$http_host",'
        '"user-agent":"$http_user_agent","accept":"$http_accept","accept-encoding":"$http_accept_encoding",'
        '"authorization":"$http_authorization","cookie":"$http_cookie","connection":"$http_connection",'
        '"content-type":"$http_content_type","content-length":"$http_content_length","x-word":"$http_x_word"}}';
    types {{ text/html html; text/plain txt; application/json json; application/xml xml; application/octet-stream bin; }}
    default_type application/octet-stream;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    client_max_body_size 0;
    ssl_protocols TLSv1.2 TLSv1.3;
    sendfile on;
    tcp_nopush on;
    keepalive_timeout 60s;
    keepalive_requests 1000000;
    # Which connection a reply came over, and the how-manyth it is on it.
    add_header X-Connection $connection always;
    add_header X-Connection-Requests $connection_requests always;

    server {{
        listen {plain};
        listen {secure} ssl;
        listen unix:{folder}/nginx.sock;
        {six}
        listen {http2} http2;
        listen {https2} ssl http2;
        ssl_certificate {folder}/leaf.pem;
        ssl_certificate_key {folder}/leaf.key;
        server_name localhost;
        root {folder}/www;
        location /gzip/ {{ alias {folder}/www/; gzip on; gzip_types *; gzip_min_length 1; gzip_comp_level 1; }}
        # Each connection gets a megabyte a second, once its first bytes are out.
        location /slow/ {{ alias {folder}/www/; limit_rate 1m; limit_rate_after 64k; }}
        location /cached/ {{ alias {folder}/www/; expires 1h; }}
        location /basic/ {{ alias {folder}/www/; auth_basic "interop"; auth_basic_user_file {folder}/basic.users; }}
        # Lets one token in.
        location = /token {{ if ($http_authorization != "Bearer fresh") {{ return 401; }} return 204; }}
        location /trailers/ {{ alias {folder}/www/; add_trailer Content-Language en; }}
        location /upload/ {{ dav_methods PUT DELETE; create_full_put_path on; }}
        location = /status/204 {{ return 204; }}
        location = /status/301 {{ return 301 /hello.txt; }}
        location = /status/302 {{ return 302 /hello.txt; }}
        location = /status/303 {{ return 303 /hello.txt; }}
        location = /status/307 {{ return 307 /hello.txt; }}
        location = /status/308 {{ return 308 /hello.txt; }}
        location ~ ^/moved/(?<name>[a-z.]+)$ {{ return 308 /upload/$name; }}
        location = /loop {{ return 302 /loop; }}
        location /heads {{ access_log {folder}/heads.log heads; return 204; }}
        location = /cookies/set {{ add_header Set-Cookie "hop=1; Path=/cookies; HttpOnly"; return 302 /cookies/echo; }}
        location = /cookies/echo {{ default_type text/plain; return 200 $http_cookie; }}
        location = /status/403 {{ return 403; }}
        location = /status/500 {{ return 500; }}
        location = /status/503 {{ add_header Retry-After 1 always; return 503; }}
        # 444 is nginx's own: it closes the connection without a word.
        location = /closed {{ return 444; }}
    }}
    # Shows a certificate that is for another host, though its common name says localhost.
    server {{
        listen {misnamed} ssl;
        ssl_certificate {folder}/elsewhere.pem;
        ssl_certificate_key {folder}/elsewhere.key;
        server_name localhost;
        root {folder}/www;
    }}
    # Closes every connection after its third reply.
    server {{
        listen {limited};
        listen {limited_http2} http2;
        server_name localhost;
        root {folder}/www;
        keepalive_requests 3;
    }}
}}
"""


def openssl(*arguments):
    try:
        done = subprocess.run(["openssl", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except FileNotFoundError:
        fail("openssl is not installed; `scripts/setup test` installs it, or: apt-get install openssl")
    if done.returncode != 0:
        fail(f"openssl {arguments[0]} failed: {done.stderr.strip()}")


def make_certificates(folder):
    """A root of our own, and two certificates that it has signed: for localhost, and for another host."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl(
        "req", "-x509", *key, "-keyout", f"{folder}/root.key", "-out", f"{folder}/root.pem", "-days", "2",
        "-subj", "/CN=A root for one test", "-addext", "keyUsage=critical,keyCertSign")
    for name, hosts in {"leaf": "DNS:localhost,IP:127.0.0.1", "elsewhere": "DNS:elsewhere.invalid"}.items():
        extensions = folder / f"{name}.ext"
        extensions.write_text(
            f"subjectAltName={hosts}\nextendedKeyUsage=serverAuth\n"
            "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n", encoding="utf-8")
        openssl(
            "req", *key, "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.csr", "-subj", "/CN=localhost")
        openssl(
            "x509", "-req", "-in", f"{folder}/{name}.csr", "-CA", f"{folder}/root.pem", "-CAkey",
            f"{folder}/root.key", "-CAcreateserial", "-days", "2", "-extfile", str(extensions),
            "-out", f"{folder}/{name}.pem")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if not program:
        fail("nginx is not installed; `scripts/setup test` installs it, or: apt-get install nginx")
    for name in ["www/upload", "body", "proxy", "fastcgi", "uwsgi", "scgi"]:
        (folder / name).mkdir(parents=True, exist_ok=True)

    make_certificates(folder)
    (folder / "basic.users").write_text("ada:{PLAIN}s3cret\n", encoding="utf-8")

    # nginx takes over sockets that are listening already, as it does when it replaces itself: so there is no moment
    # at which another process could take a port between its choice and its use.
    sockets = [listening_socket() for _ in range(7)]
    plain, secure, limited, misnamed, http2, https2, limited_http2 = [sock.getsockname()[1] for sock in sockets]
    # A proxy may find another address of localhost than we do.
    twins = [twin for twin in [ipv6_socket(plain), ipv6_socket(secure)] if twin]
    six = f"listen [::1]:{plain}; listen [::1]:{secure} ssl;" if len(twins) == 2 else ""
    sockets += twins
    # As root, nginx would give up its rights and then could not read what the tests have written.
    user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
    configuration = folder / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(
        folder=folder,
        user=user,
        six=six,
        plain=f"127.0.0.1:{plain}",
        secure=f"127.0.0.1:{secure}",
        limited=f"127.0.0.1:{limited}",
        misnamed=f"127.0.0.1:{misnamed}",
        http2=f"127.0.0.1:{http2}",
        https2=f"127.0.0.1:{https2}",
        limited_http2=f"127.0.0.1:{limited_http2}",
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
            "version": version(program, "-v"),
            "https": secure,
            "limited": limited,
            "misnamed": misnamed,
            "http2": http2,
            "https2": https2,
            "limitedHTTP2": limited_http2,
            "root": str(folder / "root.pem"),
            "unixSocket": str(folder / "nginx.sock"),
        },
        env={**os.environ, "NGINX": "".join(f"{number};" for number in numbers)},
        pass_fds=numbers,
    )


if __name__ == "__main__":
    main()
