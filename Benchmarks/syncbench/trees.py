"""W8 folders: an archive with many files is fetched, verified and unpacked into a folder."""

import io
import os
import shutil
import subprocess
import tarfile
import time
import zipfile

from . import data, filesystem, place, server
from .measure import Peer, in_turn
from .table import Goal, costs, goals, ratio
from .w4 import Output

TITLE = "W8 folders"
MEMORY_MEBIBYTES = 64
# In bytes: 20,000 such files have 400 MB.
FILE_SIZE = 20_000
TAR_FORMATS = {
    "tar.gz": "pigz -n -6" if shutil.which("pigz") else "gzip -n -6",
    "tar.zst": "zstd -q -3",
    "tar.xz": "xz -T2 -1",
}


def run(syncmake, runs, is_small):
    count = 500 if is_small else 20_000
    parts = []
    with server.nginx(data.served()) as url:
        for suffix in [*TAR_FORMATS, "zip"]:
            with filesystem.journaled(2 if is_small else 14) as (disk, kind):
                place.say(f"{suffix} on {kind}")
                parts.append(fresh(syncmake, runs, url, Tree(count, disk), suffix))
        with filesystem.journaled(2 if is_small else 14) as (disk, kind):
            parts.append(later(syncmake, runs, url, Tree(count, disk)))
    return "\n\n".join(parts)


class Tree(Output):
    """One folder that every peer fills in turn, in `out` below it; earlier ones are moved away."""

    def __init__(self, count, disk):
        self.count = count
        self.path = os.path.join(disk, "tree")
        os.makedirs(self.path, exist_ok=True)

    def empty(self):
        place.move_away(self.path)
        os.makedirs(self.path)
        os.sync()
        time.sleep(0.3)

    def trouble(self):
        found = sum(len(files) for _, _, files in os.walk(self.path + "/out"))
        return None if found == self.count else f"{found} files"

    def manifest(self, url, digest, step="unpack"):
        place.write(
            os.path.join(self.path, "syncmake.yaml"),
            f"version: 1\ntargets:\n  tree:\n    url: {url}\n    output: out/\n"
            f"    steps: [{{verify: {{sha256: {digest}}}}}, {step}]\n",
        )


def fresh(syncmake, runs, server_url, tree, suffix):
    count = tree.count
    name, digest = archive(count, suffix, 0)
    url = f"{server_url}/{name}"
    path, out = os.path.join(data.served(), name), tree.path + "/out"

    def prepare():
        tree.empty()
        tree.manifest(url, digest)

    ours = Peer("**syncmake**, sha256", [syncmake, "-C", tree.path, "-s"], prepare=prepare, check=tree.trouble)
    if suffix == "zip":
        floor = Peer("floor: unzip -t", f"unzip -tqq {path} > /dev/null", needs=["unzip"])
        peers = [
            tree.peer(
                "curl; unzip",
                f"curl -s -o {tree.path}/a.zip {url} && mkdir {out} && unzip -q {tree.path}/a.zip -d {out}",
                needs=["curl", "unzip"],
            )
        ]
        lines = [("wall ÷ curl; unzip", peers[0], 0.6)]
    else:
        program = TAR_FORMATS[suffix].split(maxsplit=1)[0]
        floor = Peer(f"floor: {program} -dc to nowhere", f"{program} -dc < {path} > /dev/null", needs=[program])
        peers = [
            tree.peer(
                "curl, bsdtar as a pipe, no sha256",
                f"set -o pipefail; mkdir {out}; curl -s {url} | bsdtar -xf - -C {out}",
                needs=["curl", "bsdtar"],
            ),
            tree.peer(
                "curl; sha256sum; tar",
                f"curl -s -o {tree.path}/a {url} && echo '{digest}  {tree.path}/a' | sha256sum -c --quiet"
                f" && mkdir {out} && tar -xf {tree.path}/a -C {out}",
                needs=["curl", "sha256sum", "tar"],
            ),
        ]
        lines = [("wall ÷ curl, bsdtar as a pipe", peers[0], 1.0), ("wall ÷ curl; sha256sum; tar", peers[1], 0.6)]
    all_peers = [floor, ours, *peers]
    in_turn(all_peers, runs)
    met = [Goal(f"{suffix}: {text}", ratio(ours, peer), limit) for text, peer, limit in lines]
    met.append(Goal(f"{suffix}: peak memory, MiB", ours.median("peak"), MEMORY_MEBIBYTES))
    title = f"W8 {suffix}, {count:,} files, {count * FILE_SIZE // 1_000_000} MB, verified and unpacked"
    return costs(title, all_peers, ours, floor) + "\n\n" + goals(met)


def later(syncmake, runs, server_url, tree):
    """A run without changes, and one after 1 % of the entries have changed."""
    count = tree.count
    names = [archive(count, "tar.gz", edition) for edition in (0, 1)]
    current = [0]

    def bring(edition):
        tree.manifest(f"{server_url}/{names[edition][0]}", names[edition][1])
        subprocess.run([syncmake, "-C", tree.path, "-s"], check=True, stdin=subprocess.DEVNULL)

    tree.empty()
    bring(0)

    def toggle():
        bring(current[0])
        current[0] = 1 - current[0]
        tree.manifest(f"{server_url}/{names[current[0]][0]}", names[current[0]][1])
        os.sync()

    unchanged = Peer("**syncmake**, nothing changed", [syncmake, "-C", tree.path, "-s"], check=tree.trouble)
    in_turn([unchanged], runs)
    changed = Peer("**syncmake**, 1 % changed", [syncmake, "-C", tree.path, "-s"], prepare=toggle, check=tree.trouble)
    path = os.path.join(data.served(), names[0][0])
    floor = Peer("floor: gzip -dc to nowhere", f"gzip -dc < {path} > /dev/null", needs=["gzip"])
    in_turn([floor, changed], runs)
    limit = 0.030 + 1.4e-6 * count
    wall = unchanged.median("wall")
    lines = [
        Goal("nothing changed: wall ÷ (30 ms + 1.4 µs for each file)", wall / limit if wall else None, 1.0),
        Goal("1 % changed: wall ÷ gzip -dc", ratio(changed, floor), 1.15),
    ]
    return costs(f"W8 later runs, {count:,} files", [floor, changed, unchanged], changed, floor) + "\n\n" + goals(lines)


def archive(count, suffix, edition):
    """An archive with `count` files of text; in another edition one in a hundred differs."""
    label = f"tree{count}-{edition}.{suffix}"
    return data.made(label, lambda path: write(path, count, suffix, edition))


def entries(count, edition):
    text = data.log_lines(8 << 20)
    for number in range(count):
        start = number * 1_009 % (len(text) - FILE_SIZE)
        body = f"{number} {edition if number % 100 == 0 else 0}\n".encode() + text[start : start + FILE_SIZE]
        yield f"d{number % 200:03d}/f{number:05d}.txt", body[:FILE_SIZE]


def write(path, count, suffix, edition):
    if suffix == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            for name, body in entries(count, edition):
                out.writestr(name, body)
        return
    with (
        open(path, "wb") as out,
        subprocess.Popen([*TAR_FORMATS[suffix].split(), "-c"], stdin=subprocess.PIPE, stdout=out) as process,
    ):
        with tarfile.open(fileobj=process.stdin, mode="w|", format=tarfile.USTAR_FORMAT) as tar:
            for name, body in entries(count, edition):
                info = tarfile.TarInfo(name)
                info.size = len(body)
                tar.addfile(info, io.BytesIO(body))
        process.stdin.close()
