# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: werkzeug_forms.py

Werkzeug's own server on loopback, with an application that says in JSON what werkzeug finds in a multipart form. Runs
until standard input ends. Prints one line of JSON: the port, or what is missing.
"""

import hashlib
import json
import threading

from supervision import announce, require, wait_for_the_end

require("werkzeug", package="python3-werkzeug")

import werkzeug.serving  # noqa: E402
from werkzeug.wrappers import Request, Response  # noqa: E402


def part(name, content, file=None):
    headers = file.headers if file else []
    return {
        "name": name, "filename": file.filename if file else None, "length": len(content),
        "type": file.headers.get("Content-Type") if file else None, "digest": hashlib.sha256(content).hexdigest(),
        "headers": [[header, value] for header, value in headers],
    }


@Request.application
def application(request):
    fields = [part(name, value.encode()) for name, value in request.form.items(multi=True)]
    files = [part(name, file.read(), file) for name, file in request.files.items(multi=True)]
    return Response(json.dumps({"parts": fields + files}), content_type="application/json")


class Quiet(werkzeug.serving.WSGIRequestHandler):
    def log(self, *arguments):
        pass


def main():
    server = werkzeug.serving.make_server("127.0.0.1", 0, application, threaded=True, request_handler=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    announce(http=server.server_port)
    wait_for_the_end()


if __name__ == "__main__":
    main()
