"""Shards: sixteen shards of one manifest on one machine, beside one run of the same; and the partition of a million rows."""

import filecmp
import os
import shutil

from . import data, filesystem, place, server
from .measure import Peer, in_turn
from .table import Goal, costs, goals, ratio

TITLE = "shards"
TOTAL = 16
MANIFEST = """version: 1
hosts: {{"*": {{connections: 32}}}}
targets:
  ${{id}}:
    matrix: {{rows: files.tsv}}
    url: {url}/${{id}}
    output: out/${{id}}
    steps: [{{verify: {{sha256: "${{sha256}}"}}}}]
"""


def run(syncmake, runs, is_small):
    counts = [200] if is_small else [2000, 100_000]
    tables = []
    # Without its cache of open files, of which a process may have fewer than there are.
    with filesystem.journaled(1 if is_small else 8) as (disk, kind), server.nginx(data.served(), is_fixed=False) as url:
        for count in counts:
            tables.append(fetched(syncmake, runs, count, url, disk, kind))
    return "\n\n".join([*tables, divided(syncmake, runs, 10_000 if is_small else 1_000_000)])


class Folder:
    """A folder with a table of small files and their digests; it is emptied before each run, outside the measured time."""

    def __init__(self, disk, name, label, digests, url):
        self.path, self.label, self.digests, self.url = os.path.join(disk, name), label, digests, url

    def empty(self):
        shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(self.path)
        rows = "".join(f"{data.name(number)}\t{digest}\n" for number, digest in enumerate(self.digests))
        place.write(os.path.join(self.path, "files.tsv"), "id\tsha256\n" + rows)
        place.write(os.path.join(self.path, "syncmake.yaml"), MANIFEST.format(url=f"{self.url}/{self.label}"))
        os.sync()

    def trouble(self):
        """The error in the fetched files, or None."""
        path, source = os.path.join(self.path, "out"), os.path.join(data.served(), self.label)
        if len(os.listdir(path)) != len(self.digests):
            return f"{len(os.listdir(path))} files"
        some = [data.name(number) for number in range(0, len(self.digests), max(1, len(self.digests) // 20))]
        _, differing, odd = filecmp.cmpfiles(source, path, some, shallow=False)
        return "wrong files: " + " ".join(differing + odd) if differing or odd else None


def fetched(syncmake, runs, count, url, disk, kind):
    """All files are fetched by one run, and by sixteen shards that start together; then everything is fresh."""
    label, digests = data.small_files(count)
    most = 3 if count > 10_000 else None
    folders = [Folder(disk, f"shards-{name}-{count}", label, digests, url) for name in ("one", "all")]
    whole, parts = (folder.path for folder in folders)
    each = f"for n in $(seq {TOTAL}); do {syncmake} -C {parts} -s run --shard $n/{TOTAL} & done; wait"
    one = Peer("one run", [syncmake, "-C", whole, "-s"], prepare=folders[0].empty, check=folders[0].trouble, most=most)
    shards = Peer(f"**{TOTAL} shards** at once", each, prepare=folders[1].empty, check=folders[1].trouble, most=most)
    # Each follows the ones above in its folder.
    again = Peer(f"{TOTAL} shards again, all unchanged", each, check=folders[1].trouble, most=most)
    after = Peer("a plain run after the shards", [syncmake, "-C", parts, "-s"], check=folders[1].trouble, most=most)
    plain = Peer("one run again, all unchanged", [syncmake, "-C", whole, "-s"], check=folders[0].trouble, most=most)
    peers = [one, shards, again, after, plain]
    in_turn(peers, runs)
    for folder in folders:
        shutil.rmtree(folder.path, ignore_errors=True)
    lines = [Goal("CPU ÷ one run's", ratio(shards, one, "cpu"), 1.15)]
    return costs(f"{TITLE}: {count:,} files of 4 KiB, to {kind}", peers, shards, one) + "\n\n" + goals(lines)


def divided(syncmake, runs, count):
    """Rows of a table, read, and read and divided; nothing is fetched."""
    folder = place.folder(f"shards-rows-{count}")
    table = os.path.join(folder, "rows.tsv")
    if not os.path.exists(table):
        place.write(table, "id\n" + "".join(f"{data.name(number)}\n" for number in range(count)))
    place.write(
        os.path.join(folder, "syncmake.yaml"),
        "version: 1\ntargets:\n  ${id}: {matrix: {rows: rows.tsv}, url: 'https://data.example.org/${id}', output: 'out/${id}'}\n",
    )
    read = Peer(f"validate, {count:,} rows", [syncmake, "-C", folder, "-s", "validate"], most=3)
    table = Peer(f"plan --shards {TOTAL}", [syncmake, "-C", folder, "plan", "--shards", str(TOTAL)], most=3)
    in_turn([read, table], runs)
    lines = [
        Goal("the partition alone: CPU in s", difference(table, read, "cpu"), 1.5),
        Goal("the partition alone: memory in MiB", difference(table, read, "peak"), 150),
        Goal(f"plan --shards {TOTAL}: memory in MiB", table.median("peak"), 500),
    ]
    return costs(f"{TITLE}: {count:,} rows of a table", [read, table], table, read) + "\n\n" + goals(lines)


def difference(one, other, what):
    """How much more `one` costs; None if either is missing."""
    mine, others = (peer.median(what) for peer in (one, other))
    return max(0, mine - others) if mine is not None and others is not None else None
