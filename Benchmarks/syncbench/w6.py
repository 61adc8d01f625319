"""W6: a mixed manifest with many hosts, each with its own latency, and targets that need others."""

import random
import shutil
import subprocess

from . import place, server
from .measure import Peer, in_turn
from .table import Goal, costs, goals

TITLE = "W6 a mixed manifest"
HOSTS, LEAST_MILLISECONDS, MOST_MILLISECONDS = 20, 5, 200
CONNECTIONS, JOBS = 8, 64


def run(syncmake, runs, is_small):
    count = 200 if is_small else 2000
    delays = [LEAST_MILLISECONDS + (MOST_MILLISECONDS - LEAST_MILLISECONDS) * n // (HOSTS - 1) for n in range(HOSTS)]
    in_turns = [number % HOSTS for number in range(count)]
    return "\n\n".join(
        ordered(syncmake, runs, name, hosts, delays)
        for name, hosts in (("the hosts in turn", in_turns), ("one host after another", sorted(in_turns)))
    )


def ordered(syncmake, runs, order, hosts, delays):
    """Fetches and checks the targets of `hosts`, listed in this order."""
    needs = needs_of(len(hosts))
    ideal = bound(hosts, needs, delays)
    with server.delayed(delays) as ports:
        root = place.folder("w6", empty=True)
        write_manifest(root, hosts, needs, ports)

        def forget():
            for name in ("out", ".syncmake"):
                shutil.rmtree(f"{root}/{name}", ignore_errors=True)

        command = [syncmake, "-C", root, "-s", "-j", str(JOBS)]
        fetch = Peer("**syncmake**, nothing here yet", command, prepare=forget)
        check = Peer("**syncmake**, all 304", command)
        in_turn([fetch], runs)
        subprocess.run(command, check=True)
        in_turn([check], runs)
    lines = [
        Goal(
            f"{peer.name}: wall ÷ {ideal:.2f} s, the least that order and limits allow",
            peer.median("wall") / ideal if peer.runs else None,
            1.1,
        )
        for peer in (fetch, check)
    ]
    title = (
        f"W6 {len(hosts):,} targets on {HOSTS} hosts with {delays[0]}–{delays[-1]} ms, {JOBS} jobs, "
        f"{CONNECTIONS} connections a host; {order}"
    )
    return costs(title, [fetch, check], fetch, None) + "\n\n" + goals(lines)


def needs_of(count):
    """The earlier targets that each target needs: one target in ten needs one or two."""
    chance = random.Random(6)
    return [
        sorted(chance.sample(range(number), min(number, chance.randint(1, 2)))) if chance.random() < 0.1 else []
        for number in range(count)
    ]


def bound(hosts, needs, delays):
    """A lower bound in seconds: the longest chain, the busiest host, or all work divided by all jobs."""
    ends = []
    for host, before in zip(hosts, needs):
        ends.append(delays[host] + max((ends[other] for other in before), default=0))
    busiest = max(delays[host] * hosts.count(host) / CONNECTIONS for host in set(hosts))
    everything = sum(delays[host] for host in hosts) / JOBS
    return max(max(ends), busiest, everything) / 1000


def write_manifest(root, hosts, needs, ports):
    # libcurl resolves every name in .localhost to this machine, so each host can have its own limits.
    lines = ["version: 1", "hosts:", f"  '*': {{connections: {CONNECTIONS}}}", "targets:"]
    for number, (host, before) in enumerate(zip(hosts, needs)):
        lines += [
            f"  t{number}:",
            f"    url: http://h{host}.localhost:{ports[host]}/t{number}",
            f"    output: out/t{number}",
        ]
        if before:
            lines.append(f"    needs: [{', '.join(f't{other}' for other in before)}]")
    place.write(f"{root}/syncmake.yaml", "\n".join(lines) + "\n")
