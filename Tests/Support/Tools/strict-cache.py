#!/usr/bin/python3
"""A cache of Bazel's protocol that is as strict as bazel-remote, in place of which tests use it.

usage: strict-cache.py [LIMIT]    (writes its port to standard error; LIMIT bytes are all that it takes)

It wants a Content-Length and no other framing, digests what goes into cas/, and takes into ac/ only messages that read
as an ActionResult. It answers 404 for a message while a file that it names is not there, writes its own worker into one
without, knows no ranges, and answers 507 when it is full.
"""

import hashlib
import http.server
import re
import sys

FILES: dict[str, bytes] = {}
VALUES: dict[str, bytes] = {}
LIMIT = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 40


def fields(message: bytes) -> list[tuple[int, int | bytes]]:
    """The fields of a message of protocol buffers; ValueError for other bytes."""
    found: list[tuple[int, int | bytes]] = []
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            if place >= len(message) or shift > 63:
                raise ValueError("a number is cut")
            byte = message[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(message):
        key = varint()
        if key & 7 == 0:
            found.append((key >> 3, varint()))
        elif key & 7 == 2:
            length = varint()
            if place + length > len(message):
                raise ValueError("a text is cut")
            found.append((key >> 3, message[place : place + length]))
            place += length
        else:
            raise ValueError("no field of an ActionResult")
    return found


def one(message: bytes, number: int) -> bytes:
    """The last field with this number."""
    values = [value for found, value in fields(message) if found == number]
    if not values or not isinstance(values[-1], bytes):
        raise ValueError(f"field {number} is missing")
    return values[-1]


def named(message: bytes) -> list[str]:
    """The files that an ActionResult names; each has a digest with its size."""
    names = []
    for number, value in fields(message):
        if number == 2 and isinstance(value, bytes):
            digest = one(value, 2)
            name = one(digest, 1).decode("ascii")
            if not re.fullmatch("[0-9a-f]{64}", name):
                raise ValueError("no sha256")
            names.append(name)
    return names


class Handler(http.server.BaseHTTPRequestHandler):
    """The protocol."""

    protocol_version = "HTTP/1.1"

    def answer(self, status: int, body: bytes = b"") -> None:
        """One reply."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def place(self) -> tuple[str, str] | None:
        """The kind and the name in the path; `None` after an answer."""
        match = re.fullmatch("/(?:[^/]+/)?(ac|cas)/([a-f0-9]{64})", self.path)
        if not match:
            self.answer(400)
            return None
        return match[1], match[2]

    def do_GET(self) -> None:  # noqa: N802
        """Files, and values whose files are there."""
        place = self.place()
        if not place:
            return
        kind, name = place
        body = (FILES if kind == "cas" else VALUES).get(name)
        if body is None or kind == "ac" and not all(file in FILES for file in named(body)):
            self.answer(404)
        else:
            self.answer(200, body)

    do_HEAD = do_GET  # noqa: N815

    def do_PUT(self) -> None:  # noqa: N802
        """Takes what is right."""
        length = self.headers.get("Content-Length")
        if length is None or "Transfer-Encoding" in self.headers or "Expect" in self.headers:
            self.close_connection = True
            self.answer(400)
            return
        body = self.rfile.read(int(length))
        place = self.place()
        if not place:
            return
        kind, name = place
        if sum(map(len, FILES.values())) + len(body) > LIMIT:
            self.answer(507)
        elif kind == "cas":
            if hashlib.sha256(body).hexdigest() != name:
                self.answer(400)
                return
            FILES[name] = body
            self.answer(200)
        else:
            try:
                named(body)
                workers = [value for number, value in fields(body) if number == 9]
            except ValueError:
                self.answer(400)
                return
            VALUES[name] = body if workers else body + b"\x4a\x0b\x0a\x09127.0.0.1"
            self.answer(200)

    def log_message(self, *arguments: object) -> None:
        """Nothing is logged."""


def main() -> None:
    """Serves until it is killed."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], file=sys.stderr, flush=True)
    server.serve_forever()


main()
