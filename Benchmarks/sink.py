# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: sink.py

A server on loopback that takes a request's body as fast as it can, keeps none of it, and answers 200. It understands
bodies with a length and nothing else. Prints its port; ends with its standard input.
"""

import socket
import sys
import threading

REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nok"


def serve(client):
    buffer = bytearray(1 << 20)
    with client:
        while True:
            head = b""
            while b"\r\n\r\n" not in head:
                data = client.recv(65536)
                if not data:
                    return
                head += data
            head, _, body = head.partition(b"\r\n\r\n")
            fields = {name.strip().lower(): value.strip() for name, _, value in
                      (line.partition(b":") for line in head.split(b"\r\n")[1:])}
            if fields.get(b"expect", b"").lower() == b"100-continue":
                client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            left = int(fields.get(b"content-length", b"0")) - len(body)
            while left > 0:
                count = client.recv_into(buffer, min(left, len(buffer)))
                if count == 0:
                    return
                left -= count
            client.sendall(REPLY)


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    while sys.stdin.buffer.read(4096):
        pass


if __name__ == "__main__":
    main()
