"""A loopback web server whose files can be replaced between two requests.

It supports ETag, Last-Modified, conditions, ranges with If-Range and redirects with a new signature each time, and
nothing else. Except for the signatures, each reply depends only on the files, so that two runs in the same situation
get the same replies.
"""

import email.utils
import hashlib
import http.server
import re
import socket
import threading


class ServedFile:
    """Bytes with their validators; `cut` ends each full body, and its connection, after this number of bytes."""

    def __init__(self, data, modified, cut=None):
        self.data = data
        self.modified = email.utils.formatdate(modified, usegmt=True)
        self.etag = '"' + hashlib.sha256(data).hexdigest()[:16] + '"'
        self.cut = cut


class SignedRedirect:
    """Sends every client on to `path`, with a signature that it has not had before."""

    def __init__(self, path):
        self.path = path


# What no file of ours may ever hold.
SIGNATURE = "X-Amz-Signature="


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are sent in one packet, without waiting for more.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self):
        self.reply(with_body=True)

    def do_HEAD(self):
        self.reply(with_body=False)

    def reply(self, with_body):
        self.server.requests.append((self.command, self.path, self.headers.get("Range")))
        file = self.server.files.get(self.path.split("?" + SIGNATURE)[0])
        if isinstance(file, SignedRedirect):
            location = f"{file.path}?{SIGNATURE}{self.server.next_signature()}"
            return self.send(302, b"", {"Location": location}, with_body)
        if file is None:
            return self.send(404, b"", {}, with_body)
        headers = {"ETag": file.etag, "Last-Modified": file.modified}
        tags = self.headers.get("If-None-Match")
        since = self.headers.get("If-Modified-Since")
        if tags == file.etag or (tags is None and since == file.modified):
            return self.send(304, None, headers, with_body)
        first = self.first_byte(file)
        if with_body:
            self.server.fetched.append(self.path)
        if first is None:
            return self.send(200, file.data, headers, with_body, file.cut)
        headers["Content-Range"] = f"bytes {first}-{len(file.data) - 1}/{len(file.data)}"
        self.send(206, file.data[first:], headers, with_body)

    def first_byte(self, file):
        """The start of the requested range; None if the whole body is sent."""
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if not match or self.headers.get("If-Range", file.etag) != file.etag:
            return None
        first = int(match[1])
        return first if first < len(file.data) else None

    def send(self, status, data, headers, with_body, cut=None):
        lines = [f"HTTP/1.1 {status} {self.responses[status][0]}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if data is not None:
            lines.append(f"Content-Length: {len(data)}")
        self.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        if with_body and data:
            self.wfile.write(data if cut is None else data[:cut])
            if cut is not None:
                self.close_connection = True
        self.wfile.flush()

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Listens on 127.0.0.1 at a free port from the start until `close`."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {}
        self.requests = []
        # The paths of files whose bytes were sent, not those that were confirmed.
        self.fetched = []
        self.signatures, self.signing = 0, threading.Lock()
        self.connections, self.connections_ended = 0, threading.Condition()
        self.base = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def next_signature(self):
        with self.signing:
            self.signatures += 1
            return f"{self.signatures:032x}"

    def server_bind(self):
        # HTTPServer's own method looks up the host's name, which may take long.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.server_address

    def process_request(self, request, client_address):
        with self.connections_ended:
            self.connections += 1
        super().process_request(request, client_address)

    def process_request_thread(self, request, client_address):
        super().process_request_thread(request, client_address)
        with self.connections_ended:
            self.connections -= 1
            self.connections_ended.notify_all()

    def settle(self):
        """Waits until everything that a client sent before it was killed has been read."""
        # This connection is accepted after all of the client's.
        with socket.create_connection(self.server_address) as mine:
            mine.sendall(b"GET /settle HTTP/1.0\r\n\r\n")
            while mine.recv(4096):
                pass
        with self.connections_ended:
            if not self.connections_ended.wait_for(lambda: self.connections == 0, timeout=30):
                raise RuntimeError("a connection stays open")

    def handle_error(self, request, client_address):
        # Killed clients are expected.
        pass

    def close(self):
        self.shutdown()
        self.server_close()
