# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: tus.py FOLDER

A server of resumable uploads on loopback: tuspyserver, at `/files/`. The files are in the folder `www` of FOLDER, under the last part of their
URLs. Runs until standard input ends. Prints one line of JSON: the port, or what is missing.
"""

import os
import sys
import threading

from supervision import announce, listening_socket, require_from_pypi, wait_for_the_end

require_from_pypi("tuspyserver")
require_from_pypi("uvicorn")

import uvicorn  # noqa: E402
from fastapi import FastAPI  # noqa: E402
from tuspyserver import create_tus_router  # noqa: E402


def main():
    application = FastAPI()
    application.include_router(create_tus_router(prefix="files", files_dir=os.path.join(sys.argv[1], "www")))
    listener = listening_socket()
    server = uvicorn.Server(uvicorn.Config(application, log_level="critical", access_log=False))
    threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True).start()
    announce(http=listener.getsockname()[1])
    wait_for_the_end()


if __name__ == "__main__":
    main()
