#!/usr/bin/env python3
"""Reads every output repeatedly during runs; each must always be complete, and never older than before.

usage: reader.py KNOWN

KNOWN is a JSON file: {"PATH": {"SHA256": [VERSION, ...]}}. Ends with its standard input; then prints
{"reads": N, "violations": [...]}.
"""

import hashlib
import json
import select
import sys


def main():
    with open(sys.argv[1]) as file:
        known = json.load(file)
    latest = dict.fromkeys(known, 0)
    reads, violations = 0, []
    while not select.select([sys.stdin], [], [], 0)[0]:
        for path, versions in known.items():
            reads += 1
            try:
                with open(path, "rb", buffering=0) as file:
                    data = file.readall()
            except OSError as problem:
                violations.append(f"{path}: {problem}")
                continue
            seen = versions.get(hashlib.sha256(data).hexdigest())
            if seen is None:
                violations.append(f"{path} shows {len(data)} bytes that are no version")
            elif max(seen) < latest[path]:
                violations.append(f"{path} went back from version {latest[path]} to {max(seen)}")
            else:
                latest[path] = max(latest[path], min(seen))
    json.dump({"reads": reads, "violations": violations[:5]}, sys.stdout)


main()
