"""Runs the workloads and prints their tables; scripts/benchmark calls it."""

import argparse
import os
import platform
import signal
import sys

from . import library, place, remote, scale, shards, tools, trees, w1, w2, w3, w4, w6, w7, w8, w9, w10

WORKLOADS = {
    "W1": w1,
    "W2": w2,
    "W3": w3,
    "W4": w4,
    "W6": w6,
    "W7": w7,
    "W8": w8,
    "W8-folders": trees,
    "W9": w9,
    "W10": w10,
    "W10-remote": remote,
    "scale": scale,
    "library": library,
    "shards": shards,
}


def machine():
    """What the figures were measured on."""
    model = "unknown processor"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{os.cpu_count()} cores, {model}; {platform.system()} {platform.release()}"


def main():
    parser = argparse.ArgumentParser(prog="scripts/benchmark")
    parser.add_argument("--syncmake", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", action="append", choices=sorted(WORKLOADS), help="this workload; may be repeated")
    parser.add_argument("--runs", type=int, default=5, help="measured runs of each command (5)")
    parser.add_argument(
        "--scale",
        choices=["full", "small"],
        default="full",
        help="small: sizes that prove the script rather than the program",
    )
    parser.add_argument("--no-install", action="store_true", help="use the peers that are here")
    options = parser.parse_args()
    # As Ctrl-C does: the servers are ended on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not options.no_install:
        tools.install()
    if not place.compiled("measure"):
        raise SystemExit("benchmark: error: there is no C compiler")
    print(f"Measured on {machine()}.\n\n{tools.described()}\n", flush=True)
    for name in options.only or sorted(WORKLOADS):
        workload = WORKLOADS[name]
        place.say(workload.TITLE)
        print(workload.run(options.syncmake, options.runs, options.scale == "small") + "\n", flush=True)
    return 0


sys.exit(main())
