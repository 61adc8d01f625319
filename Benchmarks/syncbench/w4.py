"""W4: one large file is fetched and verified, uncompressed and as gzip."""

import glob
import os
import shutil
import time

from . import data, manifest, place, server
from .measure import Peer, in_turn
from .table import Goal, costs, goals, ratio

TITLE = "W4 one large file"
MEMORY_MEBIBYTES = 40


def run(syncmake, runs, is_small):
    size = 8 << 20 if is_small else 2 << 30
    with server.nginx(data.served()) as url:
        return plain(syncmake, runs, size, url) + "\n\n" + packed(syncmake, runs, size, url)


class Output:
    """One folder that every peer fills in turn; it is emptied before each run."""

    def __init__(self, size):
        self.path, self.size = place.folder("w4"), size

    def empty(self):
        shutil.rmtree(self.path)
        os.makedirs(self.path)
        os.sync()
        time.sleep(0.3)

    def peer(self, name, command, **rest):
        return Peer(name, command, prepare=self.empty, check=self.trouble, **rest)

    def trouble(self):
        sizes = [os.path.getsize(path) for path in glob.glob(self.path + "/big") + glob.glob(self.path + "/out/big")]
        return None if sizes == [self.size] else f"files of {sizes} bytes"

    def ours(self, name, syncmake, url, digest, unpacks, environment=None):
        def prepare():
            self.empty()
            manifest.one_file(self.path, url, digest, "gunzip" if unpacks else None)

        return Peer(
            name, [syncmake, "-C", self.path, "-s"], prepare=prepare, check=self.trouble, environment=environment
        )


def plain(syncmake, runs, size, server_url):
    name, digest = data.large_noise(size)
    url, output = f"{server_url}/{name}", Output(size)
    big = output.path + "/big"
    floor = Peer("floor: curl > /dev/null", f"curl -s {url} > /dev/null", needs=["curl"])
    ours = output.ours("**syncmake**, sha256", syncmake, url, digest, False)
    sums = output.peer(
        "curl; sha256sum",
        f"curl -s -o {big} {url} && echo '{digest}  {big}' | sha256sum -c --quiet",
        needs=["curl", "sha256sum"],
    )
    openssl = output.peer(
        "curl; openssl dgst", f"curl -s -o {big} {url} && openssl dgst -sha256 {big}", needs=["curl", "openssl"]
    )
    aria = output.peer(
        "aria2c --checksum",
        f"aria2c -q -x1 -s1 --file-allocation=none --checksum=sha-256={digest} -d {output.path} -o big {url}",
        most=3,
        needs=["aria2c"],
    )
    peers = [floor, ours, sums, openssl, aria]
    in_turn(peers, runs)
    output.empty()
    lines = [
        Goal("wall ÷ curl; sha256sum", ratio(ours, sums), 0.4),
        Goal("wall ÷ curl; openssl dgst", ratio(ours, openssl), 0.7),
        Goal("wall ÷ aria2 with its checksum", ratio(ours, aria), 0.25),
        Goal("peak memory, MiB", ours.median("peak"), MEMORY_MEBIBYTES),
    ]
    return costs(f"W4 {size >> 20:,} MiB with sha256", peers, ours, floor) + "\n\n" + goals(lines)


def packed(syncmake, runs, size, server_url):
    name, digest = data.large_gzip(size)
    url, output = f"{server_url}/{name}", Output(size)
    big, archive = output.path + "/big", os.path.join(data.served(), name)
    program = place.compiled("inflate", "-DHAVE_ISAL", "-lz", "-lisal") or place.compiled("inflate", "-lz")
    has_isal = bool(glob.glob("/usr/lib/*/libisal.so.2"))
    zlib_floor = Peer("floor: zlib's inflate in memory", [program, "zlib", archive])
    isal_floor = Peer("floor: ISA-L's inflate in memory", [program, "isal", archive])
    with_zlib = output.ours("**syncmake**, zlib", syncmake, url, digest, True, {"SYNCMAKE_INFLATE": "zlib"})
    with_isal = output.ours("**syncmake**, ISA-L", syncmake, url, digest, True)
    check = f"curl -s -o {big}.gz {url} && echo '{digest}  {big}.gz' | sha256sum -c --quiet"
    sequence = output.peer("curl; sha256sum; gunzip", f"{check} && gunzip {big}.gz", needs=["curl", "gunzip"])
    pipe = output.peer(
        "curl, tee, sha256sum, gunzip as a pipe",
        f"set -o pipefail; curl -s {url} | tee >(sha256sum > {output.path}/sum) | gunzip > {big}",
        needs=["curl", "gunzip"],
    )
    peers = [zlib_floor, isal_floor, with_zlib, with_isal, sequence, pipe]
    if not has_isal:
        for peer in (isal_floor, with_isal):
            peer.trouble = "absent: libisal.so.2"
    in_turn(peers, runs)
    output.empty()
    lines = [
        Goal("zlib: wall ÷ curl; sha256sum; gunzip", ratio(with_zlib, sequence), 0.40),
        Goal("zlib: wall ÷ the same as a pipe", ratio(with_zlib, pipe), 0.55),
        Goal("ISA-L: wall ÷ curl; sha256sum; gunzip", ratio(with_isal, sequence), 0.20),
        Goal("ISA-L: wall ÷ the same as a pipe", ratio(with_isal, pipe), 0.25),
        Goal("ISA-L: wall ÷ its own inflate in memory", ratio(with_isal, isal_floor), 1.4),
        Goal("peak memory, MiB", with_zlib.median("peak"), MEMORY_MEBIBYTES),
    ]
    return (
        costs(f"W4 {size >> 20:,} MiB packed as gzip, verified and unpacked", peers, with_zlib, zlib_floor)
        + "\n\n"
        + goals(lines)
    )
