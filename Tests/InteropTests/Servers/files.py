# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: files.py FOLDER

Runs `python3 -m http.server` over FOLDER on loopback until standard input ends. It answers in HTTP/1.0, one connection
per request. Prints one line of JSON: the port, or what failed.
"""

import re
import subprocess
import sys
import threading

from supervision import announce, answers, fail, wait_for_the_end


def main():
    child = subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", sys.argv[1]],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        # Port 0 lets the system choose; the first line says which one it was.
        line = child.stdout.readline()
        found = re.search(r"port (\d+)", line)
        if not found or not answers(int(found.group(1))):
            fail(f"python3 -m http.server did not start: {line.strip()}")
        threading.Thread(target=child.stdout.read, daemon=True).start()
        announce(http=int(found.group(1)))
        wait_for_the_end()
    finally:
        child.kill()
        child.wait()


if __name__ == "__main__":
    main()
