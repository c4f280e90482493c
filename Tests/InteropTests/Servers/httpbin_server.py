# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: httpbin_server.py

httpbin on loopback, with werkzeug's server, which keeps its connections. Runs until standard input ends. Prints one line of JSON: the port,
or what is missing.
"""

import logging
import threading

from supervision import announce, require, wait_for_the_end

require("httpbin", package="python3-httpbin")

from httpbin import app  # noqa: E402
from werkzeug.serving import WSGIRequestHandler, make_server  # noqa: E402


class KeepingHandler(WSGIRequestHandler):
    """Keeps a connection for the next request."""

    protocol_version = "HTTP/1.1"


def main():
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=KeepingHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    announce(http=server.server_port)
    wait_for_the_end()


if __name__ == "__main__":
    main()
