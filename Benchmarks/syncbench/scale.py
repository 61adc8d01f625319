"""Scale: manifests of up to a million targets, and a long chain of targets that need one another."""

import os
import re
import subprocess

from . import data, place, server
from .measure import Peer, in_turn
from .table import Goal, costs, goals

TITLE = "scale"
SYNCS = "fsync,fdatasync,sync_file_range,syncfs,sync"


def run(syncmake, runs, is_small):
    planned, validated, links = (1000, 10_000, 50) if is_small else (100_000, 1_000_000, 500)
    large = Peer(
        f"plan, {planned:,} targets", [syncmake, "-C", project(planned), "plan", "--offline", "--json"], most=3
    )
    many = project(validated)
    valid = Peer(f"validate, {validated:,} targets", [syncmake, "-C", many, "-s", "validate"], most=3)
    status = Peer(f"status, {validated:,} targets", [syncmake, "-C", many, "status"], most=1)
    graph = Peer(f"graph, {validated:,} targets", [syncmake, "-C", many, "graph"], most=1)
    explain = Peer(
        f"explain, {validated:,} targets", [syncmake, "-C", many, "explain", "--offline", data.name(1)], most=1
    )
    peers = [large, valid, status, graph, explain]
    in_turn(peers, runs, warmups=0)
    lines = [
        Goal("plan, wall in s", large.median("wall"), 1.5),
        Goal("plan, memory in MiB", large.median("peak"), 120),
        Goal("validate, wall in s", valid.median("wall"), 4),
        Goal("validate, memory in MiB", valid.median("peak"), 500),
        Goal(f"syncs for each link of a chain of {links}", syncs_of_link(syncmake, links), 4),
    ]
    return costs(TITLE, peers, large, large) + "\n\n" + goals(lines)


def project(count):
    """A folder with a manifest of `count` targets of nothing but a URL and an output, none of them fetched."""
    folder = place.folder(f"scale-{count}")
    path = os.path.join(folder, "syncmake.yaml")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("version: 1\ntargets:\n")
            for number in range(count):
                name = data.name(number)
                file.write(f" {name}: {{url: http://h/{name}, output: o/{number % 100}/{name}}}\n")
    return folder


def syncs_of_link(syncmake, links):
    """What each further link of a chain of so many adds; None without strace."""
    half, whole = (syncs_of_chain(syncmake, count) for count in (links // 2, links))
    return (whole - half) / (links - links // 2) if half and whole else None


def syncs_of_chain(syncmake, links):
    """The number of syncs, by strace; None without it."""
    label, _ = data.small_files(links)
    folder = place.folder("scale-chain", empty=True)
    with server.nginx(data.served()) as url:
        lines = ["version: 1", "targets:"]
        for number in range(links):
            needs = f", needs: [{data.name(number - 1)}]" if number else ""
            name = data.name(number)
            lines.append(f"  {name}: {{url: {url}/{label}/{name}, output: out/{name}{needs}}}")
        place.write(os.path.join(folder, "syncmake.yaml"), "\n".join(lines) + "\n")
        count = os.path.join(folder, "calls")
        command = ["strace", "-f", "-c", "-e", f"trace={SYNCS}", "-o", count, syncmake, "-C", folder, "-s"]
        try:
            subprocess.run(command, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
    with open(count, encoding="utf-8") as file:
        total = re.search(r"^\s*100\.00\s.*\btotal$", file.read(), re.MULTILINE)
    # The columns are: % time, seconds, usecs/call, calls, errors, syscall; errors may be absent.
    return int(total.group().split()[3]) if total else None
