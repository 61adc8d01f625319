"""W9: what a list names: a list that is unchanged, one with new entries, a damaged one, and rows of a file."""

import hashlib
import json
import os
import random
import subprocess

from . import data, manifest, place, scale, server
from .measure import Peer, in_turn
from .table import Goal, costs, goals, ratio

TITLE = "W9 lists"
NEW = 10
# nginx counts the request for its own counter, too.
COUNTER = "/requests-so-far"


def run(syncmake, runs, is_small):
    count = 200 if is_small else 10_000
    with server.nginx(data.served(), is_fixed=False, counter=COUNTER) as url:
        texts = [unchanged(syncmake, runs, count, url), names_only(syncmake, runs, count, url)]
        texts.append(new_entries(syncmake, count, url))
    texts.append(many_entries(syncmake, runs, 1000 if is_small else 100_000))
    texts.append(damaged(syncmake, 50 if is_small else 2000))
    texts.append(rows(syncmake, 1000 if is_small else 1_000_000))
    return "\n\n".join(texts)


def unchanged(syncmake, runs, count, url):
    """Every entry has a digest, so that nothing but the list is asked."""
    label, digests = data.small_files(count)
    root = project(f"w9-revisions-{count}", url, listed(f"w9-revisions-{count}", label, count, digests))
    subprocess.run([syncmake, "-C", root, "-s"], check=True)
    ours = Peer(f"**syncmake**, {count:,} entries", [syncmake, "-C", root, "-s"])
    here = peers_files(label, count)
    rclone = Peer(
        "rclone sync (HEAD), 16",
        f"rclone sync --config /dev/null -q --checkers 16 --transfers 16 --http-url {url}/{label}/ :http: {here}",
        needs=["rclone"],
    )
    in_turn([ours, rclone], runs)
    lines = [
        Goal("requests", requests(url, [syncmake, "-C", root, "-s"]), 1),
        Goal("wall in ms", milliseconds(ours), 60),
        Goal("wall ÷ rclone's", ratio(ours, rclone), 0.05),
    ]
    return costs(f"W9 unchanged, digests in the list, {count:,} entries", [ours, rclone], ours, rclone) + (
        "\n\n" + goals(lines)
    )


def names_only(syncmake, runs, count, url):
    """The list has nothing but names, so that every file is asked for."""
    label, _ = data.small_files(count)
    root = project(f"w9-names-{count}", url, listed(f"w9-names-{count}", label, count))
    subprocess.run([syncmake, "-C", root, "-s"], check=True)
    ours = Peer(f"**syncmake**, {count:,} entries", [syncmake, "-C", root, "-s"])
    floor = Peer(
        "floor: libcurl multi in C", [place.loop_in_c(), "-c16", "-e", data.ETAG, f"{url}/{label}", str(count)]
    )
    in_turn([floor, ours], runs)
    wall, least = ours.median("wall"), floor.median("wall")
    lines = [
        Goal("requests", requests(url, [syncmake, "-C", root, "-s"]), count + 1),
        Goal("wall without 20 ms ÷ the loop in C", (wall - 0.020) / least if wall and least else None, 1.25),
    ]
    return costs(f"W9 names only, all 304, {count:,} entries", [floor, ours], ours, floor) + "\n\n" + goals(lines)


def new_entries(syncmake, count, url):
    """The list has ten entries more than at the last run."""
    label, digests = data.small_files(count)
    name = f"w9-new-{count}"
    root = project(name, url, listed(name, label, count - NEW, digests))
    subprocess.run([syncmake, "-C", root, "-s"], check=True)
    listed(name, label, count, digests)
    asked = requests(url, [syncmake, "-C", root, "-s"])
    return f"### W9 {NEW} new of {count:,} entries\n\n" + goals([Goal("requests", asked, NEW + 1)])


def many_entries(syncmake, runs, count):
    """A list is read and every entry planned, against a manifest that has as many targets."""
    root = place.folder(f"w9-many-{count}", empty=True)
    entries = [{"key": data.name(number), "url": f"http://h/{data.name(number)}"} for number in range(count)]
    place.write(os.path.join(root, "list.json"), json.dumps(entries))
    template = "{list: {url: list.json, format: json}, output: 'o/${entry.key}'}"
    place.write(os.path.join(root, "syncmake.yaml"), f"version: 1\ntargets:\n ${{entry.key}}: {template}\n")
    ours = Peer(f"plan, a list of {count:,}", [syncmake, "-C", root, "plan", "--offline", "--json"])
    plain = Peer(f"plan, {count:,} targets", [syncmake, "-C", scale.project(count), "plan", "--offline", "--json"])
    in_turn([ours, plain], runs)
    more = {}
    if ours.runs and plain.runs:
        more = {what: ours.median(what) - plain.median(what) for what in ("wall", "peak")}
    lines = [
        Goal("s more than as many targets", more.get("wall"), 0.6),
        Goal("MiB more than as many targets", more.get("peak"), 60),
    ]
    return costs(f"W9 a plan of {count:,} entries", [ours, plain], ours, plain) + "\n\n" + goals(lines)


def damaged(syncmake, count):
    """A list with `gone: remove` is damaged in many ways; no file may go."""
    root = place.folder("w9-damaged", empty=True)
    names = [f"file-{'x' * number}{number}" for number in range(30)]
    for name in names:
        place.write(os.path.join(root, name), name)
    lines = [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in names]
    whole = "".join(lines).encode()
    path = os.path.join(root, "SUMS")
    with server.nginx(root, is_fixed=False) as url:
        template = f"{{list: {{url: {url}/SUMS, format: checksums, gone: remove}}, output: 'out/${{entry.key}}'}}"
        head = "version: 1\ndefaults: {retries: 0}\ntargets:\n"
        place.write(os.path.join(root, "syncmake.yaml"), f"{head} 'f/${{entry.key}}': {template}\n")
        write(path, whole)
        subprocess.run([syncmake, "-C", root, "-s"], check=True)
        chance = random.Random(9)
        for _ in range(count):
            text = damage(whole, chance)
            while is_shorter(text, whole):
                text = damage(whole, chance)
            write(path, text)
            subprocess.run([syncmake, "-C", root, "-s"], check=False, stderr=subprocess.DEVNULL)
    # What is damaged within a name is another name, and another file.
    left = sum(os.path.exists(os.path.join(root, "out", name)) for name in names)
    return f"### W9 a list damaged in {count:,} ways\n\n" + goals([Goal("files removed", len(names) - left, 0)])


def damage(whole, chance):
    """The list cut off, with other bytes, without some of them, or with some of them twice."""
    start = chance.randrange(len(whole))
    end = min(len(whole), start + chance.randint(1, 100))
    return chance.choice(
        [
            whole[:start],
            whole[:start] + bytes([whole[start] ^ chance.randint(1, 255)]) + whole[start + 1 :],
            whole[:start] + whole[end:],
            whole[:end] + whole[start:],
            whole[:start] + b"\0" * (end - start) + whole[end:],
            b"<!DOCTYPE html><title>Log in</title>",
        ]
    )


def is_shorter(text, whole):
    """Whether only whole lines are missing: that is a list like any other."""
    return text[-1:] in (b"", b"\n") and set(text.splitlines()) <= set(whole.splitlines())


def rows(syncmake, count):
    """A table of targets that are fresh as long as their files are there."""
    root = place.folder(f"w9-rows-{count}")
    path = os.path.join(root, "syncmake.yaml")
    if not os.path.exists(path):
        place.say(f"making {count:,} files")
        for number in range(count):
            folder = os.path.join(root, "o", str(number % 1000))
            if number < 1000:
                os.makedirs(folder, exist_ok=True)
            place.write(os.path.join(folder, data.name(number)), "")
        lines = (f"{data.name(number)}\t{number % 1000}\n" for number in range(count))
        place.write(os.path.join(root, "rows.tsv"), "name\tfolder\n" + "".join(lines))
        target = "{url: 'http://h/${name}', output: 'o/${folder}/${name}', freshness: once, matrix: {rows: rows.tsv}}"
        place.write(path, f"version: 1\ntargets:\n ${{name}}: {target}\n")
    subprocess.run([syncmake, "-C", root, "-s", "-t"], check=True)
    for _ in range(2):
        subprocess.run([syncmake, "-C", root, "-s"], check=True)
    planned = Peer(f"plan, {count:,} rows, all fresh", [syncmake, "-C", root, "plan"], most=3)
    valid = Peer(f"validate, {count:,} rows", [syncmake, "-C", root, "-s", "validate"], most=3)
    in_turn([planned, valid], 3, warmups=1)
    lines = [
        Goal("plan, wall in s", planned.median("wall"), 3),
        Goal("plan, memory in MiB", planned.median("peak"), 400),
        Goal("validate, wall in s", valid.median("wall"), 1.5),
    ]
    return costs(f"W9 {count:,} rows", [planned, valid], planned, planned) + "\n\n" + goals(lines)


def listed(name, label, count, digests=None):
    """A served list in JSON of small files, perhaps with their digests; returns its name."""
    entries = []
    for number in range(count):
        entry = {"key": data.name(number), "url": f"{label}/{data.name(number)}"}
        if digests:
            entry["digest"] = f"sha256:{digests[number]}"
        entries.append(entry)
    place.write(os.path.join(data.served(), f"{name}.json"), json.dumps(entries))
    return f"{name}.json"


def project(name, url, path):
    """An empty project with the entries of the list at `path`."""
    root = place.folder(name, empty=True)
    head = f"version: 1\nhosts: {{'*': {{connections: {manifest.CONNECTIONS}}}}}\ntargets:\n"
    template = f"{{list: {{url: {url}/{path}, format: json}}, output: 'out/${{entry.key}}'}}"
    place.write(os.path.join(root, "syncmake.yaml"), f"{head} ${{entry.key}}: {template}\n")
    return root


def peers_files(label, count):
    """The files as rclone has them, with the server's times."""
    here = place.folder(f"w9-peers-{count}")
    if len(os.listdir(here)) != count:
        subprocess.run(["cp", "-a", os.path.join(data.served(), label) + "/.", here], check=True)
    return here


def requests(url, command):
    """How many requests the command sends, by nginx's own counter; None if this nginx has none."""
    before = server.requests_so_far(url + COUNTER)
    subprocess.run(command, check=True)
    after = server.requests_so_far(url + COUNTER)
    return after - before - 1 if before is not None and after is not None else None


def milliseconds(peer):
    wall = peer.median("wall")
    return wall * 1000 if wall is not None else None


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
