"""W7: a typical day. Many small files exist, and one in a hundred has changed since the last run."""

import os
import random
import subprocess

from . import data, manifest, place, server
from .measure import Peer, in_turn
from .table import Goal, costs, goals, ratio

TITLE = "W7 a typical day"
# nginx's words for a listener over TLS, and curl's option for the version of HTTP.
VERSIONS = {"ssl": "http1.1", "ssl http2": "http2"}
# Each round of changes has its own time, one second after the previous one.
rounds = iter(range(1, 1 << 30))


def run(syncmake, runs, is_small):
    count = 300 if is_small else 10_000
    texts = [plain(syncmake, runs, count)]
    texts += [secure(syncmake, runs, count, tls, version) for tls, version in VERSIONS.items()]
    return "\n\n".join(texts)


def plain(syncmake, runs, count):
    label, _ = data.small_files(count)
    ours_served, wget_served = (copy(label, f"w7-{name}") for name in ("syncmake", "wget2"))
    with server.nginx(data.served(), is_fixed=False) as url:
        root = manifest.small_files(place.folder("w7", empty=True), f"{url}/w7-syncmake", count=count)
        # The first run fetches, the second writes the snapshot that the third uses.
        for _ in range(2):
            subprocess.run([syncmake, "-C", root, "-s"], check=True)
        command = [syncmake, "-C", root, "-s", "-j", "16"]
        same = Peer("syncmake, nothing changed", command)
        ours = Peer(
            "**syncmake**, 1 % changed",
            command,
            prepare=lambda: change(ours_served, count),
            check=lambda: difference(ours_served, os.path.join(root, "out"), count),
        )
        after = Peer("syncmake, the run after that", command)
        single = Peer(
            "syncmake, after a run of one target",
            command,
            prepare=lambda: subprocess.run([*command, data.name(count // 2)], check=True),
        )
        here = copy(label, "../w7-peers")
        urls = place.write(
            os.path.join(place.folder("w7-lists"), "urls"),
            "".join(f"{url}/w7-wget2/{data.name(number)}\n" for number in range(count)),
        )
        get = f"wget2 -q -N -nd -P {here} --max-threads=16 -i {urls}"
        wget_same = Peer("wget2 -N, 16, nothing changed", get, needs=["wget2"])
        wget = Peer(
            "wget2 -N, 16, 1 % changed",
            get,
            needs=["wget2"],
            prepare=lambda: change(wget_served, count),
            check=lambda: difference(wget_served, here, count),
        )
        peers = [same, ours, after, single, wget_same, wget]
        in_turn(peers, runs)
    lines = [
        Goal("wall ÷ that of a run without changes", ratio(ours, same), 1.5),
        Goal("wall ÷ wget2's", ratio(ours, wget), 1.0),
        Goal("the run after: wall ÷ that of a run without changes", ratio(after, same), 1.1),
        Goal("after a run of one target: wall ÷ that of a run without changes", ratio(single, same), 1.1),
    ]
    return costs(f"{TITLE}, {count:,} files", peers, ours, same) + "\n\n" + goals(lines)


def secure(syncmake, runs, count, tls, version):
    """The same over TLS, beside curl with an ETag file for each URL."""
    label, _ = data.small_files(count)
    ours_served, curl_served = (copy(label, f"w7-{name}") for name in ("syncmake", "curl"))
    trust = {"CURL_CA_BUNDLE": server.certificate()[0]}
    with server.nginx(data.served(), is_fixed=False, tls=tls) as url:
        root = manifest.small_files(place.folder("w7-tls", empty=True), f"{url}/w7-syncmake", count=count)
        command = [syncmake, "-C", root, "-s", "-j", "16"]
        for _ in range(2):
            subprocess.run(command, check=True, env={**os.environ, **trust})
        same = Peer("syncmake, nothing changed", command, environment=trust)
        ours = Peer(
            "**syncmake**, 1 % changed",
            command,
            environment=trust,
            prepare=lambda: change(ours_served, count),
            check=lambda: difference(ours_served, os.path.join(root, "out"), count),
        )
        here, tags = place.folder("w7-curl", empty=True), place.folder("w7-etags", empty=True)
        entries = (
            f'url="{url}/w7-curl/{name}"\noutput="{here}/{name}"\n'
            f'etag-compare="{tags}/{name}"\netag-save="{tags}/{name}"\nsilent\n'
            for name in map(data.name, range(count))
        )
        list_of_urls = place.write(os.path.join(place.folder("w7-lists"), "curl"), "next\n".join(entries))
        get = f"curl -s --{version} -Z --parallel-max 16 -K {list_of_urls}"
        subprocess.run(["bash", "-c", get], env={**os.environ, **trust}, check=False)
        curl = Peer(
            "curl -Z with ETags, 16, 1 % changed",
            get,
            needs=["curl"],
            environment=trust,
            prepare=lambda: change(curl_served, count),
            check=lambda: difference(curl_served, here, count),
        )
        peers = [same, ours, curl]
        in_turn(peers, runs)
    lines = [
        Goal("wall ÷ that of a run without changes", ratio(ours, same), 1.5),
        Goal("wall ÷ curl -Z's", ratio(ours, curl), 1.1),
    ]
    return costs(f"{TITLE}, {count:,} files, TLS, {version}", peers, ours, same) + "\n\n" + goals(lines)


def copy(label, name):
    """A folder beside the served one with the same files and times."""
    path = place.folder(os.path.join("served", name), empty=True)
    subprocess.run(["cp", "-a", os.path.join(data.served(), label) + "/.", path], check=True)
    return path


def change(folder, count):
    """Gives every hundredth file of `folder` new bytes and a later time."""
    number = next(rounds)
    for index in range(number % 100, count, 100):
        path = os.path.join(folder, data.name(index))
        with open(path, "wb") as file:
            file.write(random.Random(number * count + index).randbytes(data.SMALL))
        os.utime(path, (data.MODIFIED + number, data.MODIFIED + number))


def difference(served, here, count):
    """The error in the copies in `here`; None if a hundred of them are as served."""
    for index in range(0, count, max(1, count // 100)):
        pair = [os.path.join(folder, data.name(index)) for folder in (served, here)]
        texts = []
        for path in pair:
            with open(path, "rb") as file:
                texts.append(file.read())
        if texts[0] != texts[1]:
            return f"{data.name(index)} is not what is served"
    return None
