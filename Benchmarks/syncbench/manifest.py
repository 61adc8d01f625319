"""Projects for syncmake: a folder with a manifest."""

import os

from . import data, place

CONNECTIONS = 16


def small_files(folder, url, digests=None, connections=CONNECTIONS, count=None):
    """A manifest for `count` small files below `url`; they are verified if `digests` is given.

    Without `connections` a host has as many as usual.
    """
    limits = ["hosts:", f"  '*': {{connections: {connections}}}"] if connections else []
    lines = ["version: 1", *limits, "targets:"]
    for number in range(count or len(digests)):
        name = data.name(number)
        lines += [f"  {name}:", f"    url: {url}/{name}", f"    output: out/{name}"]
        if digests:
            lines.append(f"    steps: [{{verify: {{sha256: {digests[number]}}}}}]")
    place.write(os.path.join(folder, "syncmake.yaml"), "\n".join(lines) + "\n")
    return folder


def one_file(folder, url, digest, unpacking=None):
    """A manifest for one large file, out/big, which is verified and perhaps unpacked by the step `unpacking`."""
    steps = f"[{{verify: {{sha256: {digest}}}}}{', ' + unpacking if unpacking else ''}]"
    place.write(
        os.path.join(folder, "syncmake.yaml"),
        f"version: 1\ntargets:\n  big:\n    url: {url}\n    output: out/big\n    steps: {steps}\n",
    )
    return folder
