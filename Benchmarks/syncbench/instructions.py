"""Counts the instructions of five fixed runs and compares them with recorded figures.

Counts are the same on a busy machine, unlike seconds. They depend on the processor that valgrind imitates, on the
compiler and on the libraries. So recorded figures name these, and are compared only with counts under the same ones.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import time

from . import data, manifest, place, server, w1

RECORDED = os.path.join(place.PROJECT, "Benchmarks", "instructions.json")
# The allowed increase over the recorded figure.
TOLERANCE = 0.05
# The number of functions that are recorded with each run, the most expensive ones.
REMEMBERED = 60
# Seconds after which a change of the state file is certainly visible in its times (docs/decisions/0006).
STATE_AT_REST = 3
# A function counts as grown if it takes this many more instructions, as a share of the whole run.
WORTH_NAMING = 0.005


def nothing_to_do(syncmake, _url):
    """W1: 10,000 existing files that need no request."""
    root = w1.project(10_000)
    run(syncmake, root)
    # The next run writes a snapshot. If it follows a change of the state too soon for the file times to show the
    # change, each later run must compare the state's bytes. Whether that happens would depend on the machine's
    # speed.
    time.sleep(STATE_AT_REST)
    run(syncmake, root)
    return root


def unchanged(syncmake, url):
    """W2, first run: the server answers 304 to each of 1,000 requests, and the run writes a snapshot."""
    label, _ = data.small_files(1000)
    root = manifest.small_files(place.folder("count-w2", empty=True), f"{url}/{label}", count=1000)
    run(syncmake, root)
    return root


def still_unchanged(syncmake, url):
    """W2, later runs: they use the snapshot."""
    root = unchanged(syncmake, url)
    run(syncmake, root)
    time.sleep(STATE_AT_REST)
    run(syncmake, root)
    return root


def fetched(_syncmake, url):
    """W3: 1,000 files of 4 KiB are fetched and verified."""
    label, digests = data.small_files(1000)
    return manifest.small_files(place.folder("count-w3", empty=True), f"{url}/{label}", digests)


def unpacked(_syncmake, url):
    """W4: 64 MiB are fetched as gzip, verified and unpacked by zlib."""
    label, digest = data.large_gzip(64 << 20)
    return manifest.one_file(place.folder("count-w4", empty=True), f"{url}/{label}", digest, "gunzip")


RUNS = {
    "nothing-to-do": nothing_to_do,
    "unchanged": unchanged,
    "still-unchanged": still_unchanged,
    "fetched": fetched,
    "unpacked": unpacked,
}


def run(syncmake, root, *before):
    subprocess.run([*before, syncmake, "-C", root, "-s"], check=True, env=environment())


def environment():
    # ISA-L is not installed everywhere, and it chooses code by the processor.
    return {**os.environ, "SYNCMAKE_INFLATE": "zlib"}


def counted(syncmake, root):
    """The cost of a run: all its instructions, and those of each function without its callees."""
    out = os.path.join(place.SCRATCH, "callgrind.out")
    tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--dump-instr=no", "--quiet"]
    run(syncmake, root, *tool)
    text = subprocess.run(["callgrind_annotate", "--threshold=100", out], capture_output=True, text=True, check=True)
    functions = collections.Counter()
    total = 0
    for line in text.stdout.splitlines():
        found = re.match(r"\s*([\d,]+) \([ \d.]+%\)\s+(.+)", line)
        if not found:
            continue
        number = int(found[1].replace(",", ""))
        if "PROGRAM TOTALS" in line:
            total = number
        else:
            functions[name_of(found[2])] += number
    return {"instructions": total, "functions": dict(readable(functions).most_common(REMEMBERED))}


def name_of(text):
    """The name of a function without file and library."""
    symbol = re.sub(r" \[[^\]]*\]$", "", text).split(":", 1)[-1]
    return re.sub(r"'\d+$", "", symbol)


def readable(functions):
    """The demangled names."""
    names = subprocess.run(
        ["swift", "demangle", "--simplified", "--compact"],
        input="\n".join(functions),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    read = collections.Counter()
    for name, number in zip(names, functions.values()):
        read[name] += number
    return read


def with_names_only(syncmake):
    """The program without debug information, which valgrind cannot read."""
    path = os.path.join(place.folder("bin"), "syncmake-counted")
    subprocess.run(["strip", "--strip-debug", "-o", path, syncmake], check=True)
    return path


def surroundings():
    """Everything except the sources that affects the counts."""
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"Swift version (\S+)", swift)
    machine = subprocess.run(["uname", "-sm"], capture_output=True, text=True, check=True).stdout.strip()
    libraries = [f"{name} {packaged(name)}" for name in ("libc6", "libcurl4", "zlib1g", "libyaml-0-2", "libsqlite3-0")]
    valgrind = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return [f"Swift {version[1] if version else 'unknown'}", machine, valgrind, *libraries]


def packaged(name):
    try:
        asked = ["dpkg-query", "-W", "-f", "${Version}", name]
        return subprocess.run(asked, capture_output=True, text=True, check=False).stdout or "unknown"
    except FileNotFoundError:
        return "unknown"


def grown(now, before):
    """The functions that take notably more instructions than before, the worst first."""
    least = WORTH_NAMING * before["instructions"]
    more = {name: number - before["functions"].get(name, 0) for name, number in now["functions"].items()}
    return sorted(((number, name) for name, number in more.items() if number > least), reverse=True)[:5]


def judge(now, before, names):
    """Prints a line for each run; returns whether none takes too much."""
    ok = True
    for name in names:
        count, known = now[name]["instructions"], before[name]["instructions"]
        change = count / known - 1
        print(f"{name}: {count / 1e6:.1f} million instructions, {change:+.1%} to the recorded {known / 1e6:.1f}")
        if change > TOLERANCE:
            ok = False
            print(f"error: {name} takes {change:.1%} more than recorded; at most {TOLERANCE:.0%} is allowed")
            for number, function in grown(now[name], before[name]):
                print(f"  {number / 1e6:+.2f} million in {function}")
            print(
                "hint: where the cost is worth it: scripts/count-instructions --record, with the reason in the commit"
            )
    return ok


def main():
    parser = argparse.ArgumentParser(prog="scripts/count-instructions")
    parser.add_argument("--syncmake", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--only", action="append", choices=list(RUNS))
    options = parser.parse_args()
    names = options.only or list(RUNS)
    syncmake = with_names_only(options.syncmake)
    now = {}
    with server.nginx(data.served()) as url:
        for name in names:
            place.say(f"counting {name}")
            now[name] = counted(syncmake, RUNS[name](syncmake, url))
    recorded = {}
    if os.path.exists(RECORDED):
        with open(RECORDED, encoding="utf-8") as file:
            recorded = json.load(file)
    here = surroundings()
    if options.record:
        recorded = {"with": here, "runs": {**recorded.get("runs", {}), **now}}
        with open(RECORDED, "w", encoding="utf-8") as file:
            json.dump(recorded, file, indent=1)
            file.write("\n")
    if recorded.get("with") != here:
        print(f"recorded with {recorded.get('with')}, here are {here}: nothing is judged")
        for name in names:
            print(f"{name}: {now[name]['instructions'] / 1e6:.1f} million instructions")
        return 0
    return 0 if judge(now, recorded["runs"], names) else 1


if __name__ == "__main__":
    sys.exit(main())
