"""A folder in which the program runs under attack, and the promises that must hold afterwards.

The sandbox contains the root (`root/`), a home folder, a folder for temporary files, and `outside/`, which must not
change. A promise that does not hold raises `Violation`.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import tempfile

import overlay
import scenarios
from server import SIGNATURE, ServedFile, Server, SignedRedirect

TOOLS = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.abspath(os.path.join(TOOLS, "../../../.."))
# Undisturbed, nothing takes a tenth of this time; a longer run hangs.
TIME_LIMIT = 60
# The content of a state folder while no run is in progress.
AT_REST = {".gitignore", "lock", "state.db", "staging", "partial"}
# A folder that only updates and units create; they leave it empty.
OF_UPDATES = {"withheld"}
# What is known of folder outputs.
OF_FOLDERS = {"trees"}
# Files that save the next run work, and may be missing.
CACHES = {"snapshot", "outline", "checked"}
# A log whose changes are all in the state. A kill before its removal leaves it until a run opens the state to write.
LEFTOVERS = {"changes"}


class Violation(Exception):
    """A promise that did not hold."""


def require(condition, what):
    if not condition:
        raise Violation(what)


def program():
    """The program under attack: the one in SYNCMAKE_BINARY, else the newest build."""
    named = os.environ.get("SYNCMAKE_BINARY")
    if named:
        return os.path.abspath(named)
    builds = [os.path.join(PROJECT, ".build", kind, "syncmake") for kind in ("release", "debug")]
    builds = [build for build in builds if os.access(build, os.X_OK)]
    if not builds:
        raise SystemExit("there is no syncmake to attack: build it, or name it in SYNCMAKE_BINARY")
    return max(builds, key=os.path.getmtime)


def build_shim(folder):
    compiler = shutil.which("clang") or shutil.which("cc")
    if not compiler:
        raise SystemExit("the attack needs a C compiler: clang comes with Swift")
    shim = os.path.join(folder, "fault-shim.so")
    subprocess.run(
        [
            compiler,
            "-std=c11",
            "-O1",
            "-shared",
            "-fPIC",
            "-o",
            shim,
            os.path.join(TOOLS, "fault-shim.c"),
            "-ldl",
            "-lpthread",
        ],
        check=True,
    )
    return shim


def working_folder():
    """In memory if possible: lost data are modelled, so a disk would only be slower."""
    parent = os.environ.get("TMPDIR") or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    return tempfile.mkdtemp(prefix="syncmake-torture-", dir=parent)


class Entry:
    """The object at a path."""

    __slots__ = ("kind", "mode", "size", "modified", "inode", "data")

    def __init__(self, path):
        status = os.lstat(path)
        self.kind = stat.S_IFMT(status.st_mode)
        self.mode = stat.S_IMODE(status.st_mode)
        self.inode = status.st_ino
        self.data = None
        # A folder's size and time change with its content.
        self.size = self.modified = None
        if stat.S_ISREG(status.st_mode):
            self.size, self.modified = status.st_size, status.st_mtime_ns
            with open(path, "rb") as file:
                self.data = file.read()

    def key(self):
        return self.kind, self.mode, self.size, self.modified, self.inode, self.data


def tree(folder):
    """Every path below `folder`, with the object there."""
    found = {}
    todo = [""]
    while todo:
        relative = todo.pop()
        for name in os.listdir(os.path.join(folder, relative)):
            path = os.path.join(relative, name)
            found[path] = entry = Entry(os.path.join(folder, path))
            if entry.kind == stat.S_IFDIR:
                todo.append(path)
    return found


def describe(data):
    return "nothing" if data is None else f"{len(data)} bytes ({hashlib.sha256(data).hexdigest()[:8]})"


def is_above(path, outputs):
    return any(output.startswith(path + "/") for output in outputs)


def differences(files, versions):
    """How many files are missing, unexpected or different from each of the versions."""
    told = []
    for version in versions:
        other = [path for path in files.keys() & version.keys() if files[path] != version[path]]
        told.append(f"missing {sorted(version.keys() - files.keys())[:3]}, ")
        told[-1] += f"unexpected {sorted(files.keys() - version.keys())[:3]}, different {sorted(other)[:3]}"
    return "; or ".join(told)


class Outcome:
    """How a run ended: an exit status, or the negative number of the signal that ended it."""

    def __init__(self, status, stdout, stderr):
        self.status, self.stdout, self.stderr = status, stdout, stderr

    @property
    def document(self):
        try:
            return json.loads(self.stdout)
        except ValueError as error:
            raise Violation(
                f"no JSON document, status {self.status}: {self.stdout[:200]!r} {self.stderr[:500]!r}"
            ) from error

    def summary(self):
        return f"status {self.status}; {self.stderr.strip()[:600]}"


class Sandbox:
    """One sandbox with its server; `folder` must be empty."""

    def __init__(self, folder, shim):
        self.folder, self.shim = folder, shim
        self.root = os.path.join(folder, "root")
        # The calls of the last run with faults; stored outside, where the run must not change anything.
        self.log = folder + ".calls"
        self.server = Server()
        self.program = program()
        # What this case's attack excuses, and the call that it hit.
        self.tolerated, self.struck = set(), ""
        # Whether the system can exchange two folders.
        self.exchanges = True
        # Whether runs use a cache.
        self.caches = False

    def close(self):
        self.uncover()
        self.server.close()

    def uncover(self):
        if os.path.ismount(self.root):
            overlay.uncover(self.root)

    def environment(self):
        unusual = (
            {} if self.exchanges or os.path.ismount(self.root) else {"LD_PRELOAD": self.shim, "FAULT_NO_EXCHANGE": "1"}
        )
        return unusual | {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": os.path.join(self.folder, "home"),
            "TMPDIR": os.path.join(self.folder, "tmp"),
            "BASE": self.server.base,
            "no_proxy": "*",
            "SYNCMAKE_TEST_TIME_SCALE": "0.02",
            "SYNCMAKE_CACHE": os.path.join(self.folder, "cache") if self.caches else "off",
        }

    # --- Running

    def start(self, *arguments, faults=None):
        environment = self.environment()
        if faults:
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.log)
            environment["LD_PRELOAD"] = self.shim
            environment["FAULT_LOG"] = self.log
            environment.update({name: str(value) for name, value in faults.items()})
        return subprocess.Popen(
            [self.program, *arguments],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments, faults=None):
        process = self.start(*arguments, faults=faults)
        try:
            stdout, stderr = process.communicate(timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Violation(f"{' '.join(arguments)} hangs") from None
        finally:
            if faults and "FAULT_AT" in faults:
                number = f"{faults['FAULT_AT']} "
                self.struck = next((call for call in self.calls() if call.startswith(number)), "")
        # Nobody edits an output.
        require(b"output-modified" not in stdout + stderr, f"our own file is taken for an edited one: {stdout[:1500]}")
        return Outcome(process.returncode, stdout.decode(), stderr.decode(errors="replace"))

    def work(self, scenario, *arguments, faults=None):
        """Runs the command that the scenario attacks, with JSON output if that does not change its behaviour."""
        return self.run(*scenario.command, *arguments, *([] if scenario.settled else ["--json"]), faults=faults)

    def calls(self):
        """The calls that the last run with faults made, as "NUMBER CALL WHAT"."""
        with open(self.log, errors="replace") as file:
            return [line.rstrip("\n").replace(self.root + "/", "") for line in file]

    # --- Preparation

    def serve(self, files, modified, cut_path=None, cut=None):
        def served(path, data):
            if isinstance(data, SignedRedirect):
                return data
            return ServedFile(data, modified, cut if path == cut_path else None)

        self.server.files = {path: served(path, data) for path, data in files.items()}
        self.server.requests.clear()
        self.server.fetched.clear()

    def serve_new(self, scenario):
        self.serve(scenario.new, scenarios.NEW_TIME)
        if scenario.settled:
            for path, data in scenario.new.items():
                if data == scenario.old.get(path):
                    self.server.files[path] = ServedFile(data, scenarios.OLD_TIME)

    def prepare(self, scenario):
        """A new root in the scenario's old state, made by real runs; the server has the new files."""
        self.prepare_empty(scenario)
        if scenario.cache == "full":
            self.write("root/syncmake.yaml", scenario.manifest.encode())
            if self.work(scenario).status != 0:
                raise RuntimeError("the cache could not be filled")
            shutil.rmtree(self.root)
        os.mkdir(self.root)
        self.write("root/own.txt")
        with open(os.path.join(self.root, "syncmake.yaml"), "w") as file:
            file.write(scenario.manifest)
        if scenario.old:
            self.serve(scenario.old, scenarios.OLD_TIME)
            # Targets that the old server does not have fail.
            partly = len(scenario.outputs_old) < len(scenario.outputs_new)
            ended = self.work(scenario, "-k")
            if ended.status != (2 if partly else 0):
                raise RuntimeError(f"the old state could not be made: {ended.summary()}")
        for path, data in scenario.own.items():
            self.write("root/" + path, data)
        if scenario.settled:
            left = os.path.join(self.root, ".syncmake", "snapshot" if scenario.unasked else "checked")
            # If a connection breaks, which is rare here, a run takes the full path.
            tries = 0
            while tries < 2 or not os.path.exists(left):
                tries += 1
                if tries > 5:
                    raise RuntimeError("no run has left or used a snapshot")
                self.work(scenario)
            with open(os.path.join(self.root, "syncmake.yaml"), "a") as file:
                file.write(scenario.note)
        if scenario.cut:
            self.serve(scenario.new, scenarios.NEW_TIME, scenario.cut_path, scenario.cut)
            # If the connection is reset, what the run has not read yet is lost, perhaps all of it.
            tries = 0
            while tries == 0 or not os.listdir(os.path.join(self.root, ".syncmake/partial")):
                tries += 1
                ended = self.work(scenario)
                if ended.status != 2 or tries > 5:
                    raise RuntimeError(f"there is no partial download to resume: {ended.summary()}")
        if scenario.overlay:
            overlay.cover(self.root, self.folder + ".layers")
        self.serve_new(scenario)

    def prepare_empty(self, scenario):
        """Everything except a root; the server has the new files."""
        self.tolerated, self.struck = set(), ""
        self.exchanges = scenario.exchanges
        self.caches = scenario.cache is not None
        self.uncover()
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in ("home", "tmp", "outside"):
            os.makedirs(os.path.join(self.folder, name))
        self.write("outside/sentinel")
        self.serve_new(scenario)

    def write(self, name, data=b"not the program's\n"):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        # The same in each sandbox.
        os.utime(path, (scenarios.OLD_TIME, scenarios.OLD_TIME))

    # --- The promises

    def tree(self):
        """All but the cache, in which each run may leave and remove what it likes."""
        return {path: entry for path, entry in tree(self.folder).items() if path.split("/")[0] != "cache"}

    def check_keeps_no_signature(self):
        """A URL's signature is a secret of its server: it is in no file."""
        for path, entry in self.tree().items():
            require(SIGNATURE.encode() not in (entry.data or b""), f"{path} holds a signature")

    def check_left(self, scenario, before, same_inodes=True):
        """Whenever the crash happened, each output is the old one or the new one, and nothing else has changed."""
        after = self.tree()
        removed = set(scenario.outputs_old) - set(scenario.outputs_new)
        for path, entry in after.items():
            if path.startswith("root/.syncmake") or path == "root/.syncmake":
                continue
            output = path[len("root/") :]
            if path.startswith("root/") and output in scenario.outputs_new:
                self.check_output(output, entry, before.get(path), scenario)
            elif entry.kind == stat.S_IFDIR and is_above(output, scenario.outputs_new):
                continue
            else:
                require(path in before, f"{path} was left behind")
                old = before[path]
                require(entry.key()[:4] == old.key()[:4] and entry.data == old.data, f"{path} changed")
                # In the new folder output, a folder of somebody else's files is another one.
                may_differ = entry.kind == stat.S_IFDIR and is_above(output, scenario.own)
                require(entry.inode == old.inode or not same_inodes or may_differ, f"{path} is another file")
        for path in before:
            output = path[len("root/") :]
            if output not in removed and not is_above(output, removed) and not path.startswith("root/.syncmake/"):
                require(path in after, f"{path} is gone")
        if scenario.folder:
            self.check_folder(scenario, before, same_inodes)

    def drop_old_folder(self, before):
        """If an old folder cannot be listed, what is left of it is beside the new one: its own files and no others."""
        for path in sorted(self.tree()):
            kept = re.fullmatch(r"(root/.+)\.syncmake-old-[^/]+", path)
            if not kept:
                continue
            require("/tree-" in self.struck or ".tree" in self.struck, f"{path} was kept after {self.struck}")
            for inner, entry in self.tree().items():
                if inner.startswith(path + "/") and entry.kind != stat.S_IFDIR:
                    old = before.get(kept[1] + inner[len(path) :])
                    require(old and old.data == entry.data, f"{inner} is no old file")
            shutil.rmtree(os.path.join(self.folder, path))

    def check_folder(self, scenario, before, same_inodes, is_new=False):
        """A folder output is the old one or, in any case with `is_new`, the new one; what is in both stays as it is."""
        folder = f"root/{scenario.folder}"
        found = {path: one for path, one in self.tree().items() if path == folder or path.startswith(folder + "/")}
        for path in scenario.outputs_new.keys() & scenario.outputs_old.keys():
            if "root/" + path not in found and not path.startswith(scenario.folder + "/"):
                continue
            if scenario.outputs_new[path] != scenario.outputs_old[path]:
                continue
            entry, old = found.get("root/" + path), before["root/" + path]
            require(entry and entry.modified == old.modified, f"{path} did not change, but its time did")
            require(entry.inode == old.inode or not same_inodes, f"{path} did not change, but is another file")
        versions = [scenario.outputs_new] + ([] if is_new else [scenario.outputs_old])
        inside = f"{scenario.folder}/"
        wanted = [
            files and {"root/" + path: data for path, data in (files | scenario.own).items() if path.startswith(inside)}
            for files in versions
        ]
        files = {path: entry.data for path, entry in found.items() if entry.kind != stat.S_IFDIR}
        if not is_new and not scenario.exchanges:
            # Each file is checked alone.
            return
        require(files in wanted, f"{scenario.folder} is a mixture: {differences(files, wanted)}")
        require(files or folder not in found, f"{scenario.folder} is there, but empty")
        folders = {path for path, entry in found.items() if entry.kind == stat.S_IFDIR and path != folder}
        empty = {path for path in folders if not any(file.startswith(path + "/") for file in files)}
        require(not empty, f"empty folders: {empty}")

    @staticmethod
    def check_output(output, entry, old, scenario):
        require(entry.kind == stat.S_IFREG, f"{output} is not a file")
        if old is not None and entry.data == old.data:
            # Under `mtime`, an output with unchanged bytes gets its source's time; no output here does.
            require(entry.modified == old.modified, f"{output} has the old bytes with another mtime")
            return
        require(
            entry.data == scenario.outputs_new[output],
            f"{output} holds {describe(entry.data)}, neither the old {describe(old and old.data)} nor the new "
            f"{describe(scenario.outputs_new[output])}",
        )

    def check_all_or_nothing(self, scenario, command):
        """After one more command an update is complete or without effect; complete downloads are not fetched again."""
        changed = self.changed_outputs(scenario)
        here = self.withheld(scenario) | changed
        if scenario.folder and any(output.startswith(f"{scenario.folder}/") for output in changed):
            here.add(scenario.folder)
        was_decided = bool(changed)
        self.server.settle()
        self.server.fetched.clear()
        ended = self.run(*command, "--json")
        require(ended.status == 0, f"{command} fails: {ended.summary()} {ended.stdout[:1500]}")
        again = here & {scenario.output_of(path) for path in self.server.fetched}
        require(not again, f"{command} fetches {again} again")
        changed = self.changed_outputs(scenario)
        require(changed in (set(), scenario.changing), f"after {command} {changed} alone are new")
        require(changed or not was_decided, f"after {command} the update is undone")
        if command == ("run",):
            require(not self.server.fetched, f"{command} fetches {self.server.fetched}")

    def check_together(self, scenario, faults=None):
        """After a run without network, which can only complete or take back, the outputs of a unit are all old or all
        new, and what is made from them is not newer."""
        ended = self.run("run", "--offline", "--json", faults=faults)
        require(ended.status in (0, 2), f"a run without network ends oddly: {ended.summary()}")
        found = {path.removeprefix("root/"): entry.data for path, entry in self.tree().items()}
        new = {output for output, data in scenario.outputs_new.items() if found.get(output) == data}
        old = {output for output in scenario.outputs_new if found.get(output) == scenario.outputs_old.get(output)}
        require(
            scenario.together <= new or scenario.together <= old,
            f"the unit is a mixture: {sorted(new & scenario.together)[:3]} are new, "
            f"{sorted(old & scenario.together)[:3]} are old",
        )
        others = new - old - scenario.together
        require(not others or scenario.together <= new, f"{others} are newer than the unit that they are made from")

    def changed_outputs(self, scenario):
        """The files of outputs that came, left or have other content."""
        found = {path.removeprefix("root/"): entry.data for path, entry in self.tree().items()}
        return {output for output in scenario.changing if found.get(output) != scenario.outputs_old.get(output)}

    def withheld(self, scenario):
        """The outputs whose complete new file is kept, according to the state."""
        copy = self.folder + ".state"
        shutil.rmtree(copy, ignore_errors=True)
        os.mkdir(copy)
        state = os.path.join(self.root, ".syncmake")
        for name in os.listdir(state):
            if name.startswith("state.db"):
                shutil.copy(os.path.join(state, name), copy)
        with contextlib.closing(sqlite3.connect(os.path.join(copy, "state.db"))) as database:
            try:
                return {output for (output,) in database.execute("SELECT output FROM withheld")}
            except sqlite3.OperationalError:
                # There has been no update yet.
                return set()

    def check_plan_writes_nothing(self, faults=None):
        before = self.tree()
        ended = self.run("plan", "--json", faults=faults)
        require(ended.status == 0, f"plan fails: {ended.summary()}")
        after = self.tree()
        require(before.keys() == after.keys(), f"plan made or removed {set(before) ^ set(after)}")
        for path, entry in before.items():
            require(entry.key() == after[path].key(), f"plan changed {path}")

    def check_recovery(self, scenario, reference, before, same_inodes=True, faults=None):
        """The next run succeeds without help and ends as after an undisturbed run that found `before`."""
        self.check_plan_writes_nothing(faults)
        ended = self.work(scenario, faults=faults)
        require(ended.status == 0, f"the next run fails: {ended.summary()} {ended.stdout[:1500]}")
        require("state" not in ended.stderr, f"the next run warns: {ended.summary()}")
        if scenario.folder:
            self.check_folder(scenario, before, same_inodes, is_new=True)
            self.check_fresh(scenario, faults)
        self.check_end(scenario, reference)

    def check_fresh(self, scenario, faults):
        """A run finds everything fresh: it fetches nothing and changes no output."""
        self.server.settle()
        self.server.fetched.clear()
        before = self.tree()
        ended = self.work(scenario, faults=faults)
        outcomes = {target["outcome"] for target in ended.document["targets"]}
        require(ended.status == 0 and outcomes == {"fresh"}, f"a further run is {outcomes}: {ended.summary()}")
        require(not self.server.fetched, f"a further run fetches {self.server.fetched}")
        after = self.tree()
        for path in before.keys() | after.keys():
            if not path.startswith("root/.syncmake/"):
                same = path in before and path in after and before[path].key() == after[path].key()
                require(same, f"a further run changed {path}")

    def check_end(self, scenario, reference):
        end = self.end_state()
        for path, wanted in reference["files"].items():
            require(path in end["files"], f"{path} is missing in the end")
            require(end["files"][path] == wanted, f"{path} ends as {end['files'][path]}, not as {wanted}")
        extra = set(end["files"]) - set(reference["files"])
        if "set-aside" in self.tolerated:
            extra = {path for path in extra if not re.search(r"\.syncmake/state\.db\.(damaged-|v\d)", path)}
        require(not extra, f"{extra} are left in the end")
        for name, wanted in reference["status"].items():
            found = dict(end["status"][name])
            if name in scenario.unasked and found["etag"] is None:
                found.update(etag=wanted["etag"], last_modified=wanted["last_modified"])
            require(found == wanted, f"recorded of {name}: {found}, not {wanted}")

    def end_state(self):
        """A value that is the same for two runs with the same result."""
        files = {}
        for path, entry in self.tree().items():
            if path in {f"root/.syncmake/{name}" for name in CACHES | LEFTOVERS}:
                continue
            # Its text names the process; SQLite's pages depend on the order of writes.
            contents = None if path.startswith("root/.syncmake/") else entry.data
            # If the server gave the time, or nothing changed the file, the time must be the same, too.
            given = (scenarios.OLD_TIME * 10**9, scenarios.NEW_TIME * 10**9)
            time = entry.modified if entry.modified in given else None
            if path.startswith("root/.syncmake/trees/"):
                # The next listing is the present one if nothing has made it that.
                path = path.removesuffix(".next")
            files[path] = (oct(entry.mode), describe(contents) if contents is not None else None, time)
        status = self.run("status", "--json").document
        facts = ("output", "state", "sha256", "size", "etag", "last_modified", "tree", "files")
        return {
            "files": files,
            "status": {target["name"]: {fact: target.get(fact) for fact in facts} for target in status["targets"]},
        }

    def reference(self, scenario):
        """The result of an undisturbed run, after a check that it does what the scenario says."""
        self.prepare(scenario)
        before = self.tree()
        for output, data in scenario.outputs_old.items():
            assert before["root/" + output].data == data, f"{scenario.name}: {output} is not the old one"
        ended = self.work(scenario)
        assert ended.status == 0, f"{scenario.name}: {ended.summary()}"
        self.check_left(scenario, before)
        after = self.tree()
        for output, data in scenario.outputs_new.items():
            assert after["root/" + output].data == data, f"{scenario.name}: {output} is not the new one"
        left = {path.split("/")[2] for path in after if path.startswith("root/.syncmake/")}
        assert left - CACHES - OF_UPDATES - OF_FOLDERS - LEFTOVERS == AT_REST and not any(
            path.startswith(("root/.syncmake/staging/", "root/.syncmake/partial/", "root/.syncmake/withheld/"))
            for path in after
        )
        return self.end_state()
