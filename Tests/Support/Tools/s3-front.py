#!/usr/bin/env python3
"""Redirects each request to an S3 store, by a URL with a new signature.

usage: s3-front.py STORE-PORT ACCESS-KEY SECRET-KEY

It listens on a free port of 127.0.0.1 and prints that port on standard error. /BUCKET/KEY is redirected to the same
path of the store, signed in the query by AWS Signature Version 4. No two URLs have the same signature, because each
has another X-Amz-Expires.
"""

import datetime
import hashlib
import hmac
import http.server
import itertools
import sys
import urllib.parse

PORT, ACCESS, SECRET = sys.argv[1:]
SCOPE = "us-east-1/s3/aws4_request"
lifetimes = itertools.count(3600)


def sign(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256)


def presigned(host, path):
    """The URL with which anybody may GET `path` of `host` for an hour."""
    time = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{time[:8]}/{SCOPE}"
    fields = {
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
        "X-Amz-Credential": f"{ACCESS}/{scope}",
        "X-Amz-Date": time,
        "X-Amz-Expires": str(next(lifetimes)),
        "X-Amz-SignedHeaders": "host",
    }
    query = urllib.parse.urlencode(sorted(fields.items()), quote_via=urllib.parse.quote, safe="")
    request = "\n".join(["GET", path, query, f"host:{host}", "", "host", "UNSIGNED-PAYLOAD"])
    digest = hashlib.sha256(request.encode()).hexdigest()
    key = ("AWS4" + SECRET).encode()
    for part in scope.split("/"):
        key = sign(key, part).digest()
    signature = sign(key, "\n".join(["AWS4-HMAC-SHA256", time, scope, digest])).hexdigest()
    return f"http://{host}{path}?{query}&X-Amz-Signature={signature}"


class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(302)
        self.send_header("Location", presigned(f"127.0.0.1:{PORT}", self.path))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
server.daemon_threads = True
print(server.server_address[1], file=sys.stderr, flush=True)
server.serve_forever()
