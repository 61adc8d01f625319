"""W10: the cache on one machine: hits beside copies, and cold roots that share a store or a collapsing proxy."""

import contextlib
import os
import shutil
import subprocess

from . import data, manifest, place, server
from .measure import in_turn
from .root import Root
from .table import Goal, costs, goals, ratio

TITLE = "W10 a cache"
ROOTS = 16
COUNTER = "/requests-so-far"


def run(syncmake, runs, is_small):
    with server.nginx(data.served(), is_fixed=False, counter=COUNTER) as url:
        texts = [
            small_hits(syncmake, runs, 200 if is_small else 10_000, url),
            large_hit(syncmake, runs, 8 << 20 if is_small else 1 << 30, url),
            cold_roots(syncmake, [1 << 10, 1 << 20] if is_small else [1 << 10, 1 << 20, 64 << 20, 1 << 30], url),
        ]
    return "\n\n".join(texts)


class Copies(Root):
    """A root that is filled from one cache on this machine, with copies or with hard links."""

    def __init__(self, name, has_many=False):
        super().__init__(name, has_many)
        cache = os.path.join(self.path, "cache")
        self.configurations = {}
        for link in ("copy", "hardlink"):
            text = f"cache: {cache}\ncache_size: 1000GB\ncache_link: {link}\n"
            self.configurations[link] = place.write(os.path.join(self.path, link + ".yaml"), text)

    def hits(self, name, syncmake, make, count, link="copy"):
        return self.ours(name, syncmake, make, count, self.configurations[link])

    def fill(self, syncmake, make):
        self.run(syncmake, make, self.configurations["copy"])


def small_hits(syncmake, runs, count, url):
    label, digests = data.small_files(count)
    copies = Copies("w10-small", has_many=True)

    def make(root):
        manifest.small_files(root, f"{url}/{label}", digests)

    copies.fill(syncmake, make)
    served = os.path.join(data.served(), label)
    plain = copies.peer("cp -r", f"cp -r {served} {copies.root}/out", count)
    synced = copies.peer("cp -r; sync -f", f"cp -r {served} {copies.root}/out && sync -f {copies.root}", count)
    ours = copies.hits("**syncmake**, hits", syncmake, make, count)
    linked = copies.hits("**syncmake**, hits, hardlink", syncmake, make, count, "hardlink")
    in_turn([plain, synced, ours, linked], runs)
    copies.empty()
    lines = [
        Goal("wall ÷ cp -r", ratio(ours, plain), 1.5),
        Goal("wall ÷ cp -r and its sync", ratio(ours, synced), 1.5),
    ]
    title = f"W10 {count:,} hits of 4 KiB, named by digests"
    return costs(title, [plain, synced, ours, linked], ours, plain) + "\n\n" + goals(lines)


def large_hit(syncmake, runs, size, url):
    name, digest = data.large_noise(size)
    copies = Copies("w10-large")

    def make(root):
        manifest.one_file(root, f"{url}/{name}", digest)

    copies.fill(syncmake, make)
    served, out = os.path.join(data.served(), name), os.path.join(copies.root, "out")
    sums = f"mkdir {out} && cp {served} {out}/big && echo '{digest}  {out}/big' | sha256sum -c --quiet"
    plain = copies.peer("cp; sha256sum", sums, 1, needs=["sha256sum"])
    synced = copies.peer("cp; sha256sum; sync", f"{sums} && sync {out}/big", 1, needs=["sha256sum"])
    ours = copies.hits("**syncmake**, a hit", syncmake, make, 1)
    linked = copies.hits("**syncmake**, a hit, hardlink", syncmake, make, 1, "hardlink")
    in_turn([plain, synced, ours, linked], runs)
    copies.empty()
    lines = [
        Goal("wall ÷ cp and sha256sum", ratio(ours, plain), 1.15),
        Goal("wall ÷ cp, sha256sum and its sync", ratio(ours, synced), 1.15),
        Goal("peak memory, MiB", ours.median("peak"), 40),
    ]
    return costs(f"W10 one hit of {size >> 20:,} MiB", [plain, synced, ours, linked], ours, plain) + (
        "\n\n" + goals(lines)
    )


def cold_roots(syncmake, sizes, url):
    """Many new roots at once: each body is fetched once from the origin."""
    lines = []
    for size in sizes:
        name, digest = data.large_noise(size)
        shared = {"SYNCMAKE_CACHE": place.folder("w10-store", empty=True)}
        asked = asked_by_all(syncmake, url, f"{url}/{name}", size, digest, shared)
        lines.append(Goal(f"requests of {ROOTS} roots with one store, {shown(size)}", asked, 1))
        with proxy(url) as front:
            asked = asked_by_all(syncmake, url, f"{front}/{name}", size, digest, {"SYNCMAKE_CACHE": "off"})
        lines.append(Goal(f"the same through a collapsing proxy, {shown(size)}", asked, 1))
    shutil.rmtree(place.folder("w10-store"))
    return f"### W10 {ROOTS} cold roots at once\n\n" + goals(lines)


def shown(size):
    return f"{size >> 20} MiB" if size >> 20 else f"{size >> 10} KiB"


def asked_by_all(syncmake, origin, url, size, digest, environment):
    """The requests that the origin gets while all roots fetch `url`; None if an output is wrong.

    Without a digest each root would ask whether the origin still has what the first one has fetched.
    """
    folder = place.folder("w10-roots", empty=True)
    roots = [os.path.join(folder, str(number)) for number in range(ROOTS)]
    for root in roots:
        os.makedirs(root)
        # Those who wait behind a proxy get nothing before the whole body is there.
        target = f"{{url: '{url}', output: big, freshness: {{sha256: {digest}}}, timeout: {{stall: 10m}}}}"
        place.write(os.path.join(root, "syncmake.yaml"), f"version: 1\ntargets: {{big: {target}}}\n")
    before = server.requests_so_far(origin + COUNTER)
    environment = {**os.environ, **environment}
    started = [subprocess.Popen([syncmake, "-C", root, "-s"], env=environment) for root in roots]
    statuses = [process.wait() for process in started]
    after = server.requests_so_far(origin + COUNTER)
    is_right = not any(statuses) and all(os.path.getsize(os.path.join(root, "big")) == size for root in roots)
    shutil.rmtree(folder)
    return after - before - 1 if is_right and before is not None and after is not None else None


PROXY = """
daemon off; user root; worker_processes 1; pid {state}/nginx.pid; error_log {state}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path {state}/t1; proxy_temp_path {state}/t2; fastcgi_temp_path {state}/t3;
  uwsgi_temp_path {state}/t4; scgi_temp_path {state}/t5;
  proxy_cache_path {state}/cache keys_zone=files:8m max_size=20g inactive=30d use_temp_path=off;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{
      proxy_pass {origin}; proxy_cache files; proxy_cache_key $uri; proxy_cache_valid 200 1h;
      proxy_cache_revalidate on; proxy_cache_lock on; proxy_cache_lock_timeout 1h; proxy_cache_lock_age 1h;
      proxy_max_temp_file_size 0;
    }}
  }}
}}
"""


@contextlib.contextmanager
def proxy(origin):
    """nginx in front of `origin`, which asks once for what several want; returns its URL."""
    state, (port,) = place.folder("w10-proxy", empty=True), server.free_ports(1)
    with server.running(PROXY.format(state=state, port=port, origin=origin), state, port):
        yield f"http://127.0.0.1:{port}"
    shutil.rmtree(state)
