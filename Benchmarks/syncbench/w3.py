"""W3: many small files are fetched for the first time; syncmake verifies them and survives a power cut."""

import filecmp
import os
import shutil

from . import data, filesystem, manifest, place, server, tools
from .measure import Peer, in_turn
from .table import Goal, costs, goals, ratio

TITLE = "W3 fetch"


def run(syncmake, runs, is_small):
    count = 200 if is_small else 10_000
    with filesystem.journaled(1 if is_small else 4) as (disk, kind), server.nginx(data.served()) as url:
        return compared(syncmake, runs, count, url, disk, kind)


class Folder:
    """The folder for one peer's files; it is emptied before each run, outside the measured time."""

    def __init__(self, disk, name, label, count):
        self.path, self.label, self.count = os.path.join(disk, name), label, count

    def empty(self):
        shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(self.path)
        os.sync()

    def trouble(self, below=""):
        """The error in the fetched files, or None."""
        path = os.path.join(self.path, below)
        if len(os.listdir(path)) != self.count:
            return f"{len(os.listdir(path))} files"
        source = os.path.join(data.served(), self.label)
        some = [data.name(number) for number in range(0, self.count, max(1, self.count // 20))]
        _, differing, odd = filecmp.cmpfiles(source, path, some, shallow=False)
        return "wrong files: " + " ".join(differing + odd) if differing or odd else None


def compared(syncmake, runs, count, url, disk, kind):
    ours, tenth = (ours_at(syncmake, disk, n, url) for n in (count, count // 10))
    label, digests = data.small_files(count)
    there = Folder(disk, "peer", label, count)
    lists = lists_of(url, label, count, there.path)

    def peer(name, command, **rest):
        return Peer(name, command, prepare=there.empty, check=there.trouble, **rest)

    floor = peer(
        "floor: libcurl multi in C, write and rename",
        [place.loop_in_c(), "-c16", "-o", there.path, f"{url}/{label}", str(count)],
    )
    kept = ["-o", there.path, "-s", data.listing_of(label)]
    safe = peer(
        "floor: the same, verified, synced, noted", [place.loop_in_c(), "-c16", *kept, f"{url}/{label}", str(count)]
    )
    shared = peer(
        "floor: that by two threads, 1,024 at a time",
        [place.loop_in_c(), "-c16", *kept, "-t1024", f"{url}/{label}", str(count)],
    )
    curl = peer("curl -Z, 16 (verifies nothing)", f"curl -s -Z --parallel-max 16 -K {lists}/curl", needs=["curl"])
    wget = peer(
        "wget2, 16 (verifies nothing)",
        f"wget2 -q -nd -P {there.path} --max-threads=16 -i {lists}/urls",
        needs=["wget2"],
    )
    aria = peer(
        "aria2c, 16 (verifies nothing)",
        f"aria2c -q -i {lists}/aria -d {there.path} -j16 -x1 -s1 --auto-save-interval=0 --file-allocation=none",
        most=3,
        needs=["aria2c"],
    )
    peers = [floor, safe, shared, ours, tenth, curl, wget, aria]
    python = tools.pooch()
    pooch = (
        peer("pooch (sha256)", [python, pooch_script(lists, url, label, digests, there.path)], most=1)
        if python
        else Peer("pooch", "", needs=["pooch"])
    )
    in_turn(peers + [pooch], runs)
    lines = [
        Goal("wall ÷ the loop in C", ratio(ours, floor), 1 / 0.9),
        Goal("wall ÷ curl -Z's", ratio(ours, curl), 1.15),
        Goal("wall ÷ wget2's", ratio(ours, wget), 0.75),
        Goal("wall ÷ aria2's", ratio(ours, aria), 0.2),
        Goal("wall ÷ pooch's", ratio(ours, pooch), 0.1),
        Goal(f"growth: wall at {count} ÷ at {count // 10}", ratio(ours, tenth), 11),
    ]
    title = f"{TITLE} {count:,} files of 4 KiB, to {kind}"
    return costs(title, peers + [pooch], ours, floor) + "\n\n" + goals(lines)


def ours_at(syncmake, disk, count, url):
    label, digests = data.small_files(count)
    root = Folder(disk, f"syncmake-{count}", label, count)

    def prepare():
        root.empty()
        manifest.small_files(root.path, f"{url}/{label}", digests)

    return Peer(
        f"**syncmake**, {count:,}, sha256",
        [syncmake, "-C", root.path, "-s", "-j", "16"],
        prepare=prepare,
        check=lambda: root.trouble("out"),
    )


def lists_of(url, label, count, there):
    lists = place.folder(f"w3-lists-{count}")
    names = [data.name(number) for number in range(count)]
    place.write(os.path.join(lists, "urls"), "".join(f"{url}/{label}/{name}\n" for name in names))
    place.write(os.path.join(lists, "aria"), "".join(f"{url}/{label}/{name}\n out={name}\n" for name in names))
    place.write(
        os.path.join(lists, "curl"), "".join(f'url="{url}/{label}/{name}"\noutput="{there}/{name}"\n' for name in names)
    )
    return lists


def pooch_script(lists, url, label, digests, there):
    place.write(
        os.path.join(lists, "registry"),
        "".join(f"{data.name(number)} {digest}\n" for number, digest in enumerate(digests)),
    )
    return place.write(
        os.path.join(lists, "fetch.py"),
        f"""import pooch
pooch.get_logger().setLevel(50)
shelf = pooch.create(path={there!r}, base_url="{url}/{label}/")
shelf.load_registry({os.path.join(lists, "registry")!r})
for name in shelf.registry:
    shelf.fetch(name)
""",
    )
