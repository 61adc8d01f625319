"""W8: one large file compressed as xz, zstd or bzip2 is fetched, verified and unpacked."""

import os

from . import data, manifest, server
from .measure import Peer, in_turn
from .table import Goal, costs, goals, ratio
from .w4 import MEMORY_MEBIBYTES, Output

TITLE = "W8 other decoders"

# The compressor with its options, the suffix, the step, and in MiB the decoder's window and the size.
FORMATS = [
    (["xz", "-6", "-T1"], "xz", "unxz", 8, 256),
    (["xz", "-1", "-T2"], "xz", "unxz", 1, 256),
    (["zstd", "-3", "-T1"], "zst", "unzstd", 2, 256),
    (["bzip2", "-9"], "bz2", "bunzip2", 4, 64),
]


def run(syncmake, runs, is_small):
    with server.nginx(data.served()) as url:
        return "\n\n".join(unpacked(syncmake, runs, is_small, url, *form) for form in FORMATS)


def unpacked(syncmake, runs, is_small, server_url, packer, suffix, step, window, mebibytes):
    size = (8 if is_small else mebibytes) << 20
    label = "".join(packer)
    name, digest = data.large_packed(size, packer, suffix)
    url, output = f"{server_url}/{name}", Output(size)
    big, archive = output.path + "/big", os.path.join(data.served(), name)

    def prepare():
        output.empty()
        manifest.one_file(output.path, url, digest, step)

    floor = Peer(
        f"floor: {packer[0]} -dc from memory to nowhere", f"{packer[0]} -dc < {archive} > /dev/null", needs=[packer[0]]
    )
    ours = Peer("**syncmake**, sha256", [syncmake, "-C", output.path, "-s"], prepare=prepare, check=output.trouble)
    pipe = output.peer(
        f"curl, {packer[0]} -dc as a pipe, no sha256",
        f"set -o pipefail; curl -s {url} | {packer[0]} -dc > {big}",
        needs=["curl", packer[0]],
    )
    peers = [floor, ours, pipe]
    in_turn(peers, runs)
    output.empty()
    lines = [
        Goal(f"{label}: wall ÷ curl, {packer[0]} -dc as a pipe", ratio(ours, pipe), 1.1),
        Goal(
            f"{label}: peak memory, MiB, with {window} for the window", ours.median("peak"), MEMORY_MEBIBYTES + window
        ),
    ]
    title = f"W8 {size >> 20:,} MiB packed by {' '.join(packer)}, verified and unpacked"
    return costs(title, peers, ours, floor) + "\n\n" + goals(lines)
