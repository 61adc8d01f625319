"""W1: many files exist and there is nothing to do, without any request; and the time of a start."""

import os
import shutil
import subprocess

from . import data, place
from .measure import Peer, in_turn
from .table import Goal, costs, goals, ratio

TITLE = "W1 nothing to do"
STARTS = 50


def run(syncmake, runs, is_small):
    counts = [100, 1000] if is_small else [1000, 10_000, 100_000]
    measured = {count: at(syncmake, runs, count, count == counts[0], count == counts[-1]) for count in counts}
    parts = [text for text, _ in measured.values()]
    least, most = (measured[count][1] for count in (counts[-2], counts[-1]))
    growth = Goal(f"growth: wall at {counts[-1]} ÷ at {counts[-2]}", ratio(most, least), 11)
    return "\n\n".join([*parts, goals([growth]), start_up(syncmake, runs)])


def at(syncmake, runs, count, is_least, is_most):
    """A table for `count` files, and syncmake's costs; the smallest and the largest count have goals."""
    root = project(count)
    manifest = os.path.join(root, "syncmake.yaml")
    # The first run records the existing files, the second writes the snapshot that the third uses.
    for _ in range(2):
        subprocess.run([syncmake, "-C", root, "-s"], check=True)
    ours = Peer(f"**syncmake**, {count:,}", [syncmake, "-C", root])
    asked = Peer("syncmake -q", [syncmake, "-C", root, "-q"])
    commented = Peer("syncmake, a comment just added", [syncmake, "-C", root], prepare=lambda: comment(manifest))
    changed = Peer("syncmake, a target just changed", [syncmake, "-C", root], prepare=lambda: change(manifest))
    floor = Peer("floor: a look at each file in C", [place.compiled("stats"), os.path.join(root, "out"), str(count)])
    ninja = Peer("ninja", ["ninja", "-C", root], needs=["ninja"])
    make = Peer("make -rR -q", ["make", "-rR", "-q", "-C", root], needs=["make"])
    peers = [floor, ours, asked, ninja, make]
    in_turn(peers, runs)
    # Separate, since each of its runs writes the snapshot that the others use.
    in_turn([commented, changed], runs)
    lines = []
    if is_least:
        lines = [Goal("wall ÷ ninja's", ratio(ours, ninja), 0.8)]
    if is_most:
        lines = [
            Goal("wall ÷ ninja's", ratio(ours, ninja), 0.30),
            Goal("wall ÷ make -rR -q's", ratio(asked, make), 0.50),
            Goal("memory ÷ ninja's", ratio(ours, ninja, "peak"), 0.35),
            Goal("the manifest just edited, a comment: wall ÷ ninja's", ratio(commented, ninja), 1.25),
            Goal("the manifest just edited, a target: wall ÷ ninja's", ratio(changed, ninja), 1.25),
        ]
    tables = [
        costs(f"{TITLE}, {count:,} files", [*peers, commented, changed], ours, floor),
        *([goals(lines)] if lines else []),
    ]
    return "\n\n".join(tables), ours


def comment(manifest):
    with open(manifest, "a", encoding="utf-8") as file:
        file.write("# edited\n")


def change(manifest):
    """Increases the retries of the last target by one, which affects no verdict."""
    with open(manifest, encoding="utf-8") as file:
        text = file.read().replace("# edited\n", "")
    start, key, number = text.rpartition("    retries: ")
    place.write(manifest, f"{start}{key}{int(number) % 9 + 1}\n" if key else f"{text}    retries: 1\n")


def project(count):
    """A folder of files with a manifest, a Makefile and a build.ninja for which all files are up to date."""
    root = place.folder(f"w1-{count}")
    out = place.folder(f"w1-{count}/out")
    names = [data.name(number) for number in range(count)]
    for name in names[len(os.listdir(out)) :]:
        path = place.write(os.path.join(out, name), name)
        os.utime(path, (data.MODIFIED, data.MODIFIED))
    place.write(
        os.path.join(root, "syncmake.yaml"),
        "version: 1\ntargets:\n"
        + "".join(
            f"  {name}:\n    url: http://127.0.0.1:9/{name}\n    output: out/{name}\n    freshness: once\n"
            for name in names
        ),
    )
    place.write(
        os.path.join(root, "Makefile"),
        "all: "
        + " ".join("out/" + name for name in names)
        + "\n"
        + "".join(f"out/{name}:\n\tfalse\n" for name in names),
    )
    place.write(
        os.path.join(root, "build.ninja"),
        "rule get\n  command = true\n" + "".join(f"build out/{name}: get\n" for name in names),
    )
    if shutil.which("ninja"):
        # ninja makes nothing, and notes in its log that it did.
        subprocess.run(["ninja", "-C", root], stdout=subprocess.DEVNULL, check=False)
    return root


def start_up(syncmake, runs):
    def loop(program):
        return f"for number in $(seq {STARTS}); do {program} --version > /dev/null; done"

    ours = Peer("**syncmake --version**", loop(syncmake))
    curl = Peer("curl --version", loop("curl"), needs=["curl"])
    in_turn([ours, curl], runs)
    lines = [Goal("wall ÷ curl --version's", ratio(ours, curl), 0.3)]
    return costs(f"Start-up, {STARTS} times", [ours, curl], ours, curl) + "\n\n" + goals(lines)
