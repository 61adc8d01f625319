"""W2: many small files exist and are unchanged; the server answers 304 to each request."""

import os
import subprocess

from . import data, manifest, place, server
from .measure import Peer, in_turn
from .table import Goal, costs, goals, ratio

TITLE = "W2 revalidate"
LATENCY_MILLISECONDS = 20


def run(syncmake, runs, is_small):
    count = 200 if is_small else 10_000
    with server.nginx(data.served()) as url:
        text = compared(syncmake, runs, count, url)
    return text + "\n\n" + with_latency(syncmake, runs, 100 if is_small else 1000)


def compared(syncmake, runs, count, url):
    ours, tenth = (ours_at(syncmake, n, url) for n in (count, count // 10))
    label, _ = data.small_files(count)
    here, lists = peers_files(url, label, count)
    floor = Peer(
        "floor: libcurl multi in C", [place.loop_in_c(), "-c16", "-e", data.ETAG, f"{url}/{label}", str(count)]
    )
    aria = Peer(
        "aria2c, 16",
        f"aria2c -q -i {lists}/aria -d {here} --conditional-get=true "
        "--allow-overwrite=true --remote-time=true -j16 -x1 -s1 --auto-save-interval=0 "
        "--file-allocation=none",
        needs=["aria2c"],
    )
    wget = Peer("wget2 -N, 16", f"wget2 -q -N -nd -P {here} --max-threads=16 -i {lists}/urls", needs=["wget2"])
    curl = Peer("curl -Z with ETags, 16", f"curl -s -Z --parallel-max 16 -K {lists}/curl", needs=["curl"])
    rclone = Peer(
        "rclone copy (HEAD), 16",
        f"rclone copy --config /dev/null -q --checkers 16 --transfers 16 --http-url {url}/{label}/ :http: {here}",
        needs=["rclone"],
    )
    peers = [floor, ours, tenth, aria, wget, curl, rclone]
    in_turn(peers, runs)
    lines = [
        Goal("wall ÷ the loop in C", ratio(ours, floor), 1.25),
        Goal("CPU ÷ aria2's", ratio(ours, aria, "cpu"), 0.40),
        Goal("CPU ÷ wget2's", ratio(ours, wget, "cpu"), 0.75),
        Goal("wall ÷ aria2's", ratio(ours, aria), 0.40),
        Goal("wall ÷ curl -Z's", ratio(ours, curl), 0.5),
        Goal("wall ÷ wget2's", ratio(ours, wget), 1.1),
        Goal("memory ÷ aria2's", ratio(ours, aria, "peak"), 0.4),
        Goal(f"growth: wall at {count} ÷ at {count // 10}", ratio(ours, tenth), 11),
    ]
    return costs(f"{TITLE}, {count:,} files", peers, ours, floor) + "\n\n" + goals(lines)


def ours_at(syncmake, count, url):
    """syncmake after everything was fetched and recorded; the outputs must stay unchanged."""
    label, _ = data.small_files(count)
    root = manifest.small_files(place.folder(f"w2-{count}", empty=True), f"{url}/{label}", count=count)
    subprocess.run([syncmake, "-C", root, "-s"], check=True)
    before = os.stat(os.path.join(root, "out", data.name(count // 2)))

    def untouched():
        now = os.stat(os.path.join(root, "out", data.name(count // 2)))
        return None if now == before or now.st_ino == before.st_ino else "an output was replaced"

    return Peer(f"**syncmake**, {count:,}", [syncmake, "-C", root, "-s", "-j", "16"], check=untouched)


def peers_files(url, label, count):
    """The files as the peers have them, with the server's times, and the peers' lists of URLs."""
    here, lists = place.folder(f"w2-peers-{count}"), place.folder(f"w2-lists-{count}")
    source = os.path.join(data.served(), label)
    if len(os.listdir(here)) != count:
        subprocess.run(["cp", "-a", source + "/.", here], check=True)
    names = [data.name(number) for number in range(count)]
    tag = place.write(os.path.join(lists, "etag"), data.ETAG + "\n")
    place.write(os.path.join(lists, "urls"), "".join(f"{url}/{label}/{name}\n" for name in names))
    place.write(os.path.join(lists, "aria"), "".join(f"{url}/{label}/{name}\n out={name}\n" for name in names))
    place.write(
        os.path.join(lists, "curl"),
        "next\n".join(
            f'url="{url}/{label}/{name}"\noutput="{here}/{name}"\netag-compare="{tag}"\nsilent\n' for name in names
        ),
    )
    return here, lists


def with_latency(syncmake, runs, count):
    """The shortest time: each request takes a round trip, and only a limited number is in progress at once."""
    connections = manifest.CONNECTIONS
    with server.delayed([LATENCY_MILLISECONDS]) as (port,):
        url = f"http://127.0.0.1:{port}"
        root = manifest.small_files(place.folder("w2-latency", empty=True), url, count=count)
        subprocess.run([syncmake, "-C", root, "-s"], check=True)
        ours = Peer("**syncmake**", [syncmake, "-C", root, "-s", "-j", str(connections)])
        floor = Peer(
            "floor: libcurl multi in C", [place.loop_in_c(), f"-c{connections}", "-e", data.ETAG, url, str(count)]
        )
        in_turn([floor, ours], runs)
    ideal = count / connections * LATENCY_MILLISECONDS / 1000
    wall = ours.median("wall")
    lines = [Goal("wall ÷ (N × RTT ÷ connections)", wall / ideal if wall else None, 1.2)]
    title = f"W2 with {LATENCY_MILLISECONDS} ms of latency, {count:,} files, {connections} connections"
    return costs(title, [floor, ours], ours, floor) + "\n\n" + goals(lines)
