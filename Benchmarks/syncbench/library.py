"""The Swift library beside the program: many small files in one call, all new, and then all unchanged."""

import os
import subprocess

from . import data, manifest, place, server
from .measure import Peer, in_turn
from .table import Goal, costs, goals, ratio

TITLE = "library"
LIMIT = 1.2


def run(syncmake, runs, is_small):
    count = 200 if is_small else 10_000
    library = built()
    label, _ = data.small_files(count)
    with server.nginx(data.served()) as url:
        source = f"{url}/{label}"
        new = compared(syncmake, library, runs, count, source, is_new=True)
        return new + "\n\n" + compared(syncmake, library, runs, count, source, is_new=False)


def built():
    """The program that uses the library, as a user of it builds one."""
    package = os.path.join(place.PROJECT, "Benchmarks", "library")
    options = ["--package-path", package, "--scratch-path", os.path.join(place.PROJECT, ".build-library-benchmark")]
    command = ["swift", "build", "-c", "release", *options]
    place.say("building the program that uses the library")
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    folder = subprocess.run([*command, "--show-bin-path"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return os.path.join(folder.strip(), "library-benchmark")


def compared(syncmake, library, runs, count, url, is_new):
    """Both have their own folder, and the same files: without options, as they are used."""
    ours, theirs = (place.folder(f"library-{name}", empty=True) for name in ("app", "program"))
    manifest.small_files(theirs, url, count=count, connections=None)
    outcome = "updated" if is_new else "fresh"
    app = Peer("**library**, one call", [library, url, ours, outcome, str(count)], prepare=emptied(ours, is_new))
    program = Peer("syncmake", [syncmake, "-C", theirs, "-s"], prepare=emptied(theirs, is_new))
    if not is_new:
        subprocess.run([library, url, ours, "updated", str(count)], check=True)
        subprocess.run([syncmake, "-C", theirs, "-s"], check=True)
    in_turn([program, app], runs)
    lines = [Goal(f"{what} ÷ the program's", ratio(app, program, key), LIMIT) for what, key in COSTS]
    what = "all new" if is_new else "all unchanged (304)"
    return costs(f"{TITLE}, {count:,} files, {what}", [program, app], app, program) + "\n\n" + goals(lines)


COSTS = [("wall", "wall"), ("CPU", "cpu")]


def emptied(folder, is_new):
    """Makes a run find nothing if all is to be new; else nothing."""
    if not is_new:
        return None

    def empty():
        for path in (os.path.join(folder, name) for name in ("out", ".syncmake")):
            if os.path.exists(path):
                place.move_away(path)

    return empty
