"""A folder as a power cut could leave it, from a record of a run's changes (fault-shim.c, FAULT_RECORD).

The model promises what POSIX promises, and no more except where stated:

- Bytes, size, mode and mtime of a file are durable after a later sync of the file (fsync, fdatasync) or of its whole
  file system (syncfs).
- A name (created, renamed, removed) is durable after a later sync of its folder or of the file system. Syncing a
  file does not make its name durable.
- Each change that is not durable may have happened or not, separately and in any order: the new name without the
  bytes, the bytes without the name, a later change without an earlier one, a part of a write.
- A rename never loses the file: the old name disappears only together with, or after, the appearance of the new one.
  (File systems with a journal guarantee this, POSIX does not.) Both names at once are possible.

`Recording.disk` returns the state after a cut at one position; `build` creates the resulting folder.
"""

import os
import random
import stat

from sandbox import Violation, describe

# What becomes of names and bytes that are not durable; "random" is tried with several seeds.
OUTCOMES = ("nothing", "names-empty", "names-zeros", "bytes-only", "everything", "random-1", "random-2", "random-3")


class File:
    """An inode: its durable state, and the changes that are not durable yet."""

    def __init__(self, number, mode, data=b"", modified=None):
        self.number = number
        self.durable = bytes(data)
        self.mode, self.durable_mode = mode, mode
        self.modified = self.durable_modified = modified
        self.pending = []

    def sync(self):
        self.durable = apply_all(self.durable, self.pending)
        self.pending = []
        self.durable_mode, self.durable_modified = self.mode, self.modified


def apply_all(data, changes):
    data = bytearray(data)
    for kind, *values in changes:
        if kind == "size":
            (size,) = values
            del data[size:]
            data.extend(bytes(size - len(data)))
        else:
            offset, new = values
            data.extend(bytes(max(0, offset - len(data))))
            data[offset : offset + len(new)] = new
    return bytes(data)


class NameChange:
    """A change by which a name means `file` (None: nothing); it cannot happen without the change `after`."""

    def __init__(self, folder, name, file, after=None):
        self.folder, self.name, self.file, self.after = folder, name, file, after


class Disk:
    """The folder at one position of the record."""

    def __init__(self, root, root_number, before):
        self.root = root
        self.names = {"": {}}  # durable, by folder
        self.folder_modes = {"": 0o755}
        self.folder_numbers = {root_number: ""}
        self.pending = []
        self.files = {}  # by number: the one that has it now
        self.now = {}  # path to File, or None for a folder
        for path, entry in sorted(before.items()):
            folder, name = os.path.split(path)
            if entry.kind == stat.S_IFDIR:
                self.names[path] = {}
                self.folder_modes[path] = entry.mode
                self.folder_numbers[entry.inode] = path
                file = path
            else:
                file = File(entry.inode, entry.mode, entry.data, entry.modified)
                self.files[entry.inode] = file
            self.names[folder][name] = file
            self.now[path] = file

    def inside(self, path):
        path = os.path.normpath(path)
        return os.path.relpath(path, self.root) if path.startswith(self.root + "/") else None

    def perform(self, operation):
        kind, *values = operation
        getattr(self, "do_" + kind)(*values)

    def change(self, path, file, after=None):
        folder, name = os.path.split(path)
        change = NameChange(folder, name, file, after)
        self.pending.append(change)
        if file is None:
            self.now.pop(path, None)
        else:
            self.now[path] = file
        return change

    def do_create(self, path, number, mode):
        path = self.inside(path)
        if path is not None:
            self.files[int(number)] = file = File(int(number), int(mode, 8))
            self.change(path, file)

    def do_nameless(self, number, mode):
        self.files[int(number)] = File(int(number), int(mode, 8))

    def do_link(self, number, path):
        path = self.inside(path)
        assert path is not None, "a name out of the root"
        self.change(path, self.files[int(number)])

    def do_mkdir(self, path, number):
        path = self.inside(path)
        if path is not None:
            self.names[path] = {}
            self.folder_modes[path] = 0o755
            self.folder_numbers[int(number)] = path
            self.change(path, path)

    def do_write(self, number, offset, data=""):
        file = self.files.get(int(number))
        if file:
            file.pending.append(("write", int(offset), bytes.fromhex(data)))

    def do_truncate(self, number, size, *properties):
        file = self.files.get(int(number))
        if file:
            file.pending.append(("size", int(size)))

    def do_properties(self, number, size, mode, seconds, nanoseconds):
        file = self.files.get(int(number))
        if file:
            file.mode = int(mode, 8)
            file.modified = int(seconds) * 10**9 + int(nanoseconds)

    def do_rename(self, old, new):
        old, new = self.inside(old), self.inside(new)
        assert old is not None and new is not None, "a rename out of the root"
        made = self.change(new, self.now[old])
        self.change(old, None, after=made)

    def do_unlink(self, path):
        path = self.inside(path)
        if path is not None:
            self.change(path, None)

    def do_sync(self, number, *properties):
        number = int(number)
        if number in self.files:
            self.files[number].sync()
        elif number in self.folder_numbers:
            self.make_durable(lambda change: change.folder == self.folder_numbers[number])

    def do_syncfs(self, *properties):
        for file in self.files.values():
            file.sync()
        self.make_durable(lambda change: True)

    def make_durable(self, is_meant):
        left, blocked = [], set()
        for change in self.pending:
            place = (change.folder, change.name)
            if not is_meant(change) or place in blocked or (change.after in left):
                left.append(change)
                blocked.add(place)
            else:
                set_name(self.names, change)
        self.pending = left

    def outcome(self, how):
        """Names and bytes after the cut: (names by folder, function from a file to mode, bytes and mtime)."""
        generator = random.Random(how)
        names = {folder: dict(entries) for folder, entries in self.names.items()}
        happened = set()
        for change in self.pending:
            if how in ("nothing", "bytes-only") or (how.startswith("random") and generator.random() < 0.5):
                continue
            if change.after in self.pending and change.after not in happened:
                continue
            happened.add(change)
            set_name(names, change)

        def contents(file):
            if how in ("nothing", "names-empty"):
                return file.durable_mode, file.durable, file.durable_modified
            if how == "names-zeros":
                # The space is allocated, but nothing was written to it.
                zeros = [change if change[0] == "size" else zeroed(change, file.durable) for change in file.pending]
                return file.mode, apply_all(file.durable, zeros), file.modified
            if how.startswith("random"):
                return file.mode, apply_all(file.durable, torn(file.pending, generator)), file.modified
            return file.mode, apply_all(file.durable, file.pending), file.modified

        return names, contents


def set_name(names, change):
    if change.file is None:
        names[change.folder].pop(change.name, None)
    else:
        names[change.folder][change.name] = change.file


def zeroed(change, durable):
    """Earlier bytes stay; others are zeros."""
    _, offset, data = change
    old = durable[offset : offset + len(data)]
    return "write", offset, old + bytes(len(data) - len(old))


def torn(changes, generator):
    """Some of the changes; of a write perhaps only a part, in units of the disk."""
    for change in changes:
        chance = generator.random()
        if chance < 0.4:
            yield change
        elif chance < 0.7 and change[0] == "write":
            _, offset, data = change
            first = 512 * generator.randrange(len(data) // 512 + 1)
            last = min(len(data), first + 512 * generator.randrange(1, len(data) // 512 + 2))
            yield "write", offset + first, data[first:last]


class Recording:
    """The changes of one run to the folder `root`, which has this inode number and contained `before`."""

    def __init__(self, root, root_number, before, log):
        self.root, self.root_number, self.before = root, root_number, before
        with open(log) as file:
            self.operations = [line.rstrip("\n").split("\t") for line in file]

    def disk(self, position):
        """The state after the first `position` changes."""
        disk = Disk(self.root, self.root_number, self.before)
        for operation in self.operations[:position]:
            disk.perform(operation)
        return disk

    def check_complete(self, after):
        """Everything that the run changed must be in the record: replayed completely, it gives the actual tree."""
        names, contents = self.disk(len(self.operations)).outcome("everything")
        found = dict(walk(names, contents))
        wanted = dict(after.items())
        if found.keys() != wanted.keys():
            raise Violation(f"the record misses {found.keys() ^ wanted.keys()}")
        for path, facts in found.items():
            if facts and (facts[1] != wanted[path].data or facts[0] != wanted[path].mode):
                raise Violation(
                    f"the record gives {path} as {describe(facts[1])}, mode {facts[0]:o}; it is "
                    f"{describe(wanted[path].data)}, mode {wanted[path].mode:o}"
                )


def walk(names, contents, folder=""):
    """Every path that can be reached, with (mode, bytes, mtime, inode number), or None for a folder."""
    for name, file in sorted(names[folder].items()):
        path = os.path.join(folder, name)
        if isinstance(file, File):
            yield path, (*contents(file), file.number)
        else:
            yield path, None
            yield from walk(names, contents, path)


def build(root, disk, how, inode_list):
    """Creates the folder as it is after the cut; returns a value that is the same for equal folders."""
    names, contents = disk.outcome(how)
    entries = list(walk(names, contents))
    os.makedirs(root)
    with open(inode_list, "w") as numbers:
        for path, facts in entries:
            whole = os.path.join(root, path)
            if facts is None:
                os.mkdir(whole)
                os.chmod(whole, disk.folder_modes[path])
                continue
            mode, data, modified, number = facts
            with open(whole, "wb") as file:
                file.write(data)
            os.chmod(whole, mode)
            if modified is not None:
                os.utime(whole, ns=(modified, modified))
            numbers.write(f"{os.lstat(whole).st_ino} {number}\n")
    return hash(tuple((path, facts and facts[:2]) for path, facts in entries))
