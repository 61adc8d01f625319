"""Runs commands alternately (A B A B) and records the cost of each."""

import os
import shutil
import statistics
import subprocess
import time

from . import place

LONGEST_SECONDS = 600


class Peer:
    """A command to be measured.

    name     its name in the tables
    command  a list of words, or a text for bash
    prepare  called before each run, outside the measured time; or None
    check    called after each run; returns the error, or None
    most     the maximal number of runs, for slow commands; or None
    needs    the programs that it needs; without one of them it is absent
    """

    def __init__(self, name, command, prepare=None, check=None, most=None, needs=(), environment=None):
        self.name, self.command = name, command
        self.prepare, self.check, self.most = prepare, check, most
        self.needs, self.environment = needs, environment or {}
        self.runs = []
        self.trouble = None

    @property
    def missing(self):
        return [program for program in self.needs if not shutil.which(program)]

    def median(self, what):
        """The median of "wall", "cpu" (seconds) or "peak" (MiB); None if no run succeeded."""
        values = [run[what] for run in self.runs]
        return statistics.median(values) if values else None

    def spread(self):
        walls = [run["wall"] for run in self.runs]
        return (min(walls), max(walls))


def in_turn(peers, runs, warmups=1):
    """Runs every peer once, then every peer once more, and so on: a drift of the machine affects all peers alike."""
    for peer in peers:
        if peer.missing:
            peer.trouble = "absent: " + ", ".join(peer.missing)
    for turn in range(runs + warmups):
        for peer in peers:
            if peer.trouble or (peer.most and turn >= peer.most + warmups):
                continue
            cost = once(peer)
            if cost and turn >= warmups:
                peer.runs.append(cost)
    return {peer.name: peer for peer in peers}


def once(peer):
    """The cost of one run; None if it failed, and the peer's trouble is noted."""
    if peer.prepare:
        peer.prepare()
    words = peer.command if isinstance(peer.command, list) else ["bash", "-c", peer.command]
    result = os.path.join(place.SCRATCH, "cost")
    with open(os.path.join(place.SCRATCH, "log"), "ab") as log:
        log.write(f"\n== {peer.name} {time.strftime('%H:%M:%S')}\n".encode())
        log.flush()
        try:
            subprocess.run(
                [place.compiled("measure"), result, *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **peer.environment},
                timeout=LONGEST_SECONDS,
                check=True,
            )
        except subprocess.TimeoutExpired:
            peer.trouble = f"not done after {LONGEST_SECONDS} s"
            return None
    with open(result, encoding="utf-8") as file:
        wall, user, system, peak, status = (float(word) for word in file.read().split())
    if status != 0:
        peer.trouble = f"ended with status {int(status)}"
        return None
    peer.trouble = peer.check() if peer.check else None
    if peer.trouble:
        return None
    return {"wall": wall, "cpu": user + system, "peak": peak / 1024}
