"""A folder whose files many shards fetch, the server that has them and counts what it sends, and what must hold at the end.

`scripts/test-slurm` has Slurm start and kill the shards, `scripts/torture requeue` does it itself.
"""

import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
import time


class Failure(Exception):
    pass


def demand(condition, words):
    if not condition:
        raise Failure(words)


def heading(words):
    print(f"==> {words}", file=sys.stderr, flush=True)


def quiet_run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


class Files:
    """What the server has, and what it was asked for."""

    def __init__(self, count, chance, pause=0.02, refusals=0):
        """`pause` is how many seconds come after each 64 KiB of a body; so many files are refused with 503 at first."""
        self.data = {}
        self.pause = pause
        self.refusals = refusals
        for number in range(count):
            # Most are small; one in fifty is large enough to be interrupted.
            size = chance.randrange(300_000, 900_000) if number % 50 == 0 else chance.randrange(100, 20_000)
            self.data[f"/f{number}"] = chance.randbytes(size)
        self.lock = threading.Lock()
        self.clear()

    def clear(self):
        self.sent = 0
        self.bodies = dict.fromkeys(self.data, 0)
        # Small ones.
        self.refused = {f"/f{number}" for number in range(1, 1 + self.refusals)}

    @property
    def size(self):
        return sum(len(data) for data in self.data.values())

    def etag(self, path):
        return '"' + hashlib.sha256(self.data[path]).hexdigest()[:16] + '"'

    def serve(self):
        files = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                data = files.data.get(self.path)
                if data is None:
                    return self.reply(404, b"", [])
                etag = files.etag(self.path)
                if self.headers.get("If-None-Match") == etag:
                    return self.reply(304, None, [("ETag", etag)])
                start = 0
                asked = self.headers.get("Range", "")
                if asked.startswith("bytes=") and self.headers.get("If-Range") in (None, etag):
                    start = int(asked[len("bytes=") :].split("-")[0])
                with files.lock:
                    is_refused = self.path in files.refused
                    files.refused.discard(self.path)
                    files.bodies[self.path] += not is_refused
                if is_refused:
                    return self.reply(503, b"", [])
                fields = [("ETag", etag), ("Accept-Ranges", "bytes")]
                if start:
                    fields.append(("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}"))
                self.reply(206 if start else 200, data[start:], fields)

            def reply(self, status, body, fields):
                self.send_response(status)
                for name, value in fields:
                    self.send_header(name, value)
                if body is not None:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                # In pieces with pauses, so that kills come in the middle of bodies.
                for place in range(0, len(body or b""), 65536):
                    piece = body[place : place + 65536]
                    self.wfile.write(piece)
                    with files.lock:
                        files.sent += len(piece)
                    time.sleep(files.pause)

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, *_):
                pass  # a client that was killed

        server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"


class Root:
    """A folder with a manifest of all files."""

    def __init__(self, folder, files, base, program, retries=4):
        # How often a file was asked for when it was seen in place.
        self.finished = {}
        self.folder = folder
        self.files = files
        self.program = program
        self.environment = dict(os.environ, BASE=base, NO_PROXY="*", LC_ALL="C")
        (folder / "out").mkdir(parents=True)
        (folder / "files.tsv").write_text("file\n" + "".join(f"{path[1:]}\n" for path in files.data))
        (folder / "syncmake.yaml").write_text(
            f"version: 1\ndefaults: {{retries: {retries}}}\n"
            "hosts: {127.0.0.1: {connections: 64}}\ntargets:\n  ${file}:\n"
            '    matrix: {rows: files.tsv}\n    url: "${env:BASE}/${file}"\n    output: got/${file}\n'
        )

    def syncmake(self, *arguments):
        return quiet_run([self.program, *arguments], cwd=self.folder, env=self.environment)

    def note_finished(self):
        """Notes which files are in place: they must not be fetched again, whoever is killed now."""
        with self.files.lock:
            for path in self.files.data:
                if path not in self.finished and (self.folder / "got" / path[1:]).exists():
                    self.finished[path] = self.files.bodies[path]

    def check(self, shards, kills, at_work):
        for path, data in self.files.data.items():
            got = self.folder / "got" / path[1:]
            demand(got.exists() and got.read_bytes() == data, f"{path} is not as the server has it")
        names = sorted(str(path.relative_to(self.folder / "got")) for path in (self.folder / "got").rglob("*"))
        demand(names == sorted(path[1:] for path in self.files.data), "there are other files, too")

        demand(not self.files.refused, f"{self.files.refused} were not asked for")
        twice = [path for path, count in self.finished.items() if self.files.bodies[path] != count]
        demand(not twice, f"{len(twice)} files were fetched again though they were in place: {twice[:5]}")
        again = {path: count for path, count in self.files.bodies.items() if count != 1}
        demand(all(count > 0 for count in again.values()), "a file came without a request")
        demand(len(again) <= kills * at_work, f"{len(again)} files were asked for again, after {kills} kills")
        most = self.files.size if kills == 0 else 1.02 * self.files.size + kills * (1 << 20)
        demand(self.files.sent <= most, f"{self.files.sent} bytes were sent, of {self.files.size}")

        reports = [str(path) for path in (self.folder / "out").glob("*.json")]
        demand(len(reports) == shards, f"there are {len(reports)} reports")
        merged = self.syncmake("merge", "--json", *reports)
        demand(merged.returncode == 0, f"merge ends in {merged.returncode}: {merged.stderr}")
        targets = [target["name"] for target in json.loads(merged.stdout)["targets"]]
        demand(sorted(targets) == sorted(path[1:] for path in self.files.data), "merge lacks targets")

        sent = self.files.sent
        plain = self.syncmake("--json")
        summary = json.loads(plain.stdout)["summary"]
        demand(plain.returncode == 0 and summary["fresh"] == len(targets), f"a plain run finds {summary}")
        demand(self.files.sent == sent, "a plain run fetches again")
        demand(not (self.folder / ".syncmake/shards").exists(), "a plain run leaves the states of shards")
        overhead = 100 * (self.files.sent / self.files.size - 1)
        return f"{len(again)} of {len(targets)} files asked for again, {overhead:.2f} % more bytes"
