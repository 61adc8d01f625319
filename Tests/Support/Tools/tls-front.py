#!/usr/bin/env python3
"""Puts TLS in front of a plain HTTP server of the tests, and misbehaves as configured.

usage: tls-front.py --upstream PORT --certificate PEM --key PEM [--http2] [--also-plain] [--fault FAULT]

It listens on a free port of 127.0.0.1 and prints "listening PORT" on standard error. It ends with its
parent process. Without --http2 bytes pass unchanged. With it, each stream becomes a request to the server behind,
whose whole reply is sent back in frames; the X-Fault header of the reply names the fault:

    after=N                 the fault comes after N bytes of the body; without it, after all of them
    early                   before the reply's header
    rst=CODE                RST_STREAM
    goaway=CODE [last=N]    GOAWAY, and the end of the connection; last=0 disowns the stream
    end                     END_STREAM
    extra=N                 N bytes more than the body has
    frame=oversize|data-on-0|headers-on-0|push|unknown|junk
    header=uppercase|no-status|two-lengths
    no-length, trailers     no Content-Length; a header after the body
    close, reset, silent    the end of the connection by FIN or RST; nothing more
    open                    nothing more of this stream; the next ones are served

--fault is for the connection: plain (HTTP without TLS), junk, silent, close or reset instead of the handshake,
abrupt (TLS, but no close_notify at its end), mixed (every second connection speaks HTTP/1.1 only, the others
HTTP/2 with one stream at a time).
"""

import argparse
import itertools
import os
import select
import socket
import ssl
import struct
import sys
import threading

LIMIT_SECONDS = 60
DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = (
    0,
    1,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
)
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY = 0x1, 0x1, 0x4, 0x8, 0x20
FRAME_LIMIT = 16384


def end_with_reset(raw):
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raw.close()


def say_goodbye(secure):
    """Sends close_notify, and waits only briefly for the peer's."""
    secure.settimeout(1)
    try:
        secure.unwrap().close()
    except (OSError, ValueError):
        secure.close()


# --- HTTP/1.1: unchanged bytes


def tunnel(client, upstream, abrupt):
    """Passes bytes in both directions until the server behind has ended."""
    client.settimeout(0)
    upstream.settimeout(0)
    watched = [client, upstream]
    while True:
        pending = isinstance(client, ssl.SSLSocket) and client.pending() > 0
        ready = watched if pending else select.select(watched, [], [], LIMIT_SECONDS)[0]
        if not ready:
            return client.close()
        if client in ready:
            data = receive(client)
            if data == b"":
                return client.close()
            if data:
                send(upstream, data)
        if upstream in ready:
            try:
                data = receive(upstream)
            except ConnectionResetError:
                return end_with_reset(client)
            if data == b"":
                return client.close() if abrupt or not isinstance(client, ssl.SSLSocket) else say_goodbye(client)
            if data:
                send(client, data)


def receive(link):
    """Some bytes; no bytes at the end; None if there is nothing yet."""
    try:
        return link.recv(65536)
    except (ssl.SSLWantReadError, BlockingIOError):
        return None
    except ssl.SSLError:
        return b""


def send(link, data):
    link.settimeout(LIMIT_SECONDS)
    link.sendall(data)
    link.settimeout(0)


# --- HTTP/2: header compression (RFC 7541), as much of it as visible text needs

STATIC = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
] + [
    (name, "gzip, deflate" if name == "accept-encoding" else "")
    for name in [
        "accept-charset",
        "accept-encoding",
        "accept-language",
        "accept-ranges",
        "accept",
        "access-control-allow-origin",
        "age",
        "allow",
        "authorization",
        "cache-control",
        "content-disposition",
        "content-encoding",
        "content-language",
        "content-length",
        "content-location",
        "content-range",
        "content-type",
        "cookie",
        "date",
        "etag",
        "expect",
        "expires",
        "from",
        "host",
        "if-match",
        "if-modified-since",
        "if-none-match",
        "if-range",
        "if-unmodified-since",
        "last-modified",
        "link",
        "location",
        "max-forwards",
        "proxy-authenticate",
        "proxy-authorization",
        "range",
        "referer",
        "refresh",
        "retry-after",
        "server",
        "set-cookie",
        "strict-transport-security",
        "transfer-encoding",
        "user-agent",
        "vary",
        "via",
        "www-authenticate",
    ]
]

# The code is canonical: the symbols of each length, in order, define it completely.
SYMBOLS = {
    5: "012aceiost",
    6: " %-./3456789=A_bdfghlmnpru",
    7: ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz",
    8: "&*,;XZ",
    10: '!"()?',
    11: "'+|",
    12: "#>",
    13: "\0$@[]~",
    14: "^}",
    15: "<`{",
}


def huffman_codes():
    codes, code, last = {}, 0, 5
    for length, symbols in SYMBOLS.items():
        code <<= length - last
        for symbol in symbols:
            codes[(length, code)] = symbol
            code += 1
        last = length
    return codes


HUFFMAN = huffman_codes()


def huffman_text(data):
    text, length, code = "", 0, 0
    for byte in data:
        for shift in range(7, -1, -1):
            length, code = length + 1, code << 1 | byte >> shift & 1
            symbol = HUFFMAN.get((length, code))
            if symbol is not None:
                text, length, code = text + symbol, 0, 0
    return text


class HeaderReader:
    def __init__(self):
        self.table = []

    def fields(self, block):
        self.rest, found = block, []
        while self.rest:
            first = self.rest[0]
            if first & 0x80:
                found.append(self.entry(self.number(7)))
            elif first & 0x40:
                found.append(self.literal(6))
                self.table.insert(0, found[-1])
            elif first & 0x20:
                self.number(5)
            else:
                found.append(self.literal(4))
        return found

    def literal(self, bits):
        index = self.number(bits)
        name = self.entry(index)[0] if index else self.text()
        return name, self.text()

    def entry(self, index):
        return STATIC[index - 1] if index <= len(STATIC) else self.table[index - 1 - len(STATIC)]

    def number(self, bits):
        value, self.rest = self.rest[0] & (1 << bits) - 1, self.rest[1:]
        if value < (1 << bits) - 1:
            return value
        shift, more = 0, 0x80
        while more & 0x80:
            more, self.rest = self.rest[0], self.rest[1:]
            value, shift = value + ((more & 0x7F) << shift), shift + 7
        return value

    def text(self):
        packed = self.rest[0] & 0x80
        length = self.number(7)
        data, self.rest = self.rest[:length], self.rest[length:]
        return huffman_text(data) if packed else data.decode("latin-1")


def header_block(fields):
    """All fields as literals, without the index."""
    block = b""
    for name, value in fields:
        block += b"\0"
        for text in (name.encode("latin-1"), value.encode("latin-1")):
            length = len(text)
            if length < 127:
                block += bytes([length])
            else:
                length, block = length - 127, block + b"\x7f"
                while length >= 128:
                    length, block = length >> 7, block + bytes([length & 127 | 128])
                block += bytes([length])
            block += text
    return block


# --- HTTP/2: a connection


class Gone(Exception):
    """The connection is over."""


class Http2Connection:
    def __init__(self, link, upstream_port, one_at_a_time=False):
        self.link, self.upstream_port, self.one_at_a_time = link, upstream_port, one_at_a_time
        self.reader, self.buffer, self.waiting, self.block = HeaderReader(), b"", [], b""
        self.window, self.stream_windows, self.first_window = 65535, {}, 65535

    def run(self):
        self.link.settimeout(LIMIT_SECONDS)
        if self.take(24) != b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":
            raise Gone
        self.write(SETTINGS, 0, 0, struct.pack(">HI", 3, 1) if self.one_at_a_time else b"")
        while True:
            while self.waiting:
                self.answer(*self.waiting.pop(0))
            self.read_frame()

    def take(self, count):
        while len(self.buffer) < count:
            data = self.link.recv(65536)
            if not data:
                raise Gone
            self.buffer += data
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def write(self, kind, flags, stream, payload, length=None):
        length = len(payload) if length is None else length
        self.link.sendall(struct.pack(">I", length)[1:] + struct.pack(">BBI", kind, flags, stream) + payload)

    def read_frame(self):
        head = self.take(9)
        kind, flags, stream = struct.unpack(">BBI", head[3:])
        payload = self.take(struct.unpack(">I", b"\0" + head[:3])[0])
        if kind == SETTINGS and not flags & ACK:
            for place in range(0, len(payload), 6):
                name, value = struct.unpack(">HI", payload[place : place + 6])
                if name == 4:
                    self.first_window = value
            self.write(SETTINGS, ACK, 0, b"")
        elif kind == PING and not flags & ACK:
            self.write(PING, ACK, 0, payload)
        elif kind == WINDOW_UPDATE:
            more = struct.unpack(">I", payload)[0]
            if stream:
                self.stream_windows[stream] = self.stream_window(stream) + more
            else:
                self.window += more
        elif kind in (HEADERS, CONTINUATION):
            if kind == HEADERS:
                if flags & PADDED:
                    payload = payload[1 : len(payload) - payload[0]]
                self.block = payload[5:] if flags & PRIORITY else payload
            else:
                self.block += payload
            if flags & END_HEADERS:
                self.waiting.append((stream, self.reader.fields(self.block)))
        elif kind == GOAWAY:
            raise Gone

    def stream_window(self, stream):
        return self.stream_windows.get(stream, self.first_window)

    def answer(self, stream, asked):
        status, fields, body = self.ask_upstream(asked)
        words = " ".join(value for name, value in fields if name == "x-fault").split()
        fault = dict(word.split("=", 1) if "=" in word else (word, "") for word in words)
        fields = [field for field in fields if field[0] not in ("x-fault", "connection", "transfer-encoding")]
        if "early" in fault:
            return self.break_off(stream, fault)
        self.write_header(stream, status, fields, fault)
        self.write_body(stream, body[: int(fault.get("after", len(body)))])
        if "extra" in fault:
            self.write_body(stream, b"x" * int(fault["extra"]))
        self.break_off(stream, fault)

    def write_header(self, stream, status, fields, fault):
        fields = [(":status", status)] + fields
        if "no-length" in fault:
            fields = [field for field in fields if field[0] != "content-length"]
        oddity = fault.get("header")
        if oddity == "uppercase":
            fields.append(("X-Upper", "x"))
        elif oddity == "no-status":
            fields = fields[1:]
        elif oddity == "two-lengths":
            fields += [("content-length", "1")]
        self.write(HEADERS, END_HEADERS, stream, header_block(fields))

    def write_body(self, stream, body):
        while body:
            room = min(self.window, self.stream_window(stream), FRAME_LIMIT)
            if room <= 0:
                self.read_frame()
                continue
            piece, body = body[:room], body[room:]
            self.write(DATA, 0, stream, piece)
            self.window -= len(piece)
            self.stream_windows[stream] = self.stream_window(stream) - len(piece)

    def break_off(self, stream, fault):
        if "rst" in fault:
            return self.write(RST_STREAM, 0, stream, struct.pack(">I", int(fault["rst"])))
        if "goaway" in fault:
            last = int(fault.get("last", stream))
            self.write(GOAWAY, 0, 0, struct.pack(">II", last, int(fault["goaway"])))
            raise Gone
        if "close" in fault:
            raise Gone
        if "reset" in fault:
            end_with_reset(self.link)
            raise Gone
        if "open" in fault:
            return None
        if "silent" in fault:
            while True:
                self.read_frame()
        self.break_frame(stream, fault.get("frame"))
        if "trailers" in fault:
            return self.write(HEADERS, END_HEADERS | END_STREAM, stream, header_block([("x-sum", "1")]))
        return self.write(DATA, END_STREAM, stream, b"")

    def break_frame(self, stream, kind):
        if kind == "oversize":
            self.write(DATA, 0, stream, b"x" * 70000)
        elif kind == "data-on-0":
            self.write(DATA, 0, 0, b"x")
        elif kind == "headers-on-0":
            self.write(HEADERS, END_HEADERS, 0, header_block([(":status", "200")]))
        elif kind == "push":
            pushed = [(":method", "GET"), (":scheme", "https"), (":path", "/pushed"), (":authority", "x")]
            self.write(PUSH_PROMISE, END_HEADERS, stream, struct.pack(">I", 2) + header_block(pushed))
        elif kind == "unknown":
            self.write(0xEE, 0xFF, stream, b"whatever")
        elif kind == "junk":
            self.link.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            raise Gone

    def ask_upstream(self, asked):
        """Status, header fields and body of the reply from the server behind, however it ends."""
        pseudo = {name: value for name, value in asked if name.startswith(":")}
        lines = ["%s %s HTTP/1.1" % (pseudo[":method"], pseudo[":path"]), "Host: " + pseudo[":authority"]]
        lines += ["%s: %s" % field for field in asked if not field[0].startswith(":")]
        reply = b""
        with socket.create_connection(("127.0.0.1", self.upstream_port), LIMIT_SECONDS) as link:
            link.sendall("\r\n".join(lines + ["Connection: close", "", ""]).encode("latin-1"))
            data = link.recv(65536)
            while data:
                reply += data
                data = link.recv(65536)
        head, _, body = reply.partition(b"\r\n\r\n")
        rows = head.decode("latin-1").split("\r\n")
        fields = [(name.strip().lower(), value.strip()) for name, _, value in (row.partition(":") for row in rows[1:])]
        return rows[0].split(" ")[1], fields, body


# --- Connections


class Front:
    def __init__(self, options):
        self.options = options
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(options.certificate, options.key)
        if options.http2:
            self.context.set_alpn_protocols(["h2", "http/1.1"])
        self.serial = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.serial.load_cert_chain(options.certificate, options.key)
        self.serial.set_alpn_protocols(["http/1.1"])
        self.contexts = itertools.cycle([self.context, self.serial])
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)

    def run(self):
        print("listening", self.listener.getsockname()[1], file=sys.stderr, flush=True)
        self.listener.settimeout(1)
        starter = os.getppid()
        while os.getppid() == starter:
            try:
                client, _ = self.listener.accept()
            except socket.timeout:
                continue
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        client.settimeout(LIMIT_SECONDS)
        try:
            self.converse(client)
        except (OSError, Gone, ValueError, IndexError, KeyError):
            pass  # Whatever the client did, this connection is over.
        finally:
            client.close()

    def converse(self, client):
        fault = self.options.fault
        if fault == "reset":
            client.recv(1)
            return end_with_reset(client)
        if fault in ("plain", "junk"):
            client.sendall(
                b"HTTP/1.1 400 Bad Request\r\nContent-Length: 4\r\n\r\nbad\n" if fault == "plain" else b"\0" * 99
            )
        if fault in ("plain", "junk", "close"):
            client.recv(65536)
            return None
        if fault == "silent":
            while client.recv(65536):
                pass
            return None
        if self.options.also_plain and client.recv(1, socket.MSG_PEEK) != b"\x16":
            return self.relay(client)
        context = next(self.contexts) if fault == "mixed" else self.context
        with context.wrap_socket(client, server_side=True) as secure:
            if secure.selected_alpn_protocol() == "h2":
                return Http2Connection(secure, self.options.upstream, fault == "mixed").run()
            return self.relay(secure)

    def relay(self, client):
        with socket.create_connection(("127.0.0.1", self.options.upstream), LIMIT_SECONDS) as upstream:
            return tunnel(client, upstream, self.options.fault == "abrupt")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--upstream", type=int, required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--http2", action="store_true")
    parser.add_argument("--also-plain", action="store_true")
    parser.add_argument("--fault", choices=["plain", "junk", "silent", "close", "reset", "abrupt", "mixed"])
    Front(parser.parse_args()).run()


if __name__ == "__main__":
    main()
