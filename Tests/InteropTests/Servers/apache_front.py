# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: apache_front.py FOLDER

Runs Apache httpd before an origin, HTTP/1.1 and HTTP/2: plain, over TLS, and over TLS for clients with a certificate, until
standard input ends.
"""

from apache import find_program, load
from fronts import LIMIT, free_ports, prepare, run, start_origin, version

MODULES = [
    "mpm_event", "authz_core", "headers", "http2", "proxy", "proxy_http", "rewrite", "ssl", "unixd",
]

program = find_program()
folder = prepare()
origin = start_origin()
plain, secure, mutual = free_ports(3)
configuration = folder / "httpd.conf"
configuration.write_text(f"""
ServerRoot {folder}
DefaultRuntimeDir {folder}
PidFile {folder}/httpd.pid
ServerName localhost
Listen 127.0.0.1:{plain}
Listen 127.0.0.1:{secure}
Listen 127.0.0.1:{mutual}
{load(program, MODULES)}
ErrorLog {folder}/error.log
LogLevel error
StartServers 2
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 60
Protocols h2 h2c http/1.1
# LimitRequestBody is not for requests that are forwarded.
RewriteEngine on
RewriteCond %{{HTTP:Content-Length}} -ge{LIMIT}
RewriteRule ^ - [R=413,L]
ProxyPass / http://127.0.0.1:{origin}/
SSLSessionCache none
SSLCertificateFile {folder}/leaf.pem
SSLCertificateKeyFile {folder}/leaf.key
<VirtualHost 127.0.0.1:{secure}>
    SSLEngine on
</VirtualHost>
<VirtualHost 127.0.0.1:{mutual}>
    SSLEngine on
    SSLCACertificateFile {folder}/root.pem
    SSLVerifyClient require
    Header always set X-Client "expr=%{{SSL_CLIENT_S_DN_CN}}"
</VirtualHost>
""", encoding="utf-8")
run(
    [program, "-d", str(folder), "-f", str(configuration), "-DFOREGROUND"], folder, plain, version(program, "-v"),
    secure=secure, both=plain, mutual=mutual, reload=f"kill -USR1 $(cat {folder}/httpd.pid)",
)
