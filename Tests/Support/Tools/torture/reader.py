#!/usr/bin/env python3
"""Reads every output repeatedly during runs; each must always be complete, and never older than before.

usage: reader.py KNOWN

KNOWN is a JSON file: {"files": {"PATH": {"SHA256": [VERSION, ...]}}, "folders": {"PATH": {"SHA256": VERSION}}}, with the
digests of `digest_of` for folders. Ends with its standard input; then prints {"reads": N, "violations": [...]}.
"""

import hashlib
import json
import os
import select
import sys


def digest_of(files):
    """A digest of files and their paths."""
    lines = (f"{hashlib.sha256(data).hexdigest()} {path}\n" for path, data in sorted(files.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def files_in(folder):
    """Every file below an open folder, by its path there."""
    found = {}
    for above, _, names, inside in os.fwalk(".", dir_fd=folder, onerror=fail):
        for name in names:
            with open(os.open(name, os.O_RDONLY, dir_fd=inside), "rb", buffering=0) as file:
                found[os.path.normpath(os.path.join(above, name))] = file.readall()
    return found


def fail(problem):
    raise problem


class Reader:
    def __init__(self, known):
        self.known = known
        self.latest = dict.fromkeys([*known["files"], *known["folders"]], 0)
        self.reads, self.violations = 0, []

    def read_all(self):
        for path, versions in self.known["files"].items():
            self.read_file(path, versions)
        for path, versions in self.known["folders"].items():
            self.read_folder(path, versions)

    def read_file(self, path, versions):
        self.reads += 1
        try:
            with open(path, "rb", buffering=0) as file:
                data = file.readall()
        except OSError as problem:
            return self.violations.append(f"{path}: {problem}")
        seen = versions.get(hashlib.sha256(data).hexdigest())
        if seen is None:
            return self.violations.append(f"{path} shows {len(data)} bytes that are no version")
        self.note(path, min(seen), max(seen))

    def read_folder(self, path, versions):
        self.reads += 1
        try:
            folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as problem:
            return self.violations.append(f"{path}: {problem}")
        try:
            found, problem = files_in(folder), None
        except OSError as error:
            found, problem = None, error
        # If it was exchanged meanwhile, its files may be gone.
        is_same = os.stat(path).st_ino == os.fstat(folder).st_ino
        os.close(folder)
        if not is_same:
            return
        if found is None:
            return self.violations.append(f"{path}: {problem}")
        seen = versions.get(digest_of(found))
        if seen is None:
            return self.violations.append(f"{path} shows {len(found)} files that are no version")
        self.note(path, seen, seen)

    def note(self, path, oldest, newest):
        if newest < self.latest[path]:
            self.violations.append(f"{path} went back from version {self.latest[path]} to {newest}")
        else:
            self.latest[path] = max(self.latest[path], oldest)


def main():
    with open(sys.argv[1]) as file:
        reader = Reader(json.load(file))
    while not select.select([sys.stdin], [], [], 0)[0]:
        reader.read_all()
    json.dump({"reads": reader.reads, "violations": reader.violations[:5]}, sys.stdout)


if __name__ == "__main__":
    main()
