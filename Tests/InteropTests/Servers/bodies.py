# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""Usage: bodies.py

A server on loopback that says in JSON what arrived, until standard input ends. Prints one line of JSON: the port.

    any   /echo              method, target and header fields
    any   /digest            length and SHA-256 of the body, and whether it came in chunks
    POST  /form              a multipart form, parsed whole by Python's email package
    POST  /form/large        a multipart form of any size, parsed as it arrives
    GET   /pattern/N         N bytes, mostly zeros, with their digest in the header field X-SHA256
    GET   /chunked/N         the same in chunks
    any   /close             closes the connection without an answer
    GET   /cut/N             promises N bytes, sends half of them and closes
"""

import email.parser
import email.policy
import hashlib
import http.server
import json
import threading

from supervision import announce, wait_for_the_end

BLOCK = 1 << 20


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def pattern(length):
    """Blocks that add up to `length` bytes: zeros, and at the start of each block its number, so that order counts."""
    zeros = bytes(BLOCK)
    for number in range(0, (length + BLOCK - 1) // BLOCK):
        size = min(BLOCK, length - number * BLOCK)
        yield (number.to_bytes(8, "big") + zeros[8:])[:size]


class LargeForm:
    """Splits a multipart body at its boundaries while it arrives; keeps a digest of every part and none of its bytes."""

    def __init__(self, boundary):
        self.delimiter = b"\r\n--" + boundary
        self.pending = b"\r\n"  # the first delimiter has no line break of its own
        self.parts = []
        self.state = "preamble"

    def feed(self, data):
        self.pending += data
        while self.step():
            pass

    def step(self):
        if self.state in ("preamble", "content"):
            at = self.pending.find(self.delimiter)
            if at < 0:
                keep = len(self.delimiter) - 1
                self.content(self.pending[:-keep])
                self.pending = self.pending[-keep:]
                return False
            self.content(self.pending[:at])
            self.pending = self.pending[at + len(self.delimiter):]
            self.state = "delimiter"
        elif self.state == "delimiter":
            if len(self.pending) < 2:
                return False
            self.state = "epilogue" if self.pending[:2] == b"--" else "headers"
            if self.state == "headers" and self.pending[:2] != b"\r\n":
                raise ValueError("a delimiter is followed by something other than a line break")
            self.pending = self.pending[2:]
        elif self.state == "headers":
            at = self.pending.find(b"\r\n\r\n")
            if at < 0:
                return False
            headers = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(self.pending[:at + 4])
            self.parts.append({
                "name": headers.get_param("name", header="content-disposition"),
                "filename": headers.get_filename(),
                "type": headers["content-type"],
                "headers": [[name, value] for name, value in headers.items()],
                "length": 0,
                "digest": hashlib.sha256(),
            })
            self.pending = self.pending[at + 4:]
            self.state = "content"
        else:
            return False
        return True

    def content(self, data):
        if self.state == "content" and data:
            self.parts[-1]["length"] += len(data)
            self.parts[-1]["digest"].update(data)

    def result(self):
        if self.state != "epilogue":
            raise ValueError(f"the form ends in its {self.state}")
        return [{**part, "digest": part["digest"].hexdigest()} for part in self.parts]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def body(self):
        """The blocks of the request's body, chunked or not."""
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                if size == 0:
                    while self.rfile.readline() not in (b"\r\n", b""):
                        pass
                    return
                yield self.rfile.read(size)
                self.rfile.readline()
        left = int(self.headers.get("Content-Length", 0))
        while left > 0:
            data = self.rfile.read(min(left, BLOCK))
            if not data:
                raise ConnectionError("the request's body was cut short")
            left -= len(data)
            yield data

    def answer(self, value, status=200):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def serve(self):
        path, _, argument = self.path.lstrip("/").partition("/")
        if path == "close":
            self.close_connection = True
        elif path == "digest":
            digest, length = hashlib.sha256(), 0
            for data in self.body():
                digest.update(data)
                length += len(data)
            chunked = "Transfer-Encoding" in self.headers
            self.answer({"method": self.command, "length": length, "digest": digest.hexdigest(), "chunked": chunked})
        elif path == "form":
            self.form(large=argument == "large")
        elif path in ("pattern", "chunked", "cut"):
            self.give(path, int(argument))
        else:
            body = b"".join(self.body())
            headers = [[name, value] for name, value in self.headers.items()]
            self.answer({"method": self.command, "target": self.path, "headers": headers, "length": len(body)})

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = serve

    def form(self, large):
        kind = self.headers.get("Content-Type", "")
        try:
            if large:
                header = email.parser.HeaderParser().parsestr(f"Content-Type: {kind}\r\n\r\n")
                parser = LargeForm(header.get_param("boundary").encode())
                for data in self.body():
                    parser.feed(data)
                parts = parser.result()
            else:
                whole = f"Content-Type: {kind}\r\n\r\n".encode() + b"".join(self.body())
                message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(whole)
                if not message.is_multipart() or message.defects:
                    raise ValueError(f"not a form: {message.defects}")
                parts = [{
                    "name": part.get_param("name", header="content-disposition"),
                    "filename": part.get_filename(),
                    "type": part["content-type"],
                    "headers": [[name, value] for name, value in part.items()],
                    "length": len(part.get_payload(decode=True)),
                    "digest": sha256(part.get_payload(decode=True)),
                } for part in message.iter_parts()]
            self.answer({"parts": parts})
        except (ValueError, AttributeError) as error:
            self.answer({"error": str(error)}, status=400)

    def give(self, kind, length):
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        if kind == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
        else:
            digest = hashlib.sha256()
            for block in pattern(length):
                digest.update(block)
            self.send_header("X-SHA256", digest.hexdigest())
            self.send_header("Content-Length", str(length))
        self.end_headers()
        if self.command == "HEAD":
            return
        for block in pattern(length // 2 if kind == "cut" else length):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(block), block) if kind == "chunked" else block)
        if kind == "chunked":
            self.wfile.write(b"0\r\n\r\n")
        if kind == "cut":
            self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass  # a client that goes away in the middle is part of the tests


def main():
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    announce(http=server.server_address[1])
    wait_for_the_end()


if __name__ == "__main__":
    main()
