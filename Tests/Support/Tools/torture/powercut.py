"""A folder as a power cut could leave it, from a record of a run's changes (fault-shim.c, FAULT_RECORD).

The model promises what POSIX promises, and no more except where stated:

- Bytes, size, mode and mtime of a file are durable after a later sync of the file (fsync, fdatasync) or of its whole
  file system (syncfs).
- A name (created, renamed, removed) is durable after a later sync of its folder or of the file system. Syncing a
  file does not make its name durable.
- Each change that is not durable may have happened or not, separately and in any order: the new name without the
  bytes, the bytes without the name, a later change without an earlier one, a part of a write.
- A rename never loses the file: the old name disappears only together with, or after, the appearance of the new one.
  (File systems with a journal guarantee this, POSIX does not.) Both names at once are possible, except of a folder.
- An exchange of two names, and the rename of a folder, happens as a whole or not at all. It is durable when both
  folders were synced, or the file system.

`Recording.disk` returns the state after a cut at one position; `build` creates the resulting folder.
"""

import functools
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


class Folder:
    """A folder's inode: its durable names, and the present ones."""

    def __init__(self, number, mode=0o755):
        self.number, self.mode = number, mode
        self.names, self.now = {}, {}


class NameChange:
    """Names that get new meanings, all or none of them: `places` maps (folder, name) to what it means (None: nothing).

    It cannot happen without the change `after`.
    """

    def __init__(self, places, after=None):
        self.places, self.after = places, after
        # It is durable when all of them have been synced.
        self.unsynced = {folder for folder, _ in places}


class Disk:
    """The folder at one position of the record."""

    def __init__(self, root, root_number, before):
        self.root = root
        self.top = Folder(root_number)
        self.folders = {root_number: self.top}  # by number
        self.pending = []
        self.files = {}  # by number: the one that has it now
        for path, entry in sorted(before.items()):
            folder, name = self.place(path)
            if entry.kind == stat.S_IFDIR:
                made = self.folders[entry.inode] = Folder(entry.inode, entry.mode)
            else:
                made = self.files.get(entry.inode) or File(entry.inode, entry.mode, entry.data, entry.modified)
                self.files[entry.inode] = made
            folder.names[name] = folder.now[name] = made

    def inside(self, path):
        path = os.path.normpath(path)
        return os.path.relpath(path, self.root) if path.startswith(self.root + "/") else None

    def place(self, path):
        """The folder of a path in the root, and the name in it."""
        *above, name = path.split("/")
        folder = self.top
        for part in above:
            folder = folder.now[part]
        return folder, name

    def perform(self, operation):
        kind, *values = operation
        getattr(self, "do_" + kind)(*values)

    def change(self, places, after=None):
        change = NameChange(places, after)
        self.pending.append(change)
        for (folder, name), meaning in places.items():
            set_name(folder.now, name, meaning)
        return change

    def do_create(self, path, number, mode):
        path = self.inside(path)
        if path is not None:
            self.files[int(number)] = file = File(int(number), int(mode, 8))
            self.change({self.place(path): file})

    def do_nameless(self, number, mode):
        self.files[int(number)] = File(int(number), int(mode, 8))

    def do_link(self, number, path):
        path = self.inside(path)
        assert path is not None, "a name out of the root"
        self.change({self.place(path): self.files[int(number)]})

    def do_mkdir(self, path, number):
        path = self.inside(path)
        if path is not None:
            # A removed file may have had the number; a sync means the folder now.
            self.files.pop(int(number), None)
            self.folders[int(number)] = folder = Folder(int(number))
            self.change({self.place(path): folder})

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
        old, new = self.place(old), self.place(new)
        moved = old[0].now[old[1]]
        if isinstance(moved, Folder):
            self.change({new: moved, old: None})
        else:
            self.change({old: None}, after=self.change({new: moved}))

    def do_exchange(self, one, other):
        one, other = self.inside(one), self.inside(other)
        assert one is not None and other is not None, "an exchange with a name out of the root"
        one, other = self.place(one), self.place(other)
        self.change({one: other[0].now[other[1]], other: one[0].now[one[1]]})

    def do_unlink(self, path):
        path = self.inside(path)
        if path is not None:
            self.change({self.place(path): None})

    def do_sync(self, number, *properties):
        number = int(number)
        if number in self.files:
            self.files[number].sync()
        elif number in self.folders:
            self.make_durable(self.folders[number])

    def do_syncfs(self, *properties):
        for file in self.files.values():
            file.sync()
        self.make_durable(None)

    def make_durable(self, folder):
        """Makes the changes in a folder durable, or all of them."""
        left, blocked = [], set()
        for change in self.pending:
            is_meant = folder is None or folder in change.unsynced
            if not is_meant or not blocked.isdisjoint(change.places) or change.after in left:
                left.append(change)
                blocked.update(change.places)
                continue
            change.unsynced = change.unsynced - {folder} if folder else set()
            if change.unsynced:
                left.append(change)
                blocked.update(change.places)
                continue
            for (place, name), meaning in change.places.items():
                set_name(place.names, name, meaning)
        self.pending = left

    def outcome(self, how):
        """Names and bytes after the cut: (names by folder, function from a file to mode, bytes and mtime)."""
        generator = random.Random(how)
        names = {folder: dict(folder.names) for folder in self.folders.values()}
        happened = set()
        for change in self.pending:
            if how in ("nothing", "bytes-only") or (how.startswith("random") and generator.random() < 0.5):
                continue
            if change.after in self.pending and change.after not in happened:
                continue
            happened.add(change)
            for (folder, name), meaning in change.places.items():
                set_name(names.setdefault(folder, {}), name, meaning)

        @functools.cache
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


def set_name(names, name, meaning):
    if meaning is None:
        names.pop(name, None)
    else:
        names[name] = meaning


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
        disk = self.disk(len(self.operations))
        found = {path: facts for path, (_, facts) in walk(disk.top, *disk.outcome("everything"))}
        wanted = dict(after.items())
        if found.keys() != wanted.keys():
            raise Violation(f"the record misses {found.keys() ^ wanted.keys()}")
        for path, facts in found.items():
            if facts and (facts[1] != wanted[path].data or facts[0] != wanted[path].mode):
                raise Violation(
                    f"the record gives {path} as {describe(facts[1])}, mode {facts[0]:o}; it is "
                    f"{describe(wanted[path].data)}, mode {wanted[path].mode:o}"
                )


def walk(top, names, contents):
    """Every path that can be reached, with what it means and (mode, bytes, mtime), or None for a folder."""
    todo = [("", top)]
    while todo:
        path, folder = todo.pop()
        for name, meaning in sorted(names.get(folder, {}).items()):
            inner = os.path.join(path, name)
            if isinstance(meaning, Folder):
                yield inner, (meaning, None)
                todo.append((inner, meaning))
            else:
                yield inner, (meaning, contents(meaning))


def build(root, disk, how, inode_list):
    """Creates the folder as it is after the cut; returns a value that is the same for equal folders."""
    names, contents = disk.outcome(how)
    entries = list(walk(disk.top, names, contents))
    os.makedirs(root)
    paths = {}
    with open(inode_list, "w") as numbers:
        for path, (meaning, facts) in entries:
            whole = os.path.join(root, path)
            if facts is None:
                os.mkdir(whole)
                os.chmod(whole, meaning.mode)
            elif meaning in paths:
                os.link(paths[meaning], whole)
                continue
            else:
                mode, data, modified = facts
                with open(whole, "wb") as file:
                    file.write(data)
                os.chmod(whole, mode)
                if modified is not None:
                    os.utime(whole, ns=(modified, modified))
                paths[meaning] = whole
            numbers.write(f"{os.lstat(whole).st_ino} {meaning.number}\n")
    return hash(tuple((path, facts and facts[:2]) for path, (_, facts) in entries))
