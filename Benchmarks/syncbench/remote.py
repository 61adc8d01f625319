"""W10, remote: a cache on a server: hits beside curl, uploads, runs without an origin, and a cache that does not answer."""

import contextlib
import hashlib
import os
import shutil
import socket
import subprocess

from . import data, filesystem, manifest, place, server
from .measure import in_turn
from .root import Root
from .table import Goal, costs, goals, ratio

TITLE = "W10 a cache on a server"
COUNTER = "/requests-so-far"
NO_CACHE = "off"
# A run that waits for its source has time for the cache.
RATE = 500


def run(syncmake, runs, is_small):
    count, large = (200, 8 << 20) if is_small else (10_000, 256 << 20)
    with server.nginx(data.served(), is_fixed=False, counter=COUNTER) as origin, Store.serving() as store:
        texts = [
            hit(syncmake, runs, 8 << 20 if is_small else 1 << 30, origin, store),
            small_uploads(syncmake, runs, count, origin, store),
            large_upload(syncmake, runs, large, origin, store),
            locked(syncmake, count, origin, store),
            useless(syncmake, runs, min(count, 1000), origin),
        ]
    with server.nginx(data.served(), rate=RATE) as origin, Store.serving() as store:
        what = f" from a source that answers {RATE} requests a second"
        texts.insert(2, small_uploads(syncmake, runs, min(count, 2000), origin, store, what))
    return "\n\n".join(texts)


CONFIGURATION = """
daemon off; user root; worker_processes 1; pid {state}/nginx.pid; error_log {state}/error.log;
events {{ worker_connections 1024; }}
http {{
  default_type application/octet-stream;
  sendfile on; tcp_nopush on; tcp_nodelay on; access_log off; log_not_found off; keepalive_requests 1000000;
  client_body_temp_path {state}/t1; proxy_temp_path {state}/t2; fastcgi_temp_path {state}/t3;
  uwsgi_temp_path {state}/t4; scgi_temp_path {state}/t5; client_max_body_size 0;
  server {{
    listen 127.0.0.1:{port} backlog=4096; root {files};
    location /sm/ {{ dav_methods PUT; create_full_put_path on; }}
  }}
}}
"""


class Store:
    """A cache on a server: nginx that keeps what is PUT."""

    def __init__(self, path, url):
        self.path, self.url = path, url

    @classmethod
    @contextlib.contextmanager
    def serving(cls):
        state, (port,) = place.folder("w10-server", empty=True), server.free_ports(1)
        files = place.folder("w10-server/files")
        with server.running(CONFIGURATION.format(state=state, port=port, files=files), state, port):
            yield cls(os.path.join(files, "sm"), f"http://127.0.0.1:{port}/sm")
        shutil.rmtree(state)

    def empty(self):
        if os.path.exists(self.path):
            place.move_away(self.path)

    def trouble(self, count):
        """The error in what runs have put there; None if it is `count` files, each with its record."""
        found = [len(os.listdir(os.path.join(self.path, kind))) for kind in ("cas", "ac")]
        return None if found == [count, count] else f"{found[0]} files and {found[1]} records in the cache"


def configuration(folder, url, mode):
    """The user's configuration with the cache at `url`."""
    return place.write(os.path.join(folder, mode + ".yaml"), f"remote_cache: {{url: '{url}', mode: {mode}}}\n")


def nowhere():
    """An address where nothing listens."""
    return f"http://127.0.0.1:{server.free_ports(1)[0]}"


def hit(syncmake, runs, size, origin, store):
    """The file comes from the cache only: the manifest that is measured names a source that is not there."""
    name, digest = data.large_noise(size)
    root, gone = Root("w10-hit"), nowhere()
    store.empty()
    write, read = (configuration(root.path, store.url, mode) for mode in ("write", "read"))
    root.run(syncmake, lambda folder: manifest.one_file(folder, f"{origin}/{name}", digest), write)
    out = os.path.join(root.root, "out")
    get = f"mkdir {out} && curl -sf -o {out}/big {store.url}/cas/{digest}"
    sums = f"{get} && echo '{digest}  {out}/big' | sha256sum -c --quiet"
    plain = root.peer("curl -o", get, 1, needs=["curl"])
    synced = root.peer("curl -o; sync", f"{get} && sync {out}/big", 1, needs=["curl"])
    summed = root.peer("curl -o; sha256sum; sync", f"{sums} && sync {out}/big", 1, needs=["curl", "sha256sum"])
    ours = root.ours(
        "**syncmake**, a hit", syncmake, lambda folder: manifest.one_file(folder, f"{gone}/{name}", digest), 1, read
    )
    in_turn([plain, synced, summed, ours], runs)
    root.empty()
    lines = [
        Goal("rate ÷ curl's", ratio(plain, ours), 0.8, least=True),
        Goal("rate ÷ that of curl and its sync", ratio(synced, ours), 0.8, least=True),
        Goal("peak memory, MiB", ours.median("peak"), 40),
    ]
    title = f"W10 one hit of {size >> 20:,} MiB in a cache on a server"
    return costs(title, [plain, synced, summed, ours], ours, plain) + "\n\n" + goals(lines)


def small_uploads(syncmake, runs, count, origin, store, source=""):
    label, digests = data.small_files(count)

    def make(folder):
        manifest.small_files(folder, f"{origin}/{label}", digests)

    with filesystem.journaled(1 if count < 1000 else 4) as (disk, kind):
        what = f"{count:,} files of 4 KiB{source}, on {kind}"
        return uploads(syncmake, runs, what, Root(os.path.join(disk, "w10"), has_many=True), make, count, store)


def large_upload(syncmake, runs, size, origin, store):
    name, digest = data.large_noise(size)

    def make(folder):
        manifest.one_file(folder, f"{origin}/{name}", digest)

    return uploads(syncmake, runs, f"one file of {size >> 20:,} MiB", Root("w10-upload"), make, 1, store)


def uploads(syncmake, runs, what, root, make, count, store):
    """The cache is empty before each run; `read-write` asks it for each file, too."""
    write, both = (configuration(root.path, store.url, mode) for mode in ("write", "read-write"))
    plain = root.ours("syncmake, no cache", syncmake, make, count, NO_CACHE)

    def uploading(name, settings):
        return root.ours(name, syncmake, make, count, settings, store.empty, lambda: store.trouble(count))

    ours = uploading("**syncmake**, uploads", write)
    asking = uploading("syncmake, asks and uploads", both)
    in_turn([plain, ours, asking], runs)
    root.empty()
    store.empty()
    title = f"W10 uploads to a cache on a server: {what}"
    lines = [Goal("wall ÷ that of a run without a cache", ratio(ours, plain), 1.05)]
    return costs(title, [plain, ours, asking], ours, plain) + "\n\n" + goals(lines)


def locked(syncmake, count, origin, store):
    """The requests that the origin gets from a new root with a lock, when the cache has all files."""
    label, _ = data.small_files(count)
    first, new = Root("w10-lock", has_many=True), Root("w10-locked", has_many=True)
    write, read = (configuration(first.path, store.url, mode) for mode in ("write", "read"))

    def make(folder):
        manifest.small_files(folder, f"{origin}/{label}", count=count)

    def make_locked(folder):
        make(folder)
        shutil.copy(os.path.join(first.root, "syncmake.lock"), folder)

    first.run(syncmake, make, write)
    environment = {**os.environ, "SYNCMAKE_CONFIG": NO_CACHE}
    subprocess.run([syncmake, "-C", first.root, "-s", "lock"], check=True, env=environment)
    before = server.requests_so_far(origin + COUNTER)
    new.run(syncmake, make_locked, read)
    after = server.requests_so_far(origin + COUNTER)
    is_right = before is not None and after is not None and not new.trouble(count)
    lines = [Goal("requests to the origin", after - before - 1 if is_right else None, 0)]
    return f"### W10 {count:,} files of 4 KiB, a lock, and a warm cache on a server\n\n" + goals(lines)


def useless(syncmake, runs, count, origin):
    """A cache where nothing listens, and one that takes connections and never answers."""
    label, digests = data.small_files(count)
    root = Root("w10-useless", has_many=True)

    def make(folder):
        manifest.small_files(folder, f"{origin}/{label}", digests)

    def trouble():
        """The error in the outputs, or None."""
        for number, digest in enumerate(digests):
            with open(os.path.join(root.root, "out", data.name(number)), "rb") as file:
                if hashlib.sha256(file.read()).hexdigest() != digest:
                    return f"{data.name(number)} is wrong"
        return None

    def peer(name, settings):
        return root.ours(name, syncmake, make, count, settings, check=trouble)

    # The system completes connections that nobody accepts.
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as silent:
        dead = configuration(place.folder("w10-useless/dead"), nowhere(), "read-write")
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        mute = configuration(place.folder("w10-useless/hanging"), address, "read-write")
        plain = peer("syncmake, no cache", NO_CACHE)
        refused, hanging = peer("**syncmake**, a dead cache", dead), peer("syncmake, a cache that hangs", mute)
        in_turn([plain, refused, hanging], runs)
    root.empty()
    lines = [
        Goal(f"{name}: s more than without", more(one, plain), 3)
        for name, one in (("dead", refused), ("hanging", hanging))
    ]
    title = f"W10 {count:,} files of 4 KiB, and a cache on a server that is of no use"
    return costs(title, [plain, refused, hanging], refused, plain) + "\n\n" + goals(lines)


def more(one, other):
    """The seconds that `one` takes more than `other`; None if either is missing."""
    return one.median("wall") - other.median("wall") if one.runs and other.runs else None
