"""nginx and the delaying server on loopback, while a block runs."""

import contextlib
import os
import signal
import socket
import subprocess
import time
import urllib.request

from . import place

CONFIGURATION = """
daemon off; user root; worker_processes 1; pid {state}/nginx.pid; error_log {state}/error.log;
worker_rlimit_nofile 65536;
events {{ worker_connections 8192; }}
http {{
  default_type application/octet-stream;
  sendfile on; tcp_nopush on; tcp_nodelay on; etag on; gzip off; access_log off; autoindex on;
  keepalive_requests 1000000; keepalive_timeout 65s;
  {cache}
  client_body_temp_path {state}/t1; proxy_temp_path {state}/t2; fastcgi_temp_path {state}/t3;
  uwsgi_temp_path {state}/t4; scgi_temp_path {state}/t5;
  {rate}
  server {{ listen 127.0.0.1:{port} {protocol} backlog=4096; root {files}; {secure} {counter} }}
}}
"""


# For files that do not change.
CACHE = "open_file_cache max=300000 inactive=1h; open_file_cache_valid 1h; open_file_cache_errors on;"


def free_ports(count):
    """This number of unused ports."""
    sockets = []
    for _ in range(count):
        one = socket.socket()
        one.bind(("127.0.0.1", 0))
        sockets.append(one)
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


# Requests wait for their turn, which comes at even intervals.
RATE = "limit_req_zone $server_port zone=all:1m rate={rate}r/s; limit_req zone=all burst=10000;"
SECURE = "ssl_certificate {certificate}; ssl_certificate_key {key};"


def certificate():
    """A certificate for 127.0.0.1 that is its own authority, and its key; both files."""
    paths = [os.path.join(place.folder("tls"), name) for name in ("certificate.pem", "key.pem")]
    if not all(os.path.exists(path) for path in paths):
        options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650"]
        name = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        out = ["-out", paths[0], "-keyout", paths[1]]
        subprocess.run(["openssl", "req", "-x509", *options, *name, *out], check=True, stderr=subprocess.DEVNULL)
    return paths


@contextlib.contextmanager
def nginx(files, is_fixed=True, tls=None, counter=None, rate=None):
    """Serves `files`, which do not change if `is_fixed`; returns the server's URL.

    tls      "ssl" for HTTP/1.1 over TLS, "ssl http2" for HTTP/2, or None
    counter  the path where nginx tells how many requests it has had, or None
    rate     the requests that it answers in a second, or None for as many as it can
    """
    state, (port,) = place.folder("nginx"), free_ports(1)
    secure = ""
    if tls:
        path, key = certificate()
        secure = SECURE.format(certificate=path, key=key)
    text = CONFIGURATION.format(
        state=state,
        files=files,
        port=port,
        cache=CACHE if is_fixed else "",
        protocol=tls or "",
        secure=secure,
        counter=f"location = {counter} {{ stub_status; }}" if counter else "",
        rate=RATE.format(rate=rate) if rate else "",
    )
    with running(text, state, port):
        yield f"http{'s' if tls else ''}://127.0.0.1:{port}"


@contextlib.contextmanager
def running(text, state, port):
    """nginx with the configuration `text`, which listens on `port` and keeps its own files in the folder `state`."""
    if os.geteuid() != 0:
        text = text.replace("user root; ", "")
    path = place.write(os.path.join(state, "nginx.conf"), text)
    with subprocess.Popen(["nginx", "-c", path, "-e", os.path.join(state, "error.log")]) as process:
        try:
            await_port(port)
            yield
        finally:
            process.send_signal(signal.SIGTERM)


@contextlib.contextmanager
def delayed(delays):
    """Answers after each of `delays` (milliseconds); returns a port for each."""
    ports = free_ports(len(delays))
    words = [f"{port}:{delay}" for port, delay in zip(ports, delays)]
    # It ends when the pipe to it closes.
    with subprocess.Popen([place.compiled("delayd"), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        yield ports


def await_port(port):
    for _ in range(500):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise SystemExit("benchmark: error: nginx does not answer")


def requests_so_far(counter):
    """What nginx tells at the URL `counter`, this question included; None if it has no counter."""
    try:
        with urllib.request.urlopen(counter) as reply:
            return int(reply.read().split(b"\n")[2].split()[2])
    except (OSError, ValueError, IndexError):
        return None
